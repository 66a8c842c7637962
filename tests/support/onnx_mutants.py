"""Structure-aware fuzzer of ONNX files: mutants of three models, imported, compiled and run.

A program of its own, so that a crash is a failed test: `scripts/mutants onnx FIRST COUNT [SEED]` makes so many mutants
of each of its models and prints a tally as JSON. A mutant is refused by an AnytileError of one line, or it runs. One
that takes longer than MOST_S of processor time, or MOST_BYTES of address space beyond what there was, fails.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto as Proto
from onnx import defs, helper, numpy_helper

import anytile
from anytile.core.errors import AnytileError
from anytile.importers.onnx.model import import_model
from anytile.importers.onnx.operator_table import ROWS
from anytile.importers.onnx.proto.load import parse_model
from tests.support.executable_mutants import one_line

MOST_S, MOST_BYTES = 60.0, 4 << 30
WITHIN_S = 10.0  # of processor time, to run what compiles
MEMORY = 1 << 28
OPSET = 20
SMALL = (0, 1, 2, 3, -1, -2)
NUMBERS = (*SMALL, *SMALL, *SMALL, 4, 7, 64, 255, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**31), -(2**63))
FLOATS = (0.0, -1.0, 0.5, 1e-30, 1e30, float("inf"), float("nan"))
WORDS = (
    "",
    "linear",
    "cubic",
    "reflect",
    "wrap",
    "SAME_UPPER",
    "VALID",
    "mul",
    "i,i->i",
    "...ij->...",
    "\0",
    "x" * 300,
)
node = helper.make_node


def _model(nodes: list[Any], inputs: dict[str, Any], outputs: list[str], weights: dict[str, Any]) -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, Proto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])


def _attention() -> Any:
    """Products, and shapes that are computed from shapes."""
    w = np.random.default_rng(0).standard_normal((12, 12), np.float32)
    return _model(
        [
            node("Shape", ["x"], ["s"]),
            node("Gather", ["s", "i0"], ["b"], axis=0),
            node("Slice", ["s", "i1", "i2"], ["t"]),
            node("Concat", ["b", "t", "heads"], ["wide"], axis=0),
            node("MatMul", ["x", "w"], ["q"]),
            node("Reshape", ["q", "wide"], ["r"]),
            node("Transpose", ["r"], ["h"], perm=[0, 2, 1, 3]),
            node("Transpose", ["r"], ["k"], perm=[0, 2, 3, 1]),
            node("MatMul", ["h", "k"], ["a"]),
            node("Softmax", ["a"], ["p"], axis=-1),
            node("MatMul", ["p", "h"], ["v"]),
            node("ReduceMean", ["v", "i1"], ["m"], keepdims=0),
            node("Expand", ["m", "many"], ["e"]),
            node("Tile", ["e", "many"], ["y"]),
        ],
        {"x": ("batch", "seq", 12)},
        ["y"],
        {"i0": [0], "i1": [1], "i2": [2], "heads": [3, 4], "many": [1, 1, 1], "w": w},
    )


def _images() -> Any:
    """Windows, other sizes, places that are data."""
    rng = np.random.default_rng(1)
    return _model(
        [
            node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], strides=[1, 1], kernel_shape=[3, 3]),
            node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
            node("Resize", ["p", "", "scales"], ["r"], mode="linear"),
            node("ConvTranspose", ["r", "u"], ["t"], strides=[2, 2], output_padding=[1, 1]),
            node("Pad", ["t", "pads"], ["d"], mode="reflect"),
            node("TopK", ["d", "k"], ["v", "i"], axis=-1),
            node("GatherElements", ["d", "i"], ["g"], axis=3),
            node("QuantizeLinear", ["g", "scale", "zero"], ["n"]),
            node("DequantizeLinear", ["n", "scale", "zero"], ["f"]),
            node("GlobalAveragePool", ["f"], ["y"]),
        ],
        {"x": ("batch", 2, 8, 8)},
        ["y", "i"],
        {
            "w": rng.standard_normal((4, 2, 3, 3), np.float32),
            "u": rng.standard_normal((4, 2, 3, 3), np.float32),
            **{"scales": np.asarray([1, 1, 2, 2], np.float32), "pads": [0, 0, 1, 1, 0, 0, 1, 1], "k": [3]},
            **{"scale": np.float32(0.1), "zero": np.uint8(7)},
        },
    )


def _control() -> Any:
    """Branches, loops, sequences and layers of steps."""

    def graph(nodes: list[Any], inputs: list[str], outputs: list[str]) -> Any:
        infos = [helper.make_tensor_value_info(name, Proto.FLOAT, None) for name in inputs]
        return helper.make_graph(nodes, "g", infos, [helper.make_empty_tensor_value_info(o) for o in outputs])

    rng = np.random.default_rng(2)
    then, otherwise = (graph([node(op, ["x"], [f"{op}_y"])], [], [f"{op}_y"]) for op in ("Neg", "Abs"))
    steps = [node("Add", ["a", "a"], ["b"]), node("Identity", ["go"], ["on"]), node("Identity", ["b"], ["row"])]
    body = graph(steps, ["i", "go", "a"], ["on", "b", "row"])
    sums = [node("Add", ["state", "part"], ["next"]), node("Identity", ["next"], ["out"])]
    return _model(
        [
            node("ReduceSum", ["x"], ["s"], keepdims=0),
            node("Greater", ["s", "zero"], ["c"]),
            node("If", ["c"], ["h"], then_branch=then, else_branch=otherwise),
            node(
                "Loop",
                ["trips", "true", "h"],
                ["last", "rows"],
                body=body,
            ),
            node(
                "Scan",
                ["start", "rows"],
                ["end", "outs"],
                num_scan_inputs=1,
                body=graph(sums, ["state", "part"], ["next", "out"]),
            ),
            node("SplitToSequence", ["outs", "one"], ["q"], axis=0),
            node("SequenceAt", ["q", "zero_i"], ["o"]),
            node("GRU", ["outs", "w", "r"], ["z", "zh"], hidden_size=2),
            node("Add", ["o", "end"], ["y"]),
        ],
        {"x": (2, 3)},
        ["y", "z"],
        {
            **{"zero": np.float32(0), "trips": np.int64(3), "true": np.asarray(True), "one": np.int64(1)},
            **{"zero_i": np.int64(0), "start": np.zeros((2, 3), np.float32)},
            **{"w": rng.standard_normal((1, 6, 3), np.float32), "r": rng.standard_normal((1, 6, 2), np.float32)},
        },
    )


MODELS: dict[str, Callable[[], Any]] = {"attention": _attention, "images": _images, "control": _control}


# -- mutants -----------------------------------------------------------------------------------------------------------


def _graphs(graph: Any) -> list[Any]:
    """A graph and those inside it."""
    found = [graph]
    for n in graph.node:
        for a in n.attribute:
            if a.type == 5:
                found += _graphs(a.g)
    return found


def _names(graph: Any) -> list[str]:
    return ["", "nowhere", *(o for n in graph.node for o in n.output), *(t.name for t in graph.initializer)]


def _an_operator(rng: random.Random, graph: Any) -> None:
    n = rng.choice(graph.node)
    alike = ("Relu", "Exp", "Softmax", "Identity", "Transpose", "Not", "NonZero", "CumSum", "Hardmax", "Round", "IsNaN")
    n.op_type = rng.choice(alike if rng.random() < 0.5 else [name for _, name in sorted(ROWS)])
    if n.op_type in alike:
        del n.attribute[:], n.input[1:], n.output[1:]


def _an_attribute(rng: random.Random, graph: Any) -> None:
    """One that the operator has, mostly of its type."""
    n = rng.choice(graph.node)
    known = defs.get_schema(n.op_type, OPSET).attributes if defs.has(n.op_type) else {}
    name = rng.choice([*sorted(known), *sorted(known), "axis"])
    kept = [a for a in n.attribute if a.name != name]
    old = next((a for a in n.attribute if a.name == name), None)
    numbers = [
        rng.choice(NUMBERS) for _ in range(len(old.ints) if old is not None and old.ints else rng.randrange(1, 5))
    ]
    of_type = {1: rng.choice(FLOATS), 2: rng.choice(NUMBERS), 3: rng.choice(WORDS), 7: numbers}
    kind = int(known[name].type.value) if name in known and rng.random() < 0.9 else rng.choice(sorted(of_type))
    if kind not in of_type:
        return
    del n.attribute[:]
    n.attribute.extend(kept)
    if rng.random() < 0.9:
        n.attribute.append(helper.make_attribute(name, of_type[kind]))


def _an_input(rng: random.Random, graph: Any) -> None:
    """Mostly one that there is before the node."""
    at = rng.randrange(len(graph.node))
    n = graph.node[at]
    names = [*(o for m in graph.node[:at] for o in m.output), *(t.name for t in graph.initializer)]
    names += [*(i.name for i in graph.input), "", *(("nowhere", *n.output) if rng.random() < 0.1 else ())]
    if n.input and rng.random() < 0.8:
        n.input[rng.randrange(len(n.input))] = rng.choice(names)
    else:
        n.input.append(rng.choice(names))


def _an_order(rng: random.Random, graph: Any) -> None:
    at, to = (rng.randrange(len(graph.node)) for _ in range(2))
    nodes = list(graph.node)
    if rng.random() < 0.1:
        nodes.insert(to, nodes.pop(at))
    if rng.random() < 0.3:
        nodes.pop(rng.randrange(len(nodes)))
    if nodes and rng.random() < 0.3:
        nodes.append(rng.choice(nodes))
    copies = [type(n).FromString(n.SerializeToString()) for n in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def _an_array(rng: random.Random, graph: Any) -> None:
    if not graph.initializer:
        _an_input(rng, graph)
        return
    t = rng.choice(graph.initializer)
    match rng.randrange(12):
        case 0:
            t.dims[:] = [rng.choice(NUMBERS) for _ in range(rng.randrange(4))]
        case 1:
            t.data_type = rng.randrange(30)
        case 2:
            t.raw_data = bytes(rng.randrange(256) for _ in range(len(t.raw_data) - rng.randrange(2)))
        case 3:
            t.data_location = 1
            entry = t.external_data.add()
            entry.key, entry.value = "location", rng.choice(("../../etc/passwd", "/dev/zero", "", "x"))
        case _:
            if t.data_location:
                return
            try:
                array = np.array(numpy_helper.to_array(t))
            except (KeyError, TypeError, ValueError):  # it was damaged before
                return
            if array.size and rng.random() < 0.8:
                with np.errstate(all="ignore"):
                    array.reshape(-1)[rng.randrange(array.size)] = np.asarray(rng.choice(NUMBERS)).astype(array.dtype)
            else:
                array = array[..., : rng.randrange(4)] if array.ndim else array.reshape(1)
            t.CopyFrom(numpy_helper.from_array(array, t.name))


def _an_end(rng: random.Random, graph: Any) -> None:
    """Inputs and results: sizes, types, names."""
    infos = [*graph.input, *graph.output]
    if not infos:
        return
    info = rng.choice(infos)
    match rng.randrange(4):
        case 0:
            info.name = rng.choice(_names(graph))
        case 1:
            info.type.tensor_type.elem_type = rng.randrange(30)
        case 2:
            info.type.sequence_type.elem_type.tensor_type.elem_type = 1
        case _:
            shape = info.type.tensor_type.shape
            del shape.dim[:]
            for _ in range(rng.choice((2, 3, 4, rng.randrange(10)))):
                dim = shape.dim.add()
                if rng.random() < 0.5:
                    dim.dim_value = rng.choice(NUMBERS)
                else:
                    dim.dim_param = rng.choice(("batch", "seq", "", "a + 1", "d0", "1x", "\0"))


CHANGES = (*[_an_operator, _an_attribute, _an_array] * 3, _an_input, _an_input, _an_end, _an_order)


def mutant(rng: random.Random, model: Any) -> bytes:
    """The bytes of a model with a few changes of its structure, and sometimes of the bytes themselves."""
    made = type(model).FromString(model.SerializeToString())
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        graph = rng.choice([g for g in _graphs(made.graph) if g.node] or [made.graph])
        if graph.node:
            rng.choice(CHANGES)(rng, graph)
    if rng.random() < 0.05:
        made.opset_import[0].version = rng.choice((0, 1, 5, 7, 9, 11, 13, 17, 26, 99, -1))
    data = bytearray(made.SerializeToString())
    if rng.random() < 0.05:
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.01 else data)


class LateError(Exception):
    """A run that was stopped by the timer."""


def tried(data: bytes) -> str:
    """What became of a mutant."""
    try:
        exe = anytile.compile(import_model(parse_model(data)))
        session = anytile.Session(exe, memory_limit=MEMORY)
    except AnytileError as error:
        one_line(error)
        return "refused"
    feeds = {}
    for name, port in exe.inputs:
        shape = [d if isinstance(d, int) else 2 for d in port.shape]  # type: ignore[union-attr]  # all are tensors
        if np.prod([float(d) for d in shape]) > 2**20:
            return "compiled"
        feeds[name] = np.ones(shape, port.dtype)  # type: ignore[union-attr]
    signal.setitimer(signal.ITIMER_PROF, WITHIN_S)
    try:
        session.run(feeds)
    except AnytileError as error:
        one_line(error)
        return "failed"
    except LateError:
        return "stopped"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "ran"


def main(first: str, count: str, seed: str = "0") -> None:
    def late(*_: object) -> None:
        raise LateError

    signal.signal(signal.SIGPROF, late)
    models = {name: make() for name, make in MODELS.items()}
    for name, model in models.items():
        assert tried(model.SerializeToString()) == "ran", name
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    tallies = {name: Counter(mutants=int(count)) for name in MODELS}
    for number in range(int(first), int(first) + int(count)):
        for name, model in models.items():
            print(f"{name} {number}", file=sys.stderr, flush=True)  # the last one, if it ends the process
            begin = time.process_time()
            tallies[name][tried(mutant(random.Random(f"{seed} {name} {number}"), model))] += 1
            took = time.process_time() - begin
            assert took < MOST_S, f"{name} {number} took {took:.1f} s"
            tallies[name]["slow"] += took > MOST_S / 10
    print(json.dumps(tallies))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Hostile ONNX files: whatever a file says, it is refused in a line or it runs, within bounds of time and memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, numpy_helper

from anytile.core.errors import AnytileError, SpecError, UnsupportedError
from anytile.importers.core.graph import MOST_BYTES
from anytile.importers.onnx.model import MOST_NODES, import_model
from anytile.importers.onnx.proto.load import parse_model
from tests.support import onnx_mutants
from tests.support.executable_mutants import one_line
from tests.support.processor_time import cpu_time, more_memory

ROOT = Path(__file__).resolve().parents[3]
node = helper.make_node


def model(nodes: list[Any], weights: dict[str, Any], functions: Any = (), output: str = "y") -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", Proto.FLOAT, ("n", 4))],
        [helper.make_empty_tensor_value_info(output)],
        [numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items()],
    )
    imports = [helper.make_opsetid("", 20), *(helper.make_opsetid(f.domain, 1) for f in functions)]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions))


def test_mutants_are_imported_or_refused_in_a_line() -> None:
    ended = {"imported": 0, "refused": 0}
    for name, make in onnx_mutants.MODELS.items():
        base = make()
        for number in range(60):
            data = onnx_mutants.mutant(random.Random(f"quick {name} {number}"), base)
            try:
                import_model(parse_model(data))
            except AnytileError as error:
                one_line(error)
                ended["refused"] += 1
            else:
                ended["imported"] += 1
    assert min(ended.values()) > 10


@pytest.mark.slow
def test_mutants_run_or_are_refused_within_bounds() -> None:
    command = [sys.executable, "-m", "tests.support.onnx_mutants", "0", "40"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert made.returncode == 0, made.stderr[-2000:]
    for tally in json.loads(made.stdout).values():
        assert tally["refused"]
        assert tally["ran"]


def doubling(count: int, call: Callable[[str, str, str], list[Any]]) -> Any:
    """A model of functions, each of which calls the next one twice: 2^count nodes, if all are walked."""
    opset = [helper.make_opsetid("", 20), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function(
            *("own", f"f{i}", ["a"], ["c"]), [*call(f"f{i + 1}", "a", "b"), *call(f"f{i + 1}", "b", "c")], opset
        )
        for i in range(count)
    ]
    functions.append(helper.make_function("own", f"f{count}", ["a"], ["c"], [node("Neg", ["a"], ["c"])], opset))
    return model([node("f0", ["x"], ["y"], domain="own")], {}, functions)


def test_functions_that_call_each_other_without_end_are_told() -> None:
    """Before they are walked."""
    made = doubling(60, lambda name, x, y: [node(name, [x], [y], domain="own")])
    with cpu_time() as took, pytest.raises(SpecError, match=f"more than {MOST_NODES} nodes"):
        import_model(made)
    assert took.seconds < 5


def test_functions_that_branches_call_are_counted_as_they_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.importers.onnx.model.MOST_NODES", 200)

    def branching(name: str, x: str, y: str) -> list[Any]:
        result = helper.make_empty_tensor_value_info("r")
        branch = helper.make_graph([node(name, [x], ["r"], domain="own")], "branch", [], [result])
        always = node("Constant", [], [f"{y}_always"], value=numpy_helper.from_array(np.array(True)))
        return [always, node("If", [f"{y}_always"], [y], then_branch=branch, else_branch=branch)]

    with pytest.raises(SpecError, match="more than 200 nodes"):
        import_model(doubling(9, branching))


@pytest.mark.parametrize("calls", [["f0"], ["f1"]])
def test_a_function_that_calls_itself_is_told(calls: list[str]) -> None:
    opset = [helper.make_opsetid("", 20), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function("own", f"f{i}", ["a"], ["c"], [node(name, ["a"], ["c"], domain="own")], opset)
        for i, name in enumerate([*calls, "f0"])
    ]
    with pytest.raises(SpecError, match="more than 64 deep; does a function call itself"):
        import_model(model([node("f0", ["x"], ["y"], domain="own")], {}, functions))


@pytest.mark.parametrize(
    ("nodes", "weights"),
    [
        ([node("ConstantOfShape", ["s"], ["y"])], {"s": np.int64([2**15, 2**15])}),
        ([node("Range", ["zero", "far", "one"], ["y"])], {"zero": 0, "far": 2**40, "one": 1}),
        ([node("Tile", ["w", "s"], ["y"])], {"w": np.ones((2, 2), np.float32), "s": np.int64([2**15, 2**14])}),
        ([node("Expand", ["w", "s"], ["y"])], {"w": np.float32(1), "s": np.int64([2**16, 2**15])}),
        ([node("OneHot", ["i", "d", "v"], ["y"])], {"i": np.int64([1]), "d": 2**40, "v": np.float32([0, 1])}),
        ([node("HannWindow", ["d"], ["y"])], {"d": 2**33}),
        ([node("ConstantOfShape", ["s"], ["c"]), node("EyeLike", ["c"], ["y"])], {"s": np.int64([2**15, 2**15])}),
        ([node("Resize", ["w", "", "", "s"], ["y"], mode="linear")],
         {"w": np.ones((1, 1, 2**14), np.float32), "s": np.int64([1, 1, 2**20])}),
        ([node("MatMul", ["w", "w"], ["y"])], {"w": np.ones((3000, 3000), np.float32)}),
        ([node("Pad", ["w", "s"], ["y"])], {"w": np.ones((1, 1), np.float32), "s": np.int64([0, 0, 2**16, 2**15])}),
    ],
)  # fmt: skip
def test_what_a_few_bytes_make_large_is_not_made_ahead_of_time(nodes: list[Any], weights: dict[str, Any]) -> None:
    with more_memory(MOST_BYTES), cpu_time() as took:
        try:
            import_model(model(nodes, weights))
        except (SpecError, UnsupportedError) as error:
            one_line(error)
    assert took.seconds < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "inputs", "settings", "beyond"),
    [
        ("ConstantOfShape", ["shape"], {}, "broadcast_sized"),
        ("Cast", ["filled"], {"to": Proto.INT32}, "= cast("),
        ("EyeLike", ["filled"], {}, "a matrix of"),
        ("Range", ["zero", "far", "one"], {}, "a range of"),
        ("HannWindow", ["far"], {}, "a window of"),
    ],
)
def test_all_that_is_made_ahead_of_time_has_a_bound(
    op: str, inputs: list[str], settings: dict[str, int], beyond: str
) -> None:
    """Each of forty constants is small enough, all together are not."""
    names = [f"c{i}" for i in range(40)]
    weights = {"shape": np.int64([2**11, 2**12]), "zero": 0, "far": 2**23, "one": 1}
    nodes = [node("ConstantOfShape", ["shape"], ["filled"]), *(node(op, inputs, [name], **settings) for name in names)]
    with more_memory(MOST_BYTES + 2**29):
        try:
            said = str(import_model(model([*nodes, node("Sum", names, ["y"])], weights)))
        except UnsupportedError as error:
            said = str(error)
    assert beyond in said


@pytest.mark.slow
def test_what_many_refusals_ask_for_is_looked_up_once() -> None:
    """Twenty-four hundred nodes, behind each of which one stands that would have to know it."""
    nodes = []
    for i in range(2400):
        nodes.append(node("Neg", [f"x{i - 1}" if i else "x"], [f"x{i}"]))
        nodes.append(node("HannWindow", [f"x{i}"], [f"w{i}"]))
    with cpu_time() as took, pytest.raises(UnsupportedError, match="2400 things") as caught:
        import_model(model(nodes, {}, output="x2399"))
    assert took.seconds < 5
    assert getattr(caught.value, "asked", ()) == ("x",)


def test_sizes_that_grow_without_end_are_data_or_refused() -> None:
    nodes = [node("Shape", ["x"], ["s0"])]
    nodes += [node("Mul", [f"s{i}", f"s{i}"], [f"s{i + 1}"]) for i in range(40)]
    with cpu_time() as took:
        import_model(model(nodes, {}, output="s40"))
    assert took.seconds < 5
    tiles = [node("Shape", ["x"], ["s"])]
    tiles += [node("Tile", ["x" if not i else f"t{i}", "s"], [f"t{i + 1}"]) for i in range(30)]
    with pytest.raises(UnsupportedError, match="more than a line to write"):
        import_model(model(tiles, {}, output="t30"))


def test_attributes_of_other_types_are_refused() -> None:
    for value in ("x", 1.5, [2, 3], helper.make_graph([], "g", [], [])):
        with pytest.raises((SpecError, UnsupportedError)) as caught:
            import_model(model([node("Softmax", ["x"], ["y"], axis=value)], {}))
        assert "Softmax" in str(caught.value)
        one_line(caught.value)

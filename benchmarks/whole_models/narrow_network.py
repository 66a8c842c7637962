"""Networks in 8-bit integers out of ONNX files: beside our float32 and what onnxruntime makes of them ahead of time.

Everybody has the same file and learns ranges from the same few images, which are not the ones that are timed; all of
them by extremes; onnxruntime's own quantised file runs on our kernels, too. What is lost is the relative error of the
scores in L2 against our float32, whose own is a millionth. With `--tune` a campaign of `anytile tune --model` comes
first, for so long for each of both precisions.

    scripts/bench narrow_network --tune 5m --db network.db --check --json narrow-network.json
    scripts/bench narrow_network --model mobilenet-v2
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.models_io.rival import onnxruntime_session
from anytile.schedules.hardware.narrow import narrow_facts
from benchmarks.measure import campaigns
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.machine import ALLOWED
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import bound, missing
from benchmarks.rivals.onnx_quantiser import ranges_ahead
from benchmarks.subjects.networks import INVERTED, MOBILENET, RESNET, STAGES
from benchmarks.whole_models.models import rungs

Array = NDArray[np.float32]
FLOAT, IMAGES, AHEAD = "float32", "int8", "int8, ranges ahead"
IMPORTED = "onnxruntime's int8 file"
ORT_FLOAT, ORT = "onnxruntime float32", "onnxruntime int8"
SYSTEMS = (FLOAT, IMAGES, AHEAD, IMPORTED, ORT_FLOAT, ORT)
TITLES = {RESNET: "ResNet-50", MOBILENET: "MobileNet-v2"}
# What ranges ahead of time are to gain over float32, with products of bytes and without, and over onnxruntime's int8.
GAINS = {RESNET: (2.0, 1.3, 1.15), MOBILENET: (1.2, 1.0, 1.0)}
IMPORTED_GAIN = 1.0
SIZE, SMALL, CLASSES = 224, 64, 1000
COUNTS = (1, 4)
LEARNT = 4  # runs of one image that ranges are of
WORST = 0.5  # an error beyond which something else is computed


class Graph:
    """An ONNX graph of a network, node by node, with random weights and its normalisations in them."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(5)
        self.nodes: list[Any] = []
        self.weights: dict[str, Array] = {}

    def add(self, op: str, *inputs: str, **attrs: Any) -> str:
        from onnx import helper

        made = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [made], name=made, **attrs))
        return made

    def weight(self, array: NDArray[Any]) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array, np.float32)
        return name

    def conv(self, x: str, ci: int, co: int, kernel: int, stride: int = 1, gain: float = 2.0, groups: int = 1) -> str:
        deep = ci // groups * kernel * kernel
        w = self.weight(self.rng.standard_normal((co, ci // groups, kernel, kernel)) * (gain / deep) ** 0.5)
        b = self.weight(self.rng.standard_normal(co) * 0.1)
        window: dict[str, Any] = {"strides": [stride] * 2, "pads": [kernel // 2] * 4, "kernel_shape": [kernel] * 2}
        return self.add("Conv", x, w, b, group=groups, **window)

    def clipped(self, x: str) -> str:
        return self.add("Clip", x, self.weight(np.array(0.0)), self.weight(np.array(6.0)))

    def resnet50(self, size: int) -> bytes:
        x = self.add("Relu", self.conv("x", 3, 64, 7, 2))
        x, ci = self.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
        for width, count, first in STAGES:
            for i in range(count):
                stride = first if i == 0 else 1
                up = self.add("Relu", self.conv(x, ci, width, 1))
                up = self.conv(self.add("Relu", self.conv(up, width, width, 3, stride)), width, 4 * width, 1, gain=0.3)
                beside = x if ci == 4 * width else self.conv(x, ci, 4 * width, 1, stride, gain=1.0)
                x, ci = self.add("Relu", self.add("Add", up, beside)), 4 * width
        return self.scored("resnet50", x, ci, size)

    def mobilenet_v2(self, size: int) -> bytes:
        x, ci = self.clipped(self.conv("x", 3, 32, 3, 2)), 32
        for factor, width, count, first in INVERTED:
            for i in range(count):
                wide, stride = factor * ci, first if i == 0 else 1
                inside = x if factor == 1 else self.clipped(self.conv(x, ci, wide, 1))
                deep = self.clipped(self.conv(inside, wide, wide, 3, stride, groups=wide))
                down = self.conv(deep, wide, width, 1, gain=1.0 if i == 0 else 0.3)
                x, ci = down if i == 0 else self.add("Add", x, down), width
        return self.scored("mobilenet_v2", self.clipped(self.conv(x, ci, 1280, 1)), 1280, size)

    def scored(self, name: str, x: str, ci: int, size: int) -> bytes:
        """The model whose scores of classes are of the means of these channels."""
        from onnx import TensorProto, helper, numpy_helper

        flat = self.add("Flatten", self.add("GlobalAveragePool", x))
        head, bias = self.rng.standard_normal((CLASSES, ci)) * ci**-0.5, self.rng.standard_normal(CLASSES)
        self.nodes.append(
            helper.make_node("Gemm", [flat, self.weight(head), self.weight(bias)], ["y"], name="y", transB=1)
        )
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("images", 3, size, size))],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ("images", CLASSES))],
            [numpy_helper.from_array(array, name) for name, array in self.weights.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return bytes(model.SerializeToString())


MODELS = {RESNET: Graph.resnet50, MOBILENET: Graph.mobilenet_v2}


def measure(report: Report, options: argparse.Namespace) -> None:
    size, target = SMALL if options.quick else SIZE, anytile.Target.host(options.threads)
    products = narrow_facts(target).bytes
    if not products:
        report.say("this CPU has no instruction for products of 8-bit integers: they are made of others")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, db = folder / f"{options.model}.onnx", options.db or (str(folder / "tuning.db") if options.tune else None)
        path.write_bytes(MODELS[options.model](Graph(), size))
        learnt = [{"x": images(1000 + i, 1, size)} for i in range(LEARNT)]
        found = anytile.quantise(path, inputs=learnt, ranges="extremes")
        narrow = sum(layer.dtype == "int8" for layer in found.layers)
        report.say(f"{narrow} of {len(found.layers)} layers in int8, error of their runs {found.error:.4f}")
        found.module.save(folder / "narrow.txt")
        for model in (path, folder / "narrow.txt") if options.tune else ():
            words = ["tune", "--model", str(model), "--target", str(target), "--time", options.tune]
            seconds = campaigns.run(words, db or "", cores=ALLOWED, may_fall_short=True)
            report.say(f"{model.name}: tuned in {seconds:.0f} s")
        made = {
            FLOAT: anytile.compile(path, target, db=db),
            IMAGES: anytile.compile(path, target, db=db, precision="int8"),
            AHEAD: anytile.compile(found.module, target, db=db),
        }
        rivals: dict[str, Any] = {}
        if not absent():
            narrow_path = folder / "int8.onnx"
            narrow_path.write_bytes(ranges_ahead(path.read_bytes(), [run["x"] for run in learnt]))
            made[IMPORTED] = anytile.compile(narrow_path, target, db=db)
            rivals = {
                ORT_FLOAT: onnxruntime_session(path, options.threads),
                ORT: onnxruntime_session(narrow_path, options.threads),
            }
        for system, exe in made.items():
            report.say(f"{system}: plans of {rungs(exe)}")
        sessions = {system: anytile.Session(exe) for system, exe in made.items()}
    timing = Timing(rounds=3, most_rounds=3) if options.quick else Timing(slot_ms=5.0, more_rounds=4, most_rounds=13)
    for count in COUNTS[:1] if options.quick else COUNTS:
        x = images(count, count, size)
        wanted, systems, errors = sessions[FLOAT](x), [], {}
        for system, session in sessions.items():
            systems.append(System.of(system, partial(session, x)))
            errors[system] = _error(session(x), wanted)
        for system, session in rivals.items():
            way = bound(system, session, {"x": x}, (count, CLASSES))
            way.call()
            errors[system] = _error(way.result(), wanted)
            systems.append(replace(fastest([System.of(system, way.call)], rounds=1), name=system))
        for system, error in errors.items():
            if not error < WORST:
                raise SystemExit(f"error: {system} is off by {error:.3g} at {count} images")
        lost = {f"error of {system}": error for system, error in errors.items()}
        report.rows += interleave(
            {"model": options.model, "images": count, "products": products, **lost}, systems, timing
        )
        report.say(f"{count} images")
    show(report)


def images(seed: int, count: int, size: int) -> Array:
    return np.random.default_rng(seed).standard_normal((count, 3, size, size), dtype=np.float32)


def _error(found: Array, wanted: Array) -> float:
    return float(np.linalg.norm(np.ravel(found) - np.ravel(wanted)) / np.linalg.norm(wanted))


def points(rows: Iterable[Row]) -> list[tuple[dict[str, Any], dict[str, float]]]:
    """Each number of images with the seconds of every system."""
    found: dict[int, tuple[dict[str, Any], dict[str, float]]] = {}
    for row in rows:
        found.setdefault(row.case["images"], (dict(row.case), {}))[1][row.system] = row.seconds
    return list(found.values())


def claims(rows: Iterable[Row]) -> list[Claim]:
    timed = points(rows)
    if not timed:
        return []
    model = timed[0][0]["model"]
    of_bytes, of_others, over_rival = GAINS[model]
    what, floor = f"{TITLES[model]} with ranges ahead", of_bytes if timed[0][0]["products"] else of_others
    made = [Claim(f"{what} against float32", geomean(at[FLOAT] / at[AHEAD] for _, at in timed), floor)]
    against = [(case, at) for case, at in timed if ORT in at]
    if against:
        gain = geomean(at[ORT] / at[AHEAD] for _, at in against)
        lost = max(case[f"error of {AHEAD}"] / case[f"error of {ORT}"] for case, _ in against)
        made.append(Claim(f"{what} against onnxruntime's", gain, over_rival))
        made.append(Claim("error with ranges ahead over onnxruntime's", lost, 1.0, at_most=True))
    same = [at[ORT] / at[IMPORTED] for _, at in timed if ORT in at and IMPORTED in at]
    if same:
        made.append(
            Claim(f"{TITLES[model]}, onnxruntime's quantised file on our kernels", geomean(same), IMPORTED_GAIN)
        )
    return made


def show(report: Report) -> None:
    timed = points(report.rows)
    names = [s for s in SYSTEMS if any(s in at for _, at in timed)]
    lines = [[str(case["images"]), *(f"{at[s] * 1e3:.1f}" if s in at else "-" for s in names)] for case, at in timed]
    report.table("ms", ["images", *names], lines)
    names = [s for s in names if s != FLOAT]
    lines = [
        [str(case["images"]), *(f"{case[f'error of {s}']:.2%}" if s in at else "-" for s in names)]
        for case, at in timed
    ]
    report.table("relative error of the scores", ["images", *names], lines)


def absent() -> list[str]:
    return [who for who in missing() if who == "onnxruntime"]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", choices=MODELS, default=RESNET, help=f"which network ({RESNET})")
    parser.add_argument("--tune", metavar="TIME", help="tune both precisions for so long each before, as in 5m")


main = program(__doc__, measure, claims, absent, extra=_options, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())

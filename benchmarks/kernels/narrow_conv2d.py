"""The distinct convolutions of ResNet-50 in 8-bit integers and in bfloat16 beside onnxruntime's and our float32.

uint8 images and int8 weights with a scale for each channel, quantised again to uint8 behind a ReLU, as in the middle of
a quantised model; all channels-last, and onnxruntime as it likes best. The peaks are those of the very instructions. In
bfloat16, where the CPU multiplies such, images, weights and results are, as in the middle of a model of that precision.
Where products of bytes add up in pairs, weights let 16 bits hold these, as those of a model compiled there do. With
`--avx2` all are held to AVX2 but onnxruntime, which cannot be and is left out.

    scripts/bench narrow_conv2d --check --json narrow-conv2d.json
    scripts/bench narrow_conv2d --avx2 --json narrow-conv2d-avx2.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.models_io.rival import onnxruntime_session
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.operators.products.quantised_dense import PAIRS
from anytile.schedules.operators.spec import PAIRED
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.requests import with_pairs
from anytile.tuner.presets.workloads import RESNET50_INT8
from benchmarks.kernels.conv2d import name
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.machine import add_avx2, held
from benchmarks.measure.native import origin
from benchmarks.measure.peak import dot_system
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import Way, bound, missing

OURS, FLOAT, BFLOAT = "anytile", "anytile float32", "anytile bfloat16"
ONNXRUNTIME, PEAK, BFLOAT_PEAK = "onnxruntime", "uint8 peak", "bfloat16 peak"
TAIL = "max(y * by[co] + bias[co], 0)"
SPREAD = 48.0  # of the results, before they are quantised again
FASTER, WORST, BFLOAT_FASTER = 1.15, 0.9, 1.5
NEAR = {"float32": 1e-4, "bfloat16": 2.0**-7}  # of the largest result
Array = NDArray[Any]


class Layer:
    """One convolution of one image, its operands and what must come out; everything in it is timed together."""

    def __init__(self, text: str, options: argparse.Namespace) -> None:
        self.options, self.target = options, anytile.Target.host(options.threads)
        self.workload = with_pairs(replace(Workload.parse(text).bind(n=1), tail=TAIL), self.target)
        attrs = {key: value for key, value in self.workload.attrs if key not in ("out", PAIRS.name)}
        self.floats = Workload.of("conv2d", dict(self.workload.dims), const=("w",), attrs=attrs)
        self.bfloats = replace(self.floats, dtype="bfloat16") if narrow_facts(self.target).bfloat16 else None
        rng, size = np.random.default_rng(7), self.workload.sizes()
        x = np.clip(np.rint(np.abs(rng.standard_normal(self.workload.shape("x"))) * 48), 0, 255)
        most = 127 if self.workload.tensor("w").pairs is None else PAIRED // 2
        spread = most // 4 + 1
        w = np.clip(np.rint(rng.standard_normal(self.workload.shape("w")) * spread), -most, most)
        depth = size["cig"] * size["kh"] * size["kw"]
        by = rng.uniform(0.5, 1.5, size["co"]) * SPREAD / (48 * spread * depth**0.5)
        self.steps = rng.integers(-500, 500, size["co"], np.int32)  # the bias, in what sums count
        self.inputs: dict[str, Array] = {
            "x": x.astype(np.uint8),
            "w": w.astype(np.int8),
            "by": by.astype(np.float32),
            "bias": (self.steps * by).astype(np.float32),
        }
        self.flops = float(self.workload.flops())
        self.case = {"op": "quantised_conv2d", "layer": name(self.floats), "n": 1, "flops": self.flops}
        self.expected = evaluate(self.workload, self.inputs)["y"]

    def rows(self, report: Report, timing: Timing) -> list[Row]:
        systems = [self._ours(report), self._floats(FLOAT, self.floats), dot_system(self.target, "uint8")]
        if self.bfloats is not None:
            systems += [self._floats(BFLOAT, self.bfloats), dot_system(self.target, "bfloat16")]
        if ONNXRUNTIME not in missing() and not self.options.avx2:
            tried = []
            for way in self._rivals():
                way.call()
                self._check(f"{ONNXRUNTIME} {way.label}", way.result())
                tried.append(System.of(way.label, way.call, self.flops))
            systems.append(replace(fastest(tried), name=ONNXRUNTIME))
        return interleave(self.case, systems, timing)

    def _ours(self, report: Report) -> System:
        kernel = anytile.build(self.workload, target=self.target, db=self.options.db, constants={"w": self.inputs["w"]})
        report.say(f"{self.case['layer']}: {origin(kernel)}")
        out = np.zeros(self.workload.shape("y"), np.uint8)
        given = [self.inputs[t.name] for t in self.workload.inputs if t.name != "w"]
        kernel(*given, out=out)
        self._check(OURS, out)
        return System.of(OURS, lambda: kernel(*given, out=out), self.flops)

    def _floats(self, name: str, workload: Workload) -> System:
        """The same numbers, which bfloat16 has as they are; their sums are rounded."""
        given = {operand: self.inputs[operand].astype(np.float32) for operand in ("x", "w")}
        x, w = (anytile.bits_of(array, workload.dtype) for array in given.values())
        kernel = anytile.build(workload, target=self.target, db=self.options.db, constants={"w": w})
        out = anytile.bits_of(np.zeros(workload.shape("y"), np.float32), workload.dtype)
        kernel(x, out=out)
        wanted = evaluate(self.floats, given)["y"]
        if (
            not np.abs(anytile.from_bits(out, workload.dtype) - wanted).max()
            <= NEAR[workload.dtype] * np.abs(wanted).max()
        ):
            raise SystemExit(f"error: {name} is wrong at {workload}")
        return System.of(name, lambda: kernel(x, out=out), self.flops)

    def _rivals(self) -> list[Way]:
        """The operator of ONNX on images as it has them, and onnxruntime's own on channels-last ones."""
        x, shape = self.inputs["x"], self.workload.shape("y")
        turned = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        plain = onnxruntime_session(self._model(turned.shape, False), self.options.threads)
        last = onnxruntime_session(self._model(x.shape, True), self.options.threads)
        n, oh, ow, co = shape
        found = bound("QLinearConv", plain, {"x": turned}, (n, co, oh, ow), "uint8")
        return [
            replace(found, result=lambda: found.result().transpose(0, 2, 3, 1)),
            bound("QLinearConv channels_last", last, {"x": x}, shape, "uint8"),
        ]

    def _model(self, shape: tuple[int, ...], channels_last: bool) -> bytes:
        from onnx import TensorProto, helper, numpy_helper

        a, w = self.workload.attributes, self.inputs["w"]
        held = {
            "w": w, "x_scale": np.float32(1), "x_zero": np.uint8(0), "w_scale": self.inputs["by"],
            "w_zero": np.zeros(len(w), np.int8), "y_scale": np.float32(1), "y_zero": np.uint8(0), "b": self.steps,
        }  # fmt: skip
        names = ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "b"]
        own = {"domain": "com.microsoft", "channels_last": 1} if channels_last else {}
        node = helper.make_node(
            "QLinearConv", names, ["y"], strides=a["stride"], pads=a["pad"], dilations=a["dilation"], **own
        )
        graph = helper.make_graph(
            [node],
            "conv",
            [helper.make_tensor_value_info("x", TensorProto.UINT8, shape)],
            [helper.make_tensor_value_info("y", TensorProto.UINT8, None)],
            [numpy_helper.from_array(np.asarray(array), key) for key, array in held.items()],
        )
        opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid("com.microsoft", 1)] if channels_last else [])]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())

    def _check(self, who: str, y: Array) -> None:
        """Nobody is timed who is wrong: what lies between two integers may be rounded to either."""
        off = np.abs(y.astype(np.int64) - self.expected)
        if off.max() > 1 or (off > 0).mean() > 0.01:
            raise SystemExit(f"error: {who} is wrong at {self.workload}: off by {off.max()}")


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    if not narrow_facts(anytile.Target.host(options.threads)).bfloat16:
        report.say("this CPU has no instruction for products of bfloat16, so none are timed")
    if options.avx2:
        report.unmeasured.append(f"against {ONNXRUNTIME}, which cannot be held to AVX2")
    for text, _ in RESNET50_INT8[::4] if options.quick else RESNET50_INT8:
        report.rows += Layer(text, options).rows(report, timing)
    show(report)


def speeds(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """layer -> system -> GFLOP/s."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.case["layer"], {})[row.system] = row.gflops
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    layers = speeds(rows).values()
    found = [at[OURS] / at[ONNXRUNTIME] for at in layers if ONNXRUNTIME in at]
    wide = [at[BFLOAT] / at[FLOAT] for at in layers if BFLOAT in at]
    made = []
    if found:
        what = "ResNet-50's convolutions in 8-bit integers against onnxruntime's"
        made += [Claim(f"{what}: geometric mean", geomean(found), FASTER), Claim(f"{what}: worst", min(found), WORST)]
    if wide:
        what = "ResNet-50's convolutions in bfloat16 against our float32: geometric mean"
        made.append(Claim(what, geomean(wide), BFLOAT_FASTER))
    return made


def show(report: Report) -> None:
    systems = (OURS, FLOAT, BFLOAT, ONNXRUNTIME, PEAK, BFLOAT_PEAK)
    against = {"against onnxruntime": (OURS, ONNXRUNTIME), "bfloat16 against float32": (BFLOAT, FLOAT)}
    lines = [
        [layer, *(f"{at[s]:.0f}" if s in at else "-" for s in systems),
         *(f"{at[ours] / at[other]:.2f}x" if {ours, other} <= at.keys() else "-" for ours, other in against.values())]
        for layer, at in speeds(report.rows).items()
    ]  # fmt: skip
    report.table("ResNet-50 in 8-bit integers and in bfloat16, GFLOP/s", ("layer", *systems, *against), lines)


def absent() -> list[str]:
    return [who for who in missing() if who == ONNXRUNTIME]


main = program(__doc__, measure, claims, absent, extra=add_avx2, settings=held)


if __name__ == "__main__":
    sys.exit(main())

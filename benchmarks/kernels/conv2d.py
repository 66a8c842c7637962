"""The distinct convolutions of ResNet-50 and MobileNet-v2 beside torch, torch channels_last and onnxruntime.

Tunes nothing: plans come out of the database, whatever the ladder finds there (with an empty one, the template's
default), and are checked before they are timed. Everybody is called from Python, in the layout that it likes best; we
run channels-last, and nchw beside it. Kernels for every batch, and for every height and width, are compared with those
compiled for that size by native calls; floors of that are held against ResNet-50, for images at batch 1.

    scripts/bench conv2d --check --json conv2d.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

import anytile
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Dim, Workload
from anytile.tuner.presets.workloads import MOBILENET_V2_CONVS, MOBILENET_V2_DEPTHWISE, RESNET50_CONVS
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.native import Array, Native
from benchmarks.measure.program import program
from benchmarks.rivals.conv_rivals import CHANNELS_LAST, ONNXRUNTIME, OPENVINO, TORCH, Convolution, absent, ways

OURS, NCHW = "anytile", "anytile nchw"
STATIC, BATCH, IMAGE, ALONE = "compiled for the size", "any batch", "any height and width", "one thread"
LARGE = 50e6  # operations from which on threads must pay
RIVALS = (TORCH, CHANNELS_LAST, ONNXRUNTIME, OPENVINO)
RESNET, MOBILENET, DEPTHWISE = "resnet50", "mobilenet-v2", "mobilenet-v2 depthwise"
MODELS = {RESNET: RESNET50_CONVS, MOBILENET: MOBILENET_V2_CONVS, DEPTHWISE: MOBILENET_V2_DEPTHWISE}
BATCHES = {RESNET: (1, 8), MOBILENET: (1, 8), DEPTHWISE: (1, 8)}
PATIENCE_S = 900.0  # after this long, points that do not settle get no more rounds: the machine is not quiet


class Layer:
    """One convolution at one batch, its operands and what must come out; everything in it is timed together."""

    def __init__(self, model: str, text: str, batch: int, options: argparse.Namespace) -> None:
        self.options, self.target = options, anytile.Target.host(options.threads)
        self.workload = Workload.parse(text).bind(n=batch)
        self.nchw = _turned(self.workload)
        size = self.workload.sizes()
        rng = np.random.default_rng(size["ci"] * 31 + size["co"])
        self.x: Array = rng.standard_normal(self.nchw.shape("x"), dtype=np.float32)
        self.w: Array = rng.standard_normal(self.nchw.shape("w"), dtype=np.float32)
        self.last: Array = np.ascontiguousarray(self.x.transpose(0, 2, 3, 1))
        self.flops = float(self.workload.flops())
        self.depth = size["cig"] * size["kh"] * size["kw"]
        self.size = size
        self.case = {"op": "conv2d", "model": model, "layer": name(self.workload), "n": batch, "flops": self.flops}
        self.expected: Array = evaluate(self.nchw, {"x": self.x, "w": self.w})["y"]

    def beside_rivals(self, timing: Timing) -> list[Row]:
        systems = [self._called(OURS, self.workload, self.last), self._called(NCHW, self.nchw, self.x)]
        a = self.workload.attributes
        c = Convolution(a["stride"], a["pad"][:2], a["dilation"], a["groups"])
        for who, make in ways(self.x, self.w, c, self.options.threads, self.nchw.shape("y")).items():
            tried = []
            for way in make():
                way.call()
                self._check(f"{who} {way.label}", way.result())
                tried.append(System.of(way.label, way.call, self.flops))
            systems.append(replace(fastest(tried), name=who))
        return interleave(self.case, systems, timing)

    def beside_static(self, timing: Timing) -> list[Row]:
        """The same layer compiled for its size, for any batch, and for any height and width."""
        dims = dict(self.workload.dims)
        batch: dict[str, Dim] = {**dims, "n": Any("n")}
        image: dict[str, Dim] = {**dims, "h": Any("h"), "w": Any("v")}
        systems = [self._native(STATIC, dims), self._native(BATCH, batch), self._native(IMAGE, image)]
        if self.options.threads > 1:
            systems.append(self._native(ALONE, dims, 1))
        return interleave({**self.case, "native": True}, systems, timing)

    def _called(self, who: str, workload: Workload, x: Array) -> System:
        kernel = anytile.build(workload, target=self.target, db=self.options.db, constants={"w": self.w})
        out = np.full(workload.shape("y"), np.nan, dtype=np.float32)
        kernel(x, out=out)
        self._check(who, out if who == NCHW else out.transpose(0, 3, 1, 2))
        return System.of(who, lambda: kernel(x, out=out), self.flops)

    def _native(self, who: str, dims: dict[str, Dim], threads: int | None = None) -> System:
        workload = Workload.of("conv2d", dims, const=("w",), attrs=dict(self.workload.attrs))
        target = self.target if threads is None else anytile.Target.host(threads)
        kernel = anytile.build(workload, target=target, db=self.options.db, constants={"w": self.w})
        y: Array = np.full(self.workload.shape("y"), np.nan, dtype=np.float32)
        sizes = {"n": self.size["n"], "h": self.size["h"], "v": self.size["w"]}
        system = Native(kernel.artifact, workload, {"w": self.w}).at(who, {"x": self.last}, y, sizes, self.flops)
        self._check(who, y.transpose(0, 3, 1, 2))
        return system

    def _check(self, who: str, y: Array) -> None:
        """Nobody is timed who is wrong."""
        worst = float(np.abs(y - self.expected).max())
        if not worst <= 1e-6 * max(self.depth, 100):
            raise SystemExit(f"error: {who} is wrong at {self.workload}: off by {worst:.3g}")


def name(workload: Workload) -> str:
    """`56 64-256 1x1`: the image, the channels, the kernel and its stride."""
    size, stride = workload.sizes(dict.fromkeys(workload.symbols, 1)), workload.attributes["stride"]
    step = f"/{stride[0]}" if stride != (1, 1) else ""
    return f"{size['h']} {size['ci']}-{size['co']} {size['kh']}x{size['kw']}{step}"


def _turned(workload: Workload) -> Workload:
    attrs = {k: v for k, v in workload.attrs if k != "layout"}
    return Workload.of("conv2d", dict(workload.dims), const=workload.const, attrs=attrs)


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    for model, preset in MODELS.items():
        for batch in BATCHES[model]:
            chosen = preset[::4] if options.quick else preset
            report.say(f"{model}, batch {batch}: {len(chosen)} layers")
            for text, _ in chosen:
                if report.elapsed > PATIENCE_S:
                    timing = replace(timing, most_rounds=timing.rounds)
                layer = Layer(model, text, batch, options)
                report.rows += layer.beside_rivals(timing)
                report.rows += layer.beside_static(timing)
            show(report, model, batch)


Speeds = dict[tuple[str, int, str], dict[str, float]]


def speeds(rows: Iterable[Row]) -> Speeds:
    """(model, batch, layer) -> system -> GFLOP/s."""
    found: Speeds = {}
    for row in rows:
        found.setdefault((row.case["model"], row.case["n"], row.case["layer"]), {})[row.system] = row.gflops
    return found


def best_rival(at: dict[str, float]) -> float | None:
    return max((at[who] for who in RIVALS if who in at), default=None)


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The floors that these rows can answer for."""
    rows = list(rows)
    found = speeds(rows)
    size = {(r.case["model"], r.case["n"], r.case["layer"]): r.case["flops"] for r in rows}
    resnet = {key: at for key, at in found.items() if key[0] == RESNET}
    shared = [(size[key], at[STATIC] / at[ALONE]) for key, at in resnet.items() if ALONE in at]

    def against(model: str, who: str) -> list[float]:
        return [at[who] / best for (m, _, _), at in found.items() if m == model and (best := best_rival(at))]

    def kept(who: str, batches: Sequence[int]) -> list[float]:
        return [at[who] / at[STATIC] for (_, n, _), at in resnet.items() if n in batches and who in at and STATIC in at]

    groups: tuple[tuple[str, Sequence[float], float, float | None], ...] = (
        ("ResNet-50 layers against the best rival", against(RESNET, OURS), 1.0, 0.85),
        ("MobileNet-v2 depthwise layers against the best rival", against(DEPTHWISE, OURS), 1.1, None),
        ("any batch against compiled for it", kept(BATCH, (1, 8)), 0.95, None),
        ("any height and width against compiled for it", kept(IMAGE, (1,)), 0.95, None),
        ("threads over one, layers above 50 MFLOP", [r for flops, r in shared if flops > LARGE], 1.8, None),
        ("threads over one, any layer", [r for _, r in shared], 1.0, 1.0),
    )
    made = []
    for what, values, mean_floor, worst_floor in groups:
        if values:
            made.append(Claim(f"{what}: geometric mean", geomean(values), mean_floor))
            if worst_floor is not None:
                made.append(Claim(f"{what}: worst", min(values), worst_floor))
    return made


def show(report: Report, model: str, batch: int) -> None:
    found = {layer: at for (m, n, layer), at in speeds(report.rows).items() if (m, n) == (model, batch)}
    names = [s for s in (OURS, NCHW, *RIVALS, STATIC, BATCH, IMAGE, ALONE) if any(s in at for at in found.values())]
    lines = []
    for layer, at in found.items():
        best = best_rival(at)
        ratio = f"{at[OURS] / best:.2f}x" if best else "-"
        lines.append([layer, *(f"{at[s]:.1f}" if s in at else "-" for s in names), ratio])
    ratios = [at[OURS] / best for at in found.values() if (best := best_rival(at))]
    turned = [at[NCHW] / best for at in found.values() if (best := best_rival(at))]
    means = f"geometric mean {geomean(ratios):.2f}x, nchw {geomean(turned):.2f}x"
    report.table(f"{model}, batch {batch}, GFLOP/s; {means}", ["layer", *names, "against best rival"], lines)


main = program(__doc__, measure, claims, absent)


if __name__ == "__main__":
    sys.exit(main())

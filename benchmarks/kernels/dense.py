"""Dense layers of every size beside numpy, torch, onnxruntime, OpenVINO and the peak, interleaved in one run.

Tunes nothing: plans come out of the database, whatever the ladder finds there, and are checked before they are timed.
Everybody is called from Python as a program would call it; only the last comparison, of the symbolic kernel with one
compiled for each m, is made between native calls.

    scripts/bench dense --check --json dense.json --plot dense.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import anytile
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.plans.single_plan import single_plan
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.native import Array, Native, origin
from benchmarks.measure.peak import peak_system
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import NEEDS, Rival, installed, missing

LAYERS = ((768, 768), (3072, 768), (768, 3072))  # (n, k) of BERT-base
ODD = ((1000, 301), (77, 13), (30522, 768))
ODD_SIZES = (1, 7, 16, 33, 128)
LARGE = (512, 1024, 4096)
SYMBOLIC, SYMBOLIC_NATIVE, STATIC_NATIVE, PEAK = "anytile", "anytile native", "compiled for m", "fma peak"
PATIENCE_S = 480.0  # after this long, points that do not settle get no more rounds: the machine is not quiet
SHOWN = (1, 2, 4, 7, 8, 13, 16, 17, 31, 32, 33, 64, 100, 127, 128, 200, 255, 256, *LARGE)
QUICK = (1, 2, 3, 4, 7, 8, 13, 16, 17, 23, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 512)


def sizes(quick: bool) -> tuple[int, ...]:
    return QUICK if quick else (*range(1, 257), *LARGE)


class Layer:
    """One (n, k) with its weight, our kernel and the rivals'; `at` measures one m."""

    def __init__(self, n: int, k: int, largest: int, options: argparse.Namespace, peak: System) -> None:
        rng = np.random.default_rng(n * 31 + k)
        self.n, self.k, self.peak = n, k, peak
        self.w: Array = rng.standard_normal((n, k), dtype=np.float32)
        self.x: Array = rng.standard_normal((largest, k), dtype=np.float32)
        self.expected = self.x.astype(np.float64) @ self.w.T.astype(np.float64)
        self.workload = anytile.dense(m=anytile.Any("m"), n=n, k=k, const=("w",))
        self.target = anytile.Target.host(options.threads)
        self.kernel = anytile.build(self.workload, target=self.target, db=options.db, constants={"w": self.w})
        self.rivals: list[Rival] = installed(self.w, options.threads)
        self.native = Native(self.kernel.artifact, self.workload, {"w": self.w})

    def at(self, m: int, timing: Timing, static: bool) -> list[Row]:
        x = self.x[:m]
        flops = 2.0 * m * self.n * self.k
        out = _poisoned(m, self.n)
        kernel = self.kernel
        kernel(x, out=out)
        self._check(SYMBOLIC, m, out)
        systems = [System.of(SYMBOLIC, lambda: kernel(x, out=out), flops), self.peak]
        for rival in self.rivals:
            ways = rival.ways(x)
            for way in ways:
                way.call()
                self._check(f"{rival.name} {way.label}", m, way.result())
            best = fastest([System.of(way.label, way.call, flops) for way in ways])
            systems.append(replace(best, name=rival.name))
        if static:
            systems += self._natives(m, x, flops)
        case = {"op": "dense", "m": m, "n": self.n, "k": self.k}
        return interleave(case, systems, timing)

    def _natives(self, m: int, x: Array, flops: float) -> list[System]:
        """The symbolic kernel, and the plan's config for this m compiled with m known."""
        plan = self.kernel.plan
        runs = plan.range_at(m).runs
        if not isinstance(runs, int):
            return []  # a library runs there: no kernel of ours to compare
        variant = plan.variants[runs]
        bound = self.workload.bind(m=m)
        artifact = compile_plan(single_plan(bound, self.target, variant.template, variant.config))
        outs = (_poisoned(m, self.n), _poisoned(m, self.n))
        systems = [
            self.native.at(SYMBOLIC_NATIVE, {"x": x}, outs[0], {"m": m}, flops),
            Native(artifact, bound, {"w": self.w}).at(STATIC_NATIVE, {"x": x}, outs[1], {}, flops),
        ]
        for system, out in zip(systems, outs, strict=True):
            self._check(system.name, m, out)
        return systems

    def _check(self, who: str, m: int, y: Array) -> None:
        """Nobody is timed who is wrong: a row left out or an element too few is off by about one, rounding by 1e-4."""
        worst = float(np.abs(y - self.expected[:m]).max())
        if not worst <= 1e-6 * max(self.k, 100):
            raise SystemExit(f"error: {who} is wrong at m={m}, n={self.n}, k={self.k}: off by {worst:.3g}")


def _poisoned(m: int, n: int) -> Array:
    return np.full((m, n), np.nan, dtype=np.float32)


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    peak = peak_system(anytile.Target.host(options.threads))
    for n, k in (*LAYERS, *ODD):
        odd = (n, k) in ODD
        ms = (ODD_SIZES[1:3] if options.quick else ODD_SIZES) if odd else sizes(options.quick)
        report.say(f"dense n={n} k={k}: {len(ms)} sizes")
        layer = Layer(n, k, max(ms), options, peak)
        report.say(f"  plan: {origin(layer.kernel)}")
        for m in ms:
            if report.elapsed > PATIENCE_S:
                timing = replace(timing, most_rounds=timing.rounds)
            report.rows += layer.at(m, timing, static=not odd and m <= 256)
        show(report, n, k)


Speeds = dict[tuple[int, int], dict[int, dict[str, float]]]


def speeds(rows: Iterable[Row]) -> Speeds:
    """(n, k) -> m -> system -> GFLOP/s."""
    found: Speeds = {}
    for row in rows:
        by_m = found.setdefault((row.case["n"], row.case["k"]), {})
        by_m.setdefault(row.case["m"], {})[row.system] = row.gflops
    return found


def best_rival(at: dict[str, float]) -> float | None:
    return max((at[name] for name in NEEDS if name in at), default=None)


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The floors that these rows can answer for, over the three layers of BERT-base."""
    points = [(m, at) for nk, by_m in speeds(rows).items() if nk in LAYERS for m, at in by_m.items()]
    beaten = [(m, at[SYMBOLIC] / best) for m, at in points if (best := best_rival(at))]
    share = [at[SYMBOLIC] / at[PEAK] for m, at in points if m >= 32 and PEAK in at]
    symbolic = [at[SYMBOLIC_NATIVE] / at[STATIC_NATIVE] for _, at in points if STATIC_NATIVE in at]
    groups: tuple[tuple[str, Sequence[float], float, float], ...] = (
        ("against the best rival, m in 1..16", [r for m, r in beaten if m <= 16], 1.2, 1.0),
        ("against the best rival, m >= 17", [r for m, r in beaten if m > 16], 1.05, 0.98),
        ("share of the FMA peak, m >= 32", share, 0.95, 0.90),
        ("symbolic against compiled for that m, m in 1..256", symbolic, 0.97, 0.92),
    )
    made = []
    for name, values, mean_floor, worst_floor in groups:
        if values:
            made.append(Claim(f"{name}: geometric mean", geomean(values), mean_floor))
            made.append(Claim(f"{name}: worst", min(values), worst_floor))
    return made


def show(report: Report, n: int, k: int) -> None:
    by_m = speeds(r for r in report.rows if (r.case["n"], r.case["k"]) == (n, k))[(n, k)]
    names = [s for s in (SYMBOLIC, *NEEDS, PEAK) if any(s in at for at in by_m.values())]
    lines = []
    for m, at in by_m.items():
        if m in SHOWN or (n, k) in ODD:
            best = best_rival(at)
            ratio = f"{at[SYMBOLIC] / best:.2f}x" if best else "-"
            lines.append([str(m), *(f"{at[s]:.1f}" for s in names), ratio, f"{at[SYMBOLIC] / at[PEAK]:.3f}"])
    report.table(f"dense n={n} k={k}, GFLOP/s", ["m", *names, "against best rival", "of peak"], lines)


def draw(rows: Sequence[Row], path: Path) -> None:
    import matplotlib.pyplot as plt

    found = {nk: by_m for nk, by_m in speeds(rows).items() if nk in LAYERS}
    figure, axes = plt.subplots(len(found), 1, figsize=(10, 3.4 * len(found)), sharex=True, squeeze=False)
    for axis, ((n, k), by_m) in zip(axes[:, 0], found.items(), strict=True):
        for name in (SYMBOLIC, *NEEDS, PEAK):
            points = [(m, at[name]) for m, at in sorted(by_m.items()) if name in at and m <= 256]
            if points:
                style = "--" if name == PEAK else "-"
                axis.plot(*zip(*points, strict=True), style, label=name, linewidth=1.6 if name == SYMBOLIC else 1.0)
        axis.set(title=f"dense n={n} k={k}, float32", ylabel="GFLOP/s", ylim=(0, None))
        axis.grid(alpha=0.3)
    axes[-1, 0].set_xlabel("m")
    axes[0, 0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


main = program(__doc__, measure, claims, missing, draw)


if __name__ == "__main__":
    sys.exit(main())

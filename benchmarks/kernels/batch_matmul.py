"""Both products of attention, 12 heads of 64, at every length beside numpy, torch, onnxruntime and OpenVINO, in a run.

Tunes nothing: plans come out of the database, or are the template's default where it has none, and are checked before
they are timed. Everybody is called from Python as a program would call it.

    scripts/bench batch_matmul --check --json batch_matmul.json --plot batch_matmul.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import anytile
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.native import Array, origin
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import NEEDS, missing
from benchmarks.rivals.matmul_rivals import Rival, installed

HEADS, SIZE, LARGEST = 12, 64, 256
OURS = "anytile"
SHORT, LONG = range(8, 65), range(65, LARGEST + 1)
PATIENCE_S = 480.0  # after this long, points that do not settle get no more rounds: the machine is not quiet
SHOWN = (1, 2, 4, 8, 9, 13, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160, 200, 255, 256)
QUICK = (1, 2, 4, 8, 11, 13, 16, 17, 23, 24, 31, 32, 33, 40, 47, 48, 53, 63, 64, 65, 80, 97, 127, 128, 200, 255, 256)


@dataclass(frozen=True, slots=True)
class Product:
    """One of the two: its workload, and whether the right operand comes as [b, n, k]."""

    name: str
    workload: anytile.Workload
    turned: bool


def products() -> tuple[Product, ...]:
    t = anytile.Any("t")
    return (
        Product("q k^T", anytile.batch_matmul(b=HEADS, m=t, n=t, k=SIZE, rhs="bnk"), turned=True),
        Product("p v", anytile.batch_matmul(b=HEADS, m=t, n=SIZE, k=t), turned=False),
    )


class Contest:
    """Our kernel for one product and the rivals; `at` measures one length."""

    def __init__(self, product: Product, rivals: Sequence[Rival], options: argparse.Namespace) -> None:
        self.product, self.rivals = product, rivals
        target = anytile.Target.host(options.threads)
        self.kernel = anytile.build(product.workload, target=target, db=options.db)

    def at(self, t: int, timing: Timing) -> list[Row]:
        workload, turned = self.product.workload, self.product.turned
        rng = np.random.default_rng(t)
        lhs, rhs = (rng.standard_normal(workload.shape(name, {"t": t}), dtype=np.float32) for name in ("lhs", "rhs"))
        wide = rhs.astype(np.float64)
        expected = lhs.astype(np.float64) @ (wide.transpose(0, 2, 1) if turned else wide)
        flops = float(workload.flops({"t": t}))
        out = np.full(expected.shape, np.nan, dtype=np.float32)
        kernel = self.kernel
        kernel(lhs, rhs, out=out)
        self._check(OURS, t, out, expected)
        systems = [System.of(OURS, lambda: kernel(lhs, rhs, out=out), flops)]
        for rival in self.rivals:
            ways = rival.ways(lhs, rhs, turned)
            for way in ways:
                way.call()
                self._check(f"{rival.name} {way.label}", t, way.result(), expected)
            best = fastest([System.of(way.label, way.call, flops) for way in ways])
            systems.append(replace(best, name=rival.name))
        return interleave({"op": "batch_matmul", "product": self.product.name, "t": t}, systems, timing)

    def _check(self, who: str, t: int, y: Array, expected: np.ndarray) -> None:
        """Nobody is timed who is wrong: an element left out is off by about one, rounding by 1e-4."""
        worst = float(np.abs(y - expected).max())
        if not worst <= 1e-3:
            raise SystemExit(f"error: {who} is wrong at {self.product.name}, t={t}: off by {worst:.3g}")


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    rivals = installed(options.threads)
    for product in products():
        lengths = QUICK if options.quick else tuple(range(1, LARGEST + 1))
        contest = Contest(product, rivals, options)
        report.say(f"{product.name}: {len(lengths)} lengths; plan: {origin(contest.kernel)}")
        for t in lengths:
            if report.elapsed > PATIENCE_S:
                timing = replace(timing, most_rounds=timing.rounds)
            report.rows += contest.at(t, timing)
        show(report, product.name)


Speeds = dict[str, dict[int, dict[str, float]]]


def speeds(rows: Iterable[Row]) -> Speeds:
    """Product -> t -> system -> GFLOP/s."""
    found: Speeds = {}
    for row in rows:
        found.setdefault(row.case["product"], {}).setdefault(row.case["t"], {})[row.system] = row.gflops
    return found


def best_rival(at: dict[str, float]) -> float | None:
    return max((at[name] for name in NEEDS if name in at), default=None)


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The floors that these rows can answer for, over both products."""
    points = [(t, at) for by_t in speeds(rows).values() for t, at in by_t.items()]
    beaten = [(t, at[OURS] / best) for t, at in points if (best := best_rival(at))]
    made = []
    for lengths, mean_floor, worst_floor in ((SHORT, 1.3, 1.0), (LONG, 1.05, 0.97)):
        ratios = [r for t, r in beaten if t in lengths]
        if ratios:
            name = f"against the best rival, T in {lengths.start}..{lengths.stop - 1}"
            made.append(Claim(f"{name}: geometric mean", geomean(ratios), mean_floor))
            made.append(Claim(f"{name}: worst", min(ratios), worst_floor))
    return made


def show(report: Report, product: str) -> None:
    by_t = speeds(r for r in report.rows if r.case["product"] == product)[product]
    names = [s for s in (OURS, *NEEDS) if any(s in at for at in by_t.values())]
    lines = []
    for t, at in by_t.items():
        if t in SHOWN or len(by_t) == len(QUICK):
            best = best_rival(at)
            ratio = f"{at[OURS] / best:.2f}x" if best else "-"
            lines.append([str(t), *(f"{at[s]:.1f}" for s in names), ratio])
    report.table(f"{product}, {HEADS} heads of {SIZE}, GFLOP/s", ["T", *names, "against best rival"], lines)
    for lengths in (SHORT, LONG):
        ratios = [at[OURS] / best for t, at in by_t.items() if t in lengths and (best := best_rival(at))]
        if ratios:
            text = f"geometric mean {geomean(ratios):.3f}, worst {min(ratios):.3f}"
            report.say(f"{product}, T in {lengths.start}..{lengths.stop - 1}: {text}")


def draw(rows: Sequence[Row], path: Path) -> None:
    import matplotlib.pyplot as plt

    found = speeds(rows)
    figure, axes = plt.subplots(len(found), 1, figsize=(10, 3.4 * len(found)), sharex=True, squeeze=False)
    for axis, (product, by_t) in zip(axes[:, 0], found.items(), strict=True):
        for name in (OURS, *NEEDS):
            points = [(t, at[name]) for t, at in sorted(by_t.items()) if name in at]
            if points:
                axis.plot(*zip(*points, strict=True), label=name, linewidth=1.6 if name == OURS else 1.0)
        axis.set(title=f"{product}, {HEADS} heads of {SIZE}, float32", ylabel="GFLOP/s", ylim=(0, None))
        axis.grid(alpha=0.3)
    axes[-1, 0].set_xlabel("T")
    axes[0, 0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


main = program(__doc__, measure, claims, missing, draw)


if __name__ == "__main__":
    sys.exit(main())

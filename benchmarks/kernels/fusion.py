"""A dense layer with bias and gelu fused into it, beside the plain layer and beside what users have for the sequence.

The layer is BERT-base's first of the feed-forward pair, (n, k) = (3072, 768), of symbolic rows with a constant weight.
The plain layer runs the very plan of the fused one without its tail: the difference is what the tail costs.

    scripts/bench fusion --check --json fusion.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.schedules.workloads.reference import evaluate
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.native import origin
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import NEEDS, missing
from benchmarks.rivals.small_rivals import ways

Array = NDArray[np.float32]
N, K = 3072, 768
SIZES = (16, 32, 64, 128, 256, 512)
QUICK = (16, 64)
TAIL = "gelu(y + bias[n])"
FUSED, PLAIN = "anytile", "anytile without the tail"


class Layer:
    """The layer with its weight and bias, fused and plain."""

    def __init__(self, options: argparse.Namespace) -> None:
        rng = np.random.default_rng(N)
        self.threads: int = options.threads
        self.x: Array = rng.standard_normal((max(SIZES), K), dtype=np.float32)
        self.w: Array = rng.standard_normal((N, K), dtype=np.float32) / np.float32(K**0.5)
        self.bias: Array = rng.standard_normal(N, dtype=np.float32)
        rows, target = anytile.Any("m"), anytile.Target.host(options.threads)
        self.workload = anytile.dense(m=rows, n=N, k=K, const=("w",), tail=TAIL)
        plain = anytile.dense(m=rows, n=N, k=K, const=("w",))
        constants = {"w": self.w}
        self.fused = anytile.build(self.workload, target=target, db=options.db, constants=constants)
        self.plain = anytile.build(plain, target=target, db=options.db, constants=constants)

    def at(self, m: int, timing: Timing) -> list[Row]:
        x, bias, fused, plain = self.x[:m], self.bias, self.fused, self.plain
        outs = [np.full((m, N), np.nan, np.float32) for _ in range(2)]
        fused(x, bias, out=outs[0])
        plain(x, out=outs[1])
        expected = evaluate(self.workload, {"x": x, "w": self.w, "bias": bias})["y"]
        self._check(FUSED, m, outs[0], expected)
        flops = float(self.workload.flops({"m": m}))
        systems = [
            System.of(FUSED, lambda: fused(x, bias, out=outs[0]), flops),
            System.of(PLAIN, lambda: plain(x, out=outs[1]), flops),
        ]
        for name, found in ways("dense_gelu", {"x": x, "w": self.w, "bias": bias}, self.threads).items():
            for way in found:
                way.call()
                self._check(f"{name} {way.label}", m, way.result(), expected)
            best = fastest([System.of(way.label, way.call, flops) for way in found])
            systems.append(replace(best, name=name))
        return interleave({"op": "dense, bias, gelu", "m": m, "n": N, "k": K}, systems, timing)

    @staticmethod
    def _check(who: str, m: int, y: Array, expected: Array) -> None:
        """Nobody is timed who is wrong; numpy's tanh formula is off by 5e-4 at most."""
        worst = float(np.abs(y - expected).max())
        if not worst <= 1e-3:
            raise SystemExit(f"error: {who} is wrong at m={m}: off by {worst:.3g}")


def times(rows: Iterable[Row]) -> dict[int, dict[str, float]]:
    """m -> system -> seconds."""
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.case["m"], {})[row.system] = row.seconds
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    by_m = times(rows)
    slower = [at[FUSED] / at[PLAIN] for at in by_m.values()]
    made = [Claim("time with bias and gelu over without, m >= 16: geometric mean", geomean(slower), 1.06, at_most=True)]
    gains = [best / at[FUSED] for at in by_m.values() if (best := _best(at)) is not None]
    if gains:
        made.append(Claim("against the best rival's sequence, m >= 16: geometric mean", geomean(gains), 1.3))
    return made


def _best(at: dict[str, float]) -> float | None:
    return min((at[name] for name in NEEDS if name in at), default=None)


def show(report: Report) -> None:
    by_m = times(report.rows)
    names = [s for s in (FUSED, PLAIN, *NEEDS) if any(s in at for at in by_m.values())]
    lines = []
    for m, at in by_m.items():
        best = _best(at)
        gain = f"{best / at[FUSED]:.2f}x" if best is not None else "-"
        lines.append([str(m), *(f"{at[s] * 1e6:.0f}" for s in names), f"{at[FUSED] / at[PLAIN]:.3f}", gain])
    report.table(f"dense n={N} k={K} + bias + gelu, us", ["m", *names, "over plain", "against best rival"], lines)


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(slot_ms=4.0)
    layer = Layer(options)
    report.say(f"plan: {origin(layer.fused)}")
    report.say(f"plain: {origin(layer.plain)}")
    for m in QUICK if options.quick else SIZES:
        report.say(f"m={m}")
        report.rows += layer.at(m, timing)
    show(report)


main = program(__doc__, measure, claims, missing)


if __name__ == "__main__":
    sys.exit(main())

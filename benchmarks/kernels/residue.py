"""What residue kernels are worth: the static kernel against dispatch/t, dispatch/t/2, ... dispatch/1 and none.

The same config in every form, timed natively over every m: `dispatch/k` has k kernels for the k classes of residues of
its register tile, `none` guards every row. This is figure 3 of the Nimble paper (Shen et al., 2021), for this machine.

    scripts/bench residue --json residue.json --plot residue.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import anytile
from anytile.codegen.artifact import Artifact
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.plans.plan import DispatchPlan, Variant
from anytile.schedules.plans.single_plan import single_plan
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, geomean, interleave
from benchmarks.measure.native import Array, Native, origin
from benchmarks.measure.program import program

STATIC = "static"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to treat the residues of one config."""

    name: str
    artifact: Artifact


def tuned_variant(plan: DispatchPlan, size: int) -> Variant:
    """The config that the plan runs at `size`, or its first one where a library runs there."""
    runs = plan.range_at(size).runs
    return plan.variants[runs if isinstance(runs, int) else 0]


def class_counts(tile: int) -> list[int]:
    """t, t/2, ... 1: each half of the one before, rounded down."""
    counts = [tile]
    while counts[-1] > 1:
        counts.append(counts[-1] // 2)
    return counts


def forms(workload: anytile.Workload, target: anytile.Target, variant: Variant) -> list[Form]:
    """Every symbolic form of the config, compiled; `none` is zero classes."""
    made = []
    for count in (*class_counts(variant.tile), 0):
        plan = single_plan(workload, target, variant.template, variant.config, classes=count)
        made.append(Form(plan.variants[0].mode, compile_plan(plan)))
    return made


def measure(report: Report, options: argparse.Namespace) -> None:
    n = k = 768
    ms = range(1, 257, 5) if options.quick else range(1, 257)
    timing = Timing(rounds=5, slot_ms=0.8, most_rounds=5) if options.quick else Timing(slot_ms=2.0)
    target = anytile.Target.host(options.threads)
    workload = anytile.dense(m=anytile.Any("m"), n=n, k=k, const=("w",))
    rng = np.random.default_rng(0)
    w: Array = rng.standard_normal((n, k), dtype=np.float32)
    x: Array = rng.standard_normal((max(ms), k), dtype=np.float32)
    expected = x.astype(np.float64) @ w.T.astype(np.float64)
    kernel = anytile.build(workload, target=target, db=options.db, constants={"w": w})
    variant = tuned_variant(kernel.plan, 64)
    report.say(f"config {variant.config}, a tile of {variant.tile} rows; {origin(kernel)}")
    compiled = forms(workload, target, variant)
    natives = {form.name: Native(form.artifact, workload, {"w": w}) for form in compiled}
    report.say(f"timing {len(ms)} sizes")
    for m in ms:
        flops = 2.0 * m * n * k
        bound = workload.bind(m=m)
        artifact = compile_plan(single_plan(bound, target, variant.template, variant.config))
        static = Native(artifact, bound, {"w": w})
        systems: list[System] = []
        for name, native in (*natives.items(), (STATIC, static)):
            out = np.full((m, n), np.nan, dtype=np.float32)
            systems.append(native.at(name, {"x": x[:m]}, out, {"m": m}, flops))
            if not np.abs(out - expected[:m]).max() <= 1e-6 * k:
                raise SystemExit(f"error: {name} is wrong at m={m}; run the tests before measuring")
        report.rows += interleave({"op": "dense", "m": m, "n": n, "k": k}, systems, timing)
    show(report, compiled)


def ratios(rows: Iterable[Row]) -> dict[str, dict[int, float]]:
    """Form -> m -> its speed over the static kernel's."""
    by_m: dict[int, dict[str, float]] = {}
    for row in rows:
        by_m.setdefault(row.case["m"], {})[row.system] = row.seconds
    found: dict[str, dict[int, float]] = {}
    for m, at in by_m.items():
        for name, seconds in at.items():
            if name != STATIC:
                found.setdefault(name, {})[m] = at[STATIC] / seconds
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The first form is the full dispatch, the one that a floor is set for."""
    found = ratios(rows)
    if not found:
        return []
    full, speeds = next(iter(found.items()))
    name = f"{full} against compiled for that m"
    return [
        Claim(f"{name}: geometric mean", geomean(speeds.values()), 0.97),
        Claim(f"{name}: worst", min(speeds.values()), 0.92),
    ]


def show(report: Report, compiled: Sequence[Form]) -> None:
    found = ratios(report.rows)
    lines = []
    for form in compiled:
        values = list(found[form.name].values())
        size = len(form.artifact.code) / 1024
        lines.append([form.name, f"{geomean(values):.3f}", f"{min(values):.3f}", f"{size:.0f}"])
    report.table("Speed against the static kernel", ("form", "geometric mean", "worst", "object KiB"), lines)


def draw(rows: Sequence[Row], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(10, 4))
    for name, by_m in ratios(rows).items():
        axis.plot(*zip(*sorted(by_m.items()), strict=True), label=name, linewidth=1.0)
    axis.axhline(1.0, color="black", linewidth=0.8, label=STATIC)
    axis.set(title="dense 768x768, float32", xlabel="m", ylabel="speed against the static kernel", ylim=(0, 1.15))
    axis.legend(loc="lower right", fontsize=8, ncol=2)
    axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


main = program(__doc__, measure, claims, draw=draw)


if __name__ == "__main__":
    sys.exit(main())

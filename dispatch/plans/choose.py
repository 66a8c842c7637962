"""Plan selection: the portfolio's variants, their residue classes, and the ranges each of them runs. Pure.

Every decision is written into the plan's notes in words, and equal inputs give equal plans. A code budget is kept by
merging residue classes or by guarding every row (`none`), whichever loses less, and by giving up a variant after that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anytile.core.errors import SpecError
from anytile.dispatch.plans.code_budget import fitting_for
from anytile.dispatch.plans.matrix import Matrix, code_share_of, nearest_weights
from anytile.dispatch.plans.portfolio import OBJECTIVES, Choice, choose_portfolio, loss_of
from anytile.dispatch.plans.profile import Profile, from_matrix, ranges
from anytile.dispatch.plans.residue_classes import Classes
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.template import ranged_symbol
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload

MERGE_TOLERANCE = 0.0  # residues whose kernels lose no more than this by sharing one do so, budget or not


def choose_plan(
    workload: Workload,
    target: Target,
    matrix: Matrix,
    profile: Profile | None = None,
    weights: Mapping[int, float] | None = None,
    portfolio: int = 3,
    code_budget: int | None = None,
    objective: str = "geomean",
    choice: Choice | None = None,
    merge_tolerance: float = MERGE_TOLERANCE,
) -> DispatchPlan:
    """The plan for one workload.

    `profile` speaks of the rows of `choice` (of `choose_portfolio(matrix, ...)` unless given), in that order, and of
    the libraries; without one the matrix itself must do. `code_budget` is in bytes.
    """
    if weights:
        matrix = replace(matrix, weights=nearest_weights(weights, matrix.sizes))
    choice = choose_portfolio(matrix, portfolio, objective) if choice is None else choice
    symbol = ranged_symbol(template(matrix.rows[choice.rows[0]].template), workload)
    decisions = list(choice.decisions)
    rows = list(choice.rows)
    if profile is None:
        profile = from_matrix(matrix.sizes, matrix.medians[rows], [matrix.rows[i].tile for i in rows], matrix.noise)
        decisions.append("no dense profile: times between the cross-evaluated sizes are modelled")
    if [s.runner for s in profile.series if isinstance(s.runner, int)] != list(range(len(rows))):
        raise SpecError(f"profile: expected a series for each of the {len(rows)} chosen variants, in their order")
    if symbol is None:
        return _concrete(workload, target, matrix, rows, profile, choice, decisions)
    if code_budget is not None and not all(matrix.rows[i].code_bytes for i in rows):
        decisions.append(
            f"code budget of {code_budget} bytes: the code size of a variant is not known, so it counts as 0"
        )
    fitting = fitting_for(workload, target, code_budget, merge_tolerance)
    while True:
        ours = [s for s in profile.series if isinstance(s.runner, int)]
        classes, fits = fitting.fit([matrix.rows[i] for i in rows], ours, decisions)
        if fits or len(rows) == 1:
            break
        dropped = _least_useful(matrix, rows, choice.objective)
        decisions.append(f"code budget of {code_budget} bytes: gave up {matrix.rows[rows[dropped]].config}")
        rows.pop(dropped)
        profile = _without(profile, dropped)
    run = [
        fitting.as_run(s, matrix.rows[rows[s.runner]], classes[s.runner]) if isinstance(s.runner, int) else s
        for s in profile.series
    ]
    profile = Profile(tuple(run), profile.noise)
    return _assemble(workload, target, symbol, matrix, rows, classes, profile, choice, decisions)


def _least_useful(matrix: Matrix, rows: Sequence[int], objective: str) -> int:
    """The place in `rows` whose loss costs least."""
    share = matrix.weight_vector()
    used = share > 0
    share = share[used] / share[used].sum()
    logs = np.log(np.where(np.isnan(matrix.medians), 1e9, matrix.medians)[:, used] / matrix.best[used])
    left = [[r for r in rows if r != gone] for gone in rows]
    return min(range(len(rows)), key=lambda v: (loss_of(logs, share, left[v], objective), -v))


def _without(profile: Profile, dropped: int) -> Profile:
    """The profile with one variant gone and those after it renumbered."""
    kept = [
        replace(s, runner=s.runner - 1) if isinstance(s.runner, int) and s.runner > dropped else s
        for s in profile.series
        if s.runner != dropped
    ]
    return Profile(tuple(kept), profile.noise)


def _assemble(
    workload: Workload,
    target: Target,
    symbol: str,
    matrix: Matrix,
    rows: list[int],
    classes: list[Classes],
    profile: Profile,
    choice: Choice,
    decisions: list[str],
) -> DispatchPlan:
    """Cut the sizes into ranges, leaving out variants that run nowhere (one stays, for where a library is missing)."""
    while True:
        names: dict[int | str, str] = {s.runner: str(s.runner) for s in profile.series}
        names.update({v: f"variant {v} ({matrix.rows[r].config})" for v, r in enumerate(rows)})
        cut = ranges(profile, names)
        idle = [v for v in range(len(rows)) if all(r.runs != v for r in cut)]
        if not idle or len(rows) == 1:
            break
        decisions.append(f"{matrix.rows[rows[idle[-1]]].config} wins nowhere in the profile and was left out")
        del rows[idle[-1]], classes[idle[-1]]
        profile = _without(profile, idle[-1])
    chosen = [matrix.rows[r] for r in rows]
    variants = tuple(Variant(r.template, r.config, r.tile, c) for r, c in zip(chosen, classes, strict=True))
    share = code_share_of(target.kind)
    code = sum(r.code_bytes * share(r.tile, c) for r, c in zip(chosen, classes, strict=True))
    notes: dict[str, Any] = {
        "chosen_by": choice.objective,
        "decisions": decisions,
        "regret": plan_regret(matrix, rows, profile, cut),
        "noise": round(profile.noise, 4),
        "profile": profile.to_notes(),
        "code_bytes": round(code),
    }
    return DispatchPlan(workload, target, symbol, variants, cut, notes)


def plan_regret(matrix: Matrix, rows: Sequence[int], profile: Profile, cut: Sequence[Range]) -> dict[str, float]:
    """How far the plan is from the best config at each cross-evaluated size: weighted mean and worst, as ratios."""
    found = _regrets(matrix, rows, profile, cut)
    if not found:
        return {}
    total = sum(w for _, w, _ in found)
    worst = max(found, key=lambda f: (f[0], -f[2]))
    mean = math.exp(sum(math.log(ratio) * w for ratio, w, _ in found) / total)
    return {"geomean": round(mean, 4), "worst": round(worst[0], 4), "worst_at": worst[2]}


def _regrets(
    matrix: Matrix, rows: Sequence[int], profile: Profile, cut: Sequence[Range]
) -> list[tuple[float, float, int]]:
    """At each size that counts: the plan's time over the best there, the weight, the size."""
    weights = matrix.weight_vector()
    found: list[tuple[float, float, int]] = []
    for j, size in enumerate(matrix.sizes):
        if weights[j] <= 0:
            continue
        runs = next(r.runs for r in cut if r.high is None or size <= r.high)
        if isinstance(runs, int):
            seconds = float(matrix.medians[rows[runs], j])
        else:
            library = profile.of_runner(runs)
            seconds = float(library.at([size])[0]) if library is not None else math.nan
        if not math.isnan(seconds):
            found.append((seconds / float(matrix.best[j]), float(weights[j]), size))
    return found


def losses(matrix: Matrix, rows: Sequence[int], profile: Profile) -> dict[int, float]:
    """By measured size, how many times the best time there the profile's ranges would take, with these rows."""
    cut = ranges(profile, {s.runner: str(s.runner) for s in profile.series})
    return {size: ratio for ratio, _, size in _regrets(matrix, rows, profile, cut)}


def _concrete(
    workload: Workload,
    target: Target,
    matrix: Matrix,
    rows: Sequence[int],
    profile: Profile,
    choice: Choice,
    decisions: Sequence[str],
) -> DispatchPlan:
    """A workload without a ranged symbol runs one thing, whatever the size."""
    at = profile.sizes[-1]
    order = [(float(s.at([at])[0]), place) for place, s in enumerate(profile.series)]
    fastest = min(order)
    ours = min(o for o in order if isinstance(profile.series[o[1]].runner, int))
    winner = fastest if fastest[0] * (1 + profile.noise) < ours[0] else ours
    runner = profile.series[winner[1]].runner
    row = matrix.rows[rows[runner if isinstance(runner, int) else 0]]
    variant = Variant(row.template, row.config, 1, ())
    others = ", ".join(
        f"{profile.series[place].runner} took {seconds / winner[0]:.2f}x as long"
        for seconds, place in order
        if place != winner[1]
    )
    because = f"the fastest of {len(order)}" + (f"; {others}" if others else "")
    runs: int | str = 0 if isinstance(runner, int) else runner
    notes = {"chosen_by": choice.objective, "decisions": list(decisions), "noise": round(profile.noise, 4)}
    return DispatchPlan(workload, target, None, (variant,), (Range(0, None, runs, winner[0], None, because),), notes)


__all__ = ["OBJECTIVES", "Choice", "choose_plan", "choose_portfolio", "losses", "plan_regret"]

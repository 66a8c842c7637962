"""Choosing a plan: the portfolio's variants, their residue classes, and the ranges each of them runs. Pure.

Every decision is written into the plan's notes in words, and equal inputs give equal plans. A code budget is kept by
merging residue classes or by guarding every row (`none`), whichever loses less, and by giving up a variant after that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anytile.dispatch.classes import Classes, Losses, as_run, losses, merged, partitions
from anytile.dispatch.guards import crowding
from anytile.dispatch.matrix import Matrix, Row, code_share, nearest_weights
from anytile.dispatch.plan import DispatchPlan, Range, Variant, mode
from anytile.dispatch.portfolio import OBJECTIVES, Choice, choose_portfolio
from anytile.dispatch.profile import Profile, from_matrix, ranges
from anytile.schedules.errors import SpecError
from anytile.schedules.target import Target
from anytile.schedules.template import template
from anytile.schedules.workload import Workload

MERGE_TOLERANCE = 0.0  # residues whose kernels lose no more than this by sharing one do so, budget or not
MERGE_LIMIT = 0.25  # under a code budget, merge or guard up to this loss before giving a variant up


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
    symbol = template(matrix.rows[choice.rows[0]].template).symbol(workload)
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
    crowded = {row: 0.0 if code_budget is None else _crowding(workload, target, matrix, row) for row in rows}
    while True:
        ours = [s for s in profile.series if isinstance(s.runner, int)]
        tables = [losses(s, crowded[row]) for s, row in zip(ours, rows, strict=True)]
        classes, fits = _fit(matrix, rows, tables, code_budget, merge_tolerance, decisions)
        if fits or len(rows) == 1:
            break
        dropped = _least_useful(matrix, rows)
        decisions.append(f"code budget of {code_budget} bytes: gave up {matrix.rows[rows[dropped]].config}")
        rows.pop(dropped)
        profile = _without(profile, dropped)
    run = [
        as_run(s, classes[s.runner], crowded[rows[s.runner]]) if isinstance(s.runner, int) else s
        for s in profile.series
    ]
    profile = Profile(tuple(run), profile.noise)
    return _assemble(workload, target, symbol, matrix, rows, classes, profile, choice, decisions)


def _crowding(workload: Workload, target: Target, matrix: Matrix, row: int) -> float:
    return crowding(workload, target, matrix.rows[row].template, matrix.rows[row].config)


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to treat a variant's residues, its worst loss, and its code size."""

    classes: Classes
    loss: float
    code: float


def _forms(row: Row, table: Losses, classes: Classes) -> list[_Form]:
    """From `classes` on, each form smaller than the one before, that no other beats in both loss and size."""
    others = (*partitions(table), ())
    start, *rest = (_Form(c, table.of(c), row.code_bytes * code_share(row.tile, c)) for c in (classes, *others))
    kept = [start]
    for form in sorted(rest, key=lambda f: (f.loss, f.code)):
        if form.code < kept[-1].code and form.loss >= start.loss:
            kept.append(form)
    return kept


def _fit(
    matrix: Matrix,
    rows: Sequence[int],
    tables: Sequence[Losses],
    budget: int | None,
    tolerance: float,
    decisions: list[str],
) -> tuple[list[Classes], bool]:
    """Residue classes for each row: those that measure alike merged, then what loses least until the code fits."""
    forms = []
    for row, table in zip(rows, tables, strict=True):
        classes = merged(table, tolerance)
        forms.append(_forms(matrix.rows[row], table, classes))
        if len(classes) < table.tile:
            decisions.append(
                f"{matrix.rows[row].config}: residues that measure within {tolerance:.0%} merged, "
                f"{table.tile} to {len(classes)} classes"
            )
    chosen = [f[0] for f in forms]
    before, size = chosen, sum(f.code for f in chosen)
    limit = MERGE_LIMIT if len(rows) > 1 else math.inf
    while budget is not None and size > budget:
        # What is next for each: the smaller form that loses least.
        nexts = [next((f for f in forms[v] if f.code < now.code), None) for v, now in enumerate(chosen)]
        moves = [(f.loss, f.code - chosen[v].code, v, f) for v, f in enumerate(nexts) if f and f.loss <= limit]
        if not moves:
            break
        _, _, v, form = min(moves, key=lambda move: move[:3])
        chosen = [*chosen[:v], form, *chosen[v + 1 :]]
        size = sum(f.code for f in chosen)
    fits = budget is None or size <= budget
    if chosen != before and (fits or len(rows) == 1):
        decisions.append(
            f"code budget of {budget} bytes: {_modes(before)} to {_modes(chosen)}, "
            f"about {sum(f.code for f in before):.0f} to {size:.0f} bytes, worst loss {max(f.loss for f in chosen):.0%}"
        )
        decisions += [
            f"{matrix.rows[row].config}: guarding every row should lose at most {form.loss:.0%}, "
            "and no classes as small less"
            for row, form in zip(rows, chosen, strict=True)
            if not form.classes
        ]
    if not fits and len(rows) == 1:
        decisions.append(f"code budget of {budget} bytes cannot be met: the smallest plan takes about {size:.0f}")
    return [f.classes for f in chosen], fits


def _modes(forms: Sequence[_Form]) -> str:
    return "+".join(mode(f.classes) for f in forms)


def _least_useful(matrix: Matrix, rows: Sequence[int]) -> int:
    """The place in `rows` whose loss costs least."""
    share = matrix.weight_vector()
    share = share / share.sum()
    logs = np.log(np.where(np.isnan(matrix.medians), 1e9, matrix.medians))
    left = [[r for r in rows if r != gone] for gone in rows]
    return min(range(len(rows)), key=lambda v: (float(logs[left[v]].min(axis=0) @ share), -v))


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
    code = sum(r.code_bytes * code_share(r.tile, c) for r, c in zip(chosen, classes, strict=True))
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
    if not found:
        return {}
    total = sum(w for _, w, _ in found)
    worst = max(found, key=lambda f: (f[0], -f[2]))
    mean = math.exp(sum(math.log(ratio) * w for ratio, w, _ in found) / total)
    return {"geomean": round(mean, 4), "worst": round(worst[0], 4), "worst_at": worst[2]}


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


__all__ = ["OBJECTIVES", "Choice", "choose_plan", "choose_portfolio", "plan_regret"]

"""Paired comparisons (duels): who is too close to call, and what an interleaved re-measurement says about them.

Cross-evaluated times were taken minutes apart; those inside the noise band say nothing about the order. The close ones
are timed against each other in alternation, and that replaces what was known of them. Everything else is brought to
the same footing by the contestants themselves, who were measured both ways. Ties always break alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from anytile.db.records.records import Status, Trial
from anytile.dispatch.plans.matrix import Grid, Matrix
from anytile.schedules.templates.base.space import Config

MOST_CONTESTANTS = 8


def normalised_row(trial: Trial) -> Trial:
    """The same trial as it would have been when the campaign started. For ranking; never stored."""
    if trial.drift == 1.0:
        return trial
    return replace(trial, samples=tuple(s / trial.drift for s in trial.samples), drift=1.0)


def contestants(matrix: Matrix, objective: str = "geomean", also: Sequence[int] = ()) -> list[int]:
    """Rows too close to call: by the objective, and at single sizes; and those of `also`, which meet them in any case.

    Fewer than two rows: nothing is in doubt.
    """
    losses = losses_by(objective, matrix)
    ranked = sorted(np.flatnonzero(np.isfinite(losses)).tolist(), key=lambda i: (losses[i], _name(matrix, i)))
    if not ranked:
        return []
    band = np.log1p(matrix.noise)
    close = [i for i in ranked if losses[i] <= losses[ranked[0]] + band]
    picked = dict.fromkeys(close[: MOST_CONTESTANTS // 2])
    for i in specialists(matrix):
        picked.setdefault(i)
    for i in close:
        picked.setdefault(i)
    met = dict.fromkeys([*list(picked)[:MOST_CONTESTANTS], *(i for i in also if np.isfinite(losses[i]))])
    return list(met) if len(met) > 1 else []


def losses_by(objective: str, matrix: Matrix) -> Grid:
    """Per row the weighted mean of log(seconds / best seconds), or the worst of them (the regret); inf where a size
    that counts is missing."""
    weights = matrix.weight_vector()
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.log(matrix.medians / matrix.best)
    loss = np.where(np.isnan(loss), np.inf, loss)
    counted = weights > 0
    if not counted.any():
        return np.full(len(matrix.rows), np.inf)
    if objective == "regret":
        worst: Grid = loss[:, counted].max(axis=1)
        return worst
    total: Grid = (loss[:, counted] * weights[counted]).sum(axis=1) / weights[counted].sum()
    return total


def specialists(matrix: Matrix) -> list[int]:
    """The best row at each size that counts, those that win most there first."""
    weights = matrix.weight_vector()
    overall = losses_by("geomean", matrix)
    wins: dict[int, float] = {}
    if not len(matrix.rows):
        return []
    leader = int(np.argmin(overall)) if np.isfinite(overall).any() else 0
    for j, weight in enumerate(weights):
        if weight > 0:
            column = np.where(np.isnan(matrix.medians[:, j]), np.inf, matrix.medians[:, j])
            best = int(column.argmin())
            known = np.isfinite(column[leader])
            wins[best] = wins.get(best, 0.0) + weight * (float(np.log(column[leader] / column[best])) if known else 0.0)
    return sorted(wins, key=lambda i: (-wins[i], _name(matrix, i)))


def settled(matrix: Matrix, duels: Iterable[Trial], symbol: str) -> Matrix:
    """The matrix after the duels: contestants by their interleaved samples, the others scaled to the same footing.

    Other sizes, at which only the contestants met, become columns of their own.
    """
    fresh: dict[tuple[str, Config, int], tuple[float, ...]] = {
        (t.template, t.config, t.point[symbol]): t.samples for t in duels if t.status is Status.OK
    }
    samples = [list(row) for row in matrix.samples]
    for j, size in enumerate(matrix.sizes):
        replaced = {
            i: fresh[row.template, row.config, size]
            for i, row in enumerate(matrix.rows)
            if (row.template, row.config, size) in fresh
        }
        ratios = [
            statistics.median(replaced[i]) / statistics.median(matrix.samples[i][j])
            for i in replaced
            if matrix.samples[i][j]
        ]
        factor = statistics.median(ratios) if ratios else 1.0
        for i in range(len(matrix.rows)):
            samples[i][j] = replaced[i] if i in replaced else tuple(s * factor for s in samples[i][j])
    sizes = matrix.sizes
    fought = [i for i, row in enumerate(matrix.rows) if any((row.template, row.config, s) in fresh for s in sizes)]
    for size in sorted({s for _, _, s in fresh} - set(sizes)):
        column = [fresh.get((row.template, row.config, size), ()) for row in matrix.rows]
        if all(column[i] for i in fought):  # a size that only contestants were timed at counts if all of them were
            sizes = (*sizes, size)
            for i, cell in enumerate(column):
                samples[i].append(cell)
    order = sorted(range(len(sizes)), key=lambda j: sizes[j])
    ordered = tuple(tuple(row[j] for j in order) for row in samples)
    return Matrix(tuple(sizes[j] for j in order), matrix.rows, ordered, matrix.weights)


def _name(matrix: Matrix, row: int) -> str:
    return f"{matrix.rows[row].template} {matrix.rows[row].config}"

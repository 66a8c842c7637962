"""Duels: who is too close to call, and what an interleaved re-measurement changes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from anytile.db.records.records import Status, Trial
from anytile.dispatch.plans.matrix import Matrix, Row
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.settle.duels import MOST_CONTESTANTS, contestants, normalised_row, settled

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def matrix(*rows: tuple[float, ...], noise: float = 0.0, sizes: tuple[int, ...] = (1, 16, 256)) -> Matrix:
    """Rows of seconds; nan leaves a cell empty. Three samples each, `noise` apart."""
    cells = tuple(tuple(() if math.isnan(s) else (s, s * (1 + noise), s * (1 - noise)) for s in row) for row in rows)
    return Matrix(sizes, tuple(Row("t", config(i), 8) for i in range(len(rows))), cells)


def test_a_clear_winner_needs_no_duel() -> None:
    assert contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0))) == []
    assert contestants(matrix()) == []
    assert contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)), also=[1]) == [0, 1]
    assert contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)), also=[0]) == []


def test_near_ties_and_specialists_meet() -> None:
    close = matrix((1.0, 1.0, 1.0), (1.004, 1.003, 1.0), (2.0, 2.0, 2.0), (0.5, 4.0, 4.0))
    assert set(contestants(close)) == {0, 1, 3}
    noisy = matrix((1.0, 1.0, 1.0), (1.04, 1.04, 1.04), noise=0.05)
    assert contestants(noisy) == [0, 1]


def test_no_more_than_a_few_meet() -> None:
    assert len(contestants(matrix(*[(1.0, 1.0, 1.0)] * 40))) == MOST_CONTESTANTS


def test_a_duel_settles_the_contestants_and_scales_the_rest() -> None:
    before = matrix((1.0, 1.0, 1.0), (1.01, 1.01, 1.01), (1.5, 1.5, math.nan))
    duels = [Trial(W, TARGET, "t", config(i), {"m": 16}, Status.OK, (s,), kind="pair") for i, s in ((0, 2.2), (1, 2.0))]
    after = settled(before, duels, "m")
    assert after.medians[:, 0].tolist() == before.medians[:, 0].tolist()
    assert after.medians[:2, 1].tolist() == [2.2, 2.0]
    ratio = (2.2 + 2.0 / 1.01) / 2  # everything was about that much slower by then
    assert after.medians[2, 1] == pytest.approx(1.5 * ratio)
    assert math.isnan(after.medians[2, 2])


def test_duels_at_other_sizes_become_columns_in_their_order() -> None:
    rows = tuple(Row("dense.cpu", Config.of(tile_m=t), t) for t in (4, 8))
    matrix = Matrix((1, 4), rows, (((2.0,), (4.0,)), ((2.0,), (4.0,))))
    duels = [
        replace(trial(i, float(m), m), template=row.template, config=row.config)
        for i, row in enumerate(rows)
        for m in (1, 4, 3, 9)
    ]
    found = settled(matrix, duels, "m")
    assert found.sizes == (1, 3, 4, 9)
    assert found.medians.tolist() == [[1.0, 3.0, 4.0, 9.0]] * 2


def test_normalising_takes_the_drift_out_of_every_sample() -> None:
    row = trial(1, 3.0, drift=1.5)
    assert normalised_row(row).samples == (3.0,)
    assert row.samples == (4.5,)


def test_trials_rank_by_what_they_would_have_taken_at_the_start() -> None:
    assert normalised(trial(0, 2.0, drift=1.25)) == pytest.approx(2.0)
    assert normalised(trial(0, 2.0, status=Status.CRASHED)) == math.inf

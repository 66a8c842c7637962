"""The matrix: medians of what was measured, empty cells for what was not, weights and noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Status, Trial
from anytile.dispatch.plans.matrix import MIN_NOISE, Matrix, Row, code_share, nearest_weights, noise_band
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import residue_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

W = dense(Any("m"), 768, 768, const=("w",))
T = Target.parse("llvm -mcpu=znver4")


def trial(tile: int, m: int, samples: tuple[float, ...], status: Status = Status.OK, code: float = 0.0) -> Trial:
    return Trial(W, T, "dense.cpu", Config.of(tile_m=tile), {"m": m}, status, samples, facts={"object_bytes": code})


def gather(trials: list[Trial]) -> Matrix:
    return Matrix.from_trials(trials, "m", lambda _, config: config.int("tile_m"))


def test_trials_become_rows_and_columns() -> None:
    matrix = gather([trial(8, 4, (3.0, 1.0, 2.0)), trial(8, 1, (1.0,)), trial(4, 4, (5.0,)), trial(8, 4, (9.0, 9.0))])
    assert matrix.sizes == (1, 4)
    assert [r.tile for r in matrix.rows] == [8, 4]
    assert matrix.medians[0].tolist() == [1.0, 3.0]  # repeated cells pool their samples
    assert math.isnan(matrix.medians[1, 0])
    assert matrix.medians[1, 1] == 5.0
    assert matrix.best.tolist() == [1.0, 3.0]


def test_failures_leave_cells_empty() -> None:
    matrix = gather([trial(8, 1, (1.0,)), trial(8, 2, (0.001,), Status.WRONG), trial(4, 2, (2.0,))])
    assert matrix.best.tolist() == [1.0, 2.0]


def test_a_column_that_nobody_survived_weighs_nothing() -> None:
    rows = (Row("t", Config.of(a=1), 1),)
    matrix = Matrix((1, 2), rows, (((1.0,), ()),), {1: 1.0, 2: 5.0})
    assert matrix.weight_vector().tolist() == [1.0, 0.0]


def test_weights_for_sizes_that_were_not_measured_do_not_empty_the_objective() -> None:
    matrix = Matrix((1, 2), (Row("t", Config.of(a=1), 1),), (((1.0,), (2.0,)),), {17: 1.0})
    assert matrix.weight_vector().tolist() == [1.0, 1.0]


def test_code_size_is_scaled_from_the_residues_that_were_compiled() -> None:
    full = gather([trial(4, m, (1.0,), code=1000.0) for m in (1, 2, 3, 4)])
    part = gather([trial(4, m, (1.0,), code=1000.0) for m in (1, 2, 4)])
    assert full.rows[0].code_bytes == 1000
    assert part.rows[0].code_bytes > 1000


def test_a_concrete_workload_has_one_column() -> None:
    matrix = Matrix.from_trials([trial(8, 5, (1.0,)), trial(4, 7, (2.0,))], None, lambda _, c: 1)
    assert matrix.sizes == (1,)
    assert matrix.medians.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("weights", [{1: -1.0}, {1: math.nan}, {1: math.inf}])
def test_senseless_weights_are_refused(weights: dict[int, float]) -> None:
    with pytest.raises(SpecError, match="weight"):
        Matrix((1,), (Row("t", Config.of(a=1), 1),), (((1.0,),),), weights)


def test_ragged_samples_are_refused() -> None:
    with pytest.raises(SpecError, match="1 rows x 2 sizes"):
        Matrix((1, 2), (Row("t", Config.of(a=1), 1),), (((1.0,),),))


def test_noise_follows_the_samples_within_limits() -> None:
    rng = np.random.default_rng(0)
    quiet = noise_band([tuple(1 + 1e-5 * rng.random(5)) for _ in range(20)])
    loud = noise_band([tuple(1 + 0.2 * rng.random(5)) for _ in range(20)])
    assert quiet == MIN_NOISE
    assert MIN_NOISE < loud <= 0.1
    assert noise_band([]) > 0


def test_weights_move_to_the_nearest_size_in_ratio() -> None:
    assert nearest_weights({3: 1.0, 100: 2.0, 5000: 1.0}, (1, 2, 4, 64, 256)) == {
        1: 0.0,
        2: 0.0,
        4: 1.0,
        64: 2.0,
        256: 1.0,
    }


@pytest.mark.parametrize("tile", [1, 2, 7, 16])
def test_fewer_classes_take_less_code(tile: int) -> None:
    shares = [code_share(tile, residue_classes(tile, k)) for k in range(1, tile + 1)]
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


@pytest.mark.parametrize("tile", [4, 7, 16])
def test_guarding_every_row_takes_less_code_than_any_classes(tile: int) -> None:
    assert code_share(tile, ()) < code_share(tile, [(0, tile - 1)])

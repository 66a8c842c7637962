"""Matrix tiles: fragments as the lanes of a warp hold them, against plain products."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.mma_operations import (
    A16,
    A32,
    B2,
    B16,
    B32,
    BOTH16,
    GROUP_ROWS,
    GROUP_STEPS,
    GROUP_WARPS,
    GROUPS,
    K16,
    K32,
    PAIRS,
    A,
    B,
    C,
    matrix_operation,
)
from anytile.schedules.nest.stored_floats import rounded


def test_a_product_of_what_was_loaded() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, (16, 16)).astype(np.float32) for _ in "xw")
    a, b2 = np.full((1, *A.shape), np.nan, np.float32), np.full(B2.shape, np.nan, np.float32)
    matrix_operation("load_a").meaning(a, x[None])
    matrix_operation("load_b2").meaning(b2, w)
    expected = x @ w.T
    for which in range(2):
        c = np.ones(C.shape, np.float32)
        matrix_operation("mma").meaning(c, a, b2[which])
        for group in range(GROUPS):
            for pair in range(PAIRS):
                for half in range(2):
                    for low in range(2):
                        element = expected[half * 8 + group, which * 8 + pair * 2 + low]
                        assert c[group, pair, half, low] == 1 + element


def test_columns_are_loaded_from_rows_too() -> None:
    w = np.arange(256, dtype=np.float32).reshape(16, 16)
    as_rows, turned = (np.full(B2.shape, np.nan, np.float32) for _ in "ab")
    matrix_operation("load_b2").meaning(as_rows, w)
    matrix_operation("load_b2_turned").meaning(turned, w.T)
    np.testing.assert_array_equal(turned, as_rows)


def test_a_group_multiplies_parts_of_columns_too() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, (rows, GROUP_STEPS)).astype(np.float32) for rows in (GROUP_ROWS, 128))
    as_rows, turned = (np.ones((1, 16, GROUP_WARPS, GROUPS, PAIRS, 2, 2), np.float32) for _ in "ab")
    matrix_operation("wgmma_n128").meaning(as_rows, x, w)
    matrix_operation("wgmma_n128_turned").meaning(turned, x, np.stack([w[:64].T, w[64:].T]))
    np.testing.assert_array_equal(turned, as_rows)


def test_a_product_of_pieces_as_they_lie() -> None:
    rng = np.random.default_rng(0)
    w, x = (rng.integers(-4, 5, (rows, K32)).astype(np.float32) for rows in (16, 8))
    c = np.ones(C.shape, np.float32)
    matrix_operation("mma_k32").meaning(c, w.reshape(A32.shape), x.reshape(B32.shape))
    for group, pair, half, low in np.ndindex(*C.shape):
        assert c[group, pair, half, low] == 1 + w[half * 8 + group] @ x[pair * 2 + low]


def test_a_product_of_floats_that_were_loaded() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, (16, K16)).astype(np.float32) for _ in "xw")
    a, both = np.full((1, *A16.shape), np.nan, np.float32), np.full(BOTH16.shape, np.nan, np.float32)
    matrix_operation("load_a16").meaning(a, x[None])
    matrix_operation("load_b16").meaning(both, w)
    for which in range(2):
        c = np.ones(C.shape, np.float32)
        matrix_operation("mma_tf32x3").meaning(c, a, both[which])
        for group, pair, half, low in np.ndindex(*C.shape):
            assert c[group, pair, half, low] == 1 + x[half * 8 + group] @ w[which * 8 + pair * 2 + low]


@pytest.mark.parametrize(("dtype", "held"), [("bfloat16", "float32"), ("float16", "float16")])
def test_a_product_of_floats_that_are_rounded(dtype: str, held: str) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((16, K16)).astype(np.float32), rounded(rng.standard_normal((8, K16)), dtype).astype(held)
    c = np.ones(C.shape, np.float32)
    matrix_operation("mma_rounded").meaning(c, x.reshape(A16.shape), w.reshape(B16.shape))
    expected = rounded(x, dtype).astype(np.float64) @ w.astype(np.float64).T
    for group, pair, half, low in np.ndindex(*C.shape):
        assert c[group, pair, half, low] == pytest.approx(1 + expected[half * 8 + group, pair * 2 + low], abs=1e-5)
    assert not np.allclose(expected, x.astype(np.float64) @ w.astype(np.float64).T, atol=1e-5)


def test_a_fragment_has_a_register_for_two_elements_of_each_lane() -> None:
    for operand, size in ((A, 16 * 16), (B, 16 * 8), (B2, 16 * 16), (C, 16 * 8), (A16, 16 * 16), (B16, 16 * 8)):
        assert np.prod(operand.shape) == size
        assert np.prod([operand.shape[d] for d in operand.lanes]) == 32


def test_unknown_operations_are_refused() -> None:
    with pytest.raises(ScheduleError, match="unknown matrix operation 'wgmma'; expected one of load_a"):
        matrix_operation("wgmma")

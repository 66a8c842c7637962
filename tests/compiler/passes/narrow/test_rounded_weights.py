"""Rounded weights: each channel by its own scale, and what their products are."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.passes.narrow.rounded_weights import NARROW, require_precision, rounded_weight
from anytile.core.errors import SpecError
from tests.support.cases.compiled_modules import random


def test_channels_have_scales_of_their_own() -> None:
    w = random(1, 5, 33) * np.float32([[1e-6], [1], [1e6], [0], [1e-42]])
    made = rounded_weight(w, "int8")
    assert made is not None
    assert made.array.dtype == np.int8
    assert abs(made.array).max(axis=1).tolist()[:4] == [127, 127, 127, 0]
    assert (abs(made.array.astype(np.float64) * made.by[:, None] - w) <= made.by[:, None] * 0.5001).all()
    np.testing.assert_array_equal(made.total, made.array.sum(axis=1))


@pytest.mark.parametrize(("dtype", "limit"), list(zip(NARROW, (3e-3, 4e-4, 2e-2, 0.12), strict=True)))
def test_products_are_near_those_of_the_weight(dtype: str, limit: float) -> None:
    w, x = random(1, 37, 50), random(2, 9, 50)
    made = rounded_weight(w, dtype)
    assert made is not None
    assert 0 < np.linalg.norm(made.times(x) - x @ w.T) < limit * np.linalg.norm(x @ w.T)


def test_weights_without_elements_are_weights() -> None:
    for dtype in NARROW:
        for shape in ((0, 5), (5, 0)):
            made = rounded_weight(np.zeros(shape, np.float32), dtype)
            assert made is not None
            assert made.times(np.ones((3, shape[1]), np.float32)).tolist() == np.zeros((3, shape[0])).tolist()


def test_an_unknown_precision_names_those_there_are() -> None:
    with pytest.raises(
        SpecError, match=r"precision 'int3': expected one of float32, bfloat16, float16, int8, int4, exact$"
    ):
        require_precision("int3")

"""Gather and scatter by positions that are data, against loops over single elements."""

from __future__ import annotations

import itertools
from typing import Any as AnyType

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch

Array = NDArray[AnyType]
JOIN = {
    "set": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": np.minimum,
    "max": np.maximum,
}


def _call(name: str, *arrays: Array, **attrs: AnyType) -> Array:
    (found,) = run(operator(name), arrays, tuple(sorted(attrs.items())))
    return found


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_reads_where_the_index_says(axis: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 5, 6)).astype(np.float32)
    shape = [3, 4, 2]
    shape[axis] = 7
    index = rng.integers(-x.shape[axis], x.shape[axis], shape)
    expected = np.empty(shape, np.float32)
    for at in itertools.product(*map(range, shape)):
        source = list(at)
        source[axis] = index[at]
        expected[at] = x[tuple(source)]
    np.testing.assert_array_equal(_call("take_along", x, index, axis=axis), expected)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "float16"])
@pytest.mark.parametrize("mode", JOIN)
@pytest.mark.parametrize("axis", [0, -1])
def test_scatter_joins_every_update(mode: str, axis: int, dtype: str) -> None:
    """Many of them in one place: they are joined one after the other, and rounded once."""
    rng = np.random.default_rng(1)
    x, updates = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((4, 5), (3, 2)))
    index = rng.integers(-2, 2, updates.shape)
    expected = x.astype(np.float64)
    for at in np.ndindex(*updates.shape):
        place = list(at)
        place[axis] = index[at]
        expected[tuple(place)] = JOIN[mode](expected[tuple(place)], float(updates[at]))
    found = _call("scatter", x, index, updates, axis=axis, mode=mode)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected.astype(dtype))


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_gather_nd_reads_what_a_tuple_of_positions_leaves(length: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((3, 4, 5)).astype(np.float32)
    index = np.stack([rng.integers(-n, n, (2, 6)) for n in x.shape[:length]] or [np.zeros((2, 6), np.int64)], axis=-1)
    index = index[..., :length]
    expected = np.stack([np.stack([x[tuple(t)] for t in row]) for row in index])
    np.testing.assert_array_equal(_call("gather_nd", x, index), expected)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_one_tuple_of_positions_alone(length: int) -> None:
    """An index of one dimension."""
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    index = np.array([2, -1, 3])[:length]
    np.testing.assert_array_equal(_call("gather_nd", x, index), x[tuple(index)])
    expected = x.copy()
    expected[tuple(index)] += 7
    updates = np.full(x.shape[length:], 7, np.float32)
    np.testing.assert_array_equal(_call("scatter_nd", x, index, updates, mode="add"), expected)


def test_gather_nd_walks_batches_side_by_side() -> None:
    rng = np.random.default_rng(3)
    x, index = rng.standard_normal((3, 4, 5)).astype(np.float32), rng.integers(0, 4, (3, 2, 1))
    expected = np.stack([[x[b, index[b, i, 0]] for i in range(2)] for b in range(3)])
    np.testing.assert_array_equal(_call("gather_nd", x, index, batches=1), expected)


@pytest.mark.parametrize("mode", JOIN)
@pytest.mark.parametrize("length", [0, 1, 2])
def test_scatter_nd_joins_every_update(mode: str, length: int) -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-3, 4, (3, 4)).astype(np.float32)
    index = rng.integers(-3, 3, (5, length))
    updates = rng.integers(-3, 4, (5, *x.shape[length:])).astype(np.float32)
    expected = x.copy()
    for place, update in zip(index, updates, strict=True):
        expected[tuple(place)] = JOIN[mode](expected[tuple(place)], update)
    np.testing.assert_array_equal(_call("scatter_nd", x, index, updates, mode=mode), expected)


@pytest.mark.parametrize(
    ("name", "arrays", "attrs", "said"),
    [
        ("take_along", (np.zeros((2, 3)), np.full((1, 3), 2)), {}, "positions from 2 to 2; expected -2 to 1"),
        ("take_along", (np.zeros((2, 3)), np.zeros((1, 4), np.int64)), {}, "of x less that of the index"),
        ("take_along", (np.zeros((2, 3)), np.zeros(3, np.int64)), {}, "an index of 1 dimension; expected 2"),
        ("gather_nd", (np.zeros((2, 3)), np.full((1, 1), -3)), {}, "positions from -3 to -3; expected -2 to 1"),
        ("gather_nd", (np.zeros((2, 3)), np.zeros((1, 3), np.int64)), {}, "expected at most 2 dimensions"),
        (
            "scatter",
            (np.zeros(3, bool), np.zeros(1, np.int64), np.ones(1, bool)),
            {"mode": "add"},
            "mode=add of bool; expected set",
        ),
        ("scatter", (np.zeros(3), np.zeros(1, np.int64), np.ones(2)), {}, "sizes of updates: 2 is not 1"),
        ("scatter_nd", (np.zeros(3), np.zeros((1, 1), np.int64), np.ones((1, 1))), {}, "updates of 2 dimensions"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, arrays: tuple[Array, ...], attrs: dict[str, str], said: str) -> None:
    with pytest.raises(Mismatch, match=said):
        _call(name, *arrays, **attrs)


def test_updates_of_all_of_nothing_change_nothing() -> None:
    x = np.zeros((0, 3), np.float32)
    found = _call("scatter_nd", x, np.zeros((2, 0), np.int64), np.zeros((2, 0, 3), np.float32), mode="add")
    assert found.shape == (0, 3)

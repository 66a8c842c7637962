"""Operators whose sizes are data, against numpy's own words for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any as AnyType

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch
from tests.support.processor_time import cpu_time

Array = NDArray[AnyType]
FARTHEST = np.iinfo(np.int64)


def _call(name: str, *arrays: Array, **attrs: AnyType) -> tuple[Array, ...]:
    return run(operator(name), arrays, tuple(sorted(attrs.items())))


def _ints(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize("step", [1, 2, -1, -3, FARTHEST.min, FARTHEST.max])
@pytest.mark.parametrize("start", [0, 3, -2, 100, -100, FARTHEST.min, FARTHEST.max])
def test_slices_are_numpys_whatever_the_bounds(size: int, start: int, step: int) -> None:
    x = np.arange(3 * size).reshape(3, size)
    for stop in (0, 1, 5, -1, -4, FARTHEST.min, FARTHEST.max):
        (found,) = _call("slice_by", x, _ints(start), _ints(stop), _ints(step), axes=(1,))
        np.testing.assert_array_equal(found, x[:, start:stop:step])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pads_cut_off_where_they_are_negative(mode: str) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    (found,) = _call("pad_by", x, _ints(1, -1), _ints(2, 3), np.asarray(9, np.float32), mode=mode)
    more = {"constant_values": 9} if mode == "constant" else {}
    expected = np.pad(x[:, 1:], ((1, 2), (0, 3)), mode=mode, **more)  # type: ignore[call-overload]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_pads_cut_off_what_others_put_there(size: int) -> None:
    """More than there was: the result is what all around it would be, cut."""
    x = np.arange(size, dtype=np.float32)
    (found,) = _call("pad_by", x, _ints(4), _ints(-3), np.asarray(9, np.float32), mode="constant")
    np.testing.assert_array_equal(found, np.pad(x, (4, 0), constant_values=9)[: size + 1])


def test_parts_are_all_of_a_dimension() -> None:
    x = np.arange(20).reshape(2, 10)
    for part, expected in zip(_call("split_by", x, _ints(3, 0, 7), axis=1), np.split(x, [3, 3], 1), strict=True):
        np.testing.assert_array_equal(part, expected)
    with pytest.raises(Mismatch, match=r"sizes \(3, 6\) of a dimension of 10; expected all of it"):
        _call("split_by", x, _ints(3, 6), axis=1)


def test_tiles_and_broadcasts_are_numpys() -> None:
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(_call("tile", x, repeats=(2, 0))[0], np.tile(x, (2, 0)))
    np.testing.assert_array_equal(_call("tile_by", x, _ints(3, 2))[0], np.tile(x, (3, 2)))
    np.testing.assert_array_equal(_call("broadcast_by", x, _ints(4, 1, 3))[0], np.broadcast_to(x, (4, 2, 3)))
    with pytest.raises(Mismatch, match="cannot be broadcast"):
        _call("broadcast_by", x, _ints(4))
    with pytest.raises(Mismatch, match="expected sizes from 0"):
        _call("tile_by", x, _ints(-1, 2))


def test_an_index_outside_the_classes_is_off() -> None:
    index = np.array([[0, 2], [-1, 5], [3, -4]])
    (found,) = _call("one_hot_by", index, np.asarray(3), np.array([-1.0, 1.0], np.float32), axis=1)
    expected = np.full((3, 3, 2), -1.0)
    expected[0, 0, 0] = expected[0, 2, 1] = expected[1, 2, 0] = 1.0
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 2, 5])
def test_the_first_of_equal_ones_stands_first(k: int, largest: bool) -> None:
    x = np.array([[3, 1, 3, 2, 1], [0, 0, 0, 0, 0]])
    values, index = _call("top_k_by", x, np.asarray(k), largest=largest)
    order = sorted(range(5), key=lambda i: (-x[0, i] if largest else x[0, i], i))[:k]
    assert index[0].tolist() == order
    assert index[1].tolist() == list(range(k))
    np.testing.assert_array_equal(values[0], x[0, order])
    for a, b in zip(_call("top_k", x, k=k, largest=largest), (values, index), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8"])
def test_few_of_many_are_selected_as_if_all_were_sorted(dtype: str, largest: bool) -> None:
    x = np.random.default_rng(3).integers(0, 200, (6, 2000, 2)).astype(dtype)
    if x.dtype.kind == "f":
        x[1, 7:900:13, 1], x[2, ::3, 0], x[3, 5:50:2] = np.nan, np.inf, np.nan
        x[4] = np.random.default_rng(4).permutation(2000)[:, None]  # none equal
    for k in (1, 2, 50, 500):
        values, index = _call("top_k", x, k=k, axis=1, largest=largest)
        all_values, all_index = _call("top_k", x, k=2000, axis=1, largest=largest)
        np.testing.assert_array_equal(index, all_index[:, :k])
        np.testing.assert_array_equal(values, all_values[:, :k])


def test_a_few_of_a_vocabulary_take_no_sort_of_it() -> None:
    x = np.random.default_rng(3).standard_normal((4, 32_000), np.float32)
    few, whole = (fastest(lambda k=k: _call("top_k", x, k=k)) for k in (50, 32_000))
    assert few < whole / 4


def test_many_rows_are_selected_from_together() -> None:
    """Five of a thousand, in many rows, take less than their sort; one after the other they took as long."""
    x = np.random.default_rng(3).standard_normal((500, 1000), np.float32)
    few, whole = (fastest(lambda k=k: _call("top_k", x, k=k)) for k in (5, 1000))
    assert few < whole / 3


@pytest.mark.parametrize("axis", [0, 1])
def test_more_than_there_are_is_refused_where_that_is_asked_for(axis: int) -> None:
    x = np.arange(12.0).reshape(3, 4)
    most = x.shape[axis]
    for k in (0, most):
        assert _call("top_k_by", x, np.asarray(k), axis=axis, strict=True)[0].shape[axis] == k
    for k in (-1, most + 1):
        with pytest.raises(Mismatch, match=rf"^k is {k}; expected 0 to {most}, as many as there are$"):
            _call("top_k_by", x, np.asarray(k), axis=axis, strict=True)
    assert _call("top_k_by", x, np.asarray(most + 1), axis=axis)[0].shape[axis] == most


def fastest(run: Callable[[], object]) -> float:
    """Seconds of this process, of the fastest of some runs."""
    times = []
    for _ in range(5):
        with cpu_time() as took:
            run()
        times.append(took.seconds)
    return min(times)


def test_suppression_is_of_each_class_apart() -> None:
    box = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6]]
    boxes = np.array([box, box], np.float32)
    scores = np.array([[[0.9, 0.8, 0.7], [0.1, 0.6, 0.2]], [[0.3, 0.2, 0.9], [0, 0, 0]]], np.float32)
    (found,) = _call("non_max_suppression_of_classes", boxes, scores, iou=0.5, score=0.15)
    assert found.tolist() == [[0, 0, 0], [0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 0, 2], [1, 0, 0]]
    middle = np.concatenate([(boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]], -1)
    (same,) = _call("non_max_suppression_of_classes", middle, scores, iou=0.5, score=0.15, boxes="center")
    np.testing.assert_array_equal(same, found)

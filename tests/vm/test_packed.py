"""The host table against what is slow and obvious, and the calls that it refuses."""

from __future__ import annotations

from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.schedules.errors import ArgumentError, SpecError
from anytile.vm.packed import HOST_FUNCTIONS, call_text, find, parse_call, run

Array = NDArray[AnyType]


def bounded(name: str, inputs: list[Array], bound: tuple[int, ...], rank: int, **attributes: AnyType) -> Array:
    """What a function of the table fills of an output of the bound's size."""
    output, shape = np.full(bound, -7, np.int64), np.zeros(rank, np.int64)
    run(find(name, HOST_FUNCTIONS), name, inputs, [output, shape], attributes)
    return output.reshape(-1)[: int(np.prod(shape))].reshape(shape)


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_unique(numbers: list[int]) -> None:
    found = bounded("unique", [np.array(numbers, np.int64)], (len(numbers),), 1)
    assert found.tolist() == sorted(set(numbers))


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 99))
def test_nonzero(rows: int, columns: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(0, 2, (rows, columns))
    found = bounded("nonzero", [x], (2, rows * columns), 2)
    wanted = [(i, j) for i in range(rows) for j in range(columns) if x[i, j]]
    assert [tuple(column) for column in found.T.tolist()] == wanted


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of two boxes."""
    common = max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    area = [max(x[2] - x[0], 0) * max(x[3] - x[1], 0) for x in (a, b)]
    return float(common / (area[0] + area[1] - common)) if common else 0.0


@given(st.integers(0, 9), st.integers(0, 99))
def test_non_max_suppression(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 3, (count, 2))
    boxes = np.hstack([low, low + rng.uniform(0.5, 2, (count, 2))]).astype(np.float32)
    scores = rng.uniform(0, 1, count).astype(np.float32)
    found = bounded("non_max_suppression", [boxes, scores], (count,), 1, iou_threshold=0.4, score_threshold=0.1)
    kept: list[int] = []
    for i in sorted(range(count), key=lambda i: -scores[i]):
        if scores[i] > 0.1 and all(overlap(boxes[i], boxes[k]) <= 0.4 for k in kept):
            kept.append(i)
    assert found.tolist() == kept


def test_arange() -> None:
    y = np.zeros(4, np.float32)
    start, stop, step = (np.array(v, np.float32) for v in (1, 9, 2))
    run(find("arange", HOST_FUNCTIONS), "arange", [start, stop, step], [y], {})
    assert y.tolist() == [1, 3, 5, 7]


@given(st.dictionaries(st.text(max_size=4), st.one_of(st.integers(), st.text(max_size=4), st.booleans()), max_size=3))
def test_calls_read_back(attributes: dict[str, AnyType]) -> None:
    assert parse_call(call_text("unique", attributes)) == ("unique", attributes)


@pytest.mark.parametrize("text", ["", "a-b", "unique {", "unique []", "unique 3"])
def test_calls_that_are_refused(text: str) -> None:
    with pytest.raises(SpecError):
        parse_call(text)


def test_arrays_that_do_not_fit_are_an_error_of_a_line() -> None:
    with pytest.raises(ArgumentError, match="unique of") as caught:
        run(find("unique", HOST_FUNCTIONS), "unique", [np.arange(3)], [np.zeros(1, np.int64), np.zeros(1)], {})
    assert "\n" not in str(caught.value)
    with pytest.raises(ArgumentError):
        run(find("unique", HOST_FUNCTIONS), "unique", [np.arange(3)], [np.zeros(3), np.zeros(1)], {"axis": 1})

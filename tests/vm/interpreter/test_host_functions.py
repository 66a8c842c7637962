"""The host table against what is slow and obvious, and the calls that it refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.core.errors import AnytileError, ArgumentError, ResourceError, SpecError
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS, call_text, find, parse_call, run
from anytile.vm.program.executable import TensorPort
from anytile.vm.session import Session
from tests.support.cases.vm_executables import executable, packed_kernel

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
    y = np.zeros(4, np.int64)
    start, stop, step = (np.array(v) for v in (1, 9, 2))
    run(find("arange", HOST_FUNCTIONS), "arange", [start, stop, step], [y], {})
    assert y.tolist() == [1, 3, 5, 7]
    with pytest.raises(ArgumentError, match="arange of .*: int64, int64 to float32; expected int64"):
        run(find("arange", HOST_FUNCTIONS), "arange", [start, stop, step], [y.astype(np.float32)], {})


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


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (MemoryError("Unable to allocate 8. EiB"), ResourceError, "greedy of (3,): Unable to allocate 8. EiB; pass"),
        (MemoryError(), ResourceError, "greedy of (3,): the system gave it no memory; pass"),
        (OverflowError("too large to convert"), ArgumentError, "greedy of (3,): too large to convert; pass"),
    ],
)
def test_want_of_memory_and_too_large_numbers_are_an_error_of_a_line(
    raised: Exception, kind: type[AnytileError], said: str
) -> None:
    def greedy(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        raise raised

    with pytest.raises(kind, match=re.escape(said)):
        run(greedy, "greedy", [np.arange(3)], [np.zeros(3)], {})


@pytest.mark.parametrize("compiled", [False, True])
def test_the_error_of_a_host_function_says_where_in_the_model(compiled: bool) -> None:
    def greedy(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        raise MemoryError

    text = """
        function main(tensor) -> tensor, registers 4:
          LoadConsti r1, 8
          LoadConsti r2, 0
          AllocStorage r3, r1, 8, d0
          AllocTensor r1, r3, r2, [1], int64
          InvokePacked k0, 1, [r0, r1]
          Ret r1
    """
    three = TensorPort((3,), "int64")
    exe = executable(text, [packed_kernel("greedy")], [("x", three)], three)
    placed = replace(exe.functions[0], where={4: "top_k at decoder.2"})
    session = Session(replace(exe, functions=(placed,)), compiled=compiled, functions={"greedy": greedy})
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"top_k at decoder\.2: greedy of \(3,\): the system gave it no memory"):
            session(np.arange(3))
    assert session._idle[0].pool.used == 0

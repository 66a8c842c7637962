"""Calls of the shapes that came before, which native code takes: right or refused as all others are."""

from __future__ import annotations

import contextlib
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from anytile.core.errors import ArgumentError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.dispatch.cpu.repeat_call import EXPECTED
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from tests.support.cases.small_dense_kernel import HOST, SMALL, K, N, close, config, expecting, rand


def test_every_dimension_is_looked_at_where_a_shape_is_expected() -> None:
    """Whatever differs, with just as many bytes or not, in an input, in both or in the result."""
    plan = single_plan(dense(Any("m"), Any("n"), Any("k")), HOST, "dense.cpu", config(4))
    kernel = DispatchKernel(plan, compile_plan(plan))
    for m, n, k in ((6, 4, 9), (4, 6, 9), (6, 9, 4), (9, 4, 6), (6, 4, 8), (5, 4, 9), (6, 3, 9), (1, 1, 1)):
        x, w = rand(6, 9), rand(4, 9)
        expecting(kernel, x, w)
        other, weight = rand(m, k, seed=m), rand(n, k, seed=n)
        with pytest.raises(ArgumentError, match="out: expected float32 of shape"):
            kernel(x, w, out=np.zeros((4, 6), np.float32))
        with pytest.raises(ArgumentError, match="2 dimensions"):
            kernel(x, w[None])
        assert close(kernel(x, w), x, w)
        out = np.full((m, n), np.nan, np.float32)
        for _ in range(4):  # unexpected at first, then expected
            assert close(kernel(other, weight), other, weight)
            assert kernel(other, weight, out=out) is out
            assert close(out, other, weight)
            out[:] = np.nan


def test_shapes_in_turns_are_not_expected(kernel: DispatchKernel, w: np.ndarray) -> None:
    """Nothing is made for a shape that does not come."""
    short, long = rand(3, K), rand(9, K)
    expecting(kernel, short)
    for _ in range(3):
        for x in (long, short):
            assert close(kernel(x), x, w)
            assert kernel._again is kernel._state[EXPECTED] is None


def test_a_result_too_large_to_expect(kernel: DispatchKernel, w: np.ndarray) -> None:
    """What is expected may be more than there is memory for now; what comes need not be."""
    expecting(kernel, rand(9, K))
    address, (_, dtype), *held = kernel._state[EXPECTED]
    kernel._state[EXPECTED] = (address, ((1 << 40, 1 << 20), dtype), *held)
    for x in (rand(3, K), rand(9, K)):
        assert close(kernel(x), x, w)


def test_a_workspace_is_expected_too() -> None:
    """Weights packed at run time: the call is made in Python, with a workspace of its own."""
    plan = single_plan(dense(Any("m"), Any("n"), 32), HOST, "dense.cpu", config(6, tile_n=1))
    kernel = DispatchKernel(plan, compile_plan(plan))
    x, w = rand(5, 32), rand(7, 32)
    expecting(kernel, x, w)
    assert kernel._again is not None
    for m in (5, 5, 6, 5):
        assert close(kernel(x[:m], w), x[:m], w)
    out = np.empty((5, 7), np.float32)
    assert kernel(x, w, out=out) is out
    assert close(out, x, w)


def test_calls_leave_no_references(kernel: DispatchKernel, w: np.ndarray) -> None:
    x, out = rand(9, K), np.zeros((9, N), np.float32)
    wrong = {"into": out}  # no argument of that name
    calls: list[tuple[tuple[np.ndarray, ...], dict[str, np.ndarray | None]]] = [
        ((x,), {}), ((x,), {"out": out}), ((x[:5],), {}), ((x,), {"out": None}), ((x,), {"out": out[:3]}),
        ((x,), {**wrong}), ((x,), {"out": out, **wrong}), ((x, x), {"out": out}), ((), {}),
    ]  # fmt: skip
    watched = (x, out, None, kernel._dtype)

    def call(inputs: tuple[np.ndarray, ...], named: dict[str, np.ndarray | None]) -> None:
        expecting(kernel, x)
        with contextlib.suppress(ArgumentError, TypeError):
            kernel(*inputs, **named)

    for inputs, named in calls:
        call(inputs, named)
        before = [sys.getrefcount(it) for it in watched]
        for _ in range(100):
            call(inputs, named)
        assert max(abs(sys.getrefcount(it) - n) for it, n in zip(watched, before, strict=True)) < 50


def test_threads_expect_different_shapes(kernel: DispatchKernel, w: np.ndarray) -> None:
    """What one thread expects, another one replaces, while a kernel runs or not."""
    cases = [rand(m, K, seed=m) for m in (1, 5, 13, 400)]  # the last one lets others run
    expected = [kernel(x).copy() for x in cases]

    def work(offset: int) -> bool:
        for i in range(400):
            which = (i // (3 + offset) + offset) % 4
            if not np.array_equal(kernel(cases[which]), expected[which]):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_kernel_that_nobody_holds_is_gone() -> None:
    """At once, its code and constants included; only its `__call__` is left, and says so."""
    plan = single_plan(SMALL, HOST, "dense.cpu", config(8))
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": rand(N, K)})
    expecting(kernel, rand(9, K))
    gone, call, y = weakref.ref(kernel), kernel.__call__, kernel(rand(9, K))
    del kernel
    assert gone() is None
    assert np.array_equal(call(rand(9, K)), y)  # of the expected shape it can still be called
    with pytest.raises(ArgumentError, match="keep the kernel"):
        call(rand(8, K))

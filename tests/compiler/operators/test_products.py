"""Batches of batch_matmul are broadcast as numpy's: in kernels where that is known, on the host where it is not."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.operators import operator
from anytile.core.errors import ArgumentError
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.operator_calls import typed


def _model(*types: str) -> Compiled:
    m = ModuleBuilder()
    with m.function("main", **{f"a{i}": t for i, (_, t) in enumerate(typed(types))}) as (f, *args):
        f.result(f.batch_matmul(*args))
    return Compiled(m.build())


@pytest.mark.parametrize(
    ("types", "shapes"),
    [
        (("(?b, 3, 6)", "(?c, 6, 5)"), [((2, 3, 6), (2, 6, 5)), ((1, 3, 6), (4, 6, 5)), ((4, 3, 6), (1, 6, 5))]),
        (("(?b, ?c, 3, 6)", "(?d, 6, 5)"), [((2, 4, 3, 6), (4, 6, 5)), ((2, 1, 3, 6), (3, 6, 5))]),
        (("(2, 1, ?m, 6)", "(4, 6, ?n)"), [((2, 1, 3, 6), (4, 6, 5)), ((2, 1, 0, 6), (4, 6, 1))]),
        (("(?b, 3, 6)", "(?c, 6, 5)"), [((0, 3, 6), (1, 6, 5))]),
    ],
)
def test_batches_are_broadcast(types: tuple[str, str], shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    made, rng = _model(*types), np.random.default_rng(0)
    for a, b in shapes:
        x, y = rng.standard_normal(a).astype(np.float32), rng.standard_normal(b).astype(np.float32)
        (found,) = (np.asarray(v) for v in [check(made, x, y)])
        np.testing.assert_allclose(found, np.matmul(x, y), rtol=1e-4, atol=1e-5)


def test_batches_that_do_not_fit_are_refused_when_they_are_known() -> None:
    with pytest.raises(ArgumentError, match=r"2.*3|3.*2"):
        check(_model("(?b, 3, 6)", "(?c, 6, 5)"), np.zeros((2, 3, 6), np.float32), np.zeros((3, 6, 5), np.float32))


@pytest.mark.parametrize(
    ("types", "text"),
    [
        (("(?b, 8, 16)", "(?b, 16, 4)"), "batch_matmul(b=?b, m=8, n=4, k=16, dtype=float32)"),
        (("(?b, 8, 16)", "(1, 16, 4)"), "batch_matmul(b=?b, m=8, n=4, k=16, rhs=kn, dtype=float32)"),
        (("(8, 16)", "(2, ?b, 16, 4)"), "batch_matmul(b=?b, m=8, n=4, k=16, lhs=mk, dtype=float32)"),
    ],
)
def test_one_matrix_for_all_batches_is_a_kernel(types: tuple[str, str], text: str) -> None:
    row = operator("batch_matmul")
    assert row.schedule is not None
    args = [t for _, t in typed(types)]
    found = row.schedule(args, (), row.complete(()))
    assert found is not None
    assert str(found.workload) == text


def test_integers_are_multiplied_too() -> None:
    x, y = np.arange(36, dtype=np.int32).reshape(2, 3, 6), np.arange(60, dtype=np.int32).reshape(2, 6, 5)
    found = check(_model("(?b, 3, 6) int32", "(?b, 6, 5) int32"), x, y)
    np.testing.assert_array_equal(np.asarray(found), np.matmul(x, y))

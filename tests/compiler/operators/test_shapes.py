"""Shape functions as such: what they leave open is a condition, and they compose by putting one into the next."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import bounded, broadcasted, never_equal, shape_function, shaped, unlimited
from anytile.compiler.operators.spec import Mismatch, Shaped
from anytile.schedules.index.expr import Expr, const, maximum, minimum, var

SIZES = st.integers(0, 6)


def test_broadcasting_by_formula_is_numpys() -> None:
    formula = broadcasted(var("a"), var("b"))
    for a, b in itertools.product(range(5), repeat=2):
        if a == b or 1 in (a, b):
            assert (formula.evaluate({"a": a, "b": b}),) == np.broadcast_shapes((a,), (b,))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["n", "m", 0, 1, 3]), max_size=3),
    st.lists(st.sampled_from(["n", "m", 0, 1, 3]), max_size=3),
    SIZES,
    SIZES,
)
def test_conditions_hold_just_where_numpy_broadcasts(a: list[str | int], b: list[str | int], n: int, m: int) -> None:
    sizes = {"n": n, "m": m}
    types = [TensorType(tuple(Any(d) if isinstance(d, str) else d for d in dims)) for dims in (a, b)]
    numbers = [tuple(sizes[d] if isinstance(d, str) else d for d in dims) for dims in (a, b)]
    try:
        expected = np.broadcast_shapes(*numbers)
    except ValueError:
        expected = None
    try:
        function = shape_function(operator("add"), [shaped(t) for t in types], ())
    except Mismatch:
        assert expected is None
        return
    assert all(c.holds(sizes) for c in function.conditions) == (expected is not None)
    if expected is not None:
        assert tuple(d.evaluate(sizes) for d in function.results[0].dims) == expected


def test_a_size_that_has_a_limit_broadcasts_as_the_one_without() -> None:
    """Of a table of 5 rows as many as there are, beside as many."""
    n = var("n")
    add = shape_function(operator("add"), [Shaped((minimum(n, 5), const(3))), Shaped((n, const(3)))], ())
    assert add.results[0].dims == (n, const(3))
    for at in range(9):
        assert all(c.holds({"n": at}) for c in add.conditions) == (at <= 5)
    assert unlimited(minimum(minimum(n, 5), 7)) == n
    for e in (minimum(n, 1), maximum(n, 5), minimum(n, var("m")), 2 * minimum(n, 5), minimum(n, 5) + 1, n):
        assert unlimited(e) == e


@settings(max_examples=200, deadline=None)
@given(*[st.tuples(st.integers(-2, 4), st.integers(0, 3), st.integers(0, 3))] * 2)
def test_sizes_that_surely_differ_do(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    a, b = (k + n * var("n") + m * var("m") for k, n, m in (one, other))
    if never_equal(a, b):
        assert all(a.evaluate(at) != b.evaluate(at) for at in ({"n": n, "m": m} for n in range(8) for m in range(8)))
    if one[1:] == other[1:]:
        assert never_equal(a, b) == (one[0] != other[0])


@pytest.mark.parametrize(
    ("a", "b", "differ"),
    [
        (2 * var("n"), const(3), True),
        (var("n") + 1, const(0), True),
        (var("n") + var("m") + 1, var("n"), True),
        (2 * var("n"), var("n"), False),
        (const(3), const(3), False),
    ],
)
def test_which_sizes_surely_differ(a: Expr, b: Expr, differ: bool) -> None:
    assert never_equal(a, b) is differ


def test_shape_functions_compose() -> None:
    first = shape_function(operator("concat"), [Shaped((var("n"), const(3)))] * 2, ())
    second = shape_function(operator("reshape"), first.results, (("shape", (-1,)),))
    third = shape_function(operator("split"), second.results, (("parts", 6),))
    assert [str(d) for r in third.results for d in r.dims] == ["n"] * 6
    assert not third.conditions


def test_conditions_are_data() -> None:
    args = [Shaped((var("n"), var("k"))), Shaped((const(4), const(300)))]
    function = shape_function(operator("dense"), args, ())
    assert [str(c) for c in function.conditions] == ["k == 300"]
    assert not function.conditions[0].holds({"k": 299})
    pooled = shape_function(operator("max_pool2d"), [Shaped((const(1), const(2), var("h"), const(8)))], ())
    assert [str(r) for r in pooled.results] == ["(1, 2, ?(h // 2), 4)"]
    unknown = shape_function(operator("unique"), [Shaped((var("n"),), "int64")], ())
    assert (unknown.mode, unknown.unknown) == ("data", ("found_0_",))
    assert unknown.results[0].dims == unknown.results[2].dims == (var("found_0_"),)


@pytest.mark.parametrize(
    ("size", "simple"),
    [
        (maximum(var("n"), 0), "n"),
        (minimum(var("n") + 1, 1), "1"),
        (maximum(minimum(var("n"), var("n") + 2), 0), "n"),
        (minimum(var("n"), 3), "min(3, n)"),
    ],
)
def test_sizes_are_never_negative(size: Expr, simple: str) -> None:
    assert str(bounded(size)) == simple


N, M = var("n"), var("m")
FLAG = minimum(1, N)


@pytest.mark.parametrize(
    ("size", "simple"),
    [
        (N * FLAG, "n"),
        (3 * N * N * FLAG, "3*n*n"),
        (FLAG * FLAG * M, "m*min(1, n)"),
        (N * M * minimum(1, 2 * N * M), "m*n"),
        (N * minimum(1, N * M), "min(1, m*n)*n"),
        (M * FLAG, "m*min(1, n)"),
        (N * minimum(1, N - 4), "min(1, n - 4)*n"),  # which may be below 0
        (maximum(M, N * FLAG - FLAG * FLAG + FLAG), "max(m, n)"),
        ((N * FLAG + 3) // 4, "((n + 3) // 4)"),
        (maximum(N, N * minimum(1, minimum(256, N))) * minimum(1, N), "n"),  # a size that meets itself, as it is said
    ],
)
def test_what_only_says_that_there_is_something_is_left_out_beside_it(size: Expr, simple: str) -> None:
    assert str(bounded(size)) == simple
    for n, m in itertools.product(range(7), range(4)):
        assert bounded(size).evaluate({"n": n, "m": m}) == size.evaluate({"n": n, "m": m})


@pytest.mark.parametrize(
    ("size", "simple"),
    [
        (((var("h") - 1) // 2) // 2 + 1, "((h + 3) // 4)"),
        ((((var("h") + 1) // 2 + 1) // 2 + 2) // 3, "((h + 11) // 12)"),
        ((var("h") // 3 + 2 * var("w")) // 4, "((h + 6*w) // 12)"),
        ((2 * (var("h") // 2) + 1) // 3, "((2*(h // 2) + 1) // 3)"),  # which is no division by 6
        ((var("h") // 2 + var("w") // 3) // 2, "(((h // 2) + (w // 3)) // 2)"),
        (var("h") // 2**20 // 2**20, f"((h // {2**20}) // {2**20})"),  # numbers stay within 64 bits
    ],
)
def test_of_divisions_one_inside_the_other_one_is_left(size: Expr, simple: str) -> None:
    made = bounded(size)
    assert str(made) == simple
    for h, w in itertools.product(range(30), range(5)):
        assert made.evaluate({"h": h, "w": w}) == size.evaluate({"h": h, "w": w})


def test_a_result_in_bfloat16_is_known_to_numpy_that_had_none() -> None:
    """The first tensor of that dtype may be one that is computed ahead of time, as a weight that a model casts."""
    code = (
        "import sys, numpy as np\n"
        "from anytile.compiler.operators import operator\n"
        "from anytile.compiler.operators.shapes import run\n"
        "assert 'ml_dtypes' not in sys.modules\n"
        "(made,) = run(operator('cast'), [np.float32([1, 2.505])], (('dtype', 'bfloat16'),))\n"
        "print(made.dtype, *made.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bfloat16", "1.0", "2.5"]

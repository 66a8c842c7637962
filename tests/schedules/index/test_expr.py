"""Index expressions are integer arithmetic, and equal polynomials are equal objects."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, ceildiv, const, expr, maximum, minimum, rejoined, var
from tests.support.generators.random_expressions import Env, Twin, envs, twins

a, b, c = var("a"), var("b"), var("c")


@pytest.mark.sampled(0)
@settings(max_examples=300)
@given(twins, envs)
def test_arithmetic_is_integer_arithmetic(twin: Twin, env: Env) -> None:
    assert twin.expr.evaluate(env) == twin.value(env)


@pytest.mark.sampled(0)
@given(twins, twins, envs)
def test_substitution_is_evaluation_of_the_replacement(twin: Twin, other: Twin, env: Env) -> None:
    replaced = twin.expr.substitute({"a": other.expr})
    assert replaced.evaluate(env) == twin.value({**env, "a": other.value(env)})


@pytest.mark.sampled(0)
@given(twins, twins, envs)
def test_substitution_is_simultaneous(twin: Twin, other: Twin, env: Env) -> None:
    swapped = twin.expr.substitute({"a": b, "b": a})
    assert swapped.evaluate(env) == twin.value({**env, "a": env["b"], "b": env["a"]})


@pytest.mark.sampled(0)
@given(twins, st.integers(-9, 9), st.integers(-9, 9), envs)
def test_numbers_are_put_as_expressions_are(twin: Twin, x: int, y: int, env: Env) -> None:
    put = twin.expr.substitute({"a": x, "b": y})
    assert put == twin.expr.substitute({"a": const(x), "b": const(y)})
    assert put == twin.expr.substitute({"a": x}).substitute({"b": y})
    assert put.evaluate(env) == twin.value({**env, "a": x, "b": y})
    assert put.names <= {"c"}


def test_variables_of_a_name_are_one_object_wherever_they_come_from() -> None:
    asked, fresh = ((a * b + c * 3 + 1) // 4 + minimum(a, b) for _ in range(2))
    hash(asked), asked.names, asked.coefficient("a")
    assert pickle.dumps(asked) == pickle.dumps(fresh)  # in another process hashes are others
    for again in (pickle.loads(pickle.dumps(asked)), copy.deepcopy(asked)):
        assert (again, hash(again), str(again)) == (asked, hash(asked), str(asked))
        assert again - asked == const(0)


def test_extremes_that_share_an_arm_are_equal_in_any_order() -> None:
    one, other = minimum(a, a // 2), minimum(a, const(0))
    assert minimum(one, other) == minimum(other, one)
    assert str(minimum(one, other)) == str(minimum(other, one))


@pytest.mark.sampled(0)
@given(twins, twins, twins)
def test_equal_polynomials_are_equal_objects(x: Twin, y: Twin, z: Twin) -> None:
    p, q, r = x.expr, y.expr, z.expr
    assert p + q == q + p
    assert p * q == q * p
    assert (p + q) + r == p + (q + r)
    assert (p * q) * r == p * (q * r)
    assert p * (q + r) == p * q + p * r
    assert p - p == const(0)
    assert p + q - q == p
    assert hash(p + q) == hash(q + p)
    assert str(p + q) == str(q + p)
    assert minimum(p, q) == minimum(q, p)


@given(twins, st.integers(1, 9), envs)
def test_rounding_takes_whole_multiples_out(twin: Twin, by: int, env: Env) -> None:
    p = twin.expr
    assert (p * by) // by == p
    assert (p * by) % by == const(0)
    assert (p * by + a) // by == p + a // by
    whole, rest = p.split_multiples(by)
    assert whole * by + rest == p
    assert all(0 <= coefficient < by for _, coefficient in rest.terms)
    assert ceildiv(p, by).evaluate(env) == -(-twin.value(env) // by)


@given(twins, twins, st.integers(2, 9), st.integers(-3, 3), envs)
def test_what_was_divided_is_whole_again(twin: Twin, other: Twin, by: int, times: int, env: Env) -> None:
    p, beside = twin.expr, other.expr
    apart = (p // by * by + p % by) * times + beside
    assert rejoined(apart).evaluate(env) == apart.evaluate(env)
    q = a * 3 + b  # of which no multiple comes out of a division
    assert rejoined((q // 7 * 7 + q % 7) * times) == q * times


@given(twins, envs, st.integers(-40, 40))
def test_names_are_all_that_matters(twin: Twin, env: Env, other: int) -> None:
    for name in set(env) - twin.expr.names:
        assert twin.expr.evaluate({**env, name: other}) == twin.expr.evaluate(env)


@given(twins, envs)
def test_a_coefficient_says_how_far_a_variable_moves_the_value(twin: Twin, env: Env) -> None:
    slope = twin.expr.coefficient("a")
    if slope is not None:
        moved = twin.expr.evaluate({**env, "a": env["a"] + 3})
        assert moved == twin.expr.evaluate(env) + 3 * slope


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (const(0), "0"),
        (a * 8 + b - 1, "8*a + b - 1"),
        (-a, "-a"),
        (a * b * 2 - 3, "2*a*b - 3"),
        (ceildiv(a, 8), "((a + 7) // 8)"),
        ((a + 8) // 8, "(a // 8) + 1"),
        (a % 4 + 2, "(a % 4) + 2"),
        (minimum(a, 8 - b), "min(-b + 8, a)"),
        (maximum(a, a + 1), "a + 1"),
        (minimum(expr(3), 5), "3"),
        (minimum(1, minimum(256, a)), "min(1, a)"),
        (maximum(maximum(a, b), a - 1), "max(a, b)"),
        (maximum(maximum(a, b), maximum(b + 2, c)), "max(c, max(a, b + 2))"),
        (minimum(maximum(a, 1), 2), "min(2, max(1, a))"),
    ],
)
def test_canonical_text(e: Expr, text: str) -> None:
    assert str(e) == text


@pytest.mark.parametrize("by", [0, -4])
def test_division_by_less_than_one_is_refused(by: int) -> None:
    with pytest.raises(ScheduleError, match=f"division of a by {by}: expected a positive number"):
        _ = a // by
    with pytest.raises(ScheduleError, match="positive number"):
        _ = a % by


def test_coefficient_of_what_is_not_linear() -> None:
    assert (a * b).coefficient("a") is None
    assert (a // 2).coefficient("a") is None
    assert (minimum(a, b) + a).coefficient("a") is None
    assert (b * 5 + 1).coefficient("a") == 0
    assert (a * 7 + b // 2).coefficient("a") == 7


def test_numbers_are_one_term_which_is_the_last() -> None:
    x, y = var("x"), var("y")
    assert x + 1 + 1 == x + 2
    assert (x + 1) - 1 == x
    assert (y * 3 + x + 5).substitute({"y": 2, "z": 7}) == x + 11
    assert (x * y + y + 4).substitute({"y": -2}).terms == (x * -2 + 2).terms
    assert (y + 5 + x).terms[-1] == ((), 5)

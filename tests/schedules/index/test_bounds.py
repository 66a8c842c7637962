"""Proofs are sound whatever the ranges, and strong enough for every shape of tail that schedules make."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.schedules.index.bounds import Bounds, assume
from anytile.schedules.index.expr import Expr, ExprLike, ceildiv, const, maximum, minimum, var
from tests.support.generators.random_expressions import Twin, twins

a, b, c = var("a"), var("b"), var("c")
m, n, q, r, i, j = (var(name) for name in "mnqrij")


@st.composite
def _worlds(draw: st.DrawFn) -> tuple[Bounds, list[dict[str, int]]]:
    """Bounds whose ends may speak of the variables further out, and every point within them."""
    low_a = draw(st.integers(-3, 3))
    ends_a = (const(low_a), const(low_a + draw(st.integers(0, 3))))
    low_b, high_b = draw(st.sampled_from([(const(0), a), (a - 2, const(2)), (const(-2), const(3)), (-a, a + 1)]))
    ends = (const(0), draw(st.sampled_from([a + b, 3 * b - 1, a * b, const(3), ceildiv(a, 2), minimum(a, b)])))
    bounds = Bounds().having("a", *ends_a).having("b", low_b, high_b).having("c", *ends)
    points = []
    for va in _within(ends_a, {}):
        for vb in _within((low_b, high_b), {"a": va}):
            points += [{"a": va, "b": vb, "c": vc} for vc in _within(ends, {"a": va, "b": vb})]
    return bounds, points


def _within(ends: tuple[Expr, Expr], env: dict[str, int]) -> range:
    return range(ends[0].evaluate(env), ends[1].evaluate(env) + 1)


@pytest.mark.slow
@settings(max_examples=400)
@given(_worlds(), twins)
def test_what_is_proved_holds_everywhere(world: tuple[Bounds, list[dict[str, int]]], twin: Twin) -> None:
    bounds, points = world
    values = [twin.value(p) for p in points]
    if bounds.proves_nonnegative(twin.expr):
        assert all(v >= 0 for v in values)
    top = bounds.upper(twin.expr)
    if top is not None:
        assert all(v <= top for v in values)
    simple = bounds.simplify(twin.expr)
    assert [simple.evaluate(p) for p in points] == values


@pytest.mark.sampled(0)
@given(_worlds(), twins, twins)
def test_a_proved_order_holds_everywhere(world: tuple[Bounds, list[dict[str, int]]], small: Twin, large: Twin) -> None:
    bounds, points = world
    if bounds.proves(small.expr, large.expr):
        assert all(small.value(p) <= large.value(p) for p in points)


def test_what_is_known_further_in_or_under_a_condition_stays_there() -> None:
    outside = assume({"n": (0, None)})
    inside = outside.having("i", 0, n - 1)
    for _ in range(2):  # the second time answers are known
        assert inside.proves_nonnegative(n - 1 - i)
        assert not outside.proves_nonnegative(n - 1 - i)
        assert outside.given(n - 8).proves_nonnegative(n - 8)
        assert not outside.proves_nonnegative(n - 8)
        assert not outside.having("i", 0, n).proves_nonnegative(n - 1 - i)
        assert outside.given(n - 8).simplify(minimum(8, n)) == const(8)
        assert outside.simplify(minimum(8, n)) == minimum(8, n)
    assert outside.having("i", 0, n - 1) is inside
    assert outside.given(n) is outside  # it says nothing new


_TILE = 8
_TILED = Bounds().having("m", 0, None).having("q", 0, None).having("r", 2, 5).having("i", 0, q - 1)


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        (_TILE * i + 7, _TILE * q + r - 1),  # a full tile of t*q + r
        (_TILE * q + 4, _TILE * q + r + 3),
        (_TILE * (m // _TILE), m),
        (m - 7, _TILE * (m // _TILE)),
        (m, _TILE * ceildiv(m, _TILE)),
        (ceildiv(m, _TILE) * _TILE, m + _TILE - 1),
        (minimum(m, _TILE), _TILE),
        (const(0), minimum(m, r)),
        (m, maximum(m, r)),
        (m % _TILE, 7),
        (r // 2, 2),
        (m // 3, m),
        (i + 1, ceildiv(8 * q, 8)),
        (i * q, q * q),  # symbolic strides
    ],
)
def test_what_schedules_need_is_proved(smaller: ExprLike, larger: ExprLike) -> None:
    assert _TILED.proves(smaller, larger)


@pytest.mark.parametrize(
    ("smaller", "larger"), [(m, 10**9), (r, 4), (i + 1, q - 1), (_TILE * ceildiv(m, _TILE), m), (m - 6, 8 * (m // 8))]
)
def test_what_does_not_hold_is_not_proved(smaller: ExprLike, larger: ExprLike) -> None:
    assert not _TILED.proves(smaller, larger)


@pytest.mark.parametrize(
    ("e", "simple"),
    [
        (minimum(8, 8 * q + r - 8 * i), "8"),  # every tile of the main loop is full
        ((8 * q + r) // 8, "q"),
        ((8 * q + r) % 8, "r"),
        (ceildiv(8 * q + r, 8), "q + 1"),
        (minimum(r, 6), "r"),
        (maximum(r, 5 - m), "max(-m + 5, r)"),
        (ceildiv(8 * q, 8), "q"),
        (minimum(minimum(r, 9), m) * 2, "2*min(m, r)"),
        (minimum(minimum(r, 9), m) - minimum(m, r), "0"),  # one spelling, whatever it was made of
    ],
)
def test_residues_fold_the_arithmetic_away(e: Expr, simple: str) -> None:
    assert str(_TILED.simplify(e)) == simple


def test_a_division_is_bounded_by_numbers() -> None:
    """What the width of a convolution's output needs: rounding that a least size decides."""
    wide = Bounds().having("m", 5, None).having("i", 0, 2)
    assert wide.proves(1, (m + 2) // 6)  # m + 2 >= 7
    assert wide.proves(6 - i, 6 * ((m + 2) // 6))
    assert wide.proves(1, ((m + 2) // 3 + 27) // 28)
    assert not wide.proves(2, (m + 2) // 6)
    assert not wide.proves(7, 6 * ((m + 2) // 6))
    ends = wide.having("j", 0, 4 * ((m + 3) // 4) - 1)  # both round alike
    assert ends.proves(j + 1, 4 * ((m + 3) // 4))
    assert not ends.proves(j + 1, m)


def test_a_variable_within_a_division_does_not_hide_the_one_further_out() -> None:
    """What a tap of every other column reads lies in the copy: the range of `i // 2` is put before any rounding."""
    bounds = assume({"n": (1, None)}).having("j", 0, ceildiv(n, 4) - 1).having("i", 0, 2).having("r", 0, 3)
    assert bounds.proves(i // 2 + 4 * j + r, 4 * ceildiv(n, 4))
    assert not bounds.proves(i // 2 + 4 * j + r, 4 * ceildiv(n, 4) - 1)


def test_unknown_ends_and_unknown_variables_prove_nothing() -> None:
    bounds = Bounds().having("a", None, 4).having("b", 1, None)
    assert bounds.proves(a, 4)
    assert not bounds.proves(-100, a)
    assert not bounds.proves(b, 100)
    assert not bounds.proves(0, var("unknown"))
    assert bounds.upper(b) is None
    assert bounds.upper(a - b) == 3


def test_a_variable_bound_anew_hides_the_outer_one() -> None:
    outer = Bounds().having("a", 0, 10).having("b", 0, a)
    inner = outer.having("a", 0, 2)
    assert inner.proves(a, 2)
    assert not inner.proves(b, 2)  # b's range speaks of the outer a


def test_assume_gives_symbols_numbers() -> None:
    bounds = assume({"m": (1, 64), "n": (0, None)})
    assert bounds.proves(m, 64)
    assert not bounds.proves(n, 64)


def test_every_proof_about_a_tile_agrees_with_counting() -> None:
    """t*q + r against the tile's positions, over every small tile and residue."""
    for tile, rest in itertools.product(range(1, 6), range(5)):
        if rest >= tile:
            continue
        bounds = Bounds().having("q", 0, None).having("i", 0, q - 1).having("j", 0, tile - 1)
        for slack in range(-tile - 1, tile + 2):
            holds = slack + rest >= 0  # the worst position is the last of the last full tile
            assert bounds.proves(tile * i + j, tile * q + rest - 1 + slack) == holds


def test_a_condition_on_variables_further_in_says_nothing_of_those_outside() -> None:
    """`j >= i` bounds j from below; an end of i that speaks of j would be of no use, and take the place of a number."""
    known = assume({"i": (0, 9), "j": (0, 9)}).given(j - i)
    assert known.proves(i, j)
    assert known.proves(i, 9)
    assert known.upper(i) == 9

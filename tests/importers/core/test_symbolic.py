"""Arithmetic on sizes that are expressions: what is known is said, what is not is None, and never guessed."""

from __future__ import annotations

import itertools

import numpy as np

from anytile.importers.core.symbolic import (
    BINARY,
    array_of,
    at_least_zero,
    lifted,
    quotient,
    remainder,
    settled,
    truncated,
)
from anytile.schedules.index.expr import Expr, const, maximum, var

B, T = var("b"), var("t")
SIZES = (const(0), const(1), const(7), B, T, B * T, 2 * B, B + T, B * T * 12, B + 1)
FILLED = (B % 8, 8 - B % 8, -B, 3 - B % 16, B * T - B % 8, B * T + T - 1, 2 * B - 1, (B % 8) * T - 1)


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def test_every_operation_agrees_with_numpy_at_every_size() -> None:
    plain = {
        **{
            "add": np.add,
            "subtract": np.subtract,
            "multiply": np.multiply,
            "truncate_divide": _towards_zero,
            "mod": np.mod,
        },
        **{"minimum": np.minimum, "maximum": np.maximum, "equal": np.equal, "less": np.less},
        **{"greater": np.greater, "less_equal": np.less_equal, "greater_equal": np.greater_equal},
    }
    assert plain.keys() == BINARY.keys()
    decided = 0
    pairs = [*itertools.product(SIZES, SIZES), *itertools.product(FILLED, (const(7), const(8), B, T))]
    for name, (a, b) in itertools.product(plain, pairs):
        made = BINARY[name](array_of([a]), array_of([b]))
        if made is None:
            continue
        decided += 1
        for at in ({"b": 0, "t": 3}, {"b": 1, "t": 1}, {"b": 5, "t": 2}):
            x, y = a.evaluate(at), b.evaluate(at)
            if y == 0 and name in ("truncate_divide", "mod"):
                continue
            got = made[0].evaluate(at) if isinstance(made[0], Expr) else made[0]
            assert got == plain[name](x, y), f"{name}({a}, {b}) at {at}"
    assert decided > 600


def test_a_division_that_cannot_be_written_is_unknown() -> None:
    assert quotient(B * T * 12, T * 4) == 3 * B
    assert quotient(B + T, T) is None
    assert quotient(B - 3, const(2)) is None  # towards zero or down is not the same there
    assert quotient(B, const(0)) is None
    assert quotient(B - 3, const(1)) == B - 3
    assert quotient((B - 3) * T * 4, T * 2) == 2 * B - 6
    assert quotient(const(0), const(0)) is None


def test_towards_zero_of_what_may_be_below_it() -> None:
    """As exporters write ceil(b / 2): the division of b - 1 is one, and so is that of what is no size any more."""
    half = truncated(B - 1, const(2))
    assert half is not None
    below = truncated(-1 - half, const(2))
    assert below is not None
    for b in range(9):
        assert half.evaluate({"b": b}) == _towards_zero(b - 1, 2)
        assert below.evaluate({"b": b}) == _towards_zero(-1 - half.evaluate({"b": b}), 2)
    assert truncated(B - 3, const(2)) is None
    assert truncated(B - 1, T) is None
    assert truncated(-B, const(0)) is None


def test_what_a_share_leaves_is_not_below_zero() -> None:
    more = maximum(const(0), 2 * ((B + 1) // 2) - B * T)
    assert at_least_zero(more - more // 2)
    assert at_least_zero(2 * more - 3 * (more // 2))
    assert not at_least_zero(more - 2 * (more // 2) - 1)
    assert not at_least_zero(more // 2 - more)


def test_what_is_filled_up_to_a_multiple_is_one() -> None:
    for missing in (remainder(8 - B % 8, const(8)), remainder(-B, const(8))):
        assert missing is not None
        whole = B + missing
        assert remainder(whole, const(8)) == const(0)
        assert quotient(whole, quotient(whole, const(8)) or const(0)) == const(8)
    assert quotient(B * T + T - 1, T) == B  # as many as an arange of that step has
    assert quotient(B - 1, T) is None


def test_what_is_not_known_is_compared_with_none() -> None:
    assert BINARY["equal"](array_of([B]), array_of([T])) is None
    assert BINARY["equal"](array_of([B]), np.asarray([-1])) is not None


def test_expressions_that_are_numbers_become_numbers() -> None:
    made = settled(lifted(np.asarray([[1, 2]])), "int32")
    assert made.dtype == np.int32
    assert made.tolist() == [[1, 2]]
    assert settled(array_of([B - B, B]), "int64").dtype == np.object_

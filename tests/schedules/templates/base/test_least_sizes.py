"""Least sizes: a nest that relies on them, and one beside it for all that is smaller."""

from __future__ import annotations

import numpy as np

from anytile.schedules.index.expr import var
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Buffer, Literal, LoopNest, Scope, Store, Symbol
from anytile.schedules.nest.simplify import decide
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.least_sizes import beside_small, having_least, having_most


def _storing(value: float) -> LoopNest:
    """y[min(n, m) - 4 or 0] = value, as far as it is known that there is such a place."""
    y = Buffer("y", (var("n") + 1,), Scope.PARAM, output=True)
    return LoopNest("store", (y,), (Symbol("m"), Symbol("n", 2)), Store("y", (var("n"),), Literal(value, "float32")))


def test_the_large_one_is_for_sizes_of_which_none_is_smaller() -> None:
    nest = beside_small(_storing(1.0), {"m": 4, "n": 3}, _storing(2.0))
    verify(nest)
    for m, n, expected in ((4, 3, 1.0), (9, 9, 1.0), (3, 3, 2.0), (4, 2, 2.0), (0, 2, 2.0)):
        y = np.zeros(n + 1, np.float32)
        interpret(nest, {"y": y}, {"m": m, "n": n})
        assert y[n] == expected
    assert nest.symbols == _storing(0.0).symbols


def test_a_least_size_may_be_relied_upon_and_is_no_smaller_than_what_was_known() -> None:
    nest = having_least(_storing(1.0), {"m": 4, "n": 1})
    assert [s.low for s in nest.symbols] == [4, 2]
    assert decide((var("m") - 4,), nest.bounds) == ()


def test_the_small_one_may_rely_on_most_sizes() -> None:
    """What it says of them holds for it alone."""
    small = having_most(_storing(2.0), {"m": 3})
    assert decide((var("m") - 4,), small.bounds) is None
    nest = beside_small(_storing(1.0), {"m": 4}, small)
    assert nest.symbols == _storing(0.0).symbols
    verify(nest)
    for m, expected in ((3, 2.0), (4, 1.0), (9, 1.0)):
        y = np.zeros(3, np.float32)
        interpret(nest, {"y": y}, {"m": m, "n": 2})
        assert y[2] == expected

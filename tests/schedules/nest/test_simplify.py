"""Simplification keeps the meaning, and takes away what it should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.nodes import (
    Block,
    Buffer,
    Guard,
    Literal,
    Loop,
    LoopKind,
    LoopNest,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.simplify import decide, simplify
from anytile.schedules.nest.traverse import walk
from tests.support.generators.random_nests import HIGH, LOW, nests, table

i, j, m = var("i"), var("j"), var("m")
MARK = Store("y", (i,), Literal(1.0))


def _simple(body: Stmt, low: int = 0, high: int | None = None) -> str:
    nest = LoopNest("n", (Buffer("y", (const(64),), output=True),), (Symbol("m", low, high),), body)
    return "\n".join(str(simplify(nest)).splitlines()[2:])


def _for(name: str, extent: Expr | int, body: Stmt, kind: LoopKind = LoopKind.SERIAL) -> Loop:
    return Loop(name, const(extent) if isinstance(extent, int) else extent, kind, body)


def _marks(nest: LoopNest) -> int:
    return sum(isinstance(s, Store | Update) for s in walk(nest.body))


@pytest.mark.slow
@settings(max_examples=60)
@given(nests())
def test_the_meaning_stays(nest: LoopNest) -> None:
    simple = simplify(nest)
    assert _marks(simple) <= _marks(nest)
    for size in (LOW, 1, 4, 5, HIGH):
        np.testing.assert_array_equal(table(simple, size), table(nest, size), err_msg=f"{nest}\n{simple}")


def test_guards_that_hold_vanish() -> None:
    assert _simple(_for("i", 8, Guard((7 - i,), MARK))) == "  for i in 0..8:\n    y[i] = 1.0"


def test_guards_that_never_hold_take_their_body() -> None:
    assert _simple(_for("i", 8, Guard((-i - 1,), MARK))) == ""
    assert "y[i]" in _simple(_for("i", 8, Guard((-i - 1,), Block(()), MARK)))


def test_a_guard_shortens_its_loop() -> None:
    assert _simple(_for("i", 8, Guard((2 - i,), MARK))) == "  for i in 0..3:\n    y[i] = 1.0"
    assert "vector i in 0..8" in _simple(_for("i", 8, Guard((2 - i,), MARK), LoopKind.VECTOR))


def test_a_condition_on_outer_variables_leaves_the_loop() -> None:
    text = _simple(_for("i", 8, Guard((m - 1, 5 - i), MARK)))
    assert text == "  if m - 1 >= 0:\n    for i in 0..6:\n      y[i] = 1.0"


def test_one_guard_inside_another_is_one_guard() -> None:
    text = _simple(Guard((m - 1,), Guard((m - 1, m - 2), Store("y", (const(0),), Literal(1.0)))))
    assert text == "  if m - 1 >= 0 and m - 2 >= 0:\n    y[0] = 1.0"


def test_a_condition_that_shortens_a_loop_leaves_the_others() -> None:
    text = _simple(_for("i", 8, Guard((m - 1,), Guard((2 - i, i + 5 - m), MARK))))
    assert text == "  if m - 1 >= 0:\n    for i in 0..3:\n      if i - m + 5 >= 0:\n        y[i] = 1.0"


def test_loops_that_run_once_or_never_vanish() -> None:
    assert _simple(_for("i", 1, MARK)) == "  y[0] = 1.0"
    assert _simple(_for("i", 0, MARK)) == ""
    assert _simple(_for("i", m - 5, MARK), high=5) == ""


def test_an_alternative_that_never_runs_vanishes() -> None:
    both = Guard((m,), Store("y", (const(0),), Literal(1.0)), Store("y", (const(0),), Literal(2.0)))
    assert _simple(both) == "  y[0] = 1.0"


def test_indices_are_simplified_by_what_is_known() -> None:
    text = _simple(_for("i", 4, Store("y", (minimum(i, 3) + m // 8,), Literal(1.0))), low=8, high=15)
    assert text == "  for i in 0..4:\n    y[i + 1] = 1.0"


def test_a_block_keeps_its_order() -> None:
    first, second = Store("y", (const(0),), Literal(1.0)), Store("y", (const(0),), Literal(2.0))
    assert _simple(block(first, Block((second,)))) == "  y[0] = 1.0\n  y[0] = 2.0"


def test_decide_says_what_is_left_to_check() -> None:
    bounds = Bounds().having("m", 2, 9)
    assert decide((m - 2, 9 - m), bounds) == ()
    assert decide((m - 3, m - 2), bounds) == (m - 3,)
    assert decide((m - 3, m - 10), bounds) is None


def test_the_other_side_of_a_guard_knows_that_it_does_not_hold() -> None:
    other = Guard((3 - m,), Store("y", (const(1),), Literal(2.0)), Store("y", (const(2),), Literal(3.0)))
    text = _simple(Guard((m - 4,), Store("y", (const(0),), Literal(1.0)), other))
    assert text.count("if ") == 1
    assert "y[1] = 2.0" in text
    assert "y[2]" not in text

"""Changes of statement trees make nothing anew that stays as it is, and refuse what no statement has."""

from __future__ import annotations

import pytest

from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import Guard, Literal, Loop, LoopKind, Stmt, Store, block
from anytile.schedules.nest.traverse import children, having, map_exprs, walk

STORE = Store("y", (var("i"),), Literal(0.0))
LOOP = Loop("i", var("n"), LoopKind.SERIAL, STORE)
GUARD = Guard((var("n") - 1,), LOOP, STORE)


def test_a_node_has_the_given_fields_and_its_own() -> None:
    assert having(LOOP, extent=const(4)) == Loop("i", const(4), LoopKind.SERIAL, STORE)
    assert having(GUARD, otherwise=None, body=STORE) == Guard((var("n") - 1,), STORE)
    assert having(LOOP, extent=LOOP.extent, body=STORE) is LOOP


def test_a_field_that_it_does_not_have_is_an_error() -> None:
    with pytest.raises(AttributeError, match="extend"):
        having(LOOP, extend=const(4))


def test_what_a_change_leaves_as_it_is_is_the_same_object() -> None:
    both = block(LOOP, GUARD)
    assert map_exprs(both, lambda e: e.substitute({"m": 3})) is both
    changed = map_exprs(both, lambda e: e.substitute({"n": 3}))
    assert isinstance(changed, type(both))
    assert children(children(changed)[1])[1] is STORE


def test_statements_are_walked_as_they_are_written() -> None:
    expected: list[Stmt] = [GUARD, LOOP, STORE, STORE]
    assert list(walk(GUARD)) == expected

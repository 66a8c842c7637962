"""Floats of 16 bits in memory: what a nest that was written for float32 becomes around them."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import Alloc, Buffer, Load, Loop, LoopKind, LoopNest, Op, Scope, Stmt, Store, Update
from anytile.schedules.nest.printer import print_nest
from anytile.schedules.primitives.memory_floats import widened

EIGHT, AT = const(8), (var("i"),)


def nest(body: Stmt, x: str = "bfloat16", y: str = "bfloat16") -> LoopNest:
    params = (Buffer("x", (EIGHT,), dtype=x), Buffer("z", (EIGHT,)), Buffer("y", (EIGHT,), dtype=y, output=True))
    return LoopNest("test", params, (), Loop("i", EIGHT, LoopKind.SERIAL, body))


def text(made: LoopNest) -> str:
    return print_nest(made)


def test_values_are_widened_where_they_are_read_and_rounded_where_they_are_written() -> None:
    body = Store("y", AT, Op("mul", (Load("x", AT), Load("z", AT))))
    assert "bfloat16((float32(x[i]) * z[i]))" in text(widened(nest(body)))
    assert "y[i] = (float32(x[i]) * z[i])" in text(widened(nest(body, y="float32")))


def test_what_is_moved_within_a_type_stays_as_it_is() -> None:
    body = Store("y", AT, Load("x", AT))
    made = nest(body)
    assert text(widened(made)) == text(made)
    assert "y[i] = float16(float32(x[i]))" in text(widened(nest(body, y="float16")))


def test_registers_of_16_bits_are_memory_too() -> None:
    here = (const(0),)
    held = Buffer("held", (const(1),), Scope.REGISTER, "bfloat16")
    both = Alloc(held, Store("held", here, Load("x", AT)))
    assert "held[0] = x[i]" in text(widened(nest(both)))


def test_without_any_a_nest_is_itself() -> None:
    made = nest(Store("y", AT, Load("x", AT)), "float32", "float32")
    assert widened(made) is made


def test_sums_in_16_bits_are_refused() -> None:
    with pytest.raises(ScheduleError, match="^test: y is added up in bfloat16; expected float32$"):
        widened(nest(Update("y", AT, Load("z", AT))))

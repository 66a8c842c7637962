"""Saturating conversions are found as nests write them, and taken for nothing else."""

from __future__ import annotations

import pytest

from anytile.codegen.llvm.narrow.saturation import saturated
from anytile.schedules.nest.nodes import Cast, Literal, Load, Op, Value
from anytile.schedules.templates.base.definition import as_stored

X = Load("x", ())


def _op(name: str, *args: Value | float) -> Value:
    return Op(name, tuple(Literal(a) if isinstance(a, float) else a for a in args))


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_what_is_stored_in_8_bits_is_one(dtype: str) -> None:
    made = as_stored(X, dtype)
    assert isinstance(made, Cast)
    assert saturated(made) == X


def test_the_order_of_both_ends_does_not_matter() -> None:
    assert saturated(Cast("uint8", _op("min", _op("max", _op("round", X), 0.0), 255.0))) == X


@pytest.mark.parametrize(
    ("inner", "left"),
    [
        (_op("max", X, 0.0), X),
        (_op("max", X, -1.0), X),
        (_op("min", _op("max", X, 0.0), 300.0), X),
        (_op("max", X, 0.5), _op("max", X, 0.5)),
        (_op("min", X, 6.0), _op("min", X, 6.0)),
    ],
)
def test_what_was_cut_off_there_before_need_not_be(inner: Value, left: Value) -> None:
    made = as_stored(inner, "uint8")
    assert isinstance(made, Cast)
    assert saturated(made) == left


@pytest.mark.parametrize(
    "value",
    [
        Cast("uint8", X),
        Cast("uint8", _op("round", X)),
        Cast("uint8", _op("min", _op("max", X, 0.0), 255.0)),  # not rounded
        Cast("uint8", _op("min", _op("max", _op("round", X), 0.0), 254.0)),
        Cast("int8", _op("min", _op("max", _op("round", X), 0.0), 255.0)),
        Cast("int32", _op("min", _op("max", _op("round", X), 0.0), 255.0)),
    ],
)
def test_other_casts_are_none(value: Cast) -> None:
    assert saturated(value) is None

"""The operation table: what fits an operation, what comes of it, and that its meaning keeps to that."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Reduce,
    Scope,
    Store,
    Symbol,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import DTYPES, NUMBERS, OPERATIONS, REDUCTIONS, apply, dtype_of, identity
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.schedules.nest.verify import verify
from tests.support.generators.random_typed_nests import HIGH, LOW, meaning, value_nests

SAMPLES = {
    "float32": np.array([0.0, 1.0, -1.5, 2.5, np.inf, np.nan], np.float32),
    "int32": np.array([0, 1, -1, 7, 2**31 - 1, -(2**31)], np.int32),
    "int64": np.array([0, 1, -1, 7, 2**63 - 1, -(2**63)], np.int64),
    "bool": np.array([True, False]),
    "float16": np.array([0.0, 1.0, -1.5, 2.5, np.inf, np.nan], np.float16),
    "bfloat16": np.array([0.0, 1.0, -1.5, 2.5, np.inf, np.nan], array_dtype("bfloat16")),
    "float64": np.array([0.0, 1.0, -1.5, 2.5, np.inf, np.nan]),
}
SAMPLES |= {
    name: np.array([0, 1, 7, np.iinfo(name).max, np.iinfo(name).min], name)
    for name in ("int8", "int16", "uint8", "uint16", "uint32", "uint64")
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_meaning_has_the_dtype_that_is_derived(name: str) -> None:
    """For every choice of dtypes: one that fits gives its dtype, on scalars and arrays; every other is refused."""
    operation = OPERATIONS[name]
    fitting = 0
    for kinds in itertools.product(DTYPES, repeat=operation.arity):
        same = kinds[1:] if name == "select" else kinds
        if len(set(same)) > 1 or same[0] not in operation.takes or (name == "select" and kinds[0] != "bool"):
            with pytest.raises(ScheduleError, match=f"{name} of {', '.join(kinds)}; expected"):
                operation.dtype(kinds)
            continue
        derived = operation.dtype(kinds)
        fitting += 1
        with np.errstate(all="ignore"):
            whole = apply(name, *(SAMPLES[k][: len(SAMPLES["bool"])] for k in kinds))
            for args in itertools.product(*(SAMPLES[k] for k in kinds)):
                assert apply(name, *args).dtype == derived
        assert whole.dtype == derived
        assert whole.shape == (2,)
    assert fitting == len(operation.takes)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("exp", math.exp),
        ("exp2", lambda x: 2.0**x),
        ("tanh", math.tanh),
        ("erf", math.erf),
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        ("gelu", lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
        ("gelu_byte", lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
        ("gelu_tanh", lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("rsqrt", lambda x: 1 / math.sqrt(abs(x))),
    ],
)
def test_functions_by_their_textbook_formulas(name: str, exact: Callable[[float], float]) -> None:
    for x in np.linspace(-4, 4, 30):
        assert apply(name, abs(x) if name == "rsqrt" else x) == pytest.approx(exact(x), rel=1e-12, abs=1e-13)
        single = np.float32(x)
        assert apply(name, np.float32(abs(x)) if name == "rsqrt" else single).dtype == np.float32


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_whole_numbers_are_divided_and_raised_as_written(dtype: str) -> None:
    """Towards zero, without what stands behind the point, and shifted out where the distance is beyond the bits."""
    few = np.array([-7, -2, -1, 0, 1, 2, 7], dtype)
    for a, b in itertools.product(few, few):
        with np.errstate(all="ignore"):
            cut = 0 if b == 0 else abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
            assert apply("truncdiv", a, b) == np.int64(cut).astype(dtype)
            assert apply("rem", a, b) == (0 if b == 0 else int(a) - cut * int(b))
            power = int(a) ** int(b) if b >= 0 else (0 if abs(int(a)) != 1 else int(a) ** (-int(b) % 2))
            assert apply("pow", a, b) == np.array(power).astype(dtype)
            assert apply("shl", a, b) == np.array(0 if b < 0 else int(a) << int(b)).astype(dtype)
            assert apply("shr", a, b) == (-(a < 0).astype(dtype) if b < 0 else int(a) >> int(b))


def test_halves_are_rounded_to_even_and_signs_have_no_zero() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, np.nan, np.inf, -0.0], np.float32)
    np.testing.assert_array_equal(apply("round", x), [0, 2, 2, -0.0, -2, np.nan, np.inf, 0])
    np.testing.assert_array_equal(apply("sign", x), [1, 1, 1, -1, -1, np.nan, 1, 0])
    assert not np.signbit(apply("sign", x)[-1])
    np.testing.assert_array_equal(apply("isnan", x), np.isnan(x))
    np.testing.assert_array_equal(apply("isinf", x), np.isinf(x))


def test_bits_are_read_as_they_lie() -> None:
    """Of floats in 64 bits, in which references compute, those of the float32 that they are."""
    x = np.array([1.5, -0.0, np.inf], np.float32)
    words = [0x3FC00000, -(2**31), 0x7F800000]
    for held in (x, x.astype(np.float64)):
        np.testing.assert_array_equal(apply("bits_int32", held), np.array(words, np.int32))
    np.testing.assert_array_equal(apply("bits_float32", np.array(words, np.int32)), x)


@pytest.mark.parametrize("name", ["sigmoid", "gelu", "gelu_byte", "gelu_tanh"])
def test_functions_have_limits(name: str) -> None:
    with np.errstate(all="ignore"):
        assert apply(name, np.float32(-np.inf)) == 0
        assert apply(name, np.float32(-1e30)) == 0
        assert apply(name, np.float32(np.inf)) == (1 if name == "sigmoid" else np.inf)
        assert np.isnan(apply(name, np.float32(np.nan)))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_an_identity_changes_nothing(name: str, dtype: str) -> None:
    start = identity(name, dtype)
    assert start.dtype == dtype
    assert dtype_of(start, str) == dtype
    with np.errstate(all="ignore"):
        for x in SAMPLES[dtype]:
            made = apply(name, np.dtype(dtype).type(start.number), x)
            assert made.dtype == dtype
            assert made == x or (made != made and x != x)


X: Value = Load("x", (var("i"),))
K: Value = Load("k", (var("i"),))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (Literal(1.5), "float32"),
        (Literal(True, "bool"), "bool"),
        (Op("lt", (K, Literal(3, "int64"))), "bool"),
        (Op("select", (Op("lt", (X, X)), K, Number(var("i")))), "int64"),
        (Cast("int32", X), "int32"),
        (Cast("uint8", X), "uint8"),
        (Cast("bfloat16", X), "bfloat16"),
        (Number(var("i"), "int32"), "int32"),
        (Reduce("max", "v", 4, K), "int64"),
    ],
)
def test_a_value_has_one_dtype(value: Value, dtype: str) -> None:
    assert dtype_of(value, {"x": "float32", "k": "int64"}.__getitem__) == dtype


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            Op("add", (X, K)),
            "add of float32, int64; expected 2 of one dtype of float32, bfloat16, float16, float64, int32, int64",
        ),
        (Op("add", (X,)), "add of float32; expected 2"),
        (Op("div", (K, K)), "div of int64, int64; expected 2 of one dtype of float32"),
        (Op("mod", (X, X)), "mod of float32, float32"),
        (Op("exp", (K,)), "exp of int64"),
        (Op("and", (X, X)), "expected 2 of one dtype of bool"),
        (Op("select", (X, X, X)), "expected one bool, then 2 of one dtype"),
        (Op("power", (X, X)), "unknown operation 'power'; expected one of add, sub"),
        (Cast("int4", X), "a cast of 'int4'; expected one of float32, int32, int64, bool"),
        (Number(var("i"), "float32"), "an index as a value of 'float32'"),
        (Reduce("div", "v", 4, X), "a reduction over lanes of 'div'; expected one of add, mul, max, min"),
        (Reduce("add", "v", 4, Op("lt", (X, X))), "add over lanes of 'bool'"),
        (Literal(0.5, "int32"), "literal 0.5 is no int32"),
        (Literal(2**31, "int32"), "literal 2147483648 is no int32"),
        (Literal(math.nan, "int64"), "literal nan is no int64"),
        (Literal(2, "bool"), "literal 2 is no bool"),
        (Literal(1, "float8"), "a literal of 'float8'"),
    ],
)
def test_what_does_not_fit_together_is_refused(value: Value, reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason.replace("(", r"\(")):
        dtype_of(value, {"x": "float32", "k": "int64"}.__getitem__)


@pytest.mark.slow
@settings(max_examples=40)
@given(value_nests())
def test_simplification_keeps_the_meaning(nest: LoopNest) -> None:
    simple = simplify(nest)
    verify(simple)
    for size in (LOW, 1, 4, HIGH):
        expected, got = meaning(nest, size), meaning(simple, size)
        for name, a in expected.items():
            np.testing.assert_array_equal(got[name], a, err_msg=f"{name} at {size} of\n{nest}\n{simple}")


def test_a_let_of_one_choice_is_none() -> None:
    y = Buffer("y", (const(4),), dtype="int64", output=True)
    body = Let("t", Literal(5, "int64"), const(1), Store("y", (var("t"),), Number(var("t") + 3)))
    assert str(simplify(LoopNest("n", (y,), (), body))).splitlines()[1:] == ["  y[0] = int64{3}"]


def test_golden_text(golden: Callable[[str, str], None]) -> None:
    """Every statement and value as people read it."""
    i, t, v, m = var("i"), var("t"), var("v"), var("m")
    x, flags = Load("x", (i, v)), Load("flags", (v,))
    values = block(
        Update("y", (i, v), Op("gelu", (Op("max", (x, Literal(0.0))),)), "max"),
        Update("y", (i, v), Op("select", (Op("and", (flags, Op("le", (x, Literal(2))))), x, Literal(-0.5))), "mul"),
        Update("count", (v,), Op("floordiv", (Cast("int64", flags), Literal(3, "int64")))),
        Store("flags_out", (v,), Op("or", (Literal(True, "bool"), Op("not", (Op("ne", (flags, flags)),))))),
    )
    row = Let("t", Op("mod", (Load("at", (i,)), Literal(-7, "int32"))), m, Store("y", (i, 7 - v), Load("x", (t, v))))
    totals = block(*(
        Update("count", (const(0),), Reduce(op, "l", 8, Number(var("l") * i)), op) for op in REDUCTIONS
    ))  # fmt: skip
    body = Loop("i", m, LoopKind.SERIAL, block(
        Loop("v", const(8), LoopKind.VECTOR, block(values, Guard((v - i,), row))),
        Alloc(Buffer("held", (const(2),), Scope.REGISTER, "bool"), totals),
    ))  # fmt: skip
    nest = LoopNest("everything", (
        Buffer("x", (m, const(8)), align=64), Buffer("at", (m,), dtype="int32"),
        Buffer("flags", (const(8),), dtype="bool"),
        Buffer("y", (m, const(8)), output=True), Buffer("count", (const(8),), dtype="int64", output=True),
        Buffer("flags_out", (const(8),), dtype="bool", output=True),
    ), (Symbol("m", 1),), body)  # fmt: skip
    verify(nest)
    golden("everything.txt", str(nest))

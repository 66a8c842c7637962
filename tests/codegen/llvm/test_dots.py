"""Dot loops in LLVM IR: one call where the terms of a lane are neighbours and all there, written out where not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anytile.codegen.llvm.emit import emit_function
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.verify import verify

k, v, r = var("k"), var("v"), var("r")
LANES = 8
BYTE = Cast("int32", Load("w", (v, r)))


def _nest(
    x: str = "uint8",
    w: str = "int8",
    terms: int = 4,
    known: int | None = 4,
    swapped: bool = False,
    weight: Value | None = None,
) -> LoopNest:
    """acc[v] += x[r] * w[v, r], of so many `known` terms, or of as many as the symbol says."""
    made = "float32" if x == "bfloat16" else "int32"
    at_w = (r, v) if swapped else (v, r)
    product = Op("mul", (Cast(made, Load("x", (r,))), weight or Cast(made, Load("w", at_w))))
    update: Stmt = Update("acc", (v,), product)
    if known != terms:
        update = Guard(((const(known) if known is not None else k) - 1 - r,), update)
    summed = Loop("v", const(LANES), LoopKind.VECTOR, Loop("r", const(terms), LoopKind.DOT, update))
    start = Store("acc", (v,), Literal(0.0 if made == "float32" else 0, made))
    stored = Store("y", (v,), Load("acc", (v,)))
    around = [Loop("v", const(LANES), LoopKind.VECTOR, s) for s in (start, stored)]
    acc = Buffer("acc", (const(LANES),), Scope.REGISTER, made)
    shape = (const(terms), const(LANES)) if swapped else (const(LANES), const(terms))
    params = (
        Buffer("x", (const(terms),), dtype=x),
        Buffer("w", shape, dtype=w),
        Buffer("y", (const(LANES),), dtype=made, output=True),
    )
    symbols = (Symbol("k", 0, terms),) if known is None else ()
    return LoopNest("n", params, symbols, Alloc(acc, block(around[0], summed, around[1])))


def _emitted(nest: LoopNest) -> str:
    verify(nest)
    return emit_function(nest, "n")


@pytest.mark.parametrize(("x", "w", "terms"), [("uint8", "int8", 4), ("int8", "int8", 4), ("bfloat16", "bfloat16", 2)])
def test_neighbouring_terms_are_one_call(x: str, w: str, terms: int) -> None:
    text = _emitted(_nest(x, w, terms, terms))
    assert text.count(f"@anytile.dot.{x}.{w}.x8(") == 1
    assert "load i32, ptr %x.t, align" in text  # all terms of x at once
    assert "load <8 x i32>, ptr %w.t" in text
    assert " mul " not in text
    assert "fmuladd" not in text


def test_a_sign_on_the_other_side_is_the_same_call_turned_around() -> None:
    assert "@anytile.dot.uint8.int8.x8(" in _emitted(_nest("int8", "uint8"))


def _half(which: Expr, mask: int = 15) -> Value:
    return Op("bitand", (Op("shr", (BYTE, Number(which * 4, "int32"))), Literal(mask, "int32")))


@pytest.mark.parametrize("half", [0, 1])
def test_halves_of_bytes_are_taken_in_words(half: int) -> None:
    text = _emitted(_nest("int8", "uint8", weight=_half(const(half))))
    assert text.count("@anytile.dot.uint4.int8.x8(") == 1
    assert text.count("lshr <8 x i32>") == half
    assert f"splat (i32 {0x0F0F0F0F})" in text
    assert " mul " not in text


def _words(halved: Value, x: str = "int8", terms: int = 4, sums: int = 2, words: int = 3) -> LoopNest:
    """acc[d, v] += x[h, s, d, r] * w[s, v, ...], of `words` words for each half."""
    there, at = (var("h"), var("s"), var("d"), r), (var("d"), v)
    update = Update("acc", at, Op("mul", (Cast("int32", Load("x", there)), halved)))
    lanes = Loop("v", const(LANES), LoopKind.VECTOR, Loop("r", const(terms), LoopKind.DOT, update))
    apart = Loop("d", const(sums), LoopKind.UNROLLED, lanes)
    body = Loop("s", const(words), LoopKind.DOT, Loop("h", const(2), LoopKind.DOT, apart))

    def each(s: Stmt) -> Stmt:
        return Loop("d", const(sums), LoopKind.UNROLLED, Loop("v", const(LANES), LoopKind.VECTOR, s))

    start, stored = each(Store("acc", at, Literal(0, "int32"))), each(Store("y", at, Load("acc", at)))
    params = (
        Buffer("x", (const(2), const(words), const(sums), const(terms)), dtype=x),
        Buffer("w", (const(words), const(LANES), const(4)), dtype="uint8"),
        Buffer("y", (const(sums), const(LANES)), dtype="int32", output=True),
    )
    acc = Buffer("acc", (const(sums), const(LANES)), Scope.REGISTER, "int32")
    return LoopNest("n", params, (), Alloc(acc, block(start, body, stored)))


HALVES = Op(
    "bitand",
    (Op("shr", (Cast("int32", Load("w", (var("s"), v, r))), Number(var("h") * 4, "int32"))), Literal(15, "int32")),
)


def test_loops_around_sums_add_their_words_in_16_bits() -> None:
    text = _emitted(_words(HALVES))
    assert text.count("@anytile.pairs.uint4.int8.x8(") == 12  # six words meet two digits each
    assert text.count("@anytile.sums.pairs.x8(") == 2
    assert text.count("load i32, ptr") == 12
    assert text.count("lshr <8 x i32>") == 3  # of a word that is loaded once
    assert " mul " not in text
    first, *_, last = (line for line in text.splitlines() if "@anytile.pairs" in line)
    assert "(<16 x i16> zeroinitializer, " in first
    assert "zeroinitializer" not in last


def test_of_more_words_than_16_bits_hold_those_of_an_inner_loop_are_together() -> None:
    text = _emitted(_words(HALVES, words=5))
    assert text.count("@anytile.pairs.uint4.int8.x8(") == 20
    assert text.count("@anytile.sums.pairs.x8(") == 10


def test_every_other_byte_is_a_number_of_16_bits() -> None:
    text = _emitted(_words(Cast("int32", Load("w", (var("s"), v, r * 2 + var("h")))), "int16", 2))
    assert text.count("@anytile.dot.int16.int16.x8(") == 12
    assert f"splat (i32 {0x00FF00FF})" in text
    assert text.count("lshr <8 x i32>") == 3


def _pairs(x: Load, w: Load, rounds: int = 1, there: Expr | None = None) -> LoopNest:
    """acc[v] += x * w, of pairs of bfloat16, `rounds` of them one after the other, where `there` says so."""
    update: Stmt = Update("acc", (v,), Op("mul", (Cast("float32", x), Cast("float32", w))))
    if there is not None:
        update = Guard((there,), update)
    lanes = Loop("v", const(LANES), LoopKind.VECTOR, Loop("r", const(2), LoopKind.DOT, update))
    summed = Loop("u", const(rounds), LoopKind.UNROLLED, lanes)
    start, stored = Store("acc", (v,), Literal(0.0)), Store("y", (v,), Load("acc", (v,)))
    around = [Loop("v", const(LANES), LoopKind.VECTOR, s) for s in (start, stored)]
    params = (
        Buffer("x", (const(8),), dtype="bfloat16"),
        Buffer("w", (const(LANES), const(2 * LANES)), dtype="bfloat16"),
        Buffer("y", (const(LANES),), output=True),
    )
    acc = Buffer("acc", (const(LANES),), Scope.REGISTER, "float32")
    return LoopNest("n", params, (Symbol("n", 0, 8),), Alloc(acc, block(around[0], summed, around[1])))


SAME = Load("x", (var("u") * 2 + r,))
CALL = "@anytile.dot.bfloat16.bfloat16.x8("


def test_pairs_of_two_rows_are_woven() -> None:
    text = _emitted(_pairs(SAME, Load("w", (r, v))))
    assert text.count(CALL) == 1
    assert text.count("load <8 x i16>, ptr %w.t") == 1
    assert "i32 0, i32 8, i32 1, i32 9," in text
    assert "fmuladd" not in text


def test_where_not_all_lanes_run_the_others_are_not_read() -> None:
    """What holds for all terms of a lane is asked outside of them."""
    text = _emitted(_pairs(SAME, Load("w", (r, v)), there=var("n") - 1 - v))
    assert text.count(CALL) == 1
    assert text.count("call <8 x i16> @llvm.masked.load") == 2


def test_pairs_of_lanes_that_lie_apart_are_transposed_together() -> None:
    text = _emitted(_pairs(SAME, Load("w", (v, var("u") * 2 + r)), rounds=4))
    assert text.count(CALL) == 4
    assert text.count("load <4 x i32>, ptr") == LANES  # a row of four pairs for each lane
    assert "load i16" not in text


def test_of_a_run_that_is_not_all_there_no_more_is_read_than_there_is() -> None:
    """A row has 16 elements: the fourth pair would be the next row's."""
    u = var("u")
    text = _emitted(_pairs(SAME, Load("w", (v, u * 2 + r + 10)), rounds=4, there=const(5) - u * 2 - r))
    assert text.count(CALL) == 3
    assert "load <4 x i32>" not in text
    assert text.count("insertelement <8 x i32>") >= 3 * LANES


def test_both_sides_may_have_their_terms_lane_by_lane() -> None:
    text = _emitted(_pairs(Load("w", (const(0), v * 2 + r)), Load("w", (const(1), v * 2 + r))))
    assert text.count(CALL) == 1
    assert text.count("load <8 x i32>, ptr") == 2
    assert "splat" not in text.split(CALL)[0].rsplit("load <8 x i32>", 1)[1]


def test_words_that_are_not_all_neighbours_are_written_out() -> None:
    text = _emitted(_words(Cast("int32", Load("w", (var("s"), v, r + var("h")))), "int16", 2))
    assert "@anytile.dot" not in text
    assert " mul " in text


def test_a_condition_that_always_holds_is_none() -> None:
    assert "@anytile.dot" in _emitted(_nest(known=5))


def test_no_term_is_no_code() -> None:
    text = _emitted(_nest(known=0))
    assert "@anytile.dot" not in text
    assert " mul " not in text


def test_four_rows_of_bytes_are_woven_into_words() -> None:
    text = _emitted(_nest(swapped=True))
    assert text.count("@anytile.dot.uint8.int8.x8(") == 1
    assert text.count("load <8 x i8>, ptr") == 4
    assert " mul " not in text


WRITTEN_OUT = {
    "three of four terms": _nest(known=3),
    "as many as is said at run time": _nest(known=None),
    "two bytes": _nest(terms=2, known=2),
    "weights without a sign": _nest(w="uint8"),
    "other bits of a byte": _nest("int8", "uint8", weight=_half(const(0), 7)),
    "halves of bytes with a sign": _nest("int8", "int8", weight=_half(const(1))),
    "float16": _nest("float16", "float16", 2, 2),
}


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_other_terms_are_written_out(name: str) -> None:
    nest = WRITTEN_OUT[name]
    if name == "float16":
        nest = _nest("bfloat16", "bfloat16", 2, 2)
        nest = replace(nest, params=tuple(replace(b, dtype=b.dtype.replace("bf", "f")) for b in nest.params))
    text = _emitted(nest)
    assert "@anytile.dot" not in text
    assert " mul " in text or "fmuladd" in text


def _channels(terms: int = 4, first: int = 0, condition: tuple[Expr, ...] = ()) -> LoopNest:
    """acc[v] += x[r, v] * w[v, first + r], of terms for which the condition holds."""
    product = Op("mul", (Cast("int32", Load("x", (r, v))), Cast("int32", Load("w", (v, r + first)))))
    update: Stmt = Update("acc", (v,), product)
    update = Guard(condition, update) if condition else update
    summed = Loop("v", const(LANES), LoopKind.VECTOR, Loop("r", const(terms), LoopKind.DOT, update))
    start, stored = Store("acc", (v,), Literal(0, "int32")), Store("y", (v,), Load("acc", (v,)))
    around = [Loop("v", const(LANES), LoopKind.VECTOR, s) for s in (start, stored)]
    params = (
        Buffer("x", (const(terms), const(LANES)), dtype="uint8"),
        Buffer("w", (const(LANES), const(4)), dtype="int8"),
        Buffer("y", (const(LANES),), dtype="int32", output=True),
    )
    acc = Buffer("acc", (const(LANES),), Scope.REGISTER, "int32")
    symbols = (Symbol("k", 0, 4),) if any("k" in e.names for e in condition) else ()
    return LoopNest("n", params, symbols, Alloc(acc, block(around[0], summed, around[1])))


def test_terms_that_lie_apart_are_shuffled_into_words() -> None:
    text = _emitted(_channels())
    assert text.count("@anytile.dot.uint8.int8.x8(") == 1
    assert text.count("load <8 x i8>, ptr") == 4
    assert text.count("load <8 x i32>, ptr %w.t") == 1
    assert " mul " not in text


@pytest.mark.parametrize("nest", [_channels(3, 1), _channels(condition=(r - 1,))], ids=["rounds", "a condition"])
def test_a_term_that_is_not_there_is_zero_in_its_place(nest: LoopNest) -> None:
    text = _emitted(nest)
    assert text.count("load <8 x i8>, ptr") == 3
    (first,) = [line for line in text.splitlines() if "shufflevector <8 x i8> zeroinitializer" in line]
    assert "i32 0, i32 1" in first  # in front of all others
    assert text.count("@anytile.dot.uint8.int8.x8(") == 1


def test_terms_of_which_only_a_run_knows_are_written_out() -> None:
    assert "@anytile.dot" not in _emitted(_channels(condition=(k - r,)))

"""Functions for narrow numbers against numpy, to the last bit: made of every set of instructions that runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module
from anytile.codegen.llvm.narrow.narrow_functions import IN_16_BITS
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME, FLOAT8, STORED_FLOATS
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import NarrowFacts, narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, from_bits, rounded

HOST = Target.host(1)
HERE = narrow_facts(HOST)
LANES = (1, 4, 8, 16)
Array = NDArray[Any]


def _ways() -> dict[str, NarrowFacts]:
    """What this machine offers, and less."""
    less = {
        "plain": NarrowFacts(),
        "words of 128": NarrowFacts(words=min(HERE.words, 128)),
        "words of 256": NarrowFacts(words=min(HERE.words, 256)),
        "words": NarrowFacts(words=HERE.words),
        "bytes of 256": NarrowFacts(bytes=min(HERE.bytes, 256), signed_bytes=HERE.signed_bytes),
        "all": HERE,
    }
    return {name: way for i, (name, way) in enumerate(less.items()) if way not in list(less.values())[:i]}


WAYS = _ways()


def _mapped(function: str, types: tuple[str, ...], result: str, lanes: int, way: NarrowFacts) -> Callable[..., None]:
    """`int32 map(data, dims, workspace)`: the function on so many lanes of each operand, again and again.

    Of "2 i16" a lane has two.
    """

    def kinds(type_: str) -> tuple[str, str]:
        """What a lane has, and what all have."""
        *several, element = type_.split()
        each = int(several[0]) if several else 1
        return f"[{each} x {element}]", element if lanes * each == 1 else f"<{lanes * each} x {element}>"

    lines, given = [], []
    for i in range(len(types) + 1):
        lines += [f"%a{i} = getelementptr ptr, ptr %data, i64 {i}", f"%p{i} = load ptr, ptr %a{i}"]
    body = []
    for i, type_ in enumerate(types):
        one, every = kinds(type_)
        body += [f"%e{i} = getelementptr {one}, ptr %p{i}, i64 %i", f"%v{i} = load {every}, ptr %e{i}, align 1"]
        given.append(f"{every} %v{i}")
    one, every = kinds(result)
    body += [f"%r = call {every} @anytile.{function}.x{lanes}({', '.join(given)})"]
    body += [f"%to = getelementptr {one}, ptr %p{len(types)}, i64 %i", f"store {every} %r, ptr %to, align 1"]
    text = "\n".join(
        [
            "define i32 @map(ptr %data, ptr %dims, ptr %workspace) #0 {",
            "start:", *lines, "%n = load i64, ptr %dims", "br label %body",
            "body:", "%i = phi i64 [ 0, %start ], [ %next, %body ]", *body,
            f"%next = add i64 %i, {lanes}", "%again = icmp slt i64 %next, %n",
            "br i1 %again, label %body, label %done", "done:", "ret i32 0", "}\n",
        ]
    )  # fmt: skip
    loaded = Loaded(compile_ir(module([text], narrow=lambda: way), HOST, "map", facts_too=False))

    def run(*arrays: Array) -> None:
        count = len(arrays[-1])
        assert count % lanes == 0
        assert loaded.call("map", [a.ctypes.data for a in arrays], [count]) == 0

    return run


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_floats_become_the_nearest_integers_and_none_beyond_the_ends(dtype: str, lanes: int) -> None:
    halves = np.arange(-1200, 1200, dtype=np.float32) / 4
    beyond = np.array([1e9, -1e9, 3e38, -3e38, np.inf, -np.inf, -0.0, 1e-40], np.float32)
    x = np.concatenate([halves, np.nextafter(halves, np.float32(np.inf)), np.tile(beyond, 2)])
    found = np.empty(x.size, dtype)
    _mapped(f"nearest.{dtype}", ("float",), "i8", lanes, HERE)(x, found)
    limits = np.iinfo(dtype)
    np.testing.assert_array_equal(found, np.clip(np.rint(x), limits.min, limits.max).astype(dtype))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", STORED_FLOATS)
def test_every_stored_float_is_widened(dtype: str, lanes: int, way: str) -> None:
    every = np.arange(1 << BY_NAME[dtype].bits, dtype=f"uint{BY_NAME[dtype].bits}")
    got = np.zeros(every.size, np.float32)
    _mapped(f"widen.{dtype}", (BY_NAME[dtype].llvm,), "float", lanes, WAYS[way])(every, got)
    wanted = from_bits(every, dtype).astype(np.float32)
    np.testing.assert_array_equal(got, wanted)
    is_number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(wanted)[is_number])


def _floats() -> Array:
    """Numbers around every border: halves between neighbours, subnormal ones, the largest, infinities, NaN."""
    every = np.arange(1 << 16, dtype=np.uint32)
    near = [(every << 16) + np.uint32(d) for d in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    near += [halves + np.uint32(d) for d in (0xFFF, 0x1000, 0x1001, 0x1FFF)]
    for dtype in FLOAT8:
        eighths = from_bits(np.arange(1 << 8, dtype=np.uint8), dtype)
        ties = ((eighths[1:] + eighths[:-1]) / 2).view(np.uint32)
        near += [ties + np.uint32(d) for d in (-1 % 2**32, 0, 1)]
    rng = np.random.default_rng(0)
    return np.concatenate([*near, rng.integers(0, 2**32, 1 << 16, np.uint32)]).view(np.float32)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", STORED_FLOATS)
def test_floats_are_rounded_to_the_nearest_even(dtype: str, lanes: int, way: str) -> None:
    given = _floats()
    given = given[: given.size // lanes * lanes]
    got = np.zeros(given.size, f"uint{BY_NAME[dtype].bits}")
    _mapped(f"round.{dtype}", ("float",), BY_NAME[dtype].llvm, lanes, WAYS[way])(given, got)
    with np.errstate(all="ignore"):
        wanted = bits_of(rounded(given, dtype), dtype).view(got.dtype)
    nan = np.isnan(given)
    np.testing.assert_array_equal(got[~nan], wanted[~nan])
    assert np.isnan(from_bits(got, dtype)[nan]).all()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_four_bytes_are_multiplied_and_added_exactly(dtype: str, lanes: int, way: str) -> None:
    rng, limits = np.random.default_rng(1), np.iinfo(dtype)
    count = 1 << 12
    x = rng.integers(limits.min, limits.max, (count, 4), dtype, endpoint=True)
    w = rng.integers(-128, 127, (count, 4), np.int8, endpoint=True)
    for i, extreme in enumerate((limits.min, limits.max)):  # nothing saturates
        x[8 * i : 8 * i + 4], w[8 * i : 8 * i + 4] = extreme, -128
        x[8 * i + 4 : 8 * i + 8], w[8 * i + 4 : 8 * i + 8] = extreme, 127
    acc = rng.integers(-(2**31), 2**31, count, np.int64).astype(np.int32)
    got = np.zeros(count, np.int32)
    _mapped(f"dot.{dtype}.int8", ("i32", "i32", "i32"), "i32", lanes, WAYS[way])(acc, x, w, got)
    wanted = acc + (x.astype(np.int64) * w).sum(1)
    np.testing.assert_array_equal(got, wanted.astype(np.int32))  # sums wrap around


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
def test_bytes_whose_pairs_16_bits_hold_are_multiplied_and_added_exactly(lanes: int, way: str) -> None:
    rng, count = np.random.default_rng(7), 1 << 12
    x, w = rng.integers(0, 256, (count, 4), np.uint8), rng.integers(-64, 65, (count, 4), np.int8)
    for i, pair in enumerate(((64, 64), (-64, -64), (127, 1), (-128, 0), (127, -128), (-127, -1))):
        x[16 * i : 16 * i + 16], w[16 * i : 16 * i + 16] = 255, pair * 2
    acc = rng.integers(-(2**31), 2**31, count, np.int64).astype(np.int32)
    got = np.zeros(count, np.int32)
    _mapped("dot16.uint8.int8", ("i32", "i32", "i32"), "i32", lanes, WAYS[way])(acc, x, w, got)
    np.testing.assert_array_equal(got, (acc + (x.astype(np.int64) * w).sum(1)).astype(np.int32))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
def test_halves_of_bytes_are_multiplied_and_added_exactly(lanes: int, way: str) -> None:
    rng, count = np.random.default_rng(4), 1 << 12
    x, w = rng.integers(0, 16, (count, 4), np.uint8), rng.integers(-128, 128, (count, 4), np.int8)
    for i, extreme in enumerate((0, 15)):  # nothing saturates
        x[8 * i : 8 * i + 8], w[8 * i : 8 * i + 4], w[8 * i + 4 : 8 * i + 8] = extreme, -128, 127
    acc = rng.integers(-(2**31), 2**31, count, np.int64).astype(np.int32)
    got = np.zeros(count, np.int32)
    _mapped("dot.uint4.int8", ("i32", "i32", "i32"), "i32", lanes, WAYS[way])(acc, x, w, got)
    np.testing.assert_array_equal(got, (acc + (x.astype(np.int64) * w).sum(1)).astype(np.int32))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
def test_pairs_of_products_are_added_in_16_bits_and_these_in_32(lanes: int, way: str) -> None:
    rng, count = np.random.default_rng(5), 1 << 8
    words = [
        (rng.integers(0, 16, (count, 4), np.uint8), rng.integers(-128, 128, (count, 4), np.int8))
        for _ in range(IN_16_BITS)
    ]
    for x, w in words:  # all of them at their largest: nothing saturates, and the sums hold them
        x[:16], w[:8], w[8:16] = 15, -128, 127
    add = _mapped("pairs.uint4.int8", ("2 i16", "i32", "i32"), "2 i16", lanes, WAYS[way])
    pairs = np.zeros((count, 2), np.int16)
    for x, w in words:
        more = np.zeros_like(pairs)
        add(pairs, x, w, more)
        pairs = more
    products = sum((x.astype(np.int64) * w).reshape(count, 2, 2).sum(2) for x, w in words)
    np.testing.assert_array_equal(pairs, products)
    acc = rng.integers(-(2**31), 2**31, count, np.int64).astype(np.int32)
    got = np.zeros(count, np.int32)
    _mapped("sums.pairs", ("i32", "2 i16"), "i32", lanes, WAYS[way])(acc, pairs, got)
    np.testing.assert_array_equal(got, (acc + pairs.sum(1, np.int64)).astype(np.int32))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
def test_pairs_of_16_bit_integers_are_multiplied_and_added_exactly(lanes: int, way: str) -> None:
    rng, count = np.random.default_rng(6), 1 << 12
    x, w = (rng.integers(-(2**15), 2**15, (count, 2), np.int16) for _ in range(2))
    x[:16], w[:16] = -(2**15), -(2**15)
    acc = rng.integers(-(2**31), 2**31, count, np.int64).astype(np.int32)
    got = np.zeros(count, np.int32)
    _mapped("dot.int16.int16", ("i32", "i32", "i32"), "i32", lanes, WAYS[way])(acc, x, w, got)
    np.testing.assert_array_equal(got, (acc + (x.astype(np.int64) * w).sum(1)).astype(np.int32))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lanes", LANES)
def test_pairs_of_bfloat16_are_multiplied_and_added(lanes: int, way: str) -> None:
    rng, count = np.random.default_rng(2), 1 << 12
    x, w = (rounded(rng.standard_normal((count, 2), np.float32), "bfloat16") for _ in range(2))
    acc = rng.standard_normal(count, np.float32)
    got = np.zeros(count, np.float32)
    bits = bits_of(x, "bfloat16"), bits_of(w, "bfloat16")
    _mapped("dot.bfloat16.bfloat16", ("float", "i32", "i32"), "float", lanes, WAYS[way])(acc, *bits, got)
    exact = acc + (x.astype(np.float64) * w).sum(1)
    near = 2.0**-22 * (np.abs(acc) + np.abs(x.astype(np.float64) * w).sum(1))
    assert (np.abs(got - exact) <= near).all()


def test_what_nothing_calls_is_not_asked_for() -> None:
    def asked() -> NarrowFacts:
        raise AssertionError("a module without narrow numbers asked what the CPU has for them")

    assert "widen" not in module(["define void @f() {\n  ret void\n}\n"], narrow=asked)


def test_a_wide_vector_on_a_machine_with_narrow_ones_is_taken_apart() -> None:
    """More lanes than a register holds."""
    lanes = 2 * facts(HOST).lanes
    rng = np.random.default_rng(3)
    x, w = rng.integers(0, 255, (64 * lanes, 4), np.uint8), rng.integers(-128, 127, (64 * lanes, 4), np.int8)
    acc, got = np.zeros(64 * lanes, np.int32), np.zeros(64 * lanes, np.int32)
    _mapped("dot.uint8.int8", ("i32", "i32", "i32"), "i32", lanes, HERE)(acc, x, w, got)
    np.testing.assert_array_equal(got, (x.astype(np.int64) * w).sum(1))

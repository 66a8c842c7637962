"""Mathematical functions against float64: everywhere, at every width, with multiply-adds and without."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import struct
from collections.abc import Iterator

import numpy as np
import pytest

from anytile.codegen.llvm.compile import assembly, compile_ir
from anytile.codegen.llvm.lanewise import Instructions
from anytile.codegen.llvm.vectormath import FUNCTIONS, definition, needed
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from tests.support.cases.vector_functions import Floats, loop, mapping, steps_off, true

# 1 checks every float32 (with --timeout 0: it takes hours); this odd number meets every exponent and every low bit.
STRIDE = int(os.environ.get("ANYTILE_TEST_STRIDE", "5077"))
INFINITY, NAN = float("inf"), float("nan")
TINY, NORMAL, HUGE = 2.0**-149, 2.0**-126, float(np.finfo(np.float32).max)
# Where a function changes its ways: reduction, clamping, overflow, subnormal results, zero.
CRITICAL = (
    *(
        0.0,
        NORMAL,
        HUGE,
        0.17328679,
        0.34657359,
        0.5,
        2 / 3,
        1.0,
        4 / 3,
        2**0.5,
        3.92,
        4.0,
        9.01,
        10.0,
        10.1,
        10.72,
        11.0,
    ),
    *(13.06, 14.4, 15.0, 16.635532, 17.3, 87.33655, 88.722839, 89.0, 103.972, 104.0),
)
UNARY = tuple(name for name, function in FUNCTIONS.items() if function.arity == 1)
CLOSE = tuple(name for name in UNARY if not FUNCTIONS[name].error)
HOST = Target.host()
PLAIN = Target.parse("llvm -mcpu=x86-64")  # what every x86-64 runs: four lanes and no multiply-adds
NARROW = Target.parse("llvm -mcpu=haswell")  # multiply-adds, but 2^n in two factors
HAS_NARROW = platform.machine() == "x86_64" and facts(HOST).has_fma and facts(HOST).vector_bits >= 256
COMPILED = [
    pytest.param(HOST, 1, id="scalar"),
    pytest.param(HOST, facts(HOST).lanes, id="vector"),
    pytest.param(
        PLAIN,
        4,
        id="no multiply-adds",
        marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="the code is for x86-64"),
    ),
    pytest.param(NARROW, 8, id="no scaling", marks=pytest.mark.skipif(not HAS_NARROW, reason="the code is for AVX2")),
]


def floats(patterns: np.ndarray) -> Floats:
    return patterns.astype(np.uint32).view(np.float32)


def samples() -> Iterator[Floats]:
    """Bit patterns from all over, and all patterns near what is critical."""
    step = STRIDE << 18
    for start in range(0, 1 << 32, step):
        yield floats(np.arange(start, min(start + step, 1 << 32), STRIDE, dtype=np.uint64))
    at = np.array(CRITICAL, np.float32).view(np.uint32).astype(np.int64)
    near = np.clip((at[:, None] + np.arange(-2048, 2048)).ravel(), 0, 0x7FFFFFFF)
    yield floats(near)
    yield floats(near | 1 << 31)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "lanes"), COMPILED)
@pytest.mark.parametrize("name", CLOSE)
def test_results_are_as_accurate_as_the_table_says(name: str, target: Target, lanes: int) -> None:
    apply, worst = mapping(name, lanes, target), 0
    for x in samples():
        steps = steps_off(apply(x), true(name, x))
        at = int(steps.argmax())
        assert steps[at] <= FUNCTIONS[name].ulp, f"{name}({x[at]!r}): {steps[at]} steps off"
        worst = max(worst, int(steps[at]))
    assert worst > 0 or FUNCTIONS[name].ulp == 1  # those made in doubles are off once in millions


SIZES = np.geomspace(1e-6, 3e38, 4001, dtype=np.float32)
DENSE = np.concatenate([np.linspace(-20, 20, 100_001, dtype=np.float32), SIZES, -SIZES])


@pytest.mark.parametrize(("target", "lanes"), COMPILED)
@pytest.mark.parametrize("name", [name for name in UNARY if FUNCTIONS[name].error])
def test_results_for_8_bits_are_as_near_as_the_table_says(name: str, target: Target, lanes: int) -> None:
    exact, bound = true(name, DENSE), FUNCTIONS[name].error
    off = np.abs(mapping(name, lanes, target)(DENSE) - exact)
    assert (off <= np.maximum(bound, 1e-6 * np.abs(exact))).all()
    assert off[np.abs(DENSE) < 20].max() > bound / 2  # else it promises too little


@pytest.mark.parametrize(("target", "lanes"), COMPILED)
def test_gelu_for_8_bits_is_gelu_to_a_sixth_of_a_step(target: Target, lanes: int) -> None:
    """By whatever range nothing is cut off from: every code there is, and none that is not beside the exact one."""
    apply = mapping("gelu_byte", lanes, target)
    for size in np.geomspace(1e-3, 100, 41):
        x = np.linspace(-size, size, 20_001, dtype=np.float32)
        exact = true("gelu", x)
        low, step = exact.min(), (exact.max() - exact.min()) / 255
        found, wanted = (apply(x) - low) / step, (exact - low) / step
        assert np.abs(found - wanted).max() < 1 / 6, size
        codes, same = np.rint(found), np.rint(wanted)
        assert np.abs(codes - same).max() <= 1
        assert (codes == same).mean() > 0.95
        assert set(range(256)) <= set(same)


SPECIAL = {
    "exp": [(INFINITY, INFINITY), (-INFINITY, 0.0), (0.0, 1.0), (-0.0, 1.0), (TINY, 1.0), (HUGE, INFINITY)],
    "exp2": [(INFINITY, INFINITY), (-INFINITY, 0.0), (0.0, 1.0), (-0.0, 1.0), (-149.0, 2.0**-149), (HUGE, INFINITY)],
    "log": [(INFINITY, INFINITY), (0.0, -INFINITY), (-0.0, -INFINITY), (1.0, 0.0), (-1.0, NAN), (-INFINITY, NAN)],
    "tanh": [(INFINITY, 1.0), (-INFINITY, -1.0), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (-TINY, -TINY)],
    "erf": [(INFINITY, 1.0), (-INFINITY, -1.0), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (-TINY, -TINY)],
    "sigmoid": [(INFINITY, 1.0), (-INFINITY, 0.0), (0.0, 0.5), (-0.0, 0.5), (-HUGE, 0.0), (HUGE, 1.0)],
    "gelu": [(INFINITY, INFINITY), (-INFINITY, -0.0), (0.0, 0.0), (-0.0, -0.0), (HUGE, HUGE), (-HUGE, -0.0)],
    "gelu_tanh": [(INFINITY, INFINITY), (-INFINITY, -0.0), (0.0, 0.0), (-0.0, -0.0), (HUGE, HUGE), (-HUGE, -0.0)],
    "gelu_byte": [(INFINITY, INFINITY), (0.0, 0.0), (-0.0, -0.0)],
    "sin": [(INFINITY, NAN), (-INFINITY, NAN), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (HUGE, -0.5218765)],
    "cos": [(INFINITY, NAN), (-INFINITY, NAN), (0.0, 1.0), (-0.0, 1.0), (TINY, 1.0), (-HUGE, 0.85302104)],
    "tan": [(INFINITY, NAN), (-INFINITY, NAN), (0.0, 0.0), (-0.0, -0.0), (-TINY, -TINY), (HUGE, -0.6117979)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, 1.5707964), (-1.0, -1.5707964), (1.0000001, NAN), (-INFINITY, NAN)],
    "acos": [(0.0, 1.5707964), (1.0, 0.0), (-1.0, 3.1415927), (1.0000001, NAN), (INFINITY, NAN)],
    "atan": [(INFINITY, 1.5707964), (-INFINITY, -1.5707964), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY)],
    "sinh": [(INFINITY, INFINITY), (-INFINITY, -INFINITY), (0.0, 0.0), (-0.0, -0.0), (HUGE, INFINITY), (-TINY, -TINY)],
    "cosh": [(INFINITY, INFINITY), (-INFINITY, INFINITY), (0.0, 1.0), (-0.0, 1.0), (-HUGE, INFINITY)],
    "asinh": [(INFINITY, INFINITY), (-INFINITY, -INFINITY), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY)],
    "acosh": [(INFINITY, INFINITY), (1.0, 0.0), (0.0, NAN), (-1.0, NAN), (-INFINITY, NAN)],
    "atanh": [(1.0, INFINITY), (-1.0, -INFINITY), (0.0, 0.0), (-0.0, -0.0), (1.0000001, NAN), (-INFINITY, NAN)],
}


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("target", "lanes"), COMPILED)
@pytest.mark.parametrize("name", UNARY)
def test_special_values(name: str, target: Target, lanes: int) -> None:
    x, y = np.array([*SPECIAL[name], (NAN, NAN), (-NAN, NAN)], np.float32).T.copy()
    found = mapping(name, lanes, target)(x)
    np.testing.assert_array_equal(found, y)
    known = ~np.isnan(y)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(y[known]))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", UNARY)
def test_every_nan_stays_one(name: str) -> None:
    """Whatever its payload: integers are made of its bits on the way."""
    patterns = np.arange(0x7F800001, 1 << 31, 4093, dtype=np.uint64)
    for x in (floats(patterns), floats(patterns | 1 << 31)):
        assert np.isnan(mapping(name, facts(HOST).lanes, HOST)(x)).all()


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("exp", -103.9, -87.4),
        ("exp2", -149.9, -126.1),
        ("sigmoid", -103.9, -87.4),
        ("gelu", -14.3, -13.1),
        ("gelu_tanh", -10.68, -10.11),
    ],
)
def test_small_results_are_subnormal_and_not_flushed(name: str, low: float, high: float) -> None:
    x = np.linspace(low, high, 100_000, dtype=np.float32)
    found = mapping(name, facts(HOST).lanes, HOST)(x)
    assert (found != 0).all()
    assert (np.abs(found) < NORMAL).sum() > 40_000
    assert steps_off(found, true(name, x)).max() <= FUNCTIONS[name].ulp


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the flag's number is x86-64's")
@pytest.mark.parametrize(("target", "lanes"), COMPILED)
def test_what_a_mask_hides_is_not_scaled_to_nothing(target: Target, lanes: int) -> None:
    """A result too small to be normal raises a flag, and takes some hundred cycles."""
    flags, underflow = ctypes.CDLL("libm.so.6"), 0x10
    run = mapping("exp", lanes, target)
    for x, raised in ((-INFINITY, False), (-HUGE, False), (-104.5, False), (-100.0, True)):
        given = np.full(32, x, np.float32)
        flags.feclearexcept(underflow)
        run(given)
        assert bool(flags.fetestexcept(underflow)) == raised, x


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", UNARY)
def test_every_width_gives_the_same_bits(name: str) -> None:
    x = np.random.default_rng(1).normal(0, 20, 4096).astype(np.float32)
    x = np.abs(x) if name == "log" else x
    one = mapping(name, 1, HOST)(x)
    for lanes in (2, 4, 8, 16, 32):
        np.testing.assert_array_equal(mapping(name, lanes, HOST)(x).view(np.int32), one.view(np.int32))


@pytest.mark.slow
@pytest.mark.skipif(not HAS_NARROW, reason="the code is for AVX2")
@pytest.mark.parametrize("name", UNARY)
def test_a_power_of_two_in_one_instruction_or_in_two_factors_gives_the_same_bits(name: str) -> None:
    for x in samples():
        wide, narrow = mapping(name, facts(HOST).lanes, HOST)(x), mapping(name, 8, NARROW)(x)
        numbers = ~np.isnan(wide)
        np.testing.assert_array_equal(wide[numbers].view(np.int32), narrow[numbers].view(np.int32))


def test_only_what_a_cpu_has_is_used() -> None:
    """Where it is missing, LLVM would call a library for `fma`, and refuse to select the other."""
    for name in FUNCTIONS:
        for lanes in (1, 8, 16, 32):
            plain, wide = definition(name, lanes), definition(name, lanes, Instructions(fused=True, scaling=True))
            assert "llvm.fma." not in plain
            assert "scalef" not in plain
            assert "llvm.fma." not in definition(name, lanes, Instructions(scaling=True))
            assert "scalef" not in definition(name, lanes, Instructions(fused=True))
            assert ("scalef" in wide) == (name in ("exp", "exp2", "sigmoid", "gelu", "gelu_tanh"))


OTHERS = {
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72": (1, 4, 16),
    "llvm -mtriple=x86_64-linux-gnu": (1, 4, 16),
    "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell": (1, 8, 16),
    "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids": (1, 16, 32),
    "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+m,+a,+f,+d,+v": (1, 4, 8),
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr9": (1, 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("name", UNARY)
def test_code_for_other_machines_needs_no_library(name: str, text: str) -> None:
    for lanes in OTHERS[text]:
        target = Target.parse(text)
        code = compile_ir(loop(name, lanes, Instructions.of(facts(target))), target, "map", facts_too=False).code
        assert undefined(code) <= {".TOC."}  # the base of PowerPC's constants, which the loader sets


def undefined(code: bytes) -> set[str]:
    """The symbols that a little-endian 64-bit ELF object leaves to others."""
    (sections_at,) = struct.unpack_from("<Q", code, 40)
    size, count, _ = struct.unpack_from("<HHH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, sections_at + i * size) for i in range(count)]
    found = set()
    for _, kind, _, _, offset, length, link, _, _, _ in sections:
        for at in range(offset, offset + length, 24) if kind == 2 else ():
            name, _, _, section, _, _ = struct.unpack_from("<IBBHQQ", code, at)
            start = sections[link][4] + name
            if name and not section:
                found.add(code[start : code.index(b"\0", start)].decode())
    return found


def test_undefined_symbols_are_seen() -> None:
    ir = "declare float @expf(float)\ndefine float @map(float %x) { %y = call float @expf(float %x) ret float %y }\n"
    assert undefined(compile_ir(ir, PLAIN, "map", facts_too=False).code) >= {"expf"}


# Instructions of the whole loop, its load, store, counter and jump included: a guard against code that got worse.
WIDE = Target.parse("llvm -mtriple=x86_64-linux-gnu -mcpu=znver4")
LOOP = {"exp": 18, "log": 35, "tanh": 27, "erf": 34, "sigmoid": 25, "gelu": 40, "gelu_tanh": 47, "gelu_byte": 18}
LOOP |= {"asin": 60, "acos": 70, "atan": 70, "sinh": 70, "cosh": 70, "asinh": 95, "acosh": 95, "atanh": 95, "exp2": 18}


@pytest.mark.parametrize("name", LOOP)
def test_the_loop_on_a_wide_machine_is_short_and_does_not_branch(name: str) -> None:
    asm = assembly(loop(name, 16, Instructions.of(facts(WIDE))), WIDE)
    body = [line for line in asm[asm.index("Inner Loop") : asm.index("%done")].splitlines() if line.startswith("\t")]
    names = [line.split()[0] for line in body if not line.startswith("\t.")]
    assert len(names) <= LOOP[name] + 1
    assert sum(n.startswith("j") for n in names) == 1
    assert not any(n.startswith("call") for n in names)


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if function.branches])
def test_what_few_arguments_need_is_jumped_over(name: str) -> None:
    """A loop over arguments of usual sizes meets one jump more than that of a function without."""
    asm = assembly(loop(name, 16, Instructions.of(facts(WIDE))), WIDE)
    body = asm[asm.index("Loop") : asm.index("%done")]
    assert len(re.findall(r"^\tj", body, re.M)) <= 3
    assert "call" not in body


def test_huge_angles_are_reduced_exactly() -> None:
    """The float32s nearest to multiples of pi / 2, where an error of the reduction would show most."""
    x = np.float32([16367173 * 2.0**72, 8388608.0, 8388609.0, 5.0706024e30, 1.6e38, 3.3e38, 1e22, 2.0**127])
    for name in ("sin", "cos", "tan"):
        assert steps_off(mapping(name, facts(HOST).lanes, HOST)(x), true(name, x)).max() <= 1


POWERS = np.float32(
    [0.0, 1.0, 2.0, 0.5, 3.0, 1e38, 1e-40, INFINITY, NAN, 16777215, 16777216, 8388607.5, 1.0000001, 7.0]
)


@pytest.mark.parametrize(("target", "lanes"), COMPILED)
def test_powers_are_numpys(target: Target, lanes: int) -> None:
    """Every pair of what is special, and numbers of all sizes: whole exponents of negative bases among them."""
    rng = np.random.default_rng(0)
    few = np.concatenate([POWERS, -POWERS])
    corners = [grid.ravel() for grid in np.meshgrid(few, few)]
    bases = rng.standard_normal(20000) * np.exp(rng.uniform(-30, 30, 20000))
    exponents = rng.standard_normal(20000) * 10.0 ** rng.uniform(-3, 3, 20000)
    exponents[:8000] = np.rint(exponents[:8000])
    x, y = (np.concatenate([a, b]).astype(np.float32) for a, b in zip(corners, (bases, exponents), strict=True))
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64))
    steps = steps_off(mapping("pow", lanes, target)(x, y), expected)
    at = int(steps.argmax())
    assert steps[at] <= FUNCTIONS["pow"].ulp, f"{x[at]!r} to the {y[at]!r}: {steps[at]} steps off"


def test_what_a_text_needs() -> None:
    text = "call float @anytile.exp.f32(float %a)\ncall <8 x float> @anytile.erf.v8f32(<8 x float> %b)\n" * 2
    assert needed(text) == [definition("erf", 8), definition("exp", 1)]
    assert needed(text + definition("exp", 1)) == [definition("erf", 8)]
    assert needed("\n".join(definition(name, 4) for name in FUNCTIONS)) == []
    assert needed("define void @map() {}") == []
    offered = Instructions(fused=True, scaling=True)
    assert needed(text, offered) == [definition("erf", 8, offered), definition("exp", 1, offered)]


@pytest.mark.parametrize(
    ("name", "lanes", "message"), [("cot", 4, "'cot' is not one of exp, exp2, log"), ("exp", 3, "power")]
)
def test_what_cannot_be_defined_is_an_error(name: str, lanes: int, message: str) -> None:
    with pytest.raises(CodegenError, match=message):
        definition(name, lanes)

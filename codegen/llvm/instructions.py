"""One operation of the value language -> LLVM instructions, for one element or for all lanes of a vector.

Values are SSA names or literals; `lanes` is 0 for a scalar. Arithmetic means what numpy means: integers wrap around,
NaN passes through `max` and `min`, division rounds down and by zero gives zero, and nothing that an unused lane may
hold is undefined behaviour. Functions without an instruction are calls of `@anytile.<name>`, which `vectormath` writes.
"""

from __future__ import annotations

import math
import struct

from anytile.codegen.llvm.writer import Writer
from anytile.core.dtypes import BY_NAME, ROWS, STORED_FLOATS
from anytile.core.errors import CodegenError

TYPES = {row.name: row.llvm for row in ROWS if row.llvm}
_SUFFIXES = {row.name: row.llvm_suffix for row in ROWS if row.llvm}
_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_FLOAT_CALLS = {
    **{"max": "maximum", "min": "minimum", "abs": "fabs", "floor": "floor", "ceil": "ceil", "sqrt": "sqrt"},
    **{"round": "rint", "trunc": "trunc"},
}
_INTEGER = {"add": "add", "sub": "sub", "mul": "mul", "bitand": "and", "bitor": "or", "bitxor": "xor"}
_INTEGER_CALLS = {"max": "smax", "min": "smin"}
_DIVIDE = ("floordiv", "mod", "truncdiv", "rem")
_LOGIC = {"and": "and", "or": "or", "bitand": "and", "bitor": "or", "bitxor": "xor"}
_BITS = {"bits_int32": "int32", "bits_float32": "float32"}
# Comparisons with NaN are false, but for `ne`.
_COMPARE = {
    **{"lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"), "ge": ("oge", "sge")},
    **{"eq": ("oeq", "eq"), "ne": ("une", "ne")},
}
_REDUCE = {
    "float32": {"add": "fadd", "mul": "fmul", "max": "fmax", "min": "fmin"},
    "int32": {"add": "add", "mul": "mul", "max": "smax", "min": "smin"},
    "int64": {"add": "add", "mul": "mul", "max": "smax", "min": "smin"},
}
_STARTS = {"add": "-0.0", "mul": "1.0"}


def kind(dtype: str, lanes: int) -> str:
    """The LLVM type of a value."""
    return f"<{lanes} x {TYPES[dtype]}>" if lanes else TYPES[dtype]


def suffix(dtype: str, lanes: int) -> str:
    """How the names of intrinsics spell a type."""
    return f"v{lanes}{_SUFFIXES[dtype]}" if lanes else _SUFFIXES[dtype]


def literal(number: float, dtype: str) -> str:
    """A number as LLVM reads it; a float is spelled as the bits of a double that is exactly that float."""
    if dtype == "bool":
        return "true" if number else "false"
    if dtype != "float32":
        return str(int(number))
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", number))
    except OverflowError:  # as numpy rounds it
        rounded = math.copysign(math.inf, number)
    return f"0x{int.from_bytes(struct.pack('>d', rounded), 'big'):016X}"


def splat(w: Writer, element: str, lanes: int, value: str) -> str:
    """One scalar in every lane; `element` is its LLVM type."""
    one = w.value(f"insertelement <{lanes} x {element}> poison, {element} {value}, i64 0", "s")
    zeros = f"<{lanes} x i32> zeroinitializer"
    return w.value(f"shufflevector <{lanes} x {element}> {one}, <{lanes} x {element}> poison, {zeros}", "s")


def operate(w: Writer, name: str, dtype: str, lanes: int, args: list[str]) -> str:
    """An operation on arguments of one dtype; `select` has its test first."""
    if dtype in STORED_FLOATS:
        raise CodegenError(f"{name} of {dtype}, a format of memory; cast it to float32")
    t = kind(dtype, lanes)
    if name in _COMPARE:
        ordered, signed = _COMPARE[name]
        code = f"fcmp {ordered}" if dtype == "float32" else f"icmp {signed}"
        return w.value(f"{code} {t} {args[0]}, {args[1]}", "c")
    if name == "select":
        return w.value(f"select {kind('bool', lanes)} {args[0]}, {t} {args[1]}, {t} {args[2]}")
    if name in _BITS:
        return w.value(f"bitcast {t} {args[0]} to {kind(_BITS[name], lanes)}")
    if dtype == "float32":
        return _float(w, name, lanes, args)
    if dtype == "bool":
        if name in _LOGIC:
            return w.value(f"{_LOGIC[name]} {t} {args[0]}, {args[1]}", "c")
        return w.value(f"xor {t} {args[0]}, {_all(w, 'true', 'bool', lanes)}", "c")
    return _integer(w, name, dtype, lanes, args)


def _float(w: Writer, name: str, lanes: int, args: list[str]) -> str:
    t, end = kind("float32", lanes), suffix("float32", lanes)
    if name in _FLOAT:
        return w.value(f"{_FLOAT[name]} {t} {args[0]}, {args[1]}")
    if name == "neg":
        return w.value(f"fneg {t} {args[0]}")
    if name == "rsqrt":
        root = _float(w, "sqrt", lanes, args)
        return w.value(f"fdiv {t} {_all(w, literal(1.0, 'float32'), 'float32', lanes)}, {root}")
    if name == "isnan":
        return w.value(f"fcmp uno {t} {args[0]}, {args[0]}", "c")
    if name == "isinf":
        size = _float(w, "abs", lanes, args)
        return w.value(f"fcmp oeq {t} {size}, {_all(w, literal(math.inf, 'float32'), 'float32', lanes)}", "c")
    if name == "sign":
        return _sign(w, "float32", lanes, args[0])
    if name == "rem":
        raise CodegenError("rem of float32 has no instructions; of integers it has")
    function = f"llvm.{_FLOAT_CALLS[name]}" if name in _FLOAT_CALLS else f"anytile.{name}"
    free = "nsz " if name in ("max", "min") else ""  # as numpy, which of two zeros is larger is not said
    return w.value(f"call {free}{t} @{function}.{end}({', '.join(f'{t} {a}' for a in args)})")


def _integer(w: Writer, name: str, dtype: str, lanes: int, args: list[str]) -> str:
    t, end = kind(dtype, lanes), suffix(dtype, lanes)
    if name in _INTEGER:
        return w.value(f"{_INTEGER[name]} {t} {args[0]}, {args[1]}")
    if name in _INTEGER_CALLS:
        return w.value(f"call {t} @llvm.{_INTEGER_CALLS[name]}.{end}({t} {args[0]}, {t} {args[1]})")
    if name == "neg":
        return w.value(f"sub {t} {_all(w, '0', dtype, lanes)}, {args[0]}")
    if name == "abs":
        return w.value(f"call {t} @llvm.abs.{end}({t} {args[0]}, i1 false)")
    if name == "bitnot":
        return w.value(f"xor {t} {args[0]}, {_all(w, '-1', dtype, lanes)}")
    if name == "sign":
        return _sign(w, dtype, lanes, args[0])
    if name in ("shl", "shr"):
        return _shift(w, name, dtype, lanes, *args)
    if name not in _DIVIDE:
        raise CodegenError(f"{name} of {dtype} has no instructions; compute it in float32")
    return _divide(w, name, dtype, lanes, *args)


def _sign(w: Writer, dtype: str, lanes: int, x: str) -> str:
    """1, 0 or -1; NaN stays what it is, and a zero has no sign."""
    zero, one, minus = (_all(w, literal(n, dtype), dtype, lanes) for n in (0, 1, -1))
    t, b1 = kind(dtype, lanes), kind("bool", lanes)
    above = operate(w, "gt", dtype, lanes, [x, zero])
    below = operate(w, "lt", dtype, lanes, [x, zero])
    rest = zero
    if dtype == "float32":
        nan = w.value(f"fcmp uno {t} {x}, {x}", "c")
        rest = w.value(f"select {b1} {nan}, {t} {x}, {t} {zero}")
    rest = w.value(f"select {b1} {below}, {t} {minus}, {t} {rest}")
    return w.value(f"select {b1} {above}, {t} {one}, {t} {rest}")


def _shift(w: Writer, name: str, dtype: str, lanes: int, x: str, by: str) -> str:
    """A distance that is negative or beyond the bits shifts everything out."""
    t, b1, bits = kind(dtype, lanes), kind("bool", lanes), BY_NAME[dtype].bits
    by = w.value(f"freeze {t} {by}")
    within = w.value(f"icmp ult {t} {by}, {_all(w, str(bits), dtype, lanes)}", "c")
    if name == "shl":
        distance = w.value(f"select {b1} {within}, {t} {by}, {t} {_all(w, '0', dtype, lanes)}")
        moved = w.value(f"shl {t} {x}, {distance}")
        return w.value(f"select {b1} {within}, {t} {moved}, {t} {_all(w, '0', dtype, lanes)}")
    distance = w.value(f"select {b1} {within}, {t} {by}, {t} {_all(w, str(bits - 1), dtype, lanes)}")
    return w.value(f"ashr {t} {x}, {distance}")


def _divide(w: Writer, name: str, dtype: str, lanes: int, a: str, b: str) -> str:
    """A quotient or what it leaves. The instruction traps on zero and on the smallest number by -1: those go around."""
    t, b1 = kind(dtype, lanes), kind("bool", lanes)
    zero, one, minus = (_all(w, n, dtype, lanes) for n in ("0", "1", "-1"))
    b = w.value(f"freeze {t} {b}")
    by_zero = w.value(f"icmp eq {t} {b}, {zero}", "c")
    by_minus = w.value(f"icmp eq {t} {b}, {minus}", "c")
    special = w.value(f"or {b1} {by_zero}, {by_minus}", "c")
    safe = w.value(f"select {b1} {special}, {t} {one}, {t} {b}")
    rest = w.value(f"srem {t} {a}, {safe}")
    if name == "rem":
        return rest
    if name == "truncdiv":
        cut = w.value(f"sdiv {t} {a}, {safe}")
        negated = w.value(f"sub {t} {zero}, {a}")
        otherwise = w.value(f"select {b1} {by_minus}, {t} {negated}, {t} {cut}")
        return w.value(f"select {b1} {by_zero}, {t} {zero}, {t} {otherwise}")
    # The instructions round towards zero: where signs differ and something is left, that is one too many.
    signs = w.value(f"xor {t} {rest}, {safe}")
    differ = w.value(f"icmp slt {t} {signs}, {zero}", "c")
    left = w.value(f"icmp ne {t} {rest}, {zero}", "c")
    over = w.value(f"and {b1} {differ}, {left}", "c")
    if name == "mod":
        moved = w.value(f"add {t} {rest}, {safe}")
        return w.value(f"select {b1} {over}, {t} {moved}, {t} {rest}")
    quotient = w.value(f"sdiv {t} {a}, {safe}")
    lower = w.value(f"add {t} {quotient}, {minus}")
    rounded = w.value(f"select {b1} {over}, {t} {lower}, {t} {quotient}")
    negated = w.value(f"sub {t} {zero}, {a}")
    otherwise = w.value(f"select {b1} {by_minus}, {t} {negated}, {t} {rounded}")
    return w.value(f"select {b1} {by_zero}, {t} {zero}, {t} {otherwise}")


def cast(w: Writer, source: str, target: str, lanes: int, x: str) -> str:
    """A value in another dtype, as numpy's astype."""
    if source == target:
        return x
    if source in STORED_FLOATS:
        return cast(w, "float32", target, lanes, _converted(w, f"widen.{source}", source, "float32", lanes, x))
    if target in STORED_FLOATS:
        wide = cast(w, source, "float32", lanes, x)
        return _converted(w, f"round.{target}", "float32", target, lanes, wide)
    s, t = kind(source, lanes), kind(target, lanes)
    unsigned = BY_NAME[source].kind in ("uint", "bool")
    if target == "bool":
        zero = _all(w, literal(0, source), source, lanes)
        return w.value(f"fcmp une {s} {x}, {zero}" if source == "float32" else f"icmp ne {s} {x}, {zero}", "c")
    if source == "float32":
        cut = w.value(f"{'fptoui' if BY_NAME[target].kind == 'uint' else 'fptosi'} {s} {x} to {t}")
        return w.value(f"freeze {t} {cut}")  # what does not fit is some number, and never undefined behaviour
    if target == "float32":
        return w.value(f"{'uitofp' if unsigned else 'sitofp'} {s} {x} to {t}")
    if s == t:
        return x
    if source != "bool" and BY_NAME[source].bits > BY_NAME[target].bits:
        return w.value(f"trunc {s} {x} to {t}")
    return w.value(f"{'zext' if unsigned else 'sext'} {s} {x} to {t}")


def nearest_integer(w: Writer, dtype: str, lanes: int, x: str) -> str:
    """The integer of 8 bits that is nearest to a float32."""
    return _converted(w, f"nearest.{dtype}", "float32", dtype, lanes, x)


def _converted(w: Writer, function: str, source: str, target: str, lanes: int, x: str) -> str:
    """A call of one of the conversions that `narrow_functions` writes."""
    call = f"call {kind(target, lanes)} @anytile.{function}.x{lanes or 1}({kind(source, lanes)} {x})"
    return w.value(call, "n")


def reduce_lanes(w: Writer, name: str, dtype: str, lanes: int, x: str) -> str:
    """One scalar out of all lanes; sums and products of floats in any order."""
    t, element = kind(dtype, lanes), TYPES[dtype]
    function = f"@llvm.vector.reduce.{_REDUCE[dtype][name]}.{suffix(dtype, lanes)}"
    if dtype == "float32" and name in _STARTS:
        return w.always(f"call reassoc float {function}(float {_STARTS[name]}, {t} {x})", "r")
    if dtype == "float32":
        return _largest(w, function, t, lanes, x, literal(-math.inf if name == "max" else math.inf, dtype))
    return w.always(f"call {element} {function}({t} {x})", "r")


def _largest(w: Writer, function: str, t: str, lanes: int, x: str, least: str) -> str:
    """`max` or `min` across lanes. NaN is looked for once instead of at every step, where it would cost far more."""
    mask = kind("bool", lanes)
    nan = w.value(f"fcmp uno {t} {x}, zeroinitializer", "c")
    rest = w.value(f"select {mask} {nan}, {t} {_all(w, least, 'float32', lanes)}, {t} {x}")
    found = w.always(f"call nnan float {function}({t} {rest})", "r")
    some = w.always(f"call i1 @llvm.vector.reduce.or.v{lanes}i1({mask} {nan})", "c")
    return w.value(f"select i1 {some}, float {literal(math.nan, 'float32')}, float {found}")


def _all(w: Writer, value: str, dtype: str, lanes: int) -> str:
    """A literal as a scalar or in every lane."""
    return splat(w, TYPES[dtype], lanes, value) if lanes else value

"""The operations of the value language: one table that the interpreter, the verifier and code generation derive from.

An operation takes so many values of dtypes that fit it and makes one value; what it makes follows from what it takes.
`dtype_of` derives the dtype of any value, so that none is ever written down twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np

from anytile.core import dtypes
from anytile.core.errors import ScheduleError
from anytile.schedules.nest.nodes import Cast, Literal, Load, Number, Op, Reduce, Value

# What operations mean is said of all dtypes of models; a nest has those alone that kernels compute with.
INTEGERS, NUMBERS = dtypes.MODEL_INTEGERS, dtypes.MODEL_NUMBERS
DTYPES = tuple(name for name in dtypes.MODEL if name not in dtypes.FLOAT8)
REDUCTIONS = ("add", "mul", "max", "min")  # what an Update or a Reduce may do

_Meaning = Callable[..., AnyType]


@dataclass(frozen=True, slots=True)
class Operation:
    """`takes` are the dtypes that the arguments may all be; a choice takes one bool before them.

    It makes what it takes, unless `makes` says otherwise. `meaning` is numpy's, on scalars and arrays.
    """

    name: str
    arity: int
    takes: tuple[str, ...]
    meaning: _Meaning
    makes: str = ""
    chooses: bool = False

    def dtype(self, args: tuple[str, ...]) -> str:
        """What comes of arguments of these dtypes."""
        same = args[1:] if self.chooses else args
        fits = len(args) == self.arity and len(set(same)) == 1 and same[0] in self.takes
        if not fits or (self.chooses and args[0] != "bool"):
            first = "one bool, then " if self.chooses else ""
            kinds = f"{first}{self.arity - self.chooses} of one dtype of {', '.join(self.takes)}"
            raise ScheduleError(f"{self.name} of {', '.join(args) or 'nothing'}; expected {kinds}")
        return self.makes or same[0]


def _in_double(function: _Meaning) -> _Meaning:
    """The exact result, as well as a double can hold it, rounded once to the precision that came."""

    def meaning(x: AnyType) -> AnyType:
        given = np.asarray(x)
        return np.asarray(function(given.astype(np.float64))).astype(given.dtype)[()]

    return meaning


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _sigmoid(x: AnyType) -> AnyType:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def _gelu(x: AnyType) -> AnyType:
    return np.where(x == -np.inf, -0.0, 0.5 * x * _erfc(-x / math.sqrt(2.0)))


def _gelu_tanh(x: AnyType) -> AnyType:
    inner = 2.0 * math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)
    return np.where(x == -np.inf, -0.0, x * _sigmoid(inner))


def _sign(x: AnyType) -> AnyType:
    found = np.asarray(np.where(np.isnan(x), x, np.sign(x)))
    return found.astype(np.asarray(x).dtype)[()]


def _shifted(shift: _Meaning, beyond: _Meaning) -> _Meaning:
    """numpy's shift where the distance is within the bits; `beyond` for any other, negative ones among them."""

    def meaning(x: AnyType, by: AnyType) -> AnyType:
        bits = np.asarray(x).dtype.itemsize * 8
        within = (by >= 0) & (by < bits)
        distance = np.where(within, by, 0).astype(np.asarray(x).dtype)
        made = np.where(within, shift(x, distance), beyond(x))
        return np.asarray(made).astype(np.asarray(x).dtype)[()]

    return meaning


def _truncated(a: AnyType, b: AnyType) -> AnyType:
    """Rounded towards zero; by zero it is 0, and the smallest number by -1 is itself."""
    kind = np.asarray(a).dtype
    down, rest = np.floor_divide(a, b), np.remainder(a, b)
    up = (rest != 0) & ((np.asarray(a) < 0) != (np.asarray(b) < 0))
    return np.asarray(np.where(up, down + np.ones((), kind), down)).astype(kind)[()]


def _power(x: AnyType, y: AnyType) -> AnyType:
    """x to the y, of floats in double and rounded once; of integers without what stands behind the point."""
    kind = np.result_type(x, y)
    if kind.kind in "iu":
        below, unit = np.less(y, 0), np.asarray(np.where(np.mod(y, 2) == 0, 1, x)).astype(kind)
        fraction = np.where(np.abs(x) == 1, unit, np.zeros((), kind))  # by a negative number only units stay
        return np.asarray(np.where(below, fraction, np.power(x, np.where(below, 0, y)))).astype(kind)[()]
    return np.asarray(np.power(np.asarray(x, np.float64), np.asarray(y, np.float64))).astype(kind)[()]


def _bits(kind: str) -> _Meaning:
    """The bits of 32-bit numbers as another of their dtypes; references compute floats of 32 bits in 64."""

    def meaning(x: AnyType) -> AnyType:
        given = np.asarray(x)
        return (given.astype(np.float32) if given.dtype == np.float64 else given).view(kind)[()]

    return meaning


def _select(test: AnyType, a: AnyType, b: AnyType) -> AnyType:
    return np.where(test, a, b)[()]


_FLOAT = dtypes.MODEL_FLOATS
_BOOL = ("bool",)
_BITS = (*INTEGERS, "bool")
_WORDS = ("float32", "int32")
_ALL = (
    Operation("add", 2, NUMBERS, lambda a, b: a + b),
    Operation("sub", 2, NUMBERS, lambda a, b: a - b),
    Operation("mul", 2, NUMBERS, lambda a, b: a * b),
    Operation("div", 2, _FLOAT, lambda a, b: a / b),
    Operation("max", 2, NUMBERS, np.maximum),
    Operation("min", 2, NUMBERS, np.minimum),
    Operation("floordiv", 2, INTEGERS, np.floor_divide),  # by zero it is 0, and so is the remainder
    Operation("mod", 2, INTEGERS, np.remainder),
    Operation("neg", 1, NUMBERS, np.negative),
    Operation("abs", 1, NUMBERS, np.abs),
    Operation("floor", 1, _FLOAT, np.floor),
    Operation("ceil", 1, _FLOAT, np.ceil),
    Operation("sqrt", 1, _FLOAT, np.sqrt),
    Operation("rsqrt", 1, _FLOAT, lambda x: np.reciprocal(np.sqrt(x))),
    Operation("exp", 1, _FLOAT, _in_double(np.exp)),
    Operation("exp2", 1, _FLOAT, _in_double(np.exp2)),  # a GPU's is 0 where the result is below 2^-126
    Operation("log", 1, _FLOAT, _in_double(np.log)),
    Operation("tanh", 1, _FLOAT, _in_double(np.tanh)),
    Operation("erf", 1, _FLOAT, _in_double(_erf)),
    Operation("sigmoid", 1, _FLOAT, _in_double(_sigmoid)),
    Operation("gelu", 1, _FLOAT, _in_double(_gelu)),
    Operation("gelu_tanh", 1, _FLOAT, _in_double(_gelu_tanh)),
    Operation("gelu_byte", 1, _FLOAT, _in_double(_gelu)),  # for what is rounded to 8 bits: code may be off by 1e-4
    Operation("sin", 1, _FLOAT, _in_double(np.sin)),
    Operation("cos", 1, _FLOAT, _in_double(np.cos)),
    Operation("tan", 1, _FLOAT, _in_double(np.tan)),
    Operation("asin", 1, _FLOAT, _in_double(np.arcsin)),
    Operation("acos", 1, _FLOAT, _in_double(np.arccos)),
    Operation("atan", 1, _FLOAT, _in_double(np.arctan)),
    Operation("sinh", 1, _FLOAT, _in_double(np.sinh)),
    Operation("cosh", 1, _FLOAT, _in_double(np.cosh)),
    Operation("asinh", 1, _FLOAT, _in_double(np.arcsinh)),
    Operation("acosh", 1, _FLOAT, _in_double(np.arccosh)),
    Operation("atanh", 1, _FLOAT, _in_double(np.arctanh)),
    Operation("pow", 2, NUMBERS, _power),
    Operation("round", 1, _FLOAT, np.rint),  # halves to even
    Operation("trunc", 1, _FLOAT, np.trunc),
    Operation("sign", 1, NUMBERS, _sign),
    Operation("isnan", 1, _FLOAT, np.isnan, makes="bool"),
    Operation("isinf", 1, _FLOAT, np.isinf, makes="bool"),
    Operation("truncdiv", 2, INTEGERS, _truncated),  # by zero it is 0, and so is the remainder
    Operation("rem", 2, NUMBERS, np.fmod),
    Operation("bitand", 2, _BITS, np.bitwise_and),
    Operation("bitor", 2, _BITS, np.bitwise_or),
    Operation("bitxor", 2, _BITS, np.bitwise_xor),
    Operation("bitnot", 1, _BITS, np.invert),
    Operation("shl", 2, INTEGERS, _shifted(np.left_shift, np.zeros_like)),
    Operation("shr", 2, INTEGERS, _shifted(np.right_shift, lambda x: np.where(x < 0, -1, 0))),
    Operation("bits_int32", 1, _WORDS, _bits("int32"), makes="int32"),
    Operation("bits_float32", 1, _WORDS, _bits("float32"), makes="float32"),
    Operation("lt", 2, NUMBERS, np.less, makes="bool"),
    Operation("le", 2, NUMBERS, np.less_equal, makes="bool"),
    Operation("gt", 2, NUMBERS, np.greater, makes="bool"),
    Operation("ge", 2, NUMBERS, np.greater_equal, makes="bool"),
    Operation("eq", 2, DTYPES, np.equal, makes="bool"),
    Operation("ne", 2, DTYPES, np.not_equal, makes="bool"),
    Operation("and", 2, _BOOL, np.logical_and),
    Operation("or", 2, _BOOL, np.logical_or),
    Operation("not", 1, _BOOL, np.logical_not),
    Operation("select", 3, DTYPES, _select, chooses=True),
)
OPERATIONS: Mapping[str, Operation] = {o.name: o for o in _ALL}


def operation(name: str) -> Operation:
    found = OPERATIONS.get(name)
    if found is None:
        raise ScheduleError(f"unknown operation {name!r}; expected one of {', '.join(OPERATIONS)}")
    return found


def apply(name: str, *args: AnyType) -> AnyType:
    """An operation on numpy's numbers or arrays."""
    return operation(name).meaning(*args)


def dtype_of(v: Value, dtype: Callable[[str], str]) -> str:
    """The dtype of a value; `dtype` gives that of a buffer. What does not fit together is refused."""
    match v:
        case Literal(number, kind):
            _check_literal(number, kind)
            return kind
        case Load(buffer, _):
            return dtype(buffer)
        case Op(name, args):
            return operation(name).dtype(tuple(dtype_of(a, dtype) for a in args))
        case Cast(kind, value):
            _known(kind, dtypes.MODEL, "a cast")
            dtype_of(value, dtype)
            return kind
        case Number(_, kind):
            _known(kind, INTEGERS, "an index as a value")
            return kind
        case Reduce(name, _, _, value):
            kind = dtype_of(value, dtype)
            _known(name, REDUCTIONS, "a reduction over lanes")
            _known(kind, NUMBERS, f"{name} over lanes")
            return kind


def identity(name: str, dtype: str) -> Literal:
    """What a reduction starts from: it changes nothing."""
    _known(name, REDUCTIONS, "a reduction")
    if name in ("add", "mul"):
        number: float = 0 if name == "add" else 1
        return Literal(float(number) if dtype in _FLOAT else number, dtype)
    if dtype in _FLOAT:
        return Literal(-math.inf if name == "max" else math.inf, dtype)
    limits = np.iinfo(dtype)
    return Literal(int(limits.min if name == "max" else limits.max), dtype)


def _check_literal(number: float, dtype: str) -> None:
    _known(dtype, dtypes.MODEL, "a literal")
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        if number != number or not limits.min <= number <= limits.max or number != int(number):
            raise ScheduleError(f"literal {number!r} is no {dtype}")
    elif dtype == "bool" and number not in (0, 1):
        raise ScheduleError(f"literal {number!r} is no bool; expected True or False")


def _known(name: str, names: tuple[str, ...], what: str) -> None:
    if name not in names:
        raise ScheduleError(f"{what} of {name!r}; expected one of {', '.join(names)}")

"""Operators on single elements, broadcast by numpy's rules: arithmetic, functions, comparisons, choices, casts.

Each is one line: its arguments' dtypes, and how it writes one element of its result (see `schedules.expression`). Its
meaning in numpy and its workload are made from that, so fusing two of them is putting one expression into the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import elementwise_as
from anytile.compiler.operators.spec import (
    ALL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REQUIRED,
    Attribute,
    Attributes,
    Facts,
    Mismatch,
    Operator,
    Schedule,
    Scheduled,
    Shaped,
    broadcast_all,
    dtype_name,
    number,
    of_dtype,
    same_dtype,
)
from anytile.core.dtypes import BY_NAME, FLOAT8
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import typed
from anytile.schedules.nest.nodes import Value
from anytile.schedules.operators.spec import Example, example, wide

_Element = Callable[[Sequence[str], Attributes], str]
_BOOL = ("bool",)
_BITS = (*INTEGERS, "bool")
_POSITIVE = "positive (?b, ?t)"


@lru_cache(1024)
def _typed(text: str, dtypes: tuple[str, ...]) -> Value:
    return typed(elementwise_text.parse(text), lambda name: dtypes[int(name[1:])])


def _apply(element: _Element, arrays: Sequence[Array], attrs: Attributes) -> tuple[Array, ...]:
    """The expression over whole arrays, which numpy broadcasts."""
    names = [f"a{i}" for i in range(len(arrays))]
    value = _typed(element(names, attrs), tuple(dtype_name(a.dtype) for a in arrays))
    with np.errstate(all="ignore"):
        made = np.asarray(elementwise_text.evaluate(value, {n: wide(a) for n, a in zip(names, arrays, strict=True)}))
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return (np.broadcast_to(made, shape),)


def _scheduled(element: _Element) -> Schedule:
    def schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
        return elementwise_as(lambda texts: element(texts, attrs), args, results[0])

    return schedule


def _row(
    name: str,
    summary: str,
    element: _Element,
    takes: tuple[str, ...],
    arity: int = 1,
    makes: Callable[[str, Attributes], str] = lambda dtype, attrs: dtype,
    attributes: tuple[Attribute, ...] = (),
    chooses: bool = False,
    examples: tuple[Example, ...] = (),
    hosted: tuple[str, ...] = (),
    takes_stored: bool = False,
) -> Operator:
    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        if chooses:
            of_dtype(args[0], _BOOL, "the condition")
        dtype = same_dtype(args[int(chooses) :], takes)
        made = makes(dtype, attrs)
        if attributes:  # a number among them may be none of that dtype
            _typed(element([f"a{i}" for i in range(arity)], attrs), tuple(a.dtype for a in args))
        return (Shaped(broadcast_all(args, facts), made),)

    inputs = ("x",) if arity == 1 else ("condition", "a", "b") if chooses else ("a", "b")
    return Operator(
        name=name,
        summary=summary,
        inputs=inputs,
        relation=relation,
        numpy=lambda arrays, attrs: _apply(element, arrays, attrs),
        attributes=attributes,
        element=element,
        schedule=_scheduled(element),
        hosted=hosted,
        takes_stored=takes_stored,
        examples=examples or (_usual(takes[0], arity, chooses),),
    )


def _usual(dtype: str, arity: int, chooses: bool) -> Example:
    """Tensors that are broadcast together."""
    shapes = ("(?b, ?t, 6)", "(6)", "(?t, 1)")[:arity]
    return example(*(f"{shape} {'bool' if chooses and not i else dtype}" for i, shape in enumerate(shapes)))


def _called(function: str) -> _Element:
    return lambda a, attrs: f"{function}({', '.join(a)})"


def _unary(
    name: str, summary: str, takes: tuple[str, ...] = FLOATS, function: str = "", of: str = "(?b, ?t, 6)"
) -> Operator:
    examples = (example(of if takes == FLOATS else f"{of} {takes[0]}"),)
    return _row(name, summary, _called(function or name), takes, examples=examples)


def _binary(name: str, summary: str, takes: tuple[str, ...], function: str = "") -> Operator:
    return _row(name, summary, _called(function or name), takes, arity=2)


def _asks(name: str, summary: str) -> Operator:
    return _row(name, summary, _called(name), FLOATS, makes=lambda dtype, attrs: "bool")


def _compare(name: str, summary: str, takes: tuple[str, ...], function: str) -> Operator:
    return _row(name, summary, _called(function), takes, arity=2, makes=lambda dtype, attrs: "bool")


def _cast_target(dtype: str, attrs: Attributes) -> str:
    target = str(attrs["dtype"])
    if target not in ALL:
        raise Mismatch(f"dtype={target}: expected one of {', '.join(ALL)}")
    return target


def _bit_cast(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    to = str(attrs["dtype"])
    if to not in ALL or to == "bool" or BY_NAME[to].bits != BY_NAME[x.dtype].bits:
        raise Mismatch(f"the bits of {x.dtype} as {to}: expected a dtype of {BY_NAME[x.dtype].bits} bits, and not bool")
    return (Shaped(x.dims, to),)


def _bit_cast_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    return (np.ascontiguousarray(x).view(str(attrs["dtype"])).reshape(x.shape),)


def _bits(a: Sequence[str], attrs: Attributes) -> str:
    return f"bits_{attrs['dtype']}({a[0]})"


def _scheduled_bits(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    """A kernel where words have 32 bits, which kernels read both ways."""
    return _scheduled(_bits)(args, results, attrs) if BY_NAME[args[0].dtype].bits == 32 else None


def _clipped(a: Sequence[str], attrs: Attributes) -> str:
    low, high = number(attrs, "min"), number(attrs, "max")
    text = f"max({a[0]}, {low!r})" if low > -math.inf else a[0]  # an infinity would not be an integer
    return f"min({text}, {high!r})" if high < math.inf else text


def _leaky(a: Sequence[str], attrs: Attributes) -> str:
    return f"where(lt({a[0]}, 0), {number(attrs, 'alpha')!r} * {a[0]}, {a[0]})"


ROWS = (
    _unary("negative", "-x", NUMBERS, "neg"),
    _unary("abs", "x without its sign", NUMBERS),
    _unary("floor", "the largest whole number up to x"),
    _unary("ceil", "the smallest whole number from x"),
    _unary("sqrt", "the square root", of=_POSITIVE),
    _unary("rsqrt", "1 / sqrt(x)", of=_POSITIVE),
    _unary("exp", "e to the x"),
    _unary("log", "the natural logarithm", of=_POSITIVE),
    _unary("tanh", "the hyperbolic tangent"),
    _unary("erf", "the error function"),
    _unary("sin", "the sine of an angle in radians, however large"),
    _unary("cos", "the cosine"),
    _unary("tan", "the tangent"),
    _unary("asin", "the angle from -pi / 2 to pi / 2 whose sine is x; NaN outside -1 to 1"),
    _unary("acos", "the angle from 0 to pi whose cosine is x; NaN outside -1 to 1"),
    _unary("atan", "the angle from -pi / 2 to pi / 2 whose tangent is x"),
    _unary("sinh", "the hyperbolic sine"),
    _unary("cosh", "the hyperbolic cosine"),
    _unary("asinh", "the number whose hyperbolic sine is x"),
    _unary("acosh", "the number from 0 whose hyperbolic cosine is x; NaN below 1"),
    _unary("atanh", "the number whose hyperbolic tangent is x; NaN outside -1 to 1"),
    _unary("round", "the nearest whole number, halves to even ones"),
    _unary("trunc", "x without what stands behind its point"),
    _unary("sign", "1, 0 or -1 as x is above, at or below 0; NaN stays", NUMBERS),
    _asks("isnan", "whether x is NaN"),
    _asks("isinf", "whether x is infinite, of either sign"),
    _unary("sigmoid", "1 / (1 + exp(-x))"),
    _unary("gelu", "x times the normal distribution's probability up to x"),
    _unary("gelu_tanh", "gelu by its approximation with tanh"),
    _unary("silu", "x * sigmoid(x)"),
    _unary("relu", "max(x, 0)", NUMBERS),
    _row("square", "x * x", lambda a, attrs: f"mul({a[0]}, {a[0]})", NUMBERS),
    _row("reciprocal", "1 / x", lambda a, attrs: f"div(1, {a[0]})", FLOATS),
    _row(
        "leaky_relu",
        "x where it is positive, else alpha * x",
        _leaky,
        FLOATS,
        attributes=(Attribute("alpha", "float", 0.01, "the slope below zero"),),
    ),
    _row(
        "clip",
        "x cut off at min and max",
        _clipped,
        NUMBERS,
        attributes=(
            Attribute("min", "float", float("-inf"), "the least there is"),
            Attribute("max", "float", float("inf"), "the most there is"),
        ),
        examples=(example("(?b, ?t)", min=-0.5, max=1.0), example("(?b, ?t) int64", min=-1.0)),
    ),
    _row(
        "cast",
        "x in another dtype; of NaN, or a float that does not fit, an integer is some number",
        lambda a, attrs: f"{attrs['dtype']}({a[0]})",
        ALL,
        makes=_cast_target,
        takes_stored=True,
        attributes=(Attribute("dtype", "str", REQUIRED, "the dtype it becomes", words=ALL),),
        examples=(
            example("(?b, ?t) float32", dtype="int32"),
            example("(?b, ?t) bool", dtype="float32"),
            example("(?b, ?t) int64", dtype="bool"),
        ),
    ),
    _row(
        "round_to",
        "x where only the numbers of another dtype are left: cast to it and back",
        lambda a, attrs: f"float32({attrs['dtype']}({a[0]}))",
        ("float32",),
        attributes=(Attribute("dtype", "str", REQUIRED, "whose numbers those are", words=FLOAT8),),
        examples=tuple(example("(?b, ?t)", dtype=dtype) for dtype in FLOAT8),
    ),
    Operator(
        name="bit_cast",
        summary="the bits of x as elements of another dtype",
        inputs=("x",),
        relation=_bit_cast,
        numpy=_bit_cast_meaning,
        element=_bits,  # no function of other words has a name
        schedule=_scheduled_bits,
        attributes=(Attribute("dtype", "str", REQUIRED, "how they are read", words=ALL),),
        examples=(
            example("(?b, ?t)", dtype="int32"),
            example("(?b, ?t) int32", dtype="float32"),
            example("(?b, ?t) int64", dtype="float64"),
            example("(?b, ?t) bool", dtype="uint8"),
        ),
    ),
    _unary("logical_not", "true where x is false", _BOOL, "not_"),
    _row(
        "add",
        "a + b",
        _called("add"),
        NUMBERS,
        arity=2,
        examples=(example("(?b, ?t, 6)", "(6)"), example("(?b, 1, 6)", "(?t, 1)"), example("()", "()")),
    ),
    _binary("subtract", "a - b", NUMBERS, "sub"),
    _binary("multiply", "a * b", NUMBERS, "mul"),
    _binary("divide", "a / b", FLOATS, "div"),
    _binary("floor_divide", "a / b rounded down; by 0 it is 0", INTEGERS, "floordiv"),
    _binary("mod", "what floor_divide leaves, with the sign of b; by 0 it is 0", INTEGERS, "mod"),
    _binary("truncate_divide", "a / b rounded towards zero; by 0 it is 0", INTEGERS, "truncdiv"),
    _row(
        "fmod",
        "what truncate_divide leaves, with the sign of a; an integer by 0 leaves 0, a float NaN",
        _called("rem"),
        NUMBERS,
        arity=2,
        hosted=FLOATS,
        examples=(example("(?b, ?t, 6) int32", "(6) int32"), example("(?b, ?t, 6)", "(6)")),
    ),
    _row(
        "pow",
        "a to the b; NaN where a is negative and b no whole number, and of integers 0 for a fraction",
        _called("pow"),
        NUMBERS,
        arity=2,
        hosted=INTEGERS,
        examples=(example("(?b, ?t, 6)", "(6)"), example("(?b, ?t, 6) int64", "(6) int64")),
    ),
    _binary("bitwise_and", "the bits that both have", _BITS, "bitand"),
    _binary("bitwise_or", "the bits that one of both has", _BITS, "bitor"),
    _binary("bitwise_xor", "the bits in which both differ", _BITS, "bitxor"),
    _unary("bitwise_not", "every bit turned around", _BITS, "bitnot"),
    _binary(
        "left_shift", "a * 2**b without what does not fit; 0 for b that is negative or beyond the bits", INTEGERS, "shl"
    ),
    _binary(
        "right_shift", "a / 2**b rounded down; b that is negative or beyond the bits leaves the sign", INTEGERS, "shr"
    ),
    _binary("maximum", "the larger", NUMBERS, "max"),
    _binary("minimum", "the smaller", NUMBERS, "min"),
    _compare("less", "a < b", NUMBERS, "lt"),
    _compare("less_equal", "a <= b", NUMBERS, "le"),
    _compare("greater", "a > b", NUMBERS, "gt"),
    _compare("greater_equal", "a >= b", NUMBERS, "ge"),
    _compare("equal", "a == b", ALL, "eq"),
    _compare("not_equal", "a != b", ALL, "ne"),
    _binary("logical_and", "a and b", _BOOL, "and_"),
    _binary("logical_or", "a or b", _BOOL, "or_"),
    _row("where", "a where the condition holds, else b", _called("where"), ALL, arity=3, chooses=True),
)

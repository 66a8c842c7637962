"""Steps element by element, and along dimensions."""

from __future__ import annotations

from tests.support.generators.graphs.growth import FLOATS, Growth, Step, Value
from tests.support.generators.graphs.operands import any_axis, fits, need, other_of, signed

SMOOTH = (
    "Tanh", "Sigmoid", "Relu", "Neg", "Abs", "Erf", "Softplus", "Softsign", "Elu", "Selu", "Celu", "Mish",
    "HardSwish", "HardSigmoid", "LeakyRelu", "Sin", "Cos", "Identity", "Gelu", "Exp", "Sqrt", "Log", "Reciprocal",
    "Floor", "Ceil", "Round", "Sign", "ThresholdedRelu", "Shrink", "Atan", "Sinh", "Cosh", "Tan", "Asinh",
)  # fmt: skip
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")
COMPARED = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")
WHOLE_REDUCED = ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")
REDUCED = (*WHOLE_REDUCED, "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")


def smooth(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS)
    op = g.rng.choice(SMOOTH)
    if op in ("Sqrt", "Log", "Reciprocal"):
        x = g.one("Abs", x)
        x = g.one("Add", x, g.const(0.5, x.dtype))
    g.one(op, x)


def binary(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    op, other = g.rng.choice(BINARY), other_of(g, x)
    g.one(op, *((x, other) if g.chance(0.7) else (other, x)))


def power(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS)
    by = g.rng.choice((2.0, 3.0, 0.5, -0.5, 1.0, 4.0))
    if by != int(by):
        x = g.one("Add", g.one("Abs", x), g.const(0.3, x.dtype))
    g.one("Pow", x, g.const(by, x.dtype))


def compare(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    found = g.one(g.rng.choice(COMPARED), x, other_of(g, x))
    then = g.rng.choice(("where", "cast", "not", "stop"))
    if then == "where":
        g.one("Where", found, x, other_of(g, x))
    elif then == "cast":
        g.one("Cast", found, to=g.rng.choice((1, 6, 7)))
    elif then == "not":
        g.one("Not", found)


def logical(g: Growth, x: Value) -> None:
    need(x.dtype == "bool")
    others = [v for v in g.values.values() if v.dtype == "bool" and fits(v, x)]
    g.one(g.rng.choice(("And", "Or", "Xor")), x, g.rng.choice(others))


def clip(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    low = g.const(-1, x.dtype) if g.chance(0.7) and not x.dtype.startswith("u") else None
    high = g.const(2, x.dtype) if low is None or g.chance(0.7) else None
    g.one("Clip", x, low, *([high] if high else []))


def cast(g: Growth, x: Value) -> None:
    to = g.rng.choice((1, 1, 1, 10, 6, 7, 9, 3, 2, 11))
    if x.dtype in FLOATS and to in (3, 2):
        x = g.one("Clip", x, g.const(0, x.dtype), g.const(100, x.dtype))
    made = g.one("Cast", x, to=to)
    if made.dtype in ("float16", "float64", "uint8", "int8") and g.chance(0.7):
        g.one("Cast", made, to=1)


def reduce(g: Growth, x: Value) -> None:
    need(x.rank > 0 and x.dtype != "bool")
    op = g.rng.choice(REDUCED if x.dtype in FLOATS else WHOLE_REDUCED)
    if op == "ReduceLogSum":
        x = g.one("Add", g.one("Abs", x), g.const(1, x.dtype))
    axes = [signed(g, x, a) for a in g.rng.sample(range(x.rank), g.rng.randint(1, min(2, x.rank)))]
    given = [g.ints(*axes)] if g.chance(0.9) else []
    g.one(op, x, *given, keepdims=g.rng.randrange(2))


def arg(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)
    g.one(g.rng.choice(("ArgMax", "ArgMin")), x, axis=signed(g, x, axis), keepdims=g.rng.randrange(2))


def softmax(g: Growth, x: Value) -> None:
    g.one(g.rng.choice(("Softmax", "Softmax", "LogSoftmax")), x, axis=signed(g, x, any_axis(g, x)))


def sort(g: Growth, x: Value) -> None:
    axis = any_axis(g, x)
    way = g.rng.choice(("top", "sum", "hot"))
    if way == "top":
        need(x.least(axis) > 0)
        k = g.ints(g.rng.randint(1, x.least(axis)))
        need(bool(g.node("TopK", x, k, results=2, axis=axis, largest=g.rng.randrange(2))))
    elif way == "sum":
        at = g.const(axis, "int64")
        g.one("CumSum", x, at, exclusive=g.rng.randrange(2), reverse=g.rng.randrange(2))
    else:
        best = g.one("ArgMax", x, axis=axis, keepdims=0)
        g.one("OneHot", best, g.const(5, "int64"), g.const([0.0, 1.0], "float32"), axis=g.rng.choice((-1, 0)))


STEPS: dict[Step, int] = {
    smooth: 8, binary: 10, power: 1, compare: 4, logical: 1, clip: 2, cast: 3, reduce: 5,
    arg: 1, softmax: 3, sort: 2,
}  # fmt: skip

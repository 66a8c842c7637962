"""quantised_dense: y[m, n] = sum_k x[m, k] * w[n, k] of 8-bit integers, or of a float32 x and a narrow w alone.

Products of integers are added up exactly in int32. A narrow w beside floats is widened where it is read: few rows wait
for its bytes, of which 16-bit floats have half, 8-bit floats and integers a quarter. Or x is rounded as w is
(`products=rounded`), for units that multiply such alone.

Scales and zero points are a tail's work, which sees the sums as float32: with x = (q - zero) * scale and w = r * by[n],
`tail=(y - zero[m] * total[n]) * (scale[m] * by[n])` is their product, where total[n] is the sum of r[n, k] over k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from anytile.core.dtypes import HALVES, STORED_FLOATS
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Cast, Load, Loop, LoopKind, Op, Stmt, Update, Value
from anytile.schedules.nest.stored_floats import rounded
from anytile.schedules.nest.traverse import map_loads
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.spec import (
    Array,
    Attributes,
    AttributeValue,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
)

FLOAT = "float32"
# What outputs of integers hold; of int32 the largest that float32 has.
INTEGER_LIMITS = {"int8": (-128.0, 127.0), "uint8": (0.0, 255.0), "int32": (-(2.0**31), 2.0**31 - 128)}


ROUNDED, IN_32_BITS, IN_16_BITS = "rounded", "int32", "int16"
OUT = Attribute("out", "str", "int32", "the dtype of y", words=("int32", FLOAT, "uint8", "int8"))
Reference = Callable[[Mapping[str, Array], Attributes], tuple[Array, ...]]
Body = Callable[[Mapping[str, Expr], Attributes], Stmt]


def of_integers(of: Operator, left: str, right: str) -> tuple[Callable[[Attributes], Form], Reference, Body]:
    """An operator's form, meaning and nest with 8-bit integers on both sides, added up in int32.

    float64 has sums of so few products exactly.
    """
    floats = of.body
    assert floats is not None

    def form(attributes: Attributes) -> Form:
        dtypes = {left: str(attributes["x"]), right: "int8", "y": str(attributes["out"])}
        plain = of.form(attributes)
        return replace(plain, tensors=tuple(replace(t, dtype=dtypes[t.name]) for t in plain.tensors))

    def reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
        (found,) = of.reference({name: array.astype(np.float64) for name, array in inputs.items()}, attributes)
        return (found.astype(np.int64).astype(np.int32),)

    def body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
        return map_loads(floats(size, attributes), lambda v: Cast("int32", v))

    return form, reference, body


def _form(attributes: Attributes) -> Form:
    pairs = "k" if attributes["pairs"] == IN_16_BITS else None
    tensors = (
        TensorSpec("x", ("m", "k"), dtype=str(attributes["x"])),
        TensorSpec("w", ("n", "k"), may_be_constant=True, dtype=str(attributes["w"]), pairs=pairs),
        TensorSpec("y", ("m", "n"), output=True, dtype=str(attributes["out"])),
    )
    return Form(("m", "n", "k"), tensors)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    if attributes["x"] == FLOAT:
        x = rounded(inputs["x"], rounded_as(attributes)) if attributes["products"] == ROUNDED else inputs["x"]
        return (x.astype(np.float64) @ inputs["w"].astype(np.float64).T,)
    # Sums of such products are exact in float64, which numpy multiplies faster, and wrap around as int32's do.
    x, w = (inputs[name].astype(np.float64) for name in ("x", "w"))
    return ((x @ w.T).astype(np.int64).astype(np.int32),)


def objection(attributes: Attributes) -> str | None:
    """What is wrong with dtypes beside each other."""
    narrow = weight_of(attributes)
    if attributes["x"] != FLOAT and narrow != "int8":
        return f"w={narrow} with x={attributes['x']}; expected w=int8, or x=float32"
    if attributes["x"] == FLOAT and attributes["out"] != FLOAT:
        return f"out={attributes['out']} with x=float32; expected out=float32"
    if attributes["products"] == ROUNDED and (attributes["x"] != FLOAT or narrow not in STORED_FLOATS):
        return f"products=rounded with x={attributes['x']} and w={narrow}; expected x=float32, and w of narrow floats"
    if attributes.get(PAIRS.name) == IN_16_BITS and attributes["x"] != "uint8":
        return f"pairs=int16 with x={attributes['x']}; expected x=uint8"
    return None


def weight_of(attributes: Attributes) -> str:
    """The dtype of w, of either operator: an attribute cannot be called like a dimension, as a width is."""
    return str(attributes[WEIGHT.name] if WEIGHT.name in attributes else attributes[W.name])


def rounded_as(attributes: Attributes) -> str:
    """The 16-bit floats that x is rounded to for products in these: those of w, and float16 beside 8 bits, all of whose
    numbers it has."""
    narrow = weight_of(attributes)
    return narrow if narrow in HALVES else "float16"


def factor(load: Load, attributes: Attributes) -> Value:
    """What of x or w is multiplied."""
    if attributes["x"] != FLOAT:
        return Cast("int32", load)
    if load.buffer == "w":
        return Cast(FLOAT, load)
    return Cast(FLOAT, Cast(rounded_as(attributes), load)) if attributes["products"] == ROUNDED else load


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    m, n, k = var("i_m"), var("i_n"), var("i_k")
    product = (factor(Load("x", (m, k)), attributes), factor(Load("w", (n, k)), attributes))
    body: Stmt = Update("y", (m, n), Op("mul", product))
    for name in ("k", "n", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


X = Attribute("x", "str", "uint8", "the dtype of x", words=("uint8", "int8", FLOAT))
W = Attribute("w", "str", "int8", "the dtype of w", words=("int8", *STORED_FLOATS))
WEIGHT = replace(W, name="weight")
PRODUCTS = Attribute(
    "products", "str", "exact", "of a float32 x: exact, or of x rounded to 16 bits", ("exact", ROUNDED)
)
_SUMS = (IN_32_BITS, IN_16_BITS)
PAIRS = Attribute("pairs", "str", IN_32_BITS, "what a constant w lets two products add up in", _SUMS)


def products_alone(attributes: Attributes) -> Mapping[str, AttributeValue]:
    """The products alone: what a tail makes of them may be rounded again, a tile of sums is the same work."""
    return {**attributes, "out": "int32" if attributes["out"] == "int32" else FLOAT}


QUANTISED_DENSE = Operator(
    name="quantised_dense",
    summary="y[m, n] = sum_k x[m, k] * w[n, k], of 8-bit integers",
    form=_form,
    flops=lambda s, _: 2 * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        X,
        W,
        OUT,
        PRODUCTS,
        PAIRS,
    ),
    objection=lambda size, attributes: objection(attributes),
    sums=lambda attributes: FLOAT if attributes["x"] == FLOAT else "int32",
    takes_tail=True,
    anchor=products_alone,
    about="""`y[m, n] = sum_k x[m, k] * w[n, k]` of 8-bit integers, added up exactly in int32; w is int8.

    `out="float32", tail="(y - zero[m] * total[n]) * (scale[m] * by[n])"` takes zero points and scales into account: the
    tail and its operands are float32. `out="uint8"` and "int8" are the nearest such integers to what the tail makes.

    With `x="float32", out="float32"` the weight alone is narrow: int8, or floats of 16 or 8 bits. Sums are float32's.
    With `products="rounded"` x is rounded to a weight's 16 bits, too, beside 8 bits to float16, for the matrix units of
    GPUs.

    `pairs="int16"` promises of a constant w that pairs along k (0 and 1, 2 and 3, and so on) add up to -128 to 128.
    Then 16 bits hold their products by a uint8 x, which AVX2 adds up in one instruction. Another constant is refused.
    """,
    last=(PRODUCTS.name, PAIRS.name),
    section="Products",
    examples=(
        "quantised_dense(m=?a, n=?b, k=?c)",
        "quantised_dense(m=?a, n=33, k=19, x=int8, const=w)",
        "quantised_dense(m=?a, n=20, k=24, out=float32, const=w, tail=(y - zero[m]) * by[n])",
        "quantised_dense(m=?a, n=21, k=23, const=w, pairs=int16)",
        "quantised_dense(m=?a, n=20, k=24, x=float32, out=float32, const=w, tail=y * by[n])",
        "quantised_dense(m=?a, n=?b, k=?c, x=float32, w=bfloat16, out=float32)",
        "quantised_dense(m=?a, n=20, k=24, x=float32, w=float8_e4m3fn, out=float32, const=w, tail=y * by[n])",
        "quantised_dense(m=?a, n=?b, k=?c, x=float32, w=float8_e5m2, out=float32)",
        "quantised_dense(m=?a, n=20, k=32, x=float32, w=float8_e4m3fn, out=float32, products=rounded)",
    ),
    calls=(
        Call(
            summary="y[..., n] = sum_k x[..., k] * w[n, k], of 8-bit integers, or of floats and a narrow w; "
            "a w in bfloat16 or 8-bit floats is given as its bits",
            spread=("m",),
            attributes=(X, W, replace(OUT, words=("int32", FLOAT)), PRODUCTS, PAIRS),
            anchor=True,
            by_row=True,
            examples=(
                example("(?b, ?t, 6) uint8", "(5, 6) int8"),
                example("(?t, 6) int8", "(5, 6) int8", x="int8", out=FLOAT),
                example("(?t, 6)", "(5, 6) float16", x=FLOAT, w="float16", out=FLOAT),
                example("(?t, 6)", "(5, 6) float8_e4m3fn", x=FLOAT, w="float8_e4m3fn", out=FLOAT),
            ),
        ),
    ),
)

"""quantised_conv2d: conv2d of 8-bit integers, its sums exact in int32, or of a float32 x and a w in 16 bits.

Outside the image x is zero, as for floats: with a zero point of 0, which activations behind a ReLU have, nothing is to
be said of the border. Scales are the tail's work, which sees the sums as float32: `tail=y * by[co] + bias[co]`. A
narrow w beside floats is widened where it is read, as in quantised_dense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Stmt
from anytile.schedules.nest.stored_floats import rounded
from anytile.schedules.nest.traverse import map_loads
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.conv2d import ALGORITHM, CONV2D, FILTERS, WINDOWS
from anytile.schedules.operators.products.quantised_dense import (
    FLOAT,
    IN_16_BITS,
    OUT,
    PAIRS,
    PRODUCTS,
    ROUNDED,
    WEIGHT,
    X,
    factor,
    objection,
    of_integers,
    products_alone,
    rounded_as,
    weight_of,
)
from anytile.schedules.operators.spec import Array, Attributes, AttributeValue, Call, Form, Operator, example, numbers

CODES = Attribute("codes", "str", "", "operands of the tail that are uint8, as r+s")
_FORM, _REFERENCE, _BODY = of_integers(CONV2D, "x", "w")


def _form(attributes: Attributes) -> Form:
    of, narrow = _FORM(attributes), weight_of(attributes)
    pairs = "cig" if attributes[PAIRS.name] == IN_16_BITS else None
    return replace(of, tensors=tuple(replace(t, dtype=narrow, pairs=pairs) if t.name == "w" else t for t in of.tensors))


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    if attributes["x"] != FLOAT:
        return _REFERENCE(inputs, attributes)
    x = rounded(inputs["x"], rounded_as(attributes)) if attributes["products"] == ROUNDED else inputs["x"]
    return CONV2D.reference({"x": x.astype(np.float64), "w": inputs["w"].astype(np.float64)}, attributes)


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    floats = CONV2D.body
    assert floats is not None
    return map_loads(floats(size, attributes), lambda v: factor(v, attributes))


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    assert CONV2D.objection is not None
    if attributes["x"] == FLOAT and weight_of(attributes) == "int8":
        return "weight=int8 with x=float32; expected weight=bfloat16 or another float, or x=uint8"
    (groups,) = numbers(attributes, "groups")
    if attributes[PAIRS.name] == IN_16_BITS and groups > 1 and size["ci"] == size["co"] == groups:
        return "pairs=int16 of a depthwise convolution, in which no channel has a neighbour; leave pairs=int16 out"
    return objection(attributes) or CONV2D.objection(size, attributes)


def _anchor(attributes: Attributes) -> Mapping[str, AttributeValue]:
    return {**products_alone(attributes), "codes": ""}


QUANTISED_CONV2D = Operator(
    name="quantised_conv2d",
    summary="conv2d of 8-bit integers: x is uint8 or int8, w int8, and sums are int32",
    form=_form,
    flops=CONV2D.flops,
    reference=_reference,
    body=_body,
    attributes=(*WINDOWS, FILTERS, X, OUT, CODES, WEIGHT, PRODUCTS, PAIRS),
    objection=_objection,
    sums=lambda attributes: FLOAT if attributes["x"] == FLOAT else "int32",
    takes_tail=True,
    anchor=_anchor,
    about="""A convolution of 8-bit integers, added up exactly in int32; w is int8, and outside the image x is 0.

    `out="uint8", tail="y * by[co] + bias[co]"` has a scale for each channel, and quantises again: the result is the
    nearest such integer. With `out="float32"` it is what the tail makes. What a tail reads is float32; with `codes="r"`
    its operand r is uint8, as in `tail="y * by[co] + r[n, oh, ow, co] * scale"`.

    With `x="float32", weight="bfloat16", out="float32"` (or another float of 16 or 8 bits) the weight alone is narrow;
    sums are float32's. With `products="rounded"` x is rounded to a weight's 16 bits, too.

    `pairs="int16"` promises of a constant w that pairs of a group's input channels (0 and 1, 2 and 3, and so on) add up
    to -128 to 128 at every tap. Then 16 bits hold their products by a uint8 x, which AVX2 adds up in one instruction.
    Another constant is refused.
    """,
    last=(PRODUCTS.name, ALGORITHM.name, PAIRS.name),
    static=CONV2D.static,
    section="Products",
    examples=(
        "quantised_conv2d(n=?a, ci=3, h=?b, w=?c, co=5, kh=3, kw=2, stride=2x1, pad=1x0x1x1, layout=nhwc)",
        "quantised_conv2d(n=?a, ci=8, h=?b, w=?c, co=19, kh=1, kw=1, layout=nhwc, const=w, out=float32, "
        "tail=max(y * s[co] + bias[co], 0))",
        "quantised_conv2d(n=?a, ci=8, h=?b, w=?c, co=21, kh=1, kw=1, layout=nhwc, const=w, out=float32, codes=r, "
        "tail=max(y * s[co] + r[n, oh, ow, co] * t, 0))",
        "quantised_conv2d(n=?a, ci=4, h=?b, w=?c, co=6, kh=2, kw=3, groups=2, dilation=1x2, x=int8, layout=nhwc)",
        "quantised_conv2d(n=?a, ci=5, h=?b, w=?c, co=7, kh=3, kw=3, pad=1, const=w)",
        "quantised_conv2d(n=?a, ci=7, h=?b, w=?c, co=11, kh=3, kw=3, pad=1, layout=nhwc, const=w, pairs=int16)",
        "quantised_conv2d(n=?a, ci=5, h=?b, w=?c, co=5, kh=3, kw=3, pad=1, groups=5, layout=nhwc, const=w)",
        "quantised_conv2d(n=?a, ci=5, h=?b, w=?c, co=7, kh=3, kw=3, pad=1, layout=nhwc, const=w, x=float32, "
        "weight=bfloat16, out=float32, tail=max(y + bias[co], 0))",
        "quantised_conv2d(n=?a, ci=5, h=?b, w=?c, co=7, kh=3, kw=3, pad=1, layout=nhwc, const=w, x=float32, "
        "weight=float8_e4m3fn, out=float32, tail=max(y * by[co] + bias[co], 0))",
    ),
    calls=(
        Call(
            summary="conv2d of 8-bit integers, or of floats and a w in fewer bits; "
            "a w in bfloat16 or 8-bit floats is given as its bits",
            anchor=True,
            windows=("oh", "ow"),
            attributes=(*WINDOWS, FILTERS, X, replace(OUT, words=("int32", FLOAT)), WEIGHT, PRODUCTS, PAIRS),
            examples=(
                example("(?b, 8, 9, 4) uint8", "(4, 4, 3, 3) int8", layout="nhwc", pad=1, stride=2),
                example("(?b, 2, 8, 9) int8", "(4, 2, 3, 3) int8", x="int8", out=FLOAT),
                example("(?b, 2, 8, 9)", "(4, 2, 3, 3) float16", x=FLOAT, weight="float16", out=FLOAT, pad=1),
            ),
        ),
    ),
)

"""quantised_conv2d: conv2d of 8-bit integers, its sums exact in int32.

Outside the image x is zero, as for floats: with a zero point of 0, which activations behind a ReLU have, nothing is to
be said of the border. Scales are the tail's work, which sees the sums as float32: `tail=y * by[co] + bias[co]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.operators.products.quantised_dense import FLOAT, OUT, of_integers, products_alone
from anytile.schedules.operators.spec import Attributes, AttributeValue, Call, Operator, example

X = Attribute("x", "str", "uint8", "the dtype of x", words=("uint8", "int8"))
CODES = Attribute("codes", "str", "", "operands of the tail that are uint8, as r+s")
_FORM, _REFERENCE, _BODY = of_integers(CONV2D, "x", "w")


def _anchor(attributes: Attributes) -> Mapping[str, AttributeValue]:
    return {**products_alone(attributes), "codes": ""}


QUANTISED_CONV2D = Operator(
    name="quantised_conv2d",
    summary="conv2d of 8-bit integers: x is uint8 or int8, w int8, and sums are int32",
    form=_FORM,
    flops=CONV2D.flops,
    reference=_REFERENCE,
    body=_BODY,
    attributes=(*CONV2D.attributes, X, OUT, CODES),
    objection=CONV2D.objection,
    sums=lambda attributes: "int32",
    takes_tail=True,
    anchor=_anchor,
    about="""A convolution of 8-bit integers, added up exactly in int32; w is int8, and outside the image x is 0.

    `out="uint8", tail="y * by[co] + bias[co]"` has a scale for each channel, and quantises again: the result is the
    nearest such integer. With `out="float32"` it is what the tail makes. What a tail reads is float32; with `codes="r"`
    its operand r is uint8, as in `tail="y * by[co] + r[n, oh, ow, co] * scale"`.
    """,
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
        "quantised_conv2d(n=?a, ci=5, h=?b, w=?c, co=5, kh=3, kw=3, pad=1, groups=5, layout=nhwc, const=w)",
    ),
    calls=(
        Call(
            anchor=True,
            windows=("oh", "ow"),
            attributes=(*CONV2D.attributes, X, replace(OUT, words=("int32", FLOAT))),
            examples=(
                example("(?b, 8, 9, 4) uint8", "(4, 4, 3, 3) int8", layout="nhwc", pad=1, stride=2),
                example("(?b, 2, 8, 9) int8", "(4, 2, 3, 3) int8", x="int8", out=FLOAT),
            ),
        ),
    ),
)

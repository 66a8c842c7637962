"""quantised_batch_matmul: batch_matmul of 8-bit integers, its sums exact in int32.

Zero points and scales are the tail's work, which sees the sums as float32: attention's probabilities are uint8 of 1/255
each, its keys int8 with a scale for each token, `tail=y * by[b, n]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_dense import FLOAT, OUT, as_integers, integer_sums, typed
from anytile.schedules.operators.spec import Array, Attributes, Call, Form, Operator, example

X = Attribute("x", "str", "uint8", "the dtype of lhs", words=("uint8", "int8"))


def _form(attributes: Attributes) -> Form:
    return typed(BATCH_MATMUL.form(attributes), {"lhs": attributes["x"], "rhs": "int8", "y": attributes["out"]})


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return integer_sums(BATCH_MATMUL, inputs, attributes)


assert BATCH_MATMUL.body is not None
QUANTISED_BATCH_MATMUL = Operator(
    name="quantised_batch_matmul",
    summary="batch_matmul of 8-bit integers: lhs is uint8 or int8, rhs int8, and sums are int32",
    form=_form,
    flops=BATCH_MATMUL.flops,
    reference=_reference,
    body=as_integers(BATCH_MATMUL.body),
    attributes=(*BATCH_MATMUL.attributes, X, OUT),
    sums=lambda attributes: "int32",
    takes_tail=True,
    has_weights=False,
    about="""`y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]` of 8-bit integers, added up exactly in int32; rhs is int8.

    `x` is the dtype of lhs, `out` that of y. With `out="float32", tail="y * by[b, n]"` the tail has scales.
    """,
    section="Products",
    examples=(
        "quantised_batch_matmul(b=?a, m=?b, n=?c, k=?d)",
        "quantised_batch_matmul(b=?a, m=?b, n=?c, k=?d, x=int8, rhs=bnk, out=float32, tail=y * s[b,m])",
        "quantised_batch_matmul(b=?a, m=?b, n=?c, k=20, lhs=mbk, rhs=nbk, y=mbn)",
    ),
    calls=(
        Call(
            summary="y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n] of 8-bit integers, b any number of dimensions",
            spread=("b",),
            least_axes=1,
            anchor=True,
            attributes=(*BATCH_MATMUL.attributes, X, replace(OUT, words=("int32", FLOAT))),
            examples=(
                example("(?b, ?t, 6) uint8", "(?b, 6, ?t) int8"),
                example("(2, ?b, ?t, 6) int8", "(2, ?b, ?t, 6) int8", rhs="bnk", x="int8", out=FLOAT),
            ),
        ),
    ),
)

"""quantised_batch_matmul: batch_matmul of 8-bit integers, its sums exact in int32.

Zero points and scales are the tail's work, which sees the sums as float32: attention's probabilities are uint8 of 1/255
each, its keys int8 with a scale for each token, `tail=y * by[b, n]`.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_dense import FLOAT, OUT, of_integers
from anytile.schedules.operators.spec import Call, Operator, example

X = Attribute("x", "str", "uint8", "the dtype of lhs", words=("uint8", "int8"))
_FORM, _REFERENCE, _BODY = of_integers(BATCH_MATMUL, "lhs", "rhs")

QUANTISED_BATCH_MATMUL = Operator(
    name="quantised_batch_matmul",
    summary="batch_matmul of 8-bit integers: lhs is uint8 or int8, rhs int8, and sums are int32",
    form=_FORM,
    flops=BATCH_MATMUL.flops,
    reference=_REFERENCE,
    body=_BODY,
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

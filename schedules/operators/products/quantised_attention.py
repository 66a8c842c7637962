"""quantised_attention: attention of queries, keys and values in uint8, by ranges that are known ahead of time.

A code stands for a number times a scale, from a zero point on. Of queries and values that is 128, so as signed bytes
they are multiplied as they are. That of keys may be any: it adds the same to all scores of a query, which a softmax
does not see. Scores are float32, a mask is added to them as it comes. Of a query the largest score weighs 255 and the
others nearest to their share of it, so weights are as fine whatever the number of keys is, and their sum is exact. The
sums of values are int32's, which hold 65,793 keys at their extremes.

    y = factor * (sum_n weight[n] * (v[n] - 128)) / (sum_n weight[n]) + summand,  weight = round(255 * exp(score - top))

With `out=uint8` y are codes, by a range of their own: `factor` and `summand` are then of the integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.attention import ATTENTION, DIMS, scores_of
from anytile.schedules.operators.products.quantised_dense import FLOAT, INTEGER_LIMITS
from anytile.schedules.operators.spec import (
    ONE,
    Array,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
)

CENTRE = 128  # the zero point of queries and values
HEAVIEST = 255.0  # the weight of a query's largest score
NUMBERS = ("by", "factor", "summand")
OUT = Attribute("out", "str", FLOAT, "the dtype of y", words=(FLOAT, "uint8"))
_OTHERS = ("scale", "guard")  # attributes of attention: the one is the operand `by`, and integers are always numbers


def as_attention(attributes: Attributes) -> dict[str, object]:
    """The attributes of an attention of floats that is the same but for scales."""
    return {**ATTENTION.complete({}), **{name: value for name, value in attributes.items() if name != OUT.name}}


def _form(attributes: Attributes) -> Form:
    plain = ATTENTION.form(as_attention(attributes))
    dtypes = {**dict.fromkeys("qkv", "uint8"), "y": str(attributes["out"])}
    tensors = [replace(t, dtype=dtypes.get(t.name, t.dtype or FLOAT)) for t in plain.tensors]
    given = [TensorSpec(name, (ONE,), dtype=FLOAT) for name in NUMBERS]
    return replace(plain, tensors=(*tensors[:3], *given, *tensors[3:]))


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    centred = {name: inputs[name].astype(np.float64) - CENTRE for name in "qkv"}
    by, factor, summand = (float(inputs[name][0]) for name in NUMBERS)
    scores, _, v = scores_of({**inputs, **centred}, {**as_attention(attributes), "scale": by})
    with np.errstate(all="ignore"):
        top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        weights = np.rint(HEAVIEST * np.exp(scores - np.where(top == -np.inf, 0.0, top)))
        total = weights.sum(axis=-1, keepdims=True)
        means = (weights @ v) / np.where(total == 0, 1.0, total)
    y = factor * means + summand
    if attributes["out"] != FLOAT:
        y = np.clip(np.rint(y), *INTEGER_LIMITS[str(attributes["out"])])
    return (y.transpose([DIMS["y"].index(d) for d in str(attributes["y"])]),)


QUANTISED_ATTENTION = Operator(
    name="quantised_attention",
    summary="attention of queries, keys and values in uint8, with weights of 8 bits",
    form=_form,
    flops=ATTENTION.flops,
    reference=_reference,
    attributes=(*(a for a in ATTENTION.attributes if a.name not in _OTHERS), OUT),
    objection=lambda size, attributes: ATTENTION.objection and ATTENTION.objection(size, as_attention(attributes)),
    anchor=lambda attributes: {**attributes, "out": FLOAT},
    near=lambda attributes: 0.01,  # a weight near a half may be rounded either way
    has_weights=False,
    about="""`attention` of uint8: queries and values with the zero point 128, keys with any.

    `by` is what a query times a key is multiplied by, `factor` and `summand` make y of the mean of the values.
    With `out="uint8"` y is the nearest such integer.
    """,
    static=ATTENTION.static,
    section="Products",
    examples=(
        "quantised_attention(b=?a, h=2, m=?b, n=?c, d=8, e=8)",
        "quantised_attention(b=?a, h=4, m=?b, n=?c, d=12, e=20, shared=2, causal=yes, mask=bn, q=bmhd, k=bngd, y=bmhe)",
        "quantised_attention(b=2, h=2, m=?b, n=?c, d=7, e=5, causal=yes, lengths=yes, mask=mn, keeps=yes, k=gbdn)",
    ),
    calls=(
        Call(
            summary="attention of uint8: factor * m + summand, m being softmax of (by * q . k + mask) times v",
            inputs=("q", "k", "v", *NUMBERS, "mask", "length"),
            optional=2,
            examples=(
                example(*("(?b, 2, ?t, 6) uint8", "(?b, 2, 9, 6) uint8", "(?b, 2, 9, 5) uint8"), *("(1)",) * 3),
                example(
                    *("(?b, 3, 4, 6) uint8", "(?b, 2, ?t, 6) uint8", "(?b, 2, ?t, 6) uint8"),
                    *("(1)",) * 3,
                    "(?b, ?t)",
                    q="bmhd",
                    mask="bn",
                    shared=2,
                ),
            ),
        ),
    ),
)

"""quantised_dense: y[m, n] = sum_k x[m, k] * w[n, k] of 8-bit integers, added up exactly in int32.

Scales and zero points are a tail's work, which sees the sums as float32: with x = (q - zero) * scale and w = r * by[n],
`tail=(y - zero[m] * total[n]) * (scale[m] * by[n])` is their product, where total[n] is the sum of r[n, k] over k.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Cast, Load, Loop, LoopKind, Op, Stmt, Update
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.spec import Array, Attributes, Form, Operator, TensorSpec

# What outputs of integers hold; of int32 the largest that float32 has.
INTEGER_LIMITS = {"int8": (-128.0, 127.0), "uint8": (0.0, 255.0), "int32": (-(2.0**31), 2.0**31 - 128)}


def _form(attributes: Attributes) -> Form:
    tensors = (
        TensorSpec("x", ("m", "k"), dtype=str(attributes["x"])),
        TensorSpec("w", ("n", "k"), may_be_constant=True, dtype="int8"),
        TensorSpec("y", ("m", "n"), output=True, dtype=str(attributes["out"])),
    )
    return Form(("m", "n", "k"), tensors)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, w = (inputs[name].astype(np.int64) for name in ("x", "w"))
    return ((x @ w.T).astype(np.int32),)


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    m, n, k = var("i_m"), var("i_n"), var("i_k")
    x, w = Cast("int32", Load("x", (m, k))), Cast("int32", Load("w", (n, k)))
    body: Stmt = Update("y", (m, n), Op("mul", (x, w)))
    for name in ("k", "n", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


QUANTISED_DENSE = Operator(
    name="quantised_dense",
    summary="y[m, n] = sum_k x[m, k] * w[n, k], of 8-bit integers",
    form=_form,
    flops=lambda s, _: 2 * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        Attribute("x", "str", "uint8", "the dtype of x", words=("uint8", "int8")),
        Attribute("out", "str", "int32", "the dtype of y", words=("int32", "float32", "uint8", "int8")),
    ),
    takes_tail=True,
    about="""`y[m, n] = sum_k x[m, k] * w[n, k]` of 8-bit integers, added up exactly in int32; w is int8.

    `out="float32", tail="(y - zero[m] * total[n]) * (scale[m] * by[n])"` takes zero points and scales into account: the
    tail and its operands are float32. `out="uint8"` and "int8" are the nearest such integers to what the tail makes.
    """,
    section="Products",
    examples=(
        "quantised_dense(m=?a, n=?b, k=?c)",
        "quantised_dense(m=?a, n=33, k=19, x=int8, const=w)",
        "quantised_dense(m=?a, n=20, k=24, out=float32, const=w, tail=(y - zero[m]) * by[n])",
    ),
)

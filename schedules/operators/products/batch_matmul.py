"""batch_matmul: y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n], every tensor in the order of dimensions it comes in.

A layout is the order in which a tensor's dimensions lie in memory: `rhs=bnk` is the right operand transposed,
`lhs=mbk` attention's queries as (tokens, heads, size) before any transposition, `rhs=kn` one matrix for all batches.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import HALVES, MODEL_NUMBERS
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, Op, Stmt, Update
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    wide,
)

_MATRIX = {"lhs": "mk", "rhs": "kn", "y": "mn"}


def _form(attributes: Attributes) -> Form:
    tensors = []
    for name, matrix in _MATRIX.items():
        layout = str(attributes[name])
        batched = {*matrix, "b"}
        if len(set(layout)) != len(layout) or set(layout) not in ([batched] if name == "y" else [batched, {*matrix}]):
            shared = "" if name == "y" else f", or {matrix} for one matrix in all batches"
            raise SpecError(f"batch_matmul: {name}={layout}: expected the dimensions b{matrix} in any order{shared}")
        tensors.append(TensorSpec(name, tuple(layout), output=name == "y", may_be_constant=name == "rhs"))
    if all("b" not in str(attributes[name]) for name in ("lhs", "rhs")):
        raise SpecError("batch_matmul: neither operand has batches; expected b in lhs or rhs, or use dense")
    return Form(("b", "m", "n", "k"), tuple(tensors))


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    lhs, rhs, y = (str(attributes[name]) for name in _MATRIX)
    return (np.einsum(f"{lhs},{rhs}->{y}", wide(inputs["lhs"]), wide(inputs["rhs"]), optimize=True),)


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    at = {name: tuple(var(f"i_{dim}") for dim in str(attributes[name])) for name in _MATRIX}
    body: Stmt = Update("y", at["y"], Op("mul", (Load("lhs", at["lhs"]), Load("rhs", at["rhs"]))))
    for name in ("k", "n", "m", "b"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


def _advice(attributes: Attributes) -> str:
    layouts = " or ".join(f"{name}={str(attributes[name]).replace('b', '')!r}" for name in ("lhs", "rhs"))
    return f"with {layouts} one matrix serves all batches"


BATCH_MATMUL = Operator(
    name="batch_matmul",
    summary="y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]",
    form=_form,
    flops=lambda s, _: 2 * s["b"] * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        Attribute("lhs", "str", "bmk", "the order of the left operand's dimensions; mk is one for all batches"),
        Attribute(
            "rhs", "str", "bkn", "the order of the right operand's dimensions; bnk is transposed, kn one for all"
        ),
        Attribute("y", "str", "bmn", "the order of the result's dimensions"),
    ),
    dtypes=("float32", *HALVES),
    takes_tail=True,
    has_weights=False,
    about="`y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]`, each tensor in its own order of dimensions.",
    section="Products",
    examples=(
        "batch_matmul(b=?a, m=?b, n=?c, k=?d)",
        "batch_matmul(b=?a, m=?b, n=?c, k=?d, rhs=bnk, y=mbn)",
        "batch_matmul(b=?a, m=?b, n=?c, k=?d, dtype=bfloat16)",
        "batch_matmul(b=?a, m=?b, n=?c, k=?d, rhs=bnk, dtype=float16)",
    ),
    calls=(
        Call(
            summary="y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n], b any number of dimensions",
            spread=("b",),
            least_axes=1,
            anchor=True,
            dtypes=MODEL_NUMBERS,
            advice=_advice,
            examples=(
                example("(?b, ?t, 6)", "(?b, 6, ?t)"),
                example("(2, ?b, ?t, 6)", "(2, ?b, ?t, 6)", rhs="bnk"),
                example("(?t, ?b, 6)", "(?t, ?b, 6)", lhs="mbk", rhs="nbk", y="mbn"),
                example("(?b, ?t, 6)", "(6, 4)", rhs="kn"),
            ),
        ),
    ),
)

"""batch_matmul: y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n], every tensor in the order of dimensions it comes in.

A layout is the order in which a tensor's dimensions lie in memory: `rhs=bnk` is the right operand transposed,
`lhs=mbk` attention's queries as (tokens, heads, size) before any transposition, `rhs=kn` one matrix for all batches.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, Op, Stmt, Update
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, wide

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


BATCH_MATMUL = Operator(
    name="batch_matmul",
    summary="y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]",
    form=_form,
    flops=lambda s, _: 2 * s["b"] * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        Attribute("lhs", "bmk", "the order of the left operand's dimensions"),
        Attribute("rhs", "bkn", "the order of the right operand's dimensions; bnk is transposed"),
        Attribute("y", "bmn", "the order of the result's dimensions"),
    ),
    takes_tail=True,
    has_weights=False,
)

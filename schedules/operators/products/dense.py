"""dense: y[m, n] = sum_k x[m, k] * w[n, k], a fully connected layer."""

from __future__ import annotations

from collections.abc import Mapping

from anytile.core.dtypes import HALVES, MODEL_NUMBERS
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, Op, Stmt, Update
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.spec import Array, Attributes, Call, Operator, TensorSpec, example, fixed, wide

TF32X3 = "tf32x3"  # each factor of float32 as the sum of two of TF32, of which the small ones are not multiplied
PRODUCTS = Attribute(
    "products", "str", "exact", "of float32 on GPUs: exact, or of three TF32 on matrix units", words=("exact", TF32X3)
)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (wide(inputs["x"]) @ wide(inputs["w"]).T,)


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    m, n, k = var("i_m"), var("i_n"), var("i_k")
    body: Stmt = Update("y", (m, n), Op("mul", (Load("x", (m, k)), Load("w", (n, k)))))
    for name in ("k", "n", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


DENSE = Operator(
    name="dense",
    summary="y[m, n] = sum_k x[m, k] * w[n, k]",
    form=fixed(
        "m",
        "n",
        "k",
        tensors=(
            TensorSpec("x", ("m", "k")),
            TensorSpec("w", ("n", "k"), may_be_constant=True),
            TensorSpec("y", ("m", "n"), output=True),
        ),
    ),
    flops=lambda s, _: 2 * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(PRODUCTS,),
    dtypes=("float32", *HALVES),
    takes_tail=True,
    about="""`y[m, n] = sum_k x[m, k] * w[n, k]`: a fully connected layer. `const=("w",)`: w is known ahead of time.

    `tail="gelu(y + bias[n])"` computes that on every element before it is stored; `bias` becomes an operand.
    `products="tf32x3"` allows a GPU's matrix units for float32: a factor is two of TF32, and three products make one.
    What is lost is in the last bits of a sum, but that infinite factors give NaN; elsewhere it changes nothing.
    """,
    last=(PRODUCTS.name,),
    section="Products",
    examples=(
        "dense(m=?a, n=?b, k=?c)",
        "dense(m=?a, n=33, k=19, const=w, tail=gelu(y + bias[n]))",
        "dense(m=?a, n=?b, k=?c, dtype=bfloat16)",
        "dense(m=?a, n=33, k=19, dtype=bfloat16, const=w, tail=gelu(y + bias[n]))",
        "dense(m=?a, n=33, k=19, dtype=float16, const=w)",
    ),
    calls=(
        Call(
            summary="y[..., n] = sum_k x[..., k] * w[n, k]",
            spread=("m",),
            anchor=True,
            dtypes=MODEL_NUMBERS,
            by_row=True,
            examples=(example("(?b, ?t, 6)", "(5, 6)"), example("(6)", "(?t, 6)")),
        ),
    ),
)

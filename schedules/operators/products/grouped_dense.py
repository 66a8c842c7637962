"""grouped_dense: y[m, n] = sum_k x[m, k] * weight[n, k], the weight alone quantised, in 4 or 8 bits by groups of k.

    weight[n, k] = (w[n, k] - zero[n, k // group]) * scale[n, k // group]

Rows of floats stay floats: few of them wait for the bytes of a weight, which this makes an eighth or a quarter. Of 4
bits a byte has two, the one of the lower k in its lower half, as other packers of weights lay them. Where `group` does
not divide k, the last group is what is left. How closely x is taken says `accuracy`: a reference takes it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.index.expr import Expr, ceildiv, var
from anytile.schedules.nest.nodes import Cast, Literal, Load, Loop, LoopKind, Number, Op, Stmt, Update, Value
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.spec import Array, Attributes, Call, Form, Operator, TensorSpec, example

FLOAT = "float32"
BYTE = 8
WHOLE = 32  # a group is so many of k, or a multiple: what the widest vectors take at once
MOST = 256
_NEAR = {FLOAT: 0.0, "float16": 2.0**-13, "int8": 2.0**-6}  # how far off x may be, beside the largest of its group


def midpoint(attributes: Attributes) -> int:
    """What stands for zero where no zero points are given."""
    return 1 << (int(attributes["bits"]) - 1)


def _form(attributes: Attributes) -> Form:
    bits, group = int(attributes["bits"]), int(attributes["group"])
    zeros = (TensorSpec("zero", ("n", "groups"), may_be_constant=True, dtype="uint8"),)
    tensors = (
        TensorSpec("x", ("m", "k"), dtype=FLOAT),
        TensorSpec("w", ("n", "bytes"), may_be_constant=True, dtype="uint8"),
        TensorSpec("scale", ("n", "groups"), may_be_constant=True, dtype=str(attributes["scales"])),
        *(zeros if attributes["zeros"] else ()),
        TensorSpec("y", ("m", "n"), output=True, dtype=FLOAT),
    )
    derived = {
        "bytes": lambda s: ceildiv(s["k"], BYTE // bits),
        "groups": lambda s: ceildiv(s["k"], group),
    }
    return Form(("m", "n", "k"), tensors, derived)


def widened(inputs: Mapping[str, Array], k: int, attributes: Attributes) -> Array:
    """The weight that the bytes stand for, in float64."""
    w, bits, group = inputs["w"], int(attributes["bits"]), int(attributes["group"])
    if bits < BYTE:
        w = np.stack([(w >> shift) & 15 for shift in (0, 4)], axis=-1).reshape(len(w), 2 * w.shape[1])[:, :k]
    which = np.arange(k) // group
    zero = inputs["zero"][:, which].astype(np.float64) if attributes["zeros"] else midpoint(attributes)
    return (w.astype(np.float64) - zero) * inputs["scale"][:, which].astype(np.float64)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = inputs["x"].astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (x @ widened(inputs, x.shape[1], attributes).T,)


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    bits, group = int(attributes["bits"]), int(attributes["group"])
    if bits not in (4, BYTE):
        return f"bits={bits}; expected 4 or {BYTE}"
    if group % WHOLE or not WHOLE <= group <= MOST:
        return f"group={group}; expected a multiple of {WHOLE}, {MOST} at most"
    return None


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    m, n, k = var("i_m"), var("i_n"), var("i_k")
    halves, group = BYTE // int(attributes["bits"]), k // int(attributes["group"])
    w: Value = Cast("int32", Load("w", (n, k // halves)))
    if halves > 1:
        w = Op("bitand", (Op("shr", (w, Number(k % halves * 4, "int32"))), Literal(15, "int32")))
    zero: Value = Literal(midpoint(attributes), "int32")
    if attributes["zeros"]:
        zero = Cast("int32", Load("zero", (n, group)))
    weight = Op("mul", (Cast(FLOAT, Op("sub", (w, zero))), scale_of(attributes, (n, group))))
    body: Stmt = Update("y", (m, n), Op("mul", (Load("x", (m, k)), weight)))
    for name in ("k", "n", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


def scale_of(attributes: Attributes, at: tuple[Expr, ...], buffer: str = "scale") -> Value:
    """A group's scale as a float32."""
    load = Load(buffer, at)
    return load if attributes["scales"] == FLOAT else Cast(FLOAT, load)


GROUPED_DENSE = Operator(
    name="grouped_dense",
    summary="y[m, n] = sum_k x[m, k] * (w[n, k] - zero[n, k // group]) * scale[n, k // group], w of 4 or 8 bits",
    form=_form,
    flops=lambda s, _: 2 * s["m"] * s["n"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        Attribute("bits", "int", 4, "how many bits a weight has, 4 or 8"),
        Attribute("group", "int", 32, "how many neighbours along k share a scale"),
        Attribute("zeros", "bool", False, "whether groups have zero points; without, w stands for w - 8 or w - 128"),
        Attribute("scales", "str", FLOAT, "the dtype of scale", words=(FLOAT, "bfloat16", "float16")),
        Attribute("accuracy", "str", FLOAT, "how closely x is taken, at least", words=tuple(_NEAR)),
    ),
    objection=_objection,
    near=lambda attributes: _NEAR[str(attributes["accuracy"])],
    takes_tail=True,
    about="""`y[m, n] = sum_k x[m, k] * (w[n, k] - zero[n, k // group]) * scale[n, k // group]`, x and y of float32.

    w has 4 bits, two in a byte and the lower half first, or 8. Without `zeros`, w stands for w - 8 or w - 128.
    With `accuracy="float16"` x may be taken less closely: in 16 bits beside the largest of its group, with "int8" in 8.
    """,
    section="Products",
    examples=(
        "grouped_dense(m=?a, n=?b, k=?c)",
        "grouped_dense(m=?a, n=33, k=67, zeros=yes, const=scale+w+zero)",
        "grouped_dense(m=?a, n=20, k=150, group=128, bits=8, const=scale+w, tail=max(y + b[n], 0))",
        "grouped_dense(m=?a, n=20, k=40, bits=8, scales=bfloat16, const=w)",
        "grouped_dense(m=?a, n=20, k=70, zeros=yes, accuracy=float16, const=w)",
    ),
    calls=(
        Call(
            summary="y[..., n] = sum_k x[..., k] * (w[n, k] - zero[n, k // group]) * scale[n, k // group], w of 4 bits "
            "(two in a byte) or 8; scales in bfloat16 are given as their bits, in uint16",
            spread=("m",),
            inputs=("x", "w", "scale", "zero"),
            optional=1,
            anchor=True,
            by_row=True,
            examples=(
                example("(?b, ?t, 67)", "(5, 34) uint8", "(5, 3)"),
                example("(?t, 67)", "(5, 34) uint8", "(5, 3)", "(5, 3) uint8", zeros=True),
                example("(?t, 67)", "(5, 67) uint8", "(5, 2) float16", bits=8, group=64, scales="float16"),
            ),
        ),
    ),
)

"""gated_dense: several products of one row with matrices, and what they make together: the cells of recurrent networks.

    z[m, g, u] = sum_k x[m, k] * w[g, u, k]          then `cell` makes outputs of z0, z1, ...

`cell` is a list of assignments, one per output, in expressions over the gates z0, z1, ..., earlier outputs, and
operands with dimensions out of m, u: `c2 = sigmoid(z1 + b1[u]) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = ...`. An LSTM
cell, a tree's node and a gated unit are such cells. `start` names an operand that every gate begins with, as
`pre[m, g, u]`, a product that was taken out of the loop, or `bias[g, u]`. Where gates begin with something each, an
operand is read by `parts`: `tanh(pre[m, 2, u] + sigmoid(z1 + pre[m, 1, u]) * z2)` is what a GRU's gates make.
Cells of the same products share what was tuned, whatever they make of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_text import PART
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.nodes import Load, Loop, LoopKind, Op, Stmt, Update, Value
from anytile.schedules.nest.traverse import loads
from anytile.schedules.operators.elementwise import PARTS, by_part
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    AttributeValue,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    wide,
)

OVER = ("m", "u")
SUM = "z"
MOST_OPERATIONS = 1000  # of an output, those of earlier ones that it is made of included


def gates_of(attributes: Attributes) -> int:
    return int(attributes["gates"])


def outputs(attributes: Attributes) -> dict[str, Value]:
    """Every output as an expression of gates (`z0`, ...) and operands alone, earlier outputs put in."""
    text = str(attributes["cell"])
    made: dict[str, Value] = {}
    sizes: dict[str, tuple[int, int]] = {}  # how many operations an output takes, and how deep they stand
    for part in filter(None, (p.strip() for p in text.split(";"))):
        name, assigned, right = part.partition("=")
        name = name.strip()
        taken = name in ("x", "w", *made) or _is_gate(name)
        if not assigned or not (name.isidentifier() and name.isascii()) or taken:
            raise SpecError(f"gated_dense: cell {part!r} is not a new output, as in h2 = sigmoid(z0) * tanh(z1)")
        value = floats(right.strip())
        elementwise_text.operands(value, part)
        before = [sizes[load.buffer] for load in loads(value) if load.buffer in sizes]
        count = elementwise_text.operations(value) + sum(n for n, _ in before)
        depth = elementwise_text.depth(value) + max((n for _, n in before), default=0)
        if count > MOST_OPERATIONS or depth > elementwise_text.DEEPEST:
            limits = f"{MOST_OPERATIONS}, {elementwise_text.DEEPEST} deep"
            raise SpecError(f"gated_dense: {name} takes {count} operations, {depth} deep; expected at most {limits}")
        sizes[name] = count, depth
        made[name] = elementwise_text.place(
            value, lambda n, dims: made.get(n, Load(n, elementwise_text.placed(dims, var)))
        )
    if not made:
        raise SpecError("gated_dense: cell is missing; expected outputs, as in cell=h2 = sigmoid(z0) * tanh(z1)")
    return made


def _is_gate(name: str) -> bool:
    return name[:1] == SUM and name[1:].isdigit()


def started(attributes: Attributes) -> Load | None:
    """The operand that gates begin with."""
    text = str(attributes["start"])
    if not text:
        return None
    value = elementwise_text.parse(text)
    if not isinstance(value, Load) or not value.index:
        raise SpecError(f"gated_dense: start={text}: expected one operand, as in bias[g, u]")
    return value


def _form(attributes: Attributes) -> Form:
    gates, made, start = gates_of(attributes), outputs(attributes), started(attributes)
    parts = int(attributes["parts"])
    read: dict[str, tuple[str, ...]] = {}
    for name, value in made.items():
        for operand, dims in elementwise_text.operands(value, str(attributes["cell"])).items():
            if read.setdefault(operand, dims) != dims:
                raise SpecError(f"gated_dense: {name} reads {operand} in another way than an output before it")
        elementwise_text.parts_read(value, str(attributes["cell"]), parts)
    for gate in range(gates):
        if read.pop(f"{SUM}{gate}", ()) != ():
            raise SpecError(f"gated_dense: gate {SUM}{gate} is read with dimensions; expected it plain")
    if start is not None:
        read = {start.buffer: tuple(map(str, start.index)), **read}
    for operand, dims in read.items():
        allowed = (*OVER, "g") if start is not None and operand == start.buffer else (*OVER, PART)
        if operand in ("x", "w", *made) or _is_gate(operand):
            raise SpecError(f"gated_dense: an operand cannot be called {operand}; there are {gates} gates")
        if not set(dims) <= set(allowed) or len(set(dims)) != len(dims):
            raise SpecError(f"gated_dense: {operand}[{', '.join(dims)}] should have dimensions of {', '.join(allowed)}")
    return Form(
        ("m", "u", "k"),
        (
            TensorSpec("x", ("m", "k")),
            TensorSpec("w", ("g", "u", "k"), may_be_constant=True),
            *(TensorSpec(name, dims, may_be_constant=True) for name, dims in read.items()),
            *(TensorSpec(name, OVER, output=True) for name in made),
        ),
        {"g": lambda s: const(gates), PART: lambda s: const(parts)},
    )


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    z = np.einsum("mk,guk->mgu", wide(inputs["x"]), wide(inputs["w"]), optimize=True)
    start, dims = started(attributes), ("m", "g", "u")
    if start is not None:
        z = z + _spread(inputs[start.buffer], tuple(map(str, start.index)), dims)
    read: dict[str, object] = {f"{SUM}{g}": z[:, g] for g in range(z.shape[1])}
    found = []
    for whole in outputs(attributes).values():
        value, inputs = by_part(whole, inputs)
        for name, over in elementwise_text.operands(value, str(attributes["cell"])).items():
            if name not in read:
                read[name] = _spread(inputs[name], over, OVER)
        with np.errstate(all="ignore"):
            result = elementwise_text.evaluate(value, read)
        found.append(np.broadcast_to(np.asarray(result), (z.shape[0], z.shape[2])))
    return tuple(found)


def _spread(array: Array, dims: tuple[str, ...], over: tuple[str, ...]) -> Array:
    """The operand with its dimensions in the order of `over`, and 1 where it has none."""
    kept = sorted(dims, key=over.index)
    moved = wide(array).transpose([dims.index(d) for d in kept])
    sizes = dict(zip(kept, moved.shape, strict=True))
    return moved.reshape([sizes.get(d, 1) for d in over])


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    m, g, u, k = (var(f"i_{d}") for d in ("m", "g", "u", "k"))
    body: Stmt = Update(SUM, (m, g, u), Op("mul", (Load("x", (m, k)), Load("w", (g, u, k)))))
    for name in ("k", "u", "g", "m"):
        body = Loop(f"i_{name}", size[name], LoopKind.SERIAL, body)
    return body


def _anchor(attributes: Attributes) -> Mapping[str, AttributeValue]:
    """The products alone: whatever begins them or is made of them, a tile of sums is the same work."""
    gates = gates_of(attributes)
    return {"gates": gates, "cell": "; ".join(f"y{g} = {SUM}{g}" for g in range(gates))}


GATED_DENSE = Operator(
    name="gated_dense",
    summary="z[m, g, u] = sum_k x[m, k] * w[g, u, k], and `cell` makes the outputs of z0, z1, ...",
    form=_form,
    flops=lambda s, _: 2 * s["m"] * s["g"] * s["u"] * s["k"],
    reference=_reference,
    body=_body,
    attributes=(
        Attribute("gates", "int", 4, "how many products: w[gates, u, k]", least=1),
        Attribute("cell", "str", "h2 = sigmoid(z3) * tanh(sigmoid(z0) * tanh(z2))", "outputs: name = expression; ..."),
        Attribute("start", "str", "", "the operand that gates begin with, as pre[m, g, u] or bias[g, u]"),
        PARTS,
    ),
    anchor=_anchor,
    about="""A cell of `u` units: gates z0, z1, ... are one product of x[m, k] with w[gates, u, k], `cell` what is made.

    A node of a tree of such cells is `cell="c2 = sigmoid(z0) * tanh(z2) + fc[m, u]; h2 = sigmoid(z1) * tanh(c2)"`;
    `start` is an operand that the gates begin with, as `bias[g, u]`. See also `lstm_cell`.
    """,
    required=("cell",),
    section="Products",
    examples=(
        "gated_dense(m=?a, u=?b, k=?c, gates=2, start=bias[g, u], cell=h2 = z0 * sigmoid(z1); g2 = z1)",
        "gated_dense(m=?a, u=?b, k=?c, gates=2, parts=2, cell=h2 = z0 + pre[m, 1, u] * sigmoid(z1 + pre[m, 0, u]))",
    ),
    calls=(
        Call(
            inputs=("x", "w", "operands"),
            variadic=True,
            optional=1,
            many=True,
            anchor=True,
            by_row=True,
            examples=(
                example(
                    *("(?b, 6)", "(4, 5, 6)", "(4, 5)", "(?b, 5)"),
                    cell="c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2)",
                    start="bias[g, u]",
                ),
            ),
        ),
    ),
)

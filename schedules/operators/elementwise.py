"""elementwise: y[d0, d1, ...] = f, an expression over operands that are broadcast over the dimensions they lack.

`f` is written as in `elementwise_text`: `gelu(a[d0, d1] + bias[d1])`. Operands are of the workload's dtype unless
`types` says otherwise, as in `types=mask:bool+i:int64`; the result's dtype is what f makes. Literals take the dtype of
what they meet, so `i[d0] + 1` is an integer. Integers of 8 and 16 bits are formats of memory: an operand of such is
read in a cast, as in `int32(q[d0])` with `types=q:uint8`, and a cast to one may be all of f.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anytile.core.dtypes import COMPUTED, STORED_INTEGERS
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import const
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import typed
from anytile.schedules.nest.nodes import Cast, Literal, Load, Op, Value
from anytile.schedules.nest.operations import OPERATIONS
from anytile.schedules.operators.ranked import RANK, axes
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, wide

DTYPES = (*COMPUTED, *STORED_INTEGERS)  # of operands


def types_of(attributes: Attributes) -> dict[str, str]:
    """Operands whose dtype is given."""
    text, found = str(attributes["types"]), dict[str, str]()
    for part in filter(None, text.split("+")):
        name, colon, dtype = part.partition(":")
        if not colon or dtype not in DTYPES or name in found:
            raise SpecError(f"types={text}: {part!r} is not operand:dtype with one of {', '.join(DTYPES)}")
        found[name] = dtype
    return found


def _form(attributes: Attributes) -> Form:
    over, text = axes(attributes), str(attributes["f"])
    if not text:
        raise SpecError("elementwise: f is missing; expected an expression, as in f=relu(a[d0])")
    value = elementwise_text.parse(text)
    parts = int(attributes["parts"])
    inputs = operands_of("elementwise", value, attributes, text, (elementwise_text.PART,))
    elementwise_text.parts_read(value, text, parts)
    result = TensorSpec("y", over, output=True, dtype=made_dtype(value, types_of(attributes)))
    return Form(over, (*inputs, result), {elementwise_text.PART: lambda s: const(parts)})


def operands_of(
    op: str, value: Value, attributes: Attributes, text: str, beside: tuple[str, ...] = ()
) -> tuple[TensorSpec, ...]:
    """What a value reads, each over some of an operator's dimensions, which it has all of, and of those `beside` them;
    `text` is its expression."""
    over, types = axes(attributes), types_of(attributes)
    elementwise_text.for_kernels(value, text, types)
    read = elementwise_text.operands(value, text)
    for name, at in read.items():
        if name == "y" or name in over or name.startswith(("i_", "p_")):
            raise SpecError(f"{op}: an operand cannot be called {name}; the kernel uses that name")
        if not set(at) <= {*over, *beside} or len(set(at)) != len(at):
            raise SpecError(f"{op}: {name}[{', '.join(at)}] should have some of the dimensions {', '.join(over)}")
    for d in over:
        if all(d not in at for at in read.values()):
            raise SpecError(f"{op}: no operand of {text!r} has the dimension {d}")
    for name in types:
        if name not in read:
            raise SpecError(f"{op}: types={attributes['types']}: {text!r} reads no {name}")
    return tuple(TensorSpec(name, at, may_be_constant=True, dtype=types.get(name)) for name, at in read.items())


def made_dtype(v: Value, types: Mapping[str, str]) -> str | None:
    """The dtype of a value; None for the workload's."""
    match v:
        case Load(name, _):
            return types.get(name)
        case Cast(dtype, _):
            return dtype
        case Op(name, args):
            row = OPERATIONS[name]
            if row.makes or row.takes == ("bool",):
                return row.makes or "bool"
            same = [a for a in args[int(row.chooses) :] if not isinstance(a, Literal)]
            return made_dtype(same[0], types) if same else "float32"
        case _:
            return "float32"


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (broadcast(elementwise_text.parse(str(attributes["f"])), inputs, axes(attributes)),)


def by_part(value: Value, inputs: Mapping[str, Array]) -> tuple[Value, Mapping[str, Array]]:
    """A value whose operands are all read whole, and what it reads: parts are operands of their own."""
    value, parts = elementwise_text.without_parts(value)
    return value, {**inputs, **{name: inputs[of].take(at, axis) for name, (of, axis, at) in parts.items()}}


def broadcast(value: Value, inputs: Mapping[str, Array], over: Sequence[str]) -> Array:
    """A value over all of these dimensions, of operands each over some of them, and in parts."""
    value, inputs = by_part(typed(value, lambda name: inputs[name].dtype.name), inputs)
    read: dict[str, Array] = {}
    sizes: dict[str, int] = {}
    for name, at in elementwise_text.operands(value, elementwise_text.write(value)).items():
        order = sorted(at, key=over.index)
        sizes |= zip(at, inputs[name].shape, strict=True)
        spread = wide(inputs[name]).transpose([at.index(d) for d in order])
        read[name] = spread.reshape([inputs[name].shape[at.index(d)] if d in at else 1 for d in over])
    with np.errstate(all="ignore"):
        y = np.asarray(elementwise_text.evaluate(value, read))
    return np.broadcast_to(y, [sizes[d] for d in over])


PARTS = Attribute("parts", "int", 1, "how many parts an operand has of which one is read, as h[m, 1, n]", least=1)
TYPES = Attribute("types", "str", "", "dtypes of operands that are not the workload's: name:dtype+name:dtype")
ELEMENTWISE = Operator(
    name="elementwise",
    summary="y[d0, d1, ...] = f(operands, each over some of the dimensions)",
    form=_form,
    flops=lambda s, a: _elements(s, a) * max(1, elementwise_text.operations(elementwise_text.parse(str(a["f"])))),
    reference=_reference,
    attributes=(
        RANK,
        Attribute(
            "f",
            "str",
            "",
            "what each element is",
            canonical=lambda text: elementwise_text.write(elementwise_text.parse(text)),
        ),
        TYPES,
        PARTS,
    ),
    dtypes=COMPUTED,
    made_by="elementwise",
    examples=(
        "elementwise(d0=?a, d1=?b, rank=2, f=x[d0, d1] * r[d0] + c[d1])",
        "elementwise(d0=?a, d1=?b, rank=2, f=uint8(clip(round(float32(int32(q[d0, d1]) - 3) * r[d0]) + 7, 0, 255)), "
        "types=q:uint8)",
        "elementwise(d0=?a, d1=?b, rank=2, f=h[d0, 0, d1] * sigmoid(h[d0, 1, d1]), parts=2)",
    ),
)


def _elements(sizes: Mapping[str, int], attributes: Attributes) -> int:
    total = 1
    for d in axes(attributes):
        total *= sizes[d]
    return total

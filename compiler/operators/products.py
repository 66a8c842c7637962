"""batch_matmul of models: batches are broadcast as numpy broadcasts them, whether sizes are known or only at run time.

Where both operands surely have the same batches the call is the workload of its name. Where one of them has none, or
ones alone, the workload's layout says that one matrix serves all batches. Where no layout has batches, there is one
product, of factors that lie in any order. Otherwise the host does what numpy says.

A call may allow its factors to be rounded. That is no part of the workload: a kernel multiplies what memory holds.
Dense layers that read the same rows, one behind the other, are such a product, too (`stacked_dense`): the rows are one
matrix for all batches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.folded import folded
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    NUMBERS,
    Attributes,
    Axis,
    Facts,
    Mismatch,
    Operator,
    Scheduled,
    Shaped,
    broadcast_all,
    of_dtype,
    of_rank,
)
from anytile.core.dtypes import BY_NAME, HALVES
from anytile.core.plurals import counted
from anytile.schedules.nest.stored_floats import from_bits, rounded
from anytile.schedules.operators import OPERATORS as WORKLOADS
from anytile.schedules.operators.attribute import Attribute
from anytile.schedules.operators.products.quantised_dense import ROUNDED
from anytile.schedules.operators.spec import Example, example, wide

_SPEC = WORKLOADS["batch_matmul"]
(_FOLDED,) = folded("batch_matmul")
EXACT = "exact"
OF_TWO = Attribute(
    "products", "str", EXACT, "exact, or of factors that may be rounded to this dtype", words=(EXACT, *HALVES)
)

STACKED = "stacked_dense"
FLOAT = "float32"
OF_STACK = Attribute("w", "str", FLOAT, "the dtype of w", words=(FLOAT, *HALVES))
OF_ROWS = Attribute("rows", "str", ROUNDED, "x rounded as w is where that is narrow, or exact", words=(ROUNDED, EXACT))


def _layouts(attrs: Attributes) -> tuple[str, str, str]:
    lhs, rhs, y = (str(attrs[name]) for name in ("lhs", "rhs", "y"))
    _SPEC.form({**attrs, **_as_batch(lhs, rhs, y)})  # which refuses what is none
    return lhs, rhs, y


def _as_batch(lhs: str, rhs: str, y: str) -> dict[str, str]:
    """The layouts of the workload: one product is a batch of one."""
    alone = "b" not in f"{lhs}{rhs}{y}"
    return {"lhs": f"b{lhs}", "rhs": rhs, "y": f"b{y}"} if alone else {"lhs": lhs, "rhs": rhs, "y": y}


def _axes(name: str, layout: str, rank: int, attrs: Attributes) -> dict[str, range]:
    """The axes that each dimension of an operand has: `b` as many as there are beside the others."""
    batches = rank - (len(layout) - 1) if "b" in layout else 0
    if batches < 0 or rank != len(layout.replace("b", "")) + batches:
        wanted = "2 or more" if "b" in layout else "2"
        raise Mismatch(f"{name} has {counted(rank, 'dimension')}; expected {wanted}")
    found, at = {}, 0
    for dim in layout:
        count = batches if dim == "b" else 1
        found[dim] = range(at, at + count)
        at += count
    return found


def _relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    *layouts, y = _layouts(attrs)
    of_dtype(args[0], NUMBERS, "lhs")
    of_dtype(args[1], (args[0].dtype,), "rhs")
    names = ("lhs", "rhs")
    left, right = (_axes(n, t, a.rank, attrs) for n, t, a in zip(names, layouts, args, strict=True))
    own = [tuple(a.dims[i] for i in axes.get("b", ())) for a, axes in zip(args, (left, right), strict=True)]
    if not own[0] and not own[1] and "b" in y:
        raise Mismatch("neither operand has batches; expected one that has, or use dense")
    try:
        facts.equal(args[0].dims[left["k"][0]], args[1].dims[right["k"][0]])
        batches = broadcast_all([Shaped(dims) for dims in own], facts)
    except Mismatch as error:
        assert _SPEC.calls[0].advice is not None
        raise Mismatch(f"{error}; {_SPEC.calls[0].advice(attrs)}") from None
    made = {"b": batches, "m": (args[0].dims[left["m"][0]],), "n": (args[1].dims[right["n"][0]],)}
    return (Shaped(tuple(d for dim in y for d in made[dim]), args[0].dtype),)


def _meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    lhs, rhs, y = (layout.replace("b", "...") for layout in _layouts(attrs))
    factors = arrays if attrs["products"] == EXACT else [rounded(a, str(attrs["products"])) for a in arrays]
    return (np.einsum(f"{lhs},{rhs}->{y}", *map(wide, factors), optimize=True),)


def _schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    *given, y = _layouts(attrs)
    layouts = list(given)
    each = [_axes(str(i), layout, arg.rank, attrs) for i, (layout, arg) in enumerate(zip(layouts, args, strict=True))]
    own = [[arg.shape[i] for i in axes.get("b", ())] for arg, axes in zip(args, each, strict=True)]
    walked_by, rank = 0, max(map(len, own))
    if len(own[0]) != len(own[1]) or not all(a == b for a, b in zip(*own, strict=True)):
        alone = (i for i in (1, 0) if all(isinstance(d, int) and d == 1 for d in own[i]) and len(own[1 - i]) == rank)
        one = next(alone, None)  # the operand that is one matrix
        if one is None:
            return None
        walked_by, layouts[one] = 1 - one, layouts[one].replace("b", "")
    sizes: dict[str, tuple[Axis, ...]] = {"b": tuple((walked_by, axis) for axis in each[walked_by].get("b", ()))}
    for i, (arg, axes) in enumerate(zip(args, each, strict=True)):
        for dim in "mnk":
            if dim in axes and (dim not in sizes or isinstance(arg.shape[axes[dim][0]], int)):
                sizes[dim] = ((i, axes[dim][0]),)
    walked, at = [], 0
    for dim in y:
        count = len(sizes["b"]) if dim == "b" else 1
        walked.append((dim, range(at, at + count)))
        at += count
    if "b" not in y:
        walked = [("b", range(0)), *walked]
    return schedule_as("batch_matmul", args, sizes, walked, _as_batch(layouts[0], layouts[1], y), dtype=args[0].dtype)


def _stacked(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, w = args
    of_dtype(x, (FLOAT,), "x")
    of_dtype(w, BY_NAME[str(attrs[OF_STACK.name])].arrays, "w")
    of_rank(w, 3, "w")
    if not x.rank:
        raise Mismatch("x is a scalar; expected rows")
    facts.equal(x.dims[-1], w.dims[2])
    return (Shaped((w.dims[0], *x.dims[:-1], w.dims[1]), x.dtype),)


def _stacked_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, w = arrays
    if (narrow := str(attrs[OF_STACK.name])) != FLOAT:
        x, w = rounded(x, narrow) if attrs[OF_ROWS.name] == ROUNDED else x, from_bits(w, narrow)
    return (np.einsum("...k,gnk->g...n", wide(x), wide(w), optimize=True),)


def _stacked_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    x = args[0]
    rows = tuple((0, axis) for axis in range(x.rank - 1))
    k = (0, x.rank - 1) if isinstance(x.shape[-1], int) else (1, 2)
    sizes = {"b": ((1, 0),), "m": rows, "n": ((1, 1),), "k": (k,)}
    walked = (("b", (0,)), ("m", range(1, x.rank)), ("n", (x.rank,)))
    return schedule_as("batch_matmul", args, sizes, walked, {"lhs": "mk", "rhs": "bnk"}, dtype=x.dtype)


_BROADCAST: tuple[Example, ...] = (
    example("(?b, ?t, 6)", "(1, 6, ?t)"),
    example("(6, ?t)", "(2, ?b, ?t, 5)"),
    example("(?t, 6)", "(6, ?b)", lhs="mk", rhs="kn", y="mn"),
    example("(6, ?t)", "(5, 6)", lhs="km", rhs="nk", y="mn"),
)
ROWS = (
    Operator(
        name="batch_matmul",
        summary=f"{_FOLDED.summary}, broadcast as numpy does; where no layout has b, of one product",
        inputs=_FOLDED.inputs,
        relation=_relation,
        numpy=_meaning,
        anchor=True,
        attributes=(*_FOLDED.attributes, OF_TWO),
        schedule=_schedule,
        examples=(*_FOLDED.examples, *_BROADCAST),
    ),
    Operator(
        name=STACKED,
        summary="y[g, ..., n] = sum_k x[..., k] * w[g, n, k], dense layers that read the same rows; a w in bfloat16 is "
        "given as its bits, in uint16",
        inputs=("x", "w"),
        relation=_stacked,
        numpy=_stacked_meaning,
        anchor=True,
        attributes=(OF_STACK, OF_ROWS),
        schedule=_stacked_schedule,
        takes_stored=True,
        examples=(
            example("(?b, ?t, 6)", "(3, 5, 6)"),
            example("(?t, 6)", "(2, 5, 6)"),
            example("(?t, 6)", "(2, 5, 6) float16", w="float16"),
            example("(?t, 6)", "(2, 5, 6) float16", w="float16", rows="exact"),
        ),
    ),
)

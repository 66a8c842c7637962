"""Operators that multiply and add up: dense layers, batched products, convolutions, the cells of recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.mirror import mirrored
from anytile.compiler.operators.scheduling import every, schedule_as
from anytile.compiler.operators.spec import (
    FLOATS,
    Attribute,
    Attributes,
    Axis,
    Facts,
    Mismatch,
    Operator,
    Scheduled,
    Shaped,
    of_rank,
    same_dtype,
)
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr
from anytile.schedules.operators.spec import wide


def _dense(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, w = args
    dtype = same_dtype(args, FLOATS)
    of_rank(w, 2, "w")
    if not x.rank:
        raise Mismatch("x is a scalar; expected x[..., k]")
    facts.equal(x.dims[-1], w.dims[1])
    return (Shaped((*x.dims[:-1], w.dims[0]), dtype),)


def _dense_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    x, _ = args
    sizes = {"m": every(0, x, 0, -1), "n": ((1, 0),), "k": ((1, 1),)}
    return schedule_as("dense", args, sizes, (("m", range(x.rank - 1)), ("n", (x.rank - 1,))))


_LAYOUTS = {"lhs": "mk", "rhs": "kn", "y": "mn"}


def _axes(layout: str, rank: int) -> dict[str, tuple[int, ...]]:
    """The axes of each letter; b takes all that the others leave."""
    batch = rank - len(layout) + 1 if "b" in layout else 0
    found: dict[str, tuple[int, ...]] = {}
    at = 0
    for letter in layout:
        count = batch if letter == "b" else 1
        found[letter] = tuple(range(at, at + count))
        at += count
    return found


def _shared(attrs: Attributes, *names: str) -> str:
    layouts = " or ".join(f"{name}={str(attrs[name]).replace('b', '')!r}" for name in names)
    return f"with {layouts} one matrix serves all batches"


def _batch_axes(args: Sequence[Shaped | TensorType], attrs: Attributes) -> list[dict[str, tuple[int, ...]]]:
    """The axes of lhs, rhs and y; what cannot be is refused."""
    found = []
    for (name, matrix), tensor in zip(_LAYOUTS.items(), args, strict=False):
        layout = str(attrs[name])
        if sorted(layout) not in (sorted(matrix), sorted("b" + matrix)):
            raise Mismatch(f"{name}={layout}: expected the letters b{matrix} in any order, or {matrix} without batches")
        rank = tensor.rank
        least = len(layout)
        if rank < least or ("b" not in layout and rank != least):
            wanted = f"{least} or more; {_shared(attrs, name)}" if "b" in layout else str(least)
            raise Mismatch(f"{name} has {counted(rank, 'dimension')}; expected {wanted}")
        found.append(_axes(layout, rank))
    layout = str(attrs["y"])
    if sorted(layout) != sorted("bmn"):
        raise Mismatch(f"y={layout}: expected the letters bmn in any order")
    batches = {len(axes["b"]) for axes in found if "b" in axes}
    if len(batches) != 1:
        raise Mismatch(
            f"{' and '.join(map(str, sorted(batches))) or 'no'} batch dimensions; expected one number of them"
        )
    found.append(_axes(layout, batches.pop() + 2))
    return found


def _batch_matmul(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    dtype = same_dtype(args, FLOATS)
    lhs, rhs, y = _batch_axes(args, attrs)
    sizes: dict[str, tuple[Expr, ...]] = {}
    for axes, tensor in ((lhs, args[0]), (rhs, args[1])):
        for letter, over in axes.items():
            own = tuple(tensor.dims[i] for i in over)
            if letter in sizes:
                try:
                    own = tuple(facts.equal(a, b) for a, b in zip(sizes[letter], own, strict=True))
                except Mismatch as error:
                    advice = f"; {_shared(attrs, 'lhs', 'rhs')}" if letter == "b" else ""
                    raise Mismatch(f"{error}{advice}") from None
            sizes[letter] = own
    placed = sorted(((axis, letter, i) for letter in y for i, axis in enumerate(y[letter])))
    return (Shaped(tuple(sizes[letter][i] for _, letter, i in placed), dtype),)


def _batch_matmul_schedule(
    args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
) -> Scheduled | None:
    lhs, rhs, y = _batch_axes(args, attrs)
    sizes: dict[str, tuple[Axis, ...]] = {}
    for arg, axes in enumerate((lhs, rhs)):
        for letter, over in axes.items():
            sizes.setdefault(letter, tuple((arg, axis) for axis in over))
    given = {name: str(attrs[name]) for name in _LAYOUTS}
    return schedule_as("batch_matmul", args, sizes, tuple(y.items()), given)


def _batch_matmul_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    """einsum, with a letter of its own for each batch dimension."""
    *_, y = _batch_axes([TensorType(a.shape) for a in arrays], attrs)
    batch = "BCDEFGHIJLOPQRSTUVWXYZ"[: len(y["b"])]
    words = [str(attrs[name]).replace("b", batch) for name in _LAYOUTS]
    return (np.einsum(f"{words[0]},{words[1]}->{words[2]}", wide(arrays[0]), wide(arrays[1]), optimize=True),)


ROWS = (
    Operator(
        name="dense",
        summary="y[..., n] = sum_k x[..., k] * w[n, k]",
        inputs=("x", "w"),
        relation=_dense,
        numpy=lambda arrays, attrs: (wide(arrays[0]) @ wide(arrays[1]).T,),
        pattern="anchor",
        schedule=_dense_schedule,
        by_row=True,
    ),
    Operator(
        name="batch_matmul",
        summary="y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n], b any number of dimensions",
        inputs=("lhs", "rhs"),
        relation=_batch_matmul,
        numpy=_batch_matmul_meaning,
        pattern="anchor",
        attributes=(
            Attribute("lhs", "str", "bmk", "the order of the left operand's dimensions; mk is one for all batches"),
            Attribute(
                "rhs", "str", "bkn", "the order of the right operand's dimensions; bnk is transposed, kn one for all"
            ),
            Attribute("y", "str", "bmn", "the order of the result's dimensions"),
        ),
        schedule=_batch_matmul_schedule,
    ),
    mirrored(
        "conv2d",
        inputs=("x", "w"),
        pattern="anchor",
        attributes=(
            Attribute("stride", "ints", (1, 1), "steps of the kernel: rows, columns", least=1, count=2),
            Attribute("pad", "ints", (0, 0, 0, 0), "zeros: top, left, bottom, right", least=0, count=4),
            Attribute("dilation", "ints", (1, 1), "distance of the kernel's elements", least=1, count=2),
            Attribute("groups", "int", 1, "channels that do not see each other", least=1),
            Attribute("layout", "str", "nchw", "the order of the images' dimensions", words=("nchw", "nhwc")),
        ),
    ),
    mirrored(
        "gated_dense",
        inputs=("x", "w", "operands"),
        pattern="anchor",
        variadic=True,
        optional=1,
        many=True,
        by_row=True,
        attributes=(
            Attribute("gates", "int", 4, "how many products: w[gates, u, k]", least=1),
            Attribute(
                "cell", "str", "h2 = sigmoid(z3) * tanh(sigmoid(z0) * tanh(z2))", "outputs: name = expression; ..."
            ),
            Attribute("start", "str", "", "the operand that gates begin with, as pre[m, g, u] or bias[g, u]"),
        ),
    ),
)

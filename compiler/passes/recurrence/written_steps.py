"""Steps that a model has written out: what each of many reads at its own place of a tensor is read at once, or alike.

A recurrent layer walked in Python is exported step by step: each takes its row of the inputs and multiplies it by the
same weight. Rows of a product are products of rows, so the product is made of the whole tensor, and each step takes its
row of that: the weight is read once instead of once a step. And slices of one element behind the first dimension, which
differ in their place alone, are `take`s of it, which are one kernel.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.memory_dialect import ALIGNMENT
from anytile.compiler.ir.nodes import Call, Constant, Expr, Module, Var, is_operator_call, tensor_of
from anytile.compiler.ir.traverse import Binding, bindings_of, rewrite
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import ints
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred
from anytile.core.dtypes import BYTES

FEWEST = 4  # steps that are worth it
_VIEWS = ("reshape", "reshape_sized", "squeeze", "expand_dims", "flatten")


def written_steps(module: Module) -> Module:
    return each_block_inferred(each_block_inferred(module, _multiplied_at_once), _taken_alike)


@dataclass(frozen=True, slots=True)
class _Row:
    """One place along an axis of a tensor."""

    of: Var
    axis: int
    place: int


# -- products ----------------------------------------------------------------------------------------------------------


def _multiplied_at_once(body: Expr) -> Expr | None:
    """Products of many rows of a tensor with one weight as rows of one product."""
    known = dict(bindings_of(body))
    groups: dict[object, dict[Var, _Row]] = defaultdict(dict)
    for var, step in known.items():
        row = _multiplied(step, known)
        if row is not None and isinstance(step, Call) and isinstance(step.args[1], Constant):
            groups[row.of, row.axis, constant_key(step.args[1]), step.attrs][var] = row
    chosen = {var: key for key, rows in groups.items() if _are_many(rows) for var in rows}
    wholes: dict[object, Var] = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if var not in chosen or not isinstance(step, Call):
            return None
        key, row, made = chosen[var], groups[chosen[var]][var], Steps(step.where)
        if key not in wholes:
            wholes[key] = made.put("dense", row.of, step.args[1], **dict(step.attrs))
        ends = {"start": (row.place,), "stop": (row.place + 1,), "step": (1,), "axes": (row.axis,)}
        part = made.put("slice", wholes[key], **ends)
        made.put("reshape", part, shape=tuple(d if isinstance(d, int) else -1 for d in tensor_of(var).shape))
        return made.ending_in(var)

    return rewrite(body, change) if chosen else None


def _multiplied(step: Expr, known: Mapping[Var, Expr]) -> _Row | None:
    """The row that a step multiplies by a constant."""
    if not is_operator_call(step, "dense") or not isinstance(step.args[0], Var):
        return None
    x = given = step.args[0]
    while x in known and is_operator_call(view := known[x], *_VIEWS) and isinstance(view.args[0], Var):
        x = view.args[0]
    row, own = _row(x, known), tensor_of(given).shape
    if row is None or row.axis == tensor_of(row.of).rank - 1:
        return None
    is_same = _wide(own) == _wide(tensor_of(x).shape) and own[-1:] == tensor_of(row.of).shape[-1:]
    return row if is_same and sum(not isinstance(d, int) for d in own) <= 1 else None


def _wide(dims: tuple[Dim, ...]) -> list[Dim]:
    return [d for d in dims if d != 1]


def _are_many(rows: Mapping[Var, _Row]) -> bool:
    """Whether so many rows are read that the product of all is worth it."""
    row = next(iter(rows.values()))
    size, count = tensor_of(row.of).shape[row.axis], len({r.place for r in rows.values()})
    return isinstance(size, int) and count >= FEWEST and 2 * count >= size


def _row(x: Var, known: Mapping[Var, Expr]) -> _Row | None:
    """What one element along an axis whose size is known is taken from."""
    step = known.get(x)
    if step is None or not is_operator_call(step, "slice", "take") or not isinstance(step.args[0], Var):
        return None
    source, shape = step.args[0], tensor_of(step.args[0]).shape
    attrs = operator("slice" if is_operator_call(step, "slice") else "take").complete(step.attrs)
    if is_operator_call(step, "slice"):
        axes, start, stop, apart = (ints(attrs, name) for name in ("axes", "start", "stop", "step"))
        if len(axes) != 1 or len(start) != 1 or len(stop) != 1 or apart not in ((), (1,)) or stop[0] != start[0] + 1:
            return None
        axis, place = axes[0] % len(shape), start[0]
    else:
        index = step.args[1]
        if not isinstance(index, Constant) or index.array.size != 1:
            return None
        axis, place = attrs["axis"], int(index.array.reshape(()))  # type: ignore[assignment]  # a number
        axis %= len(shape)
    size = shape[axis]
    return _Row(source, axis, place) if isinstance(size, int) and 0 <= place < size else None


# -- slices ------------------------------------------------------------------------------------------------------------


def _taken_alike(body: Expr) -> Expr | None:
    """Slices of one element at many places as what one kernel takes."""
    known = dict(bindings_of(body))
    rows = {v: r for v, s in known.items() if is_operator_call(s, "slice") and (r := _row(v, known)) and _is_copied(r)}
    places: dict[tuple[TensorType, int], set[int]] = defaultdict(set)
    for row in rows.values():
        places[tensor_of(row.of), row.axis].add(row.place)
    chosen = {v: r for v, r in rows.items() if len(places[tensor_of(r.of), r.axis]) >= FEWEST}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if var not in chosen or not isinstance(step, Call):
            return None
        row, made = chosen[var], Steps(step.where)
        made.put("take", row.of, Constant(np.asarray([row.place], np.int64)), axis=row.axis)
        return made.ending_in(var)

    return rewrite(body, change) if chosen else None


def _is_copied(row: _Row) -> bool:
    """Whether a row is more than a column, and lies where it cannot be read as it is."""
    kind = tensor_of(row.of)
    nbytes = math.prod(d for d in kind.shape[1:] if isinstance(d, int)) * BYTES[kind.dtype]
    return row.axis < kind.rank - 1 and (row.axis > 0 or nbytes % ALIGNMENT != 0)

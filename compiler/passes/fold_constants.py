"""Constant folding: calls of operators on constants become what they make, branches on a constant the one taken.

The shape of a tensor whose sizes are all known is a constant too. What would be much larger than what it is made from
stays a call, so that files do not grow; what an operator refuses stays too, and is refused where it runs. Whole
subgraphs are folded by the size of what they make: a large step in the middle of one is computed where a small one
behind it needs it, as long as all that takes no more than 2**28 bytes, and nobody keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    If,
    Module,
    TupleExpr,
    Var,
    is_operator_call,
    operator_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, Names, bindings_of, each_block, is_atom, result_of, rewrite
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import room, run, shape_function, shaped
from anytile.compiler.operators.spec import Mismatch, Operator, Shaped
from anytile.core.dtypes import BYTES

_ALWAYS_BYTES = 1 << 12  # results up to this size are folded however small their arguments
_MOST_BYTES = 1 << 28


def fold_constants(module: Module) -> Module:
    return each_block(module, _block)


def _block(body: Expr) -> Expr:
    names: Names = {}
    large: dict[Var, _Large] = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        taken = _taken(step)
        if taken is not None:
            taken = rewrite(taken, change, names)
            names[var] = result_of(taken)
            return list(bindings_of(taken))
        made = _folded(var, step, large)
        if made is None:
            return None
        if is_atom(made):
            names[var] = made
            return []
        return [(var, made)]

    return rewrite(body, change, names)


def _taken(step: Expr) -> Expr | None:
    """The branch of an If whose condition is known."""
    if not isinstance(step, If) or not isinstance(step.condition, Constant):
        return None
    return step.then if bool(step.condition.array) else step.otherwise


@dataclass(frozen=True, slots=True)
class _Large:
    """A call on constants, or on other such calls, whose result is too large to be kept: what it is like, the bytes
    that are made on the way to it, and the constants behind it, each with its bytes."""

    step: Call
    shaped: Shaped
    takes: int
    behind: frozenset[tuple[int, int]]


def _folded(var: Var, step: Expr, large: dict[Var, _Large]) -> Expr | None:
    """What a call makes of constants; a tuple of constants where it makes several. `large` gets what is not kept."""
    if not is_operator_call(step):
        return None
    row = operator(operator_of(step))
    if row.name == "shape_of":
        kind = type_of(step.args[0])
        if isinstance(kind, TensorType) and kind.is_static:
            return Constant(np.asarray(kind.shape, np.int64).reshape(kind.rank))
        return None
    if not step.args or not all(isinstance(a, Constant) or a in large for a in step.args):
        return None
    constants = [a for a in step.args if isinstance(a, Constant)]
    try:
        if len(constants) == len(step.args):
            arrays = [c.array for c in constants]
            size = room(row, arrays, step.attrs)
            if not _is_kept(size, sum(a.nbytes for a in arrays)):
                _remember(var, step, row, large)
                return None
        else:
            found = _remember(var, step, row, large)
            if found is None or not _is_kept(_bytes(found.shaped), sum(n for _, n in found.behind)):
                return None
            del large[var]
            arrays = _computed(step.args, large)
        made = run(row, arrays, step.attrs)
    except Mismatch:
        return None
    name = next((c.name for c in constants if c.name), "")
    results = tuple(Constant(m, name and f"{name}_{row.name}") for m in made)
    return TupleExpr(results) if row.many else results[0]


def _is_kept(size: int, given: int) -> bool:
    """Whether what takes so many bytes may stand in the place of what takes others."""
    return size <= _ALWAYS_BYTES or (size <= 2 * given and size <= _MOST_BYTES)


def _bytes(s: Shaped) -> int:
    return math.prod(d.value or 0 for d in s.dims) * BYTES[s.dtype]


def _remember(var: Var, step: Call, row: Operator, large: dict[Var, _Large]) -> _Large | None:
    """A call as one whose result something smaller may be made of; None where its size is not known, or too much."""
    if row.many or row.mode != "independent":
        return None
    args = [large[a].shaped if isinstance(a, Var) else shaped(_constant(a).type) for a in step.args]
    (result,) = shape_function(row, args, step.attrs).results
    before = [large[a] for a in step.args if isinstance(a, Var)]
    takes = _bytes(result) + sum(b.takes for b in before)
    if takes > _MOST_BYTES or any(d.value is None for d in result.dims):
        return None
    own = frozenset((id(a.array), a.array.nbytes) for a in step.args if isinstance(a, Constant))
    large[var] = _Large(step, result, takes, own.union(*(b.behind for b in before)))
    return large[var]


def _computed(args: Sequence[Expr], large: dict[Var, _Large]) -> list[Array]:
    """Arguments as arrays; the large ones are made, each once."""
    needed: set[Var] = set()
    waiting = [a for a in args if isinstance(a, Var)]
    while waiting:
        var = waiting.pop()
        if var not in needed:
            needed.add(var)
            waiting.extend(a for a in large[var].step.args if isinstance(a, Var))
    made: dict[Var, Array] = {}

    def array(e: Expr) -> Array:
        return made[e] if isinstance(e, Var) else _constant(e).array

    for var in large:  # in the order of the steps
        if var in needed:
            step = large[var].step
            (made[var],) = run(operator(operator_of(step)), [array(a) for a in step.args], step.attrs)
    return [array(a) for a in args]


def _constant(e: Expr) -> Constant:
    assert isinstance(e, Constant)
    return e

"""Row-wise steps: those that would do the same to each of many rows as they do to the one they are given.

A step of tensors of one row follows where its operator maps rows, all else that it reads is constant, and its shapes
with a row count in place of the one are what they were otherwise. So a whole stack of rows may go through it at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from anytile.compiler.ir.nodes import Constant, Expr, TupleGet, Var, is_operator_call, operator_of
from anytile.compiler.ir.traverse import Binding, atoms_of, bindings_of, result_of, variables_read
from anytile.compiler.ir.types import TensorType, TupleType, Type
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import shape_function, shaped
from anytile.compiler.operators.spec import Mismatch, Shaped
from anytile.schedules.index.expr import var as dim

_PRODUCTS = ("dense", "gated_dense")
# A row by itself costs the walk of a whole weight, a row among many what it takes to collect it and to take it back:
# as much as from such weights, in bytes, that the first level cache does not hold. Less where it is collected anyway.
WORTH, WORTH_TOO = 3 << 15, 1 << 16


def is_row(t: Type | None) -> bool:
    return isinstance(t, TensorType) and t.rank >= 2 and t.is_static and t.shape[0] == 1


def following(rows: Sequence[Expr], block: Expr) -> list[Binding]:
    """The steps of a block that follow from some rows and constants, blocks in it not looked into."""
    made = set(rows)
    found = []
    for var, value in bindings_of(block):
        if _follows(var, value, made):
            made.add(var)
            found.append((var, value))
    return found


def about_products(found: Sequence[Binding]) -> tuple[Binding, ...]:
    """Those of some steps that make products, that these need, or that are made of them."""
    behind: set[Expr] = set()
    for var, value in found:
        if _is_product(value) or behind & set(atoms_of(value)):
            behind.add(var)
    wanted = set(behind)
    for var, value in reversed(found):
        if var in wanted:
            wanted |= set(atoms_of(value))
    return tuple((var, value) for var, value in found if var in wanted)


def weights(kept: Sequence[Binding]) -> int:
    """The bytes of the constants that products of some steps read."""
    read = {a for _, value in kept if _is_product(value) for a in atoms_of(value) if isinstance(a, Constant)}
    return sum(a.array.nbytes for a in read)


def read_outside(kept: Sequence[Binding], block: Expr) -> tuple[Var, ...]:
    """Those of some steps of a block that the rest of it reads."""
    own = {var for var, _ in kept}
    others = (value for var, value in bindings_of(block) if var not in own)
    read = {result_of(block), *(v for value in others for v in variables_read(value))}
    return tuple(var for var, _ in kept if var in read)


def _is_product(value: Expr) -> bool:
    return is_operator_call(value, *_PRODUCTS)


def _follows(var: Var, value: Expr, made: set[Expr]) -> bool:
    if isinstance(value, TupleGet):
        return value.value in made
    if not is_operator_call(value) or not made & set(value.args):
        return False
    row = operator(operator_of(value))
    own = var.type.fields if isinstance(var.type, TupleType) else (var.type,)
    if not row.maps_rows or not all(map(is_row, own)):
        return False
    args: list[Shaped] = []
    for a in value.args:
        if a in made and isinstance(a, Var):
            args.append(_rows(a.type))
        elif isinstance(a, Constant):
            args.append(shaped(a.type))
        else:
            return False
    try:
        found = shape_function(row, args, value.attrs)
    except Mismatch:
        return False
    return not found.conditions and found.results == tuple(map(_rows, own))


def _rows(t: Type | None) -> Shaped:
    """A tensor of one row, were there any number of them."""
    assert isinstance(t, TensorType)
    return Shaped((dim("rows"), *shaped(t).dims[1:]), t.dtype)

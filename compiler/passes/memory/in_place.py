"""Rows in place: which steps may put rows where a tensor lies, instead of into a copy of it.

The tensor is an input of main that may be written, whose place the attribute `written` of main has, or what such a step
made of one. A step reads it to put rows there, and nothing else does: all but the last of a chain are read by the next
one alone, so nobody misses what lay there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from anytile.compiler.ir.nodes import (
    Call,
    Expr,
    Function,
    GlobalRef,
    Module,
    Var,
    is_operator_call,
    operator_of,
)
from anytile.compiler.ir.traverse import atoms_of, bindings_of, every_block, result_of, steps, variables_read
from anytile.compiler.kernels.kernel_of import PUT_INSIDE
from anytile.compiler.operators.sized import FIRST_LIKE

WRITTEN = "written"
PUT_ROWS = "put_rows"


def written_of(f: Function) -> tuple[int, ...]:
    """The places of the parameters that a function may write to."""
    places = dict(f.attrs).get(WRITTEN, ())
    assert isinstance(places, tuple)
    return tuple(p for p in places if isinstance(p, int))


def put_in_place(module: Module, f: Function) -> frozenset[Var]:
    """What the steps make that may put rows where their first argument lies."""
    places = written_of(f)
    if not places:
        return frozenset()
    reads = Counter(v for _, value in steps(f.body) for v in _read(value))
    reads.update(v for block in every_block(f.body) for v in variables_read(result_of(block)))
    free: set[Expr | None] = {p for i, p in enumerate(f.params) if i in places and reads[p] == 1}
    made: set[Var] = set()
    for variable, value in bindings_of(f.body):
        into = _put_into(module, value) if isinstance(value, Call) else None
        if into in free:
            made.add(variable)
            free |= {variable} if reads[variable] == 1 else set()
    return frozenset(made)


def lies_over(f: Function) -> int | None:
    """The parameter of a primitive function that its result lies over, if its kernel writes rows there alone."""
    put = next((v for _, v in bindings_of(f.body) if is_operator_call(v, PUT_INSIDE)), None)
    return None if put is None or not f.is_primitive else f.params.index(put.args[0])


def _put_into(module: Module, call: Call) -> Expr | None:
    """What a step puts rows into."""
    if isinstance(call.callee, GlobalRef):
        place = lies_over(module.function(call.callee.name))
        return None if place is None else call.args[place]
    return call.args[0] if is_operator_call(call, PUT_ROWS, PUT_INSIDE) else None


def _read(value: Expr) -> Iterable[Var]:
    """Whose elements a step reads itself: what sizes are computed from is not read for it."""
    if is_operator_call(value, "shape_of"):
        return ()
    atoms = atoms_of(value)
    first = FIRST_LIKE.get(operator_of(value)) if isinstance(value, Call) else None
    return (a for a in atoms[:first] if isinstance(a, Var))

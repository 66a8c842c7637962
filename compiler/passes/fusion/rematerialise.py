"""Rematerialisation: a cheap elementwise step that several others read is computed by each of these anew.

A step that two read is a kernel of its own, which writes what both read again: the d = x - mean of a variance and of
what is divided by its root. Where it costs a few additions and reads one tensor of its own size, each reader computes
it in registers from that tensor, which it would have read d for, and nothing is stored. So each reader gets a copy, and
fusion joins them; `common_subexpressions` behind it makes those one again that it did not.

All readers must be able to take it in: elementwise steps, reductions and normalisations of the same block. What comes
of a step that nothing else reads stays, for it is better computed there, as the tail of a product; so does what comes
of copies.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from anytile.compiler.ir.nodes import Expr, Module, Var, is_operator_call, operator_of, tensor_of, type_of
from anytile.compiler.ir.traverse import (
    Binding,
    bindings_of,
    each_block,
    make_block,
    map_atoms,
    result_of,
    variables_read,
)
from anytile.compiler.ir.types import TensorType
from anytile.compiler.kernels.kernel_of import takes_steps
from anytile.compiler.operators import operator
from anytile.core.dtypes import BYTES
from anytile.core.errors import SpecError
from anytile.schedules.nest.elementwise_text import parse
from anytile.schedules.templates.cpu.elementwise_cpu import cost

_CHEAP = 4  # additions for an element
_MOST_READERS = 4


def rematerialise(module: Module) -> Module:
    return each_block(module, _block)


def _block(body: Expr) -> Expr:
    bindings, reads = bindings_of(body), Counter(variables_read(body))
    readers: defaultdict[Var, list[Binding]] = defaultdict(list)
    for binding in bindings:
        for read in dict.fromkeys(variables_read(binding[1])):
            readers[read].append(binding)
    copied: dict[Var, Expr] = {}
    for var, value in bindings:
        if _is_cheap(var, value, reads, copied) and _all_take(var, readers[var], reads):
            copied[var] = value
    made: list[Binding] = []
    for var, value in bindings:
        if var in copied:
            continue
        own = {read: Var(read.name, read.type) for read in dict.fromkeys(variables_read(value)) if read in copied}
        made += [(copy, copied[read]) for read, copy in own.items()]
        made.append((var, map_atoms(value, lambda a, own=own: own.get(a, a)) if own else value))  # type: ignore[misc]  # of a default
    return make_block(made, result_of(body)) if copied else body


def _is_cheap(var: Var, value: Expr, reads: Counter[Var], copied: dict[Var, Expr]) -> bool:
    """Whether a step reads little but one tensor of its own size, which is stored in any case."""
    made = var.type
    if not is_operator_call(value) or not isinstance(made, TensorType) or not made.shape:
        return False
    row = operator(operator_of(value))
    if row.element is None or row.mode != "independent":
        return False
    whole = [a for a in dict.fromkeys(value.args) if tensor_of(a).shape == made.shape]
    if len(whole) != 1 or not isinstance(x := whole[0], Var) or x in copied or reads[x] <= value.args.count(x):
        return False
    if not all(a is x or _is_smaller(tensor_of(a), made) for a in value.args):
        return False
    dtype = tensor_of(x).dtype
    if BYTES.get(dtype, 0) > BYTES.get(made.dtype, 0):
        return False
    try:
        text = row.element([f"a{i}" for i in range(len(value.args))], row.complete(value.attrs))
        return cost(parse(text)) <= _CHEAP
    except SpecError:  # no expression of kernels
        return False


def _is_smaller(t: TensorType, whole: TensorType) -> bool:
    """Whether a tensor surely has fewer elements than what it is broadcast to."""
    lead = len(whole.shape) - len(t.shape)
    return any(dim != 1 and (axis < lead or t.shape[axis - lead] == 1) for axis, dim in enumerate(whole.shape))


def _all_take(var: Var, readers: list[Binding], reads: Counter[Var]) -> bool:
    """Whether several steps read it, and all of them can compute it themselves."""
    if not 2 <= len(readers) <= _MOST_READERS:
        return False
    counted = 0
    for made, value in readers:
        if not is_operator_call(value):
            return False
        row, kind = operator(operator_of(value)), type_of(made)
        counted += value.args.count(var)
        if row.element is not None:
            if not isinstance(kind, TensorType) or kind.shape != tensor_of(var).shape:
                return False
        elif not takes_steps(row) or value.args[0] is not var or var in value.args[1:]:
            return False
    return counted == reads[var]

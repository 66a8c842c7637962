"""Growing inputs: what a model takes and returns with rows behind is appended to, from one call to the next.

A decoder's file takes keys and values of the tokens before and returns them with those of its own joined behind: a copy
of the whole cache for every token. Joined by `append`, rows lie where the input has room behind its own. For that the
dimension that grows must be the first but for those of 1, so such an input and its result are turned: (sequences,
heads, tokens, width) is (tokens, sequences, heads, width) outside. Inside, all else reads them through a transposition,
which products of attention read in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import (
    Call,
    Expr,
    Function,
    Module,
    OperatorRef,
    TupleExpr,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, make_block, result_of
from anytile.compiler.ir.types import TensorType, TupleType
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import FIRST_LIKE, dimension, sizes_text
from anytile.compiler.operators.spec import axis_of, integer
from anytile.compiler.passes.to_anf import to_anf
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import var
from anytile.schedules.index.expr_text import parse_exprs


@dataclass(frozen=True, slots=True)
class _Turned:
    """Where something lies, and which of its dimensions is each of those there."""

    lying: Var
    perm: tuple[int, ...]

    @property
    def seen(self) -> Call:
        """What it is for all who read its elements."""
        return _transpose(self.lying, tuple(map(self.perm.index, range(len(self.perm)))))


@dataclass(frozen=True, slots=True)
class _Join:
    """A result that is a parameter with rows behind its own along a dimension."""

    own: Var
    rows: Expr
    axis: int
    where: str


@dataclass(frozen=True, slots=True)
class Growing:
    """A module that appends to inputs, and in which order the dimensions of some inputs and results now lie: by their
    place among main's parameters, and among all tensors that it returns, within tuples too."""

    module: Module
    inputs: Mapping[int, tuple[int, ...]]
    results: Mapping[int, tuple[int, ...]]


def grow_inputs(module: Module) -> Module:
    """The module with every result that is an input of main with rows behind appended to it."""
    return growing(module).module


def growing(module: Module) -> Growing:
    """The same, and what is turned in it."""
    typed = infer(to_anf(infer(module).module)).module
    f = typed.main
    known = dict(bindings_of(f.body))
    leaves = _leaves(result_of(f.body), known)
    joins = {v: join for v in leaves if isinstance(v, Var) and (join := _join(known.get(v), f.params)) is not None}
    if not joins:
        raise SpecError("compile: growing=True: no result is an input with more behind it; leave that out")
    turned: dict[Var, _Turned] = {}
    steps: list[Binding] = []
    for join in joins.values():
        if join.own not in turned:
            perm = _perm(tensor_of(join.own), join.axis)
            turned[join.own] = _Turned(_lying(join.own, perm), perm)
            steps.append((join.own, turned[join.own].seen))
    params = tuple(turned[p].lying if p in turned else p for p in f.params)
    for variable, value in known.items():
        joined = _appended(variable, joins[variable], turned) if variable in joins else None
        steps += [(variable, _by_sizes(value, turned))] if joined is None else joined
    grown = {v: turned[v].lying for v in joins if v in turned}
    result = _rebuilt(result_of(f.body), known, grown, steps)
    main = Function(params, type_of(result), make_block(steps, result), f.attrs)
    return Growing(
        replace(typed, functions={**typed.functions, "main": main}),
        {at: turned[p].perm for at, p in enumerate(f.params) if p in turned},
        {at: turned[v].perm for at, v in enumerate(leaves) if isinstance(v, Var) and v in grown},
    )


def _leaves(result: Expr, known: Mapping[Var, Expr]) -> list[Expr]:
    """What main returns, also within tuples."""
    made = known.get(result) if isinstance(result, Var) else None
    return [leaf for e in made.fields for leaf in _leaves(e, known)] if isinstance(made, TupleExpr) else [result]


def _join(value: Expr | None, params: Sequence[Var]) -> _Join | None:
    if value is None or not is_operator_call(value, "concat") or len(value.args) != 2:
        return None
    own, rows = value.args
    if not isinstance(own, Var) or own not in params:
        return None
    axis = integer(operator("concat").complete(value.attrs), "axis")
    return _Join(own, rows, axis_of(axis, tensor_of(own).rank), value.where)


def _perm(kind: TensorType, axis: int) -> tuple[int, ...]:
    """The dimensions in the order in which rows can be appended."""
    rest = tuple(i for i in range(kind.rank) if i != axis)
    return tuple(range(kind.rank)) if not set(kind.shape[:axis]) - {1} else (axis, *rest)


def _lying(of: Var, perm: Sequence[int]) -> Var:
    kind = tensor_of(of)
    return Var(of.name, TensorType(tuple(kind.shape[p] for p in perm), kind.dtype))


def _transpose(x: Expr, perm: tuple[int, ...], where: str = "") -> Call:
    return Call(OperatorRef("transpose"), (x,), operator("transpose").canonical((("perm", perm),)), where)


def _appended(variable: Var, join: _Join, turned: dict[Var, _Turned]) -> list[Binding] | None:
    """The steps of a join that appends; None where the input grows along another dimension as well."""
    before = turned[join.own]
    axis = before.perm.index(join.axis)
    if set(tensor_of(before.lying).shape[:axis]) - {1}:
        return None
    kind = tensor_of(join.rows)
    rows = Var("rows", TensorType(tuple(kind.shape[p] for p in before.perm), kind.dtype))
    turned[variable] = after = _Turned(_lying(variable, before.perm), before.perm)
    attrs = operator("append").canonical((("axis", axis),))
    return [
        (rows, _transpose(join.rows, before.perm, join.where)),
        (after.lying, Call(OperatorRef("append"), (before.lying, rows), attrs, join.where)),
        (variable, after.seen),
    ]


def _by_sizes(value: Expr, turned: Mapping[Var, _Turned]) -> Expr:
    """A step that reads no more than sizes of what is turned, of what lies there: nothing is turned for it."""
    if not is_operator_call(value, *FIRST_LIKE):
        return value
    first = FIRST_LIKE[operator_of(value)]
    args: list[Expr] = []
    names: dict[str, Index] = {}
    position = 0
    for place, arg in enumerate(value.args):
        rank = tensor_of(arg).rank
        there = turned.get(arg) if place >= first and isinstance(arg, Var) else None
        if there is not None:
            names |= {dimension(position + i): var(dimension(position + there.perm.index(i))) for i in range(rank)}
        args.append(arg if there is None else there.lying)
        position += rank
    attrs = dict(value.attrs)
    attrs["sizes"] = sizes_text([e.substitute(names) for e in parse_exprs(str(attrs["sizes"]))])
    return replace(value, args=tuple(args), attrs=operator(operator_of(value)).canonical(tuple(attrs.items())))


def _rebuilt(result: Expr, known: Mapping[Var, Expr], grown: Mapping[Var, Var], steps: list[Binding]) -> Expr:
    """What main returns, with what grew as it lies; tuples of it are steps more."""
    if not isinstance(result, Var):
        return result
    made = known.get(result)
    if not isinstance(made, TupleExpr):
        return grown.get(result, result)
    fields = tuple(_rebuilt(e, known, grown, steps) for e in made.fields)
    whole = Var(result.name, TupleType(tuple(t for e in fields if (t := type_of(e)) is not None)))
    steps.append((whole, TupleExpr(fields)))
    return whole

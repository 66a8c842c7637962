"""Subtyping, joins and instantiation: what goes where a type is expected, what branches share, what calls get.

`Tensor[(128, 128)]` goes where `Tensor[(?, 128)]` is expected, and so does a list of them where a list of those is,
for data never change. Where that depends on unknown sizes a condition is recorded, except inside data and functions,
into which no check can look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from anytile.compiler.infer.scope import Inventing, Scope
from anytile.compiler.ir.types import (
    UNNAMED,
    Any,
    DataRef,
    Dim,
    FunctionType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
    map_dims,
    symbols,
)
from anytile.compiler.operators.shapes import Condition
from anytile.compiler.operators.spec import Mismatch
from anytile.schedules.index.expr import Expr, var

NOTHING = TypeVar("_")  # what an empty list is a list of: it goes everywhere
Generic = dict[str, Expr | None]  # the names that a caller chooses, with what was chosen so far


def outer_symbols(t: Type) -> tuple[str, ...]:
    """The names in tensors that a value of this type shows: not inside data, not inside functions."""
    match t:
        case TensorType():
            return symbols(t)
        case TupleType(fields):
            return tuple(dict.fromkeys(name for f in fields for name in outer_symbols(f)))
        case _:
            return ()


def instantiate(t: Type, chosen: dict[str, Expr], scope: Scope, hidden: Mapping[str, Expr], inside: bool) -> Type:
    """A type of elsewhere in this scope: names that were chosen replaced; `hidden` are definitions that it has there.

    Names of neither kind are unknown sizes: here each becomes a new name, which is added to `chosen`; inside data it
    becomes none, and inside a function's type it stays for whoever calls that.
    """

    def size(dim: Dim) -> Dim:
        if isinstance(dim, int):
            return dim
        if not dim.name:
            return dim if inside else scope.dim(scope.unknown("any"))
        if dim.name not in chosen:
            defined = hidden.get(dim.name)
            if defined is not None and defined.names <= chosen.keys():
                chosen[dim.name] = defined.substitute(chosen)
            elif inside:
                return UNNAMED
            else:
                chosen[dim.name] = scope.unknown(dim.name)
        return scope.dim(chosen[dim.name])

    match t:
        case TensorType():
            return map_dims(t, size)
        case TupleType(fields):
            return TupleType(tuple(instantiate(f, chosen, scope, hidden, inside) for f in fields))
        case DataRef(name, args):
            return DataRef(name, tuple(instantiate(a, chosen, scope, hidden, True) for a in args))
        case FunctionType():
            own = {name: scope.invent(name) for name in symbols(t) if name not in chosen}
            return map_dims(t, lambda d: _replaced(d, chosen, own, scope))
        case _:
            return t


def _replaced(dim: Dim, chosen: Mapping[str, Expr], own: Mapping[str, str], scope: Scope) -> Dim:
    if isinstance(dim, int) or not dim.name:
        return dim
    return scope.dim(chosen[dim.name]) if dim.name in chosen else Any(own[dim.name])


class Relation:
    """The relations in one scope. Conditions are left in `conditions`, for whoever asked to say where they arose."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.conditions: list[Condition] = []

    def taken(self) -> tuple[Condition, ...]:
        found, self.conditions = tuple(self.conditions), []
        return found

    def fit(self, actual: Type, expected: Type, generic: Generic, inside: bool = False) -> Type:
        """What an actual type is where another is expected; names of `generic` are chosen as they are met."""
        match actual, expected:
            case _, TypeVar("_"):
                return actual
            case TypeVar("_"), _:
                return expected
            case TensorType(), TensorType() if actual.dtype == expected.dtype and actual.rank == expected.rank:
                dims = zip(actual.shape, expected.shape, strict=True)
                return TensorType(tuple(self._fit_dim(a, e, generic, inside) for a, e in dims), actual.dtype)
            case TupleType(own), TupleType(wanted) if len(own) == len(wanted):
                return TupleType(tuple(self.fit(a, e, generic, inside) for a, e in zip(own, wanted, strict=True)))
            case DataRef(name, own), DataRef(other, wanted) if name == other and len(own) == len(wanted):
                return DataRef(name, tuple(self.fit(a, e, generic, True) for a, e in zip(own, wanted, strict=True)))
            case FunctionType(), FunctionType() if len(actual.params) == len(expected.params):
                return self._fit_function(actual, expected, generic)
            case _ if actual == expected:
                return actual
        raise Mismatch(f"{actual} came where {expected} was expected")

    def _fit_dim(self, actual: Dim, expected: Dim, generic: Generic, inside: bool) -> Dim:
        if isinstance(expected, Any) and not expected.name:
            return UNNAMED if inside else actual
        unsure = isinstance(actual, Any) and not actual.name
        if isinstance(expected, Any) and expected.name in generic and generic[expected.name] is None and not unsure:
            generic[expected.name] = self.scope.size(actual)
            return actual
        chosen = generic.get(expected.name) if isinstance(expected, Any) else None
        if unsure or (isinstance(expected, Any) and chosen is None and not self.scope.is_known(expected.name)):
            raise Mismatch(f"a dimension {actual} came where {expected} was expected, and no check can look there")
        size, wanted = self.scope.size(actual), chosen if chosen is not None else self.scope.size(expected)
        facts = Inventing(self.scope)
        try:
            facts.equal(size, wanted)
        except Mismatch:
            raise Mismatch(f"a dimension {size} came where {wanted} was expected") from None
        if facts.conditions and inside:
            raise Mismatch(f"a dimension {size} came where {wanted} was expected, and no check can look there")
        self.conditions += facts.conditions
        return self.scope.dim(wanted)

    def _fit_function(self, actual: FunctionType, expected: FunctionType, generic: Generic) -> Type:
        """What is expected to be passed must fit what the function takes, and its result what is expected of it."""
        chosen = {name: size for name, size in generic.items() if size is not None}
        chosen = self._at_hand(expected, chosen)
        given = [instantiate(p, chosen, self.scope, {}, False) for p in expected.params]
        wanted = instantiate(expected.result, chosen, self.scope, {}, True)
        own: Generic = {name: None for name in symbols(actual) if not self.scope.is_known(name)}
        before = len(self.conditions)
        for takes, comes in zip(actual.params, given, strict=True):
            self.fit(comes, takes, own)
        made = self._at_hand(actual, {name: size for name, size in own.items() if size is not None})
        self.fit(instantiate(actual.result, made, self.scope, {}, True), wanted, {}, inside=True)
        if len(self.conditions) > before:
            raise Mismatch(f"{actual} came where {expected} was expected, and no check can look there")
        return expected

    def _at_hand(self, t: Type, chosen: Mapping[str, Expr]) -> dict[str, Expr]:
        """What the names of a type are that mean something here, besides those that were chosen."""
        here = {name: self.scope.size(Any(name)) for name in symbols(t) if self.scope.is_known(name)}
        return {**here, **chosen}

    def join(self, a: Type, b: Type, inside: bool = False) -> Type:
        """The least that two types both go for; sizes that differ become unknown."""
        match a, b:
            case _, TypeVar("_"):
                return a
            case TypeVar("_"), _:
                return b
            case TensorType(), TensorType() if a.dtype == b.dtype and a.rank == b.rank:
                dims = (self._join_dim(x, y, inside) for x, y in zip(a.shape, b.shape, strict=True))
                return TensorType(tuple(dims), a.dtype)
            case TupleType(own), TupleType(other) if len(own) == len(other):
                return TupleType(tuple(self.join(x, y, inside) for x, y in zip(own, other, strict=True)))
            case DataRef(name, own), DataRef(same, other) if name == same and len(own) == len(other):
                return replace(a, args=tuple(self.join(x, y, True) for x, y in zip(own, other, strict=True)))
            case _ if str(a) == str(b):
                return a
        raise Mismatch(f"{a} and {b} have nothing in common")

    def _join_dim(self, a: Dim, b: Dim, inside: bool) -> Dim:
        if not (a == UNNAMED or b == UNNAMED) and str(a) == str(b) and str(a) != "?":
            return a
        return UNNAMED if inside else self.scope.dim(self.scope.unknown("any"))


def nameless_inside(t: Type, names: Collection[str], inside: bool = False) -> Type:
    """The type with names inside data that are not among these forgotten: nobody chooses them."""
    match t:
        case TensorType() if inside:
            return map_dims(t, lambda d: d if isinstance(d, int) or d.name in names else UNNAMED)
        case TupleType(fields):
            return TupleType(tuple(nameless_inside(f, names, inside) for f in fields))
        case DataRef(name, args):
            return DataRef(name, tuple(nameless_inside(a, names, True) for a in args))
        case _:
            return t


def opened(types: Sequence[Type], scope: Scope, chosen: Mapping[str, Expr]) -> tuple[Type, ...]:
    """Parameters' types: sizes that they show and nobody named get names, and new names are the caller's to choose."""
    for name in (name for t in types for name in outer_symbols(t)):
        if not scope.is_known(name):
            scope.known[name] = chosen.get(name, var(name))

    def size(dim: Dim) -> Dim:
        if isinstance(dim, int) or dim.name:
            return scope.dim(scope.size(dim))
        name = scope.invent("any")
        scope.known[name] = chosen.get(name, var(name))
        return scope.dim(scope.known[name])

    def open_up(t: Type) -> Type:
        match t:
            case TensorType():
                return map_dims(t, size)
            case TupleType(fields):
                return TupleType(tuple(map(open_up, fields)))
            case _:
                return nameless_inside(t, scope.known)

    return tuple(map(open_up, types))


def all_symbols(types: Iterable[Type]) -> set[str]:
    return {name for t in types for name in symbols(t)}

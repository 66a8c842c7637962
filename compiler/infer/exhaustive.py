"""Exhaustiveness check of a match: the classical test on rows of patterns, which answers a witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.compiler.ir.nodes import Bind, Construct, Pattern, TuplePattern, Wildcard
from anytile.compiler.ir.types import DataRef, DataType, TupleType, Type, substitute

Row = tuple[Pattern, ...]
_ANY = Wildcard()


def missing(rows: Sequence[Row], types: Sequence[Type], data: Mapping[str, DataType]) -> list[str] | None:
    """A value for each column, as text, that no row fits; None where the rows fit everything."""
    if not types:
        return None if rows else []
    first, *rest = types
    heads = [row[0] for row in rows]
    if all(isinstance(p, Wildcard | Bind) for p in heads):
        found = missing([row[1:] for row in rows], rest, data)
        return None if found is None else ["_", *found]
    if isinstance(first, TupleType):
        fields = first.fields
        opened = [
            (*(p.patterns if isinstance(p, TuplePattern) else (_ANY,) * len(fields)), *row[1:])
            for p, row in zip(heads, rows, strict=True)
        ]
        found = missing(opened, (*fields, *rest), data)
        count = len(fields)
        return None if found is None else [f"({', '.join(found[:count])})", *found[count:]]
    assert isinstance(first, DataRef)
    declared = data[first.name]
    values = dict(zip(declared.params, first.args, strict=True))
    for constructor in declared.constructors:
        types_inside = [substitute(f, values) for f in constructor.fields]
        fitting: list[Row] = []
        for p, row in zip(heads, rows, strict=True):
            if isinstance(p, Construct):
                if p.constructor.name == constructor.name:
                    fitting.append((*p.patterns, *row[1:]))
            else:
                fitting.append((*(_ANY,) * len(types_inside), *row[1:]))
        found = missing(fitting, (*types_inside, *rest), data)
        if found is not None:
            count = len(types_inside)
            inside = f"({', '.join(found[:count])})" if count else ""
            return [constructor.name + inside, *found[count:]]
    return None

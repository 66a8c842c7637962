"""Exhaustiveness check of a match: the classical test on rows of patterns, which answers a witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.compiler.ir.nodes import Bind, Construct, Pattern, TuplePattern, Wildcard
from anytile.compiler.ir.types import DataRef, DataType, TupleType, Type, substitute
from anytile.compiler.operators.spec import Mismatch

MAX_CASES = 100_000
Row = tuple[Pattern, ...]
_ANY = Wildcard()


def missing(rows: Sequence[Row], types: Sequence[Type], data: Mapping[str, DataType]) -> list[str] | None:
    """A value for each column, as text, that no row fits; None where the rows fit everything.

    In the worst case there are as many cases as ways to choose one constructor for each column, so a match in which too
    many have to be looked at is refused as a `Mismatch`; one whose last clause fits everything is answered at once.
    """
    return _Search(data).missing(rows, types)


class _Search:
    def __init__(self, data: Mapping[str, DataType]) -> None:
        self.data, self.looked_at = data, 0

    def missing(self, rows: Sequence[Row], types: Sequence[Type]) -> list[str] | None:
        self.looked_at += 1 + len(rows)
        if self.looked_at > MAX_CASES:
            raise Mismatch(f"its patterns make more than {MAX_CASES} cases; match one value inside another, or add a _")
        if any(all(isinstance(p, Wildcard | Bind) for p in row) for row in rows):
            return None
        if not types:
            return []
        first, *rest = types
        heads = [row[0] for row in rows]
        if all(isinstance(p, Wildcard | Bind) for p in heads):
            found = self.missing([row[1:] for row in rows], rest)
            return None if found is None else ["_", *found]
        if isinstance(first, TupleType):
            fields = first.fields
            opened = [
                (*(p.patterns if isinstance(p, TuplePattern) else (_ANY,) * len(fields)), *row[1:])
                for p, row in zip(heads, rows, strict=True)
            ]
            found = self.missing(opened, (*fields, *rest))
            count = len(fields)
            return None if found is None else [f"({', '.join(found[:count])})", *found[count:]]
        assert isinstance(first, DataRef)
        declared = self.data[first.name]
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
            found = self.missing(fitting, (*types_inside, *rest))
            if found is not None:
                count = len(types_inside)
                inside = f"({', '.join(found[:count])})" if count else ""
                return [constructor.name + inside, *found[count:]]
        return None

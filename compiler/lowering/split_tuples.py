"""Scalar replacement of tuples: find those whose every use is a field access, which nobody needs to make.

What an if or a match gives is often a tuple, made at the end of each branch and taken apart behind it. Where every use
is a field of it, each branch may leave the fields where the users look for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from anytile.compiler.ir.nodes import Expr, Function, Let, TupleGet, Var
from anytile.compiler.ir.traverse import children
from anytile.compiler.ir.types import TupleType, Type

Split = tuple["Split | None", ...]  # for each field how it is taken apart in its turn, or None where it is used whole


class Uses:
    """How often each variable of a function's body is used, and which variables its fields are given to."""

    def __init__(self, body: Expr) -> None:
        self._count: Counter[Var] = Counter()
        self._taken: Mapping[Var, list[tuple[int, Var]]] = defaultdict(list)
        stack = [(body, False)]
        while stack:
            node, is_captured = stack.pop()
            if isinstance(node, Var):
                self._count[node] += 1
            elif isinstance(node, Let) and not is_captured:
                for var, value in node.bindings:
                    if isinstance(value, TupleGet) and isinstance(value.value, Var):
                        self._taken[value.value].append((value.index, var))
            is_captured |= isinstance(node, Function)  # a closure keeps the whole
            stack.extend((part, is_captured) for part in children(node))

    def split(self, var: Var) -> Split | None:
        """How a tuple is taken apart; None where it is used whole, or is no tuple."""
        return self._split((var,), var.type)

    def _split(self, names: Sequence[Var], of: Type | None) -> Split | None:
        """The same of a tuple that has several names."""
        if not isinstance(of, TupleType) or any(self._count[n] != len(self._taken[n]) for n in names):
            return None
        fields = (tuple(v for n in names for at, v in self._taken[n] if at == i) for i in range(len(of.fields)))
        return tuple(self._split(known, kind) for known, kind in zip(fields, of.fields, strict=True))

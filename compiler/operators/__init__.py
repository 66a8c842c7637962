"""The operator table of the model language. Adding an operator is one row in a file here."""

from __future__ import annotations

from anytile.compiler.operators import dynamic, elementwise, movement, products, reductions, reshaping
from anytile.compiler.operators.spec import Operator
from anytile.core.errors import SpecError

OPERATORS: dict[str, Operator] = {
    row.name: row for table in (elementwise, products, movement, reshaping, reductions, dynamic) for row in table.ROWS
}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None


__all__ = ["OPERATORS", "Operator", "operator"]

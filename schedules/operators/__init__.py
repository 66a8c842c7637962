"""The operator table. Adding an operator is one file here plus its line in OPERATORS."""

from __future__ import annotations

from anytile.schedules.errors import SpecError
from anytile.schedules.operators.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.conv2d import CONV2D
from anytile.schedules.operators.dense import DENSE
from anytile.schedules.operators.spec import DTYPES, Operator, TensorSpec

OPERATORS: dict[str, Operator] = {row.name: row for row in (DENSE, BATCH_MATMUL, CONV2D)}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None


__all__ = ["DTYPES", "OPERATORS", "Operator", "TensorSpec", "operator"]

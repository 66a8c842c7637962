"""The operators of the model language by name and by section: those that are workloads, and those of models alone.

An operator that is a workload is declared with it, as a `Call` of its row in `schedules/operators`; a file here has
the rows of others, and of those that become a workload in a way of their own.
"""

from __future__ import annotations

from anytile.compiler.operators import (
    by_data,
    dynamic,
    elementwise,
    images,
    indexing,
    movement,
    products,
    reductions,
    reshaping,
    sized,
)
from anytile.compiler.operators.folded import folded
from anytile.compiler.operators.signals import fourier
from anytile.compiler.operators.spec import Operator
from anytile.core.errors import SpecError
from anytile.schedules.operators import OPERATORS as WORKLOADS

_OWN_WAY = {**{row.name: (row,) for row in movement.ROWS}, "reduce": reductions.ROWS}
_OWN_WAY["batch_matmul"] = products.ROWS  # by the workload that they are


def _of(section: str) -> tuple[Operator, ...]:
    found = (spec.name for spec in WORKLOADS.values() if spec.section == section)
    return tuple(row for name in found for row in _OWN_WAY.get(name) or folded(name))


SECTIONS: dict[str, tuple[Operator, ...]] = {
    "Elementwise": (*elementwise.ROWS, *_of("Elementwise")),
    "Products": _of("Products"),
    "Moving data": (*_of("Moving data"), *indexing.ROWS),
    "Images": images.ROWS,
    "Reshaping": (*reshaping.ROWS, *sized.ROWS),
    "Reductions": _of("Reductions"),
    "Signals": fourier.ROWS,
    "Shapes that depend on data": (*dynamic.ROWS, *by_data.ROWS),
}
OPERATORS: dict[str, Operator] = {row.name: row for rows in SECTIONS.values() for row in rows}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None


__all__ = ["OPERATORS", "SECTIONS", "Operator", "operator"]

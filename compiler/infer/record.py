"""Checks for run time and refinements of parameters' types: what inference leaves as data."""

from __future__ import annotations

from dataclasses import dataclass

from anytile.compiler.ir.nodes import Call, Expr, GlobalRef, Var
from anytile.compiler.ir.types import Dim
from anytile.compiler.operators.shapes import Condition


@dataclass(frozen=True, slots=True)
class Check:
    """A condition over names of dimensions in a function, that must hold where something is computed.

    `operator` is what demands it, or how else the place is called, as `call of f`; `where` its place in the user's
    model, `shapes` what it was given. A check on an operator's arguments is part of its shape function too. `call` is
    the call, where there is one. A check that is `conditional` stands in a branch, a clause or a closure.
    """

    function: str
    operator: str
    where: str
    shapes: tuple[str, ...]
    condition: Condition
    conditional: bool
    call: Call | None = None

    def __str__(self) -> str:
        return f"{place(self.function, self.operator, self.where, self.shapes)}: expected {self.condition}"


@dataclass(frozen=True, slots=True)
class Refinement:
    """A name among a function's parameters that a check turned out to be a number or another name."""

    function: str
    name: str
    became: Dim
    because: Check


def called(callee: Expr) -> str:
    """What a call of a value is called."""
    return f"call of {callee.name}" if isinstance(callee, Var | GlobalRef) else "call"


def place(function: str, operator: str, where: str, shapes: tuple[str, ...]) -> str:
    """The beginning of every message about a step of a model."""
    return f"{function}: {_step(operator, where, shapes)}"


def step(check: Check) -> str:
    """The step that demands something."""
    return _step(check.operator, check.where, check.shapes)


def _step(operator: str, where: str, shapes: tuple[str, ...]) -> str:
    at = f" at {where}" if where else ""
    of = f" of {' and '.join(shapes)}" if shapes else ""
    return f"{operator}{at}{of}"

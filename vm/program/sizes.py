"""Overflow-checked size arithmetic: index expressions step by step in 64 bits, and the largest tensor there may be.

A step that leaves 64 bits is an error and never wraps. The interpreter takes the steps with numbers (`Whole`), compiled
code the same ones in the same order with values (`native.region_arithmetic`): they agree on what can be computed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from anytile.core.errors import ArgumentError
from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, Var
from anytile.vm.program.isa import MAX_BYTES

LOW, HIGH = -(2**63), 2**63 - 1
W = TypeVar("W")


def fits(number: int) -> bool:
    """Whether 64 bits hold a number."""
    return LOW <= number <= HIGH


def too_wide(what: str) -> ArgumentError:
    """The error of a number, or of a step, that 64 bits do not hold."""
    return ArgumentError(f"expected sizes that 64 bits hold, got {what}")


class Arithmetic(ABC, Generic[W]):
    """What index expressions are made of, over some kind of numbers."""

    def total(self, e: Expr, names: Mapping[str, W]) -> W:
        """The value of an expression, its products and sums from left to right."""
        total: W | None = None
        for monomial, c in e.terms:
            term: W | None = None
            for atom in monomial:
                value = self._atom(atom, names)
                term = value if term is None else self.multiplied(term, value)
            if term is None:
                term = self.number(c)
            elif c != 1:
                term = self.multiplied(term, self.number(c))
            total = term if total is None else self.added(total, term)
        return self.number(0) if total is None else total

    def _atom(self, atom: Atom, names: Mapping[str, W]) -> W:
        match atom:
            case Var(name):
                return names[name]
            case FloorDiv(of, by):
                self.number(by)
                return self.floor(self.total(of, names), by)
            case Mod(of, by):
                self.number(by)
                return self.rest(self.total(of, names), by)
            case Extreme(kind, a, b):
                return self.extreme(kind, self.total(a, names), self.total(b, names))

    @abstractmethod
    def number(self, n: int) -> W:
        """A number that the expression says."""

    @abstractmethod
    def multiplied(self, a: W, b: W) -> W: ...

    @abstractmethod
    def added(self, a: W, b: W) -> W: ...

    @abstractmethod
    def floor(self, a: W, by: int) -> W:
        """Rounded down; `by` is positive, and 64 bits hold it."""

    @abstractmethod
    def rest(self, a: W, by: int) -> W:
        """What rounding down leaves, never negative."""

    @abstractmethod
    def extreme(self, kind: str, a: W, b: W) -> W:
        """The smaller ("min") or the larger ("max")."""


class Whole(Arithmetic[int]):
    """Over Python's numbers."""

    def number(self, n: int) -> int:
        if not fits(n):
            raise too_wide(str(n))
        return n

    def multiplied(self, a: int, b: int) -> int:
        if not fits(a * b):
            raise too_wide(f"{a} * {b}")
        return a * b

    def added(self, a: int, b: int) -> int:
        if not fits(a + b):
            raise too_wide(f"{a} + {b}")
        return a + b

    def floor(self, a: int, by: int) -> int:
        return a // by

    def rest(self, a: int, by: int) -> int:
        return a % by

    def extreme(self, kind: str, a: int, b: int) -> int:
        return min(a, b) if kind == "min" else max(a, b)


WHOLE = Whole()


def element_count(shape: Sequence[int], itemsize: int) -> int:
    """How many elements a tensor has. One of more than MAX_BYTES is an error; a size of 0 then counts as 1, as where
    arrays are described by numpy, so that no order of multiplying matters."""
    if math.prod([max(d, 1) for d in shape]) > MAX_BYTES // itemsize:
        raise ArgumentError(f"a tensor of shape {tuple(shape)}: expected one of at most {MAX_BYTES} bytes")
    return math.prod(shape)

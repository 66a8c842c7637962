"""What an operator is: its attributes, dimensions and tensors, its cost, its numpy meaning and its naive loop nest.

An operator is a row of data. Which dimensions and tensors it has may depend on its attributes (a layout, a number of
inputs), so they come out of `form`. Dimensions that follow from others, as the height of a convolution's output does,
are index expressions of them. `reference` is the numpy meaning and the last word on correctness: it computes in float64
where its inputs are floats and is rounded once, by whoever asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Stmt

MAX_NUMBER = 2**31  # what an attribute may be, so that positions made of it are within 64 bits
ONE = "1"  # as a dimension of a tensor: always 1
Array = NDArray[AnyType]
AttributeValue = tuple[int, ...] | str
Attributes = Mapping[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor: its name, its shape in dimension names, what it is for, its dtype (the workload's unless given)."""

    name: str
    dims: tuple[str, ...]
    output: bool = False
    may_be_constant: bool = False
    dtype: str | None = None
    indexes: str | None = None  # the dimension that its elements are positions in


@dataclass(frozen=True, slots=True)
class Attribute:
    """A word, or `count` whole numbers of at least `least`; fewer numbers are repeated, as in stride=2 for 2x2.

    Of an `open` one the operator says how many it wants: it is kept as the fewest numbers that, repeated, give it.
    """

    name: str
    default: AttributeValue
    doc: str
    words: tuple[str, ...] = ()  # the words it may be; () for numbers, or for any word that `form` accepts
    least: int = 0
    open: bool = False
    canonical: Callable[[str], str] | None = None  # of a word: its one spelling; refuses what is none
    instead: str = ""  # what to do where it is known at run time alone

    @property
    def count(self) -> int:
        return len(self.default) if isinstance(self.default, tuple) else 0

    def parse(self, text: str) -> AttributeValue:
        """The value that a text means; `1x2` for four numbers is `1x2x1x2`."""
        if isinstance(self.default, str):
            return self.check(text.strip())
        try:
            return self.check(tuple(int(part) for part in text.split("x")))
        except ValueError:
            raise self._no_numbers(text) from None

    def check(self, value: AttributeValue | int) -> AttributeValue:
        """The value in its one canonical form."""
        if isinstance(self.default, str):
            if not isinstance(value, str) or (self.words and value not in self.words):
                raise SpecError(f"{self.name}={value}: expected {', '.join(self.words) or 'a word'}")
            value = value.strip()  # as it comes back out of a workload's text
            return value if self.canonical is None else self.canonical(value)
        numbers = (value,) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(numbers, tuple) or not all(type(n) is int for n in numbers):
            raise self._no_numbers(value)
        if not numbers or (self.count % len(numbers) and not self.open):
            raise SpecError(f"{self.name}={self.text(numbers)}: expected {self.count} numbers, got {len(numbers)}")
        for n in numbers:
            if abs(n) > MAX_NUMBER:
                raise SpecError(f"{self.name}={self.text(numbers)}: {n} is out of range; expected at most {MAX_NUMBER}")
            if n < self.least:
                raise SpecError(f"{self.name}={self.text(numbers)}: {n} is less than {self.least}")
        return _period(numbers) if self.open else numbers * (self.count // len(numbers))

    def _no_numbers(self, value: object) -> SpecError:
        known = f"; only a dimension may be symbolic{self.instead}" if str(value).strip().startswith("?") else ""
        if isinstance(value, str):
            example = self.text(self.default)
        else:
            example = str(self.default if self.count > 1 or self.open else self.default[0])
        wanted = "a whole number" if self.count == 1 and not self.open else "whole numbers"
        return SpecError(f"{self.name}={value}: expected {wanted}, as in {example}{known}")

    def text(self, value: AttributeValue) -> str:
        """The shortest text that `parse` reads as this value."""
        return value if isinstance(value, str) else "x".join(map(str, _period(value)))


def _period(value: tuple[int, ...]) -> tuple[int, ...]:
    """The fewest numbers that, repeated, are these."""
    lengths = (n for n in range(1, len(value)) if len(value) % n == 0 and value[:n] * (len(value) // n) == value)
    return value[: next(lengths, len(value))]


def numbers(attributes: Attributes, name: str, count: int | None = None) -> tuple[int, ...]:
    """An attribute that is numbers, repeated until there are `count`."""
    value = attributes[name]
    assert isinstance(value, tuple)
    if count is None:
        return value
    if not value or count % len(value):
        raise SpecError(f"{name}={'x'.join(map(str, value))}: expected {count} numbers, got {len(value)}")
    return value * (count // len(value))


@dataclass(frozen=True)
class Form:
    """What an operator is made of under certain attributes. Tensors stand in the order of the kernel ABI's `data`:
    inputs, then outputs. `derived` maps the dimensions that follow from others to how."""

    dims: tuple[str, ...]
    tensors: tuple[TensorSpec, ...]
    derived: Mapping[str, Callable[[Mapping[str, Expr]], Expr]] = field(default_factory=dict)


@dataclass(frozen=True)
class Operator:
    """One row of the table.

    `flops` is told every dimension's size, `reference` the inputs by name; it answers the outputs in their order.
    `body` is the perfect nest around one update that defines the operator, over `i_<dim>` for each dimension it walks;
    an operator without it is defined by its templates alone. `objection` says in words why sizes cannot be (symbolic
    ones are None), or nothing. `anchor` gives the attributes under which an operator is tuned, where some of them only
    say what becomes of its result.
    """

    name: str
    summary: str
    form: Callable[[Attributes], Form]
    flops: Callable[[Mapping[str, int], Attributes], int]
    reference: Callable[[Mapping[str, Array], Attributes], tuple[Array, ...]]
    body: Callable[[Mapping[str, Expr], Attributes], Stmt] | None = None
    attributes: tuple[Attribute, ...] = ()
    dtypes: tuple[str, ...] = ("float32",)
    objection: Callable[[Mapping[str, int | None], Attributes], str | None] | None = None
    takes_tail: bool = False
    anchor: Callable[[Attributes], Mapping[str, AttributeValue]] | None = None
    has_weights: bool = True  # operands that may be constant usually are

    def attribute(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        known = ", ".join(a.name for a in self.attributes)
        raise SpecError(f"{self.name} has no attribute {name!r}; expected {known or 'none'}")

    def checked(self, name: str, value: AttributeValue | int) -> AttributeValue:
        """An attribute's value in its one canonical form."""
        with self.named():
            return self.attribute(name).check(value)

    def read(self, name: str, text: str) -> AttributeValue:
        """The value of an attribute that a text means."""
        with self.named():
            return self.attribute(name).parse(text)

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """What is wrong with attributes is wrong with this operator, and said so."""
        try:
            yield
        except SpecError as error:
            known = str(error).startswith((f"{self.name}:", f"{self.name} "))
            raise SpecError(str(error) if known else f"{self.name}: {error}") from None

    def complete(self, given: Attributes) -> dict[str, AttributeValue]:
        """Every attribute, those not given at their defaults."""
        return {a.name: given.get(a.name, a.default) for a in self.attributes}


def fixed(*dims: str, tensors: tuple[TensorSpec, ...]) -> Callable[[Attributes], Form]:
    """The form of an operator that no attribute changes."""
    form = Form(dims, tensors)
    return lambda attributes: form


def wide(array: Array) -> Array:
    """Floats as float64: the reference must be better than anything compared with it."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array

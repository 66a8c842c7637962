"""Operator attributes: what may be said of a call beside its tensors, and the one form in which each value is kept.

A value is a number, a truth, a word or whole numbers. Workloads write them in their text (`stride=2x1, ceil=yes`),
models in Python or their text form (`stride=(2, 1), ceil=True`); both are checked here, and what does not fit is said
in the words in which it came.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any as AnyType
from typing import Literal

from anytile.core.errors import SpecError

MAX_NUMBER = 2**31  # what a number may be, so that positions made of it are within 64 bits
REQUIRED = "<required>"
AttributeValue = int | float | bool | str | tuple[int, ...]
Attributes = Mapping[str, AnyType]  # of AttributeValue, as checked
_KINDS = {
    **{"int": "a whole number", "ints": "whole numbers", "float": "a number"},
    **{"bool": "true or false", "str": "a word"},
}
_TRUTHS = {"yes": True, "no": False}


class Mismatch(SpecError):
    """What an operator was given does not fit; whoever knows which call it was says so."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. `kind` is int, float, bool, str or ints: whole numbers, for which one may stand alone.

    An attribute without a default is REQUIRED. `count` is how many numbers: fewer are repeated, as in stride=2 for 2x2.
    Of an `open` one the operator says how many it wants: it is kept as the fewest numbers that, repeated, give it.
    `words` are those that a str may be, or any; `canonical` finds the one spelling of a word and refuses what is none.
    `instead` says what to do where the value is known at run time alone.
    """

    name: str
    kind: Literal["int", "float", "bool", "str", "ints"]
    default: AttributeValue
    doc: str
    words: tuple[str, ...] = ()
    least: float | None = None
    most: int = MAX_NUMBER
    count: int = 0
    open: bool = False
    canonical: Callable[[str], str] | None = None
    instead: str = ""

    def check(self, value: AnyType, came: str | None = None) -> AttributeValue:
        """The value in its one form; `came` is the text that it was read from."""
        shown = f"{self.name}={value if came is None else came}"
        match self.kind:
            case "str":
                if not isinstance(value, str) or (self.words and value not in self.words):
                    raise Mismatch(f"{shown}: expected {', '.join(self.words) or _KINDS['str']}")
                value = value.strip()  # as it comes back out of a workload's text
                return value if self.canonical is None else self.canonical(value)
            case "ints":
                return self._numbers(value, shown)
            case "bool" if isinstance(value, bool):
                return value
            case "int" if type(value) is int:
                self._in_range(value, shown)
                return value
            case "float" if type(value) in (int, float):
                if self.least is not None and not self.least <= value < math.inf:
                    raise Mismatch(f"{shown}: expected a number of at least {self.least:g}, as in {self.default}")
                return float(value)
        raise self._unfit(shown, value)

    def _numbers(self, value: AnyType, shown: str) -> tuple[int, ...]:
        numbers = (value,) if type(value) is int else value
        if not isinstance(numbers, tuple) or not all(type(n) is int for n in numbers):
            raise self._unfit(shown, value)
        if self.count and (not numbers or self.count % len(numbers)):
            raise Mismatch(f"{shown}: expected {self.count} numbers, got {len(numbers)}")
        for n in numbers:
            self._in_range(n, shown)
        if self.open:
            if not numbers:
                raise Mismatch(f"{shown}: expected at least one number")
            return shortest(numbers)
        return numbers * (self.count // len(numbers)) if self.count else numbers

    def _in_range(self, n: int, shown: str) -> None:
        if not -MAX_NUMBER <= n <= self.most:
            beyond = f"{n} is out of range; " if self.most == MAX_NUMBER else ""
            raise Mismatch(f"{shown}: {beyond}expected at most {self.most}")
        if self.least is not None and n < self.least:
            raise Mismatch(f"{shown}: {n} is less than {self.least}")

    def _unfit(self, shown: str, value: object) -> Mismatch:
        known = f"; only a dimension may be symbolic{self.instead}" if str(value).strip().startswith("?") else ""
        default = () if self.default == REQUIRED else self.default
        example = "" if default == () else self.text(default) if isinstance(value, str) else str(default)
        return Mismatch(f"{shown}: expected {_KINDS[self.kind]}{example and f', as in {example}'}{known}")

    def parse(self, text: str) -> AttributeValue:
        """The value that a workload's text means; `1x2` for four numbers is `1x2x1x2`."""
        text = text.strip()
        try:
            match self.kind:
                case "ints":
                    return self.check(tuple(int(part) for part in text.split("x")), text)
                case "int":
                    return self.check(int(text), text)
                case "float":
                    return self.check(float(text), text)
                case "bool":
                    return self.check(_TRUTHS.get(text, text), text)
        except ValueError:
            raise self._unfit(f"{self.name}={text}", text) from None
        return self.check(text, text)

    def text(self, value: AttributeValue) -> str:
        """The shortest text that `parse` reads as this value."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "x".join(map(str, shortest(value))) if isinstance(value, tuple) else str(value)


def shortest(value: tuple[int, ...]) -> tuple[int, ...]:
    """The fewest numbers that, repeated, are these."""
    lengths = (n for n in range(1, len(value)) if len(value) % n == 0 and value[:n] * (len(value) // n) == value)
    return value[: next(lengths, len(value))]


def numbers(attributes: Attributes, name: str, count: int | None = None) -> tuple[int, ...]:
    """An attribute as whole numbers, repeated until there are `count`."""
    given = attributes[name]
    value: tuple[int, ...] = given if isinstance(given, tuple) else (given,)
    if count is None:
        return value
    if not value or count % len(value):
        raise Mismatch(f"{name}={'x'.join(map(str, value))}: expected {count} numbers, got {len(value)}")
    return value * (count // len(value))


def named(attributes: Sequence[Attribute], name: str, where: str) -> Attribute:
    """The attribute of that name; `where` begins the error of one that is not there."""
    for attribute in attributes:
        if attribute.name == name:
            return attribute
    raise SpecError(f"{where} has no attribute {name!r}; expected {', '.join(a.name for a in attributes) or 'none'}")


FIRST_AXIS = Attribute("axis", "int", 0, "the dimension, counted from the end where negative")
LAST_AXIS = Attribute("axis", "int", -1, FIRST_AXIS.doc)

"""What a register holds while a run is written: each part of a value as an SSA name or a number, in text."""

from __future__ import annotations

from dataclasses import dataclass

from anytile.vm.runs import Keeps


@dataclass(eq=False, slots=True)
class Taken:
    """What a register held before the run, not yet looked at."""

    register: int
    place: int | None = None  # among the words that the run takes, once it reads them
    tensor: View | None = None


@dataclass(eq=False, slots=True)
class View:
    """A tensor: each word as an SSA name or a number. `known` are its elements where the run knows them."""

    address: str
    elements: str
    code: str
    rank: str
    flags: str
    dims: tuple[str, ...]
    keeps: Keeps
    known: tuple[str, ...] | None = None
    constant: int | None = None  # it is this constant of the executable


@dataclass(eq=False, slots=True)
class Room:
    """A storage."""

    address: str
    nbytes: str
    keeps: Keeps


@dataclass(eq=False, slots=True)
class Numbers:
    """An int64 tensor of the run's own that has no memory yet: a scalar, or a shape of `count` elements."""

    elements: tuple[str, ...]
    count: str
    scalar: bool = False


Held = Taken | View | Room | Numbers


def is_number(word: str) -> bool:
    """Whether a word is a number rather than an SSA name."""
    return not word.startswith("%")

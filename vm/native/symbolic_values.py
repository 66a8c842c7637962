"""What a register holds while a run is written: each part of a value as an SSA name or a number, in text."""

from __future__ import annotations

from dataclasses import dataclass

from anytile.vm.native.regions import Owner
from anytile.vm.program.isa import DTYPES, ITEMSIZE


@dataclass(eq=False, slots=True)
class LiveIn:
    """What a register held before the run, not yet looked at."""

    register: int
    tensor: View | None = None


@dataclass(eq=False, slots=True)
class View:
    """A tensor: each word as an SSA name or a number. `known` are its elements where the run knows them, `start` is
    where in its storage it begins, if that is known."""

    address: str
    elements: str
    code: str
    rank: str
    flags: str
    dims: tuple[str, ...]
    owner: Owner
    known: tuple[str, ...] | None = None
    constant: int | None = None  # it is this constant of the executable
    start: str = "%"

    def is_apart_from(self, other: View) -> bool:
        """Whether two tensors of one storage certainly have no byte in common."""
        if not all(map(is_number, (self.start, other.start, self.elements, other.elements, self.code, other.code))):
            return False
        return self.start_and_end[1] <= other.start_and_end[0] or other.start_and_end[1] <= self.start_and_end[0]

    @property
    def start_and_end(self) -> tuple[int, int]:
        start = int(self.start)
        return start, start + int(self.elements) * ITEMSIZE[DTYPES[int(self.code)]]


@dataclass(eq=False, slots=True)
class StorageBlock:
    """A storage."""

    address: str
    nbytes: str
    owner: Owner


@dataclass(eq=False, slots=True)
class Numbers:
    """An int64 tensor of the run's own that has no memory yet: a scalar, or a shape of `count` elements."""

    elements: tuple[str, ...]
    count: str
    scalar: bool = False


SymbolicValue = LiveIn | View | StorageBlock | Numbers


def is_number(word: str) -> bool:
    """Whether a word is a number rather than an SSA name."""
    return word[0] != "%"

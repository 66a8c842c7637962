"""The machine state beside a sample (contention, in the words of profilers), as data: how much slower its parts are.

A kernel's time says something of the kernel only where the machine gave what it gives. A neighbour that streams
memory leaves the clock alone and takes half the bandwidth; so a state has a part for everything that a kernel can wait
for, and only those that its working set reaches are looked at.

Invariant: times of different states are not compared. What is kept of several samples is of one state, and what a
record was measured in is written into it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from anytile.core.plurals import rounded
from anytile.db.records.records import MACHINE


class Part(enum.StrEnum):
    """What a kernel waits for."""

    ARITHMETIC = "arithmetic"
    CACHE = "cache"  # bandwidth of the last one, which neighbours share
    MEMORY = "memory"  # bandwidth


SLACK = {Part.ARITHMETIC: 1.15, Part.CACHE: 1.6, Part.MEMORY: 1.3}  # what is no more than this is as it should be
BEYOND_L2 = 2  # times its size: from here on most of a working set comes from further away


@dataclass(frozen=True, slots=True)
class MachineState:
    """How many times as long some work took as at the best moments known; 1 is undisturbed, or was not looked at."""

    arithmetic: float = 1.0
    cache: float = 1.0
    memory: float = 1.0

    @classmethod
    def of(cls, parts: Mapping[Part, float]) -> MachineState:
        return cls(**{str(part): max(1.0, ratio) for part, ratio in parts.items()})

    def part(self, part: Part) -> float:
        return float(getattr(self, part.value))

    @property
    def disturbed(self) -> bool:
        return any(self.part(part) > SLACK[part] for part in Part)

    def alike(self, other: MachineState) -> bool:
        """Whether times of the two may be compared."""
        pairs = [(self.part(part), other.part(part), SLACK[part]) for part in Part]
        return all(max(a, b) <= slack * min(a, b) for a, b, slack in pairs)

    def worse(self, other: MachineState) -> MachineState:
        """Of each part the slower."""
        return MachineState(*(max(self.part(part), other.part(part)) for part in Part))

    def in_words(self) -> str:
        """`memory 2.1x, arithmetic 1.3x as slow`: what is disturbed; nothing where nothing is."""
        slow = sorted(((self.part(p), p.value) for p in Part if self.part(p) > SLACK[p]), reverse=True)
        return ", ".join(f"{name} {rounded(ratio)}x" for ratio, name in slow) + (" as slow" if slow else "")


UNDISTURBED = MachineState()


class Sample(NamedTuple):
    """Seconds per call, and the state that the machine was in."""

    seconds: float
    state: MachineState = UNDISTURBED


def parts_of(working_set: int, l2_bytes: int, l3_bytes: int) -> frozenset[Part]:
    """What a kernel waits for whose operands take so many bytes. Without a last cache there is only memory beyond."""
    if working_set <= BEYOND_L2 * l2_bytes:
        return frozenset({Part.ARITHMETIC})
    # Who streams through memory also takes the last cache; and where memory is slow, it is being streamed through.
    return frozenset({Part.ARITHMETIC, Part.MEMORY} | ({Part.CACHE} if working_set <= l3_bytes else set()))


def worst(states: Iterable[MachineState]) -> MachineState:
    found = UNDISTURBED
    for state in states:
        found = found.worse(state)
    return found


def kept(rounds: Sequence[Sequence[Sample]], least: int = 2) -> list[Sequence[Sample]]:
    """The rounds that may be compared with each other: undisturbed ones if there are so many, else those of the state
    that most were in. What is compared within a round was measured side by side."""
    quiet = [r for r in rounds if not worst(s.state for s in r).disturbed]
    if len(quiet) >= min(least, len(rounds)):
        return quiet
    states = [worst(s.state for s in r) for r in rounds]
    groups = [[r for r, other in zip(rounds, states, strict=True) if other.alike(state)] for state in states]
    return max(groups, key=len, default=[])


def to_facts(state: MachineState) -> dict[str, float]:
    """A state among a record's facts; nothing of one that is undisturbed, as records of before states were kept."""
    if not state.disturbed:
        return {}
    return {f"{MACHINE}{f.name}": round(getattr(state, f.name), 3) for f in fields(MachineState)}


def of_facts(facts: Mapping[str, float]) -> MachineState:
    return MachineState.of({part: facts.get(f"{MACHINE}{part}", 1.0) for part in Part})


def without_state(facts: Mapping[str, float]) -> dict[str, float]:
    """What facts say of the code alone."""
    return {name: value for name, value in facts.items() if not name.startswith(MACHINE)}

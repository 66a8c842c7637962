"""Weights by groups, as templates for GPUs take them apart: the numbers of a group once, elements out of their bytes.

A thread has pieces of neighbouring elements, each within one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.core.dtypes import BYTES
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.nest.nodes import Load
from anytile.schedules.nest.traverse import map_loads
from anytile.schedules.operators.products.grouped_dense import BYTE, FLOAT
from anytile.schedules.primitives.gpu.shared_memory import hold
from anytile.schedules.primitives.loops import split
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.workloads.workload import Workload

_NUMBERS = ("scale", "zero")  # of a group
WORK = 6.0  # instructions that make a float of an element


def halves_of(workload: Workload) -> int:
    """How many elements a byte has."""
    return BYTE // int(workload.attributes["bits"])


def element_bytes(workload: Workload) -> tuple[float, float]:
    """Of x and of the weight."""
    return BYTES[FLOAT], 1 / halves_of(workload)


def asked(workload: Workload) -> tuple[str, ...]:
    """What is read of a weight as soon as it is."""
    return ("w", *(t.name for t in workload.inputs if t.name in _NUMBERS))


def hold_numbers(s: Schedule, inside: str, along: Sequence[str], element: str) -> list[str]:
    """Keep scales and zero points in registers, of a piece, whose elements the loop `element` counts, one of each."""
    names = [b.name for b in s.nest.params if b.name in _NUMBERS]

    def first(v: Load) -> Load:
        return replace(v, index=tuple(e.substitute({element: 0}) for e in v.index)) if v.buffer in names else v

    s.put(map_loads(s.nest.body, first))
    return [hold(s, name, inside, along, f"{name}_of") for name in names]


def by_bytes(s: Schedule, element: str, byte: str, half: str) -> None:
    """Count the elements of a piece by their bytes and in these their halves."""
    split(s, element, 2, byte, half)
    of_a_byte = Bounds().having(half, 0, 1)
    s.put(map_loads(s.nest.body, lambda v: replace(v, index=tuple(map(of_a_byte.simplify, v.index)))))

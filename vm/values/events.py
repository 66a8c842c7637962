"""Profiling events: what either engine notes of a kernel's call, with times of one clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a kernel: its number, when in nanoseconds, its symbols' values, its arguments' shapes and bytes."""

    kernel: int
    start: int
    end: int
    dims: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    nbytes: int

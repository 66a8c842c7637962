"""Distance between workloads, and between targets: what a record for the one is worth to the other. Pure arithmetic."""

from __future__ import annotations

import functools
import math

from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Any, Workload

# What code generation itself depends on. Records for another one of these are foreign and never used.
_IDENTITY = {"llvm": "mcpu", "cuda": "arch"}

_SYMBOL_AGAINST_NUMBER = 0.5  # a tuned symbol covers any number, but was tuned for all of them at once
_NUMBER_AGAINST_SYMBOL = 1.0
_OTHER_CONSTANTS = 1.0  # another layout of an operand
_OTHER_OPTION = 0.5
_OTHER_STREAMS = 0.25  # the same computation with its constants elsewhere
_FAR = 5.0  # powers of two between sizes, in the mean
_ANY_SIZE = 256  # what a record for fewer says little of


@functools.lru_cache(4096)  # few targets, asked about once per workload that is known
def differing_options(record: Target, asked: Target) -> tuple[str, ...] | None:
    """The options in which compatible targets differ; None where the record is foreign."""
    if record.kind != asked.kind:
        return None
    identity = _IDENTITY[asked.kind]
    if record.get(identity) != asked.get(identity):
        return None
    return tuple(asked.distance(record))


@functools.lru_cache(4096)
def target_distance(record: Target, asked: Target) -> float:
    """0 for the same target, more for each option and for thread counts further apart; inf for a foreign one."""
    options = differing_options(record, asked)
    if options is None:
        return math.inf
    apart = abs(math.log2(record.threads / asked.threads)) if "threads" in options else 0.0
    return _OTHER_OPTION * len(options) + apart / 16


def renaming(record: Workload, asked: Workload) -> dict[str, str] | None:
    """How the record's symbols are called in the asked workload, if nothing differs but that and what is streamed."""
    if record.const != asked.const or _computed(record) != _computed(asked):
        return None
    names: dict[str, str] = {}
    for (_, mine), (_, theirs) in zip(record.dims, asked.dims, strict=True):
        if isinstance(mine, Any) and isinstance(theirs, Any):
            if names.setdefault(mine.name, theirs.name) != theirs.name:
                return None
        elif mine != theirs:
            return None
    return names if len(set(names.values())) == len(names) else None


def covers(record: Workload, asked: Workload) -> bool:
    """Whether the asked workload is the record's at some of the sizes that the record leaves open."""
    if record.const != asked.const or _computed(record) != _computed(asked):
        return False
    sizes: dict[str, int | Any] = {}
    return all(
        (sizes.setdefault(mine.name, theirs) if isinstance(mine, Any) else mine) == theirs
        for (_, mine), (_, theirs) in zip(record.dims, asked.dims, strict=True)
    )


def workload_distance(record: Workload, asked: Workload) -> float:
    """Powers of two between the sizes, added up; inf for another operator, dtype or attribute."""
    if _computed(record) != _computed(asked):
        return math.inf
    total = 0.0 if record.const == asked.const else _OTHER_CONSTANTS
    total += 0.0 if record.streamed == asked.streamed else _OTHER_STREAMS
    for (_, mine), (_, theirs) in zip(record.dims, asked.dims, strict=True):
        if isinstance(mine, int) and isinstance(theirs, int):
            total += abs(math.log2(max(mine, 1) / max(theirs, 1)))
        elif isinstance(theirs, int):
            total += _SYMBOL_AGAINST_NUMBER
        elif isinstance(mine, int):
            total += _NUMBER_AGAINST_SYMBOL
    return total


def is_far(record: Workload, asked: Workload) -> bool:
    """Whether the sizes are a factor of 32 apart in the mean: a config for the one says less of the other than none.

    A toy's tile is a vector wide, as the toy is; with it a layer of a model takes up to twice the default's time."""
    apart = [
        max(math.log2(_ANY_SIZE / max(mine, 1)), 0.0)
        if isinstance(theirs, Any)
        else abs(math.log2(max(mine, 1) / max(theirs, 1)))
        for (_, mine), (_, theirs) in zip(record.dims, asked.dims, strict=True)
        if isinstance(mine, int)
    ]
    return bool(apart) and sum(apart) >= _FAR * len(apart)


def _computed(workload: Workload) -> tuple[object, ...]:
    """What is computed, and of what, whatever its sizes are."""
    return workload.op, workload.dtype, workload.attrs, workload.stored


def differences(record: Workload, asked: Workload) -> str:
    """What differs, in words with figures: `n is 1000 here and 768 there`."""
    words = [
        f"{name} is {theirs} here and {mine} there"
        for (name, mine), (_, theirs) in zip(record.dims, asked.dims, strict=True)
        if mine != theirs and not (isinstance(mine, Any) and isinstance(theirs, Any))
    ]
    if record.const != asked.const:
        words.append(f"constant {_names(asked.const)} here and {_names(record.const)} there")
    if record.streamed != asked.streamed:
        words.append(f"streamed from memory {_names(asked.streamed)} here and {_names(record.streamed)} there")
    return ", ".join(words) or "only the names of its symbols differ"


def _names(const: tuple[str, ...]) -> str:
    return "+".join(const) or "nothing"

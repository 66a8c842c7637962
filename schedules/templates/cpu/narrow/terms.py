"""Terms: neighbours along a sum that one instruction multiplies and adds, pairs of bfloat16 or quads of 8-bit integers,
in templates of products."""

from __future__ import annotations

from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.primitives.loops import split
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.workloads.workload import Workload

PAIR, QUAD = 2, 4


def terms_of(workload: Workload) -> int:
    """How many neighbours along a sum are multiplied at once: of float32 and float16 one."""
    sums = workload.spec.sums
    if sums is not None and sums(workload.attributes) == "int32":
        return QUAD
    return PAIR if workload.dtype == "bfloat16" else 1


def is_paired(workload: Workload) -> bool:
    """Whether 16 bits surely hold the sums of two products: what is constant was looked at."""
    return any(t.pairs is not None and t.name in workload.const for t in workload.tensors)


def parts_of(workload: Workload, target: Target) -> int:
    """In how many registers a vector of either side is taken apart, before it is multiplied."""
    terms = terms_of(workload)
    if terms == 1:
        return 1
    offered = narrow_facts(target)
    if terms == PAIR:
        return 1 if offered.bfloat16 else 2
    signed = workload.attributes["x"] == "int8"
    if is_paired(workload) and offered.adds_pairs:
        return 1
    return 1 if offered.bytes and offered.signed_bytes == signed else 2


def split_terms(s: Schedule, loop: str, steps: int, terms: int, inner: str = "ki") -> tuple[str, ...]:
    """So many terms of a loop along a sum in a round of `ko`; the loop over neighbours that are one, if several are."""
    split(s, loop, steps * terms, "ko", inner if terms == 1 else "kt")
    if terms == 1:
        return ()
    split(s, "kt", terms, inner, "kr")
    return ("kr",)

"""Quads: four 8-bit integers along a sum, which one instruction multiplies and adds, in templates of products."""

from __future__ import annotations

from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

QUAD = 4


def terms_of(workload: Workload) -> int:
    """How many neighbours along a sum are multiplied at once: of floats one."""
    sums = workload.spec.sums
    return QUAD if sums is not None and sums(workload.attributes) == "int32" else 1


def parts_of(workload: Workload, target: Target) -> int:
    """In how many registers a vector of either side is taken apart, before it is multiplied."""
    if terms_of(workload) == 1:
        return 1
    offered, signed = narrow_facts(target), workload.attributes["x"] == "int8"
    return 1 if offered.bytes and offered.signed_bytes == signed else 2

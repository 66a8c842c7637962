"""Which of a program's constants come from memory at every run, since all of them are more than the caches hold.

A kernel that reads such a weight waits for memory where it would else wait for nothing, and another config is the
fastest; its workload says so (`streamed`), and is tuned and looked up that way.
"""

from __future__ import annotations

import math

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

_LARGE_BYTES = 1 << 18  # smaller constants are not worth a plan of their own
_BEYOND = 3  # times the last cache: it keeps a part of what is little larger, and threads may have one each
_MOST_COPIES = 512  # of a constant too small to be streamed by anybody


def overflows_caches(constant_bytes: int, target: Target) -> bool:
    """Whether so much of constants, read at one run, is more than the target's caches hold."""
    return target.kind == "llvm" and constant_bytes > facts(target).l3_bytes


def constant_bytes(workload: Workload, operand: str) -> int:
    """What a constant of a workload takes; 0 where its size is not known."""
    tensor = workload.tensor(operand)
    elements = math.prod(workload.extents[d].value or 0 for d in tensor.dims)
    return elements * BYTES[workload.dtype_of(tensor)]


def streaming(workload: Workload) -> Workload:
    """The workload as one of a program whose constants overflow the caches: its large ones are streamed."""
    return workload.streaming(c for c in workload.const if constant_bytes(workload, c) >= _LARGE_BYTES)


def copies(nbytes: int, target: Target) -> int:
    """How many copies of streamed constants, read in turn, come from memory each time: no cache holds them all."""
    return min(_MOST_COPIES, math.ceil(_BEYOND * facts(target).l3_bytes / nbytes))

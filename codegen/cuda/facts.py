"""What ptxas says of a kernel, and how many of its blocks one multiprocessor holds.

Facts are numbers, so the cost model takes them as features and a constraint can discard a config by them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from anytile.schedules.hardware.gpu import GpuFacts

_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_FRAME = 8
_SERIALISED = re.compile(r"wgmma\.mma_async instructions are serialized")


def parse_ptxas(log: str) -> dict[str, float]:
    """Registers of a thread, bytes spilled, static shared memory, out of the log of `--ptxas-options=-v`.

    `in_memory` is what of the stack frame no spill explains: an array whose indexes are not constants. A register that
    is spilled has a place in the frame, which is whole pieces of 8 bytes, and is stored and loaded at least once.
    `serialised` are matrix instructions that wait for each other.
    """
    found = dict.fromkeys(("registers", "stack", "spills", "in_memory", "static_shared"), 0)
    found["serialised"] = len(_SERIALISED.findall(log))
    for match in _SPILLS.finditer(log):
        found["stack"] = max(found["stack"], int(match[1]))
        moved = int(match[2]) + int(match[3])
        found["spills"] += moved
        spilled = -(-(moved // 2) // _FRAME) * _FRAME
        found["in_memory"] = max(found["in_memory"], int(match[1]) - spilled)
    for match in _REGISTERS.finditer(log):
        found["registers"] = max(found["registers"], int(match[1]))
    for match in _SHARED.finditer(log):
        found["static_shared"] = max(found["static_shared"], int(match[1]))
    return {name: float(value) for name, value in found.items()}


def occupancy(gpu: GpuFacts, registers: int, shared: int, threads: int) -> int:
    """Blocks that one multiprocessor holds at once: 0 where it cannot hold one."""
    warps = -(-threads // gpu.warp)
    if threads > gpu.threads_per_block or registers > gpu.registers_per_thread or shared > gpu.shared_per_block:
        return 0
    unit = 256  # registers are handed out to a warp in units of these
    per_warp = -(-max(registers, 1) * gpu.warp // unit) * unit
    by_registers = gpu.registers // per_warp // warps
    by_shared = gpu.shared // max(shared + gpu.shared_reserved, 1)
    return max(0, min(gpu.blocks, gpu.threads // (warps * gpu.warp), by_registers, by_shared))


def kernel_facts(gpu: GpuFacts, compiled: Mapping[str, float], shared: int, threads: int) -> dict[str, float]:
    """What ptxas found, and what follows from it for a launch of so many threads with so much dynamic shared memory."""
    together = shared + int(compiled["static_shared"])
    blocks = occupancy(gpu, int(compiled["registers"]), together, threads)
    resident = blocks * threads / gpu.threads
    return {**compiled, "shared": float(together), "threads": float(threads), "blocks_per_sm": float(blocks),
            "occupancy": resident}  # fmt: skip

"""What an NVIDIA GPU offers a kernel: the limits of each architecture, from a table.

CUDA's programming guide has them; no driver is asked, so templates and builders need no GPU. What differs between GPUs
of one architecture (how many multiprocessors, how much shared memory a block may opt in to) a target may say itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target

_ARCH = re.compile(r"sm_(\d+)([af]?)\Z")


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """Per multiprocessor unless the name says otherwise; memory in bytes."""

    arch: str
    compute: int  # 90 for sm_90a
    multiprocessors: int
    shared: int
    shared_per_block: int  # with the opt-in to more than 48 KiB
    threads: int
    blocks: int
    shared_reserved: int = 1024  # of each block, by the system
    registers: int = 65536
    registers_per_thread: int = 255
    threads_per_block: int = 1024
    warp: int = 32

    @property
    def async_copies(self) -> bool:
        """cp.async, and mma of bfloat16."""
        return self.compute >= 80

    @property
    def early_launches(self) -> bool:
        """Kernels that begin while those before them still run, and wait for these themselves."""
        return self.compute >= 90

    @property
    def clusters(self) -> bool:
        """Blocks that run together, and reach each other's shared memory."""
        return self.compute >= 90

    @property
    def warp_groups(self) -> bool:
        """wgmma, beside bulk copies: what NVIDIA promises of one architecture alone."""
        return self.arch == "sm_90a"

    @property
    def atoms(self) -> float:
        """Multiply-adds of float32 in one clock."""
        return 64 if self.compute in (75, 80) else 128

    @property
    def tile_atoms(self) -> float:
        """Multiply-adds of 16-bit floats in one clock, as `mma` does them: the large chips have twice the units."""
        return 1024 if self.compute in (80, 90, 100, 103) else 512


def _row(compute: int, sms: int, shared: int, per_block: int, threads: int, blocks: int, reserved: int = 1) -> GpuFacts:
    kib = 1024
    return GpuFacts(f"sm_{compute}", compute, sms, shared * kib, per_block * kib, threads, blocks, reserved * kib)


# The count of multiprocessors is that of the best known GPU of the architecture: T4, A100, RTX 3090, Orin, L40S,
# H100 SXM, B200, B300, Thor, RTX 5090, GB10.
_TABLE = {
    f.compute: f
    for f in (
        _row(75, 40, 64, 64, 1024, 16, 0),
        _row(80, 108, 164, 163, 2048, 32),
        _row(86, 82, 100, 99, 1536, 16),
        _row(87, 16, 164, 163, 1536, 16),
        _row(89, 142, 100, 99, 1536, 24),
        _row(90, 132, 228, 227, 2048, 32),
        _row(100, 148, 228, 227, 2048, 32),
        _row(103, 148, 228, 227, 2048, 32),
        _row(110, 20, 228, 227, 1536, 24),
        _row(120, 170, 100, 99, 1536, 24),
        _row(121, 48, 100, 99, 1536, 24),
    )
}


@lru_cache(maxsize=64)  # a schedule asks hundreds of times
def gpu_facts(target: Target) -> GpuFacts:
    """The table's row, with what the target says of its own device."""
    if target.kind != "cuda":
        raise SpecError(f"target {target}: a GPU target was expected, as in 'cuda -arch=sm_90a'")
    arch = target.get("arch")
    match = _ARCH.match(arch)
    found = None if match is None else _TABLE.get(int(match[1]))
    if match is None or found is None:
        known = ", ".join(f"{f.arch}, {f.arch}a" if f.compute >= 90 else f.arch for f in _TABLE.values())
        raise SpecError(f"target {target}: -arch={arch or '(none)'} is not known; expected one of {known}")
    if (match[2] and found.compute < 90) or (match[2] == "f" and found.compute < 100):
        raise SpecError(f"target {target}: -arch={arch}: {found.arch} has no variant {match[2]!r}; use {found.arch}")
    smem = target.get("smem")
    if smem and int(smem) > found.shared_per_block:
        raise SpecError(f"target {target}: -smem={smem}: a block of {arch} has at most {found.shared_per_block} bytes")
    return replace(
        found,
        arch=arch,
        multiprocessors=int(target.get("sm") or found.multiprocessors),
        shared_per_block=int(smem or found.shared_per_block),
    )


def fuller_variant(target: Target) -> Target | None:
    """The same GPU with the instructions that its architecture alone has, as sm_90a is to sm_90; None where the target
    names a variant, or the architecture has none."""
    facts = gpu_facts(target)
    if facts.arch != f"sm_{facts.compute}" or facts.compute < 90:
        return None
    return Target(target.kind, tuple({**dict(target.options), "arch": f"{facts.arch}a"}.items()))

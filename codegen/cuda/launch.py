"""Launches as data: which kernel runs on how many blocks and threads, with how much shared memory and workspace.

Grid and workspace are index expressions of the workload's symbols, so one launch serves every size. A grid with a zero
in it is nothing to do: the driver refuses it, so whoever launches skips it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from anytile.schedules.index.expr import Expr, const

COUNTERS = 1 << 18  # bytes at the workspace's start: the counters of meeting points, zero before and after every launch
MAX_BOX = 256  # elements along a side of what one bulk copy moves
MAP_BYTES = 128  # of a tensor map, which begins at a multiple of half of it
MAX_GRID = (2**31 - 1, 65535, 65535)
_MAX_ELEMENTS = 2**31 - 2**20  # positions are computed in 32 bits, also those behind the last, which complete a tile


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A parameter of which boxes are copied: the number of its tensor, and sizes in elements, as it lies.

    Of a box that reaches over `box` times `steps` elements every so many-th along a dimension is copied.
    """

    tensor: int
    dtype: str
    sizes: tuple[Expr, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """`workspace` is in bytes, 0 for a kernel without the parameter; its first `COUNTERS` bytes must be zero once.

    `extents` are the sizes of every tensor in elements, those in the workspace too; `meetings` how many counters the
    launch uses. A kernel that `waits` sees to it itself that what was launched before it is over: it may begin early.
    """

    kernel: str
    grid: tuple[Expr, Expr, Expr]  # x, y, z: blocks of neighbouring x run together
    block: tuple[int, int, int]
    shared: int = 0  # bytes of dynamic shared memory
    workspace: Expr = field(default_factory=lambda: const(0))
    extents: tuple[Expr, ...] = ()
    meetings: Expr = field(default_factory=lambda: const(0))
    maps: tuple[TensorMap, ...] = ()  # the last parameters
    waits: bool = False

    @property
    def threads(self) -> int:
        return prod(self.block)

    def blocks(self, symbols: Mapping[str, int]) -> tuple[int, int, int]:
        """None where a size is negative: an image smaller than its windows gives nothing."""
        x, y, z = (max(e.evaluate(symbols), 0) for e in self.grid)
        return x, y, z

    def objection(self, symbols: Mapping[str, int]) -> str | None:
        """In words why it cannot run at these sizes, or nothing."""
        for axis, count, most in zip("xyz", self.blocks(symbols), MAX_GRID, strict=True):
            if count > most:
                return f"{self.kernel}: {count} blocks along {axis} of the grid, and a GPU takes {most}"
        for e in self.extents:
            if e.evaluate(symbols) > _MAX_ELEMENTS:
                return f"{self.kernel}: a tensor of {e.evaluate(symbols)} elements; it counts them in 32 bits"
        if (meetings := self.meetings.evaluate(symbols)) * 4 > COUNTERS:
            return f"{self.kernel}: {meetings} tiles are split along k, and there are {COUNTERS // 4} counters"
        return None

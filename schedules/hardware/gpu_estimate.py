"""How long a product takes on a GPU, roughly: an estimate from what its blocks compute, move and wait for.

Untuned plans and defaults are chosen by it, so it must put good configs before bad ones at every number of rows; its
figure is clocks of one multiprocessor, and means nothing beside a measured time. It knows nothing of templates: one
says of a config what a block of it does, as a `Tiling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from anytile.schedules.hardware.gpu import GpuFacts

# Of one multiprocessor, in clocks and bytes of a clock; between generations they differ by less than configs do.
_LATENCY = 600.0  # from asking memory to having it
_SHARED_CACHE = 48.0  # what the second-level cache gives
_FOR_LONG = 24.0  # what it gives where all multiprocessors read nothing else, round after round
_MEMORY = 16.0  # what memory gives, all multiprocessors reading
_MEETING = 2500.0  # blocks that share sums: a fence, a counter, and reading what the others wrote
_ROUND = 80.0  # a barrier, and what each round computes beside its products
_BUSY = 8  # warps that keep a multiprocessor's units busy while others wait


@dataclass(frozen=True, slots=True)
class Tiling:
    """What one block does of y[m, n] = x[m, k] w[n, k]."""

    rows: int
    columns: int
    granule: int  # rows are computed in multiples of this
    step: int  # of k: what one round reads
    ahead: int  # rounds that are under way together
    split: int  # blocks that share the sums of a tile
    threads: int
    registers: int  # of a thread
    shared: int  # bytes
    atoms: float  # multiply-adds in a clock, when nothing is waited for
    ending: float = 0.0  # clocks for what comes after the sums


def clocks(gpu: GpuFacts, sizes: tuple[int, int, int], items: tuple[float, float], t: Tiling) -> float:
    """The estimate for a product of `sizes` (m, n, k), elements of rows and of columns having `items` bytes; infinite
    for what cannot run.

    The multiprocessor with most blocks decides. Of its resident blocks each round takes as long as the slowest of
    three: computing, moving tiles out of the cache, waiting for memory. What all read of memory once is a floor, which
    is approached smoothly, so that of two configs at the floor the one that could do better is the better one.
    """
    m, n, k = (max(size, 1) for size in sizes)
    resident = _resident(gpu, t)
    if resident < 1:
        return inf
    busiest = -(-(-(-m // t.rows) * -(-n // t.columns) * t.split) // gpu.multiprocessors)
    together = min(resident, busiest)
    rounds = -(-k // (t.step * t.split))
    held = min(t.rows, m)
    computed = -(-held // t.granule) * t.granule * t.columns * t.step
    busy = min(1.0, together * t.threads / (gpu.warp * _BUSY))
    each = max(
        together * computed / (t.atoms * busy),
        together * (held * items[0] + t.columns * items[1]) * t.step / _SHARED_CACHE,
        _LATENCY / t.ahead,
    )
    spent = -(-busiest // together) * (_LATENCY + rounds * (each + _ROUND)) + busiest * t.ending
    if t.split > 1:
        spent += _met(busiest, t.split, held * t.columns * 4)
    floor = _LATENCY + (m * items[0] + n * items[1]) * k / (_MEMORY * gpu.multiprocessors)
    return float((spent**4 + floor**4) ** 0.25)


@dataclass(frozen=True, slots=True)
class Rounds:
    """What a kernel does whose blocks go round something that each of them reads."""

    blocks: int
    rounds: int  # of a block
    split: int  # blocks that put together what each of them made
    threads: int
    registers: int  # of a thread
    shared: int  # bytes
    computed: float  # clocks of a round, when nothing is waited for
    moved: int  # bytes of a round
    alone: float  # clocks of a round from its beginning to its end, where nobody else is
    left: int  # bytes that a block leaves


def clocks_of_rounds(gpu: GpuFacts, r: Rounds) -> float:
    """The estimate for such a kernel, likewise of the multiprocessor with most blocks."""
    resident = _resident(gpu, r)
    if resident < 1:
        return inf
    busiest = -(-r.blocks // gpu.multiprocessors)
    together = min(resident, busiest)
    each = max(together * r.computed, together * r.moved / _FOR_LONG, r.alone + _LATENCY)
    spent = -(-busiest // together) * (_LATENCY + r.rounds * (each + _ROUND))
    if r.split > 1:
        spent += _met(busiest, r.split, r.left)
    return float(spent)


def _resident(gpu: GpuFacts, block: Tiling | Rounds) -> int:
    """How many such blocks a multiprocessor has at once."""
    return min(
        gpu.blocks,
        gpu.threads // block.threads,
        gpu.registers // (block.registers * block.threads),
        gpu.shared // (block.shared + gpu.shared_reserved) if block.shared else gpu.blocks,
    )


def _met(busiest: int, split: int, left: int) -> float:
    """Clocks of blocks that share sums: all write and read what each of them left, and one is the last."""
    return _MEETING + (2 * busiest + split) * left / _SHARED_CACHE


__all__ = ["Rounds", "Tiling", "clocks", "clocks_of_rounds"]

"""The dense profile: at how many sizes, and in which order, the chosen variants and their rivals are timed.

Sizes are dense where ranges begin and end (1..64), then step so that every residue of every tile is visited, and end
with a few large ones. First come those that were cross-evaluated or weigh the most; then the order refines: wherever
the time runs out, the measured sizes lie spread over the whole line.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from anytile.schedules.workloads.workload import Workload

DENSE_TO = 64
STEPPED_TO = 256
LEAST_STEP = 7
LARGE = (512, 1024, 4096)
MOST_FLOPS = 6e9  # of one call; above that a size costs more than it tells: the slope is known by then
MOST_BYTES = 1 << 29
WORD = 4


def profile_sizes(tiles: Iterable[int], extra: Iterable[int] = ()) -> tuple[int, ...]:
    """Every size to 64, then steps to 256, then large ones; `extra` (cross-evaluated, weighted) belong to it too."""
    step = residue_step(tiles)
    stepped = range(DENSE_TO + step, STEPPED_TO + 1, step)
    sizes = {*range(1, DENSE_TO + 1), *stepped, STEPPED_TO, *LARGE, *(size for size in extra if size > 0)}
    return tuple(sorted(sizes))


def residue_step(tiles: Iterable[int]) -> int:
    """The smallest step that shares no factor with any tile, so that stepping visits all residues."""
    wanted = [tile for tile in tiles if tile > 1]
    step = LEAST_STEP
    while any(math.gcd(step, tile) > 1 for tile in wanted):
        step += 1
    return step


def affordable(
    workload: Workload, symbol: str, others: dict[str, int], sizes: Iterable[int], flops: float = MOST_FLOPS
) -> tuple[int, ...]:
    """Drop sizes at which one call takes too long or the tensors too much memory; the smallest always stays."""
    kept: list[int] = []
    for size in sorted(sizes):
        bindings = {**others, symbol: size}
        tensors = sum(math.prod(workload.shape(t.name, bindings)) for t in workload.tensors)
        if kept and (workload.flops(bindings) > flops or tensors * WORD > MOST_BYTES):
            continue
        kept.append(size)
    return tuple(kept)


def refining(sizes: Iterable[int], first: Collection[int] = ()) -> list[int]:
    """The same sizes: those that come first, both ends, then always the one farthest, in ratio, from all before it."""
    left = sorted(set(sizes))
    out = refining(size for size in left if size in first) if first else []
    out += [end for end in dict.fromkeys((*left[:1], *left[-1:])) if end not in out]
    far = {size: min(_ratio(size, known) for known in out) for size in left if size not in out}
    while far:
        following = max(far, key=lambda size: (far[size], -size))
        out.append(following)
        del far[following]
        far = {size: min(reach, _ratio(size, following)) for size, reach in far.items()}
    return out


def _ratio(a: int, b: int) -> float:
    return abs(math.log(a / b))


def chunks(sizes: Sequence[int], most: int = 12, heavy: int | None = None) -> Iterator[tuple[int, ...]]:
    """What is asked of the runner at once: small enough to lose little, large enough to build a config only rarely.

    `heavy` is the sum of sizes at which a chunk is full before it has `most` of them.
    """
    chunk: list[int] = []
    for size in sizes:
        if chunk and (len(chunk) == most or (heavy is not None and sum(chunk) + size > heavy)):
            yield tuple(sorted(chunk))
            chunk = []
        chunk.append(size)
    if chunk:
        yield tuple(sorted(chunk))

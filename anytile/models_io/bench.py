"""Benchmark of a model: runs at several sizes, interleaved so that a slow moment of the machine is everybody's.

Times are of whole runs as a caller sees them; the share that is not kernel time is of profiled runs beside them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anytile.vm.session import Session

LEAST, PROFILED = 5, 5  # runs of each size, whatever they take; and how many are profiled


@dataclass(frozen=True, slots=True)
class Pace:
    """One combination of sizes: the median in seconds, the range of the middle half as a share of it, and how many."""

    sizes: Mapping[str, int]
    median: float
    spread: float
    overhead: float
    runs: int


def pace(
    session: Session,
    points: Sequence[tuple[Mapping[str, int], Mapping[str, Any]]],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Pace]:
    """Run all (sizes, feeds) in turns, equally often, for so many seconds each on average; first runs do not count."""
    overheads = []
    for _, feeds in points:
        profiles = [session.profile(feeds) for _ in range(PROFILED)]
        overheads.append(statistics.median(p.overhead for p in profiles))
    times: list[list[float]] = [[] for _ in points]
    spent = 0.0
    while spent < seconds * len(points) or len(times[0]) < LEAST:
        for (_, feeds), mine in zip(points, times, strict=True):
            start = clock()
            session.run(feeds)
            mine.append(clock() - start)
            spent += mine[-1]
    return [
        Pace(sizes, statistics.median(mine), _spread(mine), overhead, len(mine))
        for (sizes, _), mine, overhead in zip(points, times, overheads, strict=True)
    ]


def _spread(times: Sequence[float]) -> float:
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return (high - low) / middle if middle else 0.0

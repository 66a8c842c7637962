"""Benchmark of a model: runs at several sizes, interleaved so that a slow moment of the machine is everybody's.

Times are of whole runs as a caller sees them; the share that is not kernel time is of profiled runs beside them. Of a
rival, which runs between the model's own runs, results are compared before anything is timed.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from anytile.core.printable import say
from anytile.models_io.rival import Call, Rival, gap
from anytile.show.figures import ratio_text, time_text
from anytile.show.tables import Table
from anytile.vm.session import Session

LEAST, PROFILED = 5, 5  # runs of each size, whatever they take; and how many are profiled
WARM_BELOW_S = 0.02  # a quick run behind the rival's finds other data in the caches: one before it does not count


@dataclass(frozen=True, slots=True)
class Beside:
    """A rival's median in seconds, and the largest difference of results as a share of the largest element."""

    median: float
    gap: float


@dataclass(frozen=True, slots=True)
class Pace:
    """One combination of sizes: the median in seconds, the range of the middle half as a share of it, and how many."""

    sizes: Mapping[str, int]
    median: float
    spread: float
    overhead: float
    runs: int
    rival: Beside | None = None

    @property
    def gain(self) -> float:
        """How many times as fast as the rival."""
        return self.rival.median / self.median if self.rival is not None else math.nan


def pace(
    session: Session,
    points: Sequence[tuple[Mapping[str, int], Mapping[str, Any]]],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
    rival: Rival | None = None,
) -> list[Pace]:
    """Run all (sizes, feeds) in turns, equally often, for so many seconds each on average; first runs do not count."""
    turns = [_Turn.of(session, feeds, rival) for _, feeds in points]
    spent = 0.0
    while spent < seconds * len(points) or len(turns[0].times[0]) < LEAST:
        spent += sum(turn.take(clock) for turn in turns)
    return [turn.pace(sizes) for (sizes, _), turn in zip(points, turns, strict=True)]


def show(found: Sequence[Pace], rival: str | None) -> None:
    """A table of them, with the rival's name."""
    symbols = list(found[0].sizes)
    beside = () if rival is None else (f">{rival}", ">times its speed", ">results apart")
    table = Table((*(f">{s}" for s in symbols), ">median", ">spread", ">not in kernels", ">runs", *beside))
    for p in found:
        cells = (time_text(p.median), f"{p.spread:.1%}", f"{p.overhead:.1%}", p.runs)
        other = () if p.rival is None else (time_text(p.rival.median), ratio_text(p.gain), f"{p.rival.gap:.1g}")
        table.add(*(p.sizes[s] for s in symbols), *cells, *other)
    table.show()
    if rival is not None and len(found) > 1:
        mean = statistics.geometric_mean([p.gain for p in found])
        say(f"{ratio_text(mean)} as fast as {rival}, a geometric mean")


@dataclass(frozen=True, slots=True)
class _Turn:
    """What runs at one combination of sizes, one behind the other, and what each run took."""

    overhead: float
    gap: float
    calls: Sequence[Call]
    times: Sequence[list[float]]

    @classmethod
    def of(cls, session: Session, feeds: Mapping[str, Any], rival: Rival | None) -> _Turn:
        overhead = statistics.median(session.profile(feeds).overhead for _ in range(PROFILED))
        ours = partial(session.run, feeds)
        if rival is None:
            return cls(overhead, 0.0, [ours], [[]])
        theirs = rival.ready(feeds)
        return cls(overhead, gap(ours(), theirs()), [ours, theirs], [[], []])

    def take(self, clock: Callable[[], float]) -> float:
        """Run everything once more; what that took in all."""
        spent = 0.0
        for call, took in zip(self.calls, self.times, strict=True):
            if is_cold := len(self.calls) > 1 and (not took or took[-1] < WARM_BELOW_S):
                call()
            start = clock()
            call()
            took.append(clock() - start)
            spent += took[-1] * (1 + is_cold)
        return spent

    def pace(self, sizes: Mapping[str, int]) -> Pace:
        mine, *others = self.times
        rival = Beside(statistics.median(others[0]), self.gap) if others else None
        return Pace(sizes, statistics.median(mine), _spread(mine), self.overhead, len(mine), rival)


def _spread(times: Sequence[float]) -> float:
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return (high - low) / middle if middle else 0.0

"""Weights from a recording of runs: at which sizes each workload ran, how often, and how much work that was.

A recording (see `vm.profile.ShapeHistogram`) tells workloads apart by their tails, and calls symbols by names of its
own; a campaign tunes anchors. They meet here: by anchor, whatever the symbols are called. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.core.errors import SpecError
from anytile.db.lookup.distance import renaming
from anytile.schedules.workloads.workload import MAX_DIM, Workload
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.requests.size_weights import Sizes
from anytile.vm.profile import ShapeHistogram

Point = tuple[int, ...]  # sizes of a workload's symbols, in their order


@dataclass(frozen=True)
class Recorded:
    """A request that weighs what was recorded, and its workloads that the recording lacks."""

    request: TuneRequest
    lacking: tuple[Workload, ...]


def recorded(request: TuneRequest, histogram: ShapeHistogram) -> Recorded:
    """Sizes weigh as often as they were met; workloads as often as they ran, times the work of a call.

    A symbol's sizes are those of all calls, whatever the other symbols were; these stand at their typical sizes. What
    counts of a workload is its work in calls at the sizes that it is searched at, for the scheduler knows what such a
    call takes. Who was never met counts as in one run of the model.
    """
    calls = calls_by_workload(histogram, request.workloads)
    met = {w: _sizes(w, points) for w, points in calls.items()}
    lacking = tuple(w for w in request.workloads if w not in met)
    if not met:
        names = f"{request.workloads[0]}{' and the others' if len(request.workloads) > 1 else ''}"
        raise SpecError(f"the recording has no run of {names}; record the model that is tuned")
    sizes = tuple(met.get(w) for w in request.workloads)
    weighing = replace(request, met=sizes)
    counts = [request.count_of(w) if w in lacking else _calls_there(weighing, w, calls[w]) for w in request.workloads]
    return Recorded(replace(weighing, counts=tuple(counts)), lacking)


def calls_by_workload(histogram: ShapeHistogram, workloads: Sequence[Workload]) -> dict[Workload, dict[Point, int]]:
    """How often each workload ran at which sizes; those that never did any work are left out."""
    found: dict[Workload, dict[Point, int]] = {}
    for text, counts in histogram.counts.items():
        met = Workload.parse(text)
        for dims in counts:
            if len(dims) != len(met.symbols) or any(size > MAX_DIM for size in dims):
                wanted = ", ".join(met.symbols) or "none"
                raise SpecError(f"recording of {text}: expected sizes of {wanted}, got {list(dims)}; record it again")
        for workload in workloads:
            names = renaming(met.anchor, workload)
            if names is None:
                continue
            called = {ours: theirs for theirs, ours in names.items()}
            order = [met.symbols.index(called[symbol]) for symbol in workload.symbols]
            into = found.setdefault(workload, {})
            for dims, n in counts.items():
                point = tuple(dims[place] for place in order)
                if n and all(point):
                    into[point] = into.get(point, 0) + n
    return {w: points for w, points in found.items() if points}


def _sizes(workload: Workload, calls: Mapping[Point, int]) -> Sizes:
    found: dict[str, dict[int, float]] = {symbol: {} for symbol in workload.symbols}
    for point, n in calls.items():
        for symbol, size in zip(workload.symbols, point, strict=True):
            found[symbol][size] = found[symbol].get(size, 0) + n
    return found


def _calls_there(request: TuneRequest, workload: Workload, calls: Mapping[Point, int]) -> float:
    """The work of all calls, in calls at the sizes that the workload is searched at."""
    each = work(workload, dict(request.representative_point(workload)))
    return sum(n * work(workload, dict(zip(workload.symbols, p, strict=True))) for p, n in calls.items()) / each


def work(workload: Workload, sizes: Mapping[str, int]) -> int:
    """Operations of a call; of what only moves data, elements."""
    moved = sum(math.prod(workload.shape(t.name, sizes)) for t in workload.tensors)
    return max(workload.flops(sizes) or moved, 1)

"""Cases of many names and sizes that two systems run, anytile and onnxruntime: alike results, and which is faster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.models_io.rival import gap
from benchmarks.measure.harness import Claim, Report, Row, geomean

Array = NDArray[Any]
OURS, RIVAL = "anytile", "onnxruntime"
TOLERANCE = {np.dtype(np.float16): 2e-2, np.dtype(np.float32): 1e-3}  # of a result's largest element
_UNITS = {"us": (1e6, 1), "ms": (1e3, 3)}  # how many a second has, and digits behind the point

Gains = Mapping[tuple[str, str], tuple[float, float]]  # (name, size) -> seconds, times the speed of the rival


def difference(ours: Iterable[Any], theirs: Iterable[Array]) -> str | None:
    """What makes results others than the rival's; of integers nothing may."""
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        found = np.asarray(mine)
        if found.shape != other.shape or found.dtype != other.dtype:
            return f"result {number} is {found.dtype}{found.shape}, {RIVAL}'s is {other.dtype}{other.shape}"
        if (apart := gap(found, other)) > TOLERANCE.get(other.dtype, 0.0):
            return f"result {number} is off by {apart:.3g} of its largest element"
    return None


def gains(kind: str, rows: Iterable[Row], other: str = RIVAL) -> Gains:
    """By name and size; `kind` is what a row calls the name. Nothing of what the other system did not run."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        found.setdefault((row.case[kind], row.case["size"]), {})[row.system] = row.seconds
    return {at: (by[OURS], by[other] / by[OURS]) for at, by in found.items() if other in by}


def claims_of(what: str, kind: str, rows: Iterable[Row], mean: float, worst: float, other: str = RIVAL) -> list[Claim]:
    every = [gain for _, gain in gains(kind, rows, other).values()]
    return [
        Claim(f"{what} against {other}: geometric mean", geomean(every), mean),
        Claim(f"{what} against {other}: worst", min(every), worst),
    ]


def show_slowest(report: Report, kind: str, unit: str, other: str = RIVAL) -> None:
    """The table of all cases, that first which is slowest beside the rival or another system."""
    (times, digits), found = _UNITS[unit], gains(kind, report.rows, other)
    lines = [
        [name, size, f"{seconds * times:.{digits}f}", f"{gain:.2f}x"]
        for (name, size), (seconds, gain) in sorted(found.items(), key=lambda item: item[1][1])
    ]
    report.table(f"against {other}, the slowest first", [kind, "size", unit, "times the speed"], lines)

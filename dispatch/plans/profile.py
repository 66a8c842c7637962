"""Performance model by size: how long each runner (a variant or library) takes, and the ranges that follow.

A runner's time between measured sizes is modelled as `time(m) = L(q*t) + tail(r)` with m = t*q + r: L is the cost of
q full tiles, linear between the sizes it is known at, and tail(r) the cost of the rest, known from the sizes measured
with that residue. Measured sizes are always answered with what was measured.

`ranges` finds the cheapest way to cut 0..inf into runs: a size costs what its runner loses against the best there,
next to nothing if that is inside the noise, and every cut costs `min_run` sizes' worth of noise. That is the
hysteresis: a cut must pay for itself. The optimum is found exactly, and ties fall to the runner listed first.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.dispatch.plans.matrix import Grid, noise_band
from anytile.schedules.plans.plan import Range

Sizes = NDArray[np.signedinteger[Any]]
MAX_GRID = 16384  # sizes beyond are decided by the last measured ones
MIN_RUN = 4
NARROW = 3  # measured sizes: a range of so few hangs on single measurements


@dataclass(frozen=True)
class Series:
    """One runner's median seconds by size. `tile` is 1 for a library."""

    runner: int | str
    tile: int
    seconds: Mapping[int, float]

    def __post_init__(self) -> None:
        if self.tile < 1:
            raise SpecError(f"profile of {self.runner}: tile {self.tile} is not positive")
        if any(m < 1 or not s > 0 for m, s in self.seconds.items()):
            raise SpecError(f"profile of {self.runner}: expected positive sizes with positive seconds")
        if not self.seconds:
            raise SpecError(f"profile of {self.runner}: nothing was measured")

    @cached_property
    def _model(self) -> tuple[Grid, Grid, Grid, float]:
        """Knots (rows, seconds) of L, tail(r) for every residue, and the slope beyond the last knot."""
        t = self.tile
        tile_cost = self._tile_cost()
        knots = {0: 0.0, **{m: s for m, s in self.seconds.items() if m % t == 0}}
        if len(knots) == 1:
            knots[t] = tile_cost
        tails = self._tails(knots, tile_cost)
        for m in sorted(self.seconds):  # sizes with a rest know L too, once the rest is known
            if m % t and m > t:
                knots.setdefault(m - m % t, max(self.seconds[m] - tails[m % t], 0.0))
        xs = np.array(sorted(knots), dtype=np.float64)
        ys = np.maximum.accumulate(np.array([knots[int(x)] for x in xs]))
        slope = (ys[-1] - ys[-2]) / (xs[-1] - xs[-2]) if len(xs) > 2 else tile_cost / t
        if slope <= 0:
            slope = ys[-1] / xs[-1]
        return xs, ys, tails, float(slope)

    def _tile_cost(self) -> float:
        """Seconds per full tile: from the two largest sizes that are a tile apart, else from the largest alone."""
        sizes = sorted(self.seconds)
        low = next((m for m in reversed(sizes) if sizes[-1] - m >= self.tile), None)
        if low is not None and self.seconds[sizes[-1]] > self.seconds[low]:
            return (self.seconds[sizes[-1]] - self.seconds[low]) / (sizes[-1] - low) * self.tile
        return self.seconds[sizes[-1]] / max(sizes[-1], self.tile) * self.tile

    def _tails(self, knots: Mapping[int, float], tile_cost: float) -> Grid:
        xs = sorted(knots)
        seen: dict[int, list[float]] = {}
        for m in sorted(self.seconds):
            rest, base = m % self.tile, m - m % self.tile
            if not base:
                continue
            if rest and base in knots:
                seen.setdefault(rest, []).append(self.seconds[m] - knots[base])
            elif rest and xs[0] < base < xs[-1]:
                known = float(np.interp(base, xs, [knots[x] for x in xs]))
                seen.setdefault(rest, []).append(self.seconds[m] - known)
        known_tails = {0: 0.0, self.tile: tile_cost}
        known_tails.update({m: s for m, s in self.seconds.items() if m < self.tile})  # a call's fixed cost included
        known_tails.update({r: max(statistics.median(found), 0.0) for r, found in seen.items()})
        rests = sorted(known_tails)
        tails: Grid = np.interp(np.arange(self.tile), rests, [known_tails[r] for r in rests])
        return tails

    def tail(self, rest: int) -> float:
        """The modelled cost of a rest."""
        return float(self._model[2][rest])

    def at(self, sizes: Sequence[int] | Sizes) -> Grid:
        """Seconds at each size, measured where measured, modelled elsewhere."""
        xs, ys, tails, slope = self._model
        wanted = np.asarray(sizes, dtype=np.int64)
        rest = wanted % self.tile
        base = (wanted - rest).astype(np.float64)
        out = np.interp(base, xs, ys) + np.maximum(base - xs[-1], 0.0) * slope + tails[rest]
        for place, m in enumerate(wanted.tolist()):
            if m in self.seconds:
                out[place] = self.seconds[m]
        least = min(self.seconds.values())
        floor: Grid = np.maximum(out, least * 0.5)
        return floor

    def measured_near(self, low: int, high: int | None) -> int | None:
        """The measured size that stands for a range: the one nearest its geometric middle."""
        inside = [m for m in sorted(self.seconds) if m >= low and (high is None or m <= high)]
        if not inside:
            return None
        middle = (inside[0] * inside[-1]) ** 0.5
        return min(inside, key=lambda m: (abs(m - middle), m))


@dataclass(frozen=True)
class Profile:
    """Series of every runner, variants first, and the noise band they were measured with."""

    series: tuple[Series, ...]
    noise: float

    def __post_init__(self) -> None:
        if not self.series:
            raise SpecError("a profile needs at least one runner")
        runners = [s.runner for s in self.series]
        if len(set(runners)) != len(runners):
            raise SpecError(f"profile: a runner is listed twice in {runners}")

    @classmethod
    def of(
        cls,
        variants: Sequence[Mapping[int, Sequence[float]]],
        tiles: Sequence[int],
        libraries: Mapping[str, Mapping[int, Sequence[float]]] | None = None,
        noise: float | None = None,
    ) -> Profile:
        """From samples by size: `variants[i]` for variant i, and the libraries by name."""
        series = [Series(i, t, _medians(v)) for i, (v, t) in enumerate(zip(variants, tiles, strict=True))]
        series += [Series(name, 1, _medians(s)) for name, s in sorted((libraries or {}).items()) if s]
        every = [*variants, *(libraries or {}).values()]
        band = noise_band(cell for samples in every for cell in samples.values()) if noise is None else noise
        return cls(tuple(series), band)

    def of_runner(self, runner: int | str) -> Series | None:
        return next((s for s in self.series if s.runner == runner), None)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({m for s in self.series for m in s.seconds}))

    def grid(self) -> Sizes:
        """Every size up to the last measured one (at most MAX_GRID)."""
        return np.arange(1, min(self.sizes[-1], MAX_GRID) + 1)

    def times(self, sizes: Sequence[int] | Sizes) -> Grid:
        """Runners x sizes."""
        return np.stack([s.at(sizes) for s in self.series])

    def to_notes(self) -> dict[str, object]:
        """Microseconds at the measured sizes, short enough to live in a plan."""
        sizes = self.sizes
        rows = {
            str(s.runner): [float(f"{s.seconds[m] * 1e6:.4g}") if m in s.seconds else None for m in sizes]
            for s in self.series
        }
        return {"sizes": list(sizes), "us": rows, "noise": round(self.noise, 4)}


def _medians(samples: Mapping[int, Sequence[float]]) -> dict[int, float]:
    return {m: statistics.median(cell) for m, cell in sorted(samples.items()) if cell and m >= 1}


def segment(times: Grid, noise: float, min_run: int = MIN_RUN) -> list[int]:
    """The runner (row of `times`) at each column: the exact optimum of loss plus cuts, ties to the first row."""
    runners, count = times.shape
    ratio = np.log(times / times.min(axis=0))
    band = float(np.log1p(noise))
    # Inside the noise a loss is only a whisper: it breaks ties over long runs and never causes a cut by itself.
    cost = np.where(ratio > band, ratio, ratio * 1e-3)
    switch = min_run * band
    total = cost[:, 0].copy()
    came = np.empty((count, runners), dtype=np.int32)
    stay = np.arange(runners, dtype=np.int32)
    for j in range(1, count):
        cheapest = int(total.argmin())
        moves = total[cheapest] + switch < total - 1e-12
        came[j] = np.where(moves, cheapest, stay)
        total = np.where(moves, total[cheapest] + switch, total) + cost[:, j]
    path = [int(total.argmin())]
    for j in range(count - 1, 0, -1):
        path.append(int(came[j][path[-1]]))
    return path[::-1]


def ranges(profile: Profile, names: Mapping[int | str, str], min_run: int = MIN_RUN) -> tuple[Range, ...]:
    """Cut 0..inf into ranges. `names` says how each runner is called in words."""
    grid = profile.grid()
    # A library has to win by more than the noise: it is code that nobody here controls.
    handicap = [1 + profile.noise * isinstance(s.runner, str) for s in profile.series]
    path = segment(profile.times(grid) * np.array(handicap)[:, None], profile.noise, min_run)
    starts = [0, *(j for j, (a, b) in enumerate(pairwise(path), start=1) if a != b)]
    cut = []
    for place, start in enumerate(starts):
        last = place == len(starts) - 1
        low = 0 if place == 0 else int(grid[start])
        high = None if last else int(grid[starts[place + 1]]) - 1
        cut.append(_range(profile, names, path[start], low, high, int(grid[-1])))
    return tuple(cut)


def library_sizes(profile: Profile, most: int) -> tuple[int, ...]:
    """Measured sizes at which libraries would run: of each such range its ends and others between, so many at most."""
    cut = ranges(profile, {s.runner: str(s.runner) for s in profile.series})
    found: list[int] = []
    for r in cut:
        inside = [m for m in profile.sizes if m >= r.low and (r.high is None or m <= r.high)]
        if isinstance(r.runs, str) and inside:
            steps = max(1, min(most, len(inside)) - 1)
            found += [inside[round(i * (len(inside) - 1) / steps)] for i in range(steps + 1)]
    return tuple(dict.fromkeys(found))


def doubtful(profile: Profile) -> tuple[int, ...]:
    """The measured sizes of ranges that may be a moment's noise: narrow ones, and islands between two of one runner."""
    cut = ranges(profile, {s.runner: str(s.runner) for s in profile.series})
    found: list[int] = []
    for place, r in enumerate(cut):
        inside = [m for m in profile.sizes if m >= r.low and (r.high is None or m <= r.high)]
        island = 0 < place < len(cut) - 1 and cut[place - 1].runs == cut[place + 1].runs
        if len(cut) > 1 and (island or len(inside) <= NARROW):
            found += inside
    return tuple(found)


def _range(profile: Profile, names: Mapping[int | str, str], row: int, low: int, high: int | None, end: int) -> Range:
    mine = profile.series[row]
    at = mine.measured_near(max(low, 1), high)
    because, seconds = f"{names[mine.runner]}", None
    if at is not None:
        seconds = mine.seconds[at]
        because += f" took {in_words(seconds)} at {at}"
    others = [s for s in profile.series if s is not mine]
    if others:
        inside = np.arange(max(low, 1), max(end if high is None else min(high, end), max(low, 1)) + 1)
        own = np.log(mine.at(inside))
        gains = [float(np.exp(np.mean(np.log(s.at(inside)) - own))) for s in others]
        nearest = min(range(len(others)), key=lambda i: (gains[i], i))
        over, name, gain = "", names[others[nearest].runner], gains[nearest]
        if low != high:
            over = f"over {low}..{'' if high is None else high} "
        if gain < 1:
            because += f"; {over}{name} is {1 / gain - 1:.1%} faster, {tolerable(1 / gain - 1, profile.noise)}"
        else:
            because += f"; {over}the next best, {name}, took {gain:.2f}x as long"
    else:
        because += "; it is the only one"
    return Range(low, high, mine.runner, seconds, at, because)


def tolerable(gap: float, noise: float) -> str:
    """Why a range stays with what is slower by this share."""
    return "inside the noise" if gap <= noise else "less than another range would be worth"


def in_words(seconds: float) -> str:
    """`12.3 us`, `4.56 ms`, `1.2 s`: three digits and the unit that suits."""
    for unit, factor in (("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def from_matrix(sizes: Sequence[int], medians: Grid, tiles: Sequence[int], noise: float) -> Profile:
    """The profile that a cross-evaluation alone gives: few sizes, the rest modelled."""
    series = []
    for i, tile in enumerate(tiles):
        known = {m: float(medians[i, j]) for j, m in enumerate(sizes) if m >= 1 and not np.isnan(medians[i, j])}
        series.append(Series(i, tile, known))
    return Profile(tuple(series), noise)


__all__ = [
    "MIN_RUN",
    "Profile",
    "Series",
    "doubtful",
    "from_matrix",
    "in_words",
    "library_sizes",
    "ranges",
    "segment",
]

"""Histograms of activations, and the ranges that are chosen from them: extremes, a percentile, or least divergence.

A histogram has as many bins for every tensor, as wide as a power of two. A value beyond the last one makes all bins
twice as wide, which joins neighbours and nothing else: so it is the same whatever order values come in, and however
large they grow. A range always holds 0, which is an integer then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.core.errors import SpecError
from anytile.schedules.operators.reductions.quantise_rows import STEPS, TINIEST
from anytile.schedules.operators.reductions.quantise_within import QUANTISE_WITHIN

BINS = 8192
LEVELS = int(STEPS) + 1
PERCENT = 99.99  # of the values, that a percentile's range holds unless another is asked for
_COLUMNS = 2048  # that a divergence is computed of
_LEAST = 1e-9  # what an end without values tells of those that were cut off into it: they cost much and not all
_TRIED = 48  # ends of a range that are looked at on one side, each a share nearer to 0


@dataclass(frozen=True, slots=True)
class Range:
    """From where to where activations are integers."""

    low: float
    high: float

    @property
    def scale(self) -> np.float32:
        """How far apart the numbers are that integers stand for."""
        found = np.float32((self.high - self.low) / STEPS)
        return found if found >= np.float32(TINIEST) else np.float32(1)

    @property
    def by(self) -> np.float32:
        return np.float32(1) / self.scale

    @property
    def zero(self) -> np.float32:
        """The integer that stands for 0."""
        return np.float32(np.rint(np.float32(-self.low) * self.by))

    def codes(self, x: Array) -> Array:
        """The integers of numbers."""
        given = {"x": x, "by": np.asarray(self.by), "zero": np.asarray(self.zero)}
        return QUANTISE_WITHIN.reference(given, {})[0]

    def __str__(self) -> str:
        return f"{self.low:.4g} to {self.high:.4g}"


class Histogram:
    """How often values stood where. `counts` are of bins from -2**exponent to 2**exponent."""

    def __init__(self) -> None:
        self.counts = np.zeros(BINS, np.int64)
        self.exponent = -149  # below every float32
        self.zeros = 0
        self.low = self.high = 0.0
        self.is_finite = True

    def add(self, values: Array) -> None:
        """Count some more values; of what is no number only that it came is known."""
        if not values.size:
            return
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            self.is_finite = False
            return
        self.zeros += values.size - int(np.count_nonzero(values))
        self.low, self.high = min(self.low, low), max(self.high, high)
        peak = max(-low, high)
        self._widen(math.frexp(peak)[1] if peak else self.exponent)
        scaled = np.multiply(values.reshape(-1), math.ldexp(BINS / 2, -self.exponent), dtype=np.float64)
        places = np.floor(scaled).astype(np.int64) + BINS // 2
        self.counts += np.bincount(places, minlength=BINS)

    def _widen(self, exponent: int) -> None:
        while self.exponent < exponent:
            self.exponent += 1
            joined = self.counts.reshape(-1, 2).sum(axis=1)
            self.counts = np.concatenate([np.zeros(BINS // 4, np.int64), joined, np.zeros(BINS // 4, np.int64)])

    @property
    def edges(self) -> Array:
        """Where bins begin, and where the last one ends."""
        return np.ldexp(np.arange(-BINS // 2, BINS // 2 + 1) / (BINS / 2), self.exponent)

    def columns(self, most: int) -> tuple[Array, Array]:
        """The bins between the extremes, joined to so many or fewer, and their edges."""
        edges = self.edges
        first = int(np.searchsorted(edges, self.low, side="right")) - 1
        end = max(int(np.searchsorted(edges, self.high, side="right")), first + 1)
        starts = np.arange(first, end, -(-(end - first) // most))
        return np.add.reduceat(self.counts[:end], starts), np.append(edges[starts], edges[end])

    def beyond(self, within: Range) -> float:
        """The share of values that lie outside of a range, to a bin."""
        edges = self.edges
        out = self.counts[(edges[1:] <= within.low) | (edges[:-1] > within.high)].sum()
        return float(out / max(self.counts.sum(), 1))


Choose = Callable[[Histogram], Range]


def chooser(method: str) -> Choose:
    """What makes ranges of histograms: "extremes", "percentile", "percentile:99.9" or "divergence"."""
    name, _, number = method.partition(":")
    if name == "percentile":
        try:
            percent = float(number) if number else PERCENT
        except ValueError:
            percent = math.nan
        if not 50 < percent <= 100:
            raise SpecError(f"ranges {method!r}: expected a percentage above 50 and up to 100, as in percentile:99.9")
        return lambda found: by_percentile(found, percent)
    if method not in _METHODS:
        raise SpecError(f"ranges {method!r}: expected extremes, percentile, percentile:99.9 or divergence")
    return _METHODS[method]


def by_extremes(found: Histogram) -> Range:
    return Range(found.low, found.high)


def by_percentile(found: Histogram, percent: float) -> Range:
    """As many values beyond either end as are left out, halved."""
    edges, up = found.edges, np.cumsum(found.counts)
    if not up[-1]:
        return Range(0.0, 0.0)
    out = up[-1] * (1 - percent / 100) / 2
    low = edges[np.searchsorted(up, out, side="right")]
    high = edges[1 + np.searchsorted(up, up[-1] - out)]
    return Range(max(found.low, min(float(low), 0.0)), min(found.high, max(float(high), 0.0)))


def by_divergence(found: Histogram) -> Range:
    """The range after which the distribution tells most of what it told before, one end after the other."""
    best = by_extremes(found)
    if best.low == best.high:
        return best
    counts, edges = found.columns(_COLUMNS)
    counts[int(np.searchsorted(edges, 0.0, side="right")) - 1] -= found.zeros  # an integer stands for 0 whatever comes
    shares = np.linspace(1.0, 1.0 / _TRIED, _TRIED)
    best = min((Range(best.low, best.high * s) for s in shares), key=lambda r: _divergence(counts, edges, r))
    return min((Range(best.low * s, best.high) for s in shares), key=lambda r: _divergence(counts, edges, r))


def _divergence(counts: Array, edges: Array, within: Range) -> float:
    """Kullback and Leibler's, of the values cut off at the ends against what 256 levels between them tell of it.

    Even values of one level fall into its bins unevenly, by chance; what that makes of it on average is taken off.
    """
    first = int(np.searchsorted(edges, within.low, side="right")) - 1
    end = max(int(np.searchsorted(edges, within.high, side="left")), first + 1)
    inside = counts[first:end].astype(np.float64)
    if not inside.sum():
        return math.inf
    cut = inside.copy()
    cut[0] += counts[:first].sum()
    cut[-1] += counts[end:].sum()
    starts = np.unique(np.arange(LEVELS) * len(inside) // LEVELS)
    there = (inside > 0).astype(np.float64)
    sums, places = np.add.reduceat(inside, starts), np.add.reduceat(there, starts)
    level = np.repeat(sums / np.maximum(places, 1), np.diff([*starts, len(inside)]))
    told = np.maximum(level * there / inside.sum(), _LEAST)
    wanted = cut / cut.sum()
    some = wanted > 0
    by_chance = (there.sum() - np.count_nonzero(places)) / (2 * inside.sum())
    return float(np.sum(wanted[some] * np.log(wanted[some] / told[some])) - by_chance)


_METHODS: dict[str, Choose] = {
    "extremes": by_extremes,
    "percentile": lambda found: by_percentile(found, PERCENT),
    "divergence": by_divergence,
}

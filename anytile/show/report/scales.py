"""Axis scales and ticks: from figures to pixels, and the round numbers an axis is marked with. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps low..high onto start..end; by its base-2 logarithm when `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, v = self.low, self.high, value
        if self.log:
            low, high, v = math.log2(low), math.log2(high), math.log2(max(value, self.low))
        share = (v - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def nice_ticks(high: float, about: int = 5) -> list[float]:
    """0 and round steps up to the first that reaches `high`."""
    if not math.isfinite(high) or high <= 0:
        return [0.0, 1.0]
    raw = high / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    return [i * step for i in range(math.ceil(high / step - 1e-9) + 1)]


def power_ticks(low: float, high: float, at_most: int = 12) -> list[int]:
    """Powers of two between low and high, thinned to what fits."""
    first, last = math.ceil(math.log2(max(low, 1))), math.floor(math.log2(max(high, 1)))
    every = max(1, math.ceil((last - first + 1) / at_most))
    return [2**i for i in range(first, last + 1, every)]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the wanted ones, at least `gap` apart and inside low..high, in the order given: for labels."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [0.0] * len(wanted)
    at = low
    for i in order:
        placed[i] = at = max(wanted[i], at)
        at += gap
    ceiling = high
    for i in reversed(order):
        placed[i] = ceiling = min(placed[i], ceiling)
        ceiling -= gap
    return placed

"""Residue classes by measurement: which neighbouring residues may share one kernel, and what that costs.

A class computes its largest residue h as a tile of its own and guards the stores: a smaller rest loses the rows in
between, one that would have shared the rows of the last full tile (see `schedules.residue`) loses that, and no rest at
all loses nothing. `none` computes no row too many, but shares no tile either, and branches around every row. `Losses`
holds those relative losses; `merged` gives the fewest classes whose every loss is tolerable, `partitions` the
least-loss partition for every number of classes. All are exact (dynamic programming).

Measured on Zen 4 (AVX-512), dense 768x768 with constant weights, one thread, six configs, every rest after 0, 1, 2, 4
and 16 full tiles, interleaved, against the exact kernels: guarded stores take 1.000 times as long (quartiles 0.992 and
1.005, of 142 pairs), the branches of `none` 1.001 (0.996 and 1.006, of 82). Where they crowd the registers they cost
more, see `guard_cost`; and a tile's branches alone take 0.25 of its full time where that shows, in 12 and 14 rows by
two vectors, which is more than one or two rows need (0.46 to 0.7 in tiles one vector wide: there `none` is flattered).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anytile.dispatch.plans.matrix import Grid
from anytile.dispatch.plans.profile import Series

Classes = tuple[tuple[int, int], ...]
GUARD = 0.005  # the upper quartile of what was measured, not the median of 0: sharing a kernel is never quite free
BRANCHES = 0.25  # of a full tile: no rest takes less in `none`, which branches around the rows it has not


@dataclass(frozen=True)
class Losses:
    """`table[r][h]`, h >= r: the relative loss of running residue r in a wide class that ends at h; `none`'s own."""

    table: Grid
    none: float

    @property
    def tile(self) -> int:
        return int(self.table.shape[0])

    def of_class(self, low: int, high: int) -> float:
        """The worst loss inside one class; a class of one residue is exact."""
        return float(self.table[low : high + 1, high].max()) if low < high else 0.0

    def of(self, classes: Sequence[tuple[int, int]]) -> float:
        """The worst loss over a partition; 0 for full dispatch. No classes are `none`."""
        return max((self.of_class(lo, hi) for lo, hi in classes), default=self.none)


def losses(series: Series, crowding: float = 0.0) -> Losses:
    """Read the losses off a profile where the rest weighs most: with no full tile before it, and with one.

    `crowding` is what `none` loses at every size because its registers do not suffice.
    """
    tile = series.tile
    table = np.zeros((tile, tile))
    alone = series.at(np.arange(tile))
    after_one = series.at(np.arange(tile, 2 * tile))
    unshared = [_unshared(series, tile, h) for h in range(tile)]
    for r in range(tile):
        for h in range(r, tile):
            loss = max(unshared[h] / after_one[r], alone[h] / alone[r]) - 1.0 if r else 0.0
            table[r, h] = max(loss, 0.0) + GUARD
    apart = max(_guarded(series, tile, r) / after_one[r] for r in range(tile))
    apart = max(apart, *(_guarded(series, 0, r) / alone[r] for r in range(1, tile)), 1.0)
    return Losses(table, apart * (1.0 + crowding) * (1.0 + GUARD) - 1.0)


def _unshared(series: Series, whole: int, rest: int) -> float:
    """The seconds of `whole` rows in full tiles and a rest that is a tile of its own even where it is small."""
    measured, full, alone = series.at([whole + rest, whole, rest])
    small = whole > 0 and 0 < 2 * rest < series.tile  # where the exact kernel shares the last full tile
    return float(max(measured, full + alone) if small else measured)


def _guarded(series: Series, whole: int, rest: int) -> float:
    """The seconds of `none`, while the registers suffice."""
    full, tile = series.at([whole, series.tile])
    least = (full if whole else 0.0) + BRANCHES * tile
    return max(_unshared(series, whole, rest), float(least)) if rest else float(full)


def as_run(series: Series, classes: Classes, crowding: float = 0.0) -> Series:
    """What the series would measure in these classes, or in `none`."""
    tile = series.tile
    top = {r: hi for lo, hi in classes for r in range(lo, hi + 1)}
    exact = {0, *(lo for lo, hi in classes if lo == hi)}
    factor = 1.0 if classes else (1.0 + crowding) * (1.0 + GUARD)
    seconds = dict(series.seconds)
    for m, measured in series.seconds.items():
        rest = m % tile
        if rest not in exact:
            apart = _unshared(series, m - rest, top[rest]) if classes else _guarded(series, m - rest, rest)
            measured = max(measured, apart)
        seconds[m] = measured * factor
    return replace(series, seconds=seconds)


def partitions(table: Losses) -> tuple[Classes, ...]:
    """`partitions(t)[k-1]`: the k classes whose losses, worst of each class, sum to the least."""
    tile = table.tile
    cost = np.full((tile + 1, tile + 1), np.inf)  # [classes][residues covered]
    came = np.zeros((tile + 1, tile + 1), dtype=int)
    cost[0, 0] = 0.0
    for k in range(1, tile + 1):
        for end in range(k, tile + 1):
            for start in range(k - 1, end):
                total = cost[k - 1, start] + table.of_class(start, end - 1)
                if total < cost[k, end] - 1e-12:
                    cost[k, end], came[k, end] = total, start
    found = []
    for k in range(1, tile + 1):
        classes, end = [], tile
        for left in range(k, 0, -1):
            start = int(came[left, end])
            classes.append((start, end - 1))
            end = start
        found.append(tuple(reversed(classes)))
    return tuple(found)


def merged(table: Losses, tolerance: float) -> Classes:
    """The fewest classes in which no residue loses more than the tolerance; among those, the least loss."""
    for classes in partitions(table):
        if table.of(classes) <= tolerance:
            return classes
    return tuple((r, r) for r in range(table.tile))

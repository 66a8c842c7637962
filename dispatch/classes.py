"""Residue classes by measurement: which neighbouring residues may share one kernel, and what that costs.

A class computes its largest residue and guards the stores, so residue r in a class that ends at h loses what h costs
more than r. `Losses` holds those relative losses; `merged` gives the fewest classes whose every loss is tolerable,
`partitions` the least-loss partition for every number of classes. All are exact (dynamic programming).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anytile.dispatch.matrix import Grid
from anytile.dispatch.profile import Series

Classes = tuple[tuple[int, int], ...]
GUARD = 0.01  # what guarding the stores costs where nothing else is lost: sharing a kernel is never quite free


@dataclass(frozen=True)
class Losses:
    """`table[r][h]`, h >= r: the relative loss of running residue r in a class that ends at h."""

    table: Grid

    @property
    def tile(self) -> int:
        return int(self.table.shape[0])

    def of_class(self, low: int, high: int) -> float:
        """The worst loss inside one class."""
        return float(self.table[low : high + 1, high].max())

    def of(self, classes: Sequence[tuple[int, int]]) -> float:
        """The worst loss over a partition; 0 for full dispatch."""
        return max((self.of_class(lo, hi) for lo, hi in classes), default=0.0)


def losses(series: Series) -> Losses:
    """Read the losses off a profile where the rest weighs most: with no full tile before it, and with one."""
    tile = series.tile
    table = np.zeros((tile, tile))
    alone = series.at(np.arange(1, tile)) if tile > 1 else np.zeros(0)
    after_one = series.at(np.arange(tile, 2 * tile))
    for r in range(tile):
        for h in range(r + 1, tile):
            loss = after_one[h] / after_one[r] - 1.0
            if r:
                loss = max(loss, alone[h - 1] / alone[r - 1] - 1.0)
            table[r, h] = max(loss, 0.0) + GUARD
    return Losses(table)


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

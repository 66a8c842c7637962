"""Encoding of a config space as a matrix: one row per config, in the order of the space, every column within 0 to 1.

Number knobs become one column, halfway between the logarithm of the value and its position among the knob's values;
word knobs become one column per value. Distances between rows are what `diverse` batches are made of.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob, Value

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Encoding:
    """`matrix[i]` is `space[i]`."""

    space: ConfigSpace
    matrix: Rows

    def rows(self, configs: Sequence[Config]) -> Rows:
        return self.matrix[[self.space.index(c) for c in configs]]

    def distances(self, index: int, among: Sequence[int] | NDArray[np.int64]) -> Rows:
        """How far one config is from each of others: the sum over the knobs, each at most 1."""
        gap: Rows = np.abs(self.matrix[among] - self.matrix[index]).sum(axis=1)
        return gap

    def with_sizes(self, sizes: Sequence[int]) -> NDArray[np.float64]:
        """The matrix and, beside it, how the number knobs go into the sizes and what they are together.

        Trees split on one column at a time: a product of two knobs, or the last tile of a dimension, would cost them
        many observations to find.
        """
        values = {
            knob.name: np.array([float(v) for c in self.space if isinstance(v := c[knob.name], int)])
            for knob in self.space.knobs
            if len(knob.values) > 1 and all(isinstance(v, int) for v in knob.values)
        }
        columns = []
        for taken in values.values():
            divisor = np.maximum(taken, 1.0)
            for size in sorted({s for s in sizes if s > 0}):
                columns += [np.ceil(size / divisor) * divisor / size, size % divisor / divisor]
        for one, other in itertools.combinations(values.values(), 2):
            columns.append(one * other)
        telling = [c for c in columns if np.ptp(c) > 0] if len(self.space) else []
        rows: NDArray[np.float64] = np.column_stack([self.matrix, *telling]).astype(np.float64)
        return rows


@functools.lru_cache(maxsize=16)
def encode(space: ConfigSpace) -> Encoding:
    tables = [(knob.name, _codes(knob)) for knob in space.knobs]
    rows = []
    for config in space:
        values = dict(config.values)
        rows.append([x for name, codes in tables for x in codes[values[name]]])
    width = sum(len(next(iter(codes.values()))) for _, codes in tables)
    return Encoding(space, np.array(rows, dtype=np.float32).reshape(len(rows), width))


def _codes(knob: Knob) -> dict[Value, tuple[float, ...]]:
    last = max(1, len(knob.values) - 1)
    numbers = [v for v in knob.values if isinstance(v, int)]
    if len(numbers) < len(knob.values):
        # Half each: two different words are 1 apart.
        return {v: tuple(0.5 * (v == w) for w in knob.values) for v in knob.values}
    low = min(numbers)
    span = math.log2(max(numbers) - low + 1) or 1.0
    return {v: ((math.log2(v - low + 1) / span + i / last) / 2,) for i, v in enumerate(numbers)}


def spread(encoding: Encoding, pool: Sequence[int], taken: Sequence[int], count: int) -> list[int]:
    """`count` of the pool, each as far as can be from those before it and from `taken` (greedy max-min)."""
    candidates = np.array(pool, dtype=np.int64)
    nearest = np.full(len(candidates), np.inf, dtype=np.float32)
    for index in taken:
        nearest = np.minimum(nearest, encoding.distances(index, candidates))
    chosen: list[int] = []
    while len(chosen) < min(count, len(candidates)):
        at = int(np.argmax(nearest))
        chosen.append(int(candidates[at]))
        nearest = np.minimum(nearest, encoding.distances(chosen[-1], candidates))
        nearest[at] = -1.0
    return chosen

"""The cross-evaluation matrix: configs x sizes -> samples. What every choice of a plan is made from.

A row is one config, a column one size of the ranged symbol. All samples are kept; the median counts, and `noise` says
how far apart two medians must be to mean anything. A missing or failed measurement is an empty cell (nan), never zero.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.db.records.records import Status, Trial
from anytile.schedules.plans.plan import default_classes
from anytile.schedules.templates.base.space import Config

Grid = NDArray[np.float64]
MIN_NOISE = 0.01  # two timings closer than this are equal, however quiet the samples claim to be
MAX_NOISE = 0.10


@dataclass(frozen=True, slots=True)
class Row:
    """One config of the matrix: the size of its code with full dispatch, 0 where unknown, and the layouts in which it
    reads constants, as one name: rows of equal names share packed copies."""

    template: str
    config: Config
    tile: int
    code_bytes: float = 0.0
    layouts: str = ""


@dataclass(frozen=True)
class Matrix:
    """Samples of every row at every size; `weights[size]` is how much a size matters (1 unless given)."""

    sizes: tuple[int, ...]
    rows: tuple[Row, ...]
    samples: tuple[tuple[tuple[float, ...], ...], ...]  # [row][size] -> seconds per call, () where missing
    weights: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if tuple(sorted(set(self.sizes))) != self.sizes:
            raise SpecError(f"matrix: sizes {self.sizes} are not strictly increasing")
        if len(self.samples) != len(self.rows) or any(len(s) != len(self.sizes) for s in self.samples):
            raise SpecError(f"matrix: expected samples for {len(self.rows)} rows x {len(self.sizes)} sizes")
        for size, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise SpecError(f"matrix: weight {weight} of size {size} is not a finite number >= 0")

    @classmethod
    def from_trials(
        cls,
        trials: Iterable[Trial],
        symbol: str | None,
        tile: Callable[[str, Config], int],
        weights: Mapping[int, float] | None = None,
    ) -> Matrix:
        """Gather trials into a matrix; rows stand in the order in which their config was first seen.

        Without a ranged symbol there is one column, called 1. A trial's code serves only the residues it was measured
        at; the size of full dispatch is scaled up from there.
        """
        cells: dict[tuple[str, Config], dict[int, list[float]]] = {}
        code: dict[tuple[str, Config], float] = {}
        kinds: dict[tuple[str, Config], str] = {}
        seen: dict[tuple[str, Config], set[int]] = {}
        for trial in trials:
            key = (trial.template, trial.config)
            row = cells.setdefault(key, {})
            kinds[key] = trial.target.kind
            size = 1 if symbol is None else trial.point.get(symbol)
            code[key] = max(code.get(key, 0.0), trial.facts.get("object_bytes", 0.0))
            seen.setdefault(key, set()).add(0 if symbol is None else (size or 0) % tile(*key))
            if trial.status is Status.OK and size is not None:
                row.setdefault(size, []).extend(trial.samples)
        sizes = tuple(sorted({size for row in cells.values() for size in row}))
        rows = tuple(
            Row(t, c, tile(t, c), round(code[t, c] / _share_built(kinds[t, c], tile(t, c), seen[t, c])))
            for t, c in cells
        )
        samples = tuple(tuple(tuple(row.get(size, ())) for size in sizes) for row in cells.values())
        return cls(sizes, rows, samples, dict(weights or {}))

    @cached_property
    def medians(self) -> Grid:
        """Rows x sizes, seconds; nan where nothing was measured."""
        grid = np.full((len(self.rows), len(self.sizes)), np.nan)
        for i, row in enumerate(self.samples):
            for j, cell in enumerate(row):
                if cell:
                    grid[i, j] = statistics.median(cell)
        return grid

    @cached_property
    def best(self) -> Grid:
        """The least median at each size; nan where no row was measured."""
        filled = np.where(np.isnan(self.medians), np.inf, self.medians)
        best = filled.min(axis=0) if len(self.rows) else np.full(len(self.sizes), np.inf)
        return np.where(np.isinf(best), np.nan, best)

    @cached_property
    def noise(self) -> float:
        """The relative difference below which two medians are equal."""
        return noise_band(cell for row in self.samples for cell in row)

    def weight_vector(self) -> Grid:
        """Weights in the order of `sizes`; sizes that nothing was measured at weigh nothing."""
        default = 0.0 if self.weights else 1.0
        weights = np.array([self.weights.get(size, default) for size in self.sizes])
        weights = np.where(np.isnan(self.best), 0.0, weights)
        if weights.sum() <= 0:  # weights that speak of sizes never measured say nothing about these
            weights = np.where(np.isnan(self.best), 0.0, 1.0)
        return weights

    def subset(self, rows: Sequence[int]) -> Matrix:
        return Matrix(self.sizes, tuple(self.rows[i] for i in rows), tuple(self.samples[i] for i in rows), self.weights)


def best_rows(matrix: Matrix, size: int, most: int) -> list[int]:
    """The fastest rows at a measured size, so many at most."""
    column = matrix.medians[:, matrix.sizes.index(size)]
    return [int(i) for i in np.argsort(column, kind="stable")[:most] if not np.isnan(column[i])]


def noise_band(cells: Iterable[Sequence[float]]) -> float:
    """A robust relative spread of medians: the typical |sample - median| over the root of the sample count."""
    spreads = []
    for cell in cells:
        if len(cell) >= 2:
            middle = statistics.median(cell)
            deviation = statistics.median(abs(s - middle) for s in cell)
            spreads.append(1.4826 * deviation / middle / math.sqrt(len(cell)) if middle > 0 else 0.0)
    if not spreads:
        return 2 * MIN_NOISE
    return min(max(2 * statistics.median(spreads), MIN_NOISE), MAX_NOISE)


def nearest_weights(weights: Mapping[int, float], sizes: Sequence[int]) -> dict[int, float]:
    """Weights given for any sizes, moved onto the measured ones: each goes to the nearest in ratio."""
    moved = dict.fromkeys(sizes, 0.0)
    for size, weight in sorted(weights.items()):
        if size > 0 and sizes:
            moved[min(sizes, key=lambda s: (abs(math.log(max(s, 1) / size)), s))] += weight
    return moved


def code_share(tile: int, classes: Sequence[tuple[int, int]]) -> float:
    """Code size relative to full dispatch: unrolled code grows with the rows it computes.

    Each class is a kernel of its own, with a main loop of `tile` rows and a tail of its largest residue; a small
    residue of its own also shares a full tile, see `schedules.residue`. `none` is one kernel of one guarded tile, half
    as much again. Every object takes a tile's worth besides. Six configs, compiled in all forms, were within 30 %.
    """

    def rows(low: int, high: int) -> int:
        return 2 * (tile + high) if low == high and 0 < 2 * high < tile else tile + high

    full = tile + sum(rows(r, r) for r in range(tile))
    taken = sum(rows(lo, hi) for lo, hi in classes) if classes else 1.5 * tile
    return (tile + taken) / full


def kernel_share(tile: int, classes: Sequence[tuple[int, int]]) -> float:
    """The same on a GPU, where every class is one kernel of about the same size."""
    return max(len(classes), 1) / len(default_classes("cuda", tile))


def code_share_of(kind: str) -> Callable[[int, Sequence[tuple[int, int]]], float]:
    return kernel_share if kind == "cuda" else code_share


def _share_built(kind: str, tile: int, residues: Iterable[int]) -> float:
    """The share of full dispatch that a trial's code is, which serves these residues."""
    rests = set(residues)
    met = [(lo, hi) for lo, hi in default_classes(kind, tile) if any(lo <= r <= hi for r in rests)]
    return code_share_of(kind)(tile, met)


__all__ = [
    "MAX_NOISE",
    "MIN_NOISE",
    "Grid",
    "Matrix",
    "Row",
    "best_rows",
    "code_share",
    "code_share_of",
    "nearest_weights",
    "noise_band",
]

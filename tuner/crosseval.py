"""Cross-evaluation: which of the finalists to time at which sizes, and in which order.

The order is anytime: all finalists at a few sizes first, then whole rows, the most promising first. Wherever the time
runs out, what was measured is the part of the matrix most likely to decide; with time enough the matrix is full.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from anytile.db.records import Status, Trial
from anytile.schedules.space import Config
from anytile.tuner.ledger import normalised

Cells = Mapping[tuple[Config, int], float]  # normalised median seconds


@dataclass(frozen=True, slots=True)
class Job:
    """One config to be timed at some sizes."""

    config: Config
    sizes: tuple[int, ...]


def finalists(searched: Iterable[Trial], most: int) -> list[Config]:
    """The fastest searched configs; equal ones in the order of their text, so that ties always break alike."""
    ok = [t for t in searched if t.status is Status.OK]
    ok.sort(key=lambda t: (normalised(t), str(t.config)))
    return list(dict.fromkeys(t.config for t in ok))[:most]


def opening_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """A few sizes that tell most: the smallest, the middle one, and the next to largest, which is much cheaper."""
    ordered = sorted(sizes)
    picks = {0, len(ordered) // 2, max(0, len(ordered) - 2)}
    return tuple(ordered[i] for i in sorted(picks))


def opening(configs: Sequence[Config], sizes: Sequence[int]) -> list[Job]:
    return [Job(config, opening_sizes(sizes)) for config in configs]


def following(configs: Sequence[Config], sizes: Sequence[int], cells: Cells, weights: Mapping[int, float]) -> list[Job]:
    """The rest of every row, in the order of promise: the best on average and the best at each opening size in turn.

    A config that failed at an opening size is out: what is wrong once is never chosen.
    """
    first = opening_sizes(sizes)
    rest = tuple(size for size in sorted(sizes) if size not in first)
    whole = [c for c in configs if all((c, size) in cells for size in first)]
    if not rest or not whole:
        return []
    rankings = [sorted(whole, key=lambda c: (score(c, first, cells, weights), str(c)))]
    rankings += [sorted(whole, key=lambda c, at=size: (cells[c, at], str(c))) for size in first]  # type: ignore[misc]
    merged = dict.fromkeys(c for places in zip_longest(*rankings) for c in places)
    return [Job(config, rest) for config in merged]


def score(config: Config, sizes: Sequence[int], cells: Cells, weights: Mapping[int, float]) -> float:
    """Weighted mean of the log of the seconds: its order is that of the weighted geometric mean."""
    shares = [weights.get(size, 0.0) for size in sizes]
    if sum(shares) <= 0:
        shares = [1.0] * len(sizes)
    total = sum(w * math.log(cells[config, size]) for w, size in zip(shares, sizes, strict=True))
    return total / sum(shares)


def measured(rows: Iterable[Trial], symbol: str) -> dict[tuple[Config, int], float]:
    """The cells that rows fill; of several for one cell the last counts. Failed rows fill none."""
    return {(t.config, t.point[symbol]): normalised(t) for t in rows if t.status is Status.OK}


def spoiled(rows: Iterable[Trial]) -> set[Config]:
    """Configs that failed anywhere: they are out, however fast they are elsewhere.

    `constraint` is no failure of theirs: that size could not be measured here, or was not recorded in a replay.
    """
    return {t.config for t in rows if t.status not in (Status.OK, Status.CONSTRAINT)}

"""Cross-evaluation: which of the finalists to time at which sizes, and in which order.

The order is anytime: all finalists at a few sizes first, then whole rows, the most promising first. Wherever the time
runs out, what was measured is the part of the matrix most likely to decide; with time enough the matrix is full.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from anytile.db.records.records import Status, Trial
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.candidate import Contender, contender_of
from anytile.tuner.settle.disturbance import ranked as by_time

OF_EACH = 4  # finalists that every template has, however slow it was at the searched size
Cells = Mapping[tuple[Contender, int], float]  # normalised median seconds


@dataclass(frozen=True, slots=True)
class Job:
    """A contender to be timed at some sizes."""

    contender: Contender
    sizes: tuple[int, ...]


def finalists(searched: Iterable[Trial], most: int) -> list[Contender]:
    """The fastest searched, and a few of each template: who is slower at the searched size may win at others.

    Equal ones stand in the order of their text, so that ties always break alike.
    """
    ok = [t for t in searched if t.status is Status.OK]
    ranked = list(dict.fromkeys(map(contender_of, by_time(ok))))
    templates = dict.fromkeys(contender.template for contender in ranked)
    each = min(OF_EACH, most // max(1, len(templates)))
    kept = {c for name in templates for c in [c for c in ranked if c.template == name][:each]}
    kept |= set([w for w in ranked if w not in kept][: most - len(kept)])
    return [c for c in ranked if c in kept]


def opening_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """A few sizes that tell most: the smallest, the middle one, and the next to largest, which is much cheaper."""
    ordered = sorted(sizes)
    picks = {0, len(ordered) // 2, max(0, len(ordered) - 2)}
    return tuple(ordered[i] for i in sorted(picks))


def opening(contenders: Sequence[Contender], sizes: Sequence[int]) -> list[Job]:
    return [Job(contender, opening_sizes(sizes)) for contender in contenders]


def following(
    contenders: Sequence[Contender],
    sizes: Sequence[int],
    cells: Cells,
    weights: Mapping[int, float],
    first: Sequence[Contender] = (),
) -> list[Job]:
    """The rest of every row, in the order of promise: the best on average and the best at each opening size in turn.

    Those of `first` come before. What failed at an opening size is out: what is wrong once is never chosen.
    """
    opened = opening_sizes(sizes)
    rest = tuple(size for size in sorted(sizes) if size not in opened)
    whole = [c for c in contenders if all((c, size) in cells for size in opened)]
    if not rest or not whole:
        return []
    rankings = [sorted(whole, key=lambda w: (score(w, opened, cells, weights), str(w)))]
    rankings += [sorted(whole, key=lambda w, at=size: (cells[w, at], str(w))) for size in opened]  # type: ignore[misc]
    merged = dict.fromkeys([w for w in first if w in whole])
    merged |= dict.fromkeys(w for places in zip_longest(*rankings) for w in places)
    return [Job(contender, rest) for contender in merged]


def score(contender: Contender, sizes: Sequence[int], cells: Cells, weights: Mapping[int, float]) -> float:
    """Weighted mean of the log of the seconds: its order is that of the weighted geometric mean."""
    shares = [weights.get(size, 0.0) for size in sizes]
    if sum(shares) <= 0:
        shares = [1.0] * len(sizes)
    total = sum(w * math.log(cells[contender, size]) for w, size in zip(shares, sizes, strict=True))
    return total / sum(shares)


def measured(rows: Iterable[Trial], symbol: str) -> dict[tuple[Contender, int], float]:
    """The cells that rows fill; of several for one cell the last counts. Failed rows fill none."""
    return {(contender_of(t), t.point[symbol]): normalised(t) for t in rows if t.status is Status.OK}


def spoiled(rows: Iterable[Trial]) -> set[Contender]:
    """Those that failed anywhere: they are out, however fast they are elsewhere.

    `constraint` is no failure of theirs: that size could not be measured here, or was not recorded in a replay.
    """
    return {contender_of(t) for t in rows if t.status not in (Status.OK, Status.CONSTRAINT)}

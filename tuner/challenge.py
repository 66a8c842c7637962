"""Challengers: configs that nobody searched for, because the search looks at one size and they are fast at others.

In products whose sides grow together, as attention's, what wins at a few tokens may be hopeless at 64. So after the
finalists met at the opening sizes, the strategy goes on at each of these as a search of its own: what it learns from is
the finalists' times there. A round is small, and the next one follows only where it found something faster.

Invariant: who challenges follows from the seed, the search and the opening times alone, so a resumed campaign and a
replay have the same challengers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from anytile.db.records import Trial
from anytile.tuner.candidate import Way
from anytile.tuner.crosseval import Cells

ROUND = 12  # challengers at one size, of all templates together
ROUNDS = 4  # at one size, at most
WORTH = 0.01  # an improvement at its size that makes another round worth its time
TIME = 1 / 3  # of the time for cross-evaluation that all of them may take

Propose = Callable[[int, str, Sequence[Trial], int], Sequence[Way]]  # size, template, what is known there, how many
Measure = Callable[[Sequence[Way]], bool]  # at all opening sizes; False when the time is up
Known = Callable[[], Mapping[tuple[Way, int], Trial]]  # every row of the opening


@dataclass
class Challenge:
    """Grows `ways` by challengers, size by size."""

    ways: list[Way]
    propose: Propose
    measure: Measure
    known: Known
    rounds: int = ROUNDS
    best: dict[int, float] = field(default_factory=dict)

    def run(self, sizes: Sequence[int], seconds: Callable[[], Cells]) -> None:
        """Rounds at each size in turn, until no size has anything to gain or the time is up."""
        hopeful = list(sizes)
        for _ in range(self.rounds):
            if not hopeful:
                return
            for size in list(hopeful):
                before = self._best(seconds(), size)
                fresh = self._fresh(size)
                if not fresh or not self._met(fresh):
                    hopeful.remove(size)
                    if fresh:
                        return
                    continue
                if not self._best(seconds(), size) < before * (1 - WORTH):
                    hopeful.remove(size)

    def _fresh(self, size: int) -> list[Way]:
        """The next challengers at a size, those of every template in turn."""
        rows = self.known()
        names = list(dict.fromkeys(way.template for way in self.ways))
        each = max(1, ROUND // max(1, len(names)))
        found: dict[Way, None] = {}
        for name in names:
            there = [rows[w, size] for w in self.ways if w.template == name and (w, size) in rows]
            found |= dict.fromkeys(self.propose(size, name, there, each))
        return [way for way in found if way not in self.ways]

    def _met(self, fresh: Sequence[Way]) -> bool:
        self.ways += fresh
        return self.measure(fresh)

    def _best(self, cells: Cells, size: int) -> float:
        return min((seconds for (way, at), seconds in cells.items() if at == size and way in self.ways), default=math.inf)

"""Challengers: configs that nobody searched for, because the search looks at one size and they are fast at others.

In products whose sides grow together, as attention's, what wins at a few tokens may be hopeless at 64. So after the
finalists met at the opening sizes, the strategy goes on at each of these as at a search of its own: what it learns from
is who was how fast there. Rounds are small, and a size has another one only where the last found something faster.

Invariant: who challenges follows from the seed, the finalists and the opening times alone, so a resumed campaign and a
replay have the same challengers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from anytile.db.records.records import Trial
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.candidate import Contender

ROUND = 12  # challengers at one size, those of all templates together
ROUNDS = 4  # at one size, at most
WORTH = 0.01  # an improvement at its size for which another round is worth its time
TIME = 1 / 3  # of the time for cross-evaluation that all of them may take

Opening = Mapping[tuple[Contender, int], Trial]  # who was how fast at which size; the failed, too
Propose = Callable[[str, int, Sequence[Trial], int], Sequence[Contender]]  # template, size, the opening there, how many


def challenged(
    contenders: Sequence[Contender],
    sizes: Sequence[int],
    opening: Callable[[], Opening],
    propose: Propose,
    measure: Callable[[Sequence[Contender]], bool],
    most: int = ROUND * ROUNDS,
) -> list[Contender]:
    """The contenders and all that challenged them, at most so many at each size; nobody challenges nobody.

    `measure` times some at every opening size, and is False out of time.
    """
    if not contenders:
        return []
    everyone, hopeful = list(contenders), list(sizes)
    templates = list(dict.fromkeys(contender.template for contender in contenders))
    left = dict.fromkeys(sizes, most)
    for _ in range(ROUNDS):
        for size in tuple(hopeful):
            there = _at(opening(), everyone, size)
            share = max(1, ROUND // len(templates))
            made = [propose(name, size, _of(there, name), share) for name in templates]
            fresh = [c for c in dict.fromkeys(c for some in made for c in some) if c not in everyone]
            fresh = fresh[: left[size]]
            left[size] -= len(fresh)
            everyone += fresh
            if fresh and not measure(fresh):
                return everyone
            if left[size] <= 0 or _best(_at(opening(), everyone, size)) >= _best(there) * (1 - WORTH):
                hopeful.remove(size)
    return everyone


def _at(opening: Opening, contenders: Sequence[Contender], size: int) -> dict[Contender, Trial]:
    """In the order of the contenders, so that nothing depends on when a row was measured."""
    return {contender: opening[contender, size] for contender in contenders if (contender, size) in opening}


def _of(there: Mapping[Contender, Trial], template: str) -> list[Trial]:
    return [trial for contender, trial in there.items() if contender.template == template]


def _best(there: Mapping[Contender, Trial]) -> float:
    return min(map(normalised, there.values()), default=math.inf)

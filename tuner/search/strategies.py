"""Search strategies: each one function from a SearchState and a count to the configs to measure next.

The same state and count give the same proposals; nothing that the history holds is proposed again; a space that is
used up gives fewer, at last none. `evolve` alone trains a model, and imports XGBoost only when it does.
"""

from __future__ import annotations

import random as _random
from collections.abc import Callable, Iterable

from anytile.schedules.templates.base.space import Config
from anytile.tuner.search.evolve import evolve
from anytile.tuner.search.state import Observation, SearchState

Strategy = Callable[[SearchState, int], list[Config]]


def grid(state: SearchState, count: int) -> list[Config]:
    """The whole space, evenly: every beginning of the walk is a coarse grid, which the rest refines.

    The order is the space's, with the bits of the index reversed; it depends on nothing else.
    """
    bits = max(1, (len(state.space) - 1).bit_length())
    reversed_bits = (int(format(i, f"0{bits}b")[::-1], 2) for i in range(1 << bits))
    return _first_new(state, (i for i in reversed_bits if i < len(state.space)), count)


def random(state: SearchState, count: int) -> list[Config]:
    """Uniformly without repetition: one shuffle of the space, fixed by the seed, whatever the batches are."""
    order = list(range(len(state.space)))
    _random.Random(f"random:{state.seed}").shuffle(order)
    return _first_new(state, order, count)


def _first_new(state: SearchState, order: Iterable[int], count: int) -> list[Config]:
    found: list[Config] = []
    for index in order:
        if len(found) >= count:
            break
        config = state.space[index]
        if config not in state.seen:
            found.append(config)
    return found


STRATEGIES: dict[str, Strategy] = {"evolve": evolve, "random": random, "grid": grid}

__all__ = ["STRATEGIES", "Observation", "SearchState", "Strategy", "evolve", "grid", "random"]

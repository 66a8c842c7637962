"""`random`: random search without repetition: one shuffle of the space, fixed by the seed, whatever the batches are."""

from __future__ import annotations

import random

from anytile.schedules.templates.base.space import Config
from anytile.tuner.search.state import SearchState


def propose(state: SearchState, count: int) -> list[Config]:
    order = list(range(len(state.space)))
    random.Random(f"random:{state.seed}").shuffle(order)
    return state.first_untried(order, count)

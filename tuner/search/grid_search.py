"""`grid`: grid search, evenly: every beginning of the walk is a coarse grid of the space, which the rest refines.

The order is the space's, with the bits of the index reversed; it depends on nothing else.
"""

from __future__ import annotations

from anytile.schedules.templates.base.space import Config
from anytile.tuner.search.state import SearchState


def propose(state: SearchState, count: int) -> list[Config]:
    bits = max(1, (len(state.space) - 1).bit_length())
    reversed_bits = (int(format(i, f"0{bits}b")[::-1], 2) for i in range(1 << bits))
    return state.first_untried((i for i in reversed_bits if i < len(state.space)), count)

"""Search strategies: the table of them, by name.

A strategy is one module of this room with one function: `propose(state, count)` gives the configs to measure next, from
a SearchState alone. The same state and count give the same proposals; nothing that the history holds is proposed again;
a space that is used up gives fewer, at last none. A strategy's module, and all that it imports, is loaded when it is
first asked.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anytile.schedules.templates.base.space import Config
    from anytile.tuner.search.state import SearchState


@dataclass(frozen=True, slots=True)
class Strategy:
    """`module` has its `propose`. One that `learns` has a cost model: it is told what older campaigns and related
    workloads measured, says what it expects of its next batch, and is asked for challengers at other sizes."""

    module: str
    learns: bool = False

    def __call__(self, state: SearchState, count: int) -> list[Config]:
        found: list[Config] = importlib.import_module(self.module).propose(state, count)
        return found


STRATEGIES: Mapping[str, Strategy] = {
    "grid": Strategy("anytile.tuner.search.grid_search"),
    "random": Strategy("anytile.tuner.search.random_search"),
    "evolve": Strategy("anytile.tuner.search.evolve", learns=True),
}

"""Least sizes: a nest for symbols from some size on, which proofs may rely on, and a plain one for all that is smaller.

What is checked at a border falls away where an image is known to be larger than its borders. The few sizes that are not
must still be right, so each such nest has another beside it that relies on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anytile.schedules.index.expr import var
from anytile.schedules.nest.nodes import Guard, LoopNest
from anytile.schedules.nest.simplify import simplify

Least = Mapping[str, int]  # the least value of each symbol


def having_least(nest: LoopNest, least: Least) -> LoopNest:
    """The nest of symbols that are no smaller than that."""
    return replace(nest, symbols=tuple(replace(s, low=max(s.low, least.get(s.name, s.low))) for s in nest.symbols))


def beside_small(large: LoopNest, least: Least, small: LoopNest) -> LoopNest:
    """The nest for any symbols: `large` where all are no smaller than `least`, else `small`."""
    condition = tuple(var(name) - low for name, low in least.items())
    return small.with_body(Guard(condition, simplify(having_least(large, least)).body, small.body))

"""Least sizes: a nest for symbols from some size on, which proofs may rely on, and another for all that is smaller.

What is checked at a border falls away where an image is known to be larger than its borders, and what is narrower than
a vector takes another one. All sizes must be right, so each such nest has another beside it for those of no use to it.
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


def having_most(nest: LoopNest, most: Mapping[str, int]) -> LoopNest:
    """The nest of symbols that are no larger than that."""
    highs = {s.name: most.get(s.name, s.high) for s in nest.symbols}
    return replace(nest, symbols=tuple(replace(s, high=highs[s.name]) for s in nest.symbols))


def beside_small(large: LoopNest, least: Least, small: LoopNest) -> LoopNest:
    """The nest for any symbols: `large` where all are no smaller than `least`, else `small`."""
    condition = tuple(var(name) - low for name, low in least.items())
    symbols = tuple(replace(s, high=other.high) for s, other in zip(small.symbols, large.symbols, strict=True))
    body = Guard(condition, simplify(having_least(large, least)).body, simplify(small).body)
    return replace(small, symbols=symbols, body=body)

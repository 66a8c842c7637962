"""Tensors of any rank: dimensions d0, d1, ..., as many as the attribute `rank` says."""

from __future__ import annotations

from anytile.core.errors import SpecError
from anytile.schedules.operators.attribute import Attribute, Attributes

MOST_DIMS = 8
RANK = Attribute("rank", "int", 2, "how many dimensions: d0, d1, ...", least=1)


def axes(attributes: Attributes) -> tuple[str, ...]:
    """d0, d1, ... as many as the attribute `rank` says."""
    rank = int(attributes["rank"])
    if rank > MOST_DIMS:
        raise SpecError(f"rank={rank}: expected at most {MOST_DIMS}")
    return tuple(f"d{i}" for i in range(rank))

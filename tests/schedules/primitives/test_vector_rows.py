"""What small nests are made of: sums that lose nothing."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.index.expr import const
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import Buffer, LoopNest
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.vector_rows import exactly_added


@pytest.mark.parametrize(("old", "added"), [(1.0, 2.0**-30), (2.0**-30, 1.0), (-3.0, 2.0**25 + 4), (0.1, -0.3)])
def test_what_an_addition_rounds_away_is_kept(old: float, added: float) -> None:
    """Whichever of the two is the larger: together the total and what was lost are the exact sum."""
    names = ("total", "low", "more", "sum")
    nest = LoopNest(
        "add", tuple(Buffer(n, (const(1),), output=True) for n in names), (), exactly_added(*names, (const(0),))
    )
    verify(nest)
    held = {n: np.zeros(1, np.float32) for n in names}
    held["total"][0], held["more"][0] = old, added
    exact = float(held["total"][0]) + float(held["more"][0])
    interpret(nest, held, {})
    assert held["total"][0] == np.float32(exact)
    assert float(held["total"][0]) + float(held["low"][0]) == exact

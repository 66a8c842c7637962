"""From how much work on a loop is worth threads: one scale for all templates, and the knob that goes with it.

Work is time, counted in `UNIT`s of 10 ps: what a fast core needs for one multiplication or addition of a matrix
product, or to move a byte within its nearest caches. Where a core is slower, or data come from farther away, the same
work takes longer, and the second thread comes later than it might, never too early.

A thread that waits for work costs a loop 1.2 us, to start it and to wait for its end; one that sleeps 20 us, in which
the caller could have done as much alone. So each thread gets 5 us of work, twice that where it only moves data that
another core may have written, or what `WAKING` says where they sleep.
"""

from __future__ import annotations

from collections.abc import Iterable

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ExprLike, expr
from anytile.schedules.templates.base.space import Config, Constraint, Knob, Value

UNIT = 1e-11  # seconds
WAKING = 1 << 21  # for each thread, where they sleep: 21 us
GRAINS = (1 << 19, 1 << 18, 1 << 21)  # of which the first is the default: 5, 3 and 21 us
ADDITION = 2  # of vectors in the nearest cache, for each element
_DOC = "work for each thread in units of 10 ps, below which fewer threads run"


def grain_knob(target: Target, *others: Value) -> tuple[Knob, ...]:
    """The knob, where there are several threads; `others` are values that mean something else to its template."""
    return (Knob("grain", (*GRAINS, *others), _DOC),) if target.threads > 1 else ()


def grain_rule() -> Constraint:
    """Of templates whose knob `parallel` says what threads share."""
    return Constraint(
        "grain",
        "only what threads share has a grain",
        lambda c: c.get("parallel", "none") != "none" or c.get("grain", GRAINS[0]) == GRAINS[0],
    )


def least_of(config: Config) -> int:
    """The work that a thread gets at least, 0 where the config has no threads."""
    return int(dict(config.values).get("grain", 0))


def moved(total: ExprLike, dtypes: Iterable[str]) -> Expr:
    """The work of so many elements moved from or to tensors of each of these dtypes."""
    return expr(total) * sum(BYTES[d] for d in dtypes)


def computed(total: ExprLike, additions: int, dtypes: Iterable[str] = ()) -> Expr:
    """The work of so many elements that each take about so many additions, and read or write those dtypes."""
    return expr(total) * max(additions * ADDITION, sum(BYTES[d] for d in dtypes))

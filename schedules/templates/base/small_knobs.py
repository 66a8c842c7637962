"""The knobs that templates of small operators have in common: what runs side by side, and what threads share."""

from __future__ import annotations

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Grain
from anytile.schedules.primitives.vector_rows import ALONE, Share
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, least_of
from anytile.schedules.templates.base.plain import Choice
from anytile.schedules.templates.base.space import Config, Knob, Value

ALONE_ALWAYS = 0  # a value of the grain knob
_DOCS = {"vectors": "vectors in one round of the innermost loop", "rows": "rows that run side by side"}


def choices(target: Target, **knobs: tuple[Value, tuple[Value, ...]]) -> tuple[Choice, ...]:
    """The default and the values of each of `vectors` and `rows`, and the knob of threads where there are several."""
    made = tuple(Choice(Knob(name, values, _DOCS[name]), default) for name, (default, values) in knobs.items())
    return made + tuple(Choice(knob, GRAINS[0]) for knob in grain_knob(target, ALONE_ALWAYS))


def share(config: Config, work: Expr) -> Share:
    """How the outermost loop is shared; a config of a target with one thread has no knob for it."""
    least = least_of(config)
    return ALONE if least == ALONE_ALWAYS else Share(Grain(work, least))

"""Random configs: any of a template's space, which need not be listed for that."""

from __future__ import annotations

import random
from math import prod

from anytile.schedules.templates.base.space import Config, ConfigSpace

TRIES, CONFIGS = 300, 6


def any_config(rng: random.Random, space: ConfigSpace, small: float = 0.9) -> Config | None:
    """Any of a space: most have a million choices, of which many hold. Mostly, or as `small` says, it is of some the
    one with the smallest numbers: of large tiles most would be padding, and take long."""
    found: list[Config] = []
    for _ in range(TRIES):
        choice = {knob.name: rng.choice(knob.values) for knob in space.knobs}
        if all(rule.holds(choice) for rule in space.constraints):
            found.append(Config.of(**choice))
        if len(found) == CONFIGS:
            break
    found = found or space.sample(rng, CONFIGS)
    if rng.random() > small:
        return next(iter(found), None)
    return min(found, key=lambda c: prod(v for _, v in c.values if isinstance(v, int) and v > 0), default=None)

"""The state of a search, as a strategy sees it: the space, what was measured so far, and what is known from elsewhere.

A strategy is a function of this state alone, so the same campaign can be replayed: all randomness comes from `seed`
and the length of the history.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config, ConfigSpace


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured config. Times are compared within one `group` only: a workload at a point, an older campaign."""

    config: Config
    seconds: float  # inf when it failed
    status: Status = Status.OK
    facts: Mapping[str, float] = field(default_factory=dict)
    group: str = ""

    @property
    def ok(self) -> bool:
        return self.status is Status.OK and math.isfinite(self.seconds) and self.seconds > 0


def no_facts(configs: Sequence[Config]) -> Sequence[Mapping[str, float] | None]:
    """For searches that build nothing before they choose."""
    return [{}] * len(configs)


def no_features(config: Config) -> Sequence[float]:
    """For spaces of which only the knobs are known."""
    return ()


@dataclass(frozen=True)
class SearchState:
    """`history` in the order of measuring; `warm` from related workloads or older campaigns; `seeds` are tried first.

    `features` may be slow (milliseconds): a strategy asks for those of promising configs only. `facts` builds (tens of
    milliseconds each, in parallel): what is known of the code alone, so the same each time; None where none comes out.
    """

    space: ConfigSpace
    history: tuple[Observation, ...] = ()
    seed: int = 0
    features: Callable[[Config], Sequence[float]] = no_features
    facts: Callable[[Sequence[Config]], Sequence[Mapping[str, float] | None]] = no_facts
    warm: tuple[Observation, ...] = ()
    seeds: tuple[Config, ...] = ()
    sizes: tuple[int, ...] = ()  # the workload's dimensions at the representative point: how knobs divide them
    pending: frozenset[Config] = frozenset()  # what others measure just now: its times are not known yet
    aside: frozenset[Config] = frozenset()  # what others are to propose

    @cached_property
    def tried(self) -> frozenset[Config]:
        """What is measured or about to be."""
        return self.pending.union(o.config for o in self.history)

    @cached_property
    def seen(self) -> frozenset[Config]:
        """What is not to be proposed."""
        return self.tried | self.aside

    @cached_property
    def measured(self) -> tuple[Observation, ...]:
        """The history that succeeded, fastest first; equal times in the order of measuring."""
        return tuple(sorted((o for o in self.history if o.ok), key=lambda o: o.seconds))

    @property
    def left(self) -> int:
        """How many configs of the space may be proposed yet."""
        return len(self.space) - sum(config in self.space for config in self.seen)

    def first_untried(self, order: Iterable[int], count: int) -> list[Config]:
        """The first so many of the space's configs, in an order of their places, that may be proposed yet."""
        fresh = (config for config in map(self.space.__getitem__, order) if config not in self.seen)
        return list(itertools.islice(fresh, count))

    def rng(self, salt: str) -> random.Random:
        """Fresh randomness for one purpose at this point of the campaign."""
        others = f":{len(self.pending)}" if self.pending else ""
        return random.Random(f"{salt}:{self.seed}:{len(self.history)}{others}")

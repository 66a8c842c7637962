"""A search task: one template for one workload. What it knows, what it proposes next, how well it stands.

What a strategy proposes follows from the seed, the history and what others taught alone, so the same rows always give
the same proposals. `search_phase` decides which search goes on, and measures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from anytile.db.lookup.distance import workload_distance
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.ledger.measurer import SCAN
from anytile.tuner.protocol.candidate import Candidate, Facts, Point
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.search.evolve import assess
from anytile.tuner.search.features import features_of
from anytile.tuner.search.model import Quality
from anytile.tuner.search.promise import promise
from anytile.tuner.search.state import Observation, SearchState
from anytile.tuner.search.strategies import STRATEGIES, Strategy
from anytile.tuner.tasks.task_scheduler import TaskState, curve_of
from anytile.tuner.tasks.warm_start import MOST, adopted, observed, telling

MIN_IMPROVEMENT = 0.005  # less than that is not worth another batch
RELATED = 4  # configs taken over from each related search, to be tried first

Part = tuple[int, int]  # which one, of how many
WHOLE: Part = (0, 1)
History = Mapping[Workload, Sequence[Trial]]  # search trials so far
Inspect = Callable[[Sequence[Candidate]], Sequence[Facts]]  # builds candidates: what is known of their code


@dataclass(frozen=True)
class SearchTask:
    """One search, at one point. `older` is what earlier campaigns found out, by group, the nearest first."""

    workload: Workload
    template: Template
    target: Target
    point: Point
    strategy: Strategy
    seed: int
    inspect: Inspect
    older: tuple[tuple[Observation, ...], ...] = ()
    foretold: tuple[Config, ...] = ()  # what a cost model of other workloads would have it try first
    _promises: dict[int, float | None] = field(default_factory=dict, repr=False)
    _aside: dict[Part, frozenset[Config]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        request: TuneRequest,
        workload: Workload,
        template: Template,
        point: Point,
        inspect: Inspect,
        older: tuple[tuple[Observation, ...], ...] = (),
        foretold: tuple[Config, ...] = (),
    ) -> SearchTask:
        """As a request wants one of its workloads to be searched."""
        strategy = STRATEGIES[request.strategy]
        return cls(workload, template, request.target, point, strategy, request.seed, inspect, older, foretold)

    @cached_property
    def space(self) -> ConfigSpace:
        return self.template.space(self.workload, self.target)

    @cached_property
    def default(self) -> Config:
        return self.template.default(self.workload, self.target)

    @cached_property
    def features(self) -> Callable[[Config], Sequence[float]]:
        return features_of(self.template, self.workload, self.target, dict(self.point))

    def facts(self, configs: Sequence[Config]) -> Sequence[Facts]:
        """Of the code that would be measured: the same point, so that it need not be built again."""
        return self.inspect(self.candidates(configs))

    def mine(self, searched: History) -> list[Trial]:
        return [t for t in searched.get(self.workload, ()) if t.template == self.template.name]

    def related(self, searched: History) -> list[list[Observation]]:
        """What this campaign's other workloads of the kind taught so far, the nearest first; then older campaigns."""
        far = {w: workload_distance(w, self.workload) for w in searched if w != self.workload}
        others = sorted((w for w in far if far[w] != float("inf")), key=lambda w: (far[w], str(w)))
        groups = [[observed(t, str(w)) for t in searched[w] if t.template == self.template.name] for w in others]
        found = [adopted(group, self.space, self.default) for group in [*groups, *self.older]]
        return [group for group in found if group]

    def state(
        self, searched: History, pending: frozenset[Config] = frozenset(), aside: frozenset[Config] = frozenset()
    ) -> SearchState:
        related = self.related(searched)
        seeds = [self.default, *self.foretold]
        for group in related:
            seeds += [o.config for o in sorted((o for o in group if o.ok), key=lambda o: o.seconds)[:RELATED]]
        # The state's end counts most where it holds more than a strategy can take.
        warm = [o for group in related for o in telling(group)][:MOST][::-1]
        return SearchState(
            space=self.space,
            history=tuple(observed(t, str(self.workload)) for t in self.mine(searched)),
            pending=pending,
            aside=aside,
            seed=self.seed,
            features=self.features,
            facts=self.facts,
            warm=tuple(warm),
            seeds=tuple(dict.fromkeys(c for c in seeds if c in self.space)),
            sizes=tuple(self.workload.sizes(dict(self.point)).values()),
        )

    def propose(
        self, searched: History, count: int, pending: frozenset[Config] = frozenset(), part: Part = WHOLE
    ) -> list[Config]:
        """Nothing that is `pending`, which others measure just now; out of a part of the space, as long as that has
        enough. Who think at the same time know the same, so all would propose, and build to look at it, what one gets.
        """
        if part not in self._aside:
            self._aside[part] = self._beside(part)
        aside = self._aside[part]
        known = pending.union(t.config for t in self.mine(searched))
        own = len(self.space) - len(known | aside)
        return self.strategy(self.state(searched, pending, aside if own >= count else frozenset()), count)

    def _beside(self, part: Part) -> frozenset[Config]:
        """The others' parts, of configs strewn over the space."""
        place, count = part
        return frozenset(c for c in self.space if _lot(c) % count != place) if count > 1 else frozenset()

    def assess(self, searched: History) -> Quality:
        """How good the model is that makes the proposals."""
        return assess(self.state(searched))

    def standing(self, searched: History, group: int, weight: float, left: int, hopeful: bool) -> TaskState:
        """What the scheduler is told; `hopeful` also asks the model, which takes a moment."""
        curve = curve_of([normalised(t) for t in self.mine(searched)])
        promised = None
        if hopeful and left and self.strategy.learns:
            if len(curve) not in self._promises:
                self._promises[len(curve)] = promise(self.state(searched))
            promised = self._promises[len(curve)]
        return TaskState(group, weight, curve, left, promised, _cost(self.mine(searched)))

    def candidates(self, configs: Sequence[Config]) -> list[Candidate]:
        return [Candidate(self.workload, self.target, self.template.name, c, (self.point,)) for c in configs]


def _lot(config: Config) -> int:
    """A number that every process draws alike, and in which neighbours are as far apart as any two."""
    return int.from_bytes(hashlib.blake2b(str(config).encode(), digest_size=8).digest(), "big")


def _cost(trials: Sequence[Trial]) -> float:
    """Seconds that a trial takes on average, from what is stored of each: a replay must come to the same."""
    if not trials:
        return 1.0
    least = SCAN.min_repeat_ms / 1e3
    timed = [SCAN.repeats * max(least, t.seconds) for t in trials if t.status is Status.OK]
    return (sum(timed) + sum(t.build_seconds for t in trials)) / len(trials) + least


def stalled(history: Sequence[Trial], patience: int | None) -> bool:
    """Whether the last `patience` trials improved on those before them by nothing that matters."""
    if patience is None or len(history) <= patience:
        return False
    before = min(map(normalised, history[:-patience]))
    latest = min(map(normalised, history[-patience:]))
    return before < float("inf") and latest > before * (1 - MIN_IMPROVEMENT)


def fastest(history: Sequence[Trial]) -> float | None:
    return min((t.seconds for t in history if t.status is Status.OK), default=None)

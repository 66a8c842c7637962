"""The search phase: the strategy proposes a batch, the runner times it, until time, trials or ideas run out.

What a strategy proposes follows from the seed and the history alone, and where the current batch began is stored
before it is measured. A resumed search therefore makes the same proposals again and goes on with what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anytile.db.records import Status, Trial
from anytile.schedules.space import Config, ConfigSpace
from anytile.schedules.workload import Workload
from anytile.tuner.budget import Deadline
from anytile.tuner.candidate import Candidate, Point
from anytile.tuner.events import ModelTrained
from anytile.tuner.ledger import normalised
from anytile.tuner.search.evolve import assess
from anytile.tuner.search.features import NestFeatures
from anytile.tuner.search.strategies import STRATEGIES, Observation, SearchState
from anytile.tuner.sitting import SCAN, Sitting

MIN_IMPROVEMENT = 0.005  # less than that is not worth another batch
ASSESS_EVERY = 4  # batches; judging the model takes longer than asking it
FEWEST = 32  # configs to have tried before time alone ends a search
RELATED = 4  # configs taken over from a related workload, to be tried first


@dataclass(frozen=True)
class Exploration:
    """One workload's search."""

    sitting: Sitting
    workload: Workload

    @cached_property
    def space(self) -> ConfigSpace:
        return self.sitting.request.template_for(self.workload).space(self.workload, self.sitting.request.target)

    @cached_property
    def point(self) -> Point:
        return self.sitting.request.representative_point(self.workload)

    @cached_property
    def features(self) -> Callable[[Config], Sequence[float]]:
        request = self.sitting.request
        return NestFeatures(request.template_for(self.workload), self.workload, request.target, dict(self.point))

    def facts(self, configs: Sequence[Config]) -> list[Mapping[str, float] | None]:
        """Of the code that would be measured: the same point, so that it need not be built again."""
        return self.sitting.runner.inspect(self._candidates(configs), SCAN)

    @cached_property
    def related(self) -> tuple[tuple[Observation, ...], ...]:
        """What was found for the workloads before this one, if they are of its kind, one by one."""
        request, found = self.sitting.request, []
        for other in request.workloads[: request.workloads.index(self.workload)]:
            if other.op == self.workload.op and request.template_for(other) is request.template_for(self.workload):
                found.append(tuple(observed(t, str(other)) for t in self.sitting.ledger.of(other, "search")))
        return tuple(found)

    def state(self, history: Sequence[Trial]) -> SearchState:
        request = self.sitting.request
        fastest = [sorted((o for o in other if o.ok), key=lambda o: o.seconds)[:RELATED] for other in self.related]
        seeds = [request.template_for(self.workload).default(self.workload, request.target)]
        seeds += [o.config for other in reversed(fastest) for o in other]
        return SearchState(
            space=self.space,
            history=tuple(observed(t, str(self.workload)) for t in history),
            seed=request.seed,
            features=self.features,
            facts=self.facts,
            warm=tuple(o for other in self.related for o in other),
            seeds=tuple(dict.fromkeys(c for c in seeds if c in self.space)),
            sizes=tuple(self.workload.sizes(dict(self.point)).values()),
        )

    def run(self, deadline: Deadline) -> None:
        request, ledger = self.sitting.request, self.sitting.ledger
        propose = STRATEGIES[request.strategy]
        allowed = request.trials_for(self.workload)
        limit = len(self.space) if allowed is None else min(allowed, len(self.space))
        self.sitting.begin(self.workload, "search", limit, deadline, len(self.space))
        start = ledger.batch_start(self.workload)
        while start < limit:
            time = deadline.extended() if start < FEWEST else deadline
            if time.passed():
                break
            history = ledger.of(self.workload, "search")[:start]
            if stalled(history, request.early_stop):
                break
            state = self.state(history)
            configs = propose(state, min(request.batch, limit - start))
            if not configs:
                break
            self._assess(state)
            ledger.open_batch(self.workload, start, self.sitting.budget.spent)
            best = min((t.seconds for t in history if t.status is Status.OK), default=None)
            if not self.sitting.measure("search", self._candidates(configs), replace(SCAN, best_seconds=best), time):
                break
            start += len(configs)

    def _candidates(self, configs: Sequence[Config]) -> list[Candidate]:
        return [self.sitting.candidate(self.workload, config, (self.point,)) for config in configs]

    def _assess(self, state: SearchState) -> None:
        """Say now and then how good the model is that makes the proposals."""
        seen = len(state.history)
        if self.sitting.request.strategy != "evolve" or seen % (ASSESS_EVERY * self.sitting.request.batch) or not seen:
            return
        quality = assess(state)
        self.sitting.tell(ModelTrained(self.workload, quality.trained_on, quality.rank_correlation))


def stalled(history: Sequence[Trial], patience: int | None) -> bool:
    """Whether the last `patience` trials improved on those before them by nothing that matters."""
    if patience is None or len(history) <= patience:
        return False
    before = min(map(normalised, history[:-patience]))
    latest = min(map(normalised, history[-patience:]))
    return before < float("inf") and latest > before * (1 - MIN_IMPROVEMENT)


def observed(trial: Trial, group: str = "") -> Observation:
    return Observation(trial.config, normalised(trial), trial.status, trial.facts, group)

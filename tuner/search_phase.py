"""The search phase of a campaign, in rounds: a search is chosen, proposes a batch, the runner times it. Again, until
time, trials or ideas run out.

Searches of all workloads and of all templates that serve them take turns; `task_scheduler` says whose turn it is. Both
the choice and the proposals follow from the rows before the batch, and how many those are is stored before it is
measured. A resumed campaign therefore makes the same choices and proposals again and goes on with what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anytile.db.records.records import Trial
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.budget import Deadline
from anytile.tuner.search.state import Observation
from anytile.tuner.tasks import warm_start
from anytile.tuner.tasks.context import SCAN, Sitting
from anytile.tuner.tasks.search_task import Exploration, History, fastest, stalled
from anytile.tuner.tasks.task_scheduler import FEW, LEAST, TaskState, next_task


@dataclass
class Rounds:
    """All searches of a campaign; `older` holds the trials of the warm start."""

    sitting: Sitting
    older: Mapping[warm_start.Source, Sequence[Trial]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        request = self.sitting.request
        made = [
            Exploration(self.sitting, w, template, self._taught(w, template.name))
            for w in request.workloads
            for template in request.templates(w)
        ]
        self.searches = [search for search in made if len(search.space)]  # a template without a config serves nothing
        self._begun: set[Workload] = set()
        self._exhausted: set[int] = set()

    def _taught(self, workload: Workload, template: str) -> tuple[tuple[Observation, ...], ...]:
        target = self.sitting.request.target
        near = {s: warm_start.farness(s, workload, target) for s in self.older if s.template == template}
        taught = sorted((s for s in near if math.isfinite(near[s])), key=lambda s: near[s])
        return tuple(tuple(warm_start.observed(t, f"{s.campaign} {s.workload}") for t in self.older[s]) for s in taught)

    def run(self, deadline: Deadline) -> None:
        request, ledger = self.sitting.request, self.sitting.ledger
        start = ledger.opened
        while True:
            searched = ledger.searched(start)
            states = self._states(searched)
            turn = next_task(states)
            if turn is None:
                break
            search, state = self.searches[turn], states[turn]
            time = deadline.extended() if self._hungry(searched) else deadline
            if time.passed():
                break
            # Where several compete, a first impression of each comes before a whole batch of any.
            few = FEW if request.trials is None else min(FEW, max(1, request.trials // len(self.searches)))
            most = max(1, few - state.trials) if len(self.searches) > 1 and state.trials < FEW else request.batch
            self._begin(search, deadline)
            configs = search.propose(searched, min(most, state.left))
            if not configs:
                self._exhausted.add(turn)
                continue
            ledger.open_batch(start, self.sitting.budget.spent)
            policy = replace(SCAN, best_seconds=fastest(searched.get(search.workload, ())))
            if not self.sitting.measure("search", search.candidates(configs), policy, time):
                break
            start = len(ledger.rows)

    def _states(self, searched: History) -> list[TaskState]:
        request = self.sitting.request
        left = math.inf if request.trials is None else request.trials - sum(map(len, searched.values()))
        # Who is alone has nobody to be compared with.
        hopeful = len(self.searches) > 1
        states = []
        for place, search in enumerate(self.searches):
            history = searched.get(search.workload, ())
            free = len(search.space) - len({t.config for t in search.mine(searched)})
            over = place in self._exhausted or stalled(history, request.early_stop)
            group = request.workloads.index(search.workload)
            weight = request.count_of(search.workload)
            states.append(search.standing(searched, group, weight, 0 if over else int(min(left, free)), hopeful))
        return states

    def _hungry(self, searched: History) -> bool:
        """Whether a workload has too few trials for time alone to end the search."""
        return any(len(searched.get(s.workload, ())) < min(LEAST, len(s.space)) for s in self.searches)

    def _begin(self, search: Exploration, deadline: Deadline) -> None:
        self.sitting.check()
        workload, trials = search.workload, self.sitting.request.trials
        if workload not in self._begun:
            self._begun.add(workload)
            size = sum(len(s.space) for s in self.searches if s.workload == workload)
            self.sitting.begin(workload, "search", size if trials is None else min(trials, size), deadline, size)

"""The search phase of a campaign, in rounds: a search is chosen, proposes a batch, the runner times it. Again, until
time, trials or ideas run out.

Where several processes work on a campaign, each takes a batch that no other has, and learns from what all measured. It
keeps away from what others have in hand, and from what they are to think of: each proposes out of a part of the space.

Searches of all workloads and of all templates that serve them take turns; `task_scheduler` says whose turn it is. Both
the choice and the proposals follow from the rows before the batch, and how many those are is stored before it is
measured. A resumed campaign therefore makes the same choices and proposals again and goes on with what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from anytile.schedules.plans.plan import CONFIG
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.budget import Deadline
from anytile.tuner.ledger.events import Listener, ModelTrained
from anytile.tuner.ledger.ledger import Ledger
from anytile.tuner.ledger.measurer import SCAN, Measurer
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.tasks.search_task import History, SearchTask, fastest, stalled
from anytile.tuner.tasks.task_scheduler import FEW, LEAST, TaskState, next_task

ASSESS_EVERY = 4  # batches; judging a model takes longer than asking it
MOST_REFUSED = 3  # batches of which others had all; then somebody has what cannot be read here


@dataclass
class SearchPhase:
    """All searches of a campaign, taking turns."""

    request: TuneRequest
    searches: Sequence[SearchTask]
    ledger: Ledger
    measurer: Measurer
    tell: Listener
    _begun: set[Workload] = field(default_factory=set)
    _exhausted: set[int] = field(default_factory=set)
    _reached: int | None = None  # how many rows there were after the last batch

    def run(self, deadline: Deadline) -> None:
        """Until this process can do no more of it. May be called again, when others left something to be done."""
        request, ledger, thinking = self.request, self.ledger, self.measurer.runner.thinking
        start = ledger.opened if self._reached is None else self._reached
        self._exhausted.clear()
        refused = 0
        while True:
            searched = ledger.searched(start)
            with thinking():
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
            with thinking():
                part = ledger.membership.place()
                configs = search.propose(searched, min(most, state.left), self._pending(search), part)
                if configs:
                    self._assess(search, searched)
            if not configs or refused == MOST_REFUSED:
                self._exhausted.add(turn)
                refused = 0
                continue
            taken = self.measurer.take("search", search.candidates(configs), request.trials)
            if taken is None:
                break
            if taken:
                ledger.open_batch(start, deadline.budget.spent)
            policy = replace(SCAN, best_seconds=fastest(searched.get(search.workload, ())))
            if not self.measurer.measure_taken("search", taken, policy, time):
                break
            self.measurer.catch_up()
            refused = refused + 1 if start == len(ledger.rows) else 0
            start = self._reached = len(ledger.rows)

    def _states(self, searched: History) -> list[TaskState]:
        request = self.request
        mine = [{t.config for t in search.mine(searched)} for search in self.searches]
        theirs = [self._pending(search) - known for search, known in zip(self.searches, mine, strict=True)]
        done = sum(map(len, searched.values())) + sum(map(len, theirs))
        left = math.inf if request.trials is None else request.trials - done
        # Who is alone has nobody to be compared with.
        hopeful = len(self.searches) > 1
        states = []
        for place, search in enumerate(self.searches):
            history = searched.get(search.workload, ())
            free = len(search.space) - len(mine[place]) - len(theirs[place])
            over = place in self._exhausted or stalled(history, request.early_stop)
            group = request.workloads.index(search.workload)
            weight = request.count_of(search.workload)
            states.append(search.standing(searched, group, weight, 0 if over else int(min(left, free)), hopeful))
        return states

    def _pending(self, search: SearchTask) -> frozenset[Config]:
        """What others have in hand of it."""
        texts = self.ledger.membership.pending(str(search.workload), search.template.name)
        return frozenset(map(CONFIG.load, texts))

    def _hungry(self, searched: History) -> bool:
        """Whether a workload has too few trials for time alone to end the search."""
        return any(len(searched.get(s.workload, ())) < min(LEAST, len(s.space)) for s in self.searches)

    def _begin(self, search: SearchTask, deadline: Deadline) -> None:
        self.measurer.check()
        workload, trials = search.workload, self.request.trials
        if workload not in self._begun:
            self._begun.add(workload)
            size = sum(len(s.space) for s in self.searches if s.workload == workload)
            self.measurer.begin(workload, "search", size if trials is None else min(trials, size), deadline, size)

    def _assess(self, search: SearchTask, searched: History) -> None:
        """Say now and then how good the model is that makes the proposals."""
        seen, batch = len(search.mine(searched)), self.request.batch
        often = ASSESS_EVERY * batch
        if search.strategy.learns and seen >= often and seen % often < batch:
            quality = search.assess(searched)
            self.tell(ModelTrained(search.workload, quality.trained_on, quality.rank_correlation))

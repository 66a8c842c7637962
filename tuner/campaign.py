"""Campaigns: workloads tuned under one budget, every trial durable, resumable at any moment.

First all of them are searched, in rounds; then, for each: cross-evaluation, duels, dense profile, plan. What ends a
campaign early (a signal, a runner that cannot go on, a kill) leaves it resumable; a resumed one proposes and measures
what an uninterrupted one would have.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from textwrap import shorten

from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, DatabaseError, SpecError
from anytile.db.record_keeper import Keeping
from anytile.db.records.records import Campaign, Selection, Trial, Versions, new_id
from anytile.dispatch.service import versions_here
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.ledger.budget import CONCRETE_SHARES, SHARES, Budget, Deadline, parts
from anytile.tuner.ledger.events import CampaignEnded, CampaignStarted, Event, Listener, PlanChosen, ignore
from anytile.tuner.ledger.interrupts import Stop, stopping
from anytile.tuner.ledger.ledger import Ledger
from anytile.tuner.protocol.candidate import Runner
from anytile.tuner.requests.request import CampaignResult, TuneRequest
from anytile.tuner.search_phase import Rounds
from anytile.tuner.settle.plan_phases import Settling, summary
from anytile.tuner.tasks.context import Sitting, Stopped
from anytile.tuner.tasks.warm_start import Source, find, load

Clock = Callable[[], float]
_LONGEST_REASON = 200  # characters
SEARCH, PLAN = "search", "plan"  # the first and the last thing to be done for a workload


def run_campaign(
    store: Keeping,
    runner: Runner,
    request: TuneRequest,
    on_event: Listener = ignore,
    stop: Stop | None = None,
    clock: Clock = time.monotonic,
) -> CampaignResult:
    """Tune. Without `stop`, Ctrl-C and SIGTERM end the campaign after the trial in flight."""
    budget = Budget(request.seconds, clock=clock)
    request.require_served()
    runner.prepare(request.target)  # nothing is stored of a campaign that cannot measure
    options = {"request": request.to_options(), "warm": [s.to_options() for s in _sources(store, runner, request)]}
    campaign = Campaign(request.workloads, request.target, options, created=time.time())
    ledger = Ledger.start(store, campaign, versions_of)
    return _sit(Sitting(request, ledger, runner, on_event, stop or Stop(), budget), handle_signals=stop is None)


def resume_campaign(
    store: Keeping,
    runner: Runner,
    campaign_id: str,
    on_event: Listener = ignore,
    stop: Stop | None = None,
    clock: Clock = time.monotonic,
) -> CampaignResult:
    """Go on with a campaign (its id or the beginning of it), exactly where it ended."""
    began = clock()
    campaign = store.campaign(campaign_id)
    request = TuneRequest.of(campaign)
    if campaign.state != "finished":  # it may be asked for what it found where nothing can measure
        runner.prepare(request.target)
    ledger = Ledger.reopen(store, campaign, versions_of)
    budget = Budget(request.seconds, ledger.spent + clock() - began, clock)
    return _sit(
        Sitting(request, ledger, runner, on_event, stop or Stop(), budget), handle_signals=stop is None, resumed=True
    )


def _sources(store: Keeping, runner: Runner, request: TuneRequest) -> tuple[Source, ...]:
    """What a new campaign learns from. A replay learns from nothing: the same database gives its answers."""
    if request.cold or request.strategy != "evolve" or runner.name == "replay":
        return ()
    return find(store, {w: request.templates(w) for w in request.workloads}, request.target)


def _warmth(campaign: Campaign) -> tuple[Source, ...]:
    """What a campaign was started with; one of before there was a warm start had nothing."""
    try:
        return tuple(map(Source.of, campaign.options.get("warm", ())))
    except (KeyError, TypeError, ValueError, SpecError) as error:
        raise DatabaseError(
            f"campaign {campaign.id}: its warm start cannot be read ({error}); start a new campaign"
        ) from None


def _sit(sitting: Sitting, handle_signals: bool, resumed: bool = False) -> CampaignResult:
    """Work until done or stopped; however it ends, the state is stored first and told second."""
    ledger, plans = sitting.ledger, _Plans(sitting)
    state, reason = "interrupted", ""
    failure: Exception | None = None
    with stopping(sitting.stop) if handle_signals else nullcontext():
        try:
            _announce(sitting, resumed)
            plans.search()
            for workload in sitting.request.workloads:
                plans.tune(workload)
            state, reason = "finished", plans.shortfall
        except Stopped:
            reason = sitting.stop.reason
        except KeyboardInterrupt:
            reason = "interrupted"
        except AnytileError as error:
            failure, reason = error, str(error)
        except Exception as error:  # noqa: BLE001  (the listener's, such as a pipe that nobody reads any more)
            failure, reason = error, str(error)
        sitting.tell = ear = _Ear(sitting.tell, None if isinstance(failure, AnytileError) else failure)
        if isinstance(failure, DatabaseError):
            with suppress(DatabaseError):  # what failed before may fail again; the first error is the one to show
                ledger.end(state, sitting.budget.spent)
        else:
            if state != "finished":
                # it is a courtesy, and must not hide why the campaign ended
                with suppress(AnytileError if failure is None else Exception):
                    plans.provisional()
            ledger.end(state, sitting.budget.spent)
        best = tuple(b for b in map(ledger.best, sitting.request.workloads) if b is not None)
        rows, spent = len(ledger.rows), sitting.budget.spent
        resume = "" if state == "finished" else how_to_resume(ledger.campaign)
        sitting.tell(CampaignEnded(ledger.campaign.id, state, reason, best, rows, ledger.by_status, spent, resume))
    failure = failure or ear.failure
    if failure is not None:
        raise failure
    return CampaignResult(ledger.campaign.id, state, reason, plans.chosen, best, rows, spent)


@dataclass
class _Ear:
    """Who listens to how a campaign ends: what the listener raises has to wait until all is stored."""

    tell: Listener
    failure: Exception | None

    def __call__(self, event: Event) -> None:
        if self.failure is not None:
            return
        try:
            self.tell(event)
        except Exception as error:  # noqa: BLE001  (code that is not ours)
            self.failure = error


def _announce(sitting: Sitting, resumed: bool) -> None:
    request, campaign = sitting.request, sitting.ledger.campaign
    sitting.tell(
        CampaignStarted(
            campaign.id,
            request.workloads,
            request.target,
            request.strategy,
            sitting.runner.name,
            request.seed,
            request.seconds,
            request.trials,
            resumed,
            len(sitting.ledger.rows),
            sum(source.count for source in _warmth(campaign)),
        )
    )


@dataclass
class _Plans:
    """The workloads of one sitting, each taken from where it stands to its plan."""

    sitting: Sitting
    chosen: dict[Workload, DispatchPlan] = field(default_factory=dict)
    shortfall: str = ""

    def search(self) -> None:
        """All workloads together; each one's time for it goes into one pot."""
        ledger, budget, request = self.sitting.ledger, self.sitting.budget, self.sitting.request
        waiting = [w for w in request.workloads if not ledger.is_done(w, SEARCH)]
        if not waiting:
            return
        each = [_shares(Settling(self.sitting, w))[SEARCH] for w in waiting]
        rounds = Rounds(self.sitting, load(ledger.store, _warmth(ledger.campaign)))
        rounds.run(budget.share().part(sum(each) / len(each)))
        ledger.finish(waiting, SEARCH, budget.spent)

    def tune(self, workload: Workload) -> None:
        ledger, budget = self.sitting.ledger, self.sitting.budget
        if ledger.is_done(workload, PLAN):
            self._recall(workload)
            return
        settling = Settling(self.sitting, workload)
        waiting = [w for w in self.sitting.request.workloads if not ledger.is_done(w, PLAN)]
        share = budget.share(parts([self._worth(w) for w in waiting])[waiting.index(workload)])
        shares = {name: part for name, part in _shares(settling).items() if name != SEARCH}
        phases: dict[str, Callable[[Deadline], None]] = {
            "cross": settling.cross,
            "pair": settling.pair,
            "profile": settling.profile,
            "confirm": settling.confirm,
        }
        for name in shares:
            if not ledger.is_done(workload, name):
                phases[name](share.phase(name, shares))
                ledger.finish([workload], name, budget.spent)
        self._choose(settling, provisional=False)
        ledger.finish([workload], PLAN, budget.spent)

    def _worth(self, workload: Workload) -> float:
        """Seconds that it takes in the model, as far as the search got."""
        best = self.sitting.ledger.best(workload)
        return 0.0 if best is None else self.sitting.request.count_of(workload) * best.seconds

    def provisional(self) -> None:
        """A plan from what there is, so that an interrupted campaign was not for nothing.

        It never stands in front of a plan that was chosen properly.
        """
        for workload in self.sitting.request.workloads:
            if workload in self.chosen or self.sitting.ledger.best(workload) is None:
                continue
            self._choose(Settling(self.sitting, workload), provisional=True)

    def _choose(self, settling: Settling, provisional: bool) -> None:
        ledger, workload = self.sitting.ledger, settling.workload
        plan = settling.plan(provisional)
        if plan is None:
            self.shortfall = _shortfall(ledger.campaign, workload, ledger.of(workload, "search"))
            return
        target = self.sitting.request.target
        if not provisional or _may_stand(ledger.store.selection(workload, target)):
            ledger.store.add_selection(
                Selection(
                    workload,
                    target,
                    plan.to_json(),
                    versions_here(plan.variants[0].template),
                    ledger.device,
                    ledger.campaign.id,
                    ledger.now(),
                    id=_selection_id(ledger.campaign, workload, provisional),
                )
            )
        self.chosen[workload] = plan
        self.sitting.tell(PlanChosen(workload, plan, summary(plan), provisional))

    def _recall(self, workload: Workload) -> None:
        """The plan that an earlier sitting of this campaign stored."""
        ledger = self.sitting.ledger
        wanted = _selection_id(ledger.campaign, workload, provisional=False)
        for selection in ledger.store.selections(workload, self.sitting.request.target):
            if selection.id == wanted:
                self.chosen[workload] = DispatchPlan.from_json(selection.plan)


def _shares(settling: Settling) -> dict[str, float]:
    return CONCRETE_SHARES if settling.symbol is None else SHARES


def _shortfall(campaign: Campaign, workload: Workload, tried: Sequence[Trial]) -> str:
    """Why there is no plan, with the reason that most trials failed for."""
    if not tried:
        return f"the campaign ended before any config of {workload} was tried; give more with --time or --trials"
    counts = Counter(t.status.value for t in tried).most_common()
    met = ", ".join(f"{count} {status}" for status, count in counts)
    ((reason, _),) = Counter(t.reason for t in tried).most_common(1)
    why = f", such as: {shorten(reason, _LONGEST_REASON, placeholder=' ...')}" if reason else ""
    return f"no config of {workload} worked: {met}{why}; `{command_line('db', 'show', campaign.id[:8])}` has the rest"


def _may_stand(before: Selection | None) -> bool:
    """Whether a provisional plan may come after this one."""
    return before is None or bool(DispatchPlan.from_json(before.plan).notes.get("provisional"))


def _selection_id(campaign: Campaign, workload: Workload, provisional: bool) -> str:
    """Always the same for one plan of one campaign, so that storing it again after a crash changes nothing."""
    if provisional:
        return new_id()
    return str(uuid.uuid5(uuid.UUID(campaign.id), str(workload)))


def how_to_resume(campaign: Campaign) -> str:
    return command_line("tune", "--resume", campaign.id[:8])


def versions_of(template_name: str) -> Versions | None:
    """What a record made now is made with; a library is none of ours."""
    return None if template_name == LIBRARY else versions_here(template_name)

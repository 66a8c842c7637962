"""Campaigns: workloads tuned under one budget, every trial durable, resumable at any moment.

First all of them are searched, in rounds; then, for each: cross-evaluation, duels, dense profile, plan. What ends a
campaign early (a signal, a runner that cannot go on, a kill) leaves it resumable; a resumed one proposes and measures
what an uninterrupted one would have.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from textwrap import shorten

from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, DatabaseError, SpecError, UnsupportedError
from anytile.core.record_codec import mapping_of, tuple_of
from anytile.db.record_keeper import Keeping
from anytile.db.records.codecs import VERSIONS, now
from anytile.db.records.records import Campaign, Selection, Trial, Versions, new_id
from anytile.dispatch.service import versions_here
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.estimate.rank import Foretold, foretold
from anytile.tuner.ledger.budget import CONCRETE_SHARES, SHARES, Budget, Deadline, parts
from anytile.tuner.ledger.events import CampaignEnded, CampaignStarted, Event, Listener, PlanChosen, ignore
from anytile.tuner.ledger.interrupts import Stop, stopping
from anytile.tuner.ledger.ledger import Ledger
from anytile.tuner.ledger.measurer import SCAN, Measurer, Stopped
from anytile.tuner.ledger.membership import LOOK_S, Membership, TakenOver
from anytile.tuner.protocol.candidate import Candidate, Facts, Point, Runner
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.requests.request import CampaignResult, TuneRequest
from anytile.tuner.search.strategies import STRATEGIES
from anytile.tuner.search_phase import SearchPhase
from anytile.tuner.settle.evidence import Evidence, summary
from anytile.tuner.settle.plan_phases import PlanPhases
from anytile.tuner.tasks.outdated import outdated
from anytile.tuner.tasks.search_task import SearchTask
from anytile.tuner.tasks.warm_start import SOURCE, Source, find, load, taught

Clock = Callable[[], float]
Say = Callable[[str], None]
_LONGEST_REASON = 200  # characters
_SOURCES = tuple_of(SOURCE.as_object)
_MADE_WITH = mapping_of(VERSIONS.as_object)
_FORETOLD = tuple_of(codec_of(Foretold).as_object)
NEWER = 1e-3  # seconds at least from one plan to the next, whatever the clock did: of several the newest serves
SEARCH, PLAN = "search", "plan"  # the first and the last thing to be done for a workload


def quietly(line: str) -> None:
    """For those who want to hear of nothing but events."""


def run_campaign(
    store: Keeping,
    runner: Runner,
    request: TuneRequest,
    on_event: Listener = ignore,
    stop: Stop | None = None,
    clock: Clock = time.monotonic,
    say: Say = quietly,
) -> CampaignResult:
    """Tune. Without `stop`, Ctrl-C and SIGTERM end the campaign after the trial in flight."""
    budget = Budget(request.seconds, clock=clock)
    request.require_served()
    runner.prepare(request.target)  # nothing is stored of a campaign that cannot measure
    options = {
        "request": request.to_options(),
        "warm": _SOURCES.dump(_sources(store, runner, request)),
        "foretold": _FORETOLD.dump(_foretold(store, runner, request)),
        "versions": _MADE_WITH.dump(_made_with(request)),
    }
    campaign = Campaign(request.workloads, request.target, options, created=now())
    ledger = Ledger.start(store, campaign, versions_of)
    return _Run(request, ledger, runner, budget, on_event, stop or Stop(), say).run(handle_signals=stop is None)


def resume_campaign(
    store: Keeping,
    runner: Runner,
    campaign_id: str,
    on_event: Listener = ignore,
    stop: Stop | None = None,
    clock: Clock = time.monotonic,
    say: Say = quietly,
) -> CampaignResult:
    """Go on with a campaign (its id or the beginning of it), exactly where it ended, and alone."""
    began = clock()
    campaign = store.campaign(campaign_id)
    request = TuneRequest.of(campaign)
    membership = Membership(store.leases(campaign.id))
    try:
        membership.require_alone(say)
    except SpecError as error:
        together = command_line("tune", "--join", campaign.id[:8])
        raise SpecError(f"campaign {campaign.id[:8]}: {error}, or work with it: {together}") from None
    if campaign.state != "finished":  # it may be asked for what it found where nothing can measure
        runner.prepare(request.target)
    ledger = Ledger.reopen(store, campaign, versions_of, membership)
    return _go_on(request, ledger, runner, on_event, stop, say, clock, began)


def join_campaign(
    store: Keeping,
    runner: Runner,
    campaign_id: str,
    on_event: Listener = ignore,
    stop: Stop | None = None,
    clock: Clock = time.monotonic,
    say: Say = quietly,
) -> CampaignResult:
    """Work on a campaign with whoever is at it, from this machine or another one of its target."""
    began = clock()
    campaign = store.campaign(campaign_id)
    name = f"campaign {campaign.id[:8]}"
    leases = store.leases(campaign.id)
    if leases is None:
        raise SpecError(f"{name}: is in a journal, which one process writes; tune into a database to work together")
    if campaign.state == "finished":
        found = command_line("db", "show", campaign.id[:8])
        raise SpecError(f"{name}: is finished, see `{found}`; begin another one with `{command_line('tune')}`")
    request = TuneRequest.of(campaign)
    try:
        request.require_served()
        runner.prepare(request.target)
    except UnsupportedError as error:
        raise UnsupportedError(f"{name}: {error}; join it from a machine of its target") from None
    ledger = Ledger.reopen(store, campaign, versions_of, Membership(leases))
    try:
        _require_same_versions(name, campaign, ledger.rows)
    except AnytileError:  # such as of a template that is not there in this version
        ledger.membership.leave()
        raise
    return _go_on(request, ledger, runner, on_event, stop, say, clock, began)


def _go_on(
    request: TuneRequest,
    ledger: Ledger,
    runner: Runner,
    on_event: Listener,
    stop: Stop | None,
    say: Say,
    clock: Clock,
    began: float,
) -> CampaignResult:
    """From what is measured of a campaign to its end; what was spent on it counts, and so does coming back to it."""
    budget = Budget(request.seconds, ledger.spent + clock() - began, clock)
    run = _Run(request, ledger, runner, budget, on_event, stop or Stop(), say, resumed=True)
    return run.run(handle_signals=stop is None)


def _made_with(request: TuneRequest) -> Mapping[str, Versions]:
    """With which versions a campaign is begun, by template."""
    names = {one.name for workload in request.workloads for one in request.templates(workload)}
    return {name: versions for name in sorted(names) if (versions := versions_of(name)) is not None}


def _require_same_versions(name: str, campaign: Campaign, rows: Sequence[Trial]) -> None:
    """What other versions measure is of other code, and no one search's. Where nothing is measured yet, what it was
    begun with counts."""
    begun = _MADE_WITH.load(campaign.options.get("versions", {}))
    for template_name, made in {**begun, **{t.template: t.versions for t in rows if t.versions is not None}}.items():
        here = versions_of(template_name)
        if here is not None and (here.template, here.codegen) != (made.template, made.codegen):
            raise SpecError(
                f"{name}: is measured with anytile {made.anytile} (code generation "
                f"{made.codegen}), here is {here.anytile} ({here.codegen}); join it with the same version"
            )


def _sources(store: Keeping, runner: Runner, request: TuneRequest) -> tuple[Source, ...]:
    """What a new campaign learns from."""
    if not _learns(runner, request):
        return ()
    return find(store, {w: request.templates(w) for w in request.workloads}, request.target)


def _foretold(store: Keeping, runner: Runner, request: TuneRequest) -> tuple[Foretold, ...]:
    """What it should try first: what was fastest with older templates, and what the database's cost model says."""
    if not _learns(runner, request):
        return ()
    stale = outdated(store, {w: request.templates(w) for w in request.workloads}, request.target)
    return (*stale, *foretold(store, request.workloads, request.target))


def _learns(runner: Runner, request: TuneRequest) -> bool:
    """A replay learns from nothing: the same database gives its answers."""
    return not request.cold and STRATEGIES[request.strategy].learns and runner.name != "replay"


def _warmth(campaign: Campaign) -> tuple[Source, ...]:
    """What a campaign was started with; one of before there was a warm start had nothing."""
    try:
        return _SOURCES.load(campaign.options.get("warm", []))
    except SpecError as error:
        raise DatabaseError(
            f"campaign {campaign.id}: its warm start cannot be read ({error}); start a new campaign"
        ) from None


def _promising(campaign: Campaign) -> tuple[Foretold, ...]:
    """What the cost model said when the campaign began."""
    try:
        return _FORETOLD.load(campaign.options.get("foretold", []))
    except SpecError as error:
        raise DatabaseError(
            f"campaign {campaign.id}: what it was to try first cannot be read ({error}); start a new campaign"
        ) from None


@dataclass
class _Run:
    """A campaign from where it stands until it is done or stopped; each part is given what it takes and no more."""

    request: TuneRequest
    ledger: Ledger
    runner: Runner
    budget: Budget
    tell: Listener
    stop: Stop
    say: Say
    resumed: bool = False
    chosen: dict[Workload, DispatchPlan] = field(default_factory=dict)
    shortfalls: list[str] = field(default_factory=list)  # why workloads have no plan
    over: bool = False  # another process made the end

    def __post_init__(self) -> None:
        self.measurer = Measurer(self.runner, self.ledger, self.budget, self.stop, self.tell)

    def run(self, handle_signals: bool) -> CampaignResult:
        try:
            return self._run(handle_signals)
        finally:
            self.ledger.membership.leave()

    def _run(self, handle_signals: bool) -> CampaignResult:
        """However it ends, the state is stored first and told second."""
        ledger, budget, workloads = self.ledger, self.budget, self.request.workloads
        state, reason = "interrupted", ""
        failure: Exception | None = None
        with stopping(self.stop) if handle_signals else nullcontext():
            try:
                self._announce()
                self._search()
                for workload in workloads:
                    self._settle(workload)
                state, reason = "finished", self._lacking()
            except Stopped:
                reason = self.stop.reason
            except KeyboardInterrupt:
                reason = "interrupted"
            except TakenOver as error:
                failure, reason, self.over = error, str(error), True
            except AnytileError as error:
                failure, reason = error, str(error)
            except Exception as error:  # noqa: BLE001  (the listener's, such as a pipe that nobody reads any more)
                failure, reason = error, str(error)
            self.tell = deferred = _DeferredListener(self.tell, None if isinstance(failure, AnytileError) else failure)
            others = () if state == "finished" else ledger.membership.leave()
            if self.over or others:
                pass  # its state and its plans are for those who go on with it, or who ended it
            elif isinstance(failure, DatabaseError):
                with suppress(DatabaseError):  # what failed before may fail again; the first error is the one to show
                    ledger.end(state, budget.spent)
            else:
                if state != "finished":
                    # it is a courtesy, and must not hide why the campaign ended
                    with suppress(AnytileError if failure is None else Exception):
                        self._choose_provisionally()
                ledger.end(state, budget.spent)
            best = tuple(b for b in map(ledger.best, workloads) if b is not None)
            rows, spent = len(ledger.rows), budget.spent
            resume = "" if state == "finished" else how_to_resume(ledger.campaign, bool(others))
            names = tuple(one.worker for one in others)
            self.tell(
                CampaignEnded(ledger.campaign.id, state, reason, best, rows, ledger.by_status, spent, resume, names)
            )
        failure = failure or deferred.failure
        if failure is not None:
            raise failure
        return CampaignResult(ledger.campaign.id, state, reason, self.chosen, best, rows, spent)

    def _announce(self) -> None:
        request, campaign = self.request, self.ledger.campaign
        self.tell(
            CampaignStarted(
                campaign.id,
                request.workloads,
                request.target,
                request.strategy,
                self.runner.name,
                request.seed,
                request.seconds,
                request.trials,
                self.resumed,
                len(self.ledger.rows),
                sum(source.count for source in _warmth(campaign)),
            )
        )

    def _inspect(self, candidates: Sequence[Candidate]) -> Sequence[Facts]:
        return self.runner.inspect(candidates, SCAN)

    def _searches(self) -> list[SearchTask]:
        """One for each template of each workload; a template without a config serves nothing."""
        request = self.request
        older = load(self.ledger.store, _warmth(self.ledger.campaign))
        said = _promising(self.ledger.campaign)
        made = []
        for workload in request.workloads:
            point = request.representative_point(workload)
            for one in request.templates(workload):
                known = taught(older, workload, request.target, one.name)
                first = tuple(f.config for f in said if (f.workload, f.template) == (workload, one.name))
                made.append(SearchTask.of(request, workload, one, point, self._inspect, known, first))
        return [search for search in made if len(search.space)]

    def _search(self) -> None:
        """All workloads together; each one's time for it goes into one pot. Over when it is this process that makes the
        campaign's end, or another one made it."""
        ledger, phase = self.ledger, None
        waited_for = ""
        while True:
            waiting = [w for w in self.request.workloads if not ledger.is_done(w, SEARCH)]
            if waiting and phase is None:
                each = [_shares(self._evidence(w))[SEARCH] for w in waiting]
                phase = SearchPhase(self.request, self._searches(), ledger, self.measurer, self.tell)
                deadline = self.budget.share().part(sum(each) / len(each))
            if waiting and phase is not None:
                phase.run(deadline)
            standing = ledger.membership.settle()
            if standing is None or standing.settling:
                ledger.behind |= standing is not None and standing.trials > len(ledger.rows)
                self.measurer.catch_up()
                if ledger.accompanied:
                    ledger.refresh()
                waiting = [w for w in waiting if not ledger.is_done(w, SEARCH)]
                if waiting:
                    ledger.finish(waiting, SEARCH, self.budget.spent)
                return
            if standing.finished:
                self.over = True
                ledger.refresh()
                self.measurer.catch_up()
                return
            waited_for = self._stand_by(waited_for)
            ledger.refresh()
            self.measurer.catch_up()

    def _stand_by(self, told: str) -> str:
        """Until something changes with those who are still at it; who they are is said once."""
        members = self.ledger.membership
        names = ", ".join(one.worker for one in members.active())
        if names != told and names:
            self.say(f"waiting for {names}: its batch, or the campaign's end")
        before = _doings(members)
        while before and _doings(members) == before:  # where nobody is left, what was in hand is free
            self.measurer.check()
            time.sleep(LOOK_S)
            members.look()
        return names

    def _evidence(self, workload: Workload) -> Evidence:
        return Evidence(workload, self.request, self.ledger)

    def _settle(self, workload: Workload) -> None:
        """From what was searched to the plan."""
        request, ledger, budget = self.request, self.ledger, self.budget
        if self.over or ledger.is_done(workload, PLAN):
            self._recall(workload)
            if workload not in self.chosen and ledger.best(workload) is None:
                self._fall_short(workload)
            return

        def search(name: str, point: Point) -> SearchTask:
            return SearchTask.of(request, workload, template(name), point, self._inspect)

        evidence = self._evidence(workload)
        phases = PlanPhases(evidence, request, self.measurer, search)
        waiting = [w for w in request.workloads if not ledger.is_done(w, PLAN)]
        share = budget.share(parts([self._worth(w) for w in waiting])[waiting.index(workload)])
        shares = {name: part for name, part in _shares(evidence).items() if name != SEARCH}
        todo: dict[str, Callable[[Deadline], None]] = {
            "cross": phases.cross,
            "pair": phases.pair,
            "profile": phases.profile,
            "confirm": phases.confirm,
        }
        for name in shares:
            if not ledger.is_done(workload, name):
                todo[name](share.phase(name, shares))
                ledger.membership.require_settling()
                ledger.finish([workload], name, budget.spent)
        self._choose(evidence, provisional=False)
        ledger.finish([workload], PLAN, budget.spent)

    def _worth(self, workload: Workload) -> float:
        """Seconds that it takes in the model, as far as the search got."""
        best = self.ledger.best(workload)
        return 0.0 if best is None else self.request.count_of(workload) * best.seconds

    def _fall_short(self, workload: Workload) -> None:
        tried = self.ledger.of(workload, "search")
        self.shortfalls.append(_shortfall(self.ledger.campaign, workload, tried))

    def _lacking(self) -> str:
        """Why there is less than was asked for; nothing where every workload has a plan."""
        count, of = len(self.shortfalls), len(self.request.workloads)
        several = f"{count} of {of} workloads have no plan, the first of them since " if of > 1 and count else ""
        return several + (self.shortfalls[0] if count else "")

    def _choose_provisionally(self) -> None:
        """A plan from what there is, so that an interrupted campaign was not for nothing.

        It never stands in front of a plan that was chosen properly.
        """
        for workload in self.request.workloads:
            if workload not in self.chosen and self.ledger.best(workload) is not None:
                self._choose(self._evidence(workload), provisional=True)

    def _choose(self, evidence: Evidence, provisional: bool) -> None:
        ledger, workload, target = self.ledger, evidence.workload, self.request.target
        plan = evidence.plan(provisional)
        if plan is None:
            self._fall_short(workload)
            return
        before = ledger.store.selection(workload, target)
        if not provisional or _may_stand(before):
            ledger.store.add_selection(
                Selection(
                    workload,
                    target,
                    plan.to_json(),
                    versions_here(plan.variants[0].template),
                    ledger.device,
                    ledger.campaign.id,
                    ledger.now() if before is None else max(ledger.now(), before.created + NEWER),
                    id=_selection_id(ledger.campaign, workload, provisional),
                )
            )
        self.chosen[workload] = plan
        self.tell(PlanChosen(workload, plan, summary(plan), provisional))

    def _recall(self, workload: Workload) -> None:
        """The plan that this campaign stored before it was resumed."""
        wanted = _selection_id(self.ledger.campaign, workload, provisional=False)
        for selection in self.ledger.store.selections(workload, self.request.target):
            if selection.id == wanted:
                self.chosen[workload] = DispatchPlan.from_json(selection.plan)


def _doings(members: Membership) -> list[tuple[str, str, int | None]]:
    return [(one.id, one.state, one.batch.first if one.batch is not None else None) for one in members.active()]


def _shares(evidence: Evidence) -> dict[str, float]:
    return CONCRETE_SHARES if evidence.symbol is None else SHARES


@dataclass
class _DeferredListener:
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


def how_to_resume(campaign: Campaign, others: bool = False) -> str:
    """Where others are still at it, it is theirs to go on with."""
    return command_line("tune", "--join" if others else "--resume", campaign.id[:8])


def versions_of(template_name: str) -> Versions | None:
    """What a record made now is made with; a library is none of ours."""
    return None if template_name == LIBRARY else versions_here(template_name)

"""Regression check of stored winners: measures again, on this machine, what lookups answer with, and rules on it.

A winner is a plan, or where there is none yet the fastest trial. It is measured by the same runner, kernel by kernel at
the sizes its record speaks of, and compared with its own figures. What was too slow is measured a second time before
anything is said of it, and what the machine disturbed is not judged at all. Records stay as they are; verdicts are new
ones. What was set aside before is measured too, and is used again where it holds.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.core.errors import AnytileError
from anytile.core.plurals import counted
from anytile.db.lookup.evidence import REPRESENTATIVE, Evidence
from anytile.db.lookup.ladder import front
from anytile.db.lookup.messages import duration
from anytile.db.lookup.plausibility import unlike_its_trials
from anytile.db.records.codecs import now
from anytile.db.records.records import Ruling, Status, Trial, Verdict
from anytile.db.store import Store
from anytile.dispatch.service import versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.measurer import SCAN
from anytile.tuner.protocol.candidate import Candidate, Contender, Outcome, Point, Runner, contender_of, point_of

TOLERANCE = 1.25  # so many times as slow as it says a record still holds
PACED = 3  # so many records of another machine say how much faster or slower that one is as a whole
_BARELY = 1e-6  # seconds by which a verdict is newer than the one before it, whatever the clock did


@dataclass(frozen=True, slots=True)
class Finding:
    """One winner, what was found out about it, and what follows. `ruling` is None where nothing could be said."""

    workload: Workload
    target: Target
    record: str
    campaign_id: str
    device: str  # that it was measured on before
    recorded: float | None  # seconds, at the size nearest to the representative one
    measured: float | None
    ratio: float | None  # of now to before, over all sizes, as fast as that other machine is
    ruling: Ruling | None
    said: str


@dataclass(frozen=True, slots=True)
class _Winner:
    """A record with the times that it tells, by what took them."""

    found: Evidence
    doubt: str
    times: Mapping[tuple[Contender, Point], float]

    def candidates(self, target: Target) -> list[Candidate]:
        points: dict[Contender, list[Point]] = {}
        for contender, point in self.times:
            points.setdefault(contender, []).append(point)
        return [Candidate(self.found.workload, target, *one, tuple(at)) for one, at in points.items()]


@dataclass(frozen=True, slots=True)
class _Measured:
    """What measuring a winner again gave: how many times as long as recorded it took, by contender and point."""

    ratios: Mapping[tuple[Contender, Point], float]
    device: str
    failure: str = ""
    disturbed: str = ""

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios.values())


def verify(
    store: Store,
    runner: Runner,
    target: Target,
    sample: int | None = None,
    tell: Callable[[Finding], None] = lambda finding: None,
) -> list[Finding]:
    """Measure the winners for a target again, or of them `sample`: those never looked at first, then the longest ago.

    Each finding is stored and told as soon as there is one; of records that another machine made that is once all are
    measured, for only several of them say how fast it is.
    """
    runner.prepare(target)
    findings: list[Finding] = []

    def conclude(winner: _Winner, one: _Measured | None, pace: float | None) -> None:
        finding = _finding(winner, one, pace)
        _store(store, winner, finding, "" if one is None else one.device)
        findings.append(finding)
        tell(finding)

    elsewhere: list[tuple[_Winner, _Measured]] = []
    for winner in sorted(_winners(store, target), key=_looked_at)[:sample]:
        one = _looked_at_twice(runner, winner, target)
        if one is None or one.failure or winner.found.device == one.device:
            conclude(winner, one, 1.0)
        else:
            elsewhere.append((winner, one))
    paces = _paces(elsewhere)
    for winner, one in elsewhere:
        conclude(winner, one, paces.get(winner.found.device))
    return findings


def set_aside(store: Store, target: Target | None = None) -> list[Finding]:
    """What lookups pass over, and why, for a target or for all; nothing is measured."""
    latest: dict[str, Verdict] = {}
    for v in store.verdicts(target=target):
        latest.setdefault(v.about, v)
    found = {
        v.about: Finding(v.workload, v.target, v.about, "", "", None, None, v.ratio, v.ruling, v.said)
        for v in latest.values()
        if v.ruling.sets_aside
    }
    for one, doubt in (pair for w, t in _pairs(store, target) for pair in _front(store, w, t)):
        if doubt:
            ruling = one.verdict.ruling if one.verdict is not None else Ruling.CONTRADICTED
            ratio = one.verdict.ratio if one.verdict is not None else None
            facts = (one.campaign_id, one.device, one.seconds)
            found[one.id] = Finding(one.workload, one.target, one.id, *facts, None, ratio, ruling, doubt)
    return sorted(found.values(), key=lambda f: (str(f.workload), str(f.target), f.record))


def believe(store: Store, record: str, because: str) -> Verdict:
    """Have lookups use a record again, whatever speaks against it."""
    found = store.record(record)
    verdict = Verdict(found.workload, found.target, found.id, Ruling.BELIEVED, because)
    return _add(store, verdict)


def _pairs(store: Store, target: Target | None) -> Iterator[tuple[Workload, Target]]:
    for op in sorted(OPERATORS):
        yield from ((w, t) for w, t in store.known_pairs(op) if target in (None, t))


def _front(store: Store, workload: Workload, target: Target) -> list[tuple[Evidence, str]]:
    try:
        return front(store, workload, target, versions_here(templates_for(workload, target)[0].name))
    except AnytileError:  # an operator or a target that this version cannot serve answers nothing
        return []


def _winners(store: Store, target: Target) -> Iterator[_Winner]:
    for workload, _ in _pairs(store, target):
        for found, doubt in _front(store, workload, target):
            trials = (
                store.trials(campaign_id=found.campaign_id, workload=workload, target=target, status=Status.OK)
                if found.plan and found.campaign_id
                else []
            )
            unlike = unlike_its_trials(found.plan, trials) if found.plan and found.verdict is None else ""
            yield _Winner(found, doubt or unlike, dict(_times(found, trials)))


def _looked_at(winner: _Winner) -> tuple[float, str, str]:
    verdict = winner.found.verdict
    return (verdict.created if verdict is not None else 0.0, str(winner.found.workload), winner.found.id)


def _times(found: Evidence, trials: Sequence[Trial]) -> Iterator[tuple[tuple[Contender, Point], float]]:
    if found.plan is None:
        if found.config is not None and found.seconds is not None:
            yield (Contender(found.template, found.config), point_of(found.measured_at)), found.seconds
        return
    plan = found.plan
    told = [(r.runs, r.at, r.seconds) for r in plan.ranges if isinstance(r.runs, int) and r.seconds is not None]
    if plan.symbol is not None:  # the smallest, the largest and what is nearest to the representative size
        sizes = sorted({at for _, at, _ in told if at})
        middle = min(sizes, key=lambda at: abs(at - REPRESENTATIVE), default=0)
        kept = {*sizes[:1], middle, *sizes[-1:]}
        told = [one for one in told if one[1] in kept]
    for runs, at, seconds in told:
        contender = contender_of(plan.variants[runs])
        yield (contender, _point(plan, contender, at, trials)), seconds


def _point(plan: DispatchPlan, contender: Contender, at: int | None, trials: Iterable[Trial]) -> Point:
    """All sizes, those that the plan does not speak of as they stood when it was measured."""
    given = {} if plan.symbol is None or at is None else {plan.symbol: at}
    for trial in trials:
        if (trial.template, trial.config) == contender and given.items() <= trial.point.items():
            return point_of(trial.point)
    return point_of({**dict.fromkeys(plan.workload.symbols, REPRESENTATIVE), **given})


def _looked_at_twice(runner: Runner, winner: _Winner, target: Target) -> _Measured | None:
    """None where there is nothing to measure. What seems not to hold gets a second chance."""
    if not winner.times:
        return None
    first = _measured(runner, winner, target)
    if not first.failure and (first.disturbed or first.ratio <= TOLERANCE):
        return first
    second = _measured(runner, winner, target)
    if first.failure or second.failure:
        return second
    ratios = {key: min(ratio, second.ratios[key]) for key, ratio in first.ratios.items()}
    return replace(second, ratios=ratios)


def _measured(runner: Runner, winner: _Winner, target: Target) -> _Measured:
    ratios: dict[tuple[Contender, Point], float] = {}
    device, failure, disturbed = "", "", ""
    for outcome in runner.run(winner.candidates(target), SCAN):
        device = outcome.device or device
        for timing in outcome.timings:
            if timing.status is not Status.OK:
                failure = failure or f"{timing.status.value}{f' ({timing.reason})' if timing.reason else ''}"
                continue
            key = (outcome.candidate.contender, timing.point)
            ratios[key] = _seconds(outcome, timing.samples) / winner.times[key]
            disturbed = disturbed or timing.state.in_words()
    return _Measured(ratios, device, failure, disturbed)


def _seconds(outcome: Outcome, samples: Sequence[float]) -> float:
    return statistics.median(samples) / outcome.drift


def _paces(measured: Iterable[tuple[_Winner, _Measured]]) -> dict[str, float]:
    """How much longer everything takes here than on another machine of the target, where enough of it says so."""
    ratios: dict[str, list[float]] = {}
    for winner, one in measured:
        if not one.disturbed:
            ratios.setdefault(winner.found.device, []).append(one.ratio)
    return {device: statistics.median(of) for device, of in ratios.items() if len(of) >= PACED}


def _finding(winner: _Winner, one: _Measured | None, pace: float | None) -> Finding:
    """`pace` is how many times as long everything takes here as where the record was made, if that is known."""
    found = winner.found
    shown = min(winner.times, key=lambda key: abs(dict(key[1]).get(_symbol(found), 0) - REPRESENTATIVE), default=None)
    recorded = None if shown is None else winner.times[shown]
    blank = Finding(
        found.workload, found.target, found.id, found.campaign_id, found.device, recorded, None, None, None, ""
    )
    if one is None:
        said = winner.doubt or "it runs libraries alone, or tells no time; nothing to measure again"
        return replace(blank, ruling=Ruling.CONTRADICTED if winner.doubt else None, said=said)
    believed = found.verdict is not None and found.verdict.ruling is Ruling.BELIEVED
    if one.failure and believed:
        return replace(blank, said=f"believed, as a person said; measured again it failed: {one.failure}")
    if one.failure:
        return replace(blank, ruling=Ruling.DRIFTED, said=f"measured again it failed: {one.failure}")
    if one.disturbed:
        return replace(blank, said=f"not judged: the machine was disturbed ({one.disturbed})")
    ratio = one.ratio / (pace or 1.0)
    measured = None if shown is None or recorded is None else recorded * one.ratios[shown]
    slower = f", on a machine that is {pace:.2f} times as slow as the one before" if pace not in (None, 1.0) else ""
    took = f"measured again at {counted(len(one.ratios), 'size')} it took {ratio:.2f} times as long as it says{slower}"
    if measured is not None and recorded is not None:
        took += f" ({duration(measured)} where it says {duration(recorded)})"
    if winner.doubt and found.verdict is None and ratio > TOLERANCE:
        return replace(
            blank, measured=measured, ratio=ratio, ruling=Ruling.CONTRADICTED, said=f"{winner.doubt}; {took}"
        )
    if believed:
        return replace(blank, measured=measured, ratio=ratio, said=f"believed, as a person said; {took}")
    if pace is None and ratio > TOLERANCE:
        said = (
            f"not judged: another machine made it, and fewer than {PACED} of its records say how fast that is; {took}"
        )
        return replace(blank, measured=measured, ratio=ratio, said=said)
    ruling = Ruling.HOLDS if ratio <= TOLERANCE else Ruling.DRIFTED
    return replace(blank, measured=measured, ratio=ratio, ruling=ruling, said=took)


def _symbol(found: Evidence) -> str:
    return "" if found.plan is None or found.plan.symbol is None else found.plan.symbol


def _store(store: Store, winner: _Winner, finding: Finding, device: str) -> None:
    if finding.ruling is None:
        return
    found = winner.found
    template = found.template or templates_for(found.workload, found.target)[0].name
    made = Verdict(found.workload, found.target, found.id, finding.ruling, finding.said, finding.ratio)
    _add(store, replace(made, versions=versions_here(template), device=device))


def _add(store: Store, verdict: Verdict) -> Verdict:
    """It is newer than those before it, even where the clock went back."""
    before = max(
        (v.created for v in store.verdicts(verdict.workload, verdict.target) if v.about == verdict.about), default=0.0
    )
    made = replace(verdict, created=max(now(), before + _BARELY))
    store.add_verdicts([made])
    return made

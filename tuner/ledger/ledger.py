"""A campaign's ledger: the trials that are stored, in order, and its checkpoint, how far it has come.

Invariant: whatever this object says has been measured is durable in the store. Rows are committed first and remembered
second; an index over (workload, kind, template, config, point) sees to it that a resumed campaign measures nothing
twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anytile.core.errors import DatabaseError, SpecError
from anytile.db.record_keeper import Keeping
from anytile.db.records.codecs import now
from anytile.db.records.records import Campaign, Status, Trial, Versions
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.events import Best
from anytile.tuner.ledger.owner import still_working, this_process
from anytile.tuner.protocol.candidate import Candidate, Contender, Duel, Outcome, Point, Timing, contender_of, point_of
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.protocol.machine_state import to_facts, without_state

Key = tuple[Workload, str, Contender, Point]


def normalised(trial: Trial) -> float:
    """Median seconds as they would have been when the campaign started: what ranks trials across time."""
    return trial.seconds / trial.drift if trial.status is Status.OK else float("inf")


@dataclass(frozen=True)
class Progress:
    """How far a campaign has come, as its options keep it; `opened` is None in campaigns of before it was kept."""

    spent: float = 0.0
    done: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opened: int | None = None
    owner: Mapping[str, Any] = field(default_factory=dict)


PROGRESS = codec_of(Progress)


@dataclass
class Ledger:
    """One campaign's trials and progress, over a store. Progress is which phases are over and the seconds spent."""

    store: Keeping
    campaign: Campaign
    versions: Callable[[str], Versions | None]  # of a template, by its name
    now: Callable[[], float] = now
    rows: list[Trial] = field(default_factory=list)
    _index: dict[Key, Trial] = field(default_factory=dict)
    _groups: dict[tuple[Workload, str], list[Trial]] = field(default_factory=dict)
    _best: dict[Workload, Trial] = field(default_factory=dict)
    _done: dict[str, list[str]] = field(default_factory=dict)
    opened: int = 0  # how many rows there were when the current batch of the search was proposed
    spent: float = 0.0

    @classmethod
    def start(cls, store: Keeping, campaign: Campaign, versions: Callable[[str], Versions | None]) -> Ledger:
        store.add_campaign(campaign)
        ledger = cls(store, campaign, versions)
        ledger.checkpoint(0.0)
        return ledger

    @classmethod
    def reopen(cls, store: Keeping, campaign: Campaign, versions: Callable[[str], Versions | None]) -> Ledger:
        """Take a campaign up again from what is stored of it; one that is being worked on is refused."""
        try:
            progress = PROGRESS.load(campaign.options.get("progress", {}))
        except SpecError as error:
            raise DatabaseError(
                f"campaign {campaign.id}: its progress cannot be read ({error}); start a new campaign"
            ) from None
        process = still_working(progress.owner) if campaign.state == "running" else None
        if process is not None:
            raise SpecError(
                f"campaign {campaign.id[:8]}: process {process} is still working on it; stop that one first (Ctrl-C)"
            )
        ledger = cls(store, campaign, versions)
        for trial in sorted(store.trials(campaign_id=campaign.id), key=lambda t: t.seed_order):
            ledger._remember(trial)
        ledger.spent, ledger._done = progress.spent, {w: list(phases) for w, phases in progress.done.items()}
        ledger.opened = len(ledger.rows) if progress.opened is None else progress.opened
        store.update_campaign(campaign.id, state="running")
        ledger.checkpoint(ledger.spent)
        return ledger

    def _remember(self, trial: Trial) -> None:
        self.rows.append(trial)
        self._index[trial.workload, trial.kind, contender_of(trial), point_of(trial.point)] = trial
        self._groups.setdefault((trial.workload, trial.kind), []).append(trial)
        if trial.kind == "search" and trial.status is Status.OK:
            leader = self._best.setdefault(trial.workload, trial)
            if normalised(trial) < normalised(leader):
                self._best[trial.workload] = trial

    def record(self, outcome: Outcome, kind: str) -> tuple[Trial, ...]:
        """Commit what became of one candidate, one row per point; they are durable when this returns."""
        made = tuple(
            self._row(outcome.candidate, timing, kind, len(self.rows) + i, outcome)
            for i, timing in enumerate(outcome.timings)
        )
        return self._commit(made)

    def record_duels(self, candidates: Sequence[Candidate], fought: Iterable[Duel], kind: str) -> tuple[Trial, ...]:
        """Commit interleaved samples of those who gave any and are not there yet, all in one transaction."""
        fresh = [
            (candidate, Timing(duel.point, Status.OK, tuple(samples), state=duel.state))
            for duel in fought
            for candidate, samples in zip(candidates, duel.samples, strict=True)
            if samples and not self.has(candidate.workload, kind, candidate.contender, duel.point)
        ]
        made = tuple(self._row(c, timing, kind, len(self.rows) + i) for i, (c, timing) in enumerate(fresh))
        return self._commit(made)

    def _commit(self, made: tuple[Trial, ...]) -> tuple[Trial, ...]:
        self.store.add_trials(made)
        for trial in made:
            self._remember(trial)
        return made

    def _row(
        self, candidate: Candidate, timing: Timing, kind: str, order: int, outcome: Outcome | None = None
    ) -> Trial:
        return Trial(
            workload=candidate.workload,
            target=candidate.target,
            template=candidate.template,
            config=candidate.config,
            point=dict(timing.point),
            status=timing.status,
            samples=timing.samples,
            reason=timing.reason,
            drift=outcome.drift if outcome else 1.0,
            build_seconds=outcome.build_seconds if outcome else 0.0,
            facts={**(without_state(outcome.facts) if outcome else {}), **to_facts(timing.state)},
            kind=kind,
            seed_order=order,
            versions=self.versions(candidate.template),
            device=outcome.device if outcome else self.device,
            campaign_id=self.campaign.id,
            created=self.now(),
        )

    @property
    def device(self) -> str:
        """What the campaign measured on, as the latest row says."""
        return next((t.device for t in reversed(self.rows) if t.device), "")

    def has(self, workload: Workload, kind: str, contender: Contender, point: Point) -> bool:
        return (workload, kind, contender, point) in self._index

    def of(self, workload: Workload, kind: str) -> list[Trial]:
        """This workload's rows of one kind, in the order in which they were measured."""
        return list(self._groups.get((workload, kind), ()))

    def searched(self, before: int) -> dict[Workload, list[Trial]]:
        """The search trials among the first `before` rows, by workload, in the order in which they were measured."""
        found: dict[Workload, list[Trial]] = {}
        for trial in self.rows[:before]:
            if trial.kind == "search":
                found.setdefault(trial.workload, []).append(trial)
        return found

    def best(self, workload: Workload) -> Best | None:
        """The fastest searched config; the earlier one where two are equal."""
        top = self._best.get(workload)
        if top is None:
            return None
        seconds = normalised(top)
        rate = workload.flops(top.point) / seconds / 1e9
        return Best(workload, top.config, point_of(top.point), seconds, rate, top.template)

    @property
    def by_status(self) -> dict[Status, int]:
        return dict(Counter(t.status for t in self.rows))

    def is_done(self, workload: Workload, phase: str) -> bool:
        return phase in self._done.get(str(workload), [])

    def finish(self, workloads: Iterable[Workload], phase: str, spent: float) -> None:
        """Remember for good that a phase is over, whatever ended it; for all of these or none."""
        for workload in workloads:
            self._done.setdefault(str(workload), []).append(phase)
        self.checkpoint(spent)

    def open_batch(self, rows: int, spent: float) -> None:
        """The next batch is proposed from the first `rows` rows alone."""
        self.opened = rows
        self.checkpoint(spent)

    def checkpoint(self, spent: float) -> None:
        """Store the seconds spent, so that a resumed campaign keeps its budget."""
        self.spent = spent
        done = {workload: tuple(phases) for workload, phases in self._done.items()}
        progress = PROGRESS.dump(Progress(round(spent, 3), done, self.opened, this_process()))
        self.store.update_campaign(self.campaign.id, options={**self.campaign.options, "progress": progress})

    def end(self, state: str, spent: float) -> None:
        self.checkpoint(spent)
        self.store.update_campaign(self.campaign.id, state=state, finished=self.now() if state == "finished" else None)

"""A campaign's ledger: the trials that are stored, in order, and its checkpoint, how far it has come.

Invariant: whatever this object says has been measured is durable in the store. Rows are committed first and remembered
second; an index over (workload, kind, template, config, point) sees to it that a resumed campaign measures nothing
twice. A row's id follows from the same five and the campaign, so the database holds to it among several processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anytile.core.errors import DatabaseError, SpecError
from anytile.core.record_codec import TEXT, tuple_of
from anytile.db.record_keeper import Keeping
from anytile.db.records.codecs import now
from anytile.db.records.leases import Batch
from anytile.db.records.records import WORKERS, Campaign, Status, Trial, Versions, trial_id
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.events import Best
from anytile.tuner.ledger.membership import Membership
from anytile.tuner.protocol.attribution import number_in, number_to_facts
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
    owner: Mapping[str, Any] = field(default_factory=dict)  # in campaigns of before there were leases


PROGRESS = codec_of(Progress)


def _key(trial: Trial) -> Key:
    return trial.workload, trial.kind, contender_of(trial), point_of(trial.point)


@dataclass
class Ledger:
    """One campaign's trials and progress, over a store. Progress is which phases are over and the seconds spent."""

    store: Keeping
    campaign: Campaign
    versions: Callable[[str], Versions | None]  # of a template, by its name
    membership: Membership
    now: Callable[[], float] = now
    rows: list[Trial] = field(default_factory=list)
    _index: dict[Key, Trial] = field(default_factory=dict)
    _groups: dict[tuple[Workload, str], list[Trial]] = field(default_factory=dict)
    _best: dict[Workload, Trial] = field(default_factory=dict)
    _done: dict[str, list[str]] = field(default_factory=dict)
    opened: int = 0  # how many rows there were when the current batch of the search was proposed
    spent: float = 0.0
    following: int = 0  # the number behind all that are known
    behind: bool = False  # there are rows of others that are not known here
    accompanied: bool = False  # somebody else was there at some time
    _floor: int = 0  # others' rows that are not known have no lower number
    _names: tuple[str, ...] = ()

    @classmethod
    def start(cls, store: Keeping, campaign: Campaign, versions: Callable[[str], Versions | None]) -> Ledger:
        store.add_campaign(campaign)
        ledger = cls(store, campaign, versions, Membership(store.leases(campaign.id)))
        ledger.checkpoint(0.0)
        ledger.membership.enter()
        return ledger

    @classmethod
    def reopen(
        cls, store: Keeping, campaign: Campaign, versions: Callable[[str], Versions | None], membership: Membership
    ) -> Ledger:
        """Take a campaign up from what is stored of it, alone or as one of several."""
        ledger = cls(store, campaign, versions, membership)
        progress = ledger._read_progress(campaign)
        for trial in sorted(store.trials(campaign_id=campaign.id), key=lambda t: t.seed_order):
            ledger._remember(trial)
        if campaign.state == "interrupted":  # one that others finish just now stays so
            store.update_campaign(campaign.id, state="running")
        membership.enter()
        alone = not membership.active()
        ledger.opened = progress.opened if progress.opened is not None and alone else len(ledger.rows)
        return ledger

    def _read_progress(self, campaign: Campaign) -> Progress:
        try:
            progress = PROGRESS.load(campaign.options.get("progress", {}))
            self._names = tuple_of(TEXT).load(campaign.options.get(WORKERS, []))
        except SpecError as error:
            raise DatabaseError(
                f"campaign {campaign.id}: its progress cannot be read ({error}); start a new campaign"
            ) from None
        self.spent = max(self.spent, progress.spent)
        self._done = {workload: list(phases) for workload, phases in progress.done.items()}
        return progress

    def refresh(self) -> None:
        """See which phases others ended."""
        self._read_progress(self.store.campaign(self.campaign.id))

    def sync(self) -> list[Trial]:
        """Others' rows that are new here, which take part in the search from now on."""
        before = self.following
        self.membership.look()
        others = self.membership.others
        self.accompanied |= bool(others)
        if not (self.accompanied or self.behind):
            return []
        since = 0 if self.behind else self._floor
        found = self.store.trials(campaign_id=self.campaign.id, since=since)
        # What comes later is in somebody's hand now, or has a number behind all that there are.
        self._floor = min([before, *(one.batch.first for one in others if one.batch is not None)])
        self.behind = False
        fresh = [t for t in sorted(found, key=lambda t: t.seed_order) if _key(t) not in self._index]
        for trial in fresh:
            self._remember(trial)
        # Ours too, which a delivery may have given other numbers.
        self.following = max([self.following, *(t.seed_order + 1 for t in found)])
        return fresh

    def leased(self, kind: str, wanted: Sequence[Candidate], most: int | None = None) -> list[Candidate] | None:
        """Those of a batch, of one point each, that are this process' to measure, and their numbers; None where the
        search is over. The search is to have no more than `most` trials, whoever makes them."""
        if not wanted:
            return []
        ids = [self._id(kind, one, one.points[0]) for one in wanted]
        texts = tuple(str(one.config) for one in wanted)
        wish = Batch(str(wanted[0].workload), wanted[0].template, texts, tuple(ids))
        claimed = self.membership.claim(wish, self.following, len(self.rows), most)
        if claimed is None:
            return None
        batch, self.behind = claimed[0], self.behind or claimed[1]
        numbers = {id_: batch.first + place for place, id_ in enumerate(batch.ids)}
        return [replace(one, number=numbers[i]) for i, one in zip(ids, wanted, strict=True) if i in numbers]

    def _id(self, kind: str, one: Candidate, point: Point) -> str:
        return trial_id(self.campaign.id, kind, one.workload, one.template, one.config, dict(point))

    def _remember(self, trial: Trial) -> None:
        self.rows.append(trial)
        self.following = max(self.following, trial.seed_order + 1)
        self._index[_key(trial)] = trial
        self._groups.setdefault((trial.workload, trial.kind), []).append(trial)
        if trial.kind == "search" and trial.status is Status.OK:
            leader = self._best.setdefault(trial.workload, trial)
            if normalised(trial) < normalised(leader):
                self._best[trial.workload] = trial

    def record(self, outcome: Outcome, kind: str) -> tuple[Trial, ...]:
        """Commit what became of one candidate, one row per point; they are durable when this returns."""
        made = tuple(
            self._row(outcome.candidate, timing, kind, outcome.candidate.number + i, outcome.worker, outcome)
            for i, timing in enumerate(outcome.timings)
        )
        return self._commit(made)

    def record_duels(self, candidates: Sequence[Candidate], fought: Iterable[Duel], kind: str) -> tuple[Trial, ...]:
        """Commit interleaved samples of those who gave any and are not there yet, all in one transaction."""
        fresh = [
            (candidate, Timing(duel.point, Status.OK, tuple(samples), state=duel.state), duel.worker)
            for duel in fought
            for candidate, samples in zip(candidates, duel.samples, strict=True)
            if samples and not self.has(candidate.workload, kind, candidate.contender, duel.point)
        ]
        made = tuple(
            self._row(c, timing, kind, self.following + i, worker) for i, (c, timing, worker) in enumerate(fresh)
        )
        return self._commit(made)

    def _commit(self, made: tuple[Trial, ...]) -> tuple[Trial, ...]:
        kept = tuple(self.store.append_trials(made))
        for trial in kept:
            self._remember(trial)
        return kept

    def _row(
        self, candidate: Candidate, timing: Timing, kind: str, order: int, worker: str, outcome: Outcome | None = None
    ) -> Trial:
        by = number_to_facts(self.membership.number_of(worker))
        return Trial(
            id=self._id(kind, candidate, timing.point),
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
            facts={**(without_state(outcome.facts) if outcome else {}), **to_facts(timing.state), **by},
            kind=kind,
            seed_order=order,
            versions=self.versions(candidate.template),
            device=outcome.device if outcome else self.device,
            campaign_id=self.campaign.id,
            created=self.now(),
        )

    def worker_of(self, trial: Trial) -> str:
        """Who measured it; nothing where that was not kept."""
        number = number_in(trial.facts)
        if number > len(self._names):
            self._names = tuple(map(str, self.store.campaign(self.campaign.id).options.get(WORKERS, ())))
        return self._names[number - 1] if 0 < number <= len(self._names) else ""

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
        progress = PROGRESS.dump(Progress(round(spent, 3), done, self.opened))
        self.store.set_option(self.campaign.id, "progress", progress)

    def end(self, state: str, spent: float) -> None:
        self.checkpoint(spent)
        self.store.update_campaign(self.campaign.id, state=state, finished=self.now() if state == "finished" else None)

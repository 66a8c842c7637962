"""Measuring for a campaign: asks the runner, commits what comes back, and tells whoever listens. In that order.

Measuring ends when the time does, when someone asks it to stop (after the trial in flight), or when it cannot go on.
What the ledger already has is never measured again, which is all there is to resuming a phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from anytile.db.records.records import Status, Trial
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.budget import Budget, Deadline
from anytile.tuner.ledger.events import Listener, PhaseStarted, TrialDone
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.ledger import Ledger, normalised
from anytile.tuner.protocol.candidate import Candidate, Outcome, Runner, TimingPolicy, point_of

# Short repeats and more of them: the median of five shrugs off a disturbance that spoils two.
SCAN = TimingPolicy(repeats=5, min_repeat_ms=2.5)


class Stopped(Exception):
    """Someone asked the campaign to stop; everything measured so far is stored."""


@dataclass
class Measurer:
    """Measures candidates phase by phase; `last_duel` is what the phase's latest took, in seconds."""

    runner: Runner
    ledger: Ledger
    budget: Budget
    stop: Stop
    tell: Listener
    last_duel: float = 0.0  # a duel cannot be cut off in the middle, so the next one is not begun in vain

    def begin(
        self, workload: Workload, phase: str, total: int | None, deadline: Deadline, space: int | None = None
    ) -> None:
        self.check()
        self.last_duel = 0.0
        self.tell(PhaseStarted(workload, phase, total, deadline.left, space))

    def check(self) -> None:
        if self.stop():
            raise Stopped
        self.ledger.membership.require_settling()

    def measure(self, phase: str, candidates: Sequence[Candidate], policy: TimingPolicy, deadline: Deadline) -> bool:
        """Measure what the ledger lacks of these; False when the time ran out before all of it was done."""
        number, wanted = self.ledger.following, []
        for one in self._lacking(phase, candidates):
            wanted.append(replace(one, number=number))
            number += len(one.points)
        return self.measure_taken(phase, wanted, policy, deadline)

    def take(self, phase: str, candidates: Sequence[Candidate], most: int | None = None) -> list[Candidate] | None:
        """What the ledger lacks of these and nobody else has in hand, up to so many trials of all together; None where
        others ended the phase."""
        return self.ledger.leased(phase, list(self._lacking(phase, candidates)), most)

    def measure_taken(self, phase: str, wanted: Sequence[Candidate], policy: TimingPolicy, deadline: Deadline) -> bool:
        """Measure what is lacking for sure."""
        if not wanted:
            return True
        if deadline.passed():
            return False
        outcomes = self.runner.run(wanted, policy)
        with closing(_Closeable(outcomes)):  # what is still in the making is dropped with the iterator
            for done, outcome in enumerate(outcomes, start=1):
                self._tell(phase, self.ledger.record(outcome, phase))
                self.check()
                if deadline.passed() and done < len(wanted):
                    return False
        return True

    def duel(
        self, phase: str, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy, deadline: Deadline
    ) -> bool:
        """Time these against each other at the points that any of them lacks; False when the time ran out.

        A duel does not say why somebody dropped out of it; who did is measured alone, to have it in the row.
        """
        points = tuple(dict.fromkeys(p for one in self._lacking(phase, candidates) for p in one.points))
        if not points:
            return True
        if deadline.passed() or (deadline.left is not None and deadline.left < self.last_duel / 2):
            return False
        rivals = [replace(one, points=points, number=self.ledger.following) for one in candidates]
        began = self.budget.spent
        self._tell(phase, self.ledger.record_duels(rivals, self.runner.duel(rivals, rounds, policy), phase))
        self.last_duel = self.budget.spent - began
        self.check()
        return self.measure(phase, rivals, policy, deadline)

    def _lacking(self, phase: str, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        for one in candidates:
            points = tuple(p for p in one.points if not self.ledger.has(one.workload, phase, one.contender, p))
            if points:
                yield replace(one, points=points)

    def catch_up(self) -> None:
        """Take over what others measured."""
        for trial in self.ledger.sync():
            self._tell(trial.kind, [trial])

    def _tell(self, phase: str, rows: Iterable[Trial]) -> None:
        for trial in rows:
            seconds = normalised(trial)
            ok = trial.status is Status.OK
            self.tell(
                TrialDone(
                    workload=trial.workload,
                    phase=phase,
                    number=trial.seed_order,
                    config=trial.config,
                    point=point_of(trial.point),
                    status=trial.status,
                    seconds=seconds,
                    gflops=trial.workload.flops(trial.point) / seconds / 1e9 if ok else 0.0,
                    reason=trial.reason,
                    best=self.ledger.best(trial.workload),
                    elapsed=self.budget.spent,
                    left=self.budget.left,
                    template=trial.template,
                    worker=self.ledger.worker_of(trial),
                )
            )


@dataclass
class _Closeable:
    """`closing` for any iterator: generators close, others have nothing to close."""

    iterator: Iterator[Outcome]

    def close(self) -> None:
        close = getattr(self.iterator, "close", None)
        if close is not None:
            close()

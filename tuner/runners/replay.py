"""The replay runner, without hardware: answers from stored trials, always the same way.

What was stored as a failure is replayed as that failure. What was never measured is a `constraint` with a reason, so
that a search over a partly measured space goes on and simply learns that there is nothing there.

A campaign also looks at code that it then does not measure, of which nothing is stored. That is compiled again, so that
a replay takes the same turns; where the stored trials have no facts at all, there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.protocol.candidate import Candidate, Duel, Facts, Outcome, Point, Timing, TimingPolicy, point_of
from anytile.tuner.protocol.machine_state import of_facts, without_state, worst

MISSING = "not among the replayed trials"
_KINDS = ("search", "cross", "profile", "confirm", "again", "pair")

_Key = tuple[Workload, str, Config, Point]


class ReplayRunner:
    """Looks up (workload, template, config, point). Of several trials it takes the same one every time: of the
    candidate's own target if there is one, then by kind (search first), then the oldest."""

    name = "replay"

    def __init__(self, trials: Iterable[Trial]) -> None:
        self._trials: dict[_Key, list[Trial]] = {}
        for trial in trials:
            key = (trial.workload, trial.template, trial.config, point_of(trial.point))
            self._trials.setdefault(key, []).append(trial)
        for stored in self._trials.values():
            stored.sort(key=_rank)
        self._with_facts = any(trial.facts for stored in self._trials.values() for trial in stored)
        self._builders = BuilderPool()

    def prepare(self, target: Target) -> None:
        return None  # the trials are all there is to it

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        for candidate in candidates:
            found = [self._find(candidate, point) for point in candidate.points]
            timings = tuple(
                Timing(point, Status.CONSTRAINT, reason=MISSING)
                if trial is None
                else Timing(point, trial.status, trial.samples, trial.reason, of_facts(trial.facts))
                for point, trial in zip(candidate.points, found, strict=True)
            )
            first = next((trial for trial in found if trial is not None), None)
            if first is None:
                yield Outcome(candidate, timings)
            else:
                facts = without_state(first.facts)
                yield Outcome(candidate, timings, first.build_seconds, first.drift, first.device, facts)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Facts]:
        found = [next(filter(None, (self._find(c, p) for p in c.points)), None) for c in candidates]
        unknown = [c for c, trial in zip(candidates, found, strict=True) if trial is None]
        # What does not compile had been measured, to have the failure stored: here, it is another compiler's failure.
        built = iter(self._builders.build(unknown, policy.build_timeout_s) if self._with_facts else ())
        facts: list[Facts] = []
        for trial in found:
            if trial is None:
                anew = next(built, None)
                facts.append((anew.facts if anew is not None else None) or {})
            else:
                built_at_all = trial.status not in (Status.COMPILE_ERROR, Status.CONSTRAINT)
                facts.append(without_state(trial.facts) if built_at_all else None)
        return facts

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        """The stored samples, over and over until there are as many as rounds; none for what was not measured."""
        points = candidates[0].points if candidates else ()
        return [self._duel(candidates, point, rounds) for point in points]

    def thinking(self) -> AbstractContextManager[None]:
        return nullcontext()  # nobody times anything for it

    def close(self) -> None:
        self._builders.close()

    def _duel(self, candidates: Sequence[Candidate], point: Point, rounds: int) -> Duel:
        found = [self._find(c, point, last_kind=True) for c in candidates]
        stored = [trial.samples if trial is not None else () for trial in found]
        samples = tuple(tuple(s[r % len(s)] for r in range(rounds)) if s else () for s in stored)
        return Duel(point, samples, worst(of_facts(trial.facts) for trial in found if trial is not None))

    def _find(self, candidate: Candidate, point: Point, *, last_kind: bool = False) -> Trial | None:
        stored = self._trials.get((candidate.workload, candidate.template, candidate.config, point), [])
        if last_kind:  # pairs, if there are any: they were stored by a duel like this one
            stored = [t for t in stored if t.kind == _KINDS[-1]] or stored
        return next((t for t in stored if t.target == candidate.target), stored[0] if stored else None)


def _rank(trial: Trial) -> tuple[int, float, int, str]:
    kind = _KINDS.index(trial.kind) if trial.kind in _KINDS else len(_KINDS)
    return kind, trial.created, trial.seed_order, trial.id

"""The runner of one machine: plain subprocesses. Builders use every core, then one worker times in quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from anytile.schedules.target import require_cores, require_runnable
from anytile.tuner.candidate import Candidate, Duel, Outcome, TimingPolicy
from anytile.tuner.farm import Farm
from anytile.tuner.lock import DeviceLock
from anytile.tuner.supervisor import Supervisor

PHASE = 32  # candidates built before they are timed: enough to keep the builders busy, few enough to see progress


class InlineRunner:
    """Owns a farm of builders and the supervisor of this machine's one device."""

    name = "inline"

    def __init__(
        self,
        lock_folder: Path | None = None,
        log: Callable[[str], None] | None = None,
        builders: int | None = None,
    ) -> None:
        self._lock = DeviceLock("cpu", lock_folder, log)
        self._farm = Farm(builders)
        self._supervisor = Supervisor(self._lock)

    @property
    def worker_pid(self) -> int | None:
        """The timing process, if one is running."""
        return self._supervisor.worker_pid

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        _require_measurable(candidates)
        for start in range(0, len(candidates), PHASE):
            with self._lock.building():
                builts = self._farm.build(candidates[start : start + PHASE], policy.build_timeout_s)
            for built in builts:
                yield self._supervisor.measure(built, policy)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Mapping[str, float] | None]:
        with self._lock.building():
            return [built.facts for built in self._farm.build(candidates, policy.build_timeout_s)]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        _require_measurable(candidates)
        with self._lock.building():
            builts = self._farm.build(candidates, policy.build_timeout_s)
        return self._supervisor.duel(builts, rounds, policy)

    def close(self) -> None:
        self._farm.close()
        self._supervisor.close()


def _require_measurable(candidates: Sequence[Candidate]) -> None:
    for target in {c.target for c in candidates}:
        require_runnable(target)
        require_cores(target)

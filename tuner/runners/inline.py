"""The runner of one machine: plain subprocesses. Builders use every core, then one worker times in quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from anytile.schedules.hardware.target import Target
from anytile.tuner.builders.builder_pool import Farm
from anytile.tuner.measure.benches import Bench, bench_for
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.supervisor import Supervisor
from anytile.tuner.protocol.candidate import Candidate, Duel, Outcome, TimingPolicy

PHASE = 32  # candidates built before they are timed: enough to keep the builders busy, few enough to see progress


class InlineRunner:
    """Owns a farm of builders, and a supervisor for each device of this machine that a target asked for."""

    name = "inline"

    def __init__(
        self,
        lock_folder: Path | None = None,
        log: Callable[[str], None] | None = None,
        builders: int | None = None,
        bench: Callable[[Target], Bench] = bench_for,
    ) -> None:
        self._folder, self._log = lock_folder, log
        self._lock = DeviceLock("cpu", lock_folder, log)
        self._farm = Farm(builders)
        self._bench = bench
        self._supervisors: dict[str, Supervisor] = {}

    @property
    def worker_pid(self) -> int | None:
        """The timing process, if one is running."""
        running = (s.worker_pid for s in self._supervisors.values())
        return next((pid for pid in running if pid is not None), None)

    def prepare(self, target: Target) -> None:
        self._bench(target).require(target)

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        if not candidates:
            return
        supervisor = self._supervisor(candidates)
        for start in range(0, len(candidates), PHASE):
            with self._lock.building():
                builts = self._farm.build(candidates[start : start + PHASE], policy.build_timeout_s)
            for built in builts:
                yield supervisor.measure(built, policy)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Mapping[str, float] | None]:
        with self._lock.building():
            return [built.facts for built in self._farm.build(candidates, policy.build_timeout_s)]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        if not candidates:
            return []
        supervisor = self._supervisor(candidates)
        with self._lock.building():
            builts = self._farm.build(candidates, policy.build_timeout_s)
        return supervisor.duel(builts, rounds, policy)

    def close(self) -> None:
        self._farm.close()
        for supervisor in self._supervisors.values():
            supervisor.close()

    def _supervisor(self, candidates: Sequence[Candidate]) -> Supervisor:
        """Whoever times on the device that all of these are for."""
        benches = {target: self._bench(target) for target in {c.target for c in candidates}}
        for target, bench in benches.items():
            bench.require(target)
        (lock,) = {bench.lock for bench in benches.values()}
        if lock not in self._supervisors:
            self._supervisors[lock] = next(iter(benches.values())).supervisor(self._folder, self._log)
        return self._supervisors[lock]

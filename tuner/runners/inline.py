"""The runner of one machine: plain subprocesses. Builders use every core, then one worker times in quiet."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from anytile.schedules.hardware.target import Target
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.measure.device_lock import DeviceLock, SharedCores
from anytile.tuner.protocol.candidate import Candidate, Duel, Facts, Outcome, TimingPolicy
from anytile.tuner.runners.timing_setups import Supervisors, TimingSetup, timing_setup

TURN_S = 2.0  # for so long the device is kept where others wait for it
PHASE = 32  # candidates built before they are timed: enough to keep the builders busy, few enough to see progress


class InlineRunner:
    """Owns a pool of builders and the supervisors of this machine's devices."""

    name = "inline"

    def __init__(
        self,
        lock_folder: Path | None = None,
        log: Callable[[str], None] | None = None,
        builders: int | None = None,
        setup: Callable[[Target], TimingSetup] = timing_setup,
    ) -> None:
        self._cores = SharedCores(DeviceLock("cpu", lock_folder, log))
        self._builders = BuilderPool(builders, cores=self._cores)
        self._setup = setup
        self._supervisors = Supervisors(lock_folder, log, setup)

    @property
    def worker_pid(self) -> int | None:
        """The timing process, if one is running."""
        return self._supervisors.worker_pid

    def prepare(self, target: Target) -> None:
        self._setup(target).require(target)

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        if not candidates:
            return
        supervisor = self._supervisors.of(c.target for c in candidates)
        for start in range(0, len(candidates), PHASE):
            with self._cores.building():
                builts = self._builders.build(candidates[start : start + PHASE], policy.build_timeout_s)
            waiting = deque(builts)
            while waiting:
                with supervisor.holding():
                    until = time.monotonic() + TURN_S
                    yield supervisor.measure(waiting.popleft(), policy)
                    while waiting and time.monotonic() < until:
                        yield supervisor.measure(waiting.popleft(), policy)

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Facts]:
        with self._cores.building():
            return [built.facts for built in self._builders.build(candidates, policy.build_timeout_s)]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        if not candidates:
            return []
        supervisor = self._supervisors.of(c.target for c in candidates)
        with self._cores.building():
            builts = self._builders.build(candidates, policy.build_timeout_s)
        return supervisor.duel(builts, rounds, policy)

    def thinking(self) -> AbstractContextManager[None]:
        return self._cores.building()

    def close(self) -> None:
        self._builders.close()
        self._supervisors.close()

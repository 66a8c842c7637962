"""A pool of builder processes, as many as there are cores, and the queue in front of them.

A builder that dies or exceeds its time costs the one candidate it was building; another takes its place. Who waits to
time on the cores that are built on has them before the next candidate, and not when all are built.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import usable_cores
from anytile.tuner.builders.recent_builds import RecentBuilds
from anytile.tuner.measure.device_lock import SharedCores
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.child import Child, ChildLost
from anytile.tuner.protocol.messages import CANDIDATE, UNREADABLE, Built, read_built

_LEAST_MEMORY = 4 << 30


@dataclass(slots=True)
class _Job:
    index: int
    candidate: Candidate
    until: float


class BuilderPool:
    """Builds in parallel; remembers the builds of late."""

    def __init__(
        self,
        builders: int | None = None,
        module: str = "anytile.tuner.builders.builder",
        cores: SharedCores | None = None,
    ) -> None:
        """`cores` are those that are held while it builds; without them nobody times beside it."""
        self.count = builders or usable_cores()
        self._cores = cores
        self._module = module
        self._idle: list[Child] = []
        self._busy: dict[Child, _Job] = {}
        self._kept = RecentBuilds()

    def build(self, candidates: Sequence[Candidate], timeout: float) -> list[Built]:
        """One answer per candidate, in their order."""
        return self._kept.fill(candidates, lambda lacking: self._build(lacking, timeout))

    def _build(self, candidates: Sequence[Candidate], timeout: float) -> list[Built]:
        answers: dict[int, Built] = {}
        waiting = deque(enumerate(candidates))
        try:
            while waiting or self._busy:
                if waiting and self._may_begin():
                    while waiting and len(self._busy) < self.count:
                        self._begin(*waiting.popleft(), timeout=timeout)
                for child in self._ready():
                    job = self._busy.pop(child)
                    answers[job.index] = self._finish(child, job, timeout)
        except BaseException:  # also Ctrl-C: a busy builder's answer must not be taken for the next one's
            self.close()
            raise
        return [answers[i] for i in range(len(candidates))]

    def close(self) -> None:
        for child in (*self._idle, *self._busy):
            child.close()
        self._idle.clear()
        self._busy.clear()

    def _may_begin(self) -> bool:
        """Not while somebody waits for the cores: he has them as soon as no builder is at work."""
        if self._cores is None or not self._cores.is_wanted():
            return True
        if self._busy:
            return False
        self._cores.give_way()
        return True

    def _begin(self, index: int, candidate: Candidate, timeout: float) -> None:
        while True:
            idle = self._idle.pop() if self._idle else None
            child = idle or Child(self._module, ["--memory", str(self._memory())])
            try:
                child.send({"candidate": CANDIDATE.dump(candidate)})
                break
            except ChildLost:  # while it was idle: nobody's fault
                if idle is None:
                    raise
        self._busy[child] = _Job(index, candidate, time.monotonic() + timeout)

    def _memory(self) -> int:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return max(_LEAST_MEMORY, physical // self.count)

    def _ready(self) -> list[Child]:
        """The builders that have something to say, or whose time is up."""
        now = time.monotonic()
        first = min(job.until for job in self._busy.values())
        poll = select.poll()
        for child in self._busy:
            poll.register(child.fileno(), select.POLLIN)
        said = {fd for fd, _ in poll.poll(max(0.0, first - now) * 1000)}
        now = time.monotonic()
        return [c for c, job in self._busy.items() if c.fileno() in said or job.until <= now]

    def _finish(self, child: Child, job: _Job, timeout: float) -> Built:
        try:
            header, blobs = child.receive(max(0.0, job.until - time.monotonic()))
        except ChildLost as lost:
            reason = f"not built within {timeout:.3g} s" if lost.timed_out else f"the compiler {lost}"
            return Built(job.candidate, None, (), Status.COMPILE_ERROR, reason)
        try:
            built = read_built(job.candidate, header, blobs[0] if blobs else b"")
        except UNREADABLE as error:
            child.close()
            return Built(job.candidate, None, (), Status.COMPILE_ERROR, f"the compiler sent garbage: {error}")
        self._idle.append(child)
        return built

"""Simulated GPU with queues: what it is asked is done when somebody waits for it, or by chance before.

The slowest device that is still right, so a result that is read without a wait is seen on a CPU to be wrong. `chance`
is how likely it does its next work whenever it is given more; for one thread what it does when is the same in every
run. Memory and code that nobody holds any more are kept until the work is done that was given before, as `CudaDevice`
says.
"""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from tests.support.stand_ins.simulated_gpu import SimMemory, SimModule, SimulatedGpu

_Work = tuple[Callable[[], None], tuple[SimMemory | SimModule, ...]]


class QueuedGpu(SimulatedGpu):
    """`waits` counts how often somebody waited for a stream, `longest` is the most work that was ever waiting."""

    def __init__(self, chance: float = 0.0, memory: int = 1 << 30) -> None:
        super().__init__(memory=memory)
        self._chance, self._random = chance, random.Random(0)
        self._queues: dict[int, deque[_Work]] = {}
        self.waits = self.longest = 0
        self._lock = threading.RLock()

    def _do(self, work: Callable[[], None], stream: int) -> None:
        if self._recording is not None and self._captured(stream):
            super()._do(work, stream)
            return
        with self._lock:
            queue = self._queues.setdefault(stream, deque())
            queue.append((work, (*self._live.values(), *self.modules.values())))
            self.longest = max(self.longest, len(queue))
            while queue and self._random.random() < self._chance:
                self._next(queue)

    def _next(self, queue: deque[_Work]) -> None:
        work, _ = queue.popleft()
        if self.broken is None:
            work()

    def wait(self, stream: int) -> None:
        self.waits += 1
        self._drain(stream)
        self._well()

    def _drain(self, stream: int) -> None:
        with self._lock:
            queue = self._queues.get(stream, deque())
            while queue:
                self._next(queue)

    def synchronise(self) -> None:
        super().synchronise()
        for stream in list(self._queues):
            self._drain(stream)
        self._well()

    def write(self, address: int, data: NDArray[Any]) -> None:
        self.synchronise()
        super().write(address, data)

    def read(self, address: int, nbytes: int) -> NDArray[Any]:
        self.synchronise()
        return super().read(address, nbytes)

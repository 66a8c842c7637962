"""The supervisor of a device's worker process: feeds it, holds it to its deadlines, buries it, starts another.

Whatever a candidate does, it costs that candidate's timings and at most one worker; the reason names what was being
done at the time. The device's lock is held while a worker works, and between what it is given on end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.quiet_machine import SAVED, SHARE
from anytile.tuner.protocol.candidate import Duel, Outcome, Point, Timing, TimingPolicy
from anytile.tuner.protocol.child import Child, ChildLost
from anytile.tuner.protocol.codecs import STATUS
from anytile.tuner.protocol.messages import (
    DUEL,
    SECONDS,
    TIMING,
    TIMING_REQUEST,
    UNREADABLE,
    Built,
    Json,
    TimingRequest,
)

_OURS_TIMEOUT = 300.0  # making inputs and references for a huge shape is our own work
_SHORTEST_TIMEOUT = 2.0
_HOPELESS = 1000.0  # a stage makes a few dozen calls; who takes this many times the best is no contender
_REPEAT_MARGIN = 10.0
_REFERENCE_EVERY = 5.0

T = TypeVar("T")


class _Told(Exception):
    """The worker says that a candidate failed."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Supervisor:
    """Measures what was built, one at a time."""

    def __init__(self, lock: DeviceLock, device: str, module: str, may_be_lost: bool = False) -> None:
        """`module` is the worker's program. With `may_be_lost` a device may fail for good: after a worker's end it is
        seen to answer before anyone is blamed."""
        self.device = device
        self._may_be_lost = may_be_lost
        self._lock = lock
        self._module = module
        self._child: Child | None = None
        self._threads = 0
        self._is_held = False
        self._doing = ""
        self._number = 0
        self._first_reference: float | None = None
        self._drift = 1.0
        self._drift_at = float("-inf")

    @property
    def worker_pid(self) -> int | None:
        """The worker's process, if one is running."""
        return self._child.pid if self._child is not None else None

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Keep the device for several candidates on end. Who builds would else come between any two of them, and two
        campaigns would build by turns and not at the same time."""
        with self._lock.timing():
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    def _device(self) -> AbstractContextManager[None]:
        return nullcontext() if self._is_held else self._lock.timing()

    def measure(self, built: Built, policy: TimingPolicy) -> Outcome:
        """Check and time one candidate at all its points. What fails at one point fails all that are not yet timed."""
        if built.artifact is None:
            return built.failed(built.status, built.reason)
        done: dict[Point, Timing] = {}
        points = built.candidate.points
        limit = _stage_limit(policy) + _REPEAT_MARGIN * policy.repeats * policy.min_repeat_ms / 1e3
        status, reason = Status.CRASHED, "the worker left this point out"
        with self._device():
            self._reference(built.candidate.target.threads)
            try:
                for timing in self._ask("measure", [built], points, policy, limit, lambda d: TIMING.load(d["timing"])):
                    done[timing.point] = timing
            except _Told as told:
                status, reason = told.status, told.reason
            except ChildLost as lost:
                status = Status.TIMEOUT if lost.timed_out else Status.CRASHED
                reason = f"{lost} while {self._doing}" if self._doing else str(lost)
            if self._may_be_lost and self._child is None:
                self._worker(built.candidate.target.threads)  # its start looks at the device, and raises
        return built.outcome(
            [done.get(p) or Timing(p, status, reason=reason) for p in points], self._drift, self.device
        )

    def duel(self, builts: Sequence[Built], rounds: int, policy: TimingPolicy) -> list[Duel]:
        """Interleaved rounds at every point of the first candidate. A candidate that fails leaves with no samples."""
        points = builts[0].candidate.points if builts else ()
        fit = [i for i, b in enumerate(builts) if b.artifact is not None]
        with self._device():
            while fit:
                try:
                    return self._duel(builts, fit, points, rounds, policy)
                except (_Told, ChildLost):
                    # In a stage of all rivals nobody can be blamed; the last one goes, so that this ends.
                    fit.pop(self._number if 0 <= self._number < len(fit) else -1)
        return [Duel(p, tuple(() for _ in builts)) for p in points]

    def close(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None

    def _duel(
        self, builts: Sequence[Built], fit: Sequence[int], points: Sequence[Point], rounds: int, policy: TimingPolicy
    ) -> list[Duel]:
        rivals = [builts[i] for i in fit]
        limit = policy.timeout_s + _REPEAT_MARGIN * rounds * len(rivals) * policy.min_repeat_ms / 1e3
        found = []
        for duel in self._ask("duel", rivals, points, policy, limit, lambda d: DUEL.load(d["duel"]), rounds=rounds):
            of = dict(zip(fit, duel.samples, strict=True))
            found.append(Duel(duel.point, tuple(of.get(i, ()) for i in range(len(builts))), duel.state))
        return found

    def _ask(
        self,
        op: str,
        builts: Sequence[Built],
        points: Sequence[Point],
        policy: TimingPolicy,
        limit: float,
        read: Callable[[Json], T],
        rounds: int = 0,
    ) -> Iterator[T]:
        """Send one request and yield what `read` makes of its answers. Each stage of the worker has `limit` seconds."""
        candidate = builts[0].candidate
        artifacts = [b.artifact for b in builts if b.artifact is not None]
        headers, checks = tuple(a.header() for a in artifacts), tuple(b.checks for b in builts)
        asked = TimingRequest(op, candidate.workload, tuple(points), checks, headers, policy, rounds)
        self._doing, self._number = "", 0
        try:
            child, answer = self._first_answer(asked, [a.code for a in artifacts], candidate.target.threads)
            timeout = _OURS_TIMEOUT
            while True:
                if "stage" in answer:
                    self._doing, self._number = str(answer["stage"]), int(answer["number"])
                    timeout = limit / (1 - SHARE) + SAVED if answer["waits"] else limit
                    timeout = _OURS_TIMEOUT if answer["ours"] else timeout
                elif "failed" in answer:
                    status, reason = STATUS.load(answer["failed"]), str(answer["reason"])
                    if status is Status.OK:
                        raise ValueError("it failed as ok")
                    if answer["corrupt"]:
                        self.close()
                    raise _Told(status, reason)
                elif "lost" in answer:
                    raise MeasureError(str(answer["lost"]))
                elif "done" in answer:
                    return
                else:
                    yield read(answer)
                answer, _ = child.receive(timeout)
        except _Told:
            raise
        except UNREADABLE as error:
            self.close()
            raise ChildLost(f"it sent garbage: {type(error).__name__}: {error}") from None
        except BaseException:  # also Ctrl-C, and a consumer that went away: the worker is in the middle of something
            self.close()
            raise

    def _first_answer(self, asked: TimingRequest, code: Sequence[bytes], threads: int) -> tuple[Child, Json]:
        """Ask a worker, and another if the first was gone before it said anything: what ends while it is idle counts as
        alive until its last thread has ended."""
        for is_last in (False, True):
            child = self._worker(threads)
            try:
                child.send(TIMING_REQUEST.dump(asked), code)
                return child, child.receive(_OURS_TIMEOUT)[0]
            except ChildLost as lost:
                if is_last or not lost.died:
                    raise
                self.close()
        raise AssertionError("the last one returns or raises")

    def _reference(self, threads: int) -> None:
        """Time the reference kernel again if that was a while ago."""
        if time.monotonic() - self._drift_at < _REFERENCE_EVERY:
            return
        child = self._worker(threads)
        try:
            child.send({"op": "reference"})
            answer, _ = child.receive(_OURS_TIMEOUT)
            if "lost" in answer:
                raise MeasureError(str(answer["lost"]))
            seconds = SECONDS.load(answer["reference"])
        except (*UNREADABLE, ChildLost) as error:
            self.close()
            raise MeasureError(f"the reference kernel cannot be timed on {self.device}: {error}") from None
        except BaseException:
            self.close()
            raise
        if self._first_reference is None:
            self._first_reference = seconds
        self._drift, self._drift_at = seconds / self._first_reference, time.monotonic()

    def _worker(self, threads: int) -> Child:
        """The worker, alive, on as many cores as the target has threads; the threads of a team inherit them."""
        if self._child is not None and (not self._child.alive or self._threads != threads):
            self.close()
        if self._child is None:
            self._child = Child(self._module, ["--threads", str(threads)], threads)
            self._threads = threads
        return self._child


def _stage_limit(policy: TimingPolicy) -> float:
    """Seconds one stage may take: far beyond any contender, never beyond the policy's own limit."""
    if policy.best_seconds is None:
        return policy.timeout_s
    return min(policy.timeout_s, max(_SHORTEST_TIMEOUT, _HOPELESS * policy.best_seconds))

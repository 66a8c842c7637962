"""The timing worker's request loop. Workers are the only processes that run candidates' code.

It checks before it times, says what it is about to do before it does it (so that its parent knows what killed it),
and trusts nothing it has run: after foreign code wrote out of bounds it asks to be replaced. The programs are
`cpu.worker` and `cuda.worker`, which open their device and leave the rest to `run_worker`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, Generic

from anytile.codegen.artifact import Artifact
from anytile.core.errors import AnytileError, MeasureError
from anytile.db.records.records import Status
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure import sampling
from anytile.tuner.measure.device_api import Failed, P, T, TimingDevice, name_point
from anytile.tuner.protocol import isolate, wire
from anytile.tuner.protocol.candidate import Point
from anytile.tuner.protocol.messages import DUEL, TIMING, TIMING_REQUEST


class Worker(Generic[T, P]):
    """Answers one request after another until the pipe closes."""

    def __init__(self, link: isolate.Link, device: TimingDevice[T, P]) -> None:
        self._link = link
        self._device = device

    def serve(self) -> None:
        answers = {"reference": self._drift, "measure": self._measure, "duel": self._duel}
        self._say(hello="worker")
        while True:
            request, blobs = wire.receive(self._link.inward)
            try:
                answers[request["op"]](request, blobs)
            except Failed as error:
                self._say(failed=error.status.value, reason=error.reason, corrupt=error.corrupt)
            except MeasureError as error:
                self._say(lost=str(error))

    def _say(self, **words: Any) -> None:
        wire.send(self._link.outward, words)

    def _stage(self, doing: str, *, ours: bool = False, waits: bool = False, number: int = 0) -> None:
        """Announce what comes next; `ours` when it is our own work, which is not on the candidate's clock.

        It `waits` where it is timed, for a machine that is whole.
        """
        self._say(stage=doing, ours=ours, waits=waits, number=number)

    def _drift(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        self._say(done=True, reference=self._device.reference())

    def _measure(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        asked = TIMING_REQUEST.load(request)
        workload, points, policy = asked.workload, asked.points, asked.policy
        with closing(self._load(asked.artifacts[0], blobs[0])) as tool:
            if policy.checked:
                self._check(tool, workload, points, asked.checks[0])
            for point in points:
                self._prepare(workload, point)
                self._stage(f"timing {name_point(point)}", waits=True)
                with ExitStack() as stack:
                    (it,) = self._device.placed(stack, [tool], workload, point)
                    it.run()
                    with ExitStack() as held:
                        timing = sampling.alone(point, self._device.stopwatch(held, it, policy), policy)
                    if policy.checked:
                        it.judge()
                self._say(timing=TIMING.dump(timing))
        self._say(done=True)

    def _duel(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        """All rivals are checked before any is timed; a stage's number tells the parent whose code is running."""
        asked = TIMING_REQUEST.load(request)
        workload, points, policy = asked.workload, asked.points, asked.policy
        with ExitStack() as loaded:
            those: list[T] = []
            for i, (header, code, checks) in enumerate(zip(asked.artifacts, blobs, asked.checks, strict=True)):
                those.append(loaded.enter_context(closing(self._load(header, code, i))))
                if policy.checked:
                    self._check(those[-1], workload, points, checks, i)
            for point in points:
                self._prepare(workload, point)
                with ExitStack() as stack:
                    rivals = self._device.placed(stack, those, workload, point)
                    for i, it in enumerate(rivals):
                        self._stage(f"warming up {name_point(point)}", number=i)
                        it.run()
                    self._stage(f"timing {len(rivals)} rivals {name_point(point)}", waits=True, number=-1)
                    repeats = [self._device.stopwatch(stack, it, policy) for it in rivals]
                    duel = sampling.in_turn(point, repeats, asked.rounds)
                self._say(duel=DUEL.dump(duel))
        self._say(done=True)

    def _load(self, header: Mapping[str, Any], code: bytes, number: int = 0) -> T:
        self._stage("loading", number=number)
        try:
            return self._device.load(Artifact.of(header, code))
        except ValueError as error:
            raise Failed(Status.COMPILE_ERROR, f"cannot be loaded: {error}") from None

    def _check(
        self, tool: T, workload: Workload, points: Sequence[Point], odd: Sequence[Point], number: int = 0
    ) -> None:
        """At the points, and at the odd sizes (or once more at the first point) in another way."""
        several = [(point, False) for point in points]
        others = [(point, True) for point in odd or points[:1]]
        for point, is_odd in (*several, *others):
            self._prepare(workload, point)
            self._stage(f"checking {name_point(point)}", number=number)
            self._device.check(tool, workload, point, is_odd)

    def _prepare(self, workload: Workload, point: Point) -> None:
        self._stage(f"preparing {name_point(point)}", ours=True)
        self._device.prepare(workload, point)


def run_worker(program: str, open_device: Callable[[int], TimingDevice[T, P]], may_map_files: bool = False) -> None:
    """A worker's whole life: cut itself off, open the device for so many threads, answer until the pipe closes.

    A device that is not there, or not any more, ends it at its start with one line, which its parent passes on.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    link = isolate.enter(args.parent, may_map_files)
    try:
        Worker(link, open_device(args.threads)).serve()
    except wire.WireClosed:
        return
    except AnytileError as error:
        raise SystemExit(str(error)) from None

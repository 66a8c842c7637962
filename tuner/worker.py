"""The timing child: `python -m anytile.tuner.worker`. The only process that runs candidates' code.

It checks before it times, says what it is about to do before it does it (so that its parent knows what killed it),
and trusts nothing it has run: after foreign code wrote out of bounds it asks to be replaced.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import Any

from anytile.codegen.artifact import Artifact
from anytile.codegen.loader import Loaded
from anytile.codegen.openmp import start_pool
from anytile.db.records import Status
from anytile.schedules.errors import AnytileError, CodegenError, UnsupportedError
from anytile.schedules.workload import Workload
from anytile.tuner import isolate, wire
from anytile.tuner.candidate import Duel, Point, Timing
from anytile.tuner.drift import reference_timer
from anytile.tuner.guarded import Place
from anytile.tuner.library import connect
from anytile.tuner.messages import duel_json, read_points, read_policy, timing_json
from anytile.tuner.oracle import CaseCache, bytes_needed
from anytile.tuner.worker_check import Constants, Failed, check, name_point, place_for_timing
from anytile.tuner.worker_time import time_alone, time_together

_MEMORY_SHARE = 0.8  # of what is available may one candidate's operands take


class Worker:
    """Answers one request after another until the pipe closes."""

    def __init__(self, link: isolate.Link, reference: Callable[[], float], threads: int = 1) -> None:
        self._link = link
        self._threads = threads
        self._reference = reference
        self._cases = CaseCache()

    def serve(self) -> None:
        answers = {"reference": self._drift, "measure": self._measure, "duel": self._duel}
        self._say(hello="worker")
        while True:
            request, blobs = wire.receive(self._link.inward)
            try:
                answers[request["op"]](request, blobs)
            except Failed as error:
                self._say(failed=error.status.value, reason=error.reason, corrupt=error.corrupt)

    def _say(self, **words: Any) -> None:
        wire.send(self._link.outward, words)

    def _stage(self, doing: str, *, ours: bool = False, number: int = 0) -> None:
        """Announce what comes next; `ours` when it is our own work, which is not on the candidate's clock."""
        self._say(stage=doing, ours=ours, number=number)

    def _drift(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        self._say(done=True, reference=self._reference())

    def _measure(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        workload, policy = Workload.parse(request["workload"]), read_policy(request["policy"])
        points = read_points(request["points"])
        with closing(self._load(request["artifacts"][0], blobs[0])) as constants:
            if policy.check:
                self._check(constants, workload, points, read_points(request["checks"][0]))
            for point in points:
                self._prepare(workload, point)
                self._stage(f"timing {name_point(point)}")
                with ExitStack() as stack:
                    (it,) = place_for_timing(stack, [constants], workload, point, self._cases)
                    it.run()
                    samples = time_alone(it, policy)
                    if policy.check:
                        it.judge()
                self._say(timing=timing_json(Timing(point, Status.OK, tuple(samples))))
        self._say(done=True)

    def _duel(self, request: dict[str, Any], blobs: list[bytes]) -> None:
        """All rivals are checked before any is timed; a stage's number tells the parent whose code is running."""
        workload, policy = Workload.parse(request["workload"]), read_policy(request["policy"])
        points = read_points(request["points"])
        with ExitStack() as loaded:
            those = []
            for i, (header, code, checks) in enumerate(
                zip(request["artifacts"], blobs, request["checks"], strict=True)
            ):
                those.append(loaded.enter_context(closing(self._load(header, code, i))))
                if policy.check:
                    self._check(those[-1], workload, points, read_points(checks), i)
            for point in points:
                self._prepare(workload, point)
                with ExitStack() as stack:
                    rivals = place_for_timing(stack, those, workload, point, self._cases)
                    for i, it in enumerate(rivals):
                        self._stage(f"warming up {name_point(point)}", number=i)
                        it.run()
                    self._stage(f"timing {len(rivals)} rivals {name_point(point)}", number=-1)
                    samples = time_together(rivals, int(request["rounds"]), policy)
                self._say(duel=duel_json(Duel(point, tuple(map(tuple, samples)))))
        self._say(done=True)

    def _load(self, header: dict[str, Any], code: bytes, number: int = 0) -> Constants:
        self._stage("loading", number=number)
        try:
            loaded = Loaded(Artifact.of(header, code))
        except (CodegenError, ValueError) as error:
            raise Failed(Status.COMPILE_ERROR, f"cannot be loaded: {error}") from None
        try:
            connect(loaded, self._threads)
        except UnsupportedError as error:
            raise Failed(Status.CONSTRAINT, str(error)) from None
        return Constants(loaded)

    def _check(
        self, constants: Constants, workload: Workload, points: Sequence[Point], odd: Sequence[Point], number: int = 0
    ) -> None:
        """The points with a wall behind every operand, the odd sizes (or the first point) with a wall before."""
        behind = [(point, Place.END) for point in points]
        before = [(point, Place.FRONT) for point in odd or points[:1]]
        for point, place in (*behind, *before):
            self._prepare(workload, point)
            self._stage(f"checking {name_point(point)}", number=number)
            check(constants, workload, point, self._cases, place)

    def _prepare(self, workload: Workload, point: Point) -> None:
        """Make the inputs and the reference, or say why this machine cannot."""
        self._stage(f"preparing {name_point(point)}", ours=True)
        need, there = bytes_needed(workload, point), isolate.available_memory()
        if there and need > _MEMORY_SHARE * there:
            reason = f"measuring at {name_point(point)} takes about {need >> 20} MiB, this machine has {there >> 20}"
            raise Failed(Status.CONSTRAINT, reason)
        try:
            self._cases.get(workload, point)
        except MemoryError as error:
            raise Failed(Status.CONSTRAINT, f"no memory for the inputs at {name_point(point)}: {error}") from None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m anytile.tuner.worker")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    link = isolate.enter(args.parent)
    try:
        isolate.pin(args.threads)
        start_pool(args.threads)
        Worker(link, reference_timer(), args.threads).serve()
    except wire.WireClosed:
        return
    except AnytileError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()

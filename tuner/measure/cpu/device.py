"""The hands of a timing child on a CPU: guarded memory around every operand, and a native loop for a stopwatch."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import ExitStack

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.core.available_memory import available_memory
from anytile.core.errors import CodegenError, UnsupportedError
from anytile.db.records.records import Status
from anytile.dispatch.blas.thunk import BLAS_SLOT, BLAS_WIDE
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu import check as worker_check
from anytile.tuner.measure.cpu import stopwatch
from anytile.tuner.measure.cpu.check import Constants, Placed
from anytile.tuner.measure.cpu.drift import Reference
from anytile.tuner.measure.cpu.guarded_memory import Place
from anytile.tuner.measure.device_api import Failed, name_point
from anytile.tuner.measure.oracle import CaseCache, bytes_needed
from anytile.tuner.protocol.candidate import Point, TimingPolicy

_MEMORY_SHARE = 0.8  # of what is available may one candidate's operands take


class CpuHands:
    """See `Hands`."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._reference = Reference(threads)
        self._steady = self._reference.steady()
        self._cases = CaseCache()

    def reference(self) -> float:
        return self._reference()

    def load(self, artifact: Artifact) -> Constants:
        try:
            loaded = Loaded(artifact)
        except CodegenError as error:
            raise Failed(Status.COMPILE_ERROR, f"cannot be loaded: {error}") from None
        try:
            _connect(loaded, self._threads)
        except UnsupportedError as error:
            raise Failed(Status.CONSTRAINT, str(error)) from None
        return Constants(loaded)

    def prepare(self, workload: Workload, point: Point) -> None:
        need, there = bytes_needed(workload, point), available_memory()
        if there and need > _MEMORY_SHARE * there:
            reason = f"measuring at {name_point(point)} takes about {need >> 20} MiB, this machine has {there >> 20}"
            raise Failed(Status.CONSTRAINT, reason)
        try:
            self._cases.get(workload, point)
        except MemoryError as error:
            raise Failed(Status.CONSTRAINT, f"no memory for the inputs at {name_point(point)}: {error}") from None

    def check(self, tool: Constants, workload: Workload, point: Point, odd: bool) -> None:
        """With a wall behind every operand, at odd points before."""
        worker_check.check(tool, workload, point, self._cases, Place.FRONT if odd else Place.END)

    def placed(self, stack: ExitStack, tools: Sequence[Constants], workload: Workload, point: Point) -> list[Placed]:
        return worker_check.place_for_timing(stack, tools, workload, point, self._cases)

    def time_alone(self, it: Placed, policy: TimingPolicy) -> list[float]:
        return stopwatch.time_alone(it, policy, self._steady)

    def time_together(self, those: Sequence[Placed], rounds: int, policy: TimingPolicy) -> list[list[float]]:
        return stopwatch.time_together(those, rounds, policy, self._steady)


def _connect(loaded: Loaded, threads: int) -> None:
    """Give loaded code the library's address in this process, if it asks for one."""
    try:
        slot, wide = loaded.address(BLAS_SLOT), loaded.address(BLAS_WIDE)
    except CodegenError:
        return  # no range of it runs a library
    from anytile.dispatch.blas import in_plans  # only now: few candidates need it, and a worker is to start soon

    found = in_plans.resolve(in_plans.LIBRARY, threads)
    ctypes.c_void_p.from_address(slot).value = found.address
    ctypes.c_int32.from_address(wide).value = int(found.ilp64)

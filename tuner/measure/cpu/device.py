"""The timing worker's device on a CPU: guarded memory around every operand, and a native loop for a stopwatch."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import CodegenError, UnsupportedError
from anytile.db.records.records import Status
from anytile.dispatch.blas.thunk import BLAS_SLOT, BLAS_WIDE
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.check import Constants, Placed
from anytile.tuner.measure.cpu.drift import Reference
from anytile.tuner.measure.cpu.guarded_memory import Place
from anytile.tuner.measure.cpu.stopwatch import stopwatch
from anytile.tuner.measure.cpu.streams import Streams
from anytile.tuner.measure.device_api import Failed, prepare_case
from anytile.tuner.measure.oracle import CaseCache
from anytile.tuner.measure.sampling import Stopwatch
from anytile.tuner.protocol.candidate import Point, TimingPolicy
from anytile.tuner.protocol.machine_state import Part


class CpuTimingDevice:
    """See `TimingDevice`."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._reference = Reference(threads)
        self._steady = self._reference.steady()
        self._streams = Streams()
        self._cases = CaseCache()

    def reference(self) -> float:
        return self._reference()

    def load(self, artifact: Artifact) -> Constants:
        try:
            loaded = Loaded(artifact)
        except CodegenError as error:
            raise Failed(Status.COMPILE_ERROR, f"cannot be loaded: {error}") from None
        try:
            calls_library = _connect(loaded, self._threads)
        except UnsupportedError as error:
            raise Failed(Status.CONSTRAINT, str(error)) from None
        return Constants(loaded, foreign=calls_library and self._threads > 1)

    def prepare(self, workload: Workload, point: Point) -> None:
        prepare_case(self._cases, workload, point)

    def check(self, tool: Constants, workload: Workload, point: Point, odd: bool) -> None:
        """With a wall behind every operand, at odd points before."""
        case, place = self._cases.get(workload, point), Place.FRONT if odd else Place.END
        with closing(Placed(tool, workload, point, case, place)) as it:
            it.run()
            it.judge()

    def placed(self, stack: ExitStack, tools: Sequence[Constants], workload: Workload, point: Point) -> list[Placed]:
        """On cache lines, each with operands of its own."""
        case = self._cases.get(workload, point)
        return [stack.enter_context(closing(Placed(one, workload, point, case, Place.TIMED))) for one in tools]

    def stopwatch(self, stack: ExitStack, it: Placed, policy: TimingPolicy) -> Stopwatch:
        parts = self._streams.parts(it.working_set)
        if Part.MEMORY in parts:
            self._streams.prepare()
        return stopwatch(stack, it, policy, self._steady, partial(self._look, parts, it))

    def _look(self, parts: Collection[Part], it: Placed) -> Mapping[Part, float]:
        """At what a kernel waits for, now: for the last cache, on the operand that it read last."""
        seconds = dict(self._reference.look())
        if Part.MEMORY in parts:
            seconds[Part.MEMORY] = self._streams.memory()
        if Part.CACHE in parts and it.packed is not None and self._streams.reaches(it.packed.size):
            seconds[Part.CACHE] = self._streams.cache(it.packed.address, it.packed.size)
        return seconds


def _connect(loaded: Loaded, threads: int) -> bool:
    """Give loaded code the library's address in this process, if it asks for one: whether it does."""
    try:
        slot, wide = loaded.address(BLAS_SLOT), loaded.address(BLAS_WIDE)
    except CodegenError:
        return False  # no range of it runs a library
    from anytile.dispatch.blas import in_plans  # only now: few candidates need it, and a worker is to start soon

    found = in_plans.resolve(in_plans.LIBRARY, threads)
    ctypes.c_void_p.from_address(slot).value = found.address
    ctypes.c_int32.from_address(wide).value = int(found.ilp64)
    return True

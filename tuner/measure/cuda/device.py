"""The timing worker's device on a GPU: guarded operands for the check, CUDA graphs between events for the stopwatch.

A repeat replays a graph of calls whose operands take turns, so neither the host's pace nor a warm cache is measured.
A campaign's calls begin early, where kernels wait themselves and the driver has graphs of such, as those of a model
may: what a config does before its turn shows in no other way.
Clocks are left alone. What breaks the context is the candidate's failure and the end of this process; a device that is
gone is nobody's failure.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import ParamSpec, TypeVar

from anytile.codegen.artifact import Artifact
from anytile.core.errors import AnytileError, MeasureError
from anytile.db.records.records import Status
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import BrokenContext, CudaDevice, DoesNotFit, Memory, OutOfDeviceMemory
from anytile.dispatch.cuda.loaded import Loaded, Ready, clear
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Cases, Operands
from anytile.tuner.measure.cuda.drift import Reference
from anytile.tuner.measure.cuda.operands import Copies, Guarded, Stock, bytes_on_device, judge_output
from anytile.tuner.measure.device_api import Failed, name_point
from anytile.tuner.measure.sampling import Stopwatch
from anytile.tuner.protocol.candidate import Point, TimingPolicy
from anytile.tuner.protocol.machine_state import Sample

_DEVICE_SHARE = 0.9
_MOST_CALLS = 256  # of one graph
_ONCE_THROUGH = 20e-3  # seconds that a graph may take for all copies to have their turn
_SHORTEST = 1e-9
_EARLY_IN_GRAPHS = (12, 3)  # the driver's CUDA from which on an edge of a graph may say that a kernel begins early
_SHIFT = 16  # what an odd check moves operands by: kernels may count on no more alignment than that
P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def blamed() -> Iterator[None]:
    """What goes wrong on the device while a candidate is at work, as its failure."""
    try:
        yield
    except BrokenContext as error:
        raise Failed(Status.CRASHED, str(error), corrupt=True) from None
    except (OutOfDeviceMemory, DoesNotFit) as error:
        raise Failed(Status.CONSTRAINT, str(error)) from None
    except MeasureError:  # the device is gone
        raise
    except AnytileError as error:
        raise Failed(Status.RUNTIME_ERROR, str(error)) from None


def _blaming(work: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> R:
        with blamed():
            return work(*args, **kwargs)

    return done


class LoadedOnGpu:
    """A candidate's kernels on the device."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def close(self) -> None:
        """Their code goes when nobody holds this."""


class CudaTimeable:
    """A candidate at one point, its workspace, and the copies of the operands that its calls take in turn. Where they
    are `early` each may begin while the one before still ends."""

    def __init__(
        self,
        loaded: Loaded,
        workload: Workload,
        point: Point,
        copies: Copies,
        case: Operands,
        stream: int,
        early: bool = False,
    ) -> None:
        self._loaded, self._device, self._case = loaded, loaded.device, case
        self._workload, self._point, self._copies = workload, point, copies
        self._ready: Ready = loaded.at(dict(point))
        self._stream, self._early = stream, early
        self._memory: Memory | None = None
        if self._ready.workspace:
            self._memory = self._device.allocate(self._ready.workspace)
            clear(self._device, self._memory.address, self._ready.workspace, 0)
        self._device.synchronise()

    @_blaming
    def run(self) -> None:
        self.calls(1)
        self._device.synchronise()

    @_blaming
    def judge(self) -> None:
        at = f"at {name_point(self._point)}"
        for tensor, address in zip(self._workload.tensors, self._copies.sets[0], strict=True):
            if tensor.output:
                judge_output(self._case, tensor, address, at)

    def calls(self, count: int) -> None:
        """So many launches, the operands in turn."""
        workspace = 0 if self._memory is None else self._memory.address
        sets = self._copies.sets
        for i in range(count):
            self._loaded.run(self._ready, sets[i % len(sets)], workspace, self._stream, self._early)

    @_blaming
    def stopwatch(self, policy: TimingPolicy) -> Callable[[], float]:
        """Warm up; each call of the result is one repeat: seconds per call."""
        each = self._device.seconds(self._stream, lambda: self.calls(1))
        sets = len(self._copies.sets)
        count = max(1, min(_MOST_CALLS, math.ceil(policy.min_repeat_ms / 1e3 / max(each, 1e-6))))
        count = max(count, min(sets, math.ceil(_ONCE_THROUGH / max(each, 1e-6))))
        count = math.ceil(count / sets) * sets if count > sets else count
        graph = self._device.record(self._stream, lambda: self.calls(count))
        spent, once = 0.0, 0.0
        while spent < policy.warmup_ms / 1e3 or not once:
            once = max(self._device.seconds(self._stream, lambda: graph.launch(self._stream)), _SHORTEST)
            spent += once
        rounds = max(1, math.ceil(policy.min_repeat_ms / 1e3 / once))

        def replay() -> None:
            for _ in range(rounds):
                graph.launch(self._stream)

        @_blaming
        def repeat() -> float:
            return max(self._device.seconds(self._stream, replay) / (rounds * count), _SHORTEST)

        return repeat


class CudaTimingDevice:
    """See `TimingDevice`."""

    def __init__(self, device: CudaDevice, reference: Reference) -> None:
        self._device = device
        self._reference = reference
        self._cases = Cases(device)
        self._stock = Stock(device)
        self._stream = device.new_stream()

    def reference(self) -> float:
        try:
            return self._reference()
        except AnytileError as error:
            raise MeasureError(f"the reference kernel cannot be timed: {error}") from None

    def load(self, artifact: Artifact) -> LoadedOnGpu:
        code = CudaCode.of(artifact.code)
        try:
            return LoadedOnGpu(Loaded(code, self._device))
        except (BrokenContext, MeasureError):
            raise
        except AnytileError as error:
            raise Failed(Status.COMPILE_ERROR, f"cannot be loaded: {error}") from None

    def prepare(self, workload: Workload, point: Point) -> None:
        at = name_point(point)
        wanted, free = 2 * bytes_on_device(workload, point), self._device.free_bytes()
        if wanted > _DEVICE_SHARE * free:
            self._stock.clear()
            if wanted > _DEVICE_SHARE * (free := self._device.free_bytes()):
                reason = f"measuring at {at} takes {wanted >> 20} MiB on the GPU, which has {free >> 20} left"
                raise Failed(Status.CONSTRAINT, reason)
        try:
            self._cases.prepare(workload, point)
        except OutOfDeviceMemory as error:
            raise Failed(Status.CONSTRAINT, str(error)) from None

    @_blaming
    def check(self, tool: LoadedOnGpu, workload: Workload, point: Point, odd: bool) -> None:
        case = self._cases.get(workload, point)
        it = Guarded(tool.loaded, workload, point, case, _SHIFT if odd else 0)
        it.run()
        it.judge()

    @_blaming
    def placed(
        self, stack: ExitStack, tools: Sequence[LoadedOnGpu], workload: Workload, point: Point
    ) -> list[CudaTimeable]:
        case = self._cases.get(workload, point)
        copies = self._stock.get(workload, point, case)
        early = self._device.facts.driver >= _EARLY_IN_GRAPHS
        return [CudaTimeable(tool.loaded, workload, point, copies, case, self._stream, early) for tool in tools]

    def stopwatch(self, stack: ExitStack, it: CudaTimeable, policy: TimingPolicy) -> Stopwatch:
        repeat = it.stopwatch(policy)
        return lambda: Sample(repeat())

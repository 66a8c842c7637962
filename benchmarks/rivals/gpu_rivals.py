"""Contenders on a GPU, all timed alike: a CUDA graph of calls whose operands take turns, replayed between two events.

Ours and cuBLAS go through the tuner's own stopwatch; torch records a graph of its own, with as many copies of its
operands. So nobody's launch from the host is measured, and nobody finds its weight in a cache. Large operands are made
and judged on the device, where that takes microseconds.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from anytile.codegen.cache import CodeCache
from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.code import CudaCode, Kernel
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.loaded import Loaded
from anytile.schedules.hardware.target import usable_cores
from anytile.schedules.index.expr import const
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Cases, MadeOnDevice, Operands
from anytile.tuner.measure.cuda.device import CudaTimeable, LoadedOnGpu
from anytile.tuner.measure.cuda.operands import Copies, Guarded, Stock, bytes_on_device
from anytile.tuner.measure.sampling import turns
from anytile.tuner.protocol.candidate import Point, TimingPolicy, point_of
from benchmarks.rivals.torch_gpu import Repeat, TorchGpu, Way, ways

SYMBOLIC, STATIC, CUBLAS = "anytile", "compiled for m", "cuBLAS"
OWN = "anytile's kernels"  # the best of the plan's own, also where the plan calls the library
EMPTY = 'extern "C" __global__ void empty() {}\n'
POLICY = TimingPolicy(min_repeat_ms=2.0, warmup_ms=1.0)
ON_DEVICE = 1 << 20  # bytes of operands from which on they are made there, if they can be
_MADE_THERE = ("dense", "batch_matmul")


@dataclass(frozen=True, slots=True)
class Contender:
    """`ready` warms up and gives the stopwatch: seconds per call over one repeat."""

    name: str
    ready: Callable[[], Repeat]


class Contest:
    """One workload with its plan, and whoever else computes it: the contenders at any m."""

    def __init__(
        self,
        device: CudaDevice,
        plan: DispatchPlan,
        torch: TorchGpu | None = None,
        cache: CodeCache | None = None,
        others: Sequence[DispatchPlan] = (),
    ) -> None:
        """`others` are plans of ours that are timed beside, as kernels of our own."""
        self.device, self.plan, self.torch, self.cache = device, plan, torch, cache
        self.workload = plan.workload
        self._tool = self._loaded(plan)
        self._others = [self._loaded(other) for other in others]
        self._variants: list[LoadedOnGpu] | None = None
        self._statics: dict[int, DispatchPlan] = {}
        self._cases, self._stock, self._stream = Cases(device), Stock(device), device.new_stream()
        self._there: tuple[Point, MadeOnDevice] | None = None
        self._library: Loaded | None = None
        if self.workload.op == "dense" and device.library():
            everywhere = DispatchPlan(self.workload, plan.target, plan.symbol, (), (Range(0, None, "cublas"),), {})
            self._library = Loaded(CudaCode(everywhere, ()), device)

    def _loaded(self, plan: DispatchPlan) -> LoadedOnGpu:
        return LoadedOnGpu(Loaded(CudaCode.of(compile_plan(plan, cache=self.cache).code), self.device))

    def point(self, m: int) -> Point:
        return point_of({"m": m} if self.workload.symbols else {})

    def case(self, m: int) -> Operands:
        point = self.point(m)
        large = bytes_on_device(self.workload, point) >= ON_DEVICE
        if not large or self.workload.op not in _MADE_THERE:
            return self._cases.get(self.workload, point)
        if self._there is None or self._there[0] != point:
            self._there = None  # its room is free before another's is asked for
            self._there = point, MadeOnDevice(self.device, self.workload, point)
        return self._there[1]

    def check(self, m: int) -> None:
        """The plan's kernel at m against the oracle, in guarded memory; raises `Failed`."""
        it = Guarded(self._tool.loaded, self.workload, self.point(m), self.case(m), 0)
        it.run()
        it.judge()

    def compile_for(self, sizes: Sequence[int]) -> None:
        """The plan's kernels for one m each, on all cores, where it runs its own."""
        for m in sizes if self.workload.symbols else ():
            runs = self.plan.range_at(m).runs
            if isinstance(runs, int):
                variant, bound = self.plan.variants[runs], self.workload.bind(m=m)
                self._statics[m] = single_plan(bound, self.plan.target, variant.template, variant.config)
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(lambda plan: compile_plan(plan, cache=self.cache), self._statics.values()))

    def contenders(self, m: int) -> list[Contender]:
        point, case = self.point(m), self.case(m)
        copies = self._stock.get(self.workload, point, case)
        at = dict(point)

        def ours(name: str, tool: LoadedOnGpu, workload: Workload, sizes: Mapping[str, int] = at) -> Contender:
            return self._ours(name, tool, workload, point_of(dict(sizes)), case, copies)

        found = [ours(SYMBOLIC, self._tool, self.workload)]
        if m in self._statics:
            static = self._statics[m]
            found.append(ours(STATIC, self._loaded(static), static.workload, {}))
        own = [*self._others]
        if not self.is_ours(m):
            own += self._each()
        found += [ours(f"{OWN} {i}", tool, self.workload) for i, tool in enumerate(own)]
        if self._library is not None:
            found.append(ours(CUBLAS, LoadedOnGpu(self._library), self.workload))
        if self.torch is not None:
            named = ways(self.workload).items()
            found += [Contender(name, self._torch(self.torch, way, m)) for name, way in named]
        return found

    def is_ours(self, m: int) -> bool:
        """Whether the plan runs a kernel of its own at m."""
        return isinstance(self.plan.range_at(m).runs, int)

    def _each(self) -> list[LoadedOnGpu]:
        """Every variant of the plan, for all sizes; made when the first size is met at which the library runs."""
        if self._variants is None:
            numbers = range(len(self.plan.variants))
            self._variants = [self._loaded(replace(self.plan, ranges=(Range(0, None, i),))) for i in numbers]
        return self._variants

    def _ours(
        self, name: str, tool: LoadedOnGpu, workload: Workload, point: Point, case: Operands, copies: Copies
    ) -> Contender:
        def ready() -> Repeat:
            it = CudaTimeable(tool.loaded, workload, point, copies, case, self._stream)
            it.run()
            it.judge()
            return it.stopwatch(POLICY)

        return Contender(name, ready)

    def _torch(self, torch: TorchGpu, way: Way, m: int) -> Callable[[], Repeat]:
        point = self.point(m)
        sizes, nbytes = self.workload.sizes(dict(point)), bytes_on_device(self.workload, point)
        return lambda: torch.repeat(nbytes, lambda: way(torch, self.workload, sizes), POLICY)


def of_own(samples: Mapping[str, list[float]], is_ours: bool) -> dict[str, list[float]]:
    """Samples by system, with those of our best kernel as `OWN`: the plan's, where it is one of ours, or another."""
    variants = [name for name in samples if name.startswith(OWN)]
    rest = {name: times for name, times in samples.items() if name not in variants}
    ours = [samples[name] for name in variants] + ([samples[SYMBOLIC]] if is_ours else [])
    return rest | ({OWN: min(ours, key=statistics.median)} if ours else {})


def race(
    contenders: Sequence[Contender],
    rounds: int,
    noted: Callable[[str], AbstractContextManager[None]] = lambda name: nullcontext(),
) -> dict[str, list[float]]:
    """Samples of each, in turns. Who cannot begin is `noted`, and the others go on."""
    repeats: dict[str, Repeat] = {}
    for contender in contenders:
        with noted(contender.name):
            repeats[contender.name] = contender.ready()
    names = list(repeats)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for r in range(rounds):
        for i in turns(len(names), r):
            samples[names[i]].append(repeats[names[i]]())
    return samples


def empty_kernel(device: CudaDevice, calls: int = 256, rounds: int = 9) -> float:
    """Seconds that a launch in a graph takes which does nothing: part of every figure here."""
    one, arch, stream = const(1), device.facts.arch, device.new_stream()
    launch = Launch("empty", (one, one, one), (32, 1, 1))
    function = device.load(Kernel(EMPTY, compile_cubin(EMPTY, arch).data, arch, launch, 1))

    def work() -> None:
        for _ in range(calls):
            device.launch(function, (1, 1, 1), stream, 0)

    graph = device.record(stream, work)
    times = [device.seconds(stream, lambda: graph.launch(stream)) for _ in range(rounds)]
    return statistics.median(times) / calls

"""Contenders on a GPU, all timed alike: a CUDA graph of calls whose operands take turns, replayed between two events.

Ours and cuBLAS go through the tuner's own stopwatch; torch records a graph of its own, with as many copies of its
operands. So nobody's launch from the host is measured, and nobody finds its weight in a cache.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anytile.codegen.cache import CodeCache
from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.code import CudaCode, Kernel
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.loaded import Loaded
from anytile.schedules.index.expr import const
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Cases, Operands
from anytile.tuner.measure.cuda.device import CudaTimeable, LoadedOnGpu
from anytile.tuner.measure.cuda.operands import Guarded, Stock, copies_of
from anytile.tuner.measure.sampling import turns
from anytile.tuner.protocol.candidate import TimingPolicy, point_of

SYMBOLIC, STATIC, CUBLAS, TORCH = "anytile", "compiled for m", "cuBLAS", "torch"
OWN = "anytile's kernels"  # the best of the plan's own, also where the plan calls the library
EMPTY = 'extern "C" __global__ void empty() {}\n'
POLICY = TimingPolicy(min_repeat_ms=2.0, warmup_ms=1.0)
Repeat = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Contender:
    """`ready` warms up and gives the stopwatch: seconds per call over one repeat."""

    name: str
    ready: Callable[[], Repeat]


class Layer:
    """One workload with its tuned plan: the contenders at any m."""

    def __init__(self, device: CudaDevice, plan: DispatchPlan, torch: Any, cache: CodeCache | None = None) -> None:
        self.device, self.plan, self.torch, self.cache = device, plan, torch, cache
        self.workload = plan.workload
        self._tool = LoadedOnGpu(Loaded(CudaCode.of(compile_plan(plan, cache=cache).code), device))
        self._variants: list[LoadedOnGpu] | None = None
        self._cases, self._stock, self._stream = Cases(device), Stock(device), device.new_stream()
        everywhere = DispatchPlan(self.workload, plan.target, plan.symbol, (), (Range(0, None, "cublas"),), {})
        self._library = Loaded(CudaCode(everywhere, ()), device) if device.library() else None

    def check(self, m: int) -> None:
        """The plan's kernel at m against the oracle, in guarded memory; raises `Failed`."""
        point = point_of({"m": m})
        it = Guarded(self._tool.loaded, self.workload, point, self._cases.get(self.workload, point), 0)
        it.run()
        it.judge()

    def contenders(self, m: int, static: bool) -> list[Contender]:
        point = point_of({"m": m})
        case = self._cases.get(self.workload, point)
        found = [self._ours(SYMBOLIC, self._tool, self.workload, {"m": m}, case)]
        runs = self.plan.range_at(m).runs
        if static and isinstance(runs, int):
            variant, bound = self.plan.variants[runs], self.workload.bind(m=m)
            plan = single_plan(bound, self.plan.target, variant.template, variant.config)
            tool = LoadedOnGpu(Loaded(CudaCode.of(compile_plan(plan, cache=self.cache).code), self.device))
            found.append(self._ours(STATIC, tool, bound, {}, case))
        if isinstance(runs, str):
            found += [self._ours(f"{OWN} {i}", tool, self.workload, {"m": m}, case) for i, tool in self._each()]
        if self._library is not None:
            found.append(self._ours(CUBLAS, LoadedOnGpu(self._library), self.workload, {"m": m}, case))
        if self.torch is not None:
            found.append(Contender(TORCH, lambda: self._torch(m)))
        return found

    def _each(self) -> list[tuple[int, LoadedOnGpu]]:
        """Every variant of the plan, for all sizes; made when the first size is met at which the library runs."""
        if self._variants is None:
            plans = [replace(self.plan, ranges=(Range(0, None, i),)) for i in range(len(self.plan.variants))]
            codes = [CudaCode.of(compile_plan(plan, cache=self.cache).code) for plan in plans]
            self._variants = [LoadedOnGpu(Loaded(code, self.device)) for code in codes]
        return list(enumerate(self._variants))

    def _ours(
        self, name: str, tool: LoadedOnGpu, workload: Workload, sizes: dict[str, int], case: Operands
    ) -> Contender:
        def ready() -> Repeat:
            point = point_of(sizes)
            copies = self._stock.get(workload, point, case)
            it = CudaTimeable(tool.loaded, workload, point, copies, case, self._stream)
            it.run()
            it.judge()
            return it.stopwatch(POLICY)

        return Contender(name, ready)

    def _torch(self, m: int) -> Repeat:
        """`x @ w.T` into a given result, from a CUDA graph."""
        torch, sizes = self.torch, self.workload.sizes({"m": m})
        dtype, n, k = getattr(torch, self.workload.dtype), sizes["n"], sizes["k"]
        nbytes = (m * k + n * k + m * n) * dtype.itemsize
        count = copies_of(nbytes, self.device.facts.l2, 4 << 30)
        xs, ws = (
            [torch.randn(rows, k, device="cuda", dtype=torch.float32).to(dtype) for _ in range(count)]
            for rows in (m, n)
        )
        ys = [torch.empty(m, n, device="cuda", dtype=dtype) for _ in range(count)]

        def call(i: int) -> None:
            torch.mm(xs[i % count], ws[i % count].t(), out=ys[i % count])

        def seconds(work: Callable[[], None]) -> float:
            before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            before.record()
            work()
            after.record()
            after.synchronize()
            return float(before.elapsed_time(after)) * 1e-3

        for i in range(3):
            call(i)
        each = max(seconds(lambda: call(0)), 1e-6)
        calls = max(1, min(256, math.ceil(POLICY.min_repeat_ms / 1e3 / each)))
        calls = math.ceil(calls / count) * count if calls > count else calls
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(calls):
                call(i)
        once = max(min(seconds(graph.replay) for _ in range(2)), 1e-9)
        rounds = max(1, math.ceil(POLICY.min_repeat_ms / 1e3 / once))

        def replay() -> None:
            for _ in range(rounds):
                graph.replay()

        def repeat() -> float:
            return seconds(replay) / (rounds * calls)

        return repeat


def of_own(samples: dict[str, list[float]]) -> dict[str, list[float]]:
    """Samples by system, with those of our best kernel as `OWN`: the plan's, or else the fastest of its variants."""
    variants = [name for name in samples if name.startswith(OWN)]
    rest = {name: times for name, times in samples.items() if name not in variants}
    if variants:
        return rest | {OWN: min((samples[name] for name in variants), key=statistics.median)}
    return rest | ({OWN: samples[SYMBOLIC]} if STATIC in samples else {})


def race(contenders: Sequence[Contender], rounds: int) -> dict[str, list[float]]:
    """Samples of each, in turns."""
    repeats = [c.ready() for c in contenders]
    samples: dict[str, list[float]] = {c.name: [] for c in contenders}
    for r in range(rounds):
        for i in turns(len(contenders), r):
            samples[contenders[i].name].append(repeats[i]())
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

"""torch on a GPU, timed as we time ourselves: a CUDA graph of calls whose operands take turns, between two events.

A way is what a user would write for a workload; it makes one set of operands at a time, and a call on it. There are as
many sets as exceed the second-level cache three times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.operands import copies_of
from anytile.tuner.protocol.candidate import TimingPolicy

TORCH, CONTIGUOUS, BY_LT = "torch", "torch, contiguous", "torch, cuBLASLt"
MOST_CALLS = 256  # of one graph
ONCE_THROUGH = 20e-3  # seconds that a graph may take for all sets to have their turn
MOST_BYTES = 4 << 30
Repeat = Callable[[], float]
Call = Callable[[], Any]


class TorchGpu:
    """torch and the device that it is on; `cache` is the bytes of its second-level cache."""

    where = "cuda"

    def __init__(self, torch: Any, cache: int) -> None:
        self.torch, self.cache = torch, cache
        torch.backends.cuda.matmul.allow_tf32 = False

    def random(self, *shape: int, dtype: str) -> Any:
        made = self.torch.randn(*shape, device=self.where, dtype=self.torch.float32)
        return made.to(getattr(self.torch, dtype))

    def empty(self, *shape: int, dtype: str) -> Any:
        return self.torch.empty(*shape, device=self.where, dtype=getattr(self.torch, dtype))

    def synchronise(self) -> None:
        self.torch.cuda.synchronize()

    def compiled(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """By torch.compile, for each size on its own; there are more sizes than torch takes for an accident."""
        import torch._dynamo.config as config

        for name in ("recompile_limit", "cache_size_limit"):  # its name now, and in older releases
            if hasattr(config, name):
                setattr(config, name, 64)
        return self.torch.compile(function, dynamic=False, fullgraph=True, **options)  # type: ignore[no-any-return]

    def by(self, library: str, call: Call) -> Call:
        """The call by one of the libraries that torch has for products."""
        prefer = self.torch.backends.cuda.preferred_blas_library

        def called() -> None:
            before = prefer()
            prefer(library)
            try:
                call()
            finally:
                prefer(before)

        return called

    def captured(self, work: Call) -> Call:
        """What `work` launches, as a graph to be replayed; it has run once, so that all is made that it needs."""
        self.synchronise()
        aside = self.torch.cuda.Stream()
        with self.torch.cuda.stream(aside):
            work()
        self.synchronise()
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            work()
        return lambda: graph.replay()  # which holds it

    def seconds(self, work: Call) -> float:
        before, after = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        before.record()
        work()
        after.record()
        after.synchronize()
        return float(before.elapsed_time(after)) * 1e-3

    def repeat(self, nbytes: int, make: Callable[[], Call], policy: TimingPolicy) -> Repeat:
        """The stopwatch of calls that touch so many bytes: seconds per call over one repeat."""
        with self.torch.no_grad():
            sets = [make() for _ in range(copies_of(nbytes, self.cache, MOST_BYTES))]
            for call in sets[:3]:
                call()
            each = max(self.seconds(sets[0]), 1e-6)
            count = max(1, min(MOST_CALLS, math.ceil(policy.min_repeat_ms / 1e3 / each)))
            count = max(count, min(len(sets), math.ceil(ONCE_THROUGH / each)))
            count = math.ceil(count / len(sets)) * len(sets) if count > len(sets) else count

            def calls() -> None:
                for i in range(count):
                    sets[i % len(sets)]()

            replay = self.captured(calls)
        once = max(min(self.seconds(replay) for _ in range(2)), 1e-9)
        rounds = max(1, math.ceil(policy.min_repeat_ms / 1e3 / once))

        def replays() -> None:
            for _ in range(rounds):
                replay()

        return lambda: self.seconds(replays) / (rounds * count)


Way = Callable[[TorchGpu, Workload, Mapping[str, int]], Call]  # with fresh operands


def _dense(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    m, n, k = (sizes[d] for d in "mnk")
    x, w, y = (t.random(m, k, dtype=workload.dtype), t.random(n, k, dtype=workload.dtype),
               t.empty(m, n, dtype=workload.dtype))  # fmt: skip
    return lambda: t.torch.mm(x, w.t(), out=y)


def _dense_by_lt(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    """By the library whose heuristics choose among more kernels."""
    return t.by("cublaslt", _dense(t, workload, sizes))


def _scores(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    """Of queries and keys as dense layers leave them, heads within rows."""
    b, m, n, k = (sizes[d] for d in "bmnk")
    q, keys = (t.random(rows, b, k, dtype=workload.dtype) for rows in (m, n))
    y = t.empty(b, m, n, dtype=workload.dtype)
    return lambda: t.torch.bmm(q.transpose(0, 1), keys.permute(1, 2, 0), out=y)


def _mixed(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    b, m, n, k = (sizes[d] for d in "bmnk")
    p, values = t.random(b, m, k, dtype=workload.dtype), t.random(k, b, n, dtype=workload.dtype)
    y = t.empty(b, m, n, dtype=workload.dtype)
    return lambda: t.torch.bmm(p, values.transpose(0, 1), out=y)


def _heads_apart(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    """The product of operands that lie as torch likes them best, n last in the right one only where ours has it so."""
    b, m, n, k = (sizes[d] for d in "bmnk")
    left, y = t.random(b, m, k, dtype=workload.dtype), t.empty(b, m, n, dtype=workload.dtype)
    if workload.attributes.get("rhs", "")[-1:] == "n":
        right = t.random(b, k, n, dtype=workload.dtype)
    else:
        right = t.random(b, n, k, dtype=workload.dtype).transpose(1, 2)
    return lambda: t.torch.bmm(left, right, out=y)


def _attention(t: TorchGpu, workload: Workload, sizes: Mapping[str, int]) -> Call:
    b, h, m, n, d, e = (sizes[name] for name in "bhmnde")
    q, k, v = (t.random(b, rows, h, size, dtype=workload.dtype).transpose(1, 2)
               for rows, size in ((m, d), (n, d), (n, e)))  # fmt: skip
    attend, scale = t.torch.nn.functional.scaled_dot_product_attention, float(workload.attributes["scale"])
    return lambda: attend(q, k, v, scale=scale)


def ways(workload: Workload) -> dict[str, Way]:
    """How a user of torch would compute it."""
    if workload.op == "dense":
        return {TORCH: _dense, BY_LT: _dense_by_lt}
    if workload.op == "batch_matmul":
        return {TORCH: _mixed if workload.attributes.get("rhs") == "kbn" else _scores, CONTIGUOUS: _heads_apart}
    return {TORCH: _attention}


def installed(cache: int) -> TorchGpu | None:
    """torch, if it is installed and sees the GPU."""
    try:
        import torch
    except ImportError:
        return None
    return TorchGpu(torch, cache) if torch.cuda.is_available() else None

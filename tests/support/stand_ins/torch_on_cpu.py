"""torch on a simulated GPU: the very calls that a benchmark makes of torch, on the CPU, graphs as the calls themselves.

torch.compile traces and guards as it does anywhere, and compiles nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.rivals.torch_gpu import Call, TorchGpu


class TorchOnCpu(TorchGpu):
    """`captures` counts graphs, `compiles` what torch.compile was asked for, `libraries` are those that products were
    to go by; `refuses` are modes that it cannot do."""

    where = "cpu"

    def __init__(self, torch: Any, cache: int = 1, refuses: tuple[str, ...] = ()) -> None:
        super().__init__(torch, cache)
        self.captures, self.compiles, self._refuses = 0, 0, refuses
        self.libraries: list[str] = []

    def synchronise(self) -> None: ...

    def compiled(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        self.compiles += 1
        mode = options.pop("mode", "default")
        if mode in self._refuses:
            raise RuntimeError(f"no compiler for {mode}")
        return super().compiled(function, backend="eager", **options)

    def by(self, library: str, call: Call) -> Call:
        self.libraries.append(library)
        return call

    def captured(self, work: Call) -> Call:
        self.captures += 1
        work()
        return work

    def seconds(self, work: Call) -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

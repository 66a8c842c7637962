"""Compiled kernels timed without Python in between: a native loop calls the entry over operands prepared once.

What a workload streams comes from memory here too: each call reads the next of more copies than the caches hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded, time_calls
from anytile.dispatch.cpu.huge_pages import constant_bytes
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.streaming import copies
from benchmarks.measure.harness import System

if TYPE_CHECKING:
    import anytile
    from anytile.dispatch.backends import AnyKernel

Array = NDArray[np.float32]


class Native:
    """One compiled kernel with its constants packed; `at` gives it the rest."""

    def __init__(self, artifact: Artifact, workload: anytile.Workload, constants: Mapping[str, NDArray[Any]]) -> None:
        self.loaded, self._workload = Loaded(artifact), workload
        self._constants: dict[str, NDArray[np.generic]] = dict(constants)
        for packed in artifact.packed:
            memory = aligned(self.loaded.size(packed.size, []))
            source = constants[packed.operand].ctypes.data
            self._must(self.loaded.call(packed.function, [source, memory.ctypes.data], []), packed.function)
            self._constants[packed.operand] = memory
        streamed: dict[str, NDArray[np.generic]] = {name: self._constants[name] for name in workload.streamed}
        size = sum(a.nbytes for a in streamed.values())
        count = copies(size, Target.host()) if size else 1
        self._copies = [streamed]
        self._copies += ({name: copied(a) for name, a in streamed.items()} for _ in range(count - 1))

    def at(
        self, name: str, inputs: Mapping[str, NDArray[Any]], y: NDArray[Any], sizes: Mapping[str, int], flops: float
    ) -> System:
        """A system that runs the kernel into y; the first run has checked that it can."""
        dims = tuple(sizes[s] for s in self._workload.symbols)
        workspace = aligned(self.loaded.workspace_bytes(dims))
        arrays = [{**self._constants, **copy, **inputs, "y": y} for copy in self._copies]
        tables = deque(tuple(a[tensor.name].ctypes.data for tensor in self._workload.tensors) for a in arrays)
        self._must(self.loaded.call(self.loaded.artifact.entry, tables[0], dims, workspace.ctypes.data), name)
        held = (arrays, workspace)  # the loop works on bare pointers

        def run(calls: int) -> float:
            assert held is not None
            seconds = time_calls(self.loaded.entry, list(tables), dims, workspace.ctypes.data, calls)
            tables.rotate(-calls)  # the next ones are those that were read longest ago
            return seconds

        return System(name, run, flops)

    @staticmethod
    def _must(code: int, what: str) -> None:
        if code != 0:
            raise SystemExit(f"error: {what} returned {code}; run the tests before measuring")


def copied(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The same bytes elsewhere, on a cache line's boundary."""
    found = aligned(array.nbytes)
    found[...] = array.reshape(-1).view(np.uint8)
    return found


def aligned(size: int) -> NDArray[np.uint8]:
    """Zeroed bytes on a cache line's boundary, on huge pages where a kernel's own constants would be."""
    return constant_bytes(max(size, 1))


def origin(kernel: AnyKernel) -> str:
    """Which rung of the ladder a plan came from: the figures of an untuned kernel must not pass for others."""
    return "a plan that was given" if kernel.answer is None else kernel.answer.why()

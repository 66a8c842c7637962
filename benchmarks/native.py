"""Compiled kernels timed without Python in between: a native loop calls the entry over operands prepared once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from harness import System
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.loader import Loaded, time_calls

if TYPE_CHECKING:
    import anytile

ALIGNMENT = 64

Array = NDArray[np.float32]


class NativeDense:
    """One compiled dense kernel with its weight packed; `at` gives it an input."""

    def __init__(self, artifact: Artifact, w: Array) -> None:
        self.loaded = Loaded(artifact)
        self._w: NDArray[np.generic] = w
        for packed in artifact.packed:
            if packed.operand == "w":
                self._w = aligned(self.loaded.size(packed.size, []))
                self._must(self.loaded.call(packed.function, [w.ctypes.data, self._w.ctypes.data], []), packed.function)

    def at(self, name: str, x: Array, y: Array, dims: tuple[int, ...], flops: float) -> System:
        """A system that runs the kernel on x into y; the first run has checked that it can."""
        workspace = aligned(self.loaded.workspace_bytes(dims))
        data = (x.ctypes.data, self._w.ctypes.data, y.ctypes.data)
        self._must(self.loaded.call(self.loaded.artifact.entry, data, dims, workspace.ctypes.data), name)
        held = (x, y, workspace)  # the loop works on bare pointers

        def run(calls: int) -> float:
            assert held is not None
            return time_calls(self.loaded.entry, data, dims, workspace.ctypes.data, calls)

        return System(name, run, flops)

    @staticmethod
    def _must(code: int, what: str) -> None:
        if code != 0:
            raise SystemExit(f"error: {what} returned {code}; run the tests before measuring")


def aligned(size: int) -> NDArray[np.uint8]:
    """Zeroed bytes on a cache line's boundary."""
    raw = np.zeros(size + ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + max(size, 1)]


def origin(kernel: anytile.DispatchKernel) -> str:
    """Which rung of the ladder a plan came from: the figures of an untuned kernel must not pass for others."""
    return "a plan that was given" if kernel.answer is None else kernel.answer.why()

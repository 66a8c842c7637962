"""A stand-in for loaded machine code: each call of a kernel goes to the emulator, with what memory holds, and back."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence

import numpy as np

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import KERNEL
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import KernelEntry
from tests.support.cases.small_operators import Array
from tests.support.emulated import arm


class Emulated:
    """Of one kernel, whose operands are all given at a call; its workspace is the emulator's own."""

    def __init__(self, artifact: Artifact, workload: Workload) -> None:
        self.artifact, self._workload, self.calls = artifact, workload, 0
        self._function = KERNEL(self._run)
        self.entry = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def workspace_bytes(self, dims: Sequence[int]) -> int:
        return 0

    def _run(self, data: int, dims: int, workspace: int) -> int:
        names, tensors = self._workload.symbols, self._workload.tensors
        values = (ctypes.c_int64 * len(names)).from_address(dims) if names else ()
        symbols = dict(zip(names, map(int, values), strict=True))
        addresses = (ctypes.c_void_p * len(tensors)).from_address(data)
        held = {t.name: self._at(at or 0, t.name, symbols) for t, at in zip(tensors, addresses, strict=True)}
        inputs = {t.name: held[t.name] for t in self._workload.inputs}
        (results,) = arm.run(self.artifact, self._workload, [(symbols, inputs)])
        for name, array in results.items():
            held[name][...] = array
        self.calls += 1
        return 0

    def _at(self, address: int, name: str, symbols: dict[str, int]) -> Array:
        shape, dtype = (
            self._workload.shape(name, symbols),
            np.dtype(self._workload.dtype_of(self._workload.tensor(name))),
        )
        size = int(np.prod(shape)) * dtype.itemsize
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address)).view(dtype).reshape(shape)


class Emulator:
    """Makes those of an executable's kernels, where an interpreter loads code."""

    def __init__(self, kernels: Iterable[KernelEntry]) -> None:
        self._workloads = {k.artifact.digest: Workload.parse(k.workload) for k in kernels if k.artifact is not None}
        self.made: list[Emulated] = []

    def __call__(self, artifact: Artifact) -> Emulated:
        self.made.append(Emulated(artifact, self._workloads[artifact.digest]))
        return self.made[-1]

"""Loading artifacts into this process and calling what is in them.

A `Loaded` owns its machine code and must live for as long as an address of it may be called. Calls go through ctypes,
which releases the GIL. Code with parallel loops gets this process's thread team.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from anytile.codegen.artifact import Artifact
from anytile.codegen.kept import kept_ir
from anytile.codegen.llvm.compile import ATTRIBUTES, compile_ir
from anytile.codegen.load.placement import place
from anytile.codegen.load.thread_team import connect
from anytile.codegen.threads.thread_table import SLOT
from anytile.core.errors import CodegenError
from anytile.core.once import once
from anytile.schedules.hardware.target import Target

KERNEL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
SIZE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


class Loaded:
    """Machine code of this process, by name."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self._find = place(artifact.code)
        self.entry = self.address(artifact.entry)
        slot = self._find(SLOT)
        if slot:
            connect(slot)

    def address(self, name: str) -> int:
        found = self._find(name)
        if not found:
            raise CodegenError(f"object code has no symbol {name!r}")
        return found

    def call(self, name: str, data: Sequence[int], dims: Sequence[int], workspace: int = 0) -> int:
        """Run `int32 name(data, dims, workspace)`; data and workspace are addresses."""
        function = KERNEL(self.address(name))
        return int(function(_pointers(data), _numbers(dims), workspace))

    def size(self, name: str, dims: Sequence[int]) -> int:
        """Run `int64 name(dims)`."""
        return int(SIZE(self.address(name))(_numbers(dims)))

    def workspace_bytes(self, dims: Sequence[int]) -> int:
        return 0 if self.artifact.workspace is None else self.size(self.artifact.workspace, dims)


def _pointers(data: Sequence[int]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(data))(*data)


def _numbers(dims: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(len(dims), 1))(*dims)


@once
def _timer() -> tuple[Loaded, ctypes._FuncPointer]:
    text = kept_ir(__file__, "timer") + ATTRIBUTES
    loaded = Loaded(compile_ir(text, Target.host(), "anytile_time_calls", facts_too=False))
    pointer = ctypes.c_void_p
    number = ctypes.c_int64
    kind = ctypes.CFUNCTYPE(number, pointer, pointer, number, number, pointer, pointer, number)
    return loaded, kind(loaded.entry)


def time_calls(entry: int, data: Sequence[Sequence[int]], dims: Sequence[int], workspace: int, calls: int) -> float:
    """Seconds that `calls` calls of a kernel take, from a native loop, without Python in between.

    `data` is what they are given in turn: one table of addresses, or several.
    """
    _, timer = _timer()
    tables, step = _pointers([address for table in data for address in table]), 8 * len(data[0])
    end = step * len(data)
    spent = int(timer(entry, tables, step, end, _numbers(dims), workspace, max(calls, 1)))
    if spent < 0:
        raise CodegenError("the kernel being timed returned an error code")
    return spent * 1e-9

"""Machine code of a program: its runs as one loaded module, and what went wrong in a run, in words.

Compiled code knows no address: constants, kernels and constants' cells come through a table, the helpers of pools and
cells through another, so the code can be kept in the local cache.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.codegen.llvm import compile
from anytile.codegen.llvm.compile import ATTRIBUTES
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import AnytileError, ArgumentError, CodegenError, ResourceError
from anytile.core.plurals import counted
from anytile.schedules.hardware.target import Target
from anytile.vm.interpreter.kernels import BoundKernel, positions_misfit
from anytile.vm.interpreter.steps import Program
from anytile.vm.native.convert import Cells
from anytile.vm.native.emit import emit_run
from anytile.vm.native.machine import NativeMachine
from anytile.vm.native.region_text import CALLED, SLOTS, TABLES
from anytile.vm.native.regions import Compiled, Emitted, Failure, find_runs
from anytile.vm.program.liveness import Flow
from anytile.vm.program.sizes import too_wide
from anytile.vm.runtime import tensor_words
from anytile.vm.runtime.functions import helpers_table
from anytile.vm.runtime.machine_words import LEFT, RIGHT, SEEN
from anytile.vm.runtime.step_words import FAILED


class NativeRuns:
    """The loaded module, and the table that it reads. `runs`: by function and first instruction, with addresses."""

    def __init__(self, program: Program, flows: Sequence[Flow], cache: CodeCache) -> None:
        self.runs: dict[tuple[int, int], tuple[Emitted, int]] = {}
        calls = Compiled(program.kernels)
        runs = [run for i, flow in enumerate(flows) for run in find_runs(program.exe, i, flow, calls)]
        found = [emit_run(program, run) for run in runs]
        if not found:
            return
        self._loaded = Loaded(compiled("\n".join(e.text for e in found), found[0].run.name, cache))
        for e in found:
            self.runs[e.run.function, e.run.begin] = e, self._loaded.address(e.run.name)
        constants = [t.address for t in program.constants]
        kernels = [k if isinstance(k, BoundKernel) else None for k in program.kernels]
        entries = [0 if k is None else k.loaded.entry for k in kernels]
        workspaces = [0 if k is None else k.workspace_address for k in kernels]
        self._cells = Cells(program.constants)
        words = (*constants, *entries, *workspaces, *self._cells.addresses)
        self._table = (ctypes.c_int64 * max(len(words), 1))(*words)
        for slot, table in ((TABLES, ctypes.addressof(self._table)), (CALLED, helpers_table())):
            ctypes.c_void_p.from_address(self._loaded.address(slot)).value = table


def failure_of(emitted: Emitted, status: int, machine: NativeMachine) -> tuple[int, AnytileError]:
    """At which instruction a run failed, and how."""
    failure = emitted.failures[status - FAILED]
    return failure.at, _error(failure, machine)


def _error(failure: Failure, machine: NativeMachine) -> AnytileError:
    what, detail = failure.what, failure.detail
    left, right = machine.words[LEFT], machine.words[RIGHT]
    if failure.check is not None:
        seen = {name: machine.words[SEEN + i] for i, name in enumerate(failure.names)}
        return failure.check.failed(left, right, seen)
    match what:
        case "memory":
            return machine.pool.out_of_memory(left)
        case "status":
            return CodegenError(f"{detail}: the kernel returned {left}; compile the model again")
        case "positions":
            name, _, operand = detail.partition(": ")
            return ArgumentError(positions_misfit(name, operand, right, left))
        case "elements":
            return ArgumentError(f"{detail}: expected {counted(right, 'element')}, got {left}")
        case "dtype":
            return ArgumentError(f"{detail}, got {tensor_words.name_of(left)}")
        case "storage":
            return ArgumentError(f"a {detail} tensor that ends at byte {left} does not lie in storage of {right} bytes")
        case "reshape":
            return ArgumentError(f"expected a shape of at most {counted(right, 'element')}, got one of {left}")
        case "read-only":
            return ArgumentError(f"{detail} is written, and lies in read-only memory")
        case "kind" | "device":
            return ArgumentError(f"expected a {detail} on the host, got another value")
        case "numbers":
            return ArgumentError(f"{detail}: expected {counted(right, 'number')}, got {left}")
        case "wide":
            return too_wide(f"{left} {detail} {right}" if detail in ("*", "+") else detail)
        case "request":
            return ResourceError(f"memory: expected a request of 0 to {right} bytes, got {left}")
    return ArgumentError(f"{detail or what}: expected {right}, got {left}")


def compiled(text: str, entry: str, cache: CodeCache) -> Artifact:
    """Regions as machine code, from the cache if it is there."""
    return compile.compiled("\n".join([SLOTS, text, ATTRIBUTES]), Target.host(), entry, cache)

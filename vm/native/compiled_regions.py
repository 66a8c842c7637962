"""Machine code of a program: its runs as one loaded module, and what went wrong in a run, in words.

Compiled code knows no address: constants, kernels and constants' cells come through a table, the helpers of pools and
cells through another, so the code can be kept in the local cache. There it lies under a key of what its text follows
from, since writing that text down takes as long as reading and checking the program's file.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.llvm import compile
from anytile.codegen.llvm.compile import ATTRIBUTES
from anytile.codegen.load.loader import Loaded
from anytile.codegen.version import llvm_version
from anytile.core.errors import AnytileError, ArgumentError, CodegenError, ResourceError
from anytile.core.plurals import counted
from anytile.schedules.hardware.cpu import features
from anytile.schedules.hardware.target import Target
from anytile.vm.interpreter.kernels import Bound, BoundKernel, BoundPacked, positions_misfit
from anytile.vm.interpreter.steps import Program
from anytile.vm.native.emit import emit_run
from anytile.vm.native.interface_table import INTERFACES, interfaces, interfaces_text
from anytile.vm.native.marshalling.convert import Cells
from anytile.vm.native.marshalling.machine import NativeMachine
from anytile.vm.native.region_registers import seen_of
from anytile.vm.native.region_text import CALLED, SLOTS, TABLES
from anytile.vm.native.regions import Compiled, Failure, Interface, Run, find_runs, name_of
from anytile.vm.program.codec import encode
from anytile.vm.program.liveness import Flow, flow_of
from anytile.vm.program.sizes import too_wide
from anytile.vm.runtime import tensor_words
from anytile.vm.runtime.functions import helpers_table
from anytile.vm.runtime.installation import installation
from anytile.vm.runtime.machine_words import LEFT, RIGHT, SEEN
from anytile.vm.runtime.step_words import FAILED


class NativeRuns:
    """The loaded module, and the table that it reads. `runs`: by function and first instruction, with addresses."""

    def __init__(self, program: Program, flows: Sequence[Flow], cache: CodeCache) -> None:
        self.runs: dict[tuple[int, int], tuple[Interface, int]] = {}
        self._program = program
        self._failures: dict[tuple[int, int], tuple[Failure, ...]] = {}
        artifact = _module(program, flows, cache)
        if artifact is None:
            return
        self._loaded = Loaded(artifact)
        for run in interfaces(self._loaded.entry):
            self.runs[run.function, run.begin] = run, self._loaded.address(name_of(run.function, run.begin))
        constants = [t.address for t in program.constants]
        kernels = [k if isinstance(k, BoundKernel) else None for k in program.kernels]
        entries = [0 if k is None else k.loaded.entry for k in kernels]
        workspaces = [0 if k is None else k.workspace_address for k in kernels]
        self._cells = Cells(program.constants)
        words = (*constants, *entries, *workspaces, *self._cells.addresses)
        self._table = (ctypes.c_int64 * max(len(words), 1))(*words)
        for slot, table in ((TABLES, ctypes.addressof(self._table)), (CALLED, helpers_table())):
            ctypes.c_void_p.from_address(self._loaded.address(slot)).value = table

    def failure_of(self, function: int, begin: int, status: int, machine: NativeMachine) -> tuple[int, AnytileError]:
        """At which instruction a run failed, and how. Its text says what statuses mean, and is written for that."""
        at = function, begin
        if at not in self._failures:
            flows = [flow_of(f.code) for f in self._program.exe.functions]
            run = next(run for run in runs_of(self._program, flows) if (run.function, run.begin) == at)
            self._failures[at] = emit_run(self._program, run).failures
        failure = self._failures[at][status - FAILED]
        return failure.at, _error(failure, machine)


def _module(program: Program, flows: Sequence[Flow], cache: CodeCache) -> Artifact | None:
    """Every run of a program as machine code; None where it has none. What the cache has is not even emitted."""
    key = key_of_runs(program)
    found = cache.get(key)
    if found is None:
        emitted = [emit_run(program, run) for run in runs_of(program, flows)]
        if not emitted:
            return None
        text = "\n".join(
            [SLOTS, *(e.text for e in emitted), interfaces_text([e.interface for e in emitted]), ATTRIBUTES]
        )
        found = compile.compiled(text, Target.host(), INTERFACES, cache)
        cache.put(key, found)
    return found


def runs_of(program: Program, flows: Sequence[Flow]) -> list[Run]:
    """The runs of all functions, in order: those before one leave it room (see `regions.Compiled`)."""
    calls = Compiled(program.kernels)
    return [run for i, flow in enumerate(flows) for run in find_runs(program.exe, i, flow, calls)]


def key_of_runs(program: Program) -> str:
    """A content address of a program's compiled runs, of all that their text and its compilation follow from.

    Of the program: its code; what is looked at of kernels, beside what their texts say; and of constants what they are
    like and the few whole numbers that a run knows (not what the file said they are: it may have changed since). Of
    this installation: the sources of every room that takes part. And the CPU, as for any other code.
    """
    exe, target = program.exe, Target.host()
    return key_of(
        "runs of a program",
        repr([(len(f.params), encode(f.code).hex()) for f in exe.functions]),
        repr([_looked_at(kernel) for kernel in program.kernels]),
        repr([(c.array.dtype.str, c.array.size) for c in exe.constants]),
        repr([seen_of(t) for t in program.constants]),
        *(str(target), features(target), llvm_version()),
        installation(),
    )


def _looked_at(kernel: Bound) -> tuple[object, ...]:
    entry = kernel.entry
    said = entry.kind, entry.name, entry.workload, entry.dims, entry.device
    if isinstance(kernel, BoundPacked):
        return *said, kernel.compiled_args
    if not isinstance(kernel, BoundKernel):
        return said
    return *said, kernel.may_need_workspace, tuple(o.packed_bytes for o in kernel.operands)


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

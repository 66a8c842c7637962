"""The fast path: a program's runs compiled into one module, and the steps through which the interpreter calls them.

A step joins the words of the registers that its run takes, makes one native call, which releases the GIL, and makes
tensors of what it left. Compiled code knows no address: constants and kernels come through a table, so the code can be
kept in the local cache. The interpreter does not know which of its steps are such.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any as AnyType

from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.loader import Loaded
from anytile.codegen.native import ATTRIBUTES, compile_ir
from anytile.codegen.version import llvm_version
from anytile.schedules.cpu import features
from anytile.schedules.errors import AnytileError, ArgumentError, CodegenError, ResourceError
from anytile.schedules.target import Target
from anytile.vm import layout
from anytile.vm.emit import emit_run
from anytile.vm.interpreter import BRANCH, Step
from anytile.vm.kernels import BoundKernel, positions_misfit
from anytile.vm.memory import LIMIT, USED, Storage, out_of_memory
from anytile.vm.poolcode import EVENT, EVENT_DIMS, HELPERS, scan
from anytile.vm.profile import Event
from anytile.vm.runs import FAILED, RESULT_STORAGES, Emitted, Failure, Keeps, Left, find_runs
from anytile.vm.shapes import sizes_misfit
from anytile.vm.steps import Machine, Program, Registers
from anytile.vm.values import Tensor, scalar_of, tensor_of_ints

_RUN = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
_PAIR = struct.Struct("=2q")
_WORD = 8
_LOG_EVENTS = 1 << 14
Make = Callable[[Registers, bytearray, dict[int, Storage]], AnyType]


def compiled_tables(program: Program, plain: Sequence[list[Step]], cache: CodeCache | None) -> list[list[Step]]:
    """The functions' tables with each run as one step. Its later instructions stay, and are never reached."""
    kernels = program.exe.kernels
    runs = [r for i, f in enumerate(program.exe.functions) for r in find_runs(f, i, kernels)]
    if not runs:
        return list(plain)
    emitted = [emit_run(program, run) for run in runs]
    code = _Code(program, emitted, CodeCache() if cache is None else cache)
    tables = [list(steps) for steps in plain]
    for e in emitted:
        tables[e.run.function][e.run.begin] = code.step(e)
    return tables


class _Code:
    """The loaded module, and the tables that it reads."""

    def __init__(self, program: Program, emitted: Sequence[Emitted], cache: CodeCache) -> None:
        self.program = program
        self.loaded = Loaded(_compiled("\n".join(e.text for e in emitted), emitted[0].run.name, cache))
        constants = [t.address for t in program.constants]
        kernels = [k if isinstance(k, BoundKernel) else None for k in program.kernels]
        entries = [0 if k is None else k.loaded.entry for k in kernels]
        workspaces = [0 if k is None else k.workspace_address for k in kernels]
        words = (*constants, *entries, *workspaces)
        self.table = (ctypes.c_int64 * max(len(words), 1))(*words)

    def step(self, emitted: Emitted) -> Step:
        """What the interpreter does in place of the run."""
        run = emitted.run
        touched = {r for dies in run.dying for r in dies}
        makes = [(left.register, _maker(left, self.program)) for left in emitted.leaves]
        escaping = sorted({n for left in emitted.leaves for n in _storages(left)})
        takes, branches, end = emitted.takes, emitted.branches, run.end
        function, table = _RUN(self.loaded.address(run.name)), ctypes.addressof(self.table)
        size, first = emitted.words * _WORD, RESULT_STORAGES * _WORD

        def act(regs: Registers, machine: Machine) -> int:
            pool = machine.pool
            if pool.returned:
                pool.settle()
            out = machine.scratch
            if len(out) < size:
                out = machine.grow(size)
            try:
                data = b"".join([regs[r].words for r in takes])
            except AttributeError:
                raise ArgumentError("expected tensors and storages, got another value") from None
            if machine.log is None:
                status = function(data, machine.scratch_address, pool.address, table, None)
            else:
                log = (ctypes.c_int64 * (2 + EVENT * _LOG_EVENTS))(_LOG_EVENTS)
                status = function(data, machine.scratch_address, pool.address, table, ctypes.addressof(log))
                self.note(log, machine.log)
            if status >= FAILED:
                raise self.failed(emitted, status, machine)
            storages = {n: Storage(pool, *_PAIR.unpack_from(out, first + 2 * _WORD * n)) for n in escaping}
            made = [make(regs, out, storages) for _, make in makes]
            for (register, _), value in zip(makes, made, strict=True):
                regs[register] = value
            return end if branches is None else branches[status]

        return Step(BRANCH, act, tuple(sorted(touched - run.leaves)))

    def note(self, log: ctypes.Array[ctypes.c_int64], into: list[Event]) -> None:
        """What compiled code wrote down, as events."""
        for i in range(min(log[1], _LOG_EVENTS)):
            at = 2 + EVENT * i
            kernel, start, end = log[at : at + EVENT_DIMS]
            bound = self.program.kernels[kernel]
            assert isinstance(bound, BoundKernel)
            dims = tuple(log[at + EVENT_DIMS : at + EVENT_DIMS + len(bound.dims)])
            shapes, nbytes = bound.shapes_at(dims)
            into.append(Event(kernel, start, end, dims, shapes, nbytes))

    def failed(self, emitted: Emitted, status: int, machine: Machine) -> AnytileError:
        """What went wrong in a run, after what it held is given back."""
        out, pool = machine.scratch, machine.pool
        for n in range(emitted.storages):
            address, nbytes = _PAIR.unpack_from(out, (RESULT_STORAGES + 2 * n) * _WORD)
            if address:
                pool.put(address, nbytes)
        failure = emitted.failures[status - FAILED]
        left, right = _PAIR.unpack_from(out, 0)
        error = _error(failure, left, right, machine)
        found = self.program.exe.functions[emitted.run.function]
        where = found.where.get(failure.at) or f"function {found.name}, instruction {failure.at}"
        return type(error)(f"{where}: {error}")


def _storages(left: Left) -> tuple[int, ...]:
    if left.how == "taken":
        return (left.number,)
    return (left.keeps.number,) if left.keeps is not None and left.keeps.how == "taken" else ()


def _maker(left: Left, program: Program) -> Make:
    """How the value of one register is made of what a run left."""
    number, begin = left.number, left.offset * _WORD
    match left.how:
        case "same":
            return lambda regs, out, storages: regs[number]
        case "constant":
            constant = program.constants[number]
            return lambda regs, out, storages: constant
        case "literal":
            literal = scalar_of(number)
            return lambda regs, out, storages: literal
        case "taken":
            return lambda regs, out, storages: storages[number]
        case "numbers":
            return _numbers_maker(begin, left.scalar)
    assert left.keeps is not None
    return _tensor_maker(begin, left.keeps, program)


def _numbers_maker(begin: int, scalar: bool) -> Make:
    def make(regs: Registers, out: bytearray, storages: dict[int, Storage]) -> Tensor:
        (count,) = struct.unpack_from("=q", out, begin)
        found = struct.unpack_from(f"={count}q", out, begin + _WORD)
        return scalar_of(found[0]) if scalar else tensor_of_ints(found)

    return make


def _tensor_maker(begin: int, keeps: Keeps, program: Program) -> Make:
    end, number = begin + layout.SIZE, keeps.number
    match keeps.how:
        case "taken":
            return lambda regs, out, storages: Tensor(bytes(out[begin:end]), storages[number])
        case "storage":
            return lambda regs, out, storages: Tensor(bytes(out[begin:end]), regs[number])
        case "tensor":
            return lambda regs, out, storages: Tensor(bytes(out[begin:end]), regs[number].keeps)
    constant = program.constants[number].keeps
    return lambda regs, out, storages: Tensor(bytes(out[begin:end]), constant)


def _error(failure: Failure, left: int, right: int, machine: Machine) -> AnytileError:
    what, detail = failure.what, failure.detail
    if what.startswith("check "):
        return ArgumentError(sizes_misfit(what.removeprefix("check "), detail, left, right))
    words = machine.pool.words
    match what:
        case "memory":
            return ResourceError(out_of_memory(left, words[USED], words[LIMIT]))
        case "status":
            return CodegenError(f"{detail}: the kernel returned {left}; compile the model again")
        case "positions":
            name, _, operand = detail.partition(": ")
            return ArgumentError(positions_misfit(name, operand, right, left))
        case "elements":
            return ArgumentError(f"{detail}: expected {right} element(s), got {left}")
        case "dtype":
            return ArgumentError(f"{detail}, got {layout.name_of(left)}")
        case "storage":
            return ArgumentError(f"a {detail} tensor that ends at byte {left} does not lie in storage of {right} bytes")
        case "reshape":
            return ArgumentError(f"expected a shape of at most {right} element(s), got one of {left}")
        case "read-only":
            return ArgumentError(f"{detail} is written, and lies in read-only memory")
        case "kind" | "device":
            return ArgumentError(f"expected a {detail} on the host, got another value")
        case "numbers":
            return ArgumentError(f"{detail}: expected {right} number(s), got {left}")
        case "request":
            return ResourceError(f"memory: expected a request of 0 to {right} bytes, got {left}")
    return ArgumentError(f"{detail or what}: expected {right}, got {left}")


def _compiled(text: str, entry: str, cache: CodeCache) -> AnyType:
    target = Target.host()
    scans = [scan(bits) for bits in (32, 64) if f"@scan{bits}(" in text]
    ir = "\n".join([HELPERS, *scans, text, ATTRIBUTES])
    key = key_of(ir, str(target), features(target), llvm_version())
    found = cache.get(key)
    if found is None:
        found = compile_ir(ir, target, entry, facts_too=False)
        cache.put(key, found)
    return found


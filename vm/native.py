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
from anytile.vm.entrance import entrance
from anytile.vm.interpreter import BRANCH, Step
from anytile.vm.kernels import BoundKernel, positions_misfit
from anytile.vm.liveness import Flow
from anytile.vm.memory import LIMIT, PAIR, USED, Storage, out_of_memory
from anytile.vm.notes import NOTES
from anytile.vm.poolcode import HELPERS, TABLES, scan
from anytile.vm.runs import FAILED, RESULT_STORAGES, Emitted, Failure, Keeps, Left, find_runs
from anytile.vm.shapes import sizes_misfit
from anytile.vm.steps import FailedAt, Machine, Program, Registers
from anytile.vm.values import Tensor, scalar_of, tensor_of_ints

_WORD = 8
Make = Callable[[Registers, tuple[bytes, ...], list[Storage]], AnyType]


def compiled_steps(program: Program, flows: Sequence[Flow], cache: CodeCache | None) -> list[dict[int, Step | None]]:
    """For each function, the steps that its runs become, by where they begin; None for the places inside."""
    runs = [run for i, flow in enumerate(flows) for run in find_runs(program.exe, i, flow)]
    steps: list[dict[int, Step | None]] = [{} for _ in flows]
    if not runs:
        return steps
    emitted = [emit_run(program, run) for run in runs]
    code = _Code(program, emitted, CodeCache() if cache is None else cache)
    for e in emitted:
        into = steps[e.run.function]
        into.update(dict.fromkeys(range(e.run.begin, e.run.end)))
        into[e.run.begin] = code.step(e)
    return steps


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
        ctypes.c_void_p.from_address(self.loaded.address(TABLES)).value = ctypes.addressof(self.table)

    def step(self, emitted: Emitted) -> Step:
        """What the interpreter does in place of the run."""
        run, takes, branches, end = emitted.run, emitted.takes, emitted.branches, emitted.run.end
        fields = _Fields(emitted)
        escaping = sorted({n for left in emitted.leaves for n in _storages(left)})
        places = [fields.storage(n) for n in escaping]
        fresh, others = [], []  # tensors in storage that the run took, by far the most; and the rest
        for left in emitted.leaves:
            if left.how == "tensor" and left.keeps is not None and left.keeps.how == "taken":
                fresh.append((left.register, fields.at(left.offset), escaping.index(left.keeps.number)))
            else:
                others.append((left.register, _maker(left, fields, escaping, self.program)))
        unpack, program = fields.struct().unpack_from, self.program
        function, size = entrance(self.loaded.address(run.name)), emitted.words * _WORD

        def act(regs: Registers, machine: Machine) -> int:
            pool, out = machine.pool, machine.results
            if len(out) < size:
                out = machine.grow(size)
            try:
                data = [regs[r].words for r in takes]
            except AttributeError:
                raise ArgumentError("expected tensors and storages, got another value") from None
            returned = pool.returned
            count = len(returned)  # another thread may add to them meanwhile
            if count:
                data += returned[:count]
                del returned[:count]
            status = function(b"".join(data), machine.address, count)
            if machine.log is not None:
                machine.notes.read(program, machine.log, least=NOTES // 2)
            if status >= FAILED:
                raise self.failed(emitted, status, machine)
            left = unpack(out)
            storages = [Storage(pool, left[place]) for place in places]
            if others:  # they may need what registers still hold
                values = [make(regs, left, storages) for _, make in others]
                for (register, _), value in zip(others, values, strict=True):
                    regs[register] = value
            for register, part, storage in fresh:
                regs[register] = Tensor(left[part], storages[storage])
            return end if branches is None else branches[status]

        return Step(BRANCH, act, emitted.frees)

    def failed(self, emitted: Emitted, status: int, machine: Machine) -> FailedAt:
        """What went wrong in a run, after what it held is given back."""
        out, pool = machine.results, machine.pool
        for n in range(emitted.storages):
            address, nbytes = PAIR.unpack_from(out, (RESULT_STORAGES + 2 * n) * _WORD)
            if address:
                pool.put(address, nbytes)
        failure = emitted.failures[status - FAILED]
        left, right = PAIR.unpack_from(out, 0)
        return FailedAt(failure.at, _error(failure, left, right, machine))


def _storages(left: Left) -> tuple[int, ...]:
    if left.how == "taken":
        return (left.number,)
    return (left.keeps.number,) if left.keeps is not None and left.keeps.how == "taken" else ()


class _Fields:
    """The parts of the results that Python reads, as one format: each is a bytes object, in the order of offsets."""

    def __init__(self, emitted: Emitted) -> None:
        sizes = {}
        for left in emitted.leaves:
            for n in _storages(left):
                sizes[(RESULT_STORAGES + 2 * n) * _WORD] = PAIR.size
            if left.how in ("tensor", "numbers"):
                count = layout.COUNT if left.how == "tensor" else 1 + left.number
                sizes[left.offset * _WORD] = count * _WORD
        self.sizes = dict(sorted(sizes.items()))

    def at(self, offset: int) -> int:
        """Which part lies at an offset in words."""
        return list(self.sizes).index(offset * _WORD)

    def storage(self, number: int) -> int:
        return self.at(RESULT_STORAGES + 2 * number)

    def struct(self) -> struct.Struct:
        text, here = "=", 0
        for offset, size in self.sizes.items():
            text += f"{offset - here}x{size}s"
            here = offset + size
        return struct.Struct(text)


def _maker(left: Left, fields: _Fields, escaping: Sequence[int], program: Program) -> Make:
    """How the value of one register is made of what a run left, and of what registers held before it."""
    number = left.number
    match left.how:
        case "same":
            return lambda regs, parts, storages: regs[number]
        case "constant":
            constant = program.constants[number]
            return lambda regs, parts, storages: constant
        case "literal":
            literal = scalar_of(number)
            return lambda regs, parts, storages: literal
        case "taken":
            place = escaping.index(number)
            return lambda regs, parts, storages: storages[place]
        case "numbers":
            return _numbers_maker(fields.at(left.offset), left.scalar)
    assert left.keeps is not None
    return _tensor_maker(fields.at(left.offset), left.keeps, program)


def _numbers_maker(part: int, scalar: bool) -> Make:
    def make(regs: Registers, parts: tuple[bytes, ...], storages: list[Storage]) -> Tensor:
        (count,) = struct.unpack_from("=q", parts[part])
        found = struct.unpack_from(f"={count}q", parts[part], _WORD)
        return scalar_of(found[0]) if scalar else tensor_of_ints(found)

    return make


def _tensor_maker(part: int, keeps: Keeps, program: Program) -> Make:
    """A tensor in memory that was there before the run."""
    number = keeps.number
    match keeps.how:
        case "storage":
            return lambda regs, parts, storages: Tensor(parts[part], regs[number])
        case "tensor":
            return lambda regs, parts, storages: Tensor(parts[part], regs[number].keeps)
    constant = program.constants[number].keeps
    return lambda regs, parts, storages: Tensor(parts[part], constant)


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

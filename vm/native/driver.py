"""The fast path: a program on native code, of which Python sees the begin, the end and what native code cannot do.

The driver's loop (`runtime/c/driver.h`) runs until it returns or has something for Python: a host function, a step that
failed, or only a look around, so that signals arrive. A step that failed changed nothing; the interpreter's own step is
then run on the same values, and what it raises is the error. However a run ends, all it held is let go.

Inputs that the program appends to, and that an earlier run appended, keep the room behind them: their storage is lent.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any as AnyType

import numpy as np

from anytile.codegen.cache import CodeCache
from anytile.core.errors import AnytileError, ResourceError
from anytile.vm.interpreter.loop import MAX_DEPTH, entered, located, too_deep
from anytile.vm.interpreter.steps import Plain, Program, Registers, branch, plain
from anytile.vm.native.compiled_regions import NativeRuns
from anytile.vm.native.marshalling.convert import Cells, Lent, fields_at, make_writable, seen_at, value_at
from anytile.vm.native.marshalling.event_log import CAPACITY
from anytile.vm.native.marshalling.inputs import Intake, takes_quickly
from anytile.vm.native.marshalling.machine import NativeMachine
from anytile.vm.native.marshalling.outputs import Outlet, gives_quickly
from anytile.vm.native.regions import LONGEST
from anytile.vm.native.step_table import Table
from anytile.vm.program import isa
from anytile.vm.program.executable import Executable
from anytile.vm.program.liveness import Flow
from anytile.vm.runtime.functions import quick_call, runtime
from anytile.vm.runtime.machine_words import (
    BUDGET,
    DEPTH,
    DONE,
    FRAME,
    FUNCTIONS,
    GIVEN,
    MOST_DEPTH,
    NEEDED,
    OUT_PAIR,
    RESULT,
    STACK,
    STEP,
)
from anytile.vm.runtime.pool_words import DENIED
from anytile.vm.runtime.step_words import AGAIN, BEGUN, NO_MEMORY, NOT_TAKEN, PYTHON, RETURNED_TENSOR, TOO_DEEP
from anytile.vm.runtime.tensor_words import SIZE
from anytile.vm.values import ports
from anytile.vm.values.devices import Device
from anytile.vm.values.grown import Grown, grown_inputs
from anytile.vm.values.memory import Pool, Storage
from anytile.vm.values.values import Adt, Tensor, Value

_STEPS = 256  # until Python looks around
_STEPS_NOTED = CAPACITY // 2 // LONGEST  # the same where kernels are noted, for which there is only so much room
_WORD = 8
MOST_CELLS = 2  # that a step between regions makes: a tensor and its storage


def is_native(exe: Executable) -> bool:
    """Whether the driver can run a program. One of several devices is interpreted: which register is on which device
    only the interpreter knows."""
    return len(exe.devices) == 1 and not any(isinstance(i, isa.DeviceCopy) for f in exe.functions for i in f.code)


class Driver:
    """A program as native code. Threads share it: all that changes is in the machine."""

    def __init__(
        self, program: Program, flows: Sequence[Flow], cache: CodeCache | None, max_depth: int = MAX_DEPTH
    ) -> None:
        cache = CodeCache() if cache is None else cache
        self.program, self.max_depth = program, max_depth
        self._native = NativeRuns(program, flows, cache)
        self._table = Table(program.exe, program.kernels, flows, self._native.runs)
        self._needed = max([MOST_CELLS, *(run.cells for run, _ in self._native.runs.values())])
        native = runtime()
        self._begin, self._drive, self._unwind = native.begin, native.drive, native.unwind
        self._intake = Intake(program.exe) if takes_quickly(program.exe) else None
        self._acts: dict[tuple[int, int], Plain] = {}  # what host functions' instructions do, by where they stand
        self._grown: Grown[Storage] = Grown()
        self._growing = grown_inputs(program.exe)
        grown = self._grown if self._growing else None
        self._outlet = Outlet(program.exe, grown) if gives_quickly(program.exe) else None
        self._written = {i: program.exe.inputs[i][0] for i in ports.written(program.exe)}
        self._quick: Callable[..., AnyType] | None = None
        if self._intake is not None and self._outlet is not None and not (self._written or self._growing):
            ends = self._intake.address, self._outlet.address
            words = (*ends, program.exe.main, self._needed, self.max_depth, self._table.address, _STEPS)
            self._quick_words = (ctypes.c_int64 * len(words))(*words)
            self._quick = quick_call(ctypes.addressof(self._quick_words))

    def machine(self, pool: Pool, devices: Mapping[int, Device]) -> NativeMachine:
        return NativeMachine(pool, devices)

    def take(self, machine: NativeMachine, feeds: Mapping[str, AnyType]) -> bool:
        """Make main's arguments of feeds if they are plain; `run` then needs no others."""
        if self._intake is None or not self._intake.take(machine, feeds):
            return False
        if not all(feeds[name].flags.writeable for name in self._written.values()):
            return False
        make_writable(machine.words[GIVEN], self._written)
        return True

    def call(self, machine: NativeMachine, given: Sequence[AnyType]) -> AnyType | None:
        """What main returns for inputs in order, as users have it; None where it is not as plain as that, and nothing
        ran."""
        if self._quick is None:
            return None
        try:
            made = self._quick(machine.pool, machine.address, machine.inputs, *given)
            if type(made) is not int:
                return made
            if made == NOT_TAKEN:
                return None
            return self._as_arrays(machine, self._run(machine, self.program.exe.main, None, self._outlet, made))
        except BaseException:  # of signals too, between the call and `_run`
            self._unwind(machine.address)
            raise

    def arguments(self, machine: NativeMachine, feeds: Mapping[str, AnyType]) -> Sequence[Value] | None:
        """Main's arguments, or None where the machine has them already."""
        if self.take(machine, feeds):
            return None
        return ports.arguments(self.program.exe, feeds, machine.pool, written=self._written)

    def note(self, machine: NativeMachine) -> None:
        """Complete the machine's log."""
        if machine.log is not None:
            machine.events.move_to(machine.log, self.program)

    def run(self, machine: NativeMachine, function: int, args: Sequence[Value] | None) -> Value:
        """Call a function and return what it returns."""
        result: Value = self._run(machine, function, args, None)
        return result

    def arrays(self, machine: NativeMachine, args: Sequence[Value] | None) -> AnyType:
        """Call main and return what it returns as users have it."""
        return self._as_arrays(machine, self._run(machine, self.program.exe.main, args, self._outlet))

    def _as_arrays(self, machine: NativeMachine, made: AnyType) -> AnyType:
        """What `_run` gave, as users have it, who get arrays and tuples of them from an outlet."""
        is_ready = isinstance(made, np.ndarray | tuple)
        return made if is_ready else ports.result(self.program.exe, made, machine.pool, {})

    def _run(
        self,
        machine: NativeMachine,
        function: int,
        args: Sequence[Value] | None,
        outlet: Outlet | None,
        stopped: int | None = None,
    ) -> AnyType:
        """What a function returns: of an outlet as arrays, where it is plain, else as the value that it is. A run that
        has stopped with a status goes on from there."""
        words = machine.words
        lent: Lent | None = None
        try:
            if args is not None:
                self._unwind(machine.address)
                machine.given = cells = Cells([Adt(0, tuple(args))])
                (words[GIVEN],) = cells.addresses
            if self._growing and function == self.program.exe.main:
                lent = Lent()
                machine.given = machine.given, lent
                lent.lend(self._grown.claimed(fields_at(words[GIVEN], self._growing)))
            words[NEEDED], words[MOST_DEPTH], words[FUNCTIONS] = self._needed, self.max_depth, self._table.address
            words[BUDGET] = _STEPS if machine.log is None else _STEPS_NOTED
            status = stopped
            if status is None:
                status = AGAIN if self._begin(machine.address, function) == BEGUN else NO_MEMORY
            while status > RETURNED_TENSOR:
                if status != AGAIN:
                    self._stopped(machine, status)
                status = self._drive(machine.address)
                if machine.log is not None:
                    machine.events.make_room()
            arrays = None if outlet is None else outlet.arrays(machine)
            if arrays is not None:
                machine.given = None
                return arrays
            if status == RETURNED_TENSOR:
                out = machine.out.tobytes()
                storage = machine.pool.own(machine.address + _WORD * OUT_PAIR, out[SIZE:])
                result: Value = Tensor(out[:SIZE], storage)
            else:
                result = value_at(words[RESULT], machine.pool, lent.at if lent is not None else None)
                self._unwind(machine.address)
            machine.given = None
        except BaseException:  # of signals too, which come at any moment: a run that is not over ends here
            self._unwind(machine.address)
            machine.given = None
            raise
        finally:
            if lent is not None:
                lent.settle()
        if lent is not None:
            self._keep(result, lent)
        return result

    def _keep(self, result: Value, lent: Lent) -> None:
        """Know what results lie in, in tuples too, when they come back; of what was lent that is known."""
        known, waiting = {id(storage) for storage in lent.at.values()}, [result]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Adt):
                waiting += value.fields
            elif isinstance(value, Tensor) and isinstance(value.keeps, Storage) and id(value.keeps) not in known:
                self._grown.keep(value.keeps)

    def _stopped(self, machine: NativeMachine, status: int) -> None:
        """Do what native code left to Python, or say what went wrong."""
        words = machine.words
        if not words[STEP]:
            raise _no_memory(machine)
        function, at = self._table.instruction(words[STEP])
        try:
            if status == PYTHON:
                self._by_hand(machine, function, at)
            elif status == TOO_DEEP:
                raise too_deep(words[DEPTH], self.max_depth)
            elif status == NO_MEMORY:
                raise _no_memory(machine)
            else:
                at, error = self._native.failure_of(function, at, status, machine)
                raise error
        except AnytileError as error:
            raise located(self.program, function, at, error) from None

    def _by_hand(self, machine: NativeMachine, function: int, at: int) -> None:
        """One instruction as the interpreter does it."""
        words, code = machine.words, self.program.exe.functions[function]
        i, frame = code.code[at], words[STACK] + _WORD * words[FRAME]
        regs: Registers = [None] * code.registers
        for r in isa.reads(i):
            regs[r] = seen_at(_word(frame + _WORD * r))
        if isinstance(i, isa.If):  # of fractions; what dies with it stays until its frame ends
            words[STEP] = self._table.step(function, branch(i, at)(regs, machine))
        elif isinstance(i, isa.InvokeClosure):
            entered(self.program, regs[i.closure], [regs[a] for a in i.args])
        else:
            act = self._acts.get((function, at)) or plain(i, self.program)
            assert act is not None
            act(regs, machine)
            assert isinstance(i, isa.InvokePacked), f"{i} fails in native code only"
            self._acts[function, at] = act
            words[DONE] = 1


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _no_memory(machine: NativeMachine) -> ResourceError:
    """What values and calls asked for: more than the limit allows, or more than the system has."""
    denied = machine.pool.words[DENIED]
    if denied:
        return machine.pool.out_of_memory(denied)
    return ResourceError("memory: the system gave none for values or calls; run fewer things or smaller inputs at once")

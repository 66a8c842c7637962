"""The interpreter: a loop over steps with its own stack, so that recursion is as deep as memory and not as Python.

A frame's registers are a Python list; a register is cleared by the last instruction that reads it, so what it held goes
back to the pool then. A call whose result is at once returned replaces the frame that makes it. This is the machine in
plain words, against which the native one (see `driver`) is tested; what names several devices runs here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any as AnyType
from typing import NamedTuple

from anytile.core.errors import AnytileError, ArgumentError, ResourceError
from anytile.core.plurals import counted
from anytile.vm.interpreter.replay import Stretch
from anytile.vm.interpreter.steps import Branch, Machine, Program, Registers, branch, plain, tag_branch
from anytile.vm.interpreter.stretches import spans_of
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.liveness import Flow, decided, fixed_registers
from anytile.vm.runtime.machine_words import MAX_STACK
from anytile.vm.values import ports
from anytile.vm.values.devices import Device
from anytile.vm.values.memory import Pool
from anytile.vm.values.values import Closure, Value, expect

MAX_DEPTH = 1_000_000
PLAIN, BRANCH, RETURN, CALL, TAIL_CALL, CLOSURE_CALL, TAIL_CLOSURE_CALL, STRETCH = range(8)


class Step(NamedTuple):
    """One entry of a function's table: what to do, and the registers nobody reads afterwards."""

    kind: int
    act: AnyType  # by kind: a Plain, a Branch, a register; where to, whom and with what; a Stretch and its first Plain
    dies: tuple[int, ...]


def steps_of(function: VMFunction, program: Program, flow: Flow, replays: bool = False) -> list[Step]:
    """The table of a function, one step for each instruction; stretches begin with one that may do it whole."""
    code, found = function.code, []
    fixed = fixed_registers(function, flow)
    for at, (instruction, dies) in enumerate(zip(code, flow.dying, strict=True)):
        following = code[at + 1] if at + 1 < len(code) else None
        match instruction:
            case isa.Ret():
                found.append(Step(RETURN, instruction.src, ()))
            case isa.If():
                found.append(Step(BRANCH, branch(instruction, at), dies))
            case isa.GetTag() if (branches := decided(code, at, flow, fixed)) is not None:
                found.append(Step(BRANCH, tag_branch(instruction, *branches), dies))
            case isa.Goto():
                found.append(Step(BRANCH, _goto(at + instruction.to), ()))
            case isa.Invoke() | isa.InvokeClosure():
                is_tail = isinstance(following, isa.Ret) and following.src == instruction.dst
                if isinstance(instruction, isa.Invoke):
                    kind, called = CALL, instruction.function
                else:
                    kind, called = CLOSURE_CALL, instruction.closure
                what = (instruction.dst, called, instruction.args)
                found.append(Step(kind + is_tail, what, tuple(d for d in dies if d != instruction.dst)))
            case _:
                act = plain(instruction, program)
                assert act is not None, f"{instruction} has no step"
                found.append(Step(PLAIN, act, dies))
    for span in spans_of(function, program, flow) if replays else ():
        acts = [step.act for step in found[span.begin : span.end]]
        stretch = Stretch(span, function, program, flow, acts)
        found[span.begin] = Step(STRETCH, (stretch, acts[0]), found[span.begin].dies)
    return found


def _goto(to: int) -> Branch:
    return lambda regs, machine: to


class _Frame(NamedTuple):
    function: int
    regs: Registers
    at: int
    dst: int


class Interpreter:
    """A program's functions as tables. Threads share it: all that changes is in frames and in the machine."""

    def __init__(self, program: Program, tables: Sequence[list[Step]], max_depth: int = MAX_DEPTH) -> None:
        self.program, self.tables, self.max_depth = program, tables, max_depth
        self.registers = [f.registers for f in program.exe.functions]
        self._staying, self._written = ports.may_stay(program.exe), ports.written(program.exe)

    def machine(self, pool: Pool, devices: Mapping[int, Device]) -> Machine:
        return Machine(pool, devices)

    def arguments(self, machine: Machine, feeds: Mapping[str, AnyType]) -> Sequence[Value]:
        """Main's arguments."""
        exe, devices = self.program.exe, machine.devices
        return ports.arguments(exe, feeds, machine.pool, devices, self._staying, self._written)

    def note(self, machine: Machine) -> None:
        """Complete the machine's log: steps wrote it."""

    def run(self, machine: Machine, function: int, args: Sequence[Value]) -> Value:
        """Call a function and return what it returns."""
        stack: list[_Frame] = []
        regs: Registers = [*args, *[None] * (self.registers[function] - len(args))]
        steps, at = self.tables[function], 0
        room = MAX_STACK
        try:
            while True:
                kind, act, dies = steps[at]
                if kind == PLAIN:
                    act(regs, machine)
                    at += 1
                elif kind == BRANCH:
                    at = act(regs, machine)
                elif kind == RETURN:
                    result: Value = regs[act]
                    if not stack:
                        return result
                    function, regs, at, dst = stack.pop()
                    room += self.registers[function]
                    steps = self.tables[function]
                    regs[dst] = result
                    continue
                elif kind == STRETCH:
                    stretch, first = act
                    if stretch.play(regs, machine):
                        at = stretch.end
                        continue
                    first(regs, machine)
                    at += 1
                else:
                    dst, called, passed = act
                    values = [regs[a] for a in passed]
                    if kind >= CLOSURE_CALL:
                        called, values = entered(self.program, regs[called], values)
                    if kind in (CALL, CLOSURE_CALL):
                        for r in dies:
                            regs[r] = None
                        stack.append(_Frame(function, regs, at + 1, dst))
                        room -= len(regs)
                        if len(stack) > self.max_depth or room < 0:
                            raise too_deep(len(stack) - 1, self.max_depth)
                    function, steps, at = called, self.tables[called], 0
                    regs = values + [None] * (self.registers[called] - len(values))
                    continue
                for r in dies:
                    regs[r] = None
        except AnytileError as error:
            raise located(self.program, function, at, error) from None


def entered(program: Program, called: Value, values: Registers) -> tuple[int, Registers]:
    """The function that a closure runs, and all its arguments."""
    closure = expect(Closure, called)
    values = [*closure.captured, *values]
    wanted = len(program.exe.functions[closure.function].params)
    if len(values) != wanted:
        raise ArgumentError(f"expected {counted(wanted, 'argument')} with the captured ones, got {len(values)}")
    return closure.function, values


def too_deep(calls: int, max_depth: int) -> ResourceError:
    """The error of more calls than may wait, or more registers in them."""
    if calls < max_depth:
        said = f"expected at most {MAX_STACK} registers in calls that wait, got more in {calls} calls"
        return ResourceError(f"recursion: {said}; does it end?")
    return ResourceError(f"recursion is deeper than {calls} calls; does it end? If so, raise Session(max_depth=...)")


def located(program: Program, function: int, at: int, error: AnytileError) -> AnytileError:
    """The error with where in the user's model the instruction is from, or else where in the program."""
    found = program.exe.functions[function]
    where = found.where.get(at) or f"function {found.name}, instruction {at}"
    return type(error)(f"{where}: {error}")

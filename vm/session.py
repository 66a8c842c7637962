"""Running an executable: arrays in, arrays out, from as many threads as like.

A session binds an executable once: kernels loaded, constants packed, code between them compiled. A run in flight has a
machine of its own (a memory pool and what goes with it), so threads share nothing that changes. Inputs are never
copied if they are plain, and never written but where the executable says so; outputs are fresh arrays that keep their
memory alive, or longer ones in the place of inputs.
"""

from __future__ import annotations

import operator
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any as AnyType
from typing import Protocol, TypeVar

from anytile.codegen.cache import CodeCache
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, ArgumentError, SpecError, UnsupportedError
from anytile.core.garbage import uncollected
from anytile.core.plurals import counted
from anytile.vm.executable import Executable
from anytile.vm.interpreter.constants import bound_constants
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS, HostFunction
from anytile.vm.interpreter.kernels import bind
from anytile.vm.interpreter.loop import MAX_DEPTH, Interpreter, steps_of
from anytile.vm.interpreter.steps import Machine, Program
from anytile.vm.native.driver import Driver, is_native
from anytile.vm.profile import Profile, ShapeHistogram
from anytile.vm.program import executable
from anytile.vm.program.executable import CUDA, Port
from anytile.vm.program.liveness import flow_of
from anytile.vm.program.verify import verify
from anytile.vm.size_histogram_file import add_shapes
from anytile.vm.storage.link import linked
from anytile.vm.storage.mapped_files import Files
from anytile.vm.values import ports
from anytile.vm.values.devices import Device
from anytile.vm.values.events import Event
from anytile.vm.values.memory import Pool
from anytile.vm.values.values import Value

M = TypeVar("M", bound=Machine)


class Engine(Protocol[M]):
    """What a session asks of the interpreter and of the native driver, each of which has machines of its own."""

    def machine(self, pool: Pool, devices: Mapping[int, Device]) -> M: ...

    def arguments(self, machine: M, feeds: Mapping[str, AnyType]) -> Sequence[Value] | None: ...

    def run(self, machine: M, function: int, args: AnyType) -> Value: ...

    def note(self, machine: M) -> None: ...


class Session:
    """An executable, ready to run: `run({"x": x})` by name, or `session(x)` in order.

    `memory_limit` is in bytes, for each run in flight; without one it is what the machine has free. It is of tensors
    and, in native code, of data types, closures and calls; the interpreter makes those of Python objects, which nobody
    counts. `compiled=False` interprets every instruction. `devices` are the executable's beside the host, by name, and
    `results` is where results are wanted, the host or one of them.
    """

    @uncollected()
    def __init__(
        self,
        exe: executable.Executable,
        *,
        memory_limit: int | None = None,
        max_depth: int = MAX_DEPTH,
        compiled: bool = True,
        devices: Mapping[str, Device] | None = None,
        results: str = "host",
        functions: Mapping[str, HostFunction] = HOST_FUNCTIONS,
        cache: CodeCache | None = None,
    ) -> None:
        self.memory_limit = None if memory_limit is None else _at_most("memory_limit", memory_limit, "bytes")
        max_depth = _at_most("max_depth", max_depth, "calls")
        verify(exe)
        self.exe = Executable.of(linked(exe, cache))
        self._devices = _devices(self.exe, devices or {})
        self._to = _number(self.exe, results)
        kernels = tuple(bind(entry, functions, self._devices) for entry in self.exe.kernels)
        constants = bound_constants(self.exe.constants, kernels, self._devices)
        program = Program(self.exe, kernels, constants)
        self._files = Files(c.keeps for c in constants)
        code = self.exe.functions
        flows = [flow_of(f.code) for f in code]
        self._program = program
        self._engine: Engine[AnyType]
        if compiled and is_native(self.exe):
            self._engine = Driver(program, flows, cache, max_depth)
        else:
            tables = [steps_of(f, program, flow, compiled) for f, flow in zip(code, flows, strict=True)]
            self._engine = Interpreter(program, tables, max_depth)
        self._names = tuple(name for name, _ in self.exe.inputs)
        self._idle: list[Machine] = []
        self._recorded: ShapeHistogram | None = None
        self._added: dict[Path, ShapeHistogram] = {}  # what of it each file has
        self._recording = threading.Lock()

    @property
    def inputs(self) -> tuple[tuple[str, Port], ...]:
        """Names and types of what `run` takes."""
        return self.exe.inputs

    @property
    def outputs(self) -> Port:
        """The type of what `run` returns."""
        return self.exe.output

    def __call__(self, *given: AnyType, **named: AnyType) -> AnyType:
        """Run with inputs in order."""
        if named:
            raise ports.wrong_inputs(f"expected inputs in order, got {', '.join(named)} by name; pass a dict to run")
        if len(given) != len(self.exe.inputs):
            names = ", ".join(name for name, _ in self.exe.inputs)
            raise ports.wrong_inputs(f"expected {counted(len(self.exe.inputs), 'input')}: {names}; got {len(given)}")
        if self._recorded is None and (found := self._quickly(given)) is not None:
            return found
        return self.run({name: value for (name, _), value in zip(self.exe.inputs, given, strict=True)})

    def run(self, feeds: Mapping[str, AnyType]) -> AnyType:
        """Run with inputs by name: numpy arrays, anything with __dlpack__, tuples, `Data` for data types."""
        if self._recorded is None:
            given = self._in_order(feeds)
            if given is not None and (found := self._quickly(given)) is not None:
                return found
            return self._run(feeds, None)
        log: list[Event] = []
        result = self._run(feeds, log)
        met = ShapeHistogram.of(log, self.exe)
        with self._recording:
            self._recorded += met
        return result

    def profile(self, feeds: Mapping[str, AnyType], warm_up: int = 1) -> Profile:
        """Run once and say where the time went; before that, `warm_up` times for nothing."""
        for _ in range(warm_up):
            self._run(feeds, [])
        machine = self._machine()
        machine.pool.reset_peak()
        log: list[Event] = []
        machine.listen(log)
        try:
            start = time.perf_counter_ns()
            args = self._engine.arguments(machine, feeds)
            entered = time.perf_counter_ns()
            self._arrays(machine, args)
            self._files.require_whole()
            end = time.perf_counter_ns()
            self._engine.note(machine)
        finally:
            self._give_back(machine)
        pool, events = machine.pool, tuple(sorted(log, key=lambda e: e.start))
        return Profile(self.exe, start, end, events, pool.peak, pool.allocations, entered - start)

    def record_shapes(self, path: str | Path | None = None) -> ShapeHistogram:
        """The sizes that kernels met since the first call of this, which begins recording.

        With a path they are added to what that file says, those that this session added before but once.
        """
        with self._recording:
            if self._recorded is None:
                self._recorded = ShapeHistogram({})
            if path is not None:
                place = Path(path).resolve()
                add_shapes(path, self._recorded.since(self._added.get(place, ShapeHistogram({}))))
                self._added[place] = self._recorded
            return self._recorded

    @property
    def peak_bytes(self) -> int:
        """The most memory that any run so far had in use at once."""
        return max((machine.pool.peak for machine in self._idle), default=0)

    def _in_order(self, feeds: Mapping[str, AnyType]) -> Sequence[AnyType] | None:
        """Inputs by name as they stand in the executable, where they are that."""
        try:
            return [feeds[name] for name in self._names] if len(feeds) == len(self._names) else None
        except (LookupError, TypeError):  # as lists and arrays say, which have no names
            return None

    def _quickly(self, given: Sequence[AnyType]) -> AnyType | None:
        """The result for inputs that are plain, and a program that has native code for all of the way."""
        engine = self._engine
        if not isinstance(engine, Driver):
            return None
        machine: AnyType = self._machine()
        try:
            found = engine.call(machine, given)
            if found is not None:
                self._files.require_whole()
            return found
        finally:
            self._give_back(machine)

    def _run(self, feeds: Mapping[str, AnyType], log: list[Event] | None) -> AnyType:
        machine = self._machine()
        if log is not None:
            machine.listen(log)
        try:
            args = self._engine.arguments(machine, feeds)
            found = self._arrays(machine, args)
            if log is not None:
                self._engine.note(machine)
            self._files.require_whole()
            return found
        except BaseException:
            for device in self._devices.values():  # which may still write into what the caller gave, and now lets go of
                with suppress(AnytileError):
                    device.wait()
            raise
        finally:
            self._give_back(machine)

    def _arrays(self, machine: AnyType, args: Sequence[Value] | None) -> AnyType:
        """What main returns, as users have it."""
        if isinstance(self._engine, Driver):
            return self._engine.arrays(machine, args)
        result = self._engine.run(machine, self.exe.main, args)
        return ports.result(self.exe, result, machine.pool, self._devices, self._to)

    def _machine(self) -> Machine:
        try:
            return self._idle.pop()
        except IndexError:
            machine: Machine = self._engine.machine(Pool(self.memory_limit), self._devices)
            return machine

    def _give_back(self, machine: Machine) -> None:
        machine.rest()
        self._idle.append(machine)


def _at_most(name: str, given: AnyType, of: str) -> int:
    """A bound that is given to a session, as a word of the machine holds it."""
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise ArgumentError(f"Session: {name}={given!r}; expected how many {of} at most, a whole number from 0")
    return min(number, sys.maxsize)


def _devices(exe: Executable, given: Mapping[str, Device]) -> dict[int, Device]:
    missing = [name for name in exe.devices[1:] if name not in given]
    if CUDA in missing:
        from anytile.schedules.hardware.nvidia_driver import NoDevice  # here, so that a CPU never meets CUDA
        from anytile.vm.values.stream_device import StreamDevice

        missing.remove(CUDA)
        try:
            given = {**given, CUDA: StreamDevice()}
        except NoDevice as error:
            shown = command_line("dump", "EXE", "--why")
            made = command_line("compile", "MODEL", "--target", "llvm", "-o", "FILE")
            raise UnsupportedError(
                f"session: the executable is for an NVIDIA GPU: {error.reason}; `{shown}` shows what is in it without "
                f"one, and `{made}` makes one for this CPU"
            ) from None
    if missing:
        raise SpecError(f"session: expected the device(s) {', '.join(missing)}; pass Session(exe, devices={{...}})")
    return {i: given[name] for i, name in enumerate(exe.devices) if i}


def _number(exe: Executable, name: str) -> int:
    if name not in exe.devices:
        raise SpecError(f"session: results={name!r}: expected one of the devices {', '.join(exe.devices)}")
    return exe.devices.index(name)

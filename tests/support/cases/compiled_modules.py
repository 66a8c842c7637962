"""Compiling modules for tests: verified after every pass, and run against the evaluator, before and after memory."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any as AnyType

import numpy as np

from anytile.compiler import evaluate as meaning
from anytile.compiler import module as public
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.ir.nodes import ConstructorRef, Module
from anytile.compiler.ir.types import TensorType
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.passes.verify import is_explicit, verify
from anytile.compiler.pipeline import Pass, compiled, passes
from anytile.dispatch.service import planned
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.program.executable import KERNEL, PACKED
from anytile.vm.program.isa import InvokePacked
from anytile.vm.session import Session
from anytile.vm.values.ports import Data

# A model that stacks rows which a loop makes, on `$none`.
STACK = """
def main(x: Tensor[(?t, 3), float32]) {
  rows(take(shape_of(x), 0), x, $none)
}
def rows(left: Tensor[(), int64], x: Tensor[(?t, 3), float32], seen: Tensor[(?seen, 3), float32])
    -> Tensor[(?, 3), float32] {
  if (less(0, left)) {
    let row = tanh(reshape(take(x, subtract(left, 1)), shape=(1, 3)));
    rows(subtract(left, 1), x, concat(seen, row, axis=0))
  } else { seen }
}
"""

TARGET = Target.host(1)
_NEIGHBOURS = {"bfloat16": 2.0**-7}  # how far numbers of few digits are apart: rounded halfway, one is the other


@cache
def plan(workload: Workload, target: Target = TARGET) -> Planned:
    """The plan of a workload that nobody has tuned; no database is asked."""
    found, answer = planned(workload, target)
    return Planned(found.to_json(), answer.rung.value)


def stages(name: str, module: Module) -> tuple[Module, Module]:
    """The module before a pass and after it."""
    for each, run in passes():
        if each == name:
            return module, run(module)
        module = run(module)
    raise AssertionError(f"no pass is called {name}")


class Compiled:
    """A module on its way through the passes: each module is verified, those that can be evaluated are kept."""

    def __init__(
        self,
        module: Module,
        devices: tuple[str, ...] = ("host",),
        narrow: Pass | None = None,
        store: Pass | None = None,
    ) -> None:
        self.module = module
        self.stages: list[tuple[str, Module]] = []
        self._sessions: dict[bool, Session] = {}
        self.exe: Executable = compiled(module, TARGET, plan, devices, self._watch, narrow, store=store)

    def _watch(self, name: str, module: Module) -> None:
        verify(module, anf=len(self.stages) > 0)
        self.stages.append((name, module))

    @cached_property
    def changed(self) -> list[tuple[str, Module]]:
        """The stages that can be evaluated and say something else than the one before: most passes find nothing."""
        before, found = self.module, list[tuple[str, Module]]()
        for name, module in self.stages:
            if not is_explicit(module) and not alpha_equal(before, module):
                found.append((name, module))
            before = module
        return found

    def session(self, is_native: bool) -> Session:
        if is_native not in self._sessions:
            self._sessions[is_native] = Session(self.exe, functions=host_functions(), compiled=is_native)
        return self._sessions[is_native]


def compile_text(text: str, **constants: AnyType) -> Compiled:
    """A module by its text; the constants are declared from their arrays."""
    declared = "".join(
        f"const ${name}: {TensorType(array.shape, array.dtype.name)};\n" for name, array in constants.items()
    )
    return Compiled(public.Module.parse(declared + text, constants))


def for_machine(value: AnyType) -> AnyType:
    """A value of the evaluator as the machine takes it; lists of a hundred thousand cells need no recursion."""
    done: list[AnyType] = []
    waiting: list[tuple[AnyType, bool]] = [(value, False)]
    while waiting:
        item, is_ready = waiting.pop()
        fields = item.fields if isinstance(item, meaning.Data) else item if isinstance(item, tuple) else None
        if fields is None:
            done.append(np.asarray(item))
        elif not is_ready:
            waiting.append((item, True))
            waiting += [(f, False) for f in reversed(fields)]
        else:
            parts = tuple(done[len(done) - len(fields) :])
            del done[len(done) - len(fields) :]
            done.append(Data(item.constructor.name, *parts) if isinstance(item, meaning.Data) else parts)
    return done[0]


def same(got: AnyType, wanted: AnyType, tolerance: float = 2e-5) -> None:
    """The machine's result is the evaluator's, up to rounding."""
    waiting = [(got, wanted)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(other, meaning.Data):
            assert isinstance(one, Data)
            assert one.constructor == other.constructor.name
            waiting += zip(one.fields, other.fields, strict=True)
        elif isinstance(other, tuple):
            assert isinstance(one, tuple)
            waiting += zip(one, other, strict=True)
        else:
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            if is_float(other.dtype):
                near = max(tolerance, _NEIGHBOURS.get(other.dtype.name, 0.0))
                np.testing.assert_allclose(np.float64(one), np.float64(other), rtol=near, atol=tolerance)
            else:
                np.testing.assert_array_equal(one, other)


def check(made: Compiled, *args: AnyType, tolerance: float = 2e-5, stages: bool = True) -> AnyType:
    """The executable and every module on the way compute what the module means; answers what that is."""
    wanted = evaluate(made.module, args)
    if stages:
        for name, module in made.changed:
            try:
                same(for_machine(evaluate(module, args)), wanted, tolerance)
            except AssertionError as error:
                raise AssertionError(f"after {name}: {error}\n{module}") from None
    given = [for_machine(a) for a in args]
    for is_native in (False, True):
        same(made.session(is_native)(*given), wanted, tolerance)
    return wanted


def run_by(made: Compiled) -> list[str]:
    """What main runs, in order: operators of kernels, and functions of the host."""
    main = next(f for f in made.exe.functions if f.name == "main")
    called = [made.exe.kernels[i.kernel] for i in main.code if isinstance(i, InvokePacked)]
    return [k.workload.partition("(")[0] if k.kind == KERNEL else "host" for k in called if k.kind in (KERNEL, PACKED)]


def node(data: str, constructor: str, *fields: AnyType) -> AnyType:
    """A value of a data type, for the evaluator."""
    return meaning.Data(ConstructorRef(data, constructor), fields)


def random(seed: int, *shape: int) -> AnyType:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)

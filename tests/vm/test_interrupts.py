"""Exceptions of signals at any moment of a run: they arrive, no memory is lost or freed twice, later runs are right."""

from __future__ import annotations

import functools
import random
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any as AnyType

import numpy as np
import pytest

from anytile.core.errors import AnytileError
from anytile.vm.executable import Executable
from anytile.vm.program.executable import Constructor, DataPort, DataType
from anytile.vm.session import Session
from anytile.vm.values.ports import Data
from tests.support.cases.vm_executables import ADD_INT, EXP, executable, kernel, list_sum, tensor, tuple_of
from tests.support.run_outcomes import clean, flat, live

_TWICE = """
function main(tensor) -> any, registers 9:
  LoadConsti r1, 12
  LoadConsti r2, 0
  AllocStorage r3, r1, 4, d0
  AllocTensor r4, r3, r2, [3], float32
  InvokePacked k0, 1, [r0, r4]
  AllocStorage r5, r1, 4, d0
  AllocTensor r6, r5, r2, [3], float32
  InvokePacked k0, 1, [r4, r6]
"""
_COUNTED = """
function main(tensor) -> adt, registers 6:
  LoadConsti r1, 0
  AllocADT r2, 0, []
  Invoke r3, @more, [r1, r0, r2]
  Ret r3

function more(tensor, tensor, adt) -> adt, registers 12:
  If r0, r1, done, more
more:
  LoadConsti r3, 1
  LoadConsti r4, 8
  LoadConsti r5, 0
  AllocStorage r6, r4, 8, d0
  AllocTensor r7, r6, r5, [], int64
  InvokePacked k0, 1, [r0, r3, r7]
  AllocADT r8, 1, [r7, r2]
  Invoke r9, @more, [r7, r1, r8]
  Ret r9
done:
  Ret r2
"""
THREE, NUMBER = tensor((3,)), tensor((), "int64")
NUMBERS = DataType("Numbers", (Constructor("Nil", ()), Constructor("Cons", (NUMBER, DataPort("Numbers")))))


def one_tensor() -> Executable:
    return executable(_TWICE + "Ret r6", [kernel(EXP, ("a0_0",))], [("x", THREE)], THREE)


def a_tuple() -> Executable:
    text = _TWICE + "AllocADT r7, 0, [r4, r6, r4]\nRet r7"
    return executable(text, [kernel(EXP, ("a0_0",))], [("x", THREE)], tuple_of(THREE, THREE, THREE))


def a_data_type() -> Executable:
    return executable(_COUNTED, [kernel(ADD_INT)], [("n", NUMBER)], DataPort("Numbers"), data=[NUMBERS])


def an_error() -> Executable:
    return executable(_TWICE + 'Fatal "enough"', [kernel(EXP, ("a0_0",))], [("x", THREE)], THREE)


X = np.linspace(0, 1, 3, dtype=np.float32)
MODELS: dict[str, tuple[Callable[[], Executable], AnyType]] = {
    "one tensor": (one_tensor, X),
    "a tuple": (a_tuple, X),
    "slowly taken": (a_tuple, X.astype(">f4")),
    "a data type": (a_data_type, np.array(3)),
    "an error": (an_error, X),
    "a data type in": (list_sum, Data("Cons", np.ones(1, np.float32), Data("Nil"))),
}


@functools.cache
def session_of(model: str, compiled: bool) -> Session:
    return Session(MODELS[model][0](), compiled=compiled)


class Ring(Exception):
    """What the signal raises."""


def run(session: Session, given: AnyType) -> list[bytes] | str:
    """The bytes of the results, or the error."""
    try:
        return flat(session(given))
    except AnytileError as error:
        return str(error)


def ringing(session: Session, given: AnyType, at: int) -> bool:
    """Run, with an exception before the bytecode of that number; whether there are so many."""
    left = at

    def trace(frame: FrameType, event: str, arg: object) -> AnyType:
        nonlocal left
        if not str(frame.f_globals.get("__name__")).startswith("anytile."):
            return None
        frame.f_trace_opcodes = True
        left -= 1
        if left == 0:
            raise Ring
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    arrived = False
    try:
        run(session, given)
    except Ring:
        arrived = True
    finally:
        sys.settrace(before)
    assert arrived == (left <= 0), at
    return arrived


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("model", MODELS)
def test_an_exception_between_any_two_bytecodes(model: str, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    swallowed: list[AnyType] = []
    monkeypatch.setattr(sys, "unraisablehook", swallowed.append)
    session, given = session_of(model, compiled), MODELS[model][1]
    wanted = run(session, given)
    at = 1
    while True:
        machine = live(session)
        went_off = ringing(session, given, at)
        if model != "an error":  # whose own end may be cut short: then the next run finishes it
            assert machine.pool.used == 0, at
        if not went_off:
            break
        assert not swallowed
        assert run(session, given) == run(session, given) == wanted, at
        assert live(session).pool.used == 0, at
        if compiled:
            clean(live(session))
        at += 1 if compiled else 7
    assert at > 100


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_signals_at_random(compiled: bool) -> None:
    armed = False  # a signal under way arrives whenever the machine gets to it, in this loop too

    def ring(*_: object) -> None:
        if armed:
            raise Ring

    rng, models = random.Random(0), list(MODELS)
    wanted = {m: run(session_of(m, compiled), MODELS[m][1]) for m in models}
    before = signal.signal(signal.SIGALRM, ring)
    rung = 0
    try:
        for _ in range(3000):
            model = rng.choice(models)
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 150e-6))
                found = run(session_of(model, compiled), MODELS[model][1])
                armed = False
            except Ring:
                armed = False
                rung += 1
                continue
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert found == wanted[model]
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # drops one that is still pending, which else would end us
        signal.signal(signal.SIGALRM, before)
    assert rung > 30
    for model in models:
        session = session_of(model, compiled)
        assert run(session, MODELS[model][1]) == wanted[model]
        assert live(session).pool.used == 0
        if compiled:
            clean(live(session))

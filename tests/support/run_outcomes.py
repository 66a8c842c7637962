"""How a run ended: values that can be compared, and a machine that holds nothing."""

from __future__ import annotations

import ctypes
from typing import Any as AnyType

import numpy as np

from anytile.core.errors import AnytileError
from anytile.vm.interpreter.steps import Machine
from anytile.vm.native.marshalling.machine import NativeMachine
from anytile.vm.runtime.cell_words import CELL, CHUNK
from anytile.vm.runtime.machine_words import CELLS, CHUNKS, FREE, TOTAL
from anytile.vm.session import Session
from anytile.vm.values.ports import Data
from anytile.vm.values.values import Adt, Closure, Tensor, Value


def plain(value: Value, depth: int = 0) -> AnyType:
    """A value that can be compared."""
    if depth > 40:
        return "deep"
    match value:
        case Tensor():
            return value.dtype, value.shape, value.array().tobytes()
        case Adt(tag=tag, fields=fields):
            return tag, [plain(f, depth + 1) for f in fields]
        case Closure(function=function, captured=captured):
            return "closure", function, [plain(c, depth + 1) for c in captured]
    return "storage", value.nbytes


def flat(value: AnyType) -> list[bytes]:
    """The bytes of all arrays in what a session takes or returns."""
    if isinstance(value, np.ndarray):
        return [value.tobytes()]
    return [data for part in (value.fields if isinstance(value, Data) else value) for data in flat(part)]


def outcome(session: Session, args: list[Value]) -> AnyType:
    """What a run returns, or what its error is and where."""
    machine = session._machine()
    try:
        found = plain(session._engine.run(machine, 0, args))
    except AnytileError as error:
        found = type(error).__name__, str(error).partition(":")[0], str(error).count("\n")
    clean(machine)
    session._give_back(machine)
    return found


def clean(machine: Machine) -> None:
    """A machine that holds nothing: all memory is back, and every cell of a native one is free, once."""
    assert machine.pool.used == 0
    if not isinstance(machine, NativeMachine):
        return
    assert machine.words[CELLS] == machine.words[TOTAL]
    cells: set[int] = set()
    chunk = machine.words[CHUNKS]
    while chunk:
        cells.update(range(chunk + 64, chunk + 8 * CHUNK, 8 * CELL))
        chunk = ctypes.c_int64.from_address(chunk).value
    assert len(cells) == machine.words[TOTAL]
    cell = machine.words[FREE]
    while cell:
        cells.remove(cell)
        cell = ctypes.c_int64.from_address(cell).value
    assert not cells


def live(session: Session) -> Machine:
    (machine,) = session._idle
    return machine

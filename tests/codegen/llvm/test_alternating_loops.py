"""Loops that turn run their rounds forwards and backwards by turns, on one thread and in each thread's share."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Grain,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Stmt,
    Store,
    Symbol,
    block,
)

i, j, m = var("i"), var("j"), var("m")
Y = Buffer("y", (const(4),), output=True)


def _noted(place: int | None = None) -> Stmt:
    """y[place] gets one more digit: which round this is. It is what the verifier forbids, and shows the order."""
    at = (i // 4,) if place is None else (const(place),)
    digits = Op("mul", (Load("y", at), Literal(10.0)))
    return Store("y", at, Op("add", (digits, Cast("float32", Number(i + 1)))))


def _loop(body: Stmt, turns: bool = True, kind: LoopKind = LoopKind.SERIAL) -> Loop:
    return Loop("i", m, kind, body, Grain(m, 1) if kind is LoopKind.PARALLEL else None, turns=turns)


def _loaded(*bodies: Stmt, threads: int = 1) -> Loaded:
    texts = []
    for n, body in enumerate(bodies):
        nest = LoopNest("n", (Y,), (Symbol("m"),), body)
        texts += [emit_function(nest, f"body{n}", threads), kernel_function(f"kernel{n}", f"body{n}", nest, ("m",))]
    return Loaded(compile_ir(module(texts), Target.host(), "kernel0", facts_too=False))


def _orders(loaded: Loaded, size: int, calls: int, kernel: int = 0) -> list[list[int]]:
    found = []
    for _ in range(calls):
        y = np.zeros(4, np.float32)
        assert loaded.call(f"kernel{kernel}", [y.ctypes.data], [size]) == 0
        found.append([int(v) for v in y])
    return found


def test_every_other_call_goes_back() -> None:
    assert _orders(_loaded(_loop(_noted(0))), 5, 4) == [[n, 0, 0, 0] for n in (12345, 54321, 12345, 54321)]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_every_round_runs_once(size: int) -> None:
    digits = "123"[:size]
    orders = [[int(text or 0), 0, 0, 0] for text in (digits, digits[::-1])]
    assert _orders(_loaded(_loop(_noted(0))), size, 2) == orders


def test_all_loops_of_a_call_go_the_same_way_and_others_never_back() -> None:
    body = block(_loop(_noted(0)), _loop(_noted(1)), _loop(_noted(2), turns=False))
    assert _orders(_loaded(body), 3, 3) == [[123, 123, 123, 0], [321, 321, 123, 0], [123, 123, 123, 0]]


def test_inside_another_loop() -> None:
    loaded = _loaded(Loop("j", const(2), LoopKind.SERIAL, _loop(_noted(0))))
    assert _orders(loaded, 2, 2) == [[1212, 0, 0, 0], [2121, 0, 0, 0]]


def test_the_kernels_of_a_module_take_turns() -> None:
    loaded = _loaded(_loop(_noted(0)), _loop(_noted(0)))
    assert _orders(loaded, 2, 1, kernel=1) == [[12, 0, 0, 0]]
    assert _orders(loaded, 2, 1, kernel=0) == [[21, 0, 0, 0]]
    assert _orders(_loaded(_loop(_noted(0))), 2, 1) == [[12, 0, 0, 0]], "another module has a byte of its own"


@pytest.mark.parametrize("threads", [1, 2])
def test_each_thread_turns_in_its_share(threads: int) -> None:
    loaded = _loaded(_loop(_noted(), kind=LoopKind.PARALLEL), threads=threads)
    assert _orders(loaded, 8, 3) == [[1234, 5678, 0, 0], [4321, 8765, 0, 0], [1234, 5678, 0, 0]]


def test_code_without_such_loops_has_no_byte() -> None:
    nest = LoopNest("n", (Y,), (Symbol("m"),), _loop(_noted(0), turns=False))
    assert "anytile_turn" not in module([emit_function(nest, "body")])

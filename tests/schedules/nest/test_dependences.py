"""Loops turn where that changes nothing: over the first dimension of what they walk, with rounds that stay apart."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.dependences import meetings, to_and_fro
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.space import Value
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import conv2d, dense, lstm_cell
from anytile.schedules.workloads.workload import Any, Workload

i, j, m = var("i"), var("j"), var("m")
W = Buffer("w", (m, const(8)))
Y = Buffer("y", (m, const(8)), output=True)
ACC = Buffer("acc", (const(1),), Scope.REGISTER)
SSE, THREADS = Target.parse("llvm -mcpu=nehalem -threads=1"), Target.parse("llvm -mcpu=nehalem -threads=3")


def _turning(nest: LoopNest) -> set[str]:
    verify(nest)
    return {s.var for s in walk(nest.body) if isinstance(s, Loop) and s.turns}


def _for(name: str, extent: int, body: Stmt, kind: LoopKind = LoopKind.SERIAL) -> Stmt:
    return Loop(name, m if name == "i" else const(extent), kind, body)


def _nest(body: Stmt) -> LoopNest:
    return LoopNest("n", (W, Y), (Symbol("m"),), body)


COPY = Store("y", (i, j), Load("w", (i, j)))
_ADD = Update("acc", (const(0),), Load("w", (i, j)))
BODIES: dict[str, tuple[Stmt, set[str]]] = {
    "rows": (_for("i", 0, _for("j", 8, COPY)), {"i"}),
    "rows by threads": (_for("i", 0, _for("j", 8, COPY), LoopKind.PARALLEL), {"i"}),
    "copies in other loops": (_for("j", 8, block(_for("i", 0, COPY), _for("i", 0, COPY))), set()),
    "in rounds that read the same": (
        _for("j", 8, _for("i", 0, Store("y", (i, j), Load("w", (i, const(0)))))), {"i"}
    ),
    "a sum": (Alloc(ACC, _for("i", 0, _for("j", 8, _ADD))), set()),
    "a sum of each row": (_for("i", 0, Alloc(ACC, block(Store("acc", (const(0),), Literal(0.0)), _for("j", 8, _ADD)))),
                          {"i"}),
    "something else": (_for("i", 0, Store("y", (i, const(0)), Literal(1.0))), set()),
    "rows from the end": (_for("i", 0, _for("j", 8, Store("y", (i, j), Load("w", (m - 1 - i, j))))), set()),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_which_loops_turn(name: str) -> None:
    body, expected = BODIES[name]
    assert _turning(to_and_fro(_nest(body), "w")) == expected


def test_where_rounds_meet() -> None:
    loop = Loop("i", m, LoopKind.SERIAL, block(COPY, Update("y", (const(0), const(1)), Literal(1.0))))
    assert {str(used.index[0]) for _, used in meetings(loop)} == {"0"}
    assert not list(meetings(Loop("i", m, LoopKind.SERIAL, COPY)))


def _scheduled(workload: Workload, target: Target, **knobs: Value) -> Scheduled:
    made = templates_for(workload, target)[0]
    return made.schedule(workload, target, made.default(workload, target).with_(**knobs))


def _of_weight(made: Scheduled) -> LoopNest:
    return to_and_fro(made.nest, made.packs[0].nest.params[1].name)


DENSE = dense(m=Any("m"), n=48, k=600, const=("w",))
WALKS: dict[str, tuple[dict[str, Value], set[str]]] = {
    "panels": ({"block_n": 1}, {"no"}),
    "groups of panels": ({"block_n": 4}, {"nb"}),
    "panels for each tile of rows": ({"block_n": 0}, {"no"}),
    "blocks of k": ({"block_k": 256}, set()),
}


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("parallel", ["none", "n", "m"])
def test_the_weight_of_dense(name: str, parallel: str) -> None:
    knobs, turning = WALKS[name]
    made = _scheduled(DENSE, THREADS, tile_m=4, tile_n=1, parallel=parallel, grain=1, **knobs)
    nest = _of_weight(made)
    assert _turning(nest) == turning
    assert made.walk is not None
    for residue in range(4):
        assert _turning(specialise(nest, made.walk, residue, residue)) == turning


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_the_weight_of_a_convolution(layout: str) -> None:
    workload = conv2d(n=Any("n"), ci=16, h=7, w=7, co=64, kh=3, kw=3, pad=1, layout=layout, const=("w",))
    for made in templates_for(workload, SSE):
        s = made.schedule(workload, SSE, made.default(workload, SSE))
        at_points = made.name == "conv2d.winograd"  # a block of channels is read at each of them
        assert _turning(_of_weight(s)) == (set() if at_points else {"co"})


def test_the_weights_of_gates() -> None:
    workload = lstm_cell(m=Any("m"), u=24, k=16, const=("w",))
    assert _turning(_of_weight(_scheduled(workload, SSE))) == {"no"}

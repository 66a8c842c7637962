"""Loops turn where that changes nothing: over the first dimension of what they walk, with rounds that stay apart."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.dependences import meetings, to_and_fro
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.space import Value as KnobValue
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


AT = Buffer("at", (m,), dtype="int64")
OWN = Buffer("own", (const(2),), Scope.WORKSPACE, dtype="int64")
_THIRD = Op("floordiv", (Number(i), Number(const(3))))
_LOADED = Load("at", (i,))


def _at(value: Value, *before: Stmt) -> Stmt:
    """Rounds that write where a value says, behind what they do to a buffer of their own."""
    put = Let("k", value, m, Store("y", (var("k"), const(0)), Literal(1.0)))
    return Loop("i", m, LoopKind.SERIAL, Alloc(OWN, block(*before, put)))


def _kept(place: int, value: Value) -> Stmt:
    return Store("own", (const(place),), value)


@pytest.mark.parametrize(
    ("loop", "meets"),
    [
        (_at(_THIRD), False),
        (_at(Load("own", (const(0),)), _kept(0, _THIRD)), False),
        (_at(Load("own", (const(0),)), _kept(0, _THIRD), _kept(1, Number(i))), False),
        (_at(Load("own", (const(1),)), _kept(0, _THIRD), _kept(1, Load("own", (const(0),)))), True),
        (_at(Number(m)), True),
        (_at(_LOADED), True),  # may be the same everywhere
        (_at(Op("add", (Number(i), _LOADED))), True),
        (_at(Load("own", (const(0),)), _kept(0, _LOADED)), True),
        (_at(Load("own", (const(0),)), _kept(0, _THIRD), _kept(1, _LOADED)), True),
        (_at(Load("own", (const(0),)), _kept(0, _THIRD), _kept(1, Number(m))), True),
        (_at(Load("own", (const(0),))), True),
    ],
    ids=["computed", "kept", "both kept", "in a circle", "the same", "loaded", "computed of what is loaded",
         "loaded and kept", "one of two loaded", "one of two the same", "never written"],
)  # fmt: skip
def test_where_rounds_write_what_is_computed_from_them(loop: Loop, meets: bool) -> None:
    assert bool(list(meetings(loop))) == meets


def _scheduled(workload: Workload, target: Target, **knobs: KnobValue) -> Scheduled:
    made = templates_for(workload, target)[0]
    return made.schedule(workload, target, made.default(workload, target).with_(**knobs))


def _of_weight(made: Scheduled) -> LoopNest:
    return to_and_fro(made.nest, made.packs[0].nest.params[1].name)


DENSE = dense(m=Any("m"), n=48, k=600, const=("w",))
WALKS: dict[str, tuple[dict[str, KnobValue], set[str]]] = {
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

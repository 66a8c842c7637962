"""What the verifier asks of nests for a GPU: threads that come together, copies within bounds, whole matrix tiles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.mma_operations import A, C
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Barrier,
    Buffer,
    BulkCopy,
    Cast,
    Copy,
    Deliver,
    Guard,
    Last,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Prefetch,
    Relay,
    Scope,
    Stmt,
    Store,
    Symbol,
    Tile,
    Wait,
    block,
)
from anytile.schedules.nest.verify import verify

i, m = var("i"), var("m")
X = Buffer("x", (m, const(8)))
H = Buffer("h", (m, const(200)), Scope.PARAM, "float16", align=16)
ODD = replace(H, name="odd", shape=(m, const(201)))
TILE = Buffer("tile", (const(4), const(8)), Scope.SHARED)
HALVES = Buffer("halves", (const(16), const(32)), Scope.SHARED, "float16")


def _loop(kind: LoopKind, extent: int, body: Stmt) -> Stmt:
    return Loop("i", const(extent), kind, body)


def _copy(count: int = 4, column: int = 4, *, checked: bool = True) -> Stmt:
    where = (m - 1 - i,) if checked else ()
    return Alloc(
        TILE, _loop(LoopKind.THREAD, 4, Copy("tile", (i, const(column)), Load("x", (i, const(4))), count, where))
    )


def _tiles(*args: Load, name: str = "load_a", kind: LoopKind = LoopKind.WARP) -> Stmt:
    a = Buffer("a", (const(2), *map(const, A.shape)), Scope.REGISTER, "float16")
    c = Buffer("c", tuple(map(const, C.shape)), Scope.REGISTER)
    return Alloc(HALVES, Alloc(a, Alloc(c, _loop(kind, 2, Tile(name, args)))))


def _at(buffer: str, *index: int) -> Load:
    return Load(buffer, tuple(map(const, index)))


ROWS = Buffer("rows", (const(3), const(8), const(64)), Scope.SHARED, "float16", swizzle=8)


def _relay(
    *more: Stmt,
    tile: Buffer = ROWS,
    source: str = "h",
    stage: int = 2,
    kind: LoopKind = LoopKind.BLOCK,
    box: tuple[int, ...] = (),
    steps: tuple[int, ...] = (),
) -> Stmt:
    box = box or tuple(e.value or 0 for e in tile.shape[-2:])
    copy = BulkCopy(tile.name, (const(stage),), Load(source, (8 * i, const(64))), box, steps)
    return Alloc(tile, _loop(kind, 4, block(Relay(const(0), 3, copy, block()), *more)))


PAIRED = Relay(const(0), 3, block(), block(), cluster=2)
PAIR = 8 * (i // 2)


def _cluster(relay: Relay = PAIRED, row: Expr = PAIR, blocks: int | Expr = 4) -> Stmt:
    tile = replace(ROWS, shape=(const(3), const(32), const(64)))
    copy = BulkCopy(tile.name, (const(0),), Load("h", (row, const(64))), (32, 64), shared=True)
    return Alloc(tile, Loop("i", const(0) + blocks, LoopKind.BLOCK, replace(relay, fill=copy)))


SUMS = Buffer("sums", (const(4), const(8)), output=True)


def _shared_sums(
    *along: tuple[str, int],
    blocks: int = 4,
    kind: LoopKind = LoopKind.SERIAL,
    at: Expr | None = None,
    more: Stmt | None = None,
    inside: bool = False,
    where: tuple[Expr, ...] = (),
) -> Stmt:
    """Blocks that share what is stored in a loop j of 8; or with another loop of blocks inside of theirs."""
    put = Store("sums", (const(0), var("j") if at is None else at), Literal(0.0))
    body: Stmt = block(*([more] if more is not None else []), Loop("j", const(8), kind, put))
    last: Stmt = Last("i", blocks, body, along or (("j", blocks),))
    last = Guard(where, last) if where else last
    return _loop(LoopKind.BLOCK, blocks, Loop("k", const(2), LoopKind.BLOCK, last) if inside else last)


Y = replace(H, name="y", output=True)


def _deliver(
    work: Stmt | None = None, stage: int = 2, output: str = "y", kind: LoopKind = LoopKind.WARP, stages: int = 3
) -> Stmt:
    put = Store("rows", (const(2), const(0), const(0)), Cast("float16", Literal(0.0)))
    corner, tile = (8 * i, const(64)), Load("rows", (const(stage),))
    return Alloc(ROWS, _loop(kind, 4, Deliver(const(2), stages, work or put, output, corner, tile, (8, 64))))


def _ahead(asked: Stmt, around: LoopKind = LoopKind.BLOCK) -> Stmt:
    """Before 4 blocks, or what else the loop is of, wait for a barrier."""
    return _loop(around, 4, block(Ahead(asked), Wait(0)))


def _first(buffer: str = "x", row: Expr = i, column: int = 0) -> Stmt:
    return Guard((m - 1 - i,), Prefetch(buffer, (row, const(column))))


GOOD = {
    "ahead": _ahead(_first()),
    "ahead on conditions on blocks": _loop(LoopKind.BLOCK, 4, Guard((i - 1,), Ahead(_first()), Ahead(_first("h")))),
    "boxes ahead": _ahead(Prefetch("h", (8 * i, const(192)), box=(8, 64))),
    "relay": _relay(),
    "deliver": _deliver(),
    "cluster": _cluster(),
    "cluster of some": _cluster(blocks=2 * m),
    "cluster of those that stay": _cluster(blocks=minimum(2 * m, const(6))),
    "deliver of a block": _deliver(kind=LoopKind.BLOCK),
    "barrier": _loop(LoopKind.BLOCK, 4, block(Barrier(), Wait(0))),
    "copy": _copy(),
    "last": _loop(LoopKind.BLOCK, 4, Last("i", 4, Barrier())),
    "last of a cluster": _shared_sums(),
    "last of a cluster of which all come or none": _shared_sums(where=(m - 1,)),
    "last of a cluster, of a loop that is gone": _shared_sums(("j", 2), ("gone", 2)),
    "tile": _tiles(Load("a", (i,)), _at("halves", 0, 16)),
}
BAD: dict[str, tuple[Stmt, str]] = {
    "ahead of threads": (_ahead(_first(), LoopKind.THREAD), "ahead: it stands inside more than loops of blocks"),
    "ahead in rounds": (_ahead(_first(), LoopKind.SERIAL), "ahead: it stands inside more than loops of blocks"),
    "ahead of what is not there": (_ahead(Prefetch("x", (i, const(0)))), "cannot prove i < m in dimension 0 of x"),
    "ahead beyond": (_ahead(_first(column=8)), "cannot prove 8 < 8 in dimension 1 of x"),
    "ahead of a result": (_ahead(_first("y")), "y is no input"),
    "ahead of what has not begun": (Alloc(TILE, _ahead(_first("tile"))), "cannot prove|tile is no input"),
    "copies ahead": (
        Alloc(TILE, _ahead(Copy("tile", (const(0), const(0)), Load("x", (i, const(0))), 4))),
        "expected prefetches alone",
    ),
    "a box that is not ahead": (_loop(LoopKind.BLOCK, 4, Prefetch("h", (i, i), box=(8, 64))), "ahead of a relay"),
    "a box of other dimensions": (_ahead(Prefetch("h", (i, i), box=(2, 8, 64))), "a box of 3 dimensions"),
    "relay of some threads": (_relay(kind=LoopKind.WARP), "all threads .* stands inside the loop warp i"),
    "relay beside a barrier": (_relay(Barrier()), "relay: .* a wait for all threads of a block"),
    "two relays": (_relay(Relay(const(0), 1, block(), block())), "relay: beside another one"),
    "no stages": (_loop(LoopKind.BLOCK, 2, Relay(const(0), 0, block(), block())), "0 stages, or a relay in a relay"),
    "behind with one stage": (
        _loop(LoopKind.BLOCK, 2, Relay(const(0), 1, block(), block(), behind=True)),
        "1 stages, work behind; expected at least 2",
    ),
    "behind with other work": (
        _loop(LoopKind.BLOCK, 2, Relay(const(0), 2, block(), block(), behind=True)),
        "nothing but a group's product",
    ),
    "filled by more": (
        _loop(LoopKind.BLOCK, 2, Relay(const(0), 1, _loop(LoopKind.THREAD, 2, block()), block())),
        "filled by more than bulk copies",
    ),
    "bulk copy alone": (
        Alloc(ROWS, BulkCopy("rows", (const(0),), Load("h", (const(0), const(0))), (8, 64))),
        "it stands in no relay, and nobody would wait for it",
    ),
    "bulk copy of another dtype": (_relay(source="x"), "rows is float16, and x is float32"),
    "bulk copy of rows that are not swizzled": (_relay(tile=replace(ROWS, swizzle=1)), "128 bytes, swizzled by 8"),
    "bulk copy of short rows": (
        _relay(tile=replace(ROWS, shape=(const(3), const(8), const(32)))),
        "at most 256 rows of 128 bytes",
    ),
    "bulk copy from odd addresses": (_relay(source="odd"), "rows of odd do not begin at multiples of 16 bytes"),
    "bulk copy of another box": (_relay(box=(4, 64)), "a box of 4 x 64 as a tile of 8 x 64"),
    "bulk copy of a box of more": (_relay(box=(2, 4, 64)), "expected a tile, and a box of 2 to 5 dimensions"),
    "bulk copy of what is far apart": (_relay(steps=(9, 1)), r"elements \(9, 1\) apart; expected 1 to 8"),
    "bulk copy of rows that are apart": (_relay(steps=(1, 2)), "1 to 8 along each dimension, 1 in a row"),
    "bulk copy to no stage": (_relay(stage=3), "cannot prove 3 < 3 in dimension 0 of rows"),
    "bulk copy from nowhere": (_relay(source="z"), "z is not in scope"),
    "cluster of an odd number": (_cluster(blocks=5), "5 blocks along i are no clusters of 2"),
    "cluster of who knows": (_cluster(blocks=minimum(m, const(6))), "blocks along i are no clusters of 2"),
    "cluster of other tiles": (_cluster(row=8 * i), "not the same 32 rows in all blocks of a cluster"),
    "cluster of other rounds": (
        _cluster(replace(PAIRED, round=i)),
        "blocks of a cluster of 2 are in different rounds",
    ),
    "cluster of parts that no swizzle fits": (
        _cluster(replace(PAIRED, cluster=8), 8 * (i // 8), 8),
        "not the same 32 rows",
    ),
    "no cluster": (_cluster(replace(PAIRED, cluster=1)), "for all blocks .* there are no clusters"),
    "cluster of no blocks": (PAIRED, "clusters, and no loop of blocks"),
    "deliver by threads": (_deliver(kind=LoopKind.THREAD), "a group of warps .* stands inside the loop thread i"),
    "deliver an input": (_deliver(output="h"), "h is an input"),
    "deliver another stage": (_deliver(stage=1), "stored from stage 1 of 3; expected the remainder of the round"),
    "deliver through none": (_deliver(stages=0), "stored from stage 2 of 0"),
    "deliver nowhere": (_deliver(output="z"), "z is not in scope"),
    "deliver to odd addresses": (_deliver(output="odd"), "rows of odd do not begin at multiples of 16 bytes"),
    "deliver and write elsewhere": (
        _deliver(Store("y", (const(0), const(0)), Cast("float16", Literal(0.0)))),
        "its work writes y; expected rows",
    ),
    "deliver and wait": (_deliver(Barrier()), "in its work others are waited for"),
    "barrier": (_loop(LoopKind.THREAD, 4, Barrier()), "barrier: all threads .* stands inside the loop thread i"),
    "last": (_loop(LoopKind.WARP, 4, Last("i", 4, Barrier())), "inside the loop warp i"),
    "last of a loop of threads": (Last("i", 4, Barrier()), "i is no loop of 4 blocks here"),
    "last of too large a cluster": (_shared_sums(blocks=16), "at most 8 blocks of the innermost loop of blocks"),
    "last of a cluster of far blocks": (_shared_sums(inside=True), "of the innermost loop of blocks"),
    "last of a cluster of which some come": (_shared_sums(where=(i - 1,)), "stands where i decides"),
    "last of a cluster that shares too little": (_shared_sums(("j", 2)), "whose rounds 4 blocks divide"),
    "last of a cluster along one loop twice": (_shared_sums(("j", 2), ("j", 2)), "whose rounds 4 blocks divide"),
    "last of a cluster along threads": (_shared_sums(kind=LoopKind.THREAD), "cannot share the rounds of thread j"),
    "last of a cluster that meets": (_shared_sums(at=const(0)), "what a cluster shares, j meet in sums"),
    "last of a cluster that all write": (
        _shared_sums(more=Store("sums", (const(1), const(0)), Literal(0.0))),
        "several blocks of a cluster would write it; expected it in the loop j",
    ),
    "rounds": (_loop(LoopKind.BLOCK, 4, Last("i", 3, Barrier())), "i is no loop of 3 blocks here"),
    "blocks in threads": (
        Loop("j", const(2), LoopKind.THREAD, _loop(LoopKind.BLOCK, 4, Wait(0))),
        "stands inside the loop thread j",
    ),
    "threads": (Loop("i", m, LoopKind.THREAD, Wait(0)), "the extent must be a number"),
    "wait": (Wait(-1), "expected at least 0"),
    "source": (_copy(checked=False), "cannot prove i < m in dimension 0 of x"),
    "source's end": (_copy(count=5), "cannot prove 8 < 8 in dimension 1 of tile"),
    "place": (_copy(column=5), "cannot prove 8 < 8 in dimension 1 of tile"),
    "nothing": (_copy(count=0), "0 elements; expected at least 1"),
    "tile's place": (_tiles(Load("a", (i,)), _at("halves", 0, 17)), "cannot prove 32 < 32 in dimension 1 of halves"),
    "tile of threads": (
        _tiles(Load("a", (i,)), _at("halves", 0, 0), kind=LoopKind.THREAD),
        "a warp does it together, and it stands inside the loop thread i",
    ),
    "operands": (_tiles(Load("a", (i,))), "1 operands; expected 2"),
    "no fragment": (_tiles(_at("c"), _at("halves", 0, 0)), "c is no buffer of 5 dimensions here"),
    "operation": (_tiles(name="wgmma"), "unknown matrix operation 'wgmma'"),
}


def _nest(body: Stmt) -> LoopNest:
    return LoopNest("n", (X, H, ODD, Y, SUMS), (Symbol("m"),), body)


@pytest.mark.parametrize("name", GOOD)
def test_a_well_formed_nest_passes(name: str) -> None:
    verify(_nest(GOOD[name]))


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_nest_is_refused(name: str) -> None:
    body, reason = BAD[name]
    with pytest.raises(ScheduleError, match=reason):
        verify(_nest(body))

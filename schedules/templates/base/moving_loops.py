"""Nests that move elements: outer loops that threads share, rows in vectors inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ExprLike, expr, minimum, var
from anytile.schedules.nest.nodes import Grain, Loop, LoopKind, Stmt
from anytile.schedules.primitives.vector_rows import Share, Tile, vectors
from anytile.schedules.templates.base.parallel_grain import GRAINS, moved

_PIECE = 64  # vectors of one row that a thread takes at least
_UNROLL = 4


def lanes_of(target: Target, *dtypes: str) -> int:
    """How many elements of the widest of these dtypes one vector register holds."""
    return facts(target).vector_bits // 8 // max(BYTES[d] for d in dtypes)


def moving(total: ExprLike, *dtypes: str) -> Share:
    """How a loop is shared in which so many elements of these dtypes are read or written.

    Twice as much for each thread as where it computes: what a core wrote, another has to fetch before it moves it.
    """
    return Share(Grain(moved(total, dtypes), 2 * GRAINS[0]))


def nested(loops: Sequence[tuple[str, ExprLike]], body: Stmt, share: Share) -> Stmt:
    """Loops from outside in around the body; threads share the first of more than one round."""
    chosen = next((name for name, extent in loops if expr(extent).value != 1), None)
    for name, extent in reversed(loops):
        if name == chosen:
            body = share.loop(name, expr(extent), body)
        else:
            body = Loop(name, expr(extent), LoopKind.SERIAL, body)
    return body


def row(size: ExprLike, lanes: int, body: Callable[[Expr], Stmt]) -> Stmt:
    """`body(position)` at each position of a row, in vectors."""
    return vectors(size, Tile(lanes, _UNROLL), lambda position, _vector, _lane: body(position))


def rows(
    outer: Sequence[tuple[str, ExprLike]], size: Expr, lanes: int, body: Callable[[Expr], Stmt], share: Share
) -> Stmt:
    """`body(position)` at each position of every row. Threads share the outer loops, or pieces of a row without any."""
    if any(expr(extent).value != 1 for _, extent in outer):
        return nested(outer, row(size, lanes, body), share)
    piece = _PIECE * lanes
    start = var("i_piece") * piece
    inside = row(minimum(piece, size - start), lanes, lambda i: body(start + i))
    return nested([*outer, ("i_piece", (size + piece - 1) // piece)], inside, share)

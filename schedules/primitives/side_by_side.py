"""Unroll-and-jam of panels: a tile of few rows works on several panels of the other operand at once.

One row by two vectors keeps two sums: each waits for the one before it, and only one stream of memory is read. As many
panels side by side as fill the registers keep more sums and more streams under way. The layout stays that of one panel.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Alloc, Load, Loop, LoopKind, Scope, Stmt, Store, Update, block
from anytile.schedules.nest.traverse import loops, map_exprs, map_loads, rebuild, rewrite, walk
from anytile.schedules.primitives.schedule import Jam


def side_by_side(tile: Stmt, inner: str, rows: int, jam: Jam) -> Stmt:
    """What walks panels, a sum in registers for each, takes as many at once as fit the registers and are allowed.

    `inner` is the loop over the tile's rows. Beside the sums stand the vectors of one panel and one of each row, which
    serves all panels.
    """

    def change(s: Stmt) -> Stmt | None:
        if not isinstance(s, Loop) or s.kind is not LoopKind.SERIAL or not isinstance(s.body, Alloc):
            return None
        buffer, panels = s.body.buffer, s.extent.value
        if buffer.scope is not Scope.REGISTER or panels is None:
            return None
        vectors = prod(e.value or jam.registers for e in buffer.shape[1:-1])
        fitting = min((jam.registers - vectors - rows) // (rows * vectors), jam.panels)
        count = max((c for c in range(1, panels + 1) if panels % c == 0 and c <= fitting), default=1)
        return None if count == 1 else _jammed(s, s.body, inner, count)

    return rewrite(tile, change)


def _jammed(loop: Loop, sums: Alloc, inner: str, count: int) -> Loop | None:
    """The loop over panels in steps of `count`; None where more than what is done for a row goes by the panel."""
    side, name = f"p_{loop.var}", sums.buffer.name

    def apart(index: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return (var(side), *index)

    def written(s: Stmt) -> Stmt | None:
        return replace(s, index=apart(s.index)) if isinstance(s, Store | Update) and s.buffer == name else None

    def by_panel(s: Stmt) -> bool:
        """Whether it is a buffer of results, such as sums that a tail reads, of which each panel has its own."""
        return isinstance(s, Alloc) and any(
            side in _names(x) for x in walk(s.body) if isinstance(x, Store | Update) and x.buffer == s.buffer.name
        )

    def repeated(s: Stmt) -> Stmt:
        for_rows = any(loops(s, inner))
        if (isinstance(s, Loop) and s.var == inner) or by_panel(s) or (not for_rows and side in _names(s)):
            return Loop(side, const(count), LoopKind.UNROLLED, s)
        return rebuild(s, repeated) if for_rows else s

    body = map_exprs(sums.body, lambda e: e.substitute({loop.var: var(loop.var) * count + var(side)}))
    body = map_loads(body, lambda load: Load(name, apart(load.index)) if load.buffer == name else load)
    body = repeated(rewrite(body, written))
    if side in _names(rewrite(body, lambda s: block() if isinstance(s, Loop) and s.var == side else None)):
        return None
    wide = replace(sums.buffer, shape=(const(count), *sums.buffer.shape))
    return replace(loop, extent=loop.extent // count, body=Alloc(wide, body))


def _names(s: Stmt) -> set[str]:
    """Of all index expressions in a statement."""
    found: set[str] = set()

    def see(e: Expr) -> Expr:
        found.update(e.names)
        return e

    map_exprs(s, see)
    return found

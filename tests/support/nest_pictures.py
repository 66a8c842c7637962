"""Before-and-after pictures of schedule primitives: what the calls in a docstring do to a small nest.

Lines that begin with `>>>` are run, from `s = matvec()` on; the last of them is what the picture is about. Nests are
shown simplified, and copies that are staged where `accumulate` will put them.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from anytile.reference.docs_pages import shown_primitives
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Guard,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.primitives.gpu.tensorize import Roles
from anytile.schedules.primitives.schedule import Schedule

WIDTH = 116  # of a docstring's lines, in a function
_ARROW = "=>"


def _product(y: Load, a: Load, b: Value) -> Stmt:
    return Update(y.buffer, y.index, Op("mul", (a, b)))


def _loops(extents: dict[str, Expr | int], body: Stmt) -> Stmt:
    for name, extent in reversed(extents.items()):
        body = Loop(name, const(extent) if isinstance(extent, int) else extent, LoopKind.SERIAL, body)
    return body


def _buffer(name: str, *shape: Expr | int, scope: Scope = Scope.PARAM, dtype: str = "float32") -> Buffer:
    extents = tuple(const(e) if isinstance(e, int) else e for e in shape)
    return Buffer(name, extents, scope, dtype, output=name == "y")


def _schedule(name: str, params: tuple[Buffer, ...], body: Stmt) -> Schedule:
    names = sorted({n for b in params for e in b.shape for n in e.names})
    return Schedule(LoopNest(name, params, tuple(map(Symbol, names)), body))


def matvec(m: int | None = None) -> Schedule:
    """y[i] += a[i, k] * x[k]"""
    rows, i, k = var("m") if m is None else m, var("i"), var("k")
    body = _product(Load("y", (i,)), Load("a", (i, k)), Load("x", (k,)))
    params = (_buffer("a", rows, 8), _buffer("x", 8), _buffer("y", rows))
    return _schedule("matvec", params, _loops({"i": rows, "k": 8}, body))


def product(n: int | None = None) -> Schedule:
    """y[i, j] += a[i, k] * b[k, j]"""
    columns, i, j, k = var("n") if n is None else n, var("i"), var("j"), var("k")
    body = _product(Load("y", (i, j)), Load("a", (i, k)), Load("b", (k, j)))
    params = (_buffer("a", 4, 8), _buffer("b", 8, columns), _buffer("y", 4, columns))
    return _schedule("product", params, _loops({"i": 4, "j": columns, "k": 8}, body))


def widening() -> Schedule:
    """y[i, j] += a[i, k] * (b[j, k] * s[j]), b of bytes"""
    i, j, k = var("i"), var("j"), var("k")
    widened = Op("mul", (Cast("float32", Load("b", (j, k))), Load("s", (j,))))
    body = _product(Load("y", (i, j)), Load("a", (i, k)), widened)
    params = (_buffer("a", 4, 8), _buffer("b", 4, 8, dtype="uint8"), _buffer("s", 4), _buffer("y", 4, 4))
    return _schedule("widening", params, _loops({"i": 4, "j": 4, "k": 8}, body))


def stencil(n: int | None = None, dtype: str = "float32") -> Schedule:
    """y[c, i] += x[c, i + t - 1] * w[t], where x has such an element"""
    width, c, i, t = var("n") if n is None else n, var("c"), var("i"), var("t")
    body = _product(Load("y", (c, i)), Load("x", (c, i + t - 1)), Load("w", (t,)))
    inside = (i + t - 1, width - 1 - (i + t - 1))
    params = (_buffer("x", 2, width, dtype=dtype), _buffer("w", 3, dtype=dtype), _buffer("y", 2, width, dtype=dtype))
    return _schedule("stencil", params, _loops({"c": 2, "i": width, "t": 3}, Guard(inside, body)))


def depthwise() -> Schedule:
    """y[g, c, h, v] += x[g, c, h, 2 * v + t - 1] * w[t], where x has such an element"""
    g, c, h, v, t = map(var, "gchvt")
    column = v * 2 + t - 1
    body = _product(Load("y", (g, c, h, v)), Load("x", (g, c, h, column)), Load("w", (t,)))
    params = (_buffer("x", 2, 4, 3, 16), _buffer("w", 3), _buffer("y", 2, 4, 3, 8))
    loops: dict[str, Expr | int] = {"g": 2, "c": 4, "h": 3, "v": 8, "t": 3}
    return _schedule("depthwise", params, _loops(loops, Guard((column, 15 - column), body)))


def matrix_tile() -> tuple[Schedule, Roles]:
    """A product of 16 rows and columns out of shared memory, walked as a warp's instruction does it."""
    roles = Roles("ki", rows="mi", pairs="nj", fragment="nf", group="mg", pair="np", half="mh", low="nl", depth="kr")
    mi, nj, nf, mg, np, mh, nl, kr = map(var, roles.inner)
    x = Load("x", (mi * 16 + mh * 8 + mg, var("ki") * 16 + kr))
    w = Load("w", (nj * 16 + nf * 8 + np * 2 + nl, var("ki") * 16 + kr))
    body = _product(Load("acc", (mi, nj, nf, mg, np, mh, nl)), x, w)
    sizes = dict(zip(roles.inner, (1, 1, 2, 8, 4, 2, 2, 16), strict=True))
    body = _loops({"ki": 2, **sizes}, body)
    for b in (
        _buffer("acc", *(sizes[n] for n in roles.inner[:-1]), scope=Scope.REGISTER),
        *(_buffer(n, 16, 32, scope=Scope.SHARED, dtype="float16") for n in "wx"),
    ):
        body = Alloc(b, body)
    return _schedule("matrix_tile", (), body), roles


def group_tile() -> Schedule:
    """A product of 128 rows and 32 columns out of shared memory, walked as two groups of warps do it."""
    sizes: dict[str, Expr | int] = {"wg": 2, "nj": 4, "ww": 4, "mg": 8, "np": 4, "mh": 2, "nl": 2, "kr": 64}
    wg, nj, ww, mg, np, mh, nl, kr = map(var, sizes)
    x, w = Load("x", (wg * 64 + ww * 16 + mh * 8 + mg, kr)), Load("w", (nj * 8 + np * 2 + nl, kr))
    body = _loops(sizes, _product(Load("acc", tuple(map(var, list(sizes)[:-1]))), x, w))
    for b in (
        _buffer("acc", 2, 4, 4, 8, 4, 2, 2, scope=Scope.REGISTER),
        _buffer("w", 32, 64, scope=Scope.SHARED, dtype="float16"),
        _buffer("x", 128, 64, scope=Scope.SHARED, dtype="float16"),
    ):
        body = Alloc(b, body)
    return _schedule("group_tile", (), body)


def group_result() -> Schedule:
    """128 rows of sums that two groups of warps have, on their way to as many of them as there are."""
    kinds = dict.fromkeys(("wg", "w"), LoopKind.WARP) | dict.fromkeys(("g", "p"), LoopKind.THREAD)
    kinds |= dict.fromkeys(("nj", "h"), LoopKind.UNROLLED) | {"l": LoopKind.VECTOR}
    sizes = {"wg": 2, "nj": 16, "w": 4, "g": 8, "p": 4, "h": 2, "l": 2}
    wg, nj, w, g, p, h, low = map(var, sizes)
    row, acc = wg * 64 + w * 16 + h * 8 + g, Load("acc", tuple(map(var, sizes)))
    body: Stmt = Store("y", (row, nj * 8 + p * 2 + low), acc)
    for name in reversed(sizes):
        body = Loop(name, const(sizes[name]), kinds[name], body)
        body = Guard((var("m") - 1 - row,), body) if name == "l" else body
    body = Alloc(_buffer("acc", *sizes.values(), scope=Scope.REGISTER), body)
    y = replace(_buffer("y", var("m"), 128), output=True, align=16)
    return _schedule("group_result", (y,), body)


def shown(doc: str) -> str:
    """The calls of a docstring and the picture that it shows of them."""
    return doc[doc.index(">>>") :].rstrip()


_NESTS = (matvec, product, widening, stencil, depthwise, matrix_tile, group_tile, group_result)


def picture(calls: list[str]) -> str:
    """The calls, and the nest before and after the last of them."""
    found: dict[str, Any] = {"s": matvec(), "var": var, "LoopKind": LoopKind}
    for primitive in shown_primitives():
        found |= {n: v for n, v in vars(inspect.getmodule(primitive)).items() if not n.startswith("_")}
    found |= {f.__name__: f for f in _NESTS}
    *setup, last = calls
    for call in setup:
        exec(call, found)
    before = _lines(found["s"])
    result = eval(last, found)
    after = _lines(Schedule(result) if isinstance(result, LoopNest) else found["s"])
    return "\n".join([*(f">>> {call}" for call in calls), *_beside(before, after)])


def _lines(s: Schedule) -> list[str]:
    lines = str(simplify(s.nest.with_body(s.with_copies()))).splitlines()
    return [line[2:] for line in lines[1:] if not line.startswith("  symbol ")]


def _beside(before: list[str], after: list[str]) -> list[str]:
    """Side by side where there is room, else one below the other."""
    left = max(map(len, before)) + 3
    if left + max(map(len, after)) + len(_ARROW) > WIDTH:
        return [*before, _ARROW, *after]
    rows = max(len(before), len(after))
    before, after = ([*lines, *[""] * (rows - len(lines))] for lines in (before, after))
    middle = [_ARROW, *["  "] * (rows - 1)]
    return [f"{a:{left}}{m} {b}".rstrip() for a, m, b in zip(before, middle, after, strict=True)]

"""Tensor cores: the innermost loops of a product replaced by what a warp does on matrix tiles in one instruction.

The nest must walk 16 rows as halves and groups, 16 columns as two fragments of pairs, and 16 steps of k, as
`mma_operations` has them; then operands come out of shared memory as fragments, and the sums are where the instruction
keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from anytile.core.dtypes import FLOAT8
from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, rejoined, var
from anytile.schedules.nest.mma_operations import A16, B2, BOTH16, GROUP_PART, A, Operand
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Load,
    Loop,
    LoopKind,
    Op,
    Scope,
    Stmt,
    Tile,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.traverse import chain_of, free_buffer, loads, rewrite, walk
from anytile.schedules.primitives.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Roles:
    """The loops of a product on matrix tiles. Inside the loop `step`, in this order: tiles of rows, pairs of fragments
    of columns, which of the pair, then those of one fragment and of its 16 steps of k."""

    step: str
    rows: str
    pairs: str
    fragment: str
    group: str
    pair: str
    half: str
    low: str
    depth: str

    @property
    def inner(self) -> tuple[str, ...]:
        return (self.rows, self.pairs, self.fragment, self.group, self.pair, self.half, self.low, self.depth)


@dataclass(frozen=True, slots=True)
class _Units:
    """The operations that do it on elements of a dtype: both operands loaded, as which fragments, and multiplied."""

    load_a: str
    load_b: str
    multiply: str
    a: Operand
    b: Operand
    load_turned: str | None = None  # of a tile whose rows are steps of k


_HALVES = _Units("load_a", "load_b2", "mma", A, B2, "load_b2_turned")
_ROUNDED = _Units("load_a16", "load_b16", "mma_rounded", A16, BOTH16)
_UNITS = {  # by the dtypes of both
    ("bfloat16", "bfloat16"): _HALVES,
    ("float16", "float16"): _HALVES,
    ("float32", "float32"): _Units("load_a16", "load_b16", "mma_tf32x3", A16, BOTH16),
    ("float32", "bfloat16"): _ROUNDED,
    ("float32", "float16"): _ROUNDED,
    **{("float32", dtype): replace(_ROUNDED, multiply="mma_float8") for dtype in FLOAT8},
}

# How far a step of each loop goes in x and in w: rows, then k, or in a turned w the other way round.
_STEPS: Mapping[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "fragment": ((0, 0), (8, 0)),
    "group": ((1, 0), (0, 0)),
    "pair": ((0, 0), (2, 0)),
    "half": ((8, 0), (0, 0)),
    "low": ((0, 0), (1, 0)),
    "depth": ((0, 1), (0, 1)),
}


def tensorize(s: Schedule, x_tile: str, w_tile: str, roles: Roles) -> None:
    """Compute `acc[...] += x * w` of the loop `roles.step` by the warp's matrix instruction.

    A tile of `w` has its columns as rows, or, of 16 bits, its steps of k.

    >>> s, roles = matrix_tile()
    >>> tensorize(s, "x", "w", roles)
    shared x: float16[16, 32]
    shared w: float16[16, 32]
    register acc: float32[1, 1, 2, 8, 4, 2, 2]
    for ki in 0..2:
      for nf in 0..2:
        for mg in 0..8:
          for np in 0..4:
            for mh in 0..2:
              for nl in 0..2:
                for kr in 0..16:
                  acc[0, 0, nf, mg, np, mh, nl] += (x[mg + 8*mh, 16*ki + kr] * w[8*nf + nl + 2*np, 16*ki + kr])
    =>
    shared x: float16[16, 32]
    shared w: float16[16, 32]
    register acc: float32[1, 1, 2, 8, 4, 2, 2]
    for ki in 0..2:
      register a: float16[1, 2, 2, 8, 4, 2]
      register b: float16[1, 2, 2, 8, 4, 2]
      load_a(a[0], x[0, 16*ki])
      load_b2(b[0], w[0, 16*ki])
      unroll nf in 0..2:
        mma(acc[0, 0, nf], a[0], b[0, nf])
    """

    def made(x: Loop) -> Stmt | None:
        is_product = any(isinstance(c, Update) for c in walk(x.body))
        return _product(s, x.body, x_tile, w_tile, roles) if is_product else None

    _inside(s, roles.step, made, f"tensorize: no loop {roles.step} around a product")


def _inside(s: Schedule, name: str, made: Callable[[Loop], Stmt | None], otherwise: str) -> None:
    """Put another body into the loops of a name that get one."""

    def change(x: Stmt) -> Stmt | None:
        if not isinstance(x, Loop) or x.var != name:
            return None
        body = made(x)
        return None if body is None else replace(x, body=body)

    body = rewrite(s.nest.body, change)
    if body == s.nest.body:
        raise ScheduleError(otherwise)
    s.put(body)


def _product(s: Schedule, body: Stmt, x_tile: str, w_tile: str, roles: Roles) -> Stmt:
    chain, update = chain_of(body)
    if tuple(x.var for x in chain) != roles.inner or not isinstance(update, Update):
        raise ScheduleError(f"tensorize: expected the loops {', '.join(roles.inner)} around an update")
    extents = {x.var: x.extent for x in chain}
    shapes = {x.buffer.name: x.buffer for x in walk(s.nest.body) if isinstance(x, Alloc)}
    x, w = _operands(update.value, x_tile, w_tile)
    units = _UNITS[shapes[x_tile].dtype, shapes[w_tile].dtype]
    turned = units.load_turned if w.index[0].coefficient(roles.depth) else None
    for load, which in ((x, 0), (w, 1)):
        for role, steps in _STEPS.items():
            name = getattr(roles, role)
            moved = tuple(e.coefficient(name) for e in load.index)
            expected = steps[which][::-1] if load is w and turned else steps[which]
            if moved != expected:
                raise ScheduleError(f"tensorize: {load.buffer} moves by {moved} with {name}; expected {expected}")
    first = {getattr(roles, role): 0 for role in _STEPS}
    if update.index[-4:] != tuple(var(n) for n in (roles.group, roles.pair, roles.half, roles.low)):
        raise ScheduleError(f"tensorize: {update.buffer} does not end in the dimensions of a fragment")

    def corner(load: Load) -> Load:
        return Load(load.buffer, tuple(e.substitute(first) for e in load.index))

    def fragments(name: str, count: str, shape: tuple[int, ...], tile: str) -> Buffer:
        return Buffer(name, (extents[count], *map(const, shape)), Scope.REGISTER, shapes[tile].dtype)

    a = fragments(free_buffer(s.nest, "a"), roles.rows, units.a.shape, x_tile)
    b = fragments(free_buffer(s.nest, "b"), roles.pairs, units.b.shape, w_tile)
    row, pair, one = var(roles.rows), var(roles.pairs), var(roles.fragment)
    load_a = _unrolled(roles.rows, extents, Tile(units.load_a, (Load(a.name, (row,)), corner(x))))
    load_b = _unrolled(roles.pairs, extents, Tile(turned or units.load_b, (Load(b.name, (pair,)), corner(w))))
    sums, factors = Load(update.buffer, update.index[:-4]), (Load(a.name, (row,)), Load(b.name, (pair, one)))
    mma: Stmt = Tile(units.multiply, (sums, *factors))
    for name in (roles.fragment, roles.pairs, roles.rows):
        mma = _unrolled(name, extents, mma)
    return Alloc(a, Alloc(b, block(load_a, load_b, mma)))


def by_groups(s: Schedule, x_tile: str, w_tile: str, group: str, step: str) -> None:
    """Compute `acc[...] += x * w` inside the loop `group` by what four warps multiply from shared memory, `step` being
    the loop over its steps of k. A tile of `w` has its columns as rows, or is turned: parts of 64 columns.

    >>> s = group_tile()
    >>> by_groups(s, "x", "w", "wg", "kr")
    shared x: float16[128, 64]
    shared w: float16[32, 64]
    register acc: float32[2, 4, 4, 8, 4, 2, 2]
    for wg in 0..2:
      for nj in 0..4:
        for ww in 0..4:
          for mg in 0..8:
            for np in 0..4:
              for mh in 0..2:
                for nl in 0..2:
                  for kr in 0..64:
                    acc[wg, nj, ww, mg, np, mh, nl] += (x[mg + 8*mh + 64*wg + 16*ww, kr] * w[8*nj + nl + 2*np, kr])
    =>
    shared x: float16[128, 64]
    shared w: float16[32, 64]
    register acc: float32[2, 4, 4, 8, 4, 2, 2]
    for wg in 0..2:
      wgmma_n32(acc[wg], x[64*wg, 0], w[0, 0])
    """

    def made(x: Loop) -> Stmt | None:
        chain, update = chain_of(x.body)
        if not isinstance(update, Update) or {v.buffer for v in loads(update.value)} != {x_tile, w_tile}:
            return None
        return _of_group(chain, update, x_tile, w_tile, step)

    _inside(s, group, made, f"by_groups: no loop {group} around a product of {x_tile} and {w_tile}")


_GROUP_STEPS = (((0, 0), (8, 0)), ((16, 0), (0, 0)), ((1, 0), (0, 0)), ((0, 0), (2, 0)), ((8, 0), (0, 0)))


def _of_group(chain: list[Loop], update: Update, x_tile: str, w_tile: str, step: str) -> Stmt:
    x, w = _operands(update.value, x_tile, w_tile)
    names = [loop.var for loop in chain]
    expected = (*_GROUP_STEPS, ((0, 0), (1, 0)), ((0, 1), (0, 1)))
    place, turned = w.index, ""
    if len(place) > 2:
        part, steps, column = place
        place, turned = (rejoined(part * GROUP_PART + column), steps), "_turned"
    found = tuple(
        (tuple(e.coefficient(name) for e in x.index), tuple(e.coefficient(name) for e in place)) for name in names
    )
    if names[-1:] != [step] or found != expected or update.index[1:] != tuple(map(var, names[:-1])):
        raise ScheduleError(f"by_groups: the loops {', '.join(names)} are not those of a group's product")
    first = dict.fromkeys(names, 0)
    corners = (Load(v.buffer, tuple(e.substitute(first) for e in v.index)) for v in (x, w))
    columns = 8 * (chain[0].extent.value or 0)
    return Tile(f"wgmma_n{columns}{turned}", (Load(update.buffer, update.index[:1]), *corners))


def _operands(v: Value, x_tile: str, w_tile: str) -> tuple[Load, Load]:
    found = {load.buffer: load for load in loads(v)}
    if not isinstance(v, Op) or v.name != "mul" or set(found) != {x_tile, w_tile}:
        raise ScheduleError(f"tensorize: expected a product of {x_tile} and {w_tile}")
    return found[x_tile], found[w_tile]


def _unrolled(name: str, extents: Mapping[str, Expr], body: Stmt) -> Stmt:
    return Loop(name, extents[name], LoopKind.UNROLLED, body)

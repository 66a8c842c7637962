"""Pointwise nests on a GPU: a thread makes a few elements of a result, neighbouring threads neighbouring ones.

    block bo, bm, bn: thread tm, tn: for each: y[..., m, n] = ...

A grid has three dimensions, and along two of them not many blocks: the last three dimensions of a result are spread,
those before them are loops, and where there are more tiles than blocks a block takes several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import Alloc, Barrier, Buffer, Guard, Load, Loop, LoopKind, Scope, Stmt, Store, block
from anytile.schedules.nest.traverse import guarded, map_exprs, map_loads, reads, walk

At = tuple[Expr, ...]
MOST_BLOCKS = 1 << 15  # blocks along y or z
PIECE, _EACH = "pv", "pe"


@dataclass(frozen=True, slots=True)
class Points:
    """Threads along the last two dimensions, and how many elements of the last one each of them makes.

    With a `vector` these are pieces of so many neighbours, of which the last dimension has a whole number.
    """

    across: int
    down: int = 1
    each: int = 1
    vector: int = 1


def points(loops: Sequence[tuple[str, Expr]], body: Callable[[At], Stmt], how: Points) -> Stmt:
    """`body(index)` at each index of a tensor of these dimensions, by name and size; one without any is one element.

    With a vector the body is given the first index of a piece. What is known to be 1 takes no threads.
    """
    if any(size.value == 1 for _, size in loops):

        def at(index: At) -> Stmt:
            here = iter(index)
            return body(tuple(const(0) if size.value == 1 else next(here) for _, size in loops))

        return points(longer(loops), at, how)
    serial, spread = list(loops[:-3]), list(loops[-3:])
    around: list[tuple[str, Expr, LoopKind]] = [(name, size, LoopKind.SERIAL) for name, size in serial]
    blocks: list[tuple[str, Expr, LoopKind]] = []
    threads: list[tuple[str, Expr, LoopKind]] = []
    guards: list[Expr] = []
    index: list[Expr] = [var(name) for name, _ in serial]
    for letter, (_, size) in zip("omn"[-len(spread) :] if spread else "", spread, strict=True):
        count = {"o": 1, "m": how.down, "n": how.across}[letter]
        pieces = size // how.vector if letter == "n" else size
        tile = count * how.each if letter == "n" else count
        tiles = ceildiv(pieces, tile)
        loops_here, start = by_blocks(letter, tiles, capped=letter != "n")
        blocks += loops_here[:1]
        around += loops_here[1:]
        place = start * tile
        if letter == "n" and how.each > 1:
            place = place + var(_EACH) * count
        if letter != "o":
            threads.append((f"t{letter}", const(count), LoopKind.THREAD))
            place = place + var(f"t{letter}")
        index.append(place * how.vector if letter == "n" else place)
        guards.append(size - (how.vector if letter == "n" else 1) - index[-1])
    if not spread:
        threads.append(("tn", const(1), LoopKind.THREAD))
    if spread and how.each > 1:
        threads.append((_EACH, const(how.each), LoopKind.UNROLLED))
    made = guarded(tuple(guards), body(tuple(index)))
    for name, extent, kind in reversed([*blocks, *around, *threads]):
        made = Loop(name, extent, kind, made)
    return made


def longer(loops: Sequence[tuple[str, Expr]]) -> list[tuple[str, Expr]]:
    """Those that are not known to be of one round."""
    return [(name, size) for name, size in loops if size.value != 1]


def by_blocks(letter: str, tiles: Expr, capped: bool = True) -> tuple[list[tuple[str, Expr, LoopKind]], Expr]:
    """The loops of so many tiles, of blocks and, where there may be more than a grid has, of a block's rounds; and the
    number of the tile at hand."""
    name, rounds = f"b{letter}", f"r{letter}"
    if not capped or (tiles.value is not None and tiles.value <= MOST_BLOCKS):
        return [(name, tiles, LoopKind.BLOCK)], var(name)
    loops = [
        (name, minimum(tiles, MOST_BLOCKS), LoopKind.BLOCK),
        (rounds, ceildiv(tiles, MOST_BLOCKS), LoopKind.SERIAL),
    ]
    return loops, var(rounds) * MOST_BLOCKS + var(name)


def in_pieces(one: Stmt, lanes: int, params: Mapping[str, str]) -> Stmt:
    """What is done at each element `pv` of a piece of `lanes` neighbours, whose parameters are in registers before,
    read as vectors where they lie side by side; stores are vectors likewise. `params` are dtypes by name."""
    held: dict[Load, Buffer] = {}
    for s in walk(one):
        for load in reads(s):
            if load.buffer in params and any(PIECE in e.names for e in load.index) and load not in held:
                name = f"piece{len(held)}"
                held[load] = Buffer(name, (const(lanes),), Scope.REGISTER, params[load.buffer])
    here = (var(PIECE),)
    fills = [_piece(lanes, LoopKind.VECTOR, Store(b.name, here, load)) for load, b in held.items()]
    filled = {load: Load(b.name, here) for load, b in held.items()}
    kind = LoopKind.VECTOR if isinstance(one, Store) and one.buffer in params else LoopKind.UNROLLED
    made = block(*fills, _piece(lanes, kind, map_loads(one, lambda load: filled.get(load, load))))
    for b in held.values():
        made = Alloc(b, made)
    return made


def _piece(lanes: int, kind: LoopKind, body: Stmt) -> Stmt:
    return Loop(PIECE, const(lanes), kind, body)


def each_by_blocks(name: str, size: Expr, body: Stmt) -> Stmt:
    """A loop by blocks, each of which takes several rounds where there may be more than a grid has."""
    if size.value is not None and size.value <= MOST_BLOCKS:
        return Loop(name, size, LoopKind.BLOCK, body)
    here = var("ry") * MOST_BLOCKS + var("by")
    one = Guard((size - 1 - here,), map_exprs(body, lambda e: e.substitute({name: here})))
    # Where warps meet in shared memory, none may be there for the next round while others are there for this one.
    rounds = Loop("ry", ceildiv(size, MOST_BLOCKS), LoopKind.SERIAL, block(one, Barrier()))
    return Loop("by", minimum(size, MOST_BLOCKS), LoopKind.BLOCK, rounds)

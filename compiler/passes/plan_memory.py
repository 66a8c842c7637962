"""Memory planning: the tensors of a block that nobody outside sees share one piece of storage.

A tensor lives from its allocation to the last step that reads it or a view of it; tensors whose lives overlap get
places that do not. Sizes may be symbolic: a place is an expression, found by first fit among those for which it is
proved that nothing overlaps, whatever the sizes are, and computed together with the sizes. What is returned, kept in
data or closures, or passed to a function keeps storage of its own. Such storage is killed after its last use.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anytile.compiler import dialect
from anytile.compiler.ir import Call, Constant, Expr, Function, Let, Module, TupleExpr, TupleGet, Var
from anytile.compiler.passes.blocks import (
    Binding,
    blocks,
    each_block,
    make_block,
    map_blocks,
    parts,
    read_by,
)
from anytile.compiler.size_programs import SizeProgram, number
from anytile.compiler.sizes import ALIGNMENT, aligned
from anytile.compiler.types import UNIT, StorageType, TensorType
from anytile.schedules.bounds import Bounds
from anytile.schedules.expr import Expr as Index
from anytile.schedules.expr import const, maximum

_TYPICAL = 64  # of unknown sizes, where larger things are placed first and lower places preferred
_NUMBER = TensorType((), "int64")

Place = frozenset[Index]  # the largest of some sizes, none of which is known to be smaller than another


def plan_memory(module: Module) -> Module:
    return each_block(module, _block)


@dataclass
class _Tensor:
    """One storage and the tensor in it: the steps that make them, the last that reads it, whether it gets out."""

    storage: Var
    made: int
    size: Expr
    device: int
    placed: int = -1
    last: int = -1
    escapes: bool = False
    at: Place = frozenset((const(0),))


def _block(block: Expr) -> Expr:
    if not isinstance(block, Let):
        return block
    bindings = [(var, map_blocks(value, _block)) for var, value in block.bindings]
    programs = {
        at: SizeProgram.of(value)
        for at, (_, value) in enumerate(bindings)
        if isinstance(value, Call) and _is(value, dialect.INVOKE_SHAPE)
    }
    pieces = {p for program in programs.values() for p in program.pieces}
    rooms = {value.args[0] for var, value in bindings if var in pieces and isinstance(value, Call)}
    found = [t for t in _tensors(bindings, block.body) if t.storage not in rooms]
    groups = _groups(found, programs)
    return make_block(_written(bindings, found, programs, groups), block.body)


def _is(value: Expr, name: str) -> bool:
    return dialect.name_of(value) == name


def _tensors(bindings: Sequence[Binding], result: Expr) -> list[_Tensor]:
    """The storages of a block that hold one tensor each, with their lives."""
    by_storage: dict[Var, _Tensor] = {}
    of: dict[Var, _Tensor] = {}  # tensors and views of them
    shared: set[Var] = set()
    for at, (var, value) in enumerate(bindings):
        if isinstance(value, Call) and _is(value, dialect.ALLOC_STORAGE):
            device = value.attr("device")
            assert isinstance(device, int)
            by_storage[var] = _Tensor(var, at, value.args[0], device)
        elif isinstance(value, Call) and _is(value, dialect.ALLOC_TENSOR):
            storage = value.args[0]
            if isinstance(storage, Var) and storage in by_storage:
                if by_storage[storage].placed >= 0:
                    shared.add(storage)
                of[var] = by_storage[storage]
                of[var].placed = of[var].last = at
        elif isinstance(value, Call) and _is(value, dialect.RESHAPE) and value.args[0] in of:
            of[var] = of[value.args[0]]
        for read, escapes in _reads(value):
            if read in of:
                of[read].last = at
                of[read].escapes |= escapes
    if isinstance(result, Var) and result in of:
        of[result].escapes = True
    return [t for t in by_storage.values() if t.placed >= 0 and t.storage not in shared]


def _reads(value: Expr) -> Iterator[tuple[Var, bool]]:
    """What a step reads, blocks in it included, and whether that lets a value out of the step."""
    if isinstance(value, Function):
        for v in read_by(value):
            yield v, True
        return
    keeps = isinstance(value, TupleExpr | TupleGet | Call) and not dialect.name_of(value)
    for part in parts(value):
        if isinstance(part, Var):
            yield part, keeps
    for inner in blocks(value):
        for _, step in inner.bindings if isinstance(inner, Let) else ():
            views = _is(step, dialect.RESHAPE)  # a view made in there may leave
            for v, escapes in _reads(step):
                yield v, escapes or views
        result = inner.body if isinstance(inner, Let) else inner
        if isinstance(result, Var):
            yield result, True


@dataclass
class _Group:
    """Tensors that share storage: their sizes are computed by one program, or none is needed."""

    program: int | None
    device: int
    tensors: list[_Tensor]
    sizes: dict[Var, Index]
    storage: Var = field(default_factory=lambda: Var("arena", StorageType()))
    total: Place = frozenset((const(0),))


def _groups(found: Sequence[_Tensor], programs: Mapping[int, SizeProgram]) -> list[_Group]:
    """Who shares with whom, and the places of all."""
    computed_at = {piece: at for at, p in programs.items() for piece in p.pieces}
    first = min(programs, default=None)
    groups: dict[object, _Group] = {}
    for t in found:
        if t.escapes:
            continue
        if isinstance(t.size, Constant):
            at = first if first is not None and first < t.made else None
        elif isinstance(t.size, Var) and t.size in computed_at:
            at = computed_at[t.size]
        else:
            continue
        group = groups.setdefault((at, t.device), _Group(at, t.device, [], {}))
        group.tensors.append(t)
        if isinstance(t.size, Constant):
            group.sizes[t.storage] = const(int(t.size.array))
        else:
            group.sizes[t.storage] = programs[at].pieces[t.size][0]  # type: ignore[index]  # a program's number
    shared = [g for g in groups.values() if len(g.tensors) > 1]
    for group in shared:
        _place(group)
    return shared


def _place(group: _Group) -> None:
    """Large tensors first, each at the lowest place where it is proved to fit."""
    sizes = {t.storage: _rounded(group.sizes[t.storage]) for t in group.tensors}
    order = sorted(group.tensors, key=lambda t: (-_typical(sizes[t.storage]), t.made))
    done: list[_Tensor] = []
    for t in order:
        near = [d for d in done if d.made <= t.last and t.made <= d.last]
        size = sizes[t.storage]
        ends = sorted((_after(d.at, sizes[d.storage]) for d in near), key=_typical_place)
        above = itertools.accumulate(ends, _larger, initial=_ZERO)  # the last of them is above everything
        for place in sorted({*ends, *above}, key=lambda p: (_typical_place(p), str(_number(p)))):
            behind = _after(place, size)
            if all(_below(behind, d.at) or _below(_after(d.at, sizes[d.storage]), place) for d in near):
                t.at = place
                break
        done.append(t)
        group.total = _larger(group.total, _after(t.at, size))


_ZERO: Place = frozenset((const(0),))


def _typical(e: Index) -> int:
    return e.evaluate(dict.fromkeys(e.names, _TYPICAL))


def _typical_place(place: Place) -> int:
    return max(map(_typical, place))


@functools.lru_cache(4096)
def _rounded(size: Index) -> Index:
    return _bounds(size).simplify(aligned(size))


@functools.lru_cache(1 << 16)
def _proved(a: Index, b: Index) -> bool:
    """Whether a <= b for every size."""
    return _bounds(b - a).proves(a, b)


def _below(a: Place, b: Place) -> bool:
    """Whether a <= b is proved for every size."""
    return all(any(_proved(e, other) for other in b) for e in a)


def _after(place: Place, size: Index) -> Place:
    return frozenset(e + size for e in place)


def _larger(a: Place, b: Place) -> Place:
    """The larger of two, whichever it is."""
    kept: list[Index] = []
    for e in sorted(a | b, key=lambda e: (-_typical(e), str(e))):
        if not any(_proved(e, other) for other in kept):
            kept = [k for k in kept if not _proved(k, e)] + [e]
    return frozenset(kept)


def _number(place: Place) -> Index:
    """The place as one expression."""
    return functools.reduce(maximum, sorted(place, key=str))


def _bounds(e: Index) -> Bounds:
    made = Bounds()
    for name in sorted(e.names):
        made = made.having(name, 0, None)
    return made


def _written(
    bindings: Sequence[Binding], found: Sequence[_Tensor], programs: Mapping[int, SizeProgram], groups: list[_Group]
) -> Iterator[Binding]:
    """The block with its groups in one storage each, and everything else killed after its last use."""
    group_of = {t.storage: (g, t) for g in groups for t in g.tensors}
    placed = {t.placed: g_t for g_t in group_of.values() for t in (g_t[1],)}
    pieces = {p for program in programs.values() for p in program.pieces}
    rooms = {v.args[0] for var, v in bindings if var in pieces and isinstance(v, Call)}
    offsets: dict[tuple[int | None, Index], Expr] = {}
    added: dict[int | None, dict[Var, Index]] = {}

    def computed(program: int | None, e: Index) -> Expr:
        if e.value is not None:
            return number(e.value)
        if (program, e) not in offsets:
            made = Var("place", _NUMBER)
            offsets[program, e] = made
            added.setdefault(program, {})[made] = e
        return offsets[program, e]

    totals = {id(g): computed(g.program, _number(g.total)) for g in groups}
    places = {at: computed(g.program, _number(t.at)) for at, (g, t) in placed.items()}
    read = {
        v
        for at, (var, value) in enumerate(bindings)
        if var not in group_of
        for v in read_by(value)
        if at not in programs
    }
    kills = {t.last: t for t in found if not t.escapes and t.storage not in group_of and t.last < len(bindings) - 1}

    def arenas(program: int | None) -> Iterator[Binding]:
        for g in groups:
            if g.program == program:
                size = totals[id(g)]
                yield g.storage, dialect.make(dialect.ALLOC_STORAGE, size, alignment=ALIGNMENT, device=g.device)

    yield from arenas(None)
    for at, (var, value) in enumerate(bindings):
        if at in programs:
            program = programs[at]
            kept = {p: dims for p, dims in program.pieces.items() if p in read}
            kept |= {p: (e,) for p, e in added.get(at, {}).items()}
            yield from replace(program, pieces=kept).steps()
            yield from arenas(at)
        elif var in pieces or var in rooms or var in group_of:
            continue
        elif at in placed:
            assert isinstance(value, Call)
            yield var, replace(value, args=(placed[at][0].storage, places[at], value.args[2]))
        else:
            yield var, value
        if at in kills:
            yield Var("_", UNIT), dialect.make(dialect.KILL, kills[at].storage)

"""Memory planning by liveness: the tensors of a block that nobody outside sees share one piece of storage.

A tensor lives from its allocation to the last step that reads it, a view of it or a part; tensors whose lives overlap
get places that do not (see `offsets`). Sizes may be symbolic: a place is an expression, computed together with the
sizes. What is returned, kept in data or closures, or passed to a function keeps storage of its own. Such storage is
killed after its last use. What still lives when such a tensor is made may get a piece apart, so that the rest can go
before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir.nodes import Call, Constant, Expr, Function, Module, TupleExpr, TupleGet, Var, is_operator_call
from anytile.compiler.ir.traverse import (
    Binding,
    atoms_of,
    bindings_of,
    blocks,
    each_block,
    make_block,
    map_blocks,
    result_of,
    variables_read,
)
from anytile.compiler.ir.types import UNIT, StorageType, TensorType
from anytile.compiler.passes.memory.offsets import (
    TYPICAL,
    ZERO,
    Place,
    Tenant,
    arrange,
    as_number,
    bounds_of,
    excess,
    larger,
    most_at_once,
    value_at,
)
from anytile.compiler.passes.memory.size_programs import SizeProgram, number
from anytile.compiler.passes.memory.sizes import aligned
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const

_NUMBER = TensorType((), "int64")
_MOST_LETTERS = 200  # of a size that others are placed behind: each place says it anew, and every run computes it


def plan_memory(module: Module) -> Module:
    return each_block(module, _block)


@dataclass
class _Tensor:
    """One storage and the tensor in it: the steps that make them, the last that reads it, whether it gets out. Parts of
    the tensor are `placed` behind its begin, each by a step of its own."""

    storage: Var
    made: int
    size: Expr
    device: int
    placed: dict[int, Expr] = field(default_factory=dict)
    last: int = -1
    escapes: bool = False


def _block(block: Expr) -> Expr:
    bindings = [(var, map_blocks(value, _block)) for var, value in bindings_of(block)]
    programs = {
        at: SizeProgram.of(value)
        for at, (_, value) in enumerate(bindings)
        if is_operator_call(value, dialect.INVOKE_SHAPE)
    }
    pieces = {p for program in programs.values() for p in program.pieces}
    rooms = {value.args[0] for var, value in bindings if var in pieces and isinstance(value, Call)}
    found = [t for t in _tensors(bindings, result_of(block)) if t.storage not in rooms]
    groups = _groups(found, programs)
    gone = {*pieces, *rooms, *(t.storage for g in groups for t in g.tensors)}
    result = result_of(block)
    return make_block(_written(bindings, result, found, programs, groups, gone), result)


def _tensors(bindings: Sequence[Binding], result: Expr) -> list[_Tensor]:
    """The storages of a block that hold one tensor each, with their lives."""
    by_storage: dict[Var, _Tensor] = {}
    of: dict[Var, _Tensor] = {}  # tensors, views of them and parts
    for at, (var, value) in enumerate(bindings):
        if is_operator_call(value, dialect.ALLOC_STORAGE):
            device = value.attr("device")
            assert isinstance(device, int)
            by_storage[var] = _Tensor(var, at, value.args[0], device)
        elif is_operator_call(value, dialect.ALLOC_TENSOR):
            storage = value.args[0]
            if isinstance(storage, Var) and storage in by_storage:
                of[var] = by_storage[storage]
                of[var].placed[at] = value.args[1]
                of[var].last = at
        elif is_operator_call(value, dialect.PART) and value.args[0] in of:
            of[var] = of[value.args[0]]
            of[var].placed[at] = value.args[2]
        elif is_operator_call(value, dialect.RESHAPE) and value.args[0] in of:
            of[var] = of[value.args[0]]
        for read, escapes in _reads(value):
            if read in of:
                of[read].last = at
                of[read].escapes |= escapes
    if isinstance(result, Var) and result in of:
        of[result].escapes = True
    return [t for t in by_storage.values() if t.placed]


def _reads(value: Expr) -> Iterator[tuple[Var, bool]]:
    """What a step reads, blocks in it included, and whether that lets a value out of the step."""
    if isinstance(value, Function):
        for v in variables_read(value):
            yield v, True
        return
    keeps = isinstance(value, TupleExpr | TupleGet | Call) and not dialect.name_of(value)
    for part in atoms_of(value):
        if isinstance(part, Var):
            yield part, keeps
    for inner in blocks(value):
        for _, step in bindings_of(inner):
            views = is_operator_call(step, dialect.RESHAPE, dialect.PART)  # a view made in there may leave
            for v, escapes in _reads(step):
                yield v, escapes or views
        result = result_of(inner)
        if isinstance(result, Var):
            yield result, True


@dataclass
class _Group:
    """Tensors that share storage: their sizes are computed by one program, or none is needed. So is how far `behind`
    their begin each step places something."""

    program: int | None
    device: int
    tensors: list[_Tensor]
    sizes: dict[Var, Index]
    behind: dict[int, Index]
    places: Mapping[Var, Place] = field(default_factory=dict)
    storage: Var = field(default_factory=lambda: Var("arena", StorageType()))
    total: Place = ZERO

    def tenant(self, t: _Tensor) -> Tenant:
        return Tenant(t.made, t.last, _rounded(self.sizes[t.storage]))

    @property
    def whole(self) -> Tenant:
        """The group as one: from the first that is made to the last that is read."""
        return Tenant(min(t.made for t in self.tensors), max(t.last for t in self.tensors), as_number(self.total))

    def placed(self) -> _Group:
        """With a place for every tensor."""
        found = arrange([self.tenant(t) for t in self.tensors])
        places = {t.storage: at for t, at in zip(self.tensors, found.places, strict=True)}
        return replace(self, places=places, total=found.total)

    def part(self, tensors: list[_Tensor]) -> _Group:
        """Some of its tensors in storage of their own."""
        return _Group(self.program, self.device, tensors, self.sizes, self.behind).placed()

    def apart(self, tensors: list[_Tensor]) -> list[_Group]:
        """Some of its tensors, and the others."""
        return [self.part(tensors), self.part([t for t in self.tensors if t not in tensors])]


def _groups(found: Sequence[_Tensor], programs: Mapping[int, SizeProgram]) -> list[_Group]:
    """Who shares with whom, and the places of all."""
    computed_at = {piece: at for at, p in programs.items() for piece in p.pieces}
    first = min(programs, default=None)
    groups: dict[object, _Group] = {}
    for t in found:
        if t.escapes:
            continue
        size = _size_of(t, programs, computed_at)
        if size is None or len(str(size)) > _MOST_LETTERS:
            continue
        if isinstance(t.size, Var):
            at: int | None = computed_at[t.size]
        else:
            at = first if first is not None and first < t.made else None
        behind = {placed: _known(e, programs, computed_at, at) for placed, e in t.placed.items()}
        if None in behind.values():
            continue
        group = groups.setdefault((at, t.device), _Group(at, t.device, [], {}, {}))
        group.tensors.append(t)
        group.sizes[t.storage] = size
        group.behind |= {placed: e for placed, e in behind.items() if e is not None}
    found_sizes = ((t, _size_of(t, programs, computed_at)) for t in found if t.escapes)
    own = [Tenant(t.made, t.last, _rounded(size)) for t, size in found_sizes if size is not None]
    shared = [g for g in groups.values() if len(g.tensors) > 1]
    return [part for group in shared for part in _divided(group.placed(), own)]


def _size_of(t: _Tensor, programs: Mapping[int, SizeProgram], computed_at: Mapping[Var, int]) -> Index | None:
    """The bytes of a tensor, if they are known or computed in its block."""
    at = computed_at.get(t.size) if isinstance(t.size, Var) else None
    return _known(t.size, programs, computed_at, at)


def _known(
    e: Expr, programs: Mapping[int, SizeProgram], computed_at: Mapping[Var, int], program: int | None
) -> Index | None:
    """A number that is known, or that a program computes."""
    if isinstance(e, Constant):
        return const(int(e.array))
    if program is None or not isinstance(e, Var) or computed_at.get(e) != program:
        return None
    return programs[program].pieces[e][0]


def _divided(group: _Group, own: Sequence[Tenant]) -> list[_Group]:
    """Two groups in place of one where that takes less together with what has storage of its own."""
    made = max((t.made for t in own if group.whole.meets(t)), default=None)
    late = [] if made is None else [t for t in group.tensors if t.last >= made]
    if not late or len(late) == len(group.tensors):
        return [group]
    lives = {t.storage: group.tenant(t) for t in group.tensors}
    room = group.part(late).total

    def joined(rank: Callable[[Tenant], int]) -> list[_Tensor]:
        """Those that live late, and one after the other others that take no more room beside them."""
        made = list(late)
        for t in sorted(group.tensors, key=lambda t: rank(lives[t.storage])):
            life = lives[t.storage]
            fits = larger(room, frozenset((life.size,))) == room
            if fits and not any(lives[other.storage].meets(life) for other in made):
                made.append(t)
        return sorted(made, key=lambda t: t.made)

    def taken(groups: Sequence[_Group]) -> tuple[float, float]:
        return excess([*own, *lives.values()], functools.partial(most_at_once, [*own, *(g.whole for g in groups)]))

    by_life, by_size = joined(lambda t: t.made - t.last), joined(lambda t: -value_at(t.size, TYPICAL))
    some = [by_life] if by_life == by_size else [by_life, by_size]
    return min(([group], *(group.apart(tensors) for tensors in some if len(tensors) < len(group.tensors))), key=taken)


@functools.lru_cache(4096)
def _rounded(size: Index) -> Index:
    return bounds_of(size).simplify(aligned(size))


def _stretch(steps: Sequence[Expr]) -> str:
    """From where to where in the user's model some steps are."""
    places = [step.where for step in steps if isinstance(step, Call) and step.where]
    return " to ".join(dict.fromkeys([*places[:1], *places[-1:]]))


def _written(
    bindings: Sequence[Binding],
    result: Expr,
    found: Sequence[_Tensor],
    programs: Mapping[int, SizeProgram],
    groups: Sequence[_Group],
    gone: Container[Expr],
) -> Iterator[Binding]:
    """The block with its groups in one storage each, and everything else killed after its last use; `gone` is what
    programs and groups make anew."""
    placed = {at: (g, t) for g in groups for t in g.tensors for at in t.placed}
    storages = {t.storage for _, t in placed.values()}
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

    totals = {id(g): computed(g.program, as_number(g.total)) for g in groups}
    places = {at: computed(g.program, as_number(g.places[t.storage]) + g.behind[at]) for at, (g, t) in placed.items()}

    def placing(at: int, value: Expr) -> Expr:
        """The step, its tensor in the storage of its group."""
        if at not in placed:
            return value
        assert isinstance(value, Call)
        of = value.args[:-3]  # of a part what it is a part of
        return replace(value, args=(*of, placed[at][0].storage, places[at], value.args[-1]))

    others = [placing(at, step) for at, (v, step) in enumerate(bindings) if v not in storages and at not in programs]
    read = {v for value in (*others, result) for v in variables_read(value)}
    kills = {t.last: t for t in found if not t.escapes and t.storage not in storages and t.last < len(bindings) - 1}

    arenas: dict[int, list[_Group]] = {}
    for g in groups:
        arenas.setdefault(g.whole.made, []).append(g)
    for at, (var, value) in enumerate(bindings):
        for g in arenas.get(at, ()):
            where = _stretch([bindings[made][1] for made in sorted(t.made for t in g.tensors)])
            yield g.storage, dialect.alloc_storage(totals[id(g)], where, g.device)
        if at in programs:
            program = programs[at]
            kept = {p: dims for p, dims in program.pieces.items() if p in read}
            kept |= {p: (e,) for p, e in added.get(at, {}).items()}
            yield from replace(program, pieces=kept).steps()
        elif var in gone:
            continue
        else:
            yield var, placing(at, value)
        if at in kills:
            yield Var("_", UNIT), dialect.make(dialect.KILL, kills[at].storage)

"""Schedules: primitives that rewrite a loop nest without changing what it computes.

A `Schedule` starts from a definition, one perfect nest of loops around `out[...] += value`, or another update, whose
output starts at what changes nothing, and applies primitives in order. Splits keep every loop rectangular: a tile that
may stick out of its dimension gets a condition on the innermost statement, and later primitives decide where that
condition is checked, or prove it away. The pieces that residue specialisation needs to know (which loop walks which
symbol in tiles of what) are kept beside the nest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, ExprLike, ceildiv, const, expr, minimum, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    Buffer,
    Grain,
    Guard,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import identity
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import free_buffer, loads, map_exprs, map_value, rebuild, walk
from anytile.schedules.primitives.remainders import Split, each_loop, partition

_RUN = 512  # elements of the raw operand read in one go when packing: longer runs suffer less from cache conflicts


Result = Callable[[int], Value]  # what was computed: gate 0, 1, ...; an operator without gates has gate 0 alone
Tail = Callable[[Result, tuple[Expr, ...]], tuple[Store, ...]]  # what is stored of a result, given its index


class Schedule:
    """A nest being scheduled. Every primitive checks that it holds and raises ScheduleError where it does not."""

    def __init__(self, definition: LoopNest, tail: Tail | None = None) -> None:
        self.nest = definition
        self._tail = tail
        self.splits: dict[str, Split] = {}
        self.packs: list[tuple[str, LoopNest]] = []
        self._zeroed = False

    # Loops

    def split(self, name: str, factor: int, outer: str, inner: str) -> tuple[str, str]:
        """`for name in 0..E` becomes `for outer in 0..ceil(E / factor): for inner in 0..factor`."""
        loop = self._loop(name)
        if factor < 1:
            raise ScheduleError(f"split {name} by {factor}: expected at least 1")
        if loop.kind is LoopKind.PARALLEL:
            raise ScheduleError(f"split {name}: it is parallel; split it before")
        if sum(isinstance(s, Loop) and s.var == name for s in walk(self.nest.body)) > 1:
            raise ScheduleError(f"split {name}: it has been copied; split before accumulate and partition")
        self._fresh(outer, inner)
        whole = var(outer) * factor + var(inner)
        bounds = self.nest.bounds
        body = map_exprs(loop.body, lambda e: e.substitute({name: whole}))
        if not _divides(loop.extent, factor, bounds):
            body = _guard_innermost(body, loop.extent - 1 - whole)
        outer_extent = bounds.simplify(ceildiv(loop.extent, factor))
        tiled = Loop(outer, outer_extent, loop.kind, Loop(inner, const(factor), loop.kind, body))
        self._replace(name, tiled)
        self.splits[outer] = Split(outer, inner, loop.extent, factor)
        return outer, inner

    def reorder(self, *names: str) -> None:
        """Put the loops of a perfect nest into this order; every loop of the nest is named."""
        chain, innermost = _chain(self.nest.body)
        by_name = {loop.var: loop for loop in chain}
        if sorted(by_name) != sorted(names):
            raise ScheduleError(f"reorder {', '.join(names)}: the loops are {', '.join(by_name)}")
        self.nest = self.nest.with_body(_nested([by_name[n] for n in names], innermost))

    def mark(self, kind: LoopKind, *names: str) -> None:
        """Set how loops run."""
        for name in names:
            loop = self._loop(name)
            if kind in (LoopKind.UNROLLED, LoopKind.VECTOR) and loop.extent.value is None:
                raise ScheduleError(f"{kind} {name}: its extent {loop.extent} is not a number; split it first")

            def change(found: Loop) -> Stmt:
                return replace(found, kind=kind)

            self.nest = self.nest.with_body(each_loop(self.nest.body, name, change))

    def unroll(self, *names: str) -> None:
        self.mark(LoopKind.UNROLLED, *names)

    def vectorize(self, *names: str) -> None:
        self.mark(LoopKind.VECTOR, *names)

    def parallel(self, name: str, work: ExprLike, least: int) -> None:
        """Share the iterations of a loop among threads, one for every `least` of the `work` that the nest does.

        What a loop outside it runs in turns is shared once, around all of it, as long as nothing else is done there.
        """
        loop = self._loop(name)
        grain = Grain(expr(work), least)
        if least < 1:
            raise ScheduleError(f"parallel {name}: a thread for every {least}; expected at least 1")
        if any(isinstance(s, Loop) and s.kind is LoopKind.PARALLEL for s in walk(self.nest.body)):
            raise ScheduleError(f"parallel {name}: another loop is parallel already")
        if loop.kind is not LoopKind.SERIAL:
            raise ScheduleError(f"parallel {name}: it is a loop of kind {loop.kind}")

        def change(found: Loop) -> Stmt:
            return replace(found, kind=LoopKind.PARALLEL, grain=grain)

        self.nest = self.nest.with_body(each_loop(self.nest.body, name, change))

    # Staging

    def pack(
        self, operand: str, layout: Sequence[str], *, at_run_time: bool = False, grain: Grain | None = None
    ) -> str:
        """Give an operand the layout in which it is read: one dimension per name, a loop's or the operand's own.

        Elements that stick out are zero, so loads need no guard. The packed copy is made ahead of time (the pack nest
        is kept in `packs`), or with `at_run_time` in a workspace, by a prologue; with a grain threads share that work.
        """
        raw = self.nest.param(operand)
        chain, _ = _chain(self.nest.body)
        extents = {loop.var: loop.extent for loop in chain}
        found = {load for s in walk(self.nest.body) if isinstance(s, Update) for load in loads(s.value)}
        used = [load for load in found if load.buffer == operand]
        if len(used) != 1:
            raise ScheduleError(f"pack {operand}: expected one way of reading it, found {len(used)}")
        index = used[0].index
        whole = {n: d for d, e in enumerate(index) for n in layout if n not in extents and n == _dim_name(raw, d)}
        unknown = [n for n in layout if n not in extents and n not in whole]
        if unknown:
            raise ScheduleError(f"pack {operand}: {unknown[0]} is neither a loop nor a dimension of it")
        walked = frozenset(n for d, e in enumerate(index) if d not in whole.values() for n in e.names & set(extents))
        if walked - set(layout):
            lost = min(walked - set(layout))
            raise ScheduleError(f"pack {operand}: the layout lacks {lost}, which chooses an element")
        shape = tuple(raw.shape[whole[n]] if n in whole else extents[n] for n in layout)
        packed = Buffer(free_buffer(self.nest, f"{operand}_packed"), shape, Scope.PARAM, raw.dtype, align=64)
        new_load = Load(packed.name, tuple(index[whole[n]] if n in whole else var(n) for n in layout))
        raw_index = tuple(var(_dim_name(raw, d)) if d in whole.values() else e for d, e in enumerate(index))
        fill = self._pack_nest(raw, packed, layout, shape, raw_index)

        def swap(s: Stmt) -> Stmt:
            if isinstance(s, Update):
                return replace(s, value=map_value(s.value, lambda v: new_load if v.buffer == operand else v))
            return rebuild(s, swap)

        body = swap(self.nest.body)
        if at_run_time:
            held = replace(packed, scope=Scope.WORKSPACE)
            self.nest = self.nest.with_body(body)
            start = fill.body
            if grain is not None and isinstance(start, Loop):
                start = replace(start, kind=LoopKind.PARALLEL, grain=grain)
            self._prologue = (held, start)
        else:
            self.packs.append((operand, fill))
            params = tuple(packed if b.name == operand else b for b in self.nest.params)
            self.nest = replace(self.nest, params=params, body=body)
        return packed.name

    _prologue: tuple[Buffer, Stmt] | None = None

    def _pack_nest(
        self, raw: Buffer, packed: Buffer, layout: Sequence[str], shape: tuple[Expr, ...], raw_index: tuple[Expr, ...]
    ) -> LoopNest:
        names = {n: f"p_{n}" for n in layout}
        rename = {n: var(p) for n, p in names.items()}
        at = tuple(e.substitute(rename) for e in raw_index)
        target = tuple(var(names[n]) for n in layout)
        inside = tuple(size - 1 - e for size, e in zip(raw.shape, at, strict=True))
        zero = Store(packed.name, target, identity("add", raw.dtype))
        body: Stmt = Guard(inside, Store(packed.name, target, Load(raw.name, at)), zero)
        for n, extent in reversed(list(zip(layout, shape, strict=True))):
            body = Loop(names[n], extent, LoopKind.SERIAL, body)
        symbols = tuple(s for s in self.nest.symbols)
        params = (raw, replace(packed, output=True))
        return simplify(LoopNest(f"pack_{raw.name}", params, symbols, body))

    def accumulate(self, inside: str, lanes: str | None = None, gates: str | None = None) -> str:
        """Keep a tile of the output in registers within the loop `inside`: start it, update it, store it once.

        Where a reduction loop stands outside, the tile starts from what is already there, except in the first round.
        The tail is computed where the result is complete: at the store of the last round.
        `lanes` names a vector loop over the reduction: the tile keeps one result per lane, reduced at the store.
        `gates` names a loop of the tile whose iterations are stored together: the tail makes one of them.
        """
        outer, tile, conditions, update = self._tile(inside)
        out_names = frozenset(n for e in update.index for n in e.names)
        spatial = [loop for loop in tile if loop.var in out_names]
        kept = [*spatial, *(loop for loop in tile if loop.var == lanes)]
        if lanes is not None and (lanes in out_names or lanes not in {loop.var for loop in tile}):
            raise ScheduleError(f"accumulate inside {inside}: {lanes} is not a reduction loop inside it")
        shape = tuple(loop.extent for loop in kept)
        if any(e.value is None for e in shape):
            sizes = ", ".join(map(str, shape))
            raise ScheduleError(f"accumulate inside {inside}: the tile {sizes} is not of fixed size")
        acc = Buffer(free_buffer(self.nest, "acc"), shape, Scope.REGISTER, self._dtype(update.buffer))
        here = tuple(var(loop.var) for loop in kept)
        tile_vars = frozenset(loop.var for loop in tile)
        # What depends on a loop of the reduction says which terms there are, not which outputs.
        reduced = {loop.var for loop in (*outer, *tile)} - out_names
        of_output = tuple(c for c in conditions if c.names.isdisjoint(reduced))
        above = tuple(c for c in of_output if c.names.isdisjoint(tile_vars))
        at_store = tuple(c for c in of_output if c not in above)
        at_update = tuple(c for c in conditions if c not in above)

        result: Load | Reduce = Load(acc.name, here)
        if lanes is not None:
            width = next(loop.extent.value for loop in tile if loop.var == lanes)
            result = Reduce(update.op, lanes, width or 0, Load(acc.name, here))
        start = _nested(kept, Store(acc.name, here, identity(update.op, acc.dtype)))
        rounds = [loop for loop in outer if loop.var not in out_names]
        if gates is not None and (self._tail is None or gates not in {loop.var for loop in spatial}):
            raise ScheduleError(f"accumulate inside {inside}: {gates} is no loop of the tile that a tail makes one")
        if rounds:
            if lanes is not None or gates is not None:
                what = "gates" if lanes is None else "lanes"
                raise ScheduleError(f"accumulate inside {inside}: {what} exclude a reduction loop outside")
            for loop in rounds:  # without a first round nothing would start the output
                if not self.nest.bounds.proves(1, loop.extent):
                    raise ScheduleError(f"accumulate inside {inside}: loop {loop.var} outside it may never run")
            first = tuple(-var(loop.var) for loop in rounds)
            again = _guarded(at_store, Store(acc.name, here, Load(update.buffer, update.index)))
            start = Guard(first, start, _nested(kept, again))
        run = _nested(tile, _guarded(at_update, Update(acc.name, here, update.value, update.op)))
        finish = self._stored(update, result, spatial, at_store, rounds, gates)
        body: Stmt = Alloc(acc, block(start, run, finish))
        self.nest = self.nest.with_body(_nested(outer, _guarded(above, body)))
        self._zeroed = True
        return acc.name

    def _stored(
        self,
        update: Update,
        result: Value,
        spatial: Sequence[Loop],
        condition: tuple[Expr, ...],
        rounds: Sequence[Loop],
        gates: str | None,
    ) -> Stmt:
        """The tile on its way to the output, through the tail if there is one and the sums are complete."""

        def stored(result: Value, tail: Tail) -> Stmt:
            def gate(number: int) -> Value:
                if gates is None:
                    return result
                return map_value(
                    result, lambda v: Load(v.buffer, tuple(e.substitute({gates: number}) for e in v.index))
                )

            stores = block(*tail(gate, update.index))
            return _nested([loop for loop in spatial if loop.var != gates], _guarded(condition, stores))

        def plain(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
            return (Store(update.buffer, index, result(0)),)

        if self._tail is None:
            return stored(result, plain)
        if not isinstance(result, Load):  # a tail may read its result twice, and adding up lanes is dear
            total = Buffer(free_buffer(self.nest, "total"), tuple(loop.extent for loop in spatial), Scope.REGISTER)
            there = Load(total.name, tuple(var(loop.var) for loop in spatial))
            add_up = _nested(spatial, Store(total.name, there.index, result))
            return Alloc(total, block(add_up, stored(there, self._tail)))
        finished = stored(result, self._tail)
        if not rounds:
            return finished
        last = tuple(var(loop.var) - loop.extent + 1 for loop in rounds)
        return Guard(last, finished, stored(result, plain))

    def _dtype(self, buffer: str) -> str:
        """Of an output; of sums that only a tail sees, float32."""
        return next((b.dtype for b in self.nest.params if b.name == buffer), "float32")

    def _tile(self, inside: str) -> tuple[list[Loop], list[Loop], tuple[Expr, ...], Update]:
        chain, innermost = _chain(self.nest.body)
        position = next((i for i, loop in enumerate(chain) if loop.var == inside), None)
        if position is None:
            raise ScheduleError(f"accumulate inside {inside}: no such loop in the perfect nest")
        conditions = innermost.condition if isinstance(innermost, Guard) else ()
        update = innermost.body if isinstance(innermost, Guard) else innermost
        if not isinstance(update, Update):
            raise ScheduleError(f"accumulate inside {inside}: expected one update in the innermost loop")
        return chain[: position + 1], chain[position + 1 :], conditions, update

    def overcompute(self, *names: str) -> None:
        """Let register updates run where a tile sticks out in these loops; only stores stay guarded.

        Sound because a register outside the output is never stored. A load that would leave its buffer is moved to the
        last element of the dimension.
        """
        held = () if self._prologue is None else (self._prologue[0],)
        self.nest = self.nest.with_body(overcompute(self.nest, frozenset(names), held))

    def prefetch(self, operand: str, at: str, along: int, ahead: int, lanes: str, locality: int) -> None:
        """In loop `at`, touch what `operand` reads `ahead` further along its dimension `along`, a vector at a time."""
        self._loop(at)
        read = [v for s in walk(self.nest.body) if isinstance(s, Update) for v in loads(s.value) if v.buffer == operand]
        if not read or not 0 <= along < len(read[0].index):
            raise ScheduleError(f"prefetch {operand}: nothing reads it along a dimension {along}")
        load = read[0]
        index = tuple(e.substitute({lanes: 0}) + (ahead if d == along else 0) for d, e in enumerate(load.index))
        loops = {s.var: s for s in walk(self.nest.body) if isinstance(s, Loop)}

        def change(found: Loop) -> Stmt:
            below = dict.fromkeys(s.var for s in walk(found.body) if isinstance(s, Loop))
            needed = [loops[n] for n in below if any(n in e.names for e in index)]
            hint = _nested(needed, Prefetch(operand, index, locality))
            return replace(found, body=block(hint, found.body))

        self.nest = self.nest.with_body(each_loop(self.nest.body, at, change))

    def partition(self, outer: str, rolled: str = "", step: int = 1) -> None:
        """Peel the last, possibly partial tile off a split loop, so that full tiles carry no condition.

        Where it is known only at run time how much is left, the unrolled loop `rolled`, which walks a tile in steps of
        `step`, becomes a serial one there. Nothing that it does may depend on its variable being a number.
        """
        if outer not in self.splits:
            raise ScheduleError(f"partition {outer}: it is no split loop; expected one of {', '.join(self.splits)}")
        self.nest = partition(self.nest, self.splits[outer], rolled, step)

    def finish(self) -> LoopNest:
        """The scheduled nest, simplified, with the packing that runs at each call before it."""
        body = self.nest.body
        if not self._zeroed:
            raise ScheduleError(f"{self.nest.name}: the output is never started; call accumulate")
        if self._prologue is not None:
            held, fill = self._prologue
            body = Alloc(held, block(fill, body))
        return simplify(self.nest.with_body(body))

    def _loop(self, name: str) -> Loop:
        for s in walk(self.nest.body):
            if isinstance(s, Loop) and s.var == name:
                return s
        raise ScheduleError(f"{self.nest.name} has no loop {name!r}")

    def _fresh(self, *names: str) -> None:
        taken = {s.var for s in walk(self.nest.body) if isinstance(s, Loop)} | {s.name for s in self.nest.symbols}
        for name in names:
            if name in taken:
                raise ScheduleError(f"{self.nest.name} already has a {name!r}")

    def _replace(self, name: str, by: Loop) -> None:
        self.nest = self.nest.with_body(each_loop(self.nest.body, name, lambda _: by))


def overcompute(nest: LoopNest, names: frozenset[str], held: Sequence[Buffer] = ()) -> Stmt:
    """See `Schedule.overcompute`; `held` are buffers that the nest reads before they are allocated in it."""
    registers = {s.buffer.name for s in walk(nest.body) if isinstance(s, Alloc) and s.buffer.scope is Scope.REGISTER}
    shapes = {b.name: b.shape for b in (*nest.params, *held)}
    shapes |= {s.buffer.name: s.buffer.shape for s in walk(nest.body) if isinstance(s, Alloc)}

    stored = {c for s in walk(nest.body) if isinstance(s, Guard) and _stores(s.body) for c in s.condition}

    def visit(s: Stmt, bounds: Bounds, dropped: tuple[Expr, ...] = ()) -> Stmt:
        match s:
            case Loop():
                return replace(s, body=visit(s.body, bounds.having(s.var, 0, s.extent - 1), dropped))
            case Guard(condition, body, None):
                chosen = _tile_names(body, registers)
                # A condition that no store checks says which terms there are, not which outputs.
                gone = tuple(c for c in condition if c in stored and c.names & names and c.names & names <= chosen)
                return _guarded(tuple(c for c in condition if c not in gone), visit(body, bounds, (*dropped, *gone)))
            case Update():
                return replace(s, value=map_value(s.value, lambda v: _clamped(v, dropped, shapes, bounds)))
            case _:
                return rebuild(s, lambda c: visit(c, bounds, dropped))

    return visit(nest.body, nest.bounds)


def _stores(s: Stmt) -> bool:
    return any(isinstance(c, Store) for c in walk(s))


def _tile_names(s: Stmt, registers: set[str]) -> frozenset[str]:
    """The variables that choose a register, where all that s does is update registers; none where it does more."""
    leaves = [c for c in walk(s) if not isinstance(c, Loop | Guard | Block)]
    if not all(isinstance(c, Update) and c.buffer in registers for c in leaves):
        return frozenset()
    chosen = [frozenset(n for e in c.index for n in e.names) for c in leaves if isinstance(c, Update)]
    return frozenset.intersection(*chosen) if chosen else frozenset()


def _clamped(load: Load, dropped: tuple[Expr, ...], shapes: dict[str, tuple[Expr, ...]], bounds: Bounds) -> Load:
    index = []
    for e, size in zip(load.index, shapes[load.buffer], strict=True):
        for c in dropped:
            if e.names & c.names and not bounds.proves(e, size - 1) and (e + c).names.isdisjoint(e.names & c.names):
                e = minimum(e, e + c)
        index.append(e)
    return Load(load.buffer, tuple(index))


def _divides(extent: Expr, factor: int, bounds: Bounds) -> bool:
    return bounds.simplify(extent % factor).value == 0


def _chain(s: Stmt) -> tuple[list[Loop], Stmt]:
    loops = []
    while isinstance(s, Loop):
        loops.append(s)
        s = s.body
    return loops, s


def _nested(loops: Sequence[Loop], innermost: Stmt) -> Stmt:
    for loop in reversed(loops):
        innermost = replace(loop, body=innermost)
    return innermost


def _guarded(condition: tuple[Expr, ...], body: Stmt) -> Stmt:
    return Guard(condition, body) if condition else body


def _guard_innermost(s: Stmt, condition: Expr) -> Stmt:
    if isinstance(s, Loop):
        return replace(s, body=_guard_innermost(s.body, condition))
    if isinstance(s, Guard) and s.otherwise is None:
        return replace(s, condition=(*s.condition, condition))
    return Guard((condition,), s)


def _dim_name(buffer: Buffer, d: int) -> str:
    return f"{buffer.name}.{d}"

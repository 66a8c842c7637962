"""What makes each element of a result by itself, on a GPU: elementwise operators, movements, pooling, batch_norm.

    block bo, bm, bn: thread tm, tn: for each: y[..., m, n] = f(a few elements)

One schedule for all of them: an operator says which dimensions its result has, as few as its elements allow, and what
an element is. Neighbouring threads make neighbours, so stores are whole lines. Where the elements of a row lie side by
side in every operand, and rows are whole pieces of 16 bytes, a thread moves such pieces. What turns a plane goes by
squares through shared memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from anytile.core.dtypes import BYTES, HALVES
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Barrier,
    Buffer,
    Guard,
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
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import identity
from anytile.schedules.operators.movement.slicing import filling
from anytile.schedules.operators.reductions.norm import epsilon
from anytile.schedules.operators.reductions.pool import geometry
from anytile.schedules.primitives.gpu.points import PIECE, At, Points, by_blocks, in_pieces, longer, points
from anytile.schedules.primitives.gpu.sorted_keys import keys_below
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import exactly_added, holding, only_beside_a_number, register
from anytile.schedules.templates.base.definition import signature
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config, Constraint, Knob
from anytile.schedules.templates.cpu.concat_cpu import in_parts
from anytile.schedules.templates.cpu.elementwise_cpu import Elements
from anytile.schedules.templates.cpu.gather_cpu import AT, is_of_row, joining, key_of, looked_up, named_by
from anytile.schedules.templates.cpu.pool_cpu import finished, update_of
from anytile.schedules.templates.cpu.slice_pad_cpu import padded, picked, shown, taken
from anytile.schedules.templates.cpu.transpose_cpu import turned
from anytile.schedules.templates.cuda.dense_simt import aligned
from anytile.schedules.workloads.workload import Workload

BYTES_AT_ONCE = 16
_SQUARE, _DOWN = 32, 8  # elements of a square's side, and rows of it that threads move at once
_NARROW = 16  # elements of a row that do not fill a warp


@dataclass(frozen=True)
class Form:
    """`nest` has the parameters and symbols of the kernel around nothing; `store` is the element at an index, where it
    is nothing but a store, and `body` in any case."""

    nest: LoopNest
    loops: tuple[tuple[str, Expr], ...]
    body: Callable[[At], Stmt]
    store: Callable[[At], Store] | None = None


def _named(sizes: Sequence[Expr]) -> tuple[tuple[str, Expr], ...]:
    return tuple((f"i_{i}", size) for i, size in enumerate(sizes))


def _stored(nest: LoopNest, sizes: Sequence[Expr], store: Callable[[At], Store]) -> Form:
    return Form(nest, _named(sizes), store, store)


def _elementwise(nest: LoopNest, workload: Workload) -> Form:
    form = Elements.of(nest, workload)
    return _stored(replace(nest, params=form.params), form.sizes, form.store)


def _transpose(nest: LoopNest, workload: Workload) -> Form:
    nest, turn = turned(nest, workload)
    sizes = [turn.sizes[p] for p in turn.perm]
    return _stored(nest, sizes, lambda at: turn.moved(dict(zip(turn.perm, at, strict=True))))


def _planes(nest: LoopNest, workload: Workload) -> LoopNest:
    """A transposition by squares: read along x's last dimension, written along y's, through shared memory between."""
    nest, turn = turned(nest, workload)
    a, b = len(turn.sizes) - 1, turn.perm[-1]
    others = [p for p in turn.perm if p not in (a, b)]
    square = Buffer("square", (const(_SQUARE), const(_SQUARE + 1)), Scope.SHARED, workload.dtype)  # no bank twice
    along, down, around = var("tn"), var("pe") * _DOWN + var("tm"), {p: var(f"i_{p}") for p in others}
    by_other: list[tuple[str, Expr, LoopKind]] = []
    if others:
        by_other, around[others[-1]] = by_blocks("o", turn.sizes[others[-1]])
    at_a, tile_a = by_blocks("m", ceildiv(turn.sizes[a], _SQUARE))
    at_b, tile_b = by_blocks("n", ceildiv(turn.sizes[b], _SQUARE), capped=False)

    def phase(i: Expr, j: Expr, body: Callable[[Mapping[int, Expr]], Stmt]) -> Stmt:
        """By all threads, at position i of x's last dimension in the square and j of y's."""
        place = {**around, a: tile_a * _SQUARE + i, b: tile_b * _SQUARE + j}
        inside = tuple(turn.sizes[p] - 1 - place[p] for p in (*others[-1:], a, b))
        made: Stmt = Loop("pe", const(_SQUARE // _DOWN), LoopKind.UNROLLED, Guard(inside, body(place)))
        for name, extent in (("tn", _SQUARE), ("tm", _DOWN)):
            made = Loop(name, const(extent), LoopKind.THREAD, made)
        return made

    def read(place: Mapping[int, Expr]) -> Stmt:
        return Store(square.name, (down, along), turn.moved(place).value)

    def write(place: Mapping[int, Expr]) -> Stmt:
        return Store("y", turn.moved(place).index, Load(square.name, (along, down)))

    body: Stmt = Alloc(square, block(phase(along, down, read), Barrier(), phase(down, along, write), Barrier()))
    outer = [(f"i_{p}", turn.sizes[p], LoopKind.SERIAL) for p in others[:-1]]
    for name, extent, kind in reversed([*by_other[:1], *at_a[:1], *at_b, *by_other[1:], *at_a[1:], *outer]):
        body = Loop(name, extent, kind, body)
    return nest.with_body(body)


def _slice(nest: LoopNest, workload: Workload) -> Form:
    nest, dims = taken(nest, workload)
    return _stored(nest, [d.count for d in dims], lambda at: picked(dims, at))


def _pad(nest: LoopNest, workload: Workload) -> Form:
    mode = str(workload.attributes["mode"])
    nest, dims = padded(nest, workload)
    dtype = workload.dtype
    sizes = [d.whole for d in dims]

    def filled(at: At) -> Stmt:
        fill = Literal(filling(workload.attributes, dtype), dtype)
        inside = tuple(i - d.before for d, i in zip(dims, at, strict=True))
        conditions: list[Expr] = []
        for d, i in zip(dims, inside, strict=True):
            conditions += [i] if d.before.value != 0 else []
            conditions += [d.size - 1 - i] if d.after.value != 0 else []
        copy = Store("y", at, Load("x", inside))
        return Guard(tuple(conditions), copy, Store("y", at, fill)) if conditions else copy

    def repeated(at: At) -> Stmt:
        names = [f"i_in{n}" for n in range(len(dims))]
        source = tuple(i if d.kept else var(name) for d, i, name in zip(dims, at, names, strict=True))
        body: Stmt = Store("y", at, Load("x", source))
        for d, i, name in zip(dims, at, names, strict=True):
            if not d.kept:
                body = Let(name, shown(i - d.before, d.size, mode), d.size, body)
        there = tuple(d.size - 1 for d in dims if not d.kept)
        return Guard(there, body, Store("y", at, Literal(0, dtype))) if there else body

    return Form(nest, _named(sizes), filled if mode == "constant" else repeated)


def _gather(nest: LoopNest, workload: Workload) -> Form:
    size = workload.extents

    def move(at: At) -> Stmt:
        one = Store("y", at, Load("x", (at[0], var(AT), at[2])))
        return Guard((size["n"] - 1,), looked_up(workload, (at[1],), size["n"], one))

    return Form(nest, _named([size["outer"], size["m"], size["inner"]]), move)


def _interpolate(nest: LoopNest, workload: Workload) -> Form:
    size, acc, t = workload.extents, register("acc", (), workload.dtype), var("i_t")

    def joined(at: At) -> Stmt:
        o, j, i = at
        term = Op("mul", (Load("weights", (j, t)), Load("x", (o, var(AT), i))))
        each = looked_up(workload, (j, t), size["n"], Update(acc.name, (), term))
        total = Loop("i_t", size["taps"], LoopKind.SERIAL, each)
        zero = Store(acc.name, (), identity("add", workload.dtype))
        made = holding((acc,), zero, total, Store("y", at, Load(acc.name, ())))
        return Guard((size["n"] - 1,), made)

    return Form(nest, _named([size["outer"], size["m"], size["inner"]]), joined)


def _one_hot(nest: LoopNest, workload: Workload) -> Form:
    depth, dtype = workload.extents["depth"], workload.dtype

    def mark(at: At) -> Stmt:
        same = Op("eq", (Number(at[1]), Number(var(AT))))
        put = Store("y", at, Op("select", (same, Literal(1, dtype), Literal(0, dtype))))
        return looked_up(workload, (at[0],), depth, put)

    return Form(nest, _named([workload.extents["m"], depth]), mark)


def _scatter_rows(nest: LoopNest, workload: Workload) -> Form:
    """A thread looks an element's row up among the keys, and joins what they say, in their order."""
    size, mode, dtype = workload.extents, str(workload.attributes["mode"]), workload.dtype
    many = size["m"]
    first, end = register("i_first", (), "int64"), register("i_end", (), "int64")

    def joined(at: At) -> Stmt:
        row, keep = at[0], Store("y", at, Load("x", at))
        if mode == "set":  # by the last one
            begin = row + 1
            key: Value = Op("sub", (Load(first.name, ()), Literal(1, "int64")))
            make: Stmt = named_by(var("i_key"), many, lambda one: Store("y", at, Load("updates", (one, at[1]))))
        else:
            begin, key = row, Load(first.name, ())
            count = Op("sub", (Load(end.name, ()), Load(first.name, ())))
            make = block(
                keys_below("keys", many, key_of(row + 1), end.name),
                Let("i_many", count, many + 1, _all_joined(at, many, first.name, mode, dtype)),
            )
        mine = Op("select", (is_of_row("keys", var("i_key"), row), Literal(1, "int64"), Literal(0, "int64")))
        looked_at = Let("i_mine", mine, const(2), Guard((var("i_mine") - 1,), make, keep))
        search = keys_below("keys", many, key_of(begin), first.name)
        return Guard((many - 1,), holding((first, end), search, Let("i_key", key, many, looked_at)), keep)

    return Form(nest, _named([size["n"], size["inner"]]), joined)


def _put_rows(nest: LoopNest, workload: Workload) -> Form:
    """A thread puts an element where its row goes, if that is there."""
    size = workload.extents

    def put(at: At) -> Stmt:
        o, j, i = at
        place = var(AT) - 1  # the nearest that is read below 0 is 0
        one = Store("y", (o, place, i), Load("updates", (o, j, i)))
        above = Op("add", (Load("places", (j,)), Literal(1, "int64")))
        return Let(AT, above, size["n"] + 2, Guard((place, size["n"] - 1 - place), one))

    return Form(nest, _named([size["outer"], size["m"], size["inner"]]), put)


def _all_joined(at: At, many: Expr, first: str, mode: str, dtype: str) -> Stmt:
    """An element joined with `i_many` updates, whose keys stand from `first` on; a sum of floats as of `cumsum`."""
    total, low, *_ = sums = _sums(dtype)
    exact = dtype == "float32" and mode == "add"

    def join(one: Expr) -> Stmt:
        update = Load("updates", (one, at[1]))
        if exact:
            return _added(sums, update)
        return Store(total.name, (), Op(joining(mode, dtype), (Load(total.name, ()), update)))

    key = Op("add", (Load(first, ()), Number(var("i_u"))))
    each = Loop("i_u", var("i_many"), LoopKind.SERIAL, Let("i_next", key, many, named_by(var("i_next"), many, join)))
    begin = Store(total.name, (), Load("x", at))
    if not exact:
        return holding((total,), begin, each, Store("y", at, Load(total.name, ())))
    give = Store("y", at, Op("add", (Load(total.name, ()), Load(low.name, ()))))
    return holding(sums, begin, Store(low.name, (), Literal(0.0)), each, give)


def _in_parts(nest: LoopNest, workload: Workload) -> Form:
    nest, parts = in_parts(nest, workload)
    ends = [const(0)]
    for part in parts:
        ends.append(ends[-1] + part.size)

    def move(at: At) -> Stmt:
        i, j = at
        return block(
            *(
                Guard((j - start, start + part.size - 1 - j), part.move(i, j - start))
                for part, start in zip(parts, ends, strict=False)
            )
        )

    return Form(nest, _named([workload.extents["outer"], ends[-1]]), move)


def _batch_norm(nest: LoopNest, workload: Workload) -> Form:
    dims = [workload.extents[d] for d in ("outer", "c", "inner")]

    def store(at: At) -> Store:
        def of(name: str) -> Value:
            return Load(name, at[1:2])

        root = Op("sqrt", (Op("add", (of("variance"), Literal(epsilon(workload.attributes)))),))
        scale = Op("div", (of("gamma"), root))
        shift = Op("sub", (of("beta"), Op("mul", (of("mean"), scale))))
        return Store("y", at, Op("add", (Op("mul", (Load("x", at), scale)), shift)))

    return _stored(nest, dims, store)


def _pool(nest: LoopNest, workload: Workload) -> Form:
    size, op, dtype = workload.extents, update_of(workload), workload.dtype
    (kh, sh, dh, top, _), (kw, sw, dw, left, _) = geometry(workload.attributes)
    last = workload.attributes["layout"] == "nhwc"
    acc = Buffer("acc", (), Scope.REGISTER, dtype)

    def window(at: At) -> Stmt:
        n, oh, ow, c = at if last else (at[0], at[2], at[3], at[1])
        h, w = oh * sh + var("i_kh") * dh - top, ow * sw + var("i_kw") * dw - left
        place = (n, h, w, c) if last else (n, c, h, w)
        one: Stmt = Guard((h, size["h"] - 1 - h, w, size["w"] - 1 - w), Update(acc.name, (), Load("x", place), op))
        for name, extent in (("i_kw", kw), ("i_kh", kh)):
            one = Loop(name, const(extent), LoopKind.SERIAL, one)
        put = Store("y", at, finished(workload, Load(acc.name, ()), oh, ow))
        return Alloc(acc, block(Store(acc.name, (), identity(op, dtype)), one, put))

    return Form(nest, _named([size[d] for d in workload.tensor("y").dims]), window)


def _cumsum(nest: LoopNest, workload: Workload) -> Form:
    """A thread adds up a row; of floats what rounding takes from the sum is carried along."""
    size, dtype = workload.extents, workload.dtype
    exclusive, reverse = (bool(workload.attributes[name]) for name in ("exclusive", "reverse"))
    total, low, *_ = sums = _sums(dtype)
    exact = dtype == "float32"

    def running(at: At) -> Stmt:
        i = size["n"] - 1 - var("i_n") if reverse else var("i_n")
        place = (at[0], i, at[1])
        so_far: Value = Load(total.name, ())
        add: Stmt = Update(total.name, (), Load("x", place))
        if exact:
            so_far = Op("add", (so_far, Load(low.name, ())))
            add = _added(sums, Load("x", place))
        give = Store("y", place, so_far)
        step = Loop("i_n", size["n"], LoopKind.SERIAL, block(give, add) if exclusive else block(add, give))
        zero = identity("add", dtype)
        if not exact:
            return holding((total,), Store(total.name, (), zero), step)
        clear = block(Store(total.name, (), zero), Store(low.name, (), zero))
        return holding(sums, clear, step)

    return Form(nest, _named([size["outer"], size["inner"]]), running)


_Sums = tuple[Buffer, Buffer, Buffer, Buffer]


def _sums(dtype: str) -> _Sums:
    """Registers of a sum: it, what rounding took from it, the next term, and one to work in."""
    total, low, more, sum_ = (register(f"i_{name}", (), dtype) for name in ("total", "low", "more", "sum"))
    return total, low, more, sum_


def _added(sums: _Sums, term: Value) -> Stmt:
    """One more term of floats, what rounding takes from the sum being carried along."""
    total, low, more, sum_ = (b.name for b in sums)
    add = exactly_added(total, low, more, sum_, ())
    return block(Store(more, (), term), add, only_beside_a_number(total, low, ()))


_FORMS: dict[str, Callable[[LoopNest, Workload], Form]] = {
    "elementwise": _elementwise,
    "transpose": _transpose,
    "slice": _slice,
    "pad": _pad,
    "gather": _gather,
    "interpolate": _interpolate,
    "one_hot": _one_hot,
    "scatter_rows": _scatter_rows,
    "put_rows": _put_rows,
    "concat": _in_parts,
    "split": _in_parts,
    "batch_norm": _batch_norm,
    "cumsum": _cumsum,
    "max_pool2d": _pool,
    "avg_pool2d": _pool,
}


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    if dict(config.values).get("squares"):
        return widened(_planes(nest, workload))
    form = _FORMS[workload.op](nest, workload)
    how = Points(config.int("across"), config.int("down"), config.int("each"))
    lanes = _lanes(form)
    if lanes == 1 or form.store is None:
        return widened(form.nest.with_body(points(form.loops, form.body, how)))
    dtypes, store = {b.name: b.dtype for b in form.nest.params}, form.store

    def piece(at: At) -> Stmt:
        return in_pieces(store((*at[:-1], at[-1] + var(PIECE))), lanes, dtypes)

    return widened(aligned(form.nest).with_body(points(form.loops, piece, replace(how, vector=lanes))))


def _lanes(form: Form) -> int:
    """Elements that are moved at once: of floats, where every row of the result is a whole number of pieces."""
    dtypes = {b.dtype for b in form.nest.params}
    if form.store is None or not form.loops or not dtypes <= {"float32", *HALVES}:
        return 1
    lanes = BYTES_AT_ONCE // max(BYTES[dtype] for dtype in dtypes)
    return lanes if all(c % lanes == 0 for _, c in form.loops[-1][1].terms) else 1


def _choices(op: str, workload: Workload, target: Target) -> tuple[Choice, ...]:
    """A warp along a row and others along the rows above; where rows are short, fewer threads along each.

    A result of one dimension has no rows above, and as many blocks as a multiprocessor takes, each of one warp, would
    fill half of it.
    """
    squares = tuple[Choice, ...]()
    if op == "transpose" and _turns(workload):
        doc = "whether squares go through shared memory, so that both tensors are read and written by lines"
        squares = (Choice(Knob("squares", (0, 1), doc), 1),)
    sizes = _sizes(op, workload)
    row = sizes[-1].value if sizes else 1
    narrow = row is not None and row <= _NARROW and op in ("one_hot", "transpose", "gather", "interpolate")
    across, down = (128, 1) if len(sizes) < 2 else (8, 8) if narrow else (32, 4)
    return (
        Choice(Knob("across", (8, 32, 64, 128), "threads along the last dimension"), across),
        Choice(Knob("down", (1, 4, 8), "threads along the one before it"), down),
        Choice(Knob("each", (1, 2, 4), "elements or pieces of a row that a thread makes"), 1),
        *squares,
    )


def _rules(op: str, workload: Workload, target: Target) -> tuple[Constraint, ...]:
    """No two configs are the same kernel: squares are of one shape, whatever the threads and the elements of each, and
    where there are no rows above one, no threads go there."""
    usual = {c.knob.name: c.default for c in _choices(op, workload, target)}
    if len(_sizes(op, workload)) < 2:
        return (Constraint("down", "there is one dimension", lambda c: c["down"] == usual["down"]),)
    if not usual.get("squares"):
        return ()
    doc = "squares have threads of their own: the other knobs are at their defaults"
    return (Constraint("squares", doc, lambda c: c["squares"] == 0 or dict(c) == usual),)


def _sizes(op: str, workload: Workload) -> tuple[Expr, ...]:
    """Those of the dimensions that are spread."""
    form = _FORMS[op](signature(workload), workload.storing({}))
    return tuple(size for _, size in longer(form.loops))


def _turns(workload: Workload) -> bool:
    """Whether x's last dimension and y's are others, and neither so short that squares of it were mostly empty."""
    _, turn = turned(signature(workload), workload)
    if not turn.sizes or turn.perm[-1] == len(turn.perm) - 1:
        return False
    ends = (turn.sizes[-1], turn.sizes[turn.perm[-1]])
    return all(size.value is None or size.value >= _SQUARE // 2 for size in ends)


_VERSIONS = {"cumsum": 3, "transpose": 3}
POINTS_CUDA = tuple(
    PlainTemplate(
        f"{op}.cuda",
        op,
        _write,
        partial(_choices, op),
        "cuda",
        _VERSIONS.get(op, 2),
        rules=partial(_rules, op),
        served=however_they_lie,
    )
    for op in _FORMS
)

"""max_pool2d and avg_pool2d on a CPU.

Channels last: the channels run in vectors, and the elements of a window that lie in the image are visited one by one.

Channels first: windows run in vectors along a row. Those of few elements without a border are read as they lie, the
last vector of a row over columns that the one before has, too. Of others the rows that lie in the image are first taken
together in registers and written as one line, which a workspace has with padding around; its windows are then read at
fixed steps, and nothing is masked. A vector that lies across two that were just written waits for both to arrive, so a
few lines are written before their windows are read.

    parallel (image and channel): for oh: for vectors of ow: y = op over kh, kw of x

    parallel (image and channel): for a few oh: line = op over kh of x's rows
                                  for the same: for vectors of ow: y = op over kw of line
"""

from __future__ import annotations

from dataclasses import replace

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, maximum, minimum, product, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Grain,
    Guard,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.operations import identity
from anytile.schedules.operators.reductions.pool import geometry, taps
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import ALONE, Across, At, Share, Tile, by_columns
from anytile.schedules.templates.base.moving_loops import lanes_of, nested, row
from anytile.schedules.templates.base.parallel_grain import GRAINS, computed
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config, Knob
from anytile.schedules.workloads.workload import Workload

_COST = 4  # of one element of a window, in additions
_SIDE_BY_SIDE = 2  # vectors of a row whose windows' rows are taken together
_LINES = 4  # that are written before they are read
_FEW = 8  # elements of a window along a row that are written out
_FEW_ELEMENTS = 4  # of a window that is read as it lies
_NEAR = 4  # columns from window to window, of which whole vectors are read


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    if workload.attributes["layout"] == "nchw":
        return ()
    return (Choice(Knob("vectors", (1, 2, 4), "vectors of channels that run side by side"), 4),)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    lanes = lanes_of(target, workload.dtype)
    size = workload.extents
    seen = product([size[d] for d in workload.tensor("y").dims]) * (product(_kernel(workload)).value or 1)
    share = Share(Grain(computed(seen, _COST), GRAINS[0]))
    if workload.attributes["layout"] == "nchw":
        first = _windows if _are_few_inside(workload) else _lines
        return widened(first(nest, workload, lanes, share))
    return widened(nest.with_body(_last(workload, Tile(lanes, config.int("vectors")), share)))


def _kernel(workload: Workload) -> list[int]:
    return [at[0] for at in geometry(workload.attributes)]


def _are_few_inside(workload: Workload) -> bool:
    """Whether windows have few elements, which all lie in the image, and vectors of them are read whole."""
    (high, wide), (_, stride) = _kernel(workload), numbers(workload.attributes, "stride")
    is_bordered = bool(workload.attributes["ceil"]) or any(numbers(workload.attributes, "pad"))
    return high * wide <= _FEW_ELEMENTS and stride <= _NEAR and not is_bordered


def update_of(workload: Workload) -> str:
    return "max" if workload.op == "max_pool2d" else "add"


def finished(workload: Workload, value: Value, oh: Expr, ow: Expr) -> Value:
    """A maximum is one; a sum is divided by how many elements it counts."""
    if workload.op == "max_pool2d":
        return value
    attributes = workload.attributes
    padding, ceil = attributes["count"] == "padding", bool(attributes["ceil"])
    counts = []
    for at, size, o in zip(geometry(attributes), ("h", "w"), (oh, ow), strict=True):
        whole = not ceil and (padding or at[3] == at[4] == 0)  # each of its elements counts
        counts.append(const(at[0]) if whole else taps(o, workload.extents[size], at, padding))
    return Op("div", (value, Cast("float32", Number(counts[0] * counts[1]))))


def _last(workload: Workload, tile: Tile, share: Share) -> Stmt:
    size, op, dtype = workload.extents, update_of(workload), workload.dtype
    (kh, sh, dh, top, _), (kw, sw, dw, left, _) = geometry(workload.attributes)
    n, oh, ow = var("i_n"), var("i_oh"), var("i_ow")
    h, w = oh * sh + var("i_kh") * dh - top, ow * sw + var("i_kw") * dw - left

    def columns(start: Expr, tile: Tile, rest: Expr | None) -> Stmt:
        field = Across(tile, const(1), lambda _, column: (n, h, w, start + column), rest)
        acc = Buffer("acc", field.lanes, Scope.REGISTER, dtype)
        one = field.each(lambda at, place: Update(acc.name, at, Load("x", place), op))
        one = Guard((h, size["h"] - 1 - h, w, size["w"] - 1 - w), one)
        every = Loop("i_kh", const(kh), LoopKind.SERIAL, Loop("i_kw", const(kw), LoopKind.SERIAL, one))

        def store(at: tuple[Expr, ...], place: tuple[Expr, ...]) -> Stmt:
            return Store("y", (n, oh, ow, place[-1]), finished(workload, Load(acc.name, at), oh, ow))

        clear = field.start(lambda at: Store(acc.name, at, identity(op, dtype)))
        return Alloc(acc, block(clear, every, field.each(store)))

    loops = [("i_n", size["n"]), ("i_oh", size["oh"]), ("i_ow", size["ow"])]
    return nested(loops, by_columns(size["c"], tile, columns, ALONE), share)


def _windows(nest: LoopNest, workload: Workload, lanes: int, share: Share) -> LoopNest:
    """Windows without a border, as they lie."""
    size, op, dtype = workload.extents, update_of(workload), workload.dtype
    (kh, sh, dh, _, _), (kw, sw, dw, _, _) = geometry(workload.attributes)
    planes, plane, oh, columns = size["n"] * size["c"], var("i_plane"), var("i_oh"), size["ow"]

    def vector(start: Expr, rest: Expr | None) -> Stmt:
        field = Across(Tile(lanes, 1), const(1), lambda _, column: (plane, oh, start + column), rest)
        acc = Buffer("acc", field.lanes, Scope.REGISTER, dtype)

        def take(row: int, column: int) -> Stmt:
            def one(at: At, place: At) -> Stmt:
                value = Load("x", (plane, oh * sh + row * dh, place[2] * sw + column * dw))
                return Store(acc.name, at, value) if begun and row == column == 0 else Update(acc.name, at, value, op)

            return field.each(one)

        begun = rest is None  # with an element; masked lanes would wait for what was in them before
        none = None if begun else field.start(lambda at: Store(acc.name, at, identity(op, dtype)))
        put = field.each(lambda at, place: Store("y", place, finished(workload, Load(acc.name, at), oh, place[2])))
        return Alloc(acc, block(none, *(take(row, column) for row in range(kh) for column in range(kw)), put))

    start = minimum(var("i_c") * lanes, columns - lanes)
    many = Loop("i_c", ceildiv(columns, lanes), LoopKind.SERIAL, vector(start, None))
    body = Guard((columns - lanes,), many, vector(const(0), columns))
    return _in_planes(nest, workload, nested([("i_plane", planes), ("i_oh", size["oh"])], body, share))


def _lines(nest: LoopNest, workload: Workload, lanes: int, share: Share) -> LoopNest:
    """Windows of lines that are written before."""
    size, op, dtype = workload.extents, update_of(workload), workload.dtype
    (kh, sh, dh, top, _), (kw, sw, dw, left, _) = geometry(workload.attributes)
    planes, plane = size["n"] * size["c"], var("i_plane")
    rounds, symbols = maximum(ceildiv(size["ow"], lanes), 0), nest.symbols
    if rounds.value is None:
        symbols, rounds = (*symbols, Symbol("i_rounds", derived=rounds)), var("i_rounds")
    reached = rounds * lanes * sw + (kw - 1) * dw
    line, written = var("i_line"), var("i_lines") * _LINES
    lines = Buffer("lines", (const(_LINES), reached + lanes), Scope.WORKSPACE, dtype)
    oh, few = written + line, minimum(size["oh"] - written, _LINES)
    h = oh * sh + var("i_kh") * dh - top
    lane = var("i_lane")

    def vector(body: Stmt) -> Stmt:
        return Loop("i_lane", const(lanes), LoopKind.VECTOR, body)

    def columns(start: Expr, tile: Tile, rest: Expr | None) -> Stmt:
        rows = Buffer("rows", (const(tile.vectors), const(lanes)), Scope.REGISTER, dtype)
        at = var("i_vector"), lane
        column = start + at[0] * lanes + lane

        def every(body: Stmt) -> Stmt:
            return Loop("i_vector", const(tile.vectors), LoopKind.UNROLLED, vector(body))

        there = (h, size["h"] - 1 - h, *(() if rest is None else (rest - 1 - lane,)))
        take = every(Guard(there, Update(rows.name, at, Load("x", (plane, h, column)), op)))
        return Alloc(
            rows,
            block(
                every(Store(rows.name, at, identity(op, dtype))),
                Loop("i_kh", const(kh), LoopKind.UNROLLED if kh <= _FEW else LoopKind.SERIAL, take),
                every(Store(lines.name, (line, left + column), Load(rows.name, at))),
            ),
        )

    gather = by_columns(minimum(size["w"], reached - left), Tile(lanes, _SIDE_BY_SIDE), columns, ALONE)
    acc = Buffer("acc", (const(lanes),), Scope.REGISTER, dtype)
    ow = var("i_wo") * lanes + lane

    tap = Update(acc.name, (lane,), Load(lines.name, (line, ow * sw + var("i_kw") * dw)), op)
    store = Store("y", (plane, oh, ow), finished(workload, Load(acc.name, (lane,)), oh, ow))
    windows = Alloc(
        acc,
        block(
            vector(Store(acc.name, (lane,), identity(op, dtype))),
            Loop("i_kw", const(kw), LoopKind.UNROLLED if kw <= _FEW else LoopKind.SERIAL, vector(tap)),
            vector(Guard((size["ow"] - 1 - ow,), store)),
        ),
    )

    def each(count: Expr, body: Stmt) -> Stmt:
        return Loop("i_line", count, LoopKind.SERIAL, body)

    around = row(reached + lanes, lanes, lambda j: Store(lines.name, (line, j), identity(op, dtype)))
    some = block(each(few, gather), each(few, Loop("i_wo", rounds, LoopKind.SERIAL, windows)))
    every = Loop("i_lines", ceildiv(size["oh"], _LINES), LoopKind.SERIAL, some)
    body = Alloc(lines, block(each(minimum(size["oh"], _LINES), around), every))
    return _in_planes(replace(nest, symbols=symbols), workload, nested([("i_plane", planes)], body, share))


def _in_planes(nest: LoopNest, workload: Workload, body: Stmt) -> LoopNest:
    """A nest to which each channel of each image is a plane."""
    size, (x, y) = workload.extents, nest.params
    planes = size["n"] * size["c"]
    shapes = (planes, size["h"], size["w"]), (planes, size["oh"], size["ow"])
    return replace(nest, params=(replace(x, shape=shapes[0]), replace(y, shape=shapes[1]))).with_body(body)


MAX_POOL2D_CPU = PlainTemplate("max_pool2d.cpu", "max_pool2d", _write, _choices, version=2, served=however_they_lie)
AVG_POOL2D_CPU = PlainTemplate("avg_pool2d.cpu", "avg_pool2d", _write, _choices, version=2, served=however_they_lie)

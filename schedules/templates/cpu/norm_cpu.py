"""Normalisations on a CPU: a row is read for its mean, for its variance around it, and to be normalised.

Reading a row again from the first-level cache costs less than what one pass over it would lose in accuracy. The
statistics of batch_norm become one factor and one summand for each channel, ahead of all rows. quantise_rows is of the
kind: a row is read for its range, and to be scaled by it and rounded.
"""

from __future__ import annotations

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Literal,
    Load,
    LoopNest,
    Number,
    Op,
    Scope,
    Stmt,
    Store,
    Value,
    block,
)
from anytile.schedules.operators.reductions.norm import epsilon
from anytile.schedules.operators.reductions.quantise_rows import STEPS, TINIEST
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import (
    ALONE,
    Along,
    At,
    Field,
    Tile,
    by_rows,
    holding,
    reduced,
    register,
    vectors,
)
from anytile.schedules.templates.base.parallel_grain import computed, moved
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.small_knobs import choices, share
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_COST, _RANGE_COST = 8, 6  # of one element, in additions
_LOW, _HIGH, _BY, _ZERO, _SCALE = "i_low", "i_high", "i_by", "i_zero", "i_scale"


def _op(name: str, *args: Value) -> Value:
    return Op(name, args)


def _tile(target: Target, config: Config) -> Tile:
    rows = int(dict(config.values).get("rows", 1))
    return Tile(facts(target).lanes, config.int("vectors"), rows)


def _normalised(workload: Workload, at: At) -> Value:
    """What stands for x at a place of it."""
    where = dict(zip(("rows", "n"), at, strict=True))
    text = str(workload.attributes["pre"])
    return elementwise_text.place(
        floats(text), lambda name, dims: Load(name, at if name == "x" else tuple(where[d] for d in dims))
    )


def normalised(field: Field, workload: Workload) -> Stmt:
    """layer_norm, and rms_norm, which has neither mean nor beta, of a field's rows."""
    centred = workload.op == "layer_norm"
    count = Cast("float32", Number(workload.extents["n"]))
    mean, scale = (Buffer(name, field.results, Scope.REGISTER) for name in ("i_mean", "i_scale"))

    def moved(acc: At, at: At) -> Value:
        x = _normalised(workload, at)
        return _op("sub", x, Load(mean.name, field.result_of(acc))) if centred else x

    def square(acc: At, at: At) -> Value:
        return _op("mul", moved(acc, at), moved(acc, at))

    def factor(at: At) -> Value:
        variance = _op("div", Load("i_square", at), count)
        return _op("rsqrt", _op("add", variance, Literal(epsilon(workload.attributes))))

    def result(acc: At, at: At) -> Stmt:
        scaled = _op("mul", moved(acc, at), Load(scale.name, field.result_of(acc)))
        scaled = _op("mul", scaled, Load("gamma", at[1:]))
        return Store("y", at, _op("add", scaled, Load("beta", at[1:])) if centred else scaled)

    sums, add_up = reduced(field, "i_sum", "add", lambda _, at: _normalised(workload, at))
    squares, add_squares = reduced(field, "i_square", "add", square)
    average = field.finish(lambda at: Store(mean.name, at, _op("div", Load("i_sum", at), count)))
    return holding(
        (*((mean, *sums) if centred else ()), scale, *squares),
        *((add_up, average) if centred else ()),
        add_squares,
        field.finish(lambda at: Store(scale.name, at, factor(at))),
        field.each(result),
    )


def _rows(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    rows, n, tile = workload.extents["rows"], workload.extents["n"], _tile(target, config)

    def some(first: Expr, rows: int) -> Stmt:
        return normalised(Along(tile, rows, n, lambda r, i: (first + r, i)), workload)

    return widened(nest.with_body(by_rows(rows, tile, some, share(config, computed(rows * n, _COST)))))


def _channels(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    outer, c, inner = (workload.extents[d] for d in ("outer", "c", "inner"))
    scale, shift = (Buffer(name, (c,), Scope.WORKSPACE) for name in ("i_scale", "i_shift"))
    tile, shared = _tile(target, config), share(config, moved(outer * c * inner, (workload.dtype, workload.dtype)))

    def fold(i: Expr, _: Expr, __: Expr) -> Stmt:
        root = _op("sqrt", _op("add", Load("variance", (i,)), Literal(epsilon(workload.attributes))))
        moved = _op("mul", Load("mean", (i,)), Load(scale.name, (i,)))
        return block(
            Store(scale.name, (i,), _op("div", Load("gamma", (i,)), root)),
            Store(shift.name, (i,), _op("sub", Load("beta", (i,)), moved)),
        )

    def one(at: At) -> Stmt:
        scaled = _op("mul", Load("x", at), Load(scale.name, at[1:2]))
        return Store("y", at, _op("add", scaled, Load(shift.name, at[1:2])))

    first, channel = var("i_outer"), var("i_channel")
    by_channel = outer.value == 1 and inner.value != 1  # what threads share
    if inner.value == 1:
        row = vectors(c, tile, lambda i, _, __: one((first, i, inner - 1)))
    else:
        along = vectors(inner, tile, lambda i, _, __: one((first, channel, i)))
        row = (shared if by_channel else ALONE).loop("i_channel", c, along)
    run = (ALONE if by_channel else shared).loop("i_outer", outer, row)
    return nest.with_body(holding((scale, shift), vectors(c, tile, fold), run))


def _integers(field: Along, first: Expr) -> Stmt:
    lows, find_low = reduced(field, _LOW, "min", lambda _, at: Load("x", at))
    highs, find_high = reduced(field, _HIGH, "max", lambda _, at: Load("x", at))
    held = (*lows, *highs, *(register(name, field.results) for name in (_SCALE, _BY, _ZERO)))
    step, nothing = Literal(1 / STEPS), Literal(0.0)

    def ranged(at: At) -> Stmt:
        least = _op("min", Load(_LOW, at), nothing)
        most = _op("max", Load(_HIGH, at), nothing)
        scale = Load(_SCALE, at)
        some = _op("ge", scale, Literal(TINIEST))
        return block(
            Store(_SCALE, at, _op("sub", _op("mul", most, step), _op("mul", least, step))),
            Store(_BY, at, _op("select", some, _op("div", Literal(1.0), scale), nothing)),
            Store(_ZERO, at, _op("round", _op("mul", _op("neg", least), Load(_BY, at)))),
        )

    def told(at: At) -> Stmt:
        row = (first + at[0], const(0))
        return block(Store("scale", row, Load(_SCALE, at)), Store("zero", row, Load(_ZERO, at)))

    def integer(acc: At, at: At) -> Stmt:
        own = field.result_of(acc)
        moved = _op("add", _op("round", _op("mul", Load("x", at), Load(_BY, own))), Load(_ZERO, own))
        whole = _op("round", moved)  # as it is already, which code generation need not know
        return Store("y", at, Cast("uint8", _op("min", _op("max", whole, nothing), Literal(STEPS))))

    return holding(held, find_low, find_high, field.finish(ranged), field.deliver(told), field.each(integer))


def _quantise_rows(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    rows, k = workload.extents["m"], workload.extents["k"]
    tile = _tile(target, config)

    def some(first: Expr, rows: int) -> Stmt:
        return _integers(Along(tile, rows, k, lambda r, i: (first + r, i)), first)

    return nest.with_body(by_rows(rows, tile, some, share(config, computed(rows * k, _RANGE_COST))))


def _row_choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    """As many sums at once as leave half of the registers free; gamma and beta are read once for all of their rows.

    Rows that are known to be long are fewer: they are read again, and should still be in the first-level cache.
    """
    cpu, n = facts(target), workload.extents["n"].value
    several = 4 if cpu.vector_registers >= 32 else 2
    rows = several
    while n is not None and rows > 1 and rows * n * 4 > cpu.l1_bytes * 3 // 4:
        rows //= 2
    return choices(target, vectors=(several, (1, 2, 4)), rows=(rows, (1, 2, 4)))


LAYER_NORM_CPU = PlainTemplate("layer_norm.cpu", "layer_norm", _rows, _row_choices, served=however_they_lie)
RMS_NORM_CPU = PlainTemplate("rms_norm.cpu", "rms_norm", _rows, _row_choices, served=however_they_lie)
BATCH_NORM_CPU = PlainTemplate(
    "batch_norm.cpu", "batch_norm", _channels, lambda _, target: choices(target, vectors=(2, (1, 2, 4)))
)
# A row has as many ranges at once as vectors: several hide the latency of a comparison.
QUANTISE_ROWS_CPU = PlainTemplate(
    "quantise_rows.cpu",
    "quantise_rows",
    _quantise_rows,
    lambda _, target: choices(target, vectors=(4, (1, 2, 4)), rows=(1, (1, 2, 4))),
)

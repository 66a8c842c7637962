"""conv2d on a CPU by minimal filtering (Winograd): kernels of 3 by 3 in steps of one pixel, F(2, 3) or F(4, 3).

    for chunk of tiles:  place[tile] = its image, row and column
        v[p, tile, ci] = transformed x
        for co: for p: for to:  acc[ti, ci, lane] += v[p, to, ti, k] * w_packed[p, co, k, ci, lane]
                for tile:  y = transformed sums, through the tail

An image is cut into tiles of `out` by `out` results, whose inputs overlap. For each of the (out + 2) squared points
there is a matrix product of the chunk's tiles by the channels, so that 9 multiplications come down to 4, or 2.25. Tiles
of all images are one row of them, of which a chunk has the next ones wherever rows and images end: so only the last
register tile of all is not full, whatever the sizes, and none of them has to be known. The weight is transformed where
it is packed; as it was given it lies behind that, so that a kernel can be saved. What is infinite or no number spoils
the results of its tile, not its neighbours alone. Of images and weights in bfloat16 memory alone is narrow: transforms
of numbers that were rounded again would lose more than the products of bfloat16 do.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, minimum, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Grain,
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
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.operators.products.conv2d import ALGORITHM, CONV2D, DIRECT
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import ALONE, Share, holding, register, unrolled
from anytile.schedules.templates.base.definition import signature, tail
from anytile.schedules.templates.base.parallel_grain import grain_knob, least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.schedules.templates.base.template import Pack, Scheduled, Template, symbol_of
from anytile.schedules.templates.cpu.conv2d_direct import (
    BUSY,
    UNROLLS,
    channel_rule,
    thread_choice,
    tile_rules,
    usual,
    with_output,
)
from anytile.schedules.templates.cpu.winograd.estimate import CHANNEL_WISE, CHUNK_WISE, Chunk, clocks, clocks_as_defined
from anytile.schedules.templates.cpu.winograd.transforms import FILTERINGS, TAPS, Filtering, Transform, applied
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16)
VECTORS = (1, 2, 3, 4, 6)
CHUNKS = (16, 32, 64, 128, 256)
HELD = ("float32", "bfloat16")  # whose bits a wider copy has, from which they are got back
MANY = (2, 4, 8)  # images
WORTH = 1.1  # how many times as fast many images have to be for code, and often a weight, of their own
NEAR = 1.02  # estimates as close as this say the same
LEAST_CHANNELS = 8  # below which transforms cost more than they save
_GIVEN, _HELD, _PASSED, _MADE = "i_given", "i_held", "i_passed", "i_made"
_PLACE = ("i_n", "i_row", "i_column")  # of a tile: its image, and where it is in that
_LANE, _TILE = var("cv"), var("i_t")


@dataclass(frozen=True)
class Conv2dWinograd(Template):
    """The template of this module: of `conv2d` and of `quantised_conv2d` beside floats."""

    op: str = CONV2D.name

    @property
    def name(self) -> str:
        return f"{self.op}.winograd"

    def suits(self, workload: Workload) -> int:
        """Only with a weight that is known, where sums may be made so."""
        size, a = workload.extents, workload.attributes
        steps = (*numbers(a, "stride"), *numbers(a, "dilation"), *numbers(a, "groups"))
        is_float = all(workload.dtype_of(workload.tensor(name)) in HELD for name in ("x", "w"))
        is_free = a[ALGORITHM.name] != DIRECT and a["layout"] == "nhwc" and "w" in workload.const
        if not is_float or not is_free or not usual(workload) or set(steps) != {1}:
            return 0
        taps = size["kh"].value == TAPS == size["kw"].value
        return int(taps and min(_channels(workload)) >= LEAST_CHANNELS)

    @property
    def version(self) -> int:
        return 2

    def leads(self, workload: Workload, target: Target) -> bool:
        """Where it would be faster than the sums as they are defined could be."""
        return clocks(workload, target, self.default(workload, target)) < clocks_as_defined(workload, target)

    def stores(self, workload: Workload) -> bool:
        return True

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        inputs, outputs = _channels(workload)
        vectors = -(-outputs // cpu.lanes)
        knobs = (
            Knob("out", tuple(FILTERINGS), "results along each side of a tile of the image"),
            Knob("chunk", CHUNKS, "tiles of the image that are transformed at once, about"),
            Knob("tile_t", ROWS, "tiles of the image in the register tile"),
            Knob("tile_c", tuple(v for v in VECTORS if v <= vectors), "vectors of output channels in it"),
            Knob("unroll", tuple(v for v in UNROLLS if inputs % v == 0), "input channels in one innermost round"),
            *_thread_knobs(target),
        )
        best = self.default(workload, target)
        least = min(BUSY, best.int("tile_t") * best.int("tile_c"))
        rules = tile_rules(cpu, lambda c: int(c["tile_t"]), "tile_c", least)
        return ConfigSpace(self.name, knobs, (*rules, channel_rule(vectors)))

    def default(self, workload: Workload, target: Target) -> Config:
        found = _fastest(workload, target, facts(target))
        if found is None:
            raise UnsupportedError(f"{self.name}: {workload} fits no tile of {target}")
        return found

    def symbol(self, workload: Workload) -> str | None:
        """Of images, of which there is never a rest."""
        return symbol_of(workload.dim("n"))

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """Larger tiles or chunks where many images share the weight, or this template at all, if the estimate says
        that it is worth it."""
        symbol = self.symbol(workload)
        if symbol is None:
            return None
        few, many = self.default(workload, target), self.default(workload.bind({symbol: MANY[-1]}), target)
        leads = self.leads(workload, target)
        for images in MANY:
            there = workload.bind({symbol: images})
            other = clocks(there, target, few) if leads else clocks_as_defined(there, target)
            if clocks(there, target, many) * WORTH < other:
                return images, many
        return None

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        made = _Writer(workload, target, config)
        return Scheduled(simplify(widened(made.nest())), (Pack("w", simplify(widened(made.packing()))),))


@functools.lru_cache(1024)  # a template is asked for it, and whether it leads, many times
def _fastest(workload: Workload, target: Target, cpu: CpuFacts) -> Config | None:
    """The config that the estimate puts first, of those as good for one image that for many where their number is not
    known; None where no tile fits into registers."""
    inputs, outputs = _channels(workload)
    vectors = -(-outputs // cpu.lanes)
    fits = [
        (rows * wide / (rows + wide) * vectors / (-(-vectors // wide) * wide), rows, wide)
        for rows, wide in itertools.product(ROWS, VECTORS)
        if wide <= vectors and rows * wide + wide + 1 <= cpu.vector_registers
    ]
    if not fits:
        return None
    _, rows, wide = max(fits)
    unroll = max(v for v in UNROLLS if inputs % v == 0 and v <= 2)
    first = Config.of(out=2, chunk=CHUNKS[0], tile_t=rows, tile_c=wide, unroll=unroll, **thread_choice(target))
    shared = [{"parallel": what} for what in (CHUNK_WISE, CHANNEL_WISE)] if target.threads > 1 else [{}]
    choices = itertools.product(FILTERINGS, CHUNKS, shared)
    configs = [first.with_(out=out, chunk=chunk, **by) for out, chunk, by in choices]
    taken = {config: clocks(workload, target, config) for config in configs}
    least, symbol = min(taken.values()), symbol_of(workload.dim("n"))
    if symbol is None:
        return min(taken, key=taken.__getitem__)
    near, many = [c for c, each in taken.items() if each <= least * NEAR], workload.bind({symbol: MANY[-1]})
    return min(near, key=lambda config: clocks(many, target, config))


def _thread_knobs(target: Target) -> tuple[Knob, ...]:
    if target.threads == 1:
        return ()
    choices = ("none", CHUNK_WISE, CHANNEL_WISE)
    return Knob("parallel", choices, "what threads share: nothing, chunks, or output channels"), *grain_knob(target)


class _Writer:
    """A config's nest, and the one that packs its weight."""

    def __init__(self, workload: Workload, target: Target, config: Config) -> None:
        self.workload, self.lanes, self.config = workload, facts(target).lanes, config
        self.by: Filtering = FILTERINGS[config.int("out")]
        self.size = workload.extents
        self.rows, self.wide = config.int("tile_t"), config.int("tile_c")
        inputs, outputs = _channels(workload)
        self.inputs, self.blocks = inputs, -(-outputs // (self.wide * self.lanes))
        self.shared = dict(config.values).get("parallel", "none")  # a target with one thread has no knob for it
        parts = target.threads if self.shared == CHANNEL_WISE else 1
        self.each = -(-self.blocks // parts)  # blocks of channels of a thread
        self.plain = signature(workload)
        m = self.by.outputs
        self.down, self.across = ceildiv(self.size["oh"], m), ceildiv(self.size["ow"], m)
        self.total = self.size["n"] * self.down * self.across
        self.chunk = Chunk.of(workload, config)
        self.packed = Buffer(
            "w_packed",
            tuple(map(const, (self.by.points**2 + TAPS**2, self.blocks, inputs, self.wide, self.lanes))),
            align=64,
        )
        self.places = Buffer("i_places", (const(self.chunk.tiles), const(len(_PLACE))), Scope.WORKSPACE, "int64")
        self.v = self._workspace("i_v", -(-inputs // self.lanes) * self.lanes)
        self.m = self._workspace("i_m", self.wide * self.lanes)

    def _workspace(self, name: str, channels: int) -> Buffer:
        behind = -self.rows % self.chunk.few  # of the last register tile, by smaller ones
        shape = (self.by.points**2, self.chunk.tiles + behind, channels)
        return Buffer(name, tuple(map(const, shape)), Scope.WORKSPACE, align=64)

    # -- places ----------------------------------------------------------------------------------------------------

    @property
    def _parts(self) -> tuple[Expr, Expr, Expr]:
        """How many there are of what tells a tile's place."""
        return self.size["n"], self.down, self.across

    @property
    def first(self) -> Expr:
        """The chunk's first tile, among those of all images."""
        return var("i_c") * self.chunk.tiles

    @property
    def count(self) -> Expr:
        """How many tiles the chunk has."""
        return minimum(self.chunk.tiles, self.total - self.first)

    def _vector(self, body: Stmt) -> Stmt:
        return Loop("cv", const(self.lanes), LoopKind.VECTOR, body)

    def _placed(self) -> Stmt:
        """Where each of the chunk's tiles is, which takes a division by sizes."""

        def parted(of: Expr, by: Expr, name: str, rest: str, most: Expr, body: Stmt) -> Stmt:
            divided = Op("floordiv", (Number(of), Number(by)))
            return Let(name, divided, most, Let(rest, Number(of - var(name) * by), by, body))

        put = (Store(self.places.name, (_TILE, const(i)), Number(var(name))) for i, name in enumerate(_PLACE))
        image, row, column = _PLACE
        found = parted(var("i_band"), self.down, image, row, self.size["n"], block(*put))
        found = parted(self.first + _TILE, self.across, "i_band", column, self.size["n"] * self.down, found)
        return Loop(str(_TILE), self.count, LoopKind.SERIAL, found)

    def _each_tile(self, body: Stmt) -> Stmt:
        """`body` for every tile of the chunk, which knows its place."""
        for i, (name, extent) in enumerate(zip(_PLACE, self._parts, strict=True)):
            body = Let(name, Load(self.places.name, (_TILE, const(i))), extent, body)
        return Loop(str(_TILE), self.count, LoopKind.SERIAL, body)

    # -- the nest --------------------------------------------------------------------------------------------------

    def nest(self) -> LoopNest:
        params = tuple(self.packed if b.name == "w" else b for b in self.plain.params)
        co = var("i_group") * self.each + var("i_co")
        channels = Loop(
            "i_co",
            minimum(self.each, self.blocks - var("i_group") * self.each),
            LoopKind.SERIAL,
            holding((self.m,), self._products(co), self._results(co)),
        )
        chunk = holding((self.places, self.v), self._placed(), self._transformed(), channels)
        chunks = self._share(CHUNK_WISE).loop("i_c", ceildiv(self.total, self.chunk.tiles), chunk)
        groups = self._share(CHANNEL_WISE).loop("i_group", const(-(-self.blocks // self.each)), chunks)
        there = Guard(tuple(e - 1 for e in (self.size["n"] * self.down, *self._parts)), groups)
        return with_output(LoopNest(self.plain.name, params, self.plain.symbols, there), self.workload)

    def _share(self, what: str) -> Share:
        """How threads share a loop, if they share that."""
        work = self.total * self.inputs * _channels(self.workload)[1] * 2 * self.by.points**2
        return Share(Grain(work, least_of(self.config))) if self.shared == what else ALONE

    def _transformed(self) -> Stmt:
        """The inputs of the chunk's tiles, transformed; zeros for those that fill its last, smaller register tile."""
        p, m = self.by.points, self.by.outputs
        top, left, _, _ = numbers(self.workload.attributes, "pad")
        image, row, column = map(var, _PLACE)
        y, x = row * m - top, column * m - left
        channel = var("i_cb") * self.lanes + _LANE
        edges = (y, self.size["h"] - p - y, x, self.size["w"] - p - x)
        ragged = self.inputs % self.lanes != 0

        def read(i: int, j: int) -> Stmt:
            load = Store(_GIVEN, (const(i), const(j), _LANE), Load("x", (image, y + i, x + j, channel)))
            if not ragged:
                return self._vector(load)
            return self._vector(block(nothing(i, j), Guard((self.size["ci"] - 1 - channel,), load)))

        def nothing(i: int, j: int) -> Stmt:
            return Store(_GIVEN, (const(i), const(j), _LANE), Literal(0.0))

        def at_edge(i: int, j: int) -> Stmt:
            inside = (y + i, self.size["h"] - 1 - y - i, x + j, self.size["w"] - 1 - x - j)
            return Guard(inside, read(i, j), self._vector(nothing(i, j)))

        pairs = list(itertools.product(range(p), range(p)))
        inner = block(*(read(i, j) for i, j in pairs))
        border = block(*(at_edge(i, j) for i, j in pairs))
        put = [self._vector(Store(self.v.name, (const(i * p + j), _TILE, channel), _at(_MADE, j))) for i, j in pairs]
        two = self._both(
            self.by.inputs,
            lambda i, j: Load(_GIVEN, (const(i), const(j), _LANE)),
            lambda i: block(*put[i * p : i * p + p]),
        )
        given = register(_GIVEN, (const(p), const(p), const(self.lanes)))
        whole = holding((given,), Guard(edges, inner, border), two)
        steps = const(-(-self.inputs // self.lanes))
        made = self._each_tile(Loop("i_cb", steps, LoopKind.SERIAL, whole))
        behind = self.count + _TILE
        cleared = Guard((self.v.shape[1] - 1 - behind,), self._cleared(behind))
        return block(made, Loop(str(_TILE), const(self.chunk.few - 1), LoopKind.SERIAL, cleared))

    def _cleared(self, tile: Expr) -> Stmt:
        """Zeros in place of a tile."""
        channel = var("i_cb") * self.lanes + _LANE
        zero = self._vector(Store(self.v.name, (var("i_p"), tile, channel), Literal(0.0)))
        steps = const(-(-self.inputs // self.lanes))
        every = Loop("i_cb", steps, LoopKind.SERIAL, zero)
        return Loop("i_p", const(self.by.points**2), LoopKind.SERIAL, every)

    def _products(self, co: Expr) -> Stmt:
        """At each point the chunk's tiles by a block of channels; the last of them, fewer than fill a register tile, by
        smaller ones."""
        first, part = var("to") * self.rows, var("tp") * self.chunk.few
        few = Guard((self.count - 1 - first - part,), self._product(co, first + part, self.chunk.few))
        parts = Loop("tp", const(-(-self.rows // self.chunk.few)), LoopKind.SERIAL, few)
        either = Guard((self.count - self.rows - first,), self._product(co, first, self.rows), parts)
        rows = Loop("to", const(self.chunk.rounds), LoopKind.SERIAL, either)
        return Loop("i_p", const(self.by.points**2), LoopKind.SERIAL, rows)

    def _product(self, co: Expr, first: Expr, count: int) -> Stmt:
        """So many tiles from the first on, in registers."""
        point, ti, tc, unroll = var("i_p"), var("ti"), var("tc"), self.config.int("unroll")
        k = var("ko") * unroll + var("ki")
        acc, at = register("acc", tuple(map(const, (count, self.wide, self.lanes)))), (ti, tc, _LANE)

        def each(stmt: Stmt) -> Stmt:
            return unrolled("ti", count, unrolled("tc", self.wide, self._vector(stmt)))

        factors = (
            Load(self.v.name, (point, first + ti, k)),
            Load(self.packed.name, (point, co, k, tc, _LANE)),
        )
        terms = each(Update(acc.name, at, Op("mul", factors)))
        return holding(
            (acc,),
            each(Store(acc.name, at, Literal(0.0))),
            Loop("ko", const(self.inputs // unroll), LoopKind.SERIAL, unrolled("ki", unroll, terms)),
            each(Store(self.m.name, (point, first + ti, tc * self.lanes + _LANE), Load(acc.name, at))),
        )

    def _results(self, co: Expr) -> Stmt:
        """What the sums of a block of channels are transformed to, through the tail."""
        p, m = self.by.points, self.by.outputs
        vector = var("tc") * self.lanes + _LANE
        channel = co * self.wide * self.lanes + vector
        image, row, column = map(var, _PLACE)
        apply = tail(replace(self.workload, dtype="float32", stored=()))

        def stored(i: int, j: int) -> Stmt:
            index = (image, row * m + i, column * m + j, channel)
            if apply is None:
                put: Stmt = Store("y", index, _at(_MADE, j))
            else:
                put = block(*apply(lambda _: _at(_MADE, j), index))
            inside = (self.size["oh"] - 1 - index[1], self.size["ow"] - 1 - index[2])
            return Guard(inside, self._vector(Guard((self.size["co"] - 1 - channel,), put)))

        two = self._both(
            self.by.products,
            lambda i, j: Load(self.m.name, (const(i * p + j), _TILE, vector)),
            lambda i: block(*(stored(i, j) for j in range(m))),
        )
        return self._each_tile(Loop("tc", const(self.wide), LoopKind.SERIAL, two))

    def _both(self, transform: Transform, given: Callable[[int, int], Value], then: Callable[[int], Stmt]) -> Stmt:
        """A transform along columns, then along rows; `then` has a row's results in registers."""
        p, made = self.by.points, transform.results

        def held(i: int) -> Load:
            return _at(_HELD, i)

        def column(j: int) -> Stmt:
            return applied(transform, lambda i: given(i, j), lambda i: _at(_PASSED, i, j), held)

        def row(i: int) -> Stmt:
            return self._vector(applied(transform, lambda j: _at(_PASSED, i, j), lambda j: _at(_MADE, j), held))

        lanes = const(self.lanes)
        buffers = (
            register(_HELD, (const(max(len(transform.held), 1)), lanes)),
            register(_PASSED, (const(made), const(p), lanes)),
            register(_MADE, (const(made), lanes)),
        )
        columns = self._vector(block(*map(column, range(p))))
        return holding(buffers, columns, *(s for i in range(made) for s in (row(i), then(i))))

    # -- the weight ------------------------------------------------------------------------------------------------

    def packing(self) -> LoopNest:
        """The weight transformed at every point, then as it is; zeros for channels that there are not."""
        p, transform = self.by.points, self.by.weights
        co, ci, vector, lane = (var(name) for name in ("p_co", "p_ci", "p_cv", "p_lane"))
        channel = (co * self.wide + vector) * self.lanes + lane

        def given(i: int, j: int) -> Load:
            return Load("w", (channel, ci, const(i), const(j)))

        def passed(i: int, j: int) -> Load:
            return Load(_PASSED, (const(i), const(j)))

        def held(i: int) -> Load:
            return Load(_HELD, (const(i),))

        def made(i: int) -> Load:
            return Load(self.packed.name, (const(i), co, ci, vector, lane))

        def column(j: int) -> Stmt:
            return applied(transform, lambda i: given(i, j), lambda i: passed(i, j), held)

        def row(i: int) -> Stmt:
            return applied(transform, lambda j: passed(i, j), lambda j: made(i * p + j), held)

        taps = itertools.product(range(TAPS), range(TAPS))
        plain = [Store(self.packed.name, made(p * p + i * TAPS + j).index, given(i, j)) for i, j in taps]
        point = var("p_point")
        zero = Store(self.packed.name, (point, co, ci, vector, lane), Literal(0.0))
        body: Stmt = Guard(
            (self.size["co"] - 1 - channel,),
            block(*map(column, range(TAPS)), *map(row, range(p)), *plain),
            Loop("p_point", self.packed.shape[0], LoopKind.SERIAL, zero),
        )
        for name, extent in zip(("p_lane", "p_cv", "p_ci", "p_co"), reversed(self.packed.shape[1:]), strict=True):
            body = Loop(name, extent, LoopKind.SERIAL, body)
        buffers = (
            register(_HELD, (const(len(transform.held)),)),
            register(_PASSED, (const(p), const(TAPS))),
        )
        params = (self.plain.param("w"), replace(self.packed, output=True))
        return LoopNest("pack_w", params, self.plain.symbols, holding(buffers, body))


def _at(buffer: str, *index: int) -> Load:
    return Load(buffer, (*map(const, index), _LANE))


def _channels(workload: Workload) -> tuple[int, int]:
    return workload.extents["ci"].value or 0, workload.extents["co"].value or 0

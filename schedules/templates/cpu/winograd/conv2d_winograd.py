"""conv2d on a CPU by minimal filtering (Winograd): kernels of 3 by 3 in steps of one pixel, F(2, 3) or F(4, 3).

    for chunk of tiles:  v[p, tile, ci] = transformed x
        for co: for p: for to:  acc[ti, ci, lane] += v[p, to, ti, k] * w_packed[p, co, k, ci, lane]
                for tile:  y = transformed sums, through the tail

An image is cut into tiles of `out` by `out` results, whose inputs overlap. For each of the (out + 2) squared points
there is a matrix product of the chunk's tiles by the channels, so that 9 multiplications come down to 4, or 2.25. Tiles
are found in their chunk by its width, which therefore is known: bands of a width that is not would be chunks of their
own, each of which reads all of the weight. The weight is transformed where it is packed; as it was given it lies behind
that, so that a kernel can be saved. What is infinite or no number spoils the results of its tile, not its neighbours
alone. Of images and weights in bfloat16 memory alone is narrow: transforms of numbers that were rounded again would
lose more than the products of bfloat16 do.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, product, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Grain,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
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
from anytile.schedules.templates.base.parallel_grain import least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Knob
from anytile.schedules.templates.base.template import Pack, Scheduled, Template
from anytile.schedules.templates.cpu.conv2d_direct import (
    BUSY,
    UNROLLS,
    channel_rule,
    thread_choice,
    thread_knobs,
    tile_rules,
    usual,
    with_output,
)
from anytile.schedules.templates.cpu.winograd.estimate import Chunk, clocks, clocks_as_defined
from anytile.schedules.templates.cpu.winograd.transforms import FILTERINGS, TAPS, Filtering, Transform, applied
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16)
VECTORS = (1, 2, 3, 4, 6)
CHUNKS = (16, 32, 64, 128, 256)
HELD = ("float32", "bfloat16")  # whose bits a wider copy has, from which they are got back
LEAST_CHANNELS = 8  # below which transforms cost more than they save
_GIVEN, _HELD, _PASSED, _MADE = "i_given", "i_held", "i_passed", "i_made"
_LANE = var("cv")


@dataclass(frozen=True)
class Conv2dWinograd(Template):
    """The template of this module: of `conv2d` and of `quantised_conv2d` beside floats."""

    op: str = CONV2D.name

    @property
    def name(self) -> str:
        return f"{self.op}.winograd"

    def suits(self, workload: Workload) -> int:
        """Only with a weight that is known, of images of which a row's width is known, where sums may be made so."""
        size, a = workload.extents, workload.attributes
        steps = (*numbers(a, "stride"), *numbers(a, "dilation"), *numbers(a, "groups"))
        is_float = all(workload.dtype_of(workload.tensor(name)) in HELD for name in ("x", "w"))
        is_free = a[ALGORITHM.name] != DIRECT and a["layout"] == "nhwc" and "w" in workload.const
        if not is_float or not is_free or not usual(workload) or set(steps) != {1}:
            return 0
        taps = size["kh"].value == TAPS == size["kw"].value
        return int(taps and bool(size["ow"].value) and min(_channels(workload)) >= LEAST_CHANNELS)

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
            *thread_knobs(target),
        )
        best = self.default(workload, target)
        least = min(BUSY, best.int("tile_t") * best.int("tile_c"))
        rules = tile_rules(cpu, lambda c: int(c["tile_t"]), "tile_c", least)
        return ConfigSpace(self.name, knobs, (*rules, channel_rule(vectors)))

    def default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        inputs, outputs = _channels(workload)
        vectors = -(-outputs // cpu.lanes)
        fits = [
            (rows * wide / (rows + wide) * vectors / (-(-vectors // wide) * wide), rows, wide)
            for rows, wide in itertools.product(ROWS, VECTORS)
            if wide <= vectors and rows * wide + wide + 1 <= cpu.vector_registers
        ]
        if not fits:
            raise UnsupportedError(f"{self.name}: {workload} fits no tile of {target}")
        _, rows, wide = max(fits)
        unroll = max(v for v in UNROLLS if inputs % v == 0 and v <= 2)
        first = Config.of(out=2, chunk=CHUNKS[0], tile_t=rows, tile_c=wide, unroll=unroll, **thread_choice(target))
        configs = [first.with_(out=out, chunk=chunk) for out, chunk in itertools.product(FILTERINGS, CHUNKS)]
        return min(configs, key=lambda config: clocks(workload, target, config))

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        made = _Writer(workload, facts(target), config)
        return Scheduled(simplify(widened(made.nest())), (Pack("w", simplify(widened(made.packing()))),))


class _Writer:
    """A config's nest, and the one that packs its weight."""

    def __init__(self, workload: Workload, cpu: CpuFacts, config: Config) -> None:
        self.workload, self.lanes, self.config = workload, cpu.lanes, config
        self.by: Filtering = FILTERINGS[config.int("out")]
        self.size = workload.extents
        self.rows, self.wide = config.int("tile_t"), config.int("tile_c")
        inputs, outputs = _channels(workload)
        self.inputs, self.blocks = inputs, -(-outputs // (self.wide * self.lanes))
        self.plain = signature(workload)
        m = self.by.outputs
        self.down, self.across = ceildiv(self.size["oh"], m), ceildiv(self.size["ow"], m)
        self.chunk = Chunk.of(workload, config)
        self.packed = Buffer(
            "w_packed",
            tuple(map(const, (self.by.points**2 + TAPS**2, self.blocks, inputs, self.wide, self.lanes))),
            align=64,
        )
        self.v = self._workspace("i_v", -(-inputs // self.lanes) * self.lanes)
        self.m = self._workspace("i_m", self.wide * self.lanes)

    def _workspace(self, name: str, channels: int) -> Buffer:
        shape = (self.by.points**2, self.chunk.rounds * self.rows, channels)
        return Buffer(name, tuple(map(const, shape)), Scope.WORKSPACE, align=64)

    # -- places ----------------------------------------------------------------------------------------------------

    @property
    def image(self) -> Expr:
        return var("i_no") * self.chunk.images + var("i_ni")

    @property
    def row(self) -> Expr:
        """The tile's place down the image."""
        return var("i_bo") * self.chunk.bands + var("i_bi")

    @property
    def tile(self) -> Expr:
        """The tile's place in its chunk."""
        return (var("i_ni") * self.chunk.bands + var("i_bi")) * self.across + var("i_t")

    @property
    def last(self) -> Expr:
        """The last of the chunk's tiles that there are; of several images all bands are in one chunk."""
        if self.chunk.images > 1:
            return (self.size["n"] - var("i_no") * self.chunk.images) * self.chunk.bands * self.across - 1
        return (self.down - var("i_bo") * self.chunk.bands) * self.across - 1

    def _vector(self, body: Stmt) -> Stmt:
        return Loop("cv", const(self.lanes), LoopKind.VECTOR, body)

    def _each_tile(self, body: Stmt, otherwise: Stmt | None = None) -> Stmt:
        """`body` for every tile of the chunk that there is."""
        there = Guard((self.size["n"] - 1 - self.image, self.down - 1 - self.row), body, otherwise)
        loops = (("i_ni", const(self.chunk.images)), ("i_bi", const(self.chunk.bands)), ("i_t", self.across))
        made: Stmt = there
        for name, extent in reversed(loops):
            made = Loop(name, extent, LoopKind.SERIAL, made)
        return made

    # -- the nest --------------------------------------------------------------------------------------------------

    def nest(self) -> LoopNest:
        params = tuple(self.packed if b.name == "w" else b for b in self.plain.params)
        channels = Loop(
            "co", const(self.blocks), LoopKind.SERIAL, holding((self.m,), self._products(), self._results())
        )
        chunk = holding((self.v,), self._transformed(), channels)
        bands, images = ceildiv(self.down, self.chunk.bands), ceildiv(self.size["n"], self.chunk.images)
        shared = "i_no" if bands.value == 1 else "i_bo"
        body: Stmt = chunk
        for name, extent in (("i_bo", bands), ("i_no", images)):
            body = self._share().loop(name, extent, body) if name == shared else ALONE.loop(name, extent, body)
        return with_output(LoopNest(self.plain.name, params, self.plain.symbols, body), self.workload)

    def _share(self) -> Share:
        """How chunks are shared among threads; a config of a target with one thread has no knob for it."""
        if dict(self.config.values).get("parallel", "none") == "none":
            return ALONE
        products = 2 * self.by.points**2 // self.by.outputs**2  # and sums, of a result and an input channel
        work = product(self.size[d] for d in ("n", "oh", "ow", "co", "cig")) * products
        return Share(Grain(work, least_of(self.config)))

    def _transformed(self) -> Stmt:
        """The inputs of the chunk's tiles, transformed; zeros for those that fill its last register tile."""
        p, m = self.by.points, self.by.outputs
        top, left, _, _ = numbers(self.workload.attributes, "pad")
        y, x = self.row * m - top, var("i_t") * m - left
        channel = var("i_cb") * self.lanes + _LANE
        edges = (y, self.size["h"] - p - y, x, self.size["w"] - p - x)
        ragged = self.inputs % self.lanes != 0

        def read(i: int, j: int) -> Stmt:
            load = Store(_GIVEN, (const(i), const(j), _LANE), Load("x", (self.image, y + i, x + j, channel)))
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
        put = [
            self._vector(Store(self.v.name, (const(i * p + j), self.tile, channel), _at(_MADE, j))) for i, j in pairs
        ]
        two = self._both(
            self.by.inputs,
            lambda i, j: Load(_GIVEN, (const(i), const(j), _LANE)),
            lambda i: block(*put[i * p : i * p + p]),
        )
        given = register(_GIVEN, (const(p), const(p), const(self.lanes)))
        whole = holding((given,), Guard(edges, inner, border), two)
        steps = const(-(-self.inputs // self.lanes))
        first = self.tile - self.tile % self.rows
        needed = Guard((self.last - first,), self._cleared(self.tile))
        made = self._each_tile(Loop("i_cb", steps, LoopKind.SERIAL, whole), needed)
        rest = const(self.chunk.rounds * self.rows - self.chunk.tiles)
        return block(made, Loop("i_t", rest, LoopKind.SERIAL, self._cleared(self.chunk.tiles + var("i_t"))))

    def _cleared(self, tile: Expr) -> Stmt:
        """Zeros in place of a tile."""
        channel = var("i_cb") * self.lanes + _LANE
        zero = self._vector(Store(self.v.name, (var("i_p"), tile, channel), Literal(0.0)))
        steps = const(-(-self.inputs // self.lanes))
        every = Loop("i_cb", steps, LoopKind.SERIAL, zero)
        return Loop("i_p", const(self.by.points**2), LoopKind.SERIAL, every)

    def _products(self) -> Stmt:
        """At each point the chunk's tiles by a block of channels."""
        point, to, ti, tc = var("i_p"), var("to"), var("ti"), var("tc")
        unroll = self.config.int("unroll")
        k = var("ko") * unroll + var("ki")
        acc, at = register("acc", tuple(map(const, (self.rows, self.wide, self.lanes)))), (ti, tc, _LANE)

        def each(stmt: Stmt) -> Stmt:
            return unrolled("ti", self.rows, unrolled("tc", self.wide, self._vector(stmt)))

        factors = (
            Load(self.v.name, (point, to * self.rows + ti, k)),
            Load(self.packed.name, (point, var("co"), k, tc, _LANE)),
        )
        terms = each(Update(acc.name, at, Op("mul", factors)))
        place = (point, to * self.rows + ti, tc * self.lanes + _LANE)
        tile = holding(
            (acc,),
            each(Store(acc.name, at, Literal(0.0))),
            Loop("ko", const(self.inputs // unroll), LoopKind.SERIAL, unrolled("ki", unroll, terms)),
            each(Store(self.m.name, place, Load(acc.name, at))),
        )
        there = Guard((self.last - to * self.rows,), tile)
        rows = Loop("to", const(self.chunk.rounds), LoopKind.SERIAL, there)
        return Loop("i_p", const(self.by.points**2), LoopKind.SERIAL, rows)

    def _results(self) -> Stmt:
        """What the sums of a block of channels are transformed to, through the tail."""
        p, m = self.by.points, self.by.outputs
        vector = var("tc") * self.lanes + _LANE
        channel = var("co") * self.wide * self.lanes + vector
        apply = tail(replace(self.workload, dtype="float32", stored=()))

        def stored(i: int, j: int) -> Stmt:
            index = (self.image, self.row * m + i, var("i_t") * m + j, channel)
            if apply is None:
                put: Stmt = Store("y", index, _at(_MADE, j))
            else:
                put = block(*apply(lambda _: _at(_MADE, j), index))
            inside = (self.size["oh"] - 1 - index[1], self.size["ow"] - 1 - index[2])
            return Guard(inside, self._vector(Guard((self.size["co"] - 1 - channel,), put)))

        two = self._both(
            self.by.products,
            lambda i, j: Load(self.m.name, (const(i * p + j), self.tile, vector)),
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

"""conv2d on a CPU, direct: a register tile of pixels by vectors of output channels, one element of x for all of them.

    for n, co, ho, wo:  acc[hi, wi, ci, lane] += x[oh*s + kh, ow*s + kw, k] * w_packed[co, kh, kw, k, ci, lane]
                        acc[hi, wi, ci, lane] += x[.., .., k, lane] * w_packed[co, kh, kw, k, ci, lane]    lanes = ci

The weight is laid out in panels of `tile_c` vectors. `border = guard` checks rows of the kernel against the image, once
for a row, and columns in the first and last tile of a row alone; `border = copy` reads a copy of the image with zeros
beside it, the better one for images of unknown width, whose tiles at a border are code of every size. Planes of
channels (nchw) are read, and copied, as they lie where what a row reads of them is near; else the copy has channels
last. Widths that no tile divides get tails of their size, each of which is code: where the width is not known, a tile
is as narrow as costs nothing. Few output channels would leave most lanes idle: with `lanes = ci` they are input
channels, and added up at last. Two channels of bfloat16, or four of 8-bit integers, are one term: where they are no
multiple of that, the copy has zeros for what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.traverse import guarded
from anytile.schedules.operators.products.conv2d import CONV2D, USUAL, filters_of
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import dot, parallel, peel, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack
from anytile.schedules.primitives.remainders import exact_remainders
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.primitives.stage_box import stage_box
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, grain_rule, least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cpu.narrow.terms import is_paired, parts_of, split_terms, terms_of
from anytile.schedules.workloads.streaming import constant_bytes
from anytile.schedules.workloads.workload import Workload

HEIGHTS = (1, 2, 3)
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 28)
VECTORS = (1, 2, 3, 4, 6)
UNROLLS = (1, 2, 3, 4)
ORDERS = ("co", "row", "pixel")
CHANNELS, DEPTH = "co", "ci"
LANES = Knob("lanes", (CHANNELS, DEPTH), "whose channels lanes are: the output's, or the input's", unsaid=CHANNELS)
ADDING_UP = 6  # multiply-adds that it costs to add up the lanes of a sum
NARROWER = 1.04  # what a tile may lose by loads for being narrow, where each size of its remainder is code of its own
REREAD = 6  # pixels at least that a weight, which may come from far, is read for
ENOUGH = 12  # sums of a tile of one row that hide what each waits for
FAR_TILE = (16, 2)  # sums and vectors, where a wider panel leaves the second cache: 0.73 to 0.9 of the time, Zen 5
LINE = 64  # bytes of a cache line
BUSY = 8  # multiply-adds in flight below which a tile waits for its own sums


@dataclass(frozen=True)
class Conv2dDirect(Template):
    """The template of this module: of `conv2d` and of `quantised_conv2d`."""

    op: str = CONV2D.name

    @property
    def name(self) -> str:
        return f"{self.op}.direct"

    def suits(self, workload: Workload) -> int:
        return 2 if usual(workload) and not depthwise(workload) else 0

    def stores(self, workload: Workload) -> bool:
        return as_multiplied(workload)

    def leads(self, workload: Workload, target: Target) -> bool:
        return self.suits(workload) > 0 and _is_deep(workload, Shape(workload, facts(target)))

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        shape, parts = Shape(workload, cpu), parts_of(workload, target)
        deep = _deep(workload, shape)
        widest = max(shape.vectors, shape.channels if deep else 0)
        knobs = (
            Knob("tile_h", tuple(v for v in HEIGHTS if v <= shape.oh), "rows of pixels in the register tile"),
            Knob("tile_w", tuple(v for v in WIDTHS if v <= shape.ow), "pixels of a row in the register tile"),
            Knob("tile_c", tuple(v for v in VECTORS if v <= widest), "vectors of output channels in it"),
            Knob("unroll", tuple(v for v in UNROLLS if shape.depth % v == 0), "input channels in one innermost round"),
            Knob("order", ORDERS, "what is walked first: blocks of channels, rows of pixels, tiles of pixels"),
            Knob("border", shape.borders, "how the border is read: checks, or a copy with zeros around"),
            *((LANES,) if deep else ()),
            *thread_knobs(target),
        )
        best = self.default(workload, target)
        row = min(shape.vectors, max(VECTORS)) * min(shape.ow, max(WIDTHS))
        least = min(BUSY, row, best.int("tile_h") * best.int("tile_w") * best.int("tile_c"))
        return ConfigSpace(self.name, knobs, _constraints(cpu, shape, least, parts))

    def default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        shape, parts = Shape(workload, cpu), parts_of(workload, target)
        if _is_deep(workload, shape):
            return self._deep_default(workload, target)
        most, wide = best_tile(workload, target)
        panel = constant_bytes(workload, "w") // shape.groups * wide // shape.vectors
        far = cpu.outruns_loads and 4 * panel > 3 * cpu.l2_bytes
        if far:
            most, wide = FAR_TILE
        best = None
        for vectors in VECTORS:
            widest = min(cpu.vector_registers - (vectors + 1) * parts, most) // vectors
            if vectors > shape.vectors or widest < 1:
                continue
            width = max(v for v in WIDTHS if v <= min(widest, shape.ow))
            if far and shape.wide:  # as narrow as leaves no fewer tiles in a row
                width = min(v for v in WIDTHS if v * -(-shape.ow // width) >= shape.ow)
            height = max(v for v in HEIGHTS if v <= max(min(widest // width, shape.oh), 1))
            if workload.extents["ow"].value is None:
                width = _narrowest(width, vectors)
            blocks = -(-shape.vectors // vectors)
            waste = blocks * vectors / shape.vectors * _loading(width * height, vectors)
            key = (round(waste, 2), abs(vectors - wide))
            if best is None or key < best[0]:
                best = (key, height, width, vectors)
        assert best is not None
        _, height, width, vectors = best
        kept = constant_bytes(workload, "w") <= shape.groups * cpu.l2_bytes  # from one row of pixels to the next
        by_rows = kept if target.threads == 1 else shape.oh >= 4 * target.threads
        return Config.of(
            tile_h=height,
            tile_w=width,
            tile_c=vectors,
            unroll=max(v for v in UNROLLS if shape.depth % v == 0 and v <= 3),
            order="row" if by_rows else "co",
            border=shape.borders[0],
            **({"lanes": CHANNELS} if _deep(workload, shape) else {}),
            **thread_choice(target),
        )

    def _deep_default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        shape = Shape(workload, cpu)
        channels = min(range(1, 5), key=lambda v: (-(-shape.channels // v) * v, -v))
        widest = min(-(-ENOUGH // channels), (cpu.vector_registers - 1) // channels - 1, shape.ow)
        return Config.of(
            tile_h=1,
            tile_w=max(v for v in WIDTHS if v <= max(widest, 1)),
            tile_c=channels,
            unroll=1,
            order="row",
            border=shape.borders[0],
            lanes=DEPTH,
            **thread_choice(target),
        )

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        lanes = facts(target).lanes
        shape = Shape(workload, facts(target))
        s = start(workload)
        groups = ("i_g",) if shape.grouped else ()
        split(s, "i_oh", config.int("tile_h"), "ho", "hi")
        split(s, "i_ow", config.int("tile_w"), "wo", "wi")
        outer = {"co": ("co", "ho", "wo"), "row": ("ho", "co", "wo"), "pixel": ("ho", "wo", "co")}[str(config["order"])]
        deep = _deep(workload, shape) if dict(config.values).get("lanes") == DEPTH else 0
        one: tuple[str, ...] = ()
        depth: tuple[str, ...]
        if deep:
            split(s, "i_co", config.int("tile_c"), "co", "ci")
            split(s, "i_cig", deep, "ki", "cv")
            depth = ("ki",)
        else:
            split(s, "i_co", config.int("tile_c") * lanes, "co", "cj")
            split(s, "cj", lanes, "ci", "cv")
            one = split_terms(s, "i_cig", config.int("unroll"), terms_of(workload))
            depth = ("ko", "ki")
        reorder(s, "i_n", *groups, *outer, "i_kh", "i_kw", *depth, "hi", "wi", "ci", "cv", *one)
        depth = depth if one or deep else ("w.1",)
        pack(s, "w", (*groups, "co", "i_kh", "i_kw", *depth, "ci", "cv", *one), at_run_time="w" not in workload.const)
        if config["border"] == "copy":
            planes = not shape.nhwc and shape.near
            order = (0, 1, 2, 3) if shape.nhwc or planes else (0, 2, 3, 1)
            rows = workload.tensor("x").dims.index("h")  # those outside are skipped, as without a copy
            stage_box(s, "x", "i_n", order, lanes, (rows,), whole=planes)
        share(s, workload, config, outer[0])
        accumulate(s, inside=outer[-1], lanes="cv" if deep else None)
        overcompute(s, *(("ci",) if deep else ("cj", "ci", "cv")))
        unroll(s, *(() if deep else ("ki",)), "hi", "wi", "ci")
        vectorize(s, "cv")
        if one:
            dot(s, *one, paired=is_paired(workload))
        s.nest = with_output(s.nest, workload)
        exact_remainders(s, "ho", 1)
        exact_remainders(s, "wo", -(-BUSY // config.int("tile_c")))
        if config["border"] == "guard" and shape.padded:
            peel(s, "wo", *bordering(workload, config.int("tile_w")))
        return Scheduled.of(s)


def _loading(pixels: int, vectors: int) -> float:
    """How much longer a tile takes for what it loads."""
    return max(1.0, 1.3 * (pixels + vectors) / (pixels * vectors))


def _narrowest(widest: int, vectors: int) -> int:
    """The width of a tile that is as good as the widest."""
    least = min(max(-(-ENOUGH // vectors), REREAD), widest)
    return next(v for v in WIDTHS if v >= least and _loading(v, vectors) <= NARROWER * _loading(widest, vectors))


def _deep(workload: Workload, shape: Shape) -> int:
    """How many input channels are lanes where they may be, since output channels would leave half idle; or 0."""
    if workload.op != CONV2D.name or workload.dtype != "float32" or shape.channels > shape.lanes // 2:
        return 0
    depth = workload.extents["cig"].value or 0
    return next((lanes for lanes in (shape.lanes, 8, 4) if lanes <= shape.lanes and depth and depth % lanes == 0), 0)


def _is_deep(workload: Workload, shape: Shape) -> bool:
    """Whether that is estimated to be faster: lanes of each sum are added up at last."""
    lanes = _deep(workload, shape)
    if not lanes or (not shape.nhwc and _taps(workload) == 1):
        return False
    terms = shape.depth * _taps(workload)
    return shape.channels * (terms / lanes + ADDING_UP) < terms


def _taps(workload: Workload) -> int:
    return (workload.extents["kh"].value or 1) * (workload.extents["kw"].value or 1)


def thread_knobs(target: Target) -> tuple[Knob, ...]:
    """What there is to choose where there are several threads."""
    if target.threads == 1:
        return ()
    return (
        Knob("parallel", ("none", "outer"), "what threads share: nothing, or the outermost loop but that of images"),
        *grain_knob(target),
    )


def thread_choice(target: Target) -> dict[str, Value]:
    return {"parallel": "outer", "grain": GRAINS[0]} if target.threads > 1 else {}


def share(s: Schedule, workload: Workload, config: Config, loop: str) -> None:
    """Share a loop among threads; a config of a target with one thread has no knob for it."""
    if dict(config.values).get("parallel", "none") != "none":
        work = const(2)
        for d in ("n", "oh", "ow", "co", "cig", "kh", "kw"):
            work = work * workload.extents[d]
        parallel(s, loop, work, least_of(config))


def as_multiplied(workload: Workload) -> bool:
    """Whether terms of several lie in memory as they are multiplied; of all else it does not matter."""
    return terms_of(workload) == 1 or not {"x", "w"} & {name for name, _ in workload.stored}


def usual(workload: Workload) -> bool:
    """Whether the weight lies as templates for CPUs read it."""
    return filters_of(workload.attributes) == USUAL


def depthwise(workload: Workload) -> bool:
    """Whether every output channel sees one input channel, its own."""
    (groups,) = numbers(workload.attributes, "groups")
    return groups > 1 and workload.dim("ci") == groups and workload.dim("co") == groups


class Shape:
    """What a template asks about a workload; symbolic sizes count as large."""

    def __init__(self, workload: Workload, cpu: CpuFacts) -> None:
        (groups,) = numbers(workload.attributes, "groups")
        extents = workload.extents
        self.groups, self.grouped = groups, groups > 1
        self.lanes = cpu.lanes
        self.nhwc = workload.attributes["layout"] == "nhwc"
        self.padded = any(numbers(workload.attributes, "pad"))
        self.strided = numbers(workload.attributes, "stride")[1] > 1
        channels, terms = (extents["ci"].value or 1) // groups, 1 if depthwise(workload) else terms_of(workload)
        self.depth = -(-channels // terms)  # in terms
        self.ragged = channels % terms != 0
        self.channels = (extents["co"].value or 1) // groups
        self.vectors = -(-self.channels // cpu.lanes)
        apart = terms == 1 and not _deep(workload, self)  # or neighbouring channels are read together
        self.near = self.nhwc or (apart and _is_near(workload, cpu))
        oh, ow = extents["oh"].value, extents["ow"].value
        self.fixed, self.wide = oh is not None and ow is not None, ow is not None
        self.oh = 1 << 20 if oh is None else max(oh, 1)
        self.ow = 1 << 20 if ow is None else max(ow, 1)

    @property
    def borders(self) -> tuple[str, ...]:
        """The ways to read the border, the better first."""
        if self.ragged or (not self.wide and self.strided and self.padded):  # or what is checked is not proved to do
            return ("copy",)
        if not self.padded and self.nhwc:
            return ("guard",)
        guard = self.near and (self.wide or self.oh == 1 or not self.padded)
        return ("guard", "copy") if guard else ("copy", "guard")


def _is_near(workload: Workload, cpu: CpuFacts) -> bool:
    """Whether what a row of pixels reads of images whose channels are planes is near enough to be read there.

    With many registers it is read for fewer blocks of channels. Planes of unknown size have a pointer each.
    """
    channels, width = workload.extents["ci"].value or 1, workload.dim("w")
    if not isinstance(width, int):
        return channels <= max(UNROLLS)
    lines = width * BYTES[workload.dtype] + LINE - BYTES[workload.dtype]
    most = 3 * cpu.l1_bytes if cpu.vector_registers > 16 else cpu.l1_bytes
    return channels * (workload.extents["kh"].value or 1) * lines <= most


def with_output(nest: LoopNest, workload: Workload) -> LoopNest:
    """Nothing at all where an image is smaller than the kernel: tiles rely on at least one row and column."""
    size, attributes = workload.extents, workload.attributes
    top, left, bottom, right = numbers(attributes, "pad")
    (dh, dw) = numbers(attributes, "dilation")
    spare = (
        size["h"] + (top + bottom) - dh * (size["kh"] - 1) - 1,
        size["w"] + (left + right) - dw * (size["kw"] - 1) - 1,
    )
    return nest.with_body(guarded(tuple(e for e in spare if not nest.bounds.proves_nonnegative(e)), nest.body))


def bordering(workload: Workload, width: int) -> tuple[int, int]:
    """How many tiles of so many pixels of a row see what is before it, and how many what is behind."""
    _, left, _, right = numbers(workload.attributes, "pad")
    reach = numbers(workload.attributes, "stride")[1] * width
    return max(-(-left // reach), 1), max(-(-right // reach), 1)


def best_tile(workload: Workload, target: Target) -> tuple[int, int]:
    """The most sums of a tile that is not tuned, and how many vectors of channels it had best have.

    Products of bytes that are added up in pairs leave a sum waiting for one addition alone, so few are enough; and they
    need two registers more. 4 pixels by 2 vectors take 2 to 4 % less than 2 by 4, or 6 by 2. Other multiply-adds of few
    registers read fewer weights in tiles of 6 by 2 than in those of 2 by 4, which wait where weights leave the first
    cache; with additions apart, those of 2 by 4 need fewer registers and take 10 % less.
    """
    cpu = facts(target)
    if cpu.vector_registers < 32 and is_paired(workload) and narrow_facts(target).adds_pairs:
        return BUSY, 2
    return cpu.vector_registers, 2 if cpu.vector_registers < 32 and cpu.has_fma else 4


def tile_rules(
    cpu: CpuFacts, rows: Callable[[Mapping[str, Value]], int], wide: str, least: int, parts: int = 1
) -> tuple[Constraint, ...]:
    """What holds for a register tile of so many rows by the vectors of the knob `wide`."""

    def tile(c: Mapping[str, Value]) -> int:
        return rows(c) * int(c[wide])

    return (
        grain_rule(),
        Constraint(
            "registers",
            "the tile, one round of vectors and one broadcast must fit the vector registers",
            lambda c: tile(c) + (int(c[wide]) + 1) * parts <= cpu.vector_registers,
        ),
        Constraint("busy", "a tile of fewer than eight vectors waits for its own sums", lambda c: tile(c) >= least),
        Constraint("code", "at most 128 multiply-adds in one round", lambda c: tile(c) * int(c["unroll"]) <= 128),
    )


def channel_rule(vectors: int, channels: int = 0) -> Constraint:
    """Of the knob `tile_c`, where channels are so many vectors, or so many where lanes are the input's."""

    def holds(c: Mapping[str, Value]) -> bool:
        wide, count = int(c["tile_c"]), channels if c.get("lanes") == DEPTH else vectors
        return (-(-count // wide) * wide - count) * 3 <= count

    return Constraint("channels", "a block of channels may not be wasted by half", holds)


def _constraints(cpu: CpuFacts, shape: Shape, least: int, parts: int) -> tuple[Constraint, ...]:
    def pixels(c: Mapping[str, Value]) -> int:
        return int(c["tile_h"]) * int(c["tile_w"])

    return (
        *tile_rules(cpu, pixels, "tile_c", least, parts),
        channel_rule(shape.vectors, shape.channels),
        Constraint(
            "depth", "lanes of the input are a round", lambda c: c.get("lanes") != DEPTH or int(c["unroll"]) == 1
        ),
        Constraint(
            "rows",
            "several rows at once are for images narrower than the tile",
            lambda c: int(c["tile_h"]) == 1 or int(c["tile_w"]) == max(v for v in WIDTHS if v <= min(shape.ow, 14)),
        ),
    )

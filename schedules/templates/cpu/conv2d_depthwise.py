"""Depthwise conv2d on a CPU: every channel sees itself alone.

    nhwc: vectors run along channels  acc[hi, wi, ci, lane] += x[oh*s + kh, ow*s + kw, c] * w[co, kh, kw, ci, lane]
    integers, in quads of taps  acc[hi, wi, os, ci, lane] += x[oh*s + kh, ow*s + kr, c] * w[co, kh, os, ci, lane, kr]
    nchw: vectors run along a row     acc[hi, wi, lane] += x[c, oh + kh, ow + kw] * w[c, kh, kw]

A product for each element loaded leaves nothing to hide loads behind, so the tile keeps several pixels of a row, whose
neighbours share what they read. Vectors along a row are no wider than narrow images need; of any width, one nest is for
those. Where masks cost nothing and columns follow one another, they read the image as it is, unless its size is unknown
and windows are large; else a copy of the channel with zeros around it, in which the columns that one tap reads follow
one another (see `stage_plane`). Of images of any width that are strips, whose rows are known numbers apart. Tiles there
go down the rows first (`column`): what the last of a row has, and what is masked, is decided once for all rows.

nhwc reads the image as it is whatever its size: where that is not known the last tiles of a row, and of rows, end where
the image does, so that what they check is decided ahead as in an image of known size. Images too small to have a tile
between two borders have a nest of their own, pixel by pixel.

Of 8-bit integers (nhwc) four columns make words of which every lane has its channel, and a row of taps with zeros
beside them is one term; where that leaves room in four columns, neighbouring pixels (`os`) meet the same words and have
the taps at other places of theirs. Else narrow numbers are widened where they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.nodes import Guard, Loop, Stmt
from anytile.schedules.nest.traverse import each_loop, loops, map_exprs
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import dot, peel, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack, slide
from anytile.schedules.primitives.remainders import exact_remainders, shorten_last, tiles_to_the_end
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.primitives.stage_box import stage_box
from anytile.schedules.primitives.stage_plane import stage_plane
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.least_sizes import Least, beside_small, having_least, having_most
from anytile.schedules.templates.base.parallel_grain import grain_rule
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cpu.conv2d_direct import (
    BUSY,
    Shape,
    bordering,
    depthwise,
    share,
    thread_choice,
    thread_knobs,
    usual,
    with_output,
)
from anytile.schedules.templates.cpu.narrow.terms import QUAD, terms_of
from anytile.schedules.workloads.workload import Workload

HEIGHTS = (1, 2, 3, 4)
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 14)
VECTORS = (1, 2, 3, 4)
ORDERS = ("channel", "row", "pixel")
COLUMN = "column"
MOST_COLUMNS = 4  # of a tile that is not tuned
MOST_WRITTEN = 256  # multiply-adds of a tile
FEW_TAPS = 9  # of a window, whose tiles at each side and end of an image of any size are little code
FEW_OF_LINE = 4  # the same of an image of one row, where what is masked is decided for no other
TAP = "tap"
STRIP = 64  # columns (nchw) that are copied at once of an image of any width
IMAGE_BYTES = 64 << 10  # of a vector of channels, most of which a first cache keeps
RUN = 16  # channels (nchw) that write the border of their copies once


@dataclass(frozen=True)
class Conv2dDepthwise(Template):
    """The template of this module: of `conv2d` and of `quantised_conv2d`."""

    op: str = CONV2D.name
    version = 2

    @property
    def name(self) -> str:
        return f"{self.op}.depthwise"

    def suits(self, workload: Workload) -> int:
        return 3 if usual(workload) and depthwise(workload) else 0

    def stores(self, workload: Workload) -> bool:
        return True

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        shape = Shape(workload, cpu)
        channels = -(-(workload.extents["ci"].value or 1) // cpu.lanes) if shape.nhwc else 1
        widest = shape.ow if shape.nhwc else -(-shape.ow // _lanes(shape, cpu))
        rows, taps = workload.extents["kh"].value or 1, _taps_of(workload)
        knobs = (
            Knob("tile_h", tuple(v for v in HEIGHTS if v <= shape.oh), "rows of pixels in the register tile"),
            Knob("tile_w", tuple(v for v in WIDTHS if v <= widest), "pixels (nhwc) or vectors of them (nchw) of a row"),
            Knob("tile_c", tuple(v for v in VECTORS if v <= channels), "vectors of channels in the tile (nhwc)"),
            Knob("order", _orders(shape), "what is walked first: channels, rows, tiles of a row or a column"),
            Knob(
                "border", _borders(workload, shape, cpu), "how the border is read: checks, or a copy with zeros around"
            ),
            Knob("kernel", _written(workload, shape, target), "what of the kernel is written out: a tap, a row, all"),
            *_terms(workload, shape, target),
            *thread_knobs(target),
        )
        return ConfigSpace(self.name, knobs, _constraints(cpu, rows, taps, _beside(workload)))

    def default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        space = self.space(workload, target)
        shape = Shape(workload, cpu)
        values = {k.name: [v for v in k.values if isinstance(v, int)] for k in space.knobs}
        is_long = _taps_of(workload) > (FEW_TAPS if shape.nhwc or shape.oh > 1 else FEW_OF_LINE)
        columns = max(v for v in values["tile_w"] if v <= _most_columns(shape, is_long))
        rows = max(v for v in values["tile_h"] if v == 1 or (v <= 3 and v * columns + 2 <= cpu.vector_registers))
        terms = {k.name: QUAD for k in _terms(workload, shape, target)}
        if terms:
            beside = _beside(workload)
            columns = min(v for v in values["tile_w"] if v % beside == 0 and v >= min(2, shape.ow))
        made = Config.of(
            tile_h=rows,
            tile_w=columns,
            tile_c=1,
            order="channel" if _channels_first(workload, shape, cpu) and not terms else _orders(shape)[-1],
            border=_borders(workload, shape, cpu)[0],
            kernel="whole",
            **terms,
            **thread_choice(target),
        )
        by_row = made.with_(kernel="rows", tile_h=1)
        busy = max(v for v in values["tile_w"] if v <= columns or v * rows <= BUSY)  # a tap alone hides no sum's wait
        by_tap: tuple[Config, ...] = (
            (made.with_(kernel=TAP, tile_w=busy),) if TAP in _written(workload, shape, target) else ()
        )
        least = by_row.with_(tile_w=columns if terms else 1)
        smaller = (made, made.with_(kernel="rows"), by_row, *by_tap, least)
        chosen = next(c for c in smaller if all(rule.holds(dict(c.values)) for rule in space.constraints))
        if shape.nhwc and shape.padded and shape.fixed and chosen["kernel"] != "whole" and target.threads > 1:
            chosen = chosen.with_(order="channel")  # of rows that threads share none is apart
        if not shape.nhwc:
            return chosen.with_(border="copy") if is_long and not shape.wide else chosen
        if not shape.padded or shape.fixed or shape.oh <= 1:
            return chosen
        if is_long:
            high, wide = _tile_of_long_window(workload)
            widest = max(v for v in values["tile_w"] if v <= wide)
            small = made.with_(tile_h=min(high, shape.oh), tile_w=widest, order="row")
            is_apart = shape.wide or "w" in _ends_apart(workload, target, small)
            if is_apart and all(rule.holds(dict(small.values)) for rule in space.constraints):
                return small
        rows_ask = chosen["kernel"] != "whole"  # each of them, whether it is there
        return chosen.with_(border="copy") if rows_ask or is_long else chosen

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        shape, cpu = Shape(workload, facts(target)), facts(target)
        lanes = cpu.lanes if shape.nhwc else _lanes(shape, cpu)
        s = _any_height(workload, target, config, lanes, {})
        if not shape.nhwc and not shape.wide and cpu.vector_bits == 512:
            width, most = str(workload.extents["w"]), _most_width(workload, lanes // 2)
            narrow = _any_height(workload, target, config.with_(tile_w=1), lanes // 2, {width: most})
            s.nest = beside_small(s.nest, {width: most + 1}, narrow.nest)
        return Scheduled.of(s)


def _any_height(workload: Workload, target: Target, config: Config, lanes: int, most: Mapping[str, int]) -> Schedule:
    """Tiles of images no larger than `most`, of which those that see a border are apart."""
    ends = _ends_apart(workload, target, config)
    steps = {"h": 1, "w": 1 if Shape(workload, facts(target)).nhwc else lanes}
    least = {str(workload.extents[d]): _with_borders(workload, config, d, end, steps[d]) for d, end in ends.items()}
    s = _tiles(workload, target, config, lanes, least, most)
    _exactly(s, workload, target, config, lanes, ends)
    if least:
        small = _tiles(workload, target, config.with_(tile_h=1, tile_w=1), lanes, {}, most)
        small.nest = beside_small(s.nest, least, small.nest)
        return small
    return s


def _tiles(
    workload: Workload, target: Target, config: Config, lanes: int, least: Least, most: Mapping[str, int]
) -> Schedule:
    """Tiles that stick out of the image where it ends within one."""
    s = start(workload)
    s.nest = having_most(having_least(s.nest, least), most)
    split(s, "i_oh", config.int("tile_h"), "ho", "hi")
    make = _channels if Shape(workload, facts(target)).nhwc else _rows
    make(s, workload, config, target, lanes)
    if _taps(config) == 1 and config["kernel"] != TAP:
        unroll(s, "i_kw")
    unroll(s, "hi", "wi")
    if config["kernel"] == "whole":
        unroll(s, "i_kh")
    s.nest = with_output(s.nest, workload)
    return s


def _exactly(
    s: Schedule, workload: Workload, target: Target, config: Config, lanes: int, ends: Mapping[str, int]
) -> None:
    """Tiles of just what there is, those that see a border apart."""
    for dim, outer in (("h", "ho"), ("w", "wo")):
        if dim in ends:
            tiles_to_the_end(s, outer, ends[dim])
        else:
            exact_remainders(s, outer, 1)
    shape = Shape(workload, facts(target))
    if config["border"] != "guard" or not shape.padded:
        return
    front, back = bordering(workload, config.int("tile_w") * (1 if shape.nhwc else lanes))
    if "w" in ends:
        peel(s, "wo", front, 0)
    elif shape.wide or (shape.nhwc and not shape.strided):  # else what is checked is not proved to be enough
        peel(s, "wo", front, back)
    by_rows = shape.fixed and config["kernel"] != "whole" and not _shares_rows(config, target)
    if not shape.nhwc or by_rows:  # else each tap would ask for its row
        peel(s, "ho", 1, 0 if "h" in ends else 1)


def _ends_apart(workload: Workload, target: Target, config: Config) -> dict[str, int]:
    """Of what dimensions of unknown size the end is apart, and how many outputs at most see what is behind it.

    Of rows (nchw) how many vectors. Where there are several of them what is masked is decided once for all.
    """
    shape = Shape(workload, facts(target))
    if not (shape.padded and config["border"] == "guard"):
        return {}
    tiles = {"h": config.int("tile_h"), "w": config.int("tile_w")}
    if not shape.nhwc and shape.oh > 1:
        del tiles["w"]
    elif config["kernel"] != "whole" or tiles["h"] == 1:  # each row of the kernel asks for its own of the image
        del tiles["h"]
    found = {d: max(-(-_along(workload, d).behind // _along(workload, d).stride), 1) for d in tiles}
    if not shape.nhwc and "w" in found:
        found["w"] = 1 - (1 - found["w"]) // _lanes(shape, facts(target))
    return {d: end for d, end in found.items() if workload.extents[d].value is None and end <= tiles[d]}


def _with_borders(workload: Workload, config: Config, dim: str, end: int, step: int) -> int:
    """The least size of an image in which a tile that sees one border does not see the other.

    Tiles and ends are of steps of so many outputs.
    """
    along, tile = _along(workload, dim), config.int(f"tile_{dim}")
    first = max(-(-along.before // (along.stride * tile * step)), 1) * tile
    outputs = max((first + end - 1) * step + 1, tile * step - (-along.before // along.stride))
    return max(along.stride * (outputs - 1) + along.reach - along.before - along.behind, 1)


def _most_width(workload: Workload, outputs: int) -> int:
    """The largest width of an image that has so many outputs of a row."""
    along = _along(workload, "w")
    return along.stride * outputs + along.reach - 1 - along.before - along.behind


@dataclass(frozen=True, slots=True)
class _Along:
    """What there is of a convolution along one dimension of the image."""

    before: int
    behind: int
    stride: int
    reach: int  # of a window


def _along(workload: Workload, dim: str) -> _Along:
    axis, attributes = "hw".index(dim), workload.attributes
    pads = numbers(attributes, "pad")
    reach = numbers(attributes, "dilation")[axis] * ((workload.extents[f"k{dim}"].value or 1) - 1) + 1
    return _Along(pads[axis], pads[axis + 2], numbers(attributes, "stride")[axis], reach)


def _channels(s: Schedule, workload: Workload, config: Config, target: Target, lanes: int) -> None:
    """nhwc: vectors of channels."""
    in_quads, beside = _taps(config) == QUAD, _beside(workload)
    if in_quads:
        split(s, "i_ow", beside, "og", "os")
        split(s, "og", config.int("tile_w") // beside, "wo", "wi")
    else:
        split(s, "i_ow", config.int("tile_w"), "wo", "wi")
    split(s, "i_g", config.int("tile_c") * lanes, "co", "cj")
    split(s, "cj", lanes, "ci", "cv")
    outer: dict[str, tuple[str, ...]] = {
        "channel": ("co", "ho", "wo"),
        "row": ("ho", "co", "wo"),
        "pixel": ("ho", "wo", "co"),
    }
    inside = outer[str(config["order"])]
    at_run_time = "w" not in workload.const
    if in_quads:
        by = var("os") * numbers(workload.attributes, "stride")[1]
        panels = ("co", "i_co", "i_cig", "i_kh", "kq", "os", "ci", "cv", "kr")
        slide(s, "w", "i_kw", by, ("kq", "kr"), QUAD, panels, at_run_time)
        reorder(s, "i_n", *inside, "i_co", "i_cig", "i_kh", "kq", "hi", "wi", "os", "ci", "cv", "kr")
    else:
        reorder(s, "i_n", *inside, "i_co", "i_cig", "i_kh", "i_kw", "hi", "wi", "ci", "cv")
        pack(s, "w", ("co", "i_co", "i_cig", "i_kh", "i_kw", "ci", "cv"), at_run_time)
    if config["border"] == "copy":
        stage_box(s, "x", "i_n", (0, 1, 2, 3), lanes)
    share(s, workload, config, inside[0])
    accumulate(s, inside=inside[-1])
    unroll(s, "ci")
    vectorize(s, "cv")
    if in_quads:
        unroll(s, "kq", "os")
        dot(s, "kr")


def _rows(s: Schedule, workload: Workload, config: Config, target: Target, lanes: int) -> None:
    """nchw: vectors of a row's pixels."""
    shape = Shape(workload, facts(target))
    (channels,) = numbers(workload.attributes, "groups")
    most = min(RUN, max(channels // (4 * target.threads), 1))
    split(s, "i_g", max(v for v in range(1, most + 1) if channels % v == 0), "go", "gi")
    split(s, "i_ow", lanes, "wj", "wv")
    is_copied = config["border"] == "copy"
    strips = ("ws",) if is_copied and not shape.wide and shape.oh > 1 else ()
    if strips:
        split(s, "wj", _strip(workload) // lanes, "ws", "wk")
        shorten_last(s, "ws")
    split(s, "wk" if strips else "wj", config.int("tile_w"), "wo", "wi")
    tiles = ("wo", "ho") if config["order"] == COLUMN else ("ho", "wo")
    reorder(s, "i_n", "go", *strips, "gi", *tiles, "i_co", "i_cig", "i_kh", "i_kw", "hi", "wi", "wv")
    if is_copied:
        stage_plane(s, "x", (*strips, "go")[0], "gi", numbers(workload.attributes, "stride")[1], lanes)
    share(s, workload, config, "go")
    accumulate(s, inside=tiles[-1])
    if is_copied:  # it reaches as far as the vectors do; channels of x do not, so they are masked
        overcompute(s, "wi", "wv")
    if is_copied and not shape.wide and facts(target).vector_bits < 512:
        _begin_where_they_fit(s, workload, lanes, config.int("tile_w"))
    vectorize(s, "wv")


def _begin_where_they_fit(s: Schedule, workload: Workload, lanes: int, vectors: int) -> None:
    """The last vector of a row overlaps the one before: what both compute comes out the same.

    Nothing is masked then, which is dear where no registers are for masks. A strip of less than a vector is.
    """
    strip = next((var(x.var) * _strip(workload) for x in loops(s.nest.body, "ws")), const(0))
    at, rest = var("wi") * lanes + var("wo") * (lanes * vectors), workload.extents["ow"] - strip
    begin = minimum(at, rest - lanes)

    def moved(e: Expr) -> Expr:
        c = e.coefficient("wv")
        return e + (begin - at) * c if c and e.coefficient("wi") else e

    def tiles(loop: Loop) -> Stmt:
        one = each_loop(loop.body, "wi", lambda inner: replace(inner, extent=const(1)))
        less = map_exprs(one, lambda e: e.substitute({"wo": 0}))
        return Guard((rest - lanes,), map_exprs(loop, moved), less)

    s.each("wo", tiles)


def _most_columns(shape: Shape, is_long: bool) -> int:
    """Of a tile that is not tuned. Each rest of a row of any length is code of its own, for each that is of rows."""
    if shape.nhwc:
        return 3
    return MOST_COLUMNS if shape.wide or (is_long and shape.oh == 1) else MOST_COLUMNS // 2


def _strip(workload: Workload) -> int:
    """Columns (nchw) that are copied at once of an image of any width: as many as are before it, or more."""
    along = _along(workload, "w")
    return STRIP * max(-(-along.before // (along.stride * STRIP)), 1)


def _orders(shape: Shape) -> tuple[str, ...]:
    """What may be walked first. Where a row is of any length (nchw) what is left of it is then decided for all rows."""
    return ORDERS if shape.nhwc else (ORDERS[0],) if shape.wide else (ORDERS[0], COLUMN)


def _channels_first(workload: Workload, shape: Shape, cpu: CpuFacts) -> bool:
    """Whether a vector of channels had best be done with before the next one: its pixels lie in the first cache then,
    and each comes from the second once (0.55 to 0.9 of the time up to 28 by 28 pixels, Zen 5)."""
    height, width = (workload.extents[d].value for d in ("h", "w"))
    if height is None or width is None or not (shape.nhwc and cpu.outruns_loads):
        return False
    return height * width * cpu.lanes * BYTES[workload.dtype] <= IMAGE_BYTES


def _lanes(shape: Shape, cpu: CpuFacts) -> int:
    """Of vectors along a row (nchw): as few as all of it needs."""
    return min(cpu.lanes, max(1 << (shape.ow - 1).bit_length(), 4))


def _terms(workload: Workload, shape: Shape, target: Target) -> tuple[Knob, ...]:
    """Whether taps of a row are terms by themselves or in quads: of integers, in images of known size."""
    stretched, taps = numbers(workload.attributes, "dilation")[1] > 1, workload.extents["kw"].value or 0
    is_known = shape.nhwc and shape.fixed and not stretched and taps > 1 and shape.ow >= _beside(workload)
    if terms_of(workload) != QUAD or not is_known or not narrow_facts(target).bytes:
        return ()
    return (Knob("taps", (1, QUAD), "taps of a row of the kernel that are one term"),)


def _written(workload: Workload, shape: Shape, target: Target) -> tuple[str, ...]:
    """How much of the kernel may be written out: less than a row where that is too long for a tile of several sums."""
    row = workload.extents["kw"].value or 1
    return (TAP,) * (MOST_COLUMNS * row > MOST_WRITTEN and not _terms(workload, shape, target)) + ("rows", "whole")


def _shares_rows(config: Config, target: Target) -> bool:
    """Whether threads share the rows of an image (nhwc), of which none is apart then."""
    return target.threads > 1 and config["order"] != "channel"


def _taps_of(workload: Workload) -> int:
    return (workload.extents["kh"].value or 1) * (workload.extents["kw"].value or 1)


def _tile_of_long_window(workload: Workload) -> tuple[int, int]:
    """Rows and columns of a tile that is not tuned, of images of unknown size.

    Ends of each size are code of their own, so a tile is as small as keeps sums from waiting. Rows one below the other
    read much of the same, which a stride makes less of: then there are two.
    """
    stride, _ = numbers(workload.attributes, "stride")
    return (2, 2) if stride > 1 and 4 * _taps_of(workload) <= MOST_WRITTEN // 2 else (1, 4)


def _taps(config: Config) -> int:
    return int(dict(config.values).get("taps", 1))


def _beside(workload: Workload) -> int:
    """How many outputs next to each other meet the same quads of a row: as many as waste no tap, or one."""
    stride, taps = numbers(workload.attributes, "stride")[1], workload.extents["kw"].value or 0
    return 1 + (-taps % QUAD) // stride


def _borders(workload: Workload, shape: Shape, cpu: CpuFacts) -> tuple[str, ...]:
    """The ways to read the border, the better first."""
    if shape.nhwc:
        return ("guard", "copy") if shape.padded else shape.borders
    near = numbers(workload.attributes, "stride")[1] == 1
    return ("guard", "copy") if near and cpu.vector_bits == 512 else ("copy",)


def _constraints(cpu: CpuFacts, rows: int, taps: int, beside: int) -> tuple[Constraint, ...]:
    written = {TAP: 1, "rows": taps // rows, "whole": taps}

    def tile(c: Mapping[str, Value]) -> int:
        return int(c["tile_h"]) * int(c["tile_w"]) * int(c["tile_c"])

    return (
        grain_rule(),
        Constraint(
            "registers",
            "the tile and two operands must fit the vector registers",
            lambda c: tile(c) + 2 <= cpu.vector_registers,
        ),
        Constraint(
            "beside",
            "pixels that meet the same quads are in one tile",
            lambda c: c.get("taps", 1) == 1 or int(c["tile_w"]) % beside == 0,
        ),
        Constraint(
            "code",
            f"at most {MOST_WRITTEN} multiply-adds in one tile",
            lambda c: tile(c) * written[str(c["kernel"])] <= MOST_WRITTEN or tile(c) == 1,
        ),
    )

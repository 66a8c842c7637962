"""conv2d on a CPU as a matrix product: pixels by output channels, the depth is every tap of the kernel.

    nhwc: for co: for po:  acc[pi, ci, lane] += rows[pi, d] * w_packed[co, d, ci, lane]        vectors of channels
    nchw: for po: for co:  acc[ci, pi, lane] += w_packed[co, d, ci] * x_staged[d, pi, lane]    vectors of pixels

A kernel of one tap reads pixels one after the other, of all images at once (nhwc) or of one (nchw): no row or image
ends in the middle of a tile. A larger kernel gathers the taps of a tile of pixels into a workspace first, where they
stay in the caches while every block of channels passes. There a tile is of one row where it has vectors of pixels, or
the image's size is not known: a pixel of several rows is found by dividing. Groups are products of their own.
With channels last two channels of bfloat16, or four of 8-bit integers, are one term: where they are no multiple of
that, a gathered tile has zeros for what is left. Vectors of pixels (nchw) come one term at a time: bfloat16 is widened
there, and integers are not served.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from anytile.core.dtypes import HALVES
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, product, var
from anytile.schedules.nest.elementwise_text import place
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.nodes import Buffer, Cast, Load, Loop, LoopKind, LoopNest, Op, Stmt, Store, Update
from anytile.schedules.nest.nodes import Value as NestValue
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import factor
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import dot, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack
from anytile.schedules.primitives.remainders import exact_remainders
from anytile.schedules.primitives.schedule import Result, Schedule, Tail
from anytile.schedules.primitives.stage_box import stage_box, stage_gather
from anytile.schedules.templates.base.definition import as_stored, converted, in_sums, signature
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cpu.conv2d_direct import (
    BUSY,
    UNROLLS,
    Shape,
    as_multiplied,
    best_tile,
    depthwise,
    share,
    thread_choice,
    thread_knobs,
    tile_rules,
    usual,
    with_output,
)
from anytile.schedules.templates.cpu.narrow.terms import QUAD, is_paired, parts_of, split_terms, terms_of
from anytile.schedules.workloads.streaming import constant_bytes
from anytile.schedules.workloads.workload import Workload

PIXELS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14)  # rows of the tile (nhwc) or vectors of them (nchw)
MANY = 100  # pixels of an image from which on vectors of them (nchw) are better than vectors of channels
# Multiply-adds of vectors that it takes, measured untuned: a vector gathered of pixels that follow one another, a pixel
# by itself, a multiply-add of pixels beside one of channels, an element that is copied or stored by itself.
GATHERED, APART, BROADCAST, MOVED = 5.0, 4.0, 1.15, 1.2
CHANNELS = (1, 2, 3, 4, 6, 8, 9, 12, 14)  # vectors of channels (nhwc) or channels (nchw)


@dataclass(frozen=True)
class Conv2dMatmul(Template):
    """The template of this module: of `conv2d` and of `quantised_conv2d`."""

    op: str = CONV2D.name

    @property
    def name(self) -> str:
        return f"{self.op}.matmul"

    def suits(self, workload: Workload) -> int:
        """Not where every channel is a group, nor a tail that cannot find its pixel."""
        size, nhwc = workload.extents, workload.attributes["layout"] == "nhwc"
        known = nhwc and size["oh"].value and size["ow"].value
        if (
            not usual(workload)
            or depthwise(workload)
            or (_divided(workload) and not known)
            or (terms_of(workload) == QUAD and not nhwc)
        ):
            return 0
        if not pointwise(workload) or _groups(workload) > 1 or (terms_of(workload) > 1 and not nhwc):
            return 1
        pixels = (size["oh"] * size["ow"]).value
        return 3 if nhwc or pixels is None or pixels >= MANY else 1

    def stores(self, workload: Workload) -> bool:
        return as_multiplied(workload)

    def leads(self, workload: Workload, target: Target) -> bool:
        return self.suits(workload) > 0 and _gathers_well(workload, facts(target))

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu, best = facts(target), self.default(workload, target)
        knobs, nhwc = self._knobs(workload, target), workload.attributes["layout"] == "nhwc"
        largest = [max(int(v) for v in k.values) for k in knobs[:2]]
        least = min(BUSY, math.prod(largest), best.int("tile_p") * best.int("tile_c"))
        return ConfigSpace(self.name, knobs, _constraints(cpu, least, nhwc, _parts(workload, target)))

    def _knobs(self, workload: Workload, target: Target) -> tuple[Knob, ...]:
        cpu = facts(target)
        shape = Shape(workload, cpu)
        channels = shape.vectors if shape.nhwc else shape.channels
        pixels = _pixels(workload.anchor).value  # a tail rides along with what its anchor was tuned to
        most = max(PIXELS) if pixels is None else max(pixels if shape.nhwc else -(-pixels // cpu.lanes), 1)
        return (
            Knob("tile_p", tuple(v for v in PIXELS if v <= most), "pixels (nhwc) or vectors of them (nchw)"),
            Knob("tile_c", tuple(v for v in CHANNELS if v <= channels), "vectors of channels (nhwc), channels (nchw)"),
            Knob("unroll", tuple(v for v in UNROLLS if shape.depth % v == 0), "input channels in one innermost round"),
            Knob("order", ("co", "pixel") if _free(workload.anchor) else ("pixel",), "what is walked first"),
            *thread_knobs(target),
        )

    def default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        shape = Shape(workload, cpu)
        pixels, channels, unrolls = ([int(v) for v in k.values] for k in self._knobs(workload, target)[:3])
        parts = _parts(workload, target)
        wide, other = (channels, pixels) if shape.nhwc else (pixels, channels)  # what is loaded as vectors comes first
        total = shape.vectors if shape.nhwc else None
        (most, preferred), best = best_tile(workload, target), None
        for vectors in wide:
            spare = min(cpu.vector_registers - (vectors + 1) * parts, most)
            rows = max((r for r in other if r * vectors <= spare), default=0)
            if not rows:
                continue
            waste = 1.0 if total is None else -(-total // vectors) * vectors / total
            key = (round(waste * max(1.0, 1.3 * (rows + vectors) / (rows * vectors)), 2), abs(vectors - preferred))
            if best is None or key < best[0]:
                best = (key, vectors, rows)
        if best is None:
            raise UnsupportedError(f"{self.name}: {workload} fits no tile of {target}")
        _, vectors, rows = best
        tile_p, tile_c = (rows, vectors) if shape.nhwc else (vectors, rows)
        depth = max(v for v in unrolls if v <= 2)
        # A tile of few registers has few pixels, and each reads all weights again: not those that leave the last cache.
        far = cpu.vector_registers < 32 and 2 * constant_bytes(workload, "w") >= _groups(workload) * cpu.l3_bytes
        order = "co" if far and _free(workload.anchor) else "pixel"
        return Config.of(tile_p=tile_p, tile_c=tile_c, unroll=depth, order=order, **thread_choice(target))

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        lanes = facts(target).lanes
        s = Schedule(_definition(workload), _tail(workload))
        make = self._nhwc if workload.attributes["layout"] == "nhwc" else self._nchw
        make(s, workload, config, lanes)
        return Scheduled.of(s)

    def _nhwc(self, s: Schedule, workload: Workload, config: Config, lanes: int) -> None:
        terms, groups = terms_of(workload), ("i_g",) if _groups(workload) > 1 else ()
        ragged = (workload.extents["cig"].value or 0) % terms != 0
        copied = ragged or not pointwise(workload)
        split(s, "i_p", config.int("tile_p"), "po", "pi")
        split(s, "i_co", config.int("tile_c") * lanes, "co", "cj")
        split(s, "cj", lanes, "ci", "cv")
        outer = ("co", "po") if config["order"] == "co" else ("po", "co")
        images, one = _images(workload), split_terms(s, "i_cig", config.int("unroll"), terms) if ragged else ()
        if copied:
            depth = ("ko", "ki", *one) if ragged else ("i_cig",)
            reorder(s, *images, *groups, *outer, "i_kh", "i_kw", *depth, "pi", "ci", "cv")
            stage_gather(s, "x", "po", ("pi", "i_kh", "i_kw", *depth), lanes)
        one = one or split_terms(s, "i_cig", config.int("unroll"), terms)
        reorder(s, *images, *groups, *outer, "i_kh", "i_kw", "ko", "ki", "pi", "ci", "cv", *one)
        depth = ("ko", "ki") if one else ("w.1",)
        pack(s, "w", (*groups, "co", "i_kh", "i_kw", *depth, "ci", "cv", *one), at_run_time="w" not in workload.const)
        share(s, workload, config, "i_oh" if _by_rows(workload) else outer[0])
        accumulate(s, inside=outer[-1])
        overcompute(s, "cj", "ci", "cv")
        unroll(s, "ki", "pi", "ci")
        vectorize(s, "cv")
        if one:
            dot(s, *one, paired=is_paired(workload))
        s.nest = with_output(s.nest, workload)
        # What is found by dividing, of a tile gathered or of a tail, is only found for tiles in their places.
        placed = copied or _divided(workload)
        exact_remainders(s, "po", 1 if placed else -(-BUSY // config.int("tile_c")))

    def _nchw(self, s: Schedule, workload: Workload, config: Config, lanes: int) -> None:
        copied, groups = not pointwise(workload), ("i_g",) if _groups(workload) > 1 else ()
        outer = (*_images(workload), *groups, "po", "co", "i_kh", "i_kw")
        split(s, "i_p", lanes, "pj", "pv")
        split(s, "pj", config.int("tile_p"), "po", "pi")
        split(s, "i_co", config.int("tile_c"), "co", "ci")
        reorder(s, *outer, "i_cig", "ci", "pi", "pv")
        if copied:
            stage_gather(s, "x", "po", ("i_kh", "i_kw", "i_cig", "pi", "pv"), lanes)
        split(s, "i_cig", config.int("unroll"), "ko", "ki")
        reorder(s, *outer, "ko", "ki", "ci", "pi", "pv")
        pack(s, "w", (*groups, "co", "i_kh", "i_kw", "w.1", "ci"), at_run_time="w" not in workload.const)
        if not copied:
            stage_box(s, "x", "po", (0, 1, 2), lanes)
        share(s, workload, config, "i_oh" if _by_rows(workload) else "po")
        accumulate(s, inside="co")
        overcompute(s, "ci", "pi", "pv")
        unroll(s, "ki", "pi", "ci")
        vectorize(s, "pv")
        s.nest = with_output(s.nest, workload)
        exact_remainders(s, "po", 1 if copied else -(-BUSY // config.int("tile_c")))


def pointwise(workload: Workload) -> bool:
    """Whether pixels of the output are pixels of the input, one for one."""
    size, a = workload.extents, workload.attributes
    one = size["kh"].value == 1 and size["kw"].value == 1 and numbers(a, "stride") == (1, 1)
    return one and not any(numbers(a, "pad"))


def _gathers_well(workload: Workload, cpu: CpuFacts) -> bool:
    """Whether vectors of pixels (nchw), which are gathered for all channels and stored as they are, are estimated to be
    faster than vectors of channels, for which x is copied and of which each lane is stored by itself."""
    plain = workload.op == CONV2D.name and workload.dtype == "float32"
    if not plain or workload.attributes["layout"] == "nhwc" or pointwise(workload):
        return False
    shape, size, strides = Shape(workload, cpu), workload.extents, numbers(workload.attributes, "stride")
    terms = shape.depth * (size["kh"].value or 1) * (size["kw"].value or 1)
    width = size["ow"].value or cpu.lanes
    idle = -(-width // cpu.lanes) * cpu.lanes / width  # lanes behind a row
    sums = terms * shape.channels / cpu.lanes
    gathered = terms * (GATHERED / cpu.lanes if strides[1] == 1 else APART) + sums * (idle * BROADCAST - 1)
    seen = math.prod(_beside(size[d].value, size[f"o{d}"].value, by) for d, by in zip("hw", strides, strict=True))
    moved = shape.channels + shape.depth * seen
    return gathered < MOVED * moved + terms * shape.vectors - sums


def _beside(size: int | None, made: int | None, stride: int) -> float:
    """How many elements of x there are along a dimension for each pixel."""
    return size / made if size and made else stride


def _parts(workload: Workload, target: Target) -> int:
    """In how many registers a vector is taken apart; those of pixels (nchw) come one term at a time."""
    return parts_of(workload, target) if workload.attributes["layout"] == "nhwc" else 1


def _free(workload: Workload) -> bool:
    """Whether the pixels of all images are one row of them: nothing is copied, and no tail tells images apart."""
    if not pointwise(workload) or workload.attributes["layout"] != "nhwc":
        return False
    return all(_joined(dims, ("n", "oh", "ow")) is not None for dims in _tail_dims(workload))


def _by_rows(workload: Workload) -> bool:
    """Whether a tile is of one row: its pixels have to be found, and a vector of them is one row's, or rows are of no
    known number or width."""
    size, nhwc = workload.extents, workload.attributes["layout"] == "nhwc"
    return not pointwise(workload) and (not nhwc or size["oh"].value is None or size["ow"].value is None)


def _together(workload: Workload) -> tuple[str, ...]:
    """The dimensions of pixels that are walked in one go."""
    if _by_rows(workload):
        return ("ow",)
    return ("n", "oh", "ow") if _free(workload) else ("oh", "ow")


def _images(workload: Workload) -> tuple[str, ...]:
    """The loops over what separates them."""
    return tuple(f"i_{d}" for d in ("n", "oh") if d not in _together(workload))


def _groups(workload: Workload) -> int:
    return numbers(workload.attributes, "groups")[0]


def _pixels(workload: Workload) -> Expr:
    return product(workload.extents[d] for d in _together(workload))


def _flat(dims: tuple[str, ...], workload: Workload) -> tuple[str, ...] | None:
    """A tensor's dimensions with those of the pixels taken together; None where it has only some of them."""
    together = _together(workload)
    dims = tuple({"h": "oh", "w": "ow"}.get(d, d) if pointwise(workload) else d for d in dims)
    return _joined(dims, together)


def _joined(dims: tuple[str, ...], together: tuple[str, ...]) -> tuple[str, ...] | None:
    if not set(together) & set(dims):
        return dims
    at = dims.index(together[0]) if together[0] in dims else 0
    return (*dims[:at], "p", *dims[at + len(together) :]) if dims[at : at + len(together)] == together else None


def _divided(workload: Workload) -> bool:
    """Whether a tail sees rows or columns of pixels apart, which only a division finds."""
    return any(_flat(dims, workload) is None for dims in _tail_dims(workload))


def _tail_dims(workload: Workload) -> list[tuple[str, ...]]:
    return [t.dims for t in workload.inputs if t.name not in ("x", "w")]


def _definition(workload: Workload) -> LoopNest:
    """The perfect nest with pixels walked as one dimension; their tensors have that dimension too."""
    size, a = workload.extents, workload.attributes
    extents = {**size, "p": _pixels(workload)}
    shapes: dict[str, tuple[str, ...]] = {}
    for t in workload.tensors:
        as_it_is = t.name == "w" or (t.name == "x" and not pointwise(workload))
        shapes[t.name] = t.dims if as_it_is else _flat(t.dims, workload) or t.dims
    plain = signature(workload)
    params = tuple(
        Buffer(b.name, tuple(extents[d] for d in shapes[b.name]), dtype=b.dtype, output=b.output) for b in plain.params
    )
    p, groups = var("i_p"), _groups(workload)
    per_group = size["co"] // groups
    co = var("i_g") * per_group + var("i_co") if groups > 1 else var("i_co")
    ci = var("i_g") * size["cig"] + var("i_cig") if groups > 1 else var("i_cig")
    at = {"n": var("i_n"), "oh": var("i_oh"), "ci": ci, "co": co, "p": p}
    if not pointwise(workload):
        (sh, sw), (dh, dw), (top, left, _, _) = (numbers(a, n) for n in ("stride", "dilation", "pad"))
        width = size["ow"].value or 1
        row, column = (var("i_oh"), p) if _by_rows(workload) else (p // width, p % width)
        at["h"] = row * sh + var("i_kh") * dh - top
        at["w"] = column * sw + var("i_kw") * dw - left
    loads = Load("x", tuple(at[d] for d in shapes["x"])), Load("w", (co, var("i_cig"), var("i_kh"), var("i_kw")))
    factors = tuple(factor(v, a) for v in loads) if workload.op == QUANTISED_CONV2D.name else loads
    body: Stmt = Update("y", tuple(at[d] for d in shapes["y"]), Op("mul", factors))
    outer = (*(("g",) if groups > 1 else ()), *(loop.removeprefix("i_") for loop in reversed(_images(workload))))
    walked = {**extents, "co": per_group, "g": const(groups)}
    for name in ("kw", "kh", "cig", "co", "p", *outer):
        body = Loop(f"i_{name}", walked[name], LoopKind.SERIAL, body)
    return LoopNest(plain.name, params, plain.symbols, in_sums(body, workload))


def _tail(workload: Workload) -> Tail | None:
    """The workload's tail at a place of the flattened output."""
    (output,), halves, turned = workload.outputs, workload.dtype in HALVES, converted(workload)
    if not workload.tail and not halves and not turned and not workload.stored:
        return None
    value = floats(workload.tail or output.name)
    dims, width = _flat(output.dims, workload) or (), workload.extents["ow"].value

    def apply(result: Result, index: tuple[Expr, ...]) -> tuple[Store, ...]:
        at = {**dict(zip(dims, index, strict=True)), "1": const(0)}
        if _by_rows(workload):
            at["ow"] = at["p"]
        elif width:
            at |= {"oh": at["p"] // width, "ow": at["p"] % width}

        def read(name: str, _: tuple[str, ...]) -> NestValue:
            if name == output.name:
                return Cast("float32", result(0)) if turned else result(0)
            tensor = workload.tensor(name)
            load = Load(name, tuple(at[d] for d in _flat(tensor.dims, workload) or tensor.dims))
            return Cast("float32", load) if halves or tensor.dtype else load

        return (Store(output.name, index, as_stored(place(value, read), workload.dtype_of(output))),)

    return apply


def _constraints(cpu: CpuFacts, least: int, nhwc: bool, parts: int) -> tuple[Constraint, ...]:
    wide, other = ("tile_c", "tile_p") if nhwc else ("tile_p", "tile_c")
    return tile_rules(cpu, lambda c: int(c[other]), wide, least, parts)

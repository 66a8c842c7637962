"""Depthwise conv2d on a CPU: every channel sees itself alone.

    nhwc: vectors run along channels  acc[hi, wi, ci, lane] += x[oh*s + kh, ow*s + kw, c] * w[co, kh, kw, ci, lane]
    nchw: vectors run along a row     acc[hi, wi, lane] += x_staged[oh*s + kh, ow*s + kw] * w[c, kh, kw]

A product for each element loaded leaves nothing to hide loads behind, so the tile keeps several pixels of a row, whose
neighbours share what they read. nchw reads a copy of the channel with zeros around it.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.schedules.boxes import Staging, peel, place, stage
from anytile.schedules.cpu import CpuFacts, facts
from anytile.schedules.definitions import start
from anytile.schedules.nest import LoopNest
from anytile.schedules.rests import exact_rests
from anytile.schedules.schedule import Schedule
from anytile.schedules.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.target import Target
from anytile.schedules.template import Pack, Scheduled
from anytile.schedules.templates.conv2d_direct import (
    Shape,
    depthwise,
    grain_rule,
    share,
    thread_choice,
    thread_knobs,
    with_output,
)
from anytile.schedules.workload import Workload

HEIGHTS = (1, 2, 3, 4)
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 14)
VECTORS = (1, 2, 3, 4)
ORDERS = ("channel", "row", "pixel")


class Conv2dDepthwise:
    """The template of this module."""

    name = "conv2d.depthwise"
    op = "conv2d"
    kind = "llvm"
    version = 1

    def suits(self, workload: Workload) -> int:
        return 3 if depthwise(workload) else 0

    def symbol(self, workload: Workload) -> str | None:
        return None

    def tile(self, config: Config) -> int:
        return 1

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        shape = Shape(workload, cpu)
        channels = -(-(workload.extents["ci"].value or 1) // cpu.lanes) if shape.nhwc else 1
        widest = shape.ow if shape.nhwc else -(-shape.ow // cpu.lanes)
        rows = workload.extents["kh"].value or 1
        taps = rows * (workload.extents["kw"].value or 1)
        knobs = (
            Knob("tile_h", tuple(v for v in HEIGHTS if v <= shape.oh), "rows of pixels in the register tile"),
            Knob("tile_w", tuple(v for v in WIDTHS if v <= widest), "pixels (nhwc) or vectors of them (nchw) of a row"),
            Knob("tile_c", tuple(v for v in VECTORS if v <= channels), "vectors of channels in the tile (nhwc)"),
            Knob("order", ORDERS if shape.nhwc else ORDERS[:1], "what is walked first: channels, rows, tiles of a row"),
            Knob("border", shape.borders, "how the border is read: checks, or a copy with zeros around"),
            Knob("kernel", ("rows", "whole"), "whether a row of the kernel or all of it is written out"),
            *thread_knobs(target),
        )
        return ConfigSpace(self.name, knobs, _constraints(cpu, rows, taps))

    def default(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        space = self.space(workload, target)
        shape = Shape(workload, cpu)
        values = {k.name: [v for v in k.values if isinstance(v, int)] for k in space.knobs}
        return Config.of(
            tile_h=max(v for v in values["tile_h"] if v <= (3 if shape.nhwc else 2)),
            tile_w=max(v for v in values["tile_w"] if v <= (3 if shape.nhwc else 4)),
            tile_c=1,
            order="pixel" if shape.nhwc else "channel",
            border=shape.borders[0],
            kernel="whole",
            **thread_choice(target),
        )

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        lanes = facts(target).lanes
        shape = Shape(workload, facts(target))
        s = start(workload)
        s.split("i_oh", config.int("tile_h"), "ho", "hi")
        kernel = ("i_kh", "i_kw")
        staging: Staging | None = None
        inside: tuple[str, ...]
        unrolled: tuple[str, ...]
        if shape.nhwc:
            s.split("i_ow", config.int("tile_w"), "wo", "wi")
            s.split("i_g", config.int("tile_c") * lanes, "co", "cj")
            s.split("cj", lanes, "ci", "cv")
            outer: dict[str, tuple[str, ...]] = {
                "channel": ("co", "ho", "wo"),
                "row": ("ho", "co", "wo"),
                "pixel": ("ho", "wo", "co"),
            }
            inside = outer[str(config["order"])]
            s.reorder("i_n", *inside, "i_co", "i_cig", *kernel, "hi", "wi", "ci", "cv")
            layout = ("co", "i_co", "i_cig", *kernel, "ci", "cv")
            s.pack("w", layout, at_run_time="w" not in workload.const)
            unrolled, lane = ("hi", "wi", "ci"), "cv"
        else:
            s.split("i_ow", lanes, "wj", "wv")
            s.split("wj", config.int("tile_w"), "wo", "wi")
            inside = ("ho", "wo")
            s.reorder("i_n", "i_g", *inside, "i_co", "i_cig", *kernel, "hi", "wi", "wv")
            unrolled, lane = ("hi", "wi"), "wv"
        if config["border"] == "copy":
            s.nest, staging = stage(s.nest, "x", "i_n" if shape.nhwc else "i_g", (0, 1, 2, 3), lanes)
        share(s, workload, config, inside[0] if shape.nhwc else "i_g")
        s.accumulate(inside=inside[-1])
        if staging is not None:
            s.nest = place(s.nest, staging)
        if not shape.nhwc:  # the copy reaches as far as the vectors do; channels of x do not, so they are masked
            s.overcompute("wi", "wv")
        s.unroll("i_kw", *unrolled)
        if config["kernel"] == "whole":
            s.unroll("i_kh")
        s.vectorize(lane)
        return Scheduled(self._rests(s, workload, config, shape), tuple(Pack(o, p) for o, p in s.packs))

    def _rests(self, s: Schedule, workload: Workload, config: Config, shape: Shape) -> LoopNest:
        nest = with_output(s.finish(), workload)
        nest = exact_rests(nest, s.splits["ho"], 1)
        nest = exact_rests(nest, s.splits["wo"], 1)
        return peel(nest, "wo", 1, 1) if config["border"] == "guard" and shape.padded else nest


def _constraints(cpu: CpuFacts, rows: int, taps: int) -> tuple[Constraint, ...]:
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
            "code",
            "at most 256 multiply-adds in one tile",
            lambda c: tile(c) * (taps if c["kernel"] == "whole" else taps // rows) <= 256 or tile(c) == 1,
        ),
    )

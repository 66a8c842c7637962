"""conv2d on a GPU as an implicit matrix product, channels last: pixels by output channels, in the registers of threads.

    block n, bco, bs: for ko: x, w -> shared   thread: acc[hi, wi, ci] += x[pixel, k..k+3] * w[channel, k..k+3]

A block makes a patch of one image, `warps_h * tile_h` rows of `lanes * tile_w` pixels, for some channels; its threads
share it as those of dense share a tile. A round is one tap of the kernel and `block_k` channels: what a patch reads
there lies in a tile of shared memory, one row a pixel, zeros where that is padding. So nothing is laid out ahead of
time. Images of an unknown width, groups and channels that come second are left to the plain schedule. Floats of 16 bits
are widened in registers: on matrix units `conv2d_mma` and, on Hopper, `conv2d_relay` multiply them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeAlias

from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopKind
from anytile.schedules.nest.traverse import each_loop
from anytile.schedules.operators.products.conv2d import CONV2D, USUAL, filters_of
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import FLOAT
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.bind import bind
from anytile.schedules.primitives.gpu.pipeline import pipeline
from anytile.schedules.primitives.gpu.points import each_by_blocks
from anytile.schedules.primitives.gpu.shared_memory import cache_read, hold
from anytile.schedules.primitives.loops import fuse, reorder, split, unroll
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cuda.dense_simt import LANES, PAD, VECTOR, aligned, fill, fuse_rounds, stages_of
from anytile.schedules.workloads.workload import Workload

Knobs: TypeAlias = Mapping[str, Value] | Config
_TILES_H, _TILES_W, _TILES_C = (1, 2, 4), (1, 2, 4), (2, 4, 8)
_WARPS_H, _WARPS_C = (1, 2, 4), (1, 2, 4)
_DEPTHS = (8, 16, 32)
_MOST_COPIES = 24


class Conv2dCudaSimt(Template):
    """The template of this module."""

    name = "conv2d.cuda.simt"
    op = CONV2D.name
    kind = "cuda"

    def suits(self, workload: Workload) -> int:
        attributes, size = workload.attributes, workload.extents
        fits = attributes["layout"] == "nhwc" and attributes["groups"] == 1
        return 2 if fits and None not in (size["oh"].value, size["ow"].value) else 0

    def stores(self, workload: Workload) -> bool:
        return True

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        gpu = gpu_facts(target)
        knobs = (
            Knob("tile_h", _TILES_H, "rows of pixels of a thread"),
            Knob("tile_w", _TILES_W, "pixels of a thread in one row"),
            Knob("tile_c", _TILES_C, "channels of a thread"),
            Knob("warps_h", _WARPS_H, "warps of a block along the rows of pixels"),
            Knob("warps_c", _WARPS_C, "warps of a block along the channels"),
            Knob("lanes", tuple(LANES), "lanes of a warp along a row of pixels, and along the channels"),
            Knob("block_k", _DEPTHS, "channels of the input in one tile of shared memory"),
            Knob("stages", _stages(workload, gpu),
                 "tiles of shared memory, of which all but one are being filled"),
        )  # fmt: skip
        return ConfigSpace(self.name, knobs, _constraints(gpu))

    def default(self, workload: Workload, target: Target) -> Config:
        """The config that wastes least: pixels and channels beyond the image's, idle multiprocessors, reads of shared
        memory."""
        gpu, size = gpu_facts(target), workload.extents
        rows, columns, channels = (size[d].value or 1 for d in ("oh", "ow", "co"))
        images = size["n"].value or 1
        allowed = [c for c in _likely(workload, gpu) if all(rule.holds(dict(c.values)) for rule in _constraints(gpu))]

        def cost(config: Config) -> float:
            pixels, across = _patch(config), _channels(config)
            tiles = images * -(-rows // pixels[0]) * -(-columns // pixels[1]) * -(-channels // across)
            waves = max(1.0, tiles / gpu.multiprocessors)
            own, reads = _own(config), config.int("tile_h") * config.int("tile_w") + config.int("tile_c")
            return waves * pixels[0] * pixels[1] * across * (1 + reads / own)

        return min(allowed, key=cost)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        gpu = gpu_facts(target)
        down, across = LANES[str(config["lanes"])]
        block_k, threads = config.int("block_k"), _threads(gpu, config)
        s = start(workload)
        s.nest = aligned(s.nest)
        split(s, "i_oh", config.int("tile_h") * config.int("warps_h"), "bh", "ht")
        split(s, "ht", config.int("warps_h"), "hi", "wm")
        split(s, "i_ow", config.int("tile_w") * down, "bw", "wt")
        split(s, "wt", down, "wi", "wl")
        split(s, "wl", 2, "lm", "lo")
        split(s, "i_co", config.int("tile_c") * config.int("warps_c") * across, "bco", "nt")
        split(s, "nt", config.int("warps_c") * across, "ni", "nw")
        split(s, "nw", across, "wn", "ln")
        split(s, "i_cig", block_k, "kc", "kj")
        split(s, "kj", VECTOR, "kp", "kv")
        inner = ("wm", "wn", "lm", "ln", "lo", "kp", "ni", "hi", "wi", "kv")
        reorder(s, "i_n", "bco", "bh", "bw", "i_kh", "i_kw", "kc", *inner)
        fuse(s, "bh", "bw", "bs")
        unroll(s, "ni", "hi", "wi", "kv")
        bind(s, LoopKind.BLOCK, "i_n", "bco", "bs")
        bind(s, LoopKind.WARP, "wm", "wn")
        bind(s, LoopKind.THREAD, "lm", "ln", "lo")
        accumulate(s, inside="bs")
        fuse_rounds(s, "i_kh", "i_kw", "kc")
        w, x = (cache_read(s, name, "ko", fill(s.nest, gpu, name, threads, _piece(workload, name))) for name in "wx")
        hold(s, x, "kp", ("hi", "wi", "kv"), "a", vector="kv")
        hold(s, w, "ni", ("kv",), "b", vector="kv")
        pipeline(s, "ko", config.int("stages"))
        s.nest = s.nest.with_body(
            each_loop(s.nest.body, "i_n", lambda loop: each_by_blocks(loop.var, loop.extent, loop.body))
        )
        return Scheduled.of(s)


class QuantisedConv2dCudaSimt(Conv2dCudaSimt):
    """The same beside a weight in 16-bit floats, which is moved as it lies."""

    name = "quantised_conv2d.cuda.simt"
    op = QUANTISED_CONV2D.name

    def suits(self, workload: Workload) -> int:
        return super().suits(workload) if workload.attributes["x"] == FLOAT else 0


def _piece(workload: Workload, operand: str) -> int:
    """Elements that a copy moves: channels that lie side by side, of a weight where they are its last dimension."""
    alone = operand == "w" and filters_of(workload.attributes) == USUAL
    return 1 if alone or (workload.extents["ci"].value or 1) % VECTOR else VECTOR


def _stages(workload: Workload, gpu: GpuFacts) -> tuple[int, ...]:
    return stages_of(workload, gpu, {name: _piece(workload, name) for name in "wx"})


def _likely(workload: Workload, gpu: GpuFacts) -> Iterator[Config]:
    deep = workload.extents["ci"].value or 1
    block_k = min((k for k in _DEPTHS if k >= min(deep, 16)), default=_DEPTHS[-1])
    stages = 3 if len(_stages(workload, gpu)) > 1 else 1
    for tile_h, tile_w, tile_c, warps_h, warps_c, lanes in product(_TILES_H, _TILES_W, (4, 8), _WARPS_H, (1, 2), LANES):
        yield Config.of(
            tile_h=tile_h, tile_w=tile_w, tile_c=tile_c, warps_h=warps_h, warps_c=warps_c, lanes=lanes,
            block_k=block_k, stages=stages,
        )  # fmt: skip


def _patch(c: Knobs) -> tuple[int, int]:
    """Rows of pixels of a block, and pixels of each."""
    return int(c["tile_h"]) * int(c["warps_h"]), int(c["tile_w"]) * LANES[str(c["lanes"])][0]


def _channels(c: Knobs) -> int:
    return int(c["tile_c"]) * int(c["warps_c"]) * LANES[str(c["lanes"])][1]


def _own(c: Knobs) -> int:
    """Results of a thread."""
    return int(c["tile_h"]) * int(c["tile_w"]) * int(c["tile_c"])


def _threads(gpu: GpuFacts, c: Knobs) -> int:
    return int(c["warps_h"]) * int(c["warps_c"]) * gpu.warp


def _shared(c: Knobs) -> int:
    rows, columns = _patch(c)
    return 4 * int(c["stages"]) * (rows * columns + _channels(c)) * (int(c["block_k"]) + PAD)


def _copies(gpu: GpuFacts, c: Knobs) -> int:
    """Copies of a thread for one round: pieces of pixels, and channels of the weight one by one."""
    rows, columns = _patch(c)
    return int(c["block_k"]) * (rows * columns // VECTOR + _channels(c)) // _threads(gpu, c)


def _registers(c: Knobs) -> int:
    return _own(c) + VECTOR * (int(c["tile_h"]) * int(c["tile_w"]) + 1) + 56


def _constraints(gpu: GpuFacts) -> tuple[Constraint, ...]:
    def fills(c: Mapping[str, Value]) -> bool:
        def whole(size: int, pieces: int) -> bool:
            across = min(pieces, _threads(gpu, c))
            return pieces % across == 0 and size % max(1, min(size, _threads(gpu, c) // across)) == 0

        depth, (rows, columns) = int(c["block_k"]), _patch(c)
        return all(
            whole(size, pieces) for size in (rows * columns, _channels(c)) for pieces in (depth, depth // VECTOR)
        )

    return (
        Constraint("shared", "the stages must fit the shared memory of a block",
                   lambda c: _shared(c) <= gpu.shared_per_block),
        Constraint("registers", "the tile of a thread must fit its registers",
                   lambda c: _registers(c) <= gpu.registers_per_thread - 55),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   lambda c: _registers(c) * _threads(gpu, c) <= gpu.registers),
        Constraint("fill", "threads fill a tile in whole rounds", fills),
        Constraint("copies", "a thread fills a tile in few rounds, each of which keeps an address in registers",
                   lambda c: _copies(gpu, c) <= _MOST_COPIES),
        Constraint("warps", "two to eight warps: one cannot hide latency, and more wait for each other too long",
                   lambda c: 64 <= _threads(gpu, c) <= 256),
        Constraint("own", "a thread makes at least eight results, or it reads more than it adds up",
                   lambda c: _own(c) >= 8),
    )  # fmt: skip

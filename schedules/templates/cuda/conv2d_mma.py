"""conv2d of 16-bit floats on the matrix units of a GPU as an implicit matrix product: a patch of an image by channels.

    block n, bn, bm: for ko: x[n, rows, pixels, channels], w[channels, tap] -> shared   warp: acc += a * b

A tile is a patch of one image, `across` pixels of each of its rows, by output channels. A round is one tap of the
kernel and `block_k` channels: what a patch reads there is one row of shared memory for a pixel, zeros where that is
padding, so nothing is laid out ahead of time. A weight with its channels last (`filters=ohwi`), as models for GPUs have
it, is copied in pieces of up to 16 bytes while others are multiplied; one as models write it element by element.
Sums are shared among blocks (`split_k`) by channels, where the number of images is known. All else is as `mma_tiles`
has it.
"""

from __future__ import annotations

from functools import partial

from anytile.core.dtypes import HALVES
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.gpu_estimate import clocks
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.conv2d import CONV2D, USUAL, filters_of
from anytile.schedules.primitives.gpu.points import MOST_BLOCKS
from anytile.schedules.primitives.loops import fuse, reorder, split
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.schedules.templates.cuda.mma_tiles import (
    MatrixTiles,
    at_once,
    columns_of,
    rows_of,
)
from anytile.schedules.workloads.workload import Workload

_ACROSS = (8, 16, 32)
_LEAST_DEPTH = 16
_ITEM = 2  # bytes of an element


class Conv2dCudaMma(MatrixTiles):
    """The template of this module."""

    name = "conv2d.cuda.mma"
    op = CONV2D.name
    version = 2
    operands = ("x", "w")
    outer = ("i_n",)
    rounds = ("i_kh", "i_kw", "kc")
    depths = (_LEAST_DEPTH, 32, 64)
    fill_registers = 24

    def suits(self, workload: Workload) -> int:
        """Of images of a known size."""
        attributes, size = workload.attributes, workload.extents
        fits = attributes["layout"] == "nhwc" and attributes["groups"] == 1 and workload.dtype in HALVES
        return 1 if fits and None not in (size["oh"].value, size["ow"].value) else 0

    def leads(self, workload: Workload, target: Target) -> bool:
        """Others but Hopper's multiply 16-bit floats in float32, at a tenth of the rate."""
        return self.suits(workload) > 0 and gpu_facts(target).async_copies

    def stores(self, workload: Workload) -> bool:
        return not workload.anchor.stored

    def pieces(self, workload: Workload) -> tuple[int, ...]:
        of_x = at_once(workload.extents["ci"].value or 1, _ITEM)
        return of_x, 1 if filters_of(workload.attributes) == USUAL else of_x

    def splits(self, workload: Workload) -> tuple[int, ...]:
        images, deep = workload.extents["n"].value, workload.extents["ci"].value or 1
        alone = (
            images is None or images > MOST_BLOCKS
        )  # a block then has several of them, which would meet in one place
        return tuple(n for n in super().splits(workload) if n == 1 or not (alone or n * _LEAST_DEPTH > deep))

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        found = super().space(workload, target)
        width, deep = (workload.extents[d].value or 1 for d in ("ow", "ci"))
        knob = Knob("across", _ACROSS, "pixels of a row that a tile has")
        rules = (
            Constraint("patch", "a tile is whole rows of pixels", lambda c: rows_of(c) % int(c["across"]) == 0),
            Constraint("width", "a tile is at most twice as wide as an image, or as narrow as tiles are",
                       lambda c: int(c["across"]) <= max(2 * width - 1, _ACROSS[0])),
            Constraint("channels", "a round has no more channels than there are, but for those of the smallest one",
                       lambda c: int(c["block_k"]) * int(c["split_k"]) < max(deep + int(c["block_k"]),
                                                                             2 * _LEAST_DEPTH)),
        )  # fmt: skip
        return ConfigSpace(self.name, (*found.knobs, knob), (*found.constraints, *rules))

    def default(self, workload: Workload, target: Target) -> Config:
        """Not measured: the config with the least estimate for a product of as many rows as its patches have."""
        space = self.space(workload, target)
        likely = (c.with_(across=across) for c in self.likely(workload, target) for across in _ACROSS)
        allowed = [c for c in likely if all(rule.holds(dict(c.values)) for rule in space.constraints)]
        if not allowed:
            raise UnsupportedError(f"{workload} on {target}: no config of {self.name} fits this target; it needs sm_80")
        return min(allowed, key=partial(self._estimate, workload, target))

    def _estimate(self, workload: Workload, target: Target, config: Config) -> float:
        size, across = workload.extents, config.int("across")
        rows, width, channels, deep, taps = (
            size["oh"].value or 1, size["ow"].value or 1, size["co"].value or 1, size["ci"].value or 1,
            (size["kh"].value or 1) * (size["kw"].value or 1),
        )  # fmt: skip
        down, each = rows_of(config) // across, config.int("block_k") * config.int("split_k")
        patches = (size["n"].value or 1) * -(-rows // down) * -(-width // across)
        sizes = patches * rows_of(config), channels, taps * -(-deep // each) * each
        return clocks(gpu_facts(target), sizes, (_ITEM, _ITEM), self.tile_of(target, config))

    def split_tiles(self, s: Schedule, workload: Workload, config: Config) -> None:
        across, block_k = config.int("across"), config.int("block_k")
        split(s, "i_oh", rows_of(config) // across, "bh", "ht")
        split(s, "i_ow", across, "bw", "wt")
        split(s, "i_co", columns_of(config), "bn", "nt")
        split(s, "i_cig", block_k * config.int("split_k"), "kc", "kt")
        split(s, "kt", block_k, "bk", "kj")
        reorder(s, "i_n", "bh", "bw", "bn", "ht", "wt", "nt", "bk", *self.rounds, "kj")
        fuse(s, "ht", "wt", "mt")
        fuse(s, "bh", "bw", "bm")

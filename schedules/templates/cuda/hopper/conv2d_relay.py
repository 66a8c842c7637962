"""conv2d of 16-bit floats on Hopper as an implicit matrix product, warp-specialised: a box of the images for each tap.

    block n, bm, bn: relay ko: x[n, rows, pixels, 64], w[columns, tap, 64] -> shared   to group wg: acc += x w

A tile is a patch of one image, `across` pixels of so many rows that they are the 64 rows of each group of warps, by
output channels. A round is one tap of the kernel and 64 channels: what a patch reads there is a box of the images,
whose pixels are a stride apart, with zeros where that is padding or no channel. So nothing is laid out ahead of time,
but that the weight has its channels last (`filters=ohwi`). All else is as `dense_relay` has it.
"""

from __future__ import annotations

from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.mma_operations import GROUP_ROWS, GROUP_STEPS
from anytile.schedules.operators.products.conv2d import CONV2D, USUAL, filters_of
from anytile.schedules.operators.spec import numbers
from anytile.schedules.primitives.loops import fuse, reorder, split
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.schedules.templates.cuda.hopper.dense_relay import DenseCudaRelay
from anytile.schedules.templates.cuda.hopper.dense_wgmma import PIECE
from anytile.schedules.workloads.workload import Workload

_ACROSS = (8, 16, 32, 64)
_MOST_REACH, _MOST_STEP = 256, 8  # of a box along a dimension


class Conv2dCudaRelay(DenseCudaRelay):
    """The template of this module."""

    name = "conv2d.cuda.relay"
    op = CONV2D.name
    operands = ("x", "w")
    outer = ("n",)
    walked = ("h", "co")
    rounds = ("i_kh", "i_kw", "kc")
    splits = (1,)

    def suits(self, workload: Workload) -> int:
        """Of images of a known size, whose channels are whole pieces of 16 bytes: before `conv2d_mma`."""
        attributes, size = workload.attributes, workload.extents
        lie = attributes["layout"] == "nhwc" and filters_of(attributes) != USUAL and attributes["groups"] == 1
        known = None not in (size["oh"].value, size["ow"].value) and (size["ci"].value or 1) % PIECE == 0
        near = max(numbers(attributes, "stride")) <= _MOST_STEP
        return 2 if lie and known and near and workload.dtype in HALVES else 0

    def leads(self, workload: Workload, target: Target) -> bool:
        """Others multiply 16-bit floats by single warps, at two thirds of the rate."""
        return self.suits(workload) > 0 and gpu_facts(target).warp_groups

    def asked(self, workload: Workload) -> tuple[str, ...]:
        return ()  # images are as large as what multiplies them

    def symbol(self, workload: Workload) -> str | None:
        return None

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        found, (down, right) = super().space(workload, target), numbers(workload.attributes, "stride")
        width = workload.extents["ow"].value or 1
        knob = Knob("across", _ACROSS, "pixels of a row that a tile has")
        rules = (
            Constraint("box", f"a box reaches over at most {_MOST_REACH} pixels of a row, and as many rows",
                       lambda c: max(int(c["across"]) * right,
                                     int(c["groups"]) * GROUP_ROWS // int(c["across"]) * down) <= _MOST_REACH),
            Constraint("width", "a tile is at most twice as wide as an image, or as narrow as tiles are",
                       lambda c: int(c["across"]) <= max(2 * width - 1, _ACROSS[0])),
        )  # fmt: skip
        return ConfigSpace(self.name, (*found.knobs, knob), (*found.constraints, *rules))

    def default(self, workload: Workload, target: Target) -> Config:
        """Not measured: the patch that wastes least of an image."""
        size = workload.extents
        rows, width, channels = (size[d].value or 1 for d in ("oh", "ow", "co"))
        space = self.space(workload, target)
        groups = 1 if rows * width <= GROUP_ROWS else 2
        columns = 128 if channels >= 128 else 64
        fixed = Config.of(
            groups=groups, columns=columns, stages=4, behind=0, split_k=1, group_m=1, resident=1, cluster=1, stores=0
        )
        rules = [rule for rule in space.constraints if rule.name in ("box", "width")]
        every = [fixed.with_(across=across) for across in _ACROSS]
        fitting = [c for c in every if all(rule.holds(dict(c.values)) for rule in rules)]

        def computed(config: Config) -> int:
            across = config.int("across")
            down = groups * GROUP_ROWS // across
            return -(-rows // down) * down * -(-width // across) * across

        return min(fitting or every[:1], key=computed)

    def split_tiles(self, s: Schedule, config: Config) -> None:
        across, cluster = config.int("across"), config.int("cluster")
        split(s, "i_oh", config.int("groups") * GROUP_ROWS // across, "bh", "ht")
        split(s, "i_ow", across, "bw", "wt")
        split(s, "i_co", config.int("columns"), "bn", "nt")
        split(s, "i_cig", GROUP_STEPS, "kc", "kr")
        reorder(s, "i_n", "bh", "bw", "bn", "ht", "wt", "nt", *self.rounds, "kr")
        fuse(s, "ht", "wt", "mt")
        fuse(s, "bh", "bw", "bm" if cluster == 1 else "bp")
        if cluster > 1:
            split(s, "bp", cluster, "bm", "bc")

"""The template of convolutions on matrix units: verified, interpreted against numpy, and chosen where it is best."""

from __future__ import annotations

import pytest

from anytile.codegen.cuda.build import scheduled_nest
from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Copy, Last
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.interpreted_nests import check

MMA = template("conv2d.cuda.mma")
AMPERE, HOPPER = Target.parse("cuda -arch=sm_80"), Target.parse("cuda -arch=sm_90a")
SMALL = Config.of(tile_m=1, tile_n=1, warps_m=1, warps_n=1, block_k=16, stages=2, split_k=1, group_n=1, across=8)
LAST = "layout=nhwc, filters=ohwi, dtype=bfloat16"  # channels are


def conv(text: str, rest: str = LAST) -> Workload:
    return Workload.parse(f"conv2d({text}, {rest})")


@pytest.mark.parametrize(
    ("text", "rest", "knobs", "pieces"),
    [
        ("n=?n, ci=8, h=3, w=9, co=5, kh=2, kw=3, pad=1, stride=2x1", LAST, {}, (8, 8)),
        ("n=?n, ci=20, h=2, w=8, co=17, kh=1, kw=1", f"{LAST}, tail=max(y + bias[co], 0)", {}, (4, 4)),
        ("n=2, ci=33, h=3, w=7, co=4, kh=2, kw=1, dilation=2x1", LAST, {"stages": 1, "split_k": 2}, (1, 1)),
        ("n=?n, ci=6, h=2, w=17, co=3, kh=1, kw=2", "layout=nhwc, dtype=float16", {"across": 16, "stages": 1}, (2, 1)),
        ("n=1, ci=48, h=2, w=9, co=9, kh=1, kw=2, pad=0x1x0x0", LAST, {"split_k": 3, "group_n": 4}, (8, 8)),
    ],
)
def test_a_patch_of_an_image_is_the_rows_of_a_product(
    text: str, rest: str, knobs: dict[str, int], pieces: tuple[int, int]
) -> None:
    workload = conv(text, rest)
    config = SMALL.with_(**knobs)
    nest = scheduled_nest(workload, config, AMPERE, MMA)
    verify(nest)
    copied = {s.source.buffer: s.count for s in walk(nest.body) if isinstance(s, Copy)}
    assert (copied["x"], copied["w"]) == pieces
    assert any(isinstance(s, Last) for s in walk(nest.body)) == (config.int("split_k") > 1)
    for images in (0, 1, 2) if workload.symbols else (0,):
        check(workload, nest, dict.fromkeys(workload.symbols, images))


@pytest.mark.parametrize(
    ("text", "serves"),
    [
        (f"n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, {LAST}", 1),
        (f"n=?n, ci=7, h=9, w=9, co=5, kh=3, kw=3, stride=9x1, {LAST}", 1),
        ("n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, layout=nhwc, dtype=float16", 1),
        ("n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, layout=nhwc", 0),
        ("n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, dtype=float16", 0),
        (f"n=?n, ci=8, h=?h, w=9, co=5, kh=3, kw=3, {LAST}", 0),
        (f"n=?n, ci=8, h=9, w=9, co=8, kh=3, kw=3, groups=8, {LAST}", 0),
    ],
)
def test_which_images_it_serves(text: str, serves: int) -> None:
    workload = Workload.parse(f"conv2d({text})")
    assert MMA.suits(workload) == serves
    for arch in ("sm_80", "sm_86", "sm_89", "sm_90", "sm_120"):
        first = templates_for(workload, Target.parse(f"cuda -arch={arch}"))[0]
        assert (first is MMA) == bool(serves), arch
    assert templates_for(workload, Target.parse("cuda -arch=sm_75"))[0] is not MMA


def test_hopper_has_groups_of_warps_where_they_serve() -> None:
    eight, seven = (conv(f"n=?n, ci={ci}, h=9, w=9, co=5, kh=3, kw=3") for ci in (8, 7))
    assert [templates_for(w, HOPPER)[0].name for w in (eight, seven)] == ["conv2d.cuda.relay", "conv2d.cuda.mma"]


def test_the_default_fits_and_keeps_multiprocessors_busy() -> None:
    """One image of 7 by 7 is a tile along each dimension: blocks share its sums. Many are tiles enough."""
    for n, width, channels in ((1, 7, 512), (1, 56, 64), (64, 14, 256)):
        workload = conv(f"n={n}, ci={channels}, h={width}, w={width}, co={channels}, kh=3, kw=3, pad=1")
        config = MMA.default(workload, AMPERE)
        MMA.space(workload, AMPERE).check(config)
        rows, columns = (config.int(f"tile_{d}") * config.int(f"warps_{d}") * 16 for d in "mn")
        across = config.int("across")
        tiles = n * -(-width // across) * -(-width // (rows // across)) * -(-channels // columns)
        assert tiles * config.int("split_k") >= 0.7 * 108, config
        assert (config.int("split_k") > 1) == (width == 7) or n > 1, config
        assert (rows * columns >= 64 * 64) == (n > 1), config


def test_unknown_images_share_no_sums() -> None:
    """Blocks that have several images in turn would meet in one place."""
    assert all(c["split_k"] == 1 for c in MMA.space(conv("n=?n, ci=64, h=7, w=7, co=64, kh=3, kw=3"), AMPERE))
    known = conv("n=1, ci=64, h=7, w=7, co=64, kh=3, kw=3")
    with pytest.raises(SpecError, match="a round has no more channels than there are"):
        MMA.space(known, AMPERE).check(MMA.default(known, AMPERE).with_(block_k=64, split_k=2))


def test_an_architecture_without_matrix_units() -> None:
    with pytest.raises(UnsupportedError, match=r"no config of conv2d.cuda.mma fits this target; it needs sm_80$"):
        MMA.default(conv("n=1, ci=64, h=7, w=7, co=64, kh=3, kw=3"), Target.parse("cuda -arch=sm_75"))

"""Products that one thread copies for, other than dense: verified, and interpreted against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from anytile.codegen.cuda.build import scheduled_nest
from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import BulkCopy, Deliver, Relay
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.interpreted_nests import check

HOPPER = Target.parse("cuda -arch=sm_90a -sm=2")  # of few multiprocessors, so that blocks that stay have several tiles
PLAIN = Config.of(groups=1, columns=32, stages=3, behind=0, split_k=1, group_m=1, resident=0, cluster=1, stores=0)
BATCHES, IMAGES = template("batch_matmul.cuda.relay"), template("conv2d.cuda.relay")
LAST = "layout=nhwc, filters=ohwi, dtype=bfloat16"  # channels are


@pytest.mark.parametrize(
    ("text", "knobs", "sizes"),
    [
        ("b=3, m=?m, n=40, k=72, rhs=bnk, tail=y + bias[n]", {"resident": 1}, [{"m": m} for m in (0, 1, 65)]),
        ("b=?b, m=70, n=40, k=72, lhs=mbk, rhs=nbk, y=mbn", {"resident": 1, "cluster": 2}, [{"b": 0}, {"b": 3}]),
        ("b=?b, m=?m, n=?n, k=72, lhs=mbk, rhs=bnk, y=nbm", {"group_m": 4}, [{"b": 2, "m": 65, "n": 33}]),
        ("b=?b, m=?m, n=72, k=136, rhs=nk, y=mbn", {"columns": 64, "stores": 1, "cluster": 2}, [{"b": 2, "m": 65}]),
        ("b=2, m=?m, n=72, k=72, rhs=kbn, y=mbn", {"columns": 128, "cluster": 2}, [{"m": 65}]),
        ("b=2, m=?m, n=8, k=72, lhs=mk, rhs=bnk", {"resident": 2, "groups": 2, "group_m": 4}, [{"m": 130}]),
    ],
)
def test_batches_have_boxes_of_three_dimensions(
    text: str, knobs: dict[str, int], sizes: Sequence[dict[str, int]]
) -> None:
    """What lies beyond a batch is outside of it, though another one begins there."""
    workload = Workload.parse(f"batch_matmul({text}, dtype=bfloat16)")
    nest = scheduled_nest(workload, PLAIN.with_(**knobs), HOPPER, BATCHES)
    verify(nest)
    (relay,) = (s for s in walk(nest.body) if isinstance(s, Relay))
    boxes = {s.source.buffer: s.box for s in walk(relay.fill) if isinstance(s, BulkCopy)}
    assert {len(box) for box in boxes.values()} <= {2, 3}
    assert any(isinstance(s, Deliver) for s in walk(nest.body)) == bool(knobs.get("stores"))
    for symbols in sizes:
        check(workload, nest, symbols)


@pytest.mark.parametrize(
    ("text", "serves"),
    [
        ("b=?b, m=?m, n=?n, k=72, rhs=bnk, dtype=bfloat16", 1),
        ("b=?b, m=?m, n=72, k=72, rhs=bkn, dtype=bfloat16", 1),
        ("b=?b, m=?m, n=72, k=?k, rhs=bkn, dtype=bfloat16", 0),  # rows of the left one
        ("b=?b, m=?m, n=?n, k=72, rhs=bkn, dtype=bfloat16", 0),  # rows of the right one
        ("b=?b, m=?m, n=72, k=72, rhs=bkn, lhs=bkm, dtype=bfloat16", 0),  # k is not last
        ("b=?b, m=?m, n=?n, k=?k, rhs=bnk, dtype=bfloat16", 0),  # rows of unknown length
        ("b=?b, m=?m, n=?n, k=76, rhs=bnk, dtype=bfloat16", 0),  # rows that do not begin at 16 bytes
        ("b=?b, m=?m, n=?n, k=72, rhs=bnk", 0),
    ],
)
def test_which_batches_it_serves(text: str, serves: int) -> None:
    assert BATCHES.suits(Workload.parse(f"batch_matmul({text})")) == serves


def test_blocks_that_stay_count_tiles() -> None:
    """Along all dimensions but one; the default does where it can."""
    unknown = Workload.parse("batch_matmul(b=?b, m=?m, n=40, k=72, rhs=bnk, dtype=bfloat16)")
    known = Workload.parse("batch_matmul(b=?b, m=70, n=40, k=72, rhs=bnk, dtype=bfloat16)")
    assert [BATCHES.default(w, HOPPER)["resident"] for w in (unknown, known)] == [0, 1]
    BATCHES.space(known, HOPPER).check(PLAIN.with_(resident=1))
    with pytest.raises(SpecError, match="blocks that stay count tiles"):
        BATCHES.space(unknown, HOPPER).check(PLAIN.with_(resident=1))


def test_columns_side_by_side_are_copied_by_parts() -> None:
    workload = Workload.parse("batch_matmul(b=2, m=?m, n=200, k=72, rhs=bkn, dtype=bfloat16)")
    with pytest.raises(SpecError, match="are multiplied by 64 at least"):
        BATCHES.space(workload, HOPPER).check(PLAIN)
    BATCHES.space(workload, HOPPER).check(BATCHES.default(workload, HOPPER))
    nest = scheduled_nest(workload, PLAIN.with_(columns=128), HOPPER, BATCHES)
    copies = [s for s in walk(nest.body) if isinstance(s, BulkCopy) and s.source.buffer == "rhs"]
    assert [(str(s.index[1]), s.box) for s in copies] == [("0", (1, 64, 64)), ("1", (1, 64, 64))]


@pytest.mark.parametrize(
    ("text", "knobs", "sizes", "box"),
    [
        ("n=?n, ci=72, h=8, w=9, co=8, kh=3, kw=2, pad=1, stride=2x1", {"resident": 1}, [{"n": 0}, {"n": 1}], (8, 8)),
        ("n=?n, ci=8, h=4, w=19, co=8, kh=1, kw=2, dilation=1x2", {"across": 32, "cluster": 2}, [{"n": 2}], (2, 32)),
        ("n=1, ci=8, h=2, w=70, co=8, kh=1, kw=1, stride=1x2", {"across": 64, "group_m": 4}, [{}], (1, 64)),
        ("n=1, ci=8, h=9, w=8, co=64, kh=2, kw=1", {"columns": 64, "stores": 2, "cluster": 2}, [{}], (8, 8)),
    ],
)
def test_images_have_boxes_of_four_dimensions(
    text: str, knobs: dict[str, int], sizes: Sequence[dict[str, int]], box: tuple[int, int]
) -> None:
    """One for each tap, whose rows and pixels are a stride apart; what is outside is padding."""
    workload = Workload.parse(f"conv2d({text}, {LAST}, tail=max(y + bias[co], 0))")
    config = IMAGES.default(workload, HOPPER).with_(**dict(PLAIN.values), across=8).with_(**knobs)
    IMAGES.space(workload, HOPPER).check(config)
    nest = scheduled_nest(workload, config, HOPPER, IMAGES)
    verify(nest)
    (relay,) = (s for s in walk(nest.body) if isinstance(s, Relay))
    copies = {s.source.buffer: s for s in walk(relay.fill) if isinstance(s, BulkCopy)}
    assert (copies["x"].box, copies["w"].box) == ((1, *box, 64), (config.int("columns"), 1, 1, 64))
    stride = workload.attributes["stride"]
    assert (copies["x"].steps, copies["w"].steps) == (() if stride == (1, 1) else (1, *stride, 1), ())
    for symbols in sizes:
        check(workload, nest, symbols)


@pytest.mark.parametrize(
    ("text", "serves"),
    [
        (f"n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, {LAST}", 2),
        ("n=?n, ci=8, h=9, w=9, co=5, kh=3, kw=3, layout=nhwc, dtype=bfloat16", 0),  # the weight as models have it
        (f"n=?n, ci=8, h=9, w=?w, co=5, kh=3, kw=3, {LAST}", 0),
        (f"n=?n, ci=12, h=9, w=9, co=5, kh=3, kw=3, {LAST}", 0),  # pixels that do not begin at 16 bytes
        (f"n=?n, ci=8, h=9, w=9, co=8, kh=3, kw=3, groups=8, {LAST}", 0),
        (f"n=?n, ci=8, h=99, w=9, co=5, kh=3, kw=3, stride=9x1, {LAST}", 0),
    ],
)
def test_which_images_it_serves(text: str, serves: int) -> None:
    workload = Workload.parse(f"conv2d({text})")
    assert IMAGES.suits(workload) == serves
    assert IMAGES.leads(workload, HOPPER) == bool(serves)
    assert not any(IMAGES.leads(workload, Target.parse(f"cuda -arch={arch}")) for arch in ("sm_80", "sm_90", "sm_100a"))


def test_the_default_wastes_little_of_an_image() -> None:
    for width, across in ((7, 8), (14, 16), (28, 32), (112, 16)):
        workload = Workload.parse(f"conv2d(n=1, ci=64, h={width}, w={width}, co=64, kh=3, kw=3, pad=1, {LAST})")
        config = IMAGES.default(workload, HOPPER)
        IMAGES.space(workload, HOPPER).check(config)
        assert config["across"] in (across, 8), (width, config)


def test_a_box_reaches_so_far() -> None:
    workload = Workload.parse(f"conv2d(n=1, ci=8, h=9, w=999, co=8, kh=1, kw=1, stride=1x5, {LAST})")
    config = IMAGES.default(workload, HOPPER)
    with pytest.raises(SpecError, match="a box reaches over at most 256 pixels"):
        IMAGES.space(workload, HOPPER).check(config.with_(across=64))


def test_a_cpu_has_no_kernel_for_such_a_weight() -> None:
    workload = Workload.parse("conv2d(n=1, ci=8, h=9, w=9, co=8, kh=3, kw=3, layout=nhwc, filters=ohwi, const=w)")
    with pytest.raises(
        UnsupportedError, match="no template for target kind 'llvm' serves .*filters=ohwi.*another target"
    ):
        templates_for(workload, Target.parse("llvm"))

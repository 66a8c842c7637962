"""Untuned configs of CPUs whose products outrun what they load, beside those of CPUs that multiply half as much."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.few_and_many import few_and_many
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import batch_matmul, conv2d, dense
from anytile.schedules.workloads.workload import Any, Workload

FAST, SLOW = (Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("znver5", "znver4"))
T = Any("m")
SCORES = batch_matmul(b=12, m=T, n=T, k=64, lhs="mbk", rhs="nbk")


def _default(workload: Workload, target: Target) -> Config:
    best = templates_for(workload, target)[0]
    config = best.default(workload, target)
    best.space(workload, target).check(config)
    return config


def _layer(channels: int, side: int, taps: int = 3, groups: int = 1) -> Workload:
    return conv2d(
        1, channels, side, side, channels, taps, taps, pad=taps // 2, groups=groups, layout="nhwc", const=("w",)
    )


@pytest.mark.parametrize(
    ("cpu", "outruns"),
    [("znver5", True), ("icelake-server", True), ("znver4", False), ("haswell", False), ("icelake-client", False)],
)
def test_what_outruns_its_loads(cpu: str, outruns: bool) -> None:
    assert facts(Target.parse(f"llvm -mcpu={cpu}")).outruns_loads == outruns


def test_two_vectors_share_what_all_lanes_multiply_by() -> None:
    values = batch_matmul(b=12, m=T, n=64, k=T, rhs="kbn", y="mbn")
    tiles = [(c.int("tile_m"), c.int("tile_n")) for c in (_default(values, t) for t in (FAST, SLOW))]
    assert tiles == [(8, 2), (12, 1)]
    assert _default(batch_matmul(b=12, m=T, n=16, k=T), FAST).int("tile_n") == 1  # there is no second one


def test_many_rows_share_a_panel_that_was_turned_for_them() -> None:
    plan = few_and_many(SCORES, FAST)
    assert plan is not None
    assert [(r.low, plan.variants[int(r.runs)].config["rhs_by"]) for r in plan.ranges] == [(0, "turn"), (32, "pack")]
    assert few_and_many(SCORES, SLOW) is None
    tiles = {}
    for batches in (1, 12):
        rows = few_and_many(batch_matmul(b=batches, m=T, n=T, k=64, rhs="nk" if batches == 1 else "bnk"), FAST)
        assert rows is not None
        config = rows.variants[-1].config
        tiles[batches] = (config.int("tile_m"), config.int("tile_n"))
    assert tiles == {1: (6, 4), 12: (8, 2)}  # a panel of fewer columns leaves fewer of a batch over


@pytest.mark.parametrize("k", [768, 4096])
def test_a_streamed_weight_comes_into_the_first_cache(k: int) -> None:
    streamed = dense(m=T, n=768, k=k, const=("w",)).streaming(["w"])
    knobs = ("prefetch", "locality", "block_n")
    assert [_default(streamed, FAST)[name] for name in knobs] == [32, "near", 1]
    assert [_default(streamed, SLOW)[name] for name in knobs] == [128, "second", 4]


def test_panels_that_the_second_cache_does_not_hold_come_one_by_one() -> None:
    deep, shallow = (dense(m=T, n=768, k=k, const=("w",)) for k in (1 << 16, 64))
    assert (_default(deep, FAST)["block_n"], _default(shallow, FAST)["block_n"]) == (1, 4)
    assert _default(deep, SLOW)["block_n"] == 4


def test_a_depthwise_layer_is_done_with_channels_that_the_first_cache_holds() -> None:
    orders = {side: _default(_layer(96, side, groups=96), FAST)["order"] for side in (7, 28, 56)}
    assert orders == {7: "channel", 28: "channel", 56: "pixel"}
    assert _default(_layer(96, 7, groups=96), SLOW)["order"] == "pixel"
    any_size = conv2d(1, 96, Any("h"), Any("v"), 96, 3, 3, pad=1, groups=96, layout="nhwc", const=("w",))
    assert _default(any_size, FAST)["order"] == _default(any_size, SLOW)["order"]


@pytest.mark.parametrize(("side", "tile"), [(7, (1, 7)), (8, (1, 8)), (4, (2, 4)), (10, (1, 5))])
def test_a_panel_of_a_direct_layer_stays_in_the_second_cache(side: int, tile: tuple[int, int]) -> None:
    """One of four vectors that sees 4,096 channels has 9 MB, more than any. And tiles of a row are alike."""
    layer = conv2d(1, 4096, side, side, 64, 3, 3, pad=1, algorithm="direct", layout="nhwc", const=("w",))
    config = _default(layer, FAST)
    assert (config["tile_c"], config["tile_h"], config["tile_w"]) == (2, *tile)
    assert _default(layer, SLOW)["tile_c"] == 4

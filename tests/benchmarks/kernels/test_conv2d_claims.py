"""The floors of the conv2d benchmark, from invented rows: each goes red just below it, and on its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.kernels import conv2d
from benchmarks.measure.harness import Claim, Row

AGAINST = "{} layers against the best rival: geometric mean"
RESNET, DEPTHWISE = AGAINST.format("ResNet-50"), AGAINST.format("MobileNet-v2 depthwise")
RESNET_WORST = "ResNet-50 layers against the best rival: worst"
ANY_BATCH = "any batch against compiled for it: geometric mean"
ANY_IMAGE = "any height and width against compiled for it: geometric mean"
LARGE = "threads over one, layers above 50 MFLOP: geometric mean"
EVERY, EVERY_WORST = "threads over one, any layer: geometric mean", "threads over one, any layer: worst"


def rows(layer: str, gflops: dict[str, float], model: str = conv2d.RESNET, n: int = 1, flops: float = 1e8) -> list[Row]:
    case = {"op": "conv2d", "model": model, "layer": layer, "n": n, "flops": flops}
    return [Row(case, system, 1.0 / value, value, 0.0, 7) for system, value in gflops.items()]


def made(found: list[Row]) -> dict[str, Claim]:
    return {claim.claim: claim for claim in conv2d.claims(found)}


def sound() -> Iterator[Row]:
    """Rows above every floor."""
    whole = {conv2d.OURS: 110, conv2d.TORCH: 100, conv2d.STATIC: 100, conv2d.BATCH: 99, conv2d.IMAGE: 98}
    yield from rows("large", {**whole, conv2d.ALONE: 50})
    yield from rows("small", {**whole, conv2d.ALONE: 90}, flops=1e6)
    yield from rows("deep", {conv2d.OURS: 120, conv2d.ONNXRUNTIME: 100}, model=conv2d.DEPTHWISE)


def without(layer: str, *systems: str) -> list[Row]:
    return [r for r in sound() if r.case["layer"] != layer or r.system not in systems]


def with_speed(layer: str, system: str, gflops: float) -> list[Row]:
    (case,) = (r.case for r in sound() if r.case["layer"] == layer and r.system == system)
    return [*without(layer, system), Row(case, system, 1.0 / gflops, gflops, 0.0, 7)]


def test_every_floor_is_answered_for_and_kept_by_sound_rows() -> None:
    found = made(list(sound()))
    assert {name: claim.floor for name, claim in found.items()} == {
        RESNET: 1.0,
        RESNET_WORST: 0.85,
        DEPTHWISE: 1.1,
        ANY_BATCH: 0.95,
        ANY_IMAGE: 0.95,
        LARGE: 1.8,
        EVERY: 1.0,
        EVERY_WORST: 1.0,
    }
    assert all(claim.ok for claim in found.values())


@pytest.mark.parametrize(
    ("layer", "system", "gflops", "red"),
    [
        ("large", conv2d.OURS, 90, {RESNET}),  # with the other at 1.1: 0.995 of the rival, none below 0.85
        ("large", conv2d.OURS, 84, {RESNET, RESNET_WORST}),
        ("deep", conv2d.OURS, 109, {DEPTHWISE}),
        ("large", conv2d.BATCH, 90, {ANY_BATCH}),
        ("large", conv2d.IMAGE, 91, {ANY_IMAGE}),
        ("large", conv2d.ALONE, 56, {LARGE}),
        ("small", conv2d.ALONE, 101, {EVERY_WORST}),
        ("small", conv2d.ALONE, 201, {EVERY, EVERY_WORST}),
    ],
)
def test_below_its_floor_a_claim_is_red(layer: str, system: str, gflops: float, red: set[str]) -> None:
    assert {name for name, claim in made(with_speed(layer, system, gflops)).items() if not claim.ok} == red


def test_the_rival_at_each_layer_is_the_best_there() -> None:
    found = [
        *rows("a", {conv2d.OURS: 8, conv2d.TORCH: 4, conv2d.CHANNELS_LAST: 2, conv2d.ONNXRUNTIME: 1}),
        *rows("b", {conv2d.OURS: 8, conv2d.TORCH: 1, conv2d.CHANNELS_LAST: 8, conv2d.ONNXRUNTIME: 2}),
        *rows("b", {conv2d.OURS: 8, conv2d.ONNXRUNTIME: 4}, n=8),  # the same layer at another batch counts for itself
    ]
    claims = made(found)
    assert claims[RESNET].value == pytest.approx((2 * 1 * 2) ** (1 / 3))
    assert claims[RESNET_WORST].value == 1.0


def test_the_plain_convolutions_of_mobilenet_and_our_nchw_carry_no_floor() -> None:
    assert conv2d.claims(rows("a", {conv2d.OURS: 1, conv2d.TORCH: 9}, model=conv2d.MOBILENET)) == []
    assert conv2d.claims([*sound(), *rows("large", {conv2d.NCHW: 1})]) == conv2d.claims(sound())


def test_what_was_not_measured_is_not_claimed() -> None:
    assert conv2d.claims(rows("a", {conv2d.OURS: 1})) == []  # no rival is installed
    assert set(made(rows("a", {conv2d.OURS: 9, conv2d.TORCH: 8, conv2d.STATIC: 9}))) == {RESNET, RESNET_WORST}

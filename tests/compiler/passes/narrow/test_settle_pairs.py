"""Promises of pairs: given and taken by the target and by what weights hold, and what `quantise` makes for a target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.compiler.compile import lock
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.passes.narrow.settle_pairs import settle_pairs
from anytile.core.errors import ArgumentError
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS
from tests.support.cases.compiled_modules import random
from tests.support.cases.narrow_modules import module

PROMISE, FLOATS = 'pairs="int16"', "x: Tensor[(?n, 5), float32]"
HOLDS = np.int8([[127, 1, -128, 0, 127], [64, 64, -64, -64, -128]])  # the last stands alone
BREAKS = np.int8([[0, 0, 0, 0, 0], [0, 0, -128, -1, 0]])


def integers(weight: Array, attrs: str = "", dtype: str = "uint8") -> anytile.Module:
    return module(f"let y = quantised_dense(x, $w{attrs}); y", f"x: Tensor[(?n, 5), {dtype}]", w=weight)


@pytest.mark.parametrize(
    ("weight", "attrs", "pairs", "wanted"),
    [
        (HOLDS, "", IN_16_BITS, True),
        (BREAKS, "", IN_16_BITS, False),
        (HOLDS, f", {PROMISE}", IN_16_BITS, True),
        (HOLDS, f", {PROMISE}", IN_32_BITS, False),
        (HOLDS, "", IN_32_BITS, False),
        (BREAKS, f", {PROMISE}", IN_32_BITS, True),  # to be refused
    ],
)
def test_a_promise_is_given_where_it_helps_and_is_kept(weight: Array, attrs: str, pairs: str, wanted: bool) -> None:
    given = integers(weight, attrs)
    assert (PROMISE in str(settle_pairs(given, lambda: pairs))) == wanted
    assert str(settle_pairs(given)) == str(given)


def test_other_attributes_and_other_rows_stay() -> None:
    made = str(settle_pairs(integers(HOLDS, ', out="float32"'), lambda: IN_16_BITS))
    assert 'quantised_dense(x, $w, out="float32", pairs="int16")' in made
    signed = integers(HOLDS, ', x="int8"', "int8")
    assert str(settle_pairs(signed, lambda: IN_16_BITS)) == str(signed)


@pytest.mark.parametrize(
    ("channels", "attrs", "wanted"),
    [
        (HOLDS, "", True),
        (BREAKS, "", False),
        (HOLDS[:1].T, ", groups=5", False),  # depthwise: of what a pixel sees no two meet
    ],
)
def test_pairs_of_a_convolution_are_of_channels(channels: Array, attrs: str, wanted: bool) -> None:
    weight = np.stack([channels, channels], -1)[..., None]  # taps whose own sums would break it
    given = module(f"let y = quantised_conv2d(x, $w{attrs}); y", "x: Tensor[(1, 5, ?h, 9), uint8]", w=weight)
    settled = settle_pairs(given, lambda: IN_16_BITS)
    assert (PROMISE in str(settled)) == wanted
    assert str(settle_pairs(settled, lambda: IN_32_BITS)) == str(given)
    x = np.random.default_rng(0).integers(0, 256, (1, 5, 7, 9), np.uint8)
    x[0, :, 2:5] = 255
    found = anytile.Session(anytile.compile(given, "llvm -threads=1"))(x)
    np.testing.assert_array_equal(found, evaluate(given, {"x": x}))


def test_a_target_is_asked_for_layers_of_bytes_alone() -> None:
    def asked() -> str:
        raise AssertionError("asked")

    floats = module('let y = quantised_dense(x, $w, x="float32", out="float32"); y', FLOATS, w=HOLDS)
    assert str(settle_pairs(floats, asked)) == str(floats)
    with pytest.raises(AssertionError, match="asked"):
        settle_pairs(integers(HOLDS), asked)


@pytest.mark.parametrize(("cpu", "wanted"), [("haswell", True), ("znver4", False)])
def test_a_model_is_compiled_with_what_its_weights_hold_on_its_target(cpu: str, wanted: bool) -> None:
    for given in (integers(HOLDS), integers(HOLDS, f", {PROMISE}")):
        (found,) = (str(plan.workload) for plan in lock(given, Target.parse(f"llvm -mcpu={cpu} -threads=1")).plans)
        assert ("pairs=int16" in found) == wanted


def test_a_broken_promise_is_refused_wherever_it_is_compiled() -> None:
    with pytest.raises(ArgumentError, match=r"pairs along k that add up to -128 to 128, got -129"):
        anytile.Session(anytile.compile(integers(BREAKS, f", {PROMISE}"), "llvm -threads=1"))


@pytest.mark.slow
def test_a_module_is_quantised_for_its_target_and_runs_anywhere(tmp_path: Path) -> None:
    w, x = random(1, 37, 50), random(2, 9, 50)
    w[:, 1:4:2] = w[:, 0:3:2]  # neighbours of one sign, which a pair is the limit of
    given = module("dense(x, $w)", "x: Tensor[(?n, 50), float32]", w=w)
    avx2, vnni = (
        anytile.quantise(given, inputs={"x": x}, ranges="extremes", target=f"llvm -mcpu={cpu}")
        for cpu in ("haswell", "znver4")
    )
    assert (PROMISE in str(avx2.module), PROMISE in str(vnni.module)) == (True, False)
    assert avx2.made_for == ("made for haswell: weights such that 16 bits hold two products, attention in float32")
    assert vnni.made_for == "made for znver4: weights in all of 8 bits"
    assert str(avx2).splitlines() == [str(avx2.layers[0]), avx2.made_for]
    assert vnni.layers[0].error < avx2.layers[0].error < 2e-2
    wanted = evaluate(given, {"x": x})
    for found in (avx2, vnni):
        found.module.save(tmp_path / "narrow.txt")
        y = anytile.Session(anytile.compile(tmp_path / "narrow.txt", "llvm -threads=1"))(x)
        off = np.linalg.norm(y - wanted) / np.linalg.norm(wanted)
        np.testing.assert_allclose([off, found.layers[0].error], found.error, rtol=1e-3)


def test_only_integers_of_a_model_are_for_a_target() -> None:
    given = module("dense(x, $w)")
    assert anytile.quantise(given, "bfloat16", target="llvm -mcpu=haswell").made_for == ""
    with pytest.raises(
        anytile.AnytileError, match=r"^quantise: int8 is for CPUs so far; expected the target of one, got "
    ):
        anytile.quantise(given, target="cuda -arch=sm_90")

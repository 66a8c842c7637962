"""Narrow convolutions: what comes is quantised image by image or within a range, and borders are exact either way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from anytile.compiler.compile import lock
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array, Module
from anytile.compiler.passes.narrow.histograms import chooser
from anytile.compiler.passes.narrow.narrow_layers import Layer, Narrowing, narrow_layers
from anytile.compiler.passes.narrow.rounded_weights import rounded_weight
from anytile.compiler.passes.narrow.settle_pairs import pairs_on
from anytile.compiler.quantise import observed
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS
from anytile.schedules.operators.spec import PAIRED
from tests.support.cases.compiled_modules import TARGET, Compiled, for_machine, random, same
from tests.support.cases.narrow_modules import after, check_integers, module, workloads

ARRAYS = {
    "w": random(1, 6, 5, 3, 3),
    "b": random(2, 6),
    "v": random(3, 7, 6, 1, 1),
    "s": random(4, 6, 6, 3, 3),
    "t": random(5, 6, 6, 1, 1),
}
X = "x: Tensor[(?n, 7, 6, 5), float32]"
NHWC = 'pad=(1, 1, 1, 1), layout="nhwc"'
CHAIN = f"let h = relu(add(conv2d(x, $w, {NHWC}), $b)); add(conv2d(h, $s, {NHWC}), h)"
KINDS = ("at run time", "ahead of time")
ADDS_PAIRS = pairs_on(TARGET) == IN_16_BITS  # elsewhere a promise is left out of what is compiled


def narrowed(
    kind: str, body: str, params: str = X, came: Array | None = None, pairs: str = IN_32_BITS, **more: Array
) -> Compiled:
    spec = Narrowing("int8", pairs=pairs)

    def ahead(module: Module) -> Module:
        run = {"x": random(11, 4, 7, 6, 5) if came is None else came}
        chosen = replace(spec, choose=chooser("extremes"))
        return narrow_layers(module, chosen, observed(module, [(run, "a run")])[0])

    narrow = partial(narrow_layers, spec=spec) if kind == KINDS[0] else ahead
    return Compiled(module(body, params, **ARRAYS, **more), narrow=narrow)


@cache
def chain(kind: str) -> Compiled:
    return narrowed(kind, CHAIN)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("images", [0, 1, 2, 7])
def test_executables_compute_what_the_narrow_module_says(kind: str, images: int) -> None:
    made, x = chain(kind), random(100 + images, images, 7, 6, 5) * np.float32(0.7)
    off = check_integers(made, x)
    if images:
        assert off > 1e-3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_executables_of_pairs_in_16_bits_compute_what_the_narrow_module_says(kind: str) -> None:
    x, w = random(103, 3, 7, 6, 5), random(9, 6, 5, 3, 3)
    x[2], w[:3], w[3] = 5, 1, -1  # the largest integers, and the largest pairs
    made = narrowed(kind, CHAIN.replace("$w", "$ones"), came=x, pairs=IN_16_BITS, ones=w)
    assert check_integers(made, x) > 1e-3
    assert str(after(made)).count('pairs="int16"') == 2
    assert sum("pairs=int16" in w for w in workloads(made)) == 2 * ADDS_PAIRS


@pytest.mark.parametrize("channels", [1, 2, 5, 6])
def test_pairs_of_channels_of_a_rounded_weight_stay_within_16_bits(channels: int) -> None:
    weight = random(1, 19, channels, 3, 2)
    weight[0], weight[1], weight[2, :, 1] = 1, -1, 3  # rounded up both
    made, wide = (rounded_weight(weight, "int8", pairs) for pairs in (IN_16_BITS, IN_32_BITS))
    assert made is not None
    assert wide is not None
    whole = channels // 2 * 2
    sums = np.abs(np.add(made.array[:, :whole:2], made.array[:, 1:whole:2], dtype=int))
    assert sums.max(initial=0) <= PAIRED
    if whole:
        assert np.all(sums.max(axis=(1, 2, 3))[:3] == PAIRED)  # no smaller than it must be
        assert np.add(wide.array[0, 0], wide.array[0, 1], dtype=int).max() > PAIRED
    else:
        np.testing.assert_array_equal(made.array, wide.array)
    assert np.all(np.abs(made.value - weight) <= made.by[:, None, None, None] * 0.5001)


@pytest.mark.parametrize(("cpu", "wanted"), [("haswell", True), ("znver4", False), ("x86-64", False)])
def test_a_cpu_that_adds_up_pairs_gets_convolutions_for_it(cpu: str, wanted: bool) -> None:
    made = lock(module(CHAIN, X, **ARRAYS), Target.parse(f"llvm -mcpu={cpu} -threads=1"), precision="int8")
    found = [str(locked.workload) for locked in made.plans if locked.workload.op == "quantised_conv2d"]
    assert ["pairs=int16" in w for w in found] == [wanted, wanted]


def test_an_image_that_may_be_negative_is_padded_before_it_is_quantised() -> None:
    for kind, quantised in zip(KINDS, ("quantise_rows(m=?m, k=360", "quantise_within("), strict=True):
        found = workloads(chain(kind))
        assert sum(w.startswith("pad(") for w in found) == 1
        assert any(w.startswith(quantised) for w in found)
        first, second = (w for w in found if w.startswith("quantised_conv2d("))
        assert "ci=5, h=9, w=8" in first
        assert "pad=" not in first
        assert "ci=6, h=7, w=6" in second
        assert "pad=1" in second


@pytest.mark.slow
def test_borders_are_as_exact_as_the_inside() -> None:
    """Of an image of one number every product is exact, but for those with a zero beside it that is none."""
    for number in (3.0, -3.0):
        x = np.full((1, 7, 6, 5), number, np.float32)
        ones = np.ones((6, 5, 3, 3), np.float32)
        for kind in KINDS:
            made = narrowed(kind, f"conv2d(x, $ones, {NHWC})", came=x, ones=ones)
            same(made.session(True)(x), for_machine(evaluate(made.module, [x])), 1e-5)


def test_images_do_not_see_each_other() -> None:
    x = random(5, 3, 7, 6, 5)
    x[1] *= 1e4
    run = chain(KINDS[0]).session(True)
    np.testing.assert_array_equal(np.asarray(run(x))[2], np.asarray(run(x[2:]))[0])
    x[1, 0, 0, 0] = np.nan
    found = np.asarray(run(x))
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[2], np.asarray(run(x[2:]))[0])


def test_what_one_convolution_makes_for_another_alone_is_written_as_integers() -> None:
    body = f'conv2d(relu(add(conv2d(x, $w, {NHWC}), $b)), $v, layout="nhwc")'
    first, second = (w for w in workloads(narrowed(KINDS[1], body)) if w.startswith("quantised_conv2d("))
    assert "out=uint8" in first
    assert first.endswith("tail=(y * b0[co] + b1[co] + b2[co]) * b3 + b4)")  # integers end at 0 by themselves
    assert "out=float32" in second
    assert second.endswith("tail=y * b0[co])")


DEEP = f"conv2d(h, $d, groups=6, {NHWC})"
BLOCK = f"let h = clip(add(conv2d(x, $w, {NHWC}), $b), min=0.0, max=6.0); clip({DEEP}, min=0.0, max=6.0)"


@pytest.mark.slow
@pytest.mark.parametrize("images", [0, 1, 3])
def test_a_depthwise_layer_between_others_reads_and_writes_integers(images: int) -> None:
    """Without pairs of neighbours, which the others have."""
    body = f'let y = {{ {BLOCK} }}; conv2d(y, $v, layout="nhwc")'
    made = narrowed(KINDS[1], body, pairs=IN_16_BITS, d=random(8, 6, 1, 3, 3))
    check_integers(made, random(100, images, 7, 6, 5) * np.float32(0.7))
    found = [w for w in workloads(made) if w.startswith("quantised_conv2d(")]
    assert ["groups=6" in w for w in found] == [False, True, False]
    assert ["pairs=int16" in w for w in found] == [ADDS_PAIRS, False, ADDS_PAIRS]
    assert str(after(made)).count('pairs="int16"') == 2
    assert ["out=uint8" in w for w in found] == [True, True, False]


def test_a_depthwise_layer_that_one_range_is_too_coarse_for_stays_float() -> None:
    layers: list[Layer] = []

    def ahead(module: Module) -> Module:
        spec = Narrowing("int8", error=1e-9, choose=chooser("extremes"))
        came, _ = observed(module, [({"x": random(11, 4, 7, 6, 5)}, "a run")])
        return narrow_layers(module, spec, came, layers.append)

    Compiled(module(f"conv2d(x, $d, groups=5, {NHWC})", X, d=random(8, 5, 1, 3, 3)), narrow=ahead)
    assert [(layer.dtype, layer.kept) for layer in layers] == [("float32", "more than 1e-09, so it stays float32")]


def residual(body: str) -> list[str]:
    made = narrowed(KINDS[1], f"let h = relu(conv2d(x, $w, {NHWC})); {body}")
    x = random(3, 2, 7, 6, 5) * np.float32(0.7)
    found, wanted = for_machine(made.session(True)(x)), for_machine(evaluate(after(made), [x]))
    for one, other in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, wanted)), strict=True):
        assert np.linalg.norm(one - other) <= 5e-3 * np.linalg.norm(other)
    return [w for w in workloads(made) if "quantise" in w]


SUM = f"relu(add(conv2d(h, $s, {NHWC}), h))"


@pytest.mark.slow
def test_a_sum_behind_a_convolution_reads_the_integers_that_it_reads() -> None:
    image, first, second = sorted(residual(SUM), key=lambda w: (w.startswith("quantised"), "ci=6" in w))
    assert image.startswith("quantise_within(")
    assert "out=uint8" in first
    assert "out=float32, codes=b0," in second
    assert second.endswith("tail=max(y * b3[co] + (b0[n, oh, ow, co] * b1 + b2), 0))")
    (last,) = (w for w in residual(f'let y = {SUM}; conv2d(y, $v, layout="nhwc")') if "codes=" in w)
    assert "out=uint8, codes=b0," in last


@pytest.mark.slow
def test_a_sum_of_integers_is_integers_to_the_next_sum() -> None:
    """Without a ReLU between them, as in inverted residuals."""
    own = 'layout="nhwc"'
    body = f"let y = add(conv2d(h, $t, {own}), h); let z = add(conv2d(y, $t, {own}), y); conv2d(z, $v, {own})"
    assert ["out=uint8" in w for w in residual(body) if "codes=" in w] == [True, True]


@pytest.mark.slow
def test_what_others_read_too_stays_float() -> None:
    for body in (f"({SUM}, h)", f"({SUM}, negative(h))", 'add(conv2d(h, $v, layout="nhwc"), sum(h))'):
        assert not [w for w in residual(body) if "codes=" in w]
        assert sum(w.startswith("quantise_within(") for w in residual(body)) == 2  # of x and of h


@pytest.mark.slow
def test_channels_may_stand_second() -> None:
    body = "conv2d(x, $w, pad=(1, 0, 1, 2), stride=(2, 1))"
    for kind in KINDS:
        made = narrowed(kind, body, "x: Tensor[(?n, 5, 7, 6), float32]", came=random(11, 3, 5, 7, 6))
        x = random(7, 2, 5, 7, 6) * np.float32(0.7)
        same(made.session(True)(x), for_machine(evaluate(after(made), [x])), 2e-4)


def told(body: str, params: str = X, spec: Narrowing | None = None, **more: Array) -> list[Layer]:
    layers: list[Layer] = []
    given = spec or Narrowing("int8", is_measured=True)
    Compiled(module(body, params, **ARRAYS, **more), narrow=partial(narrow_layers, spec=given, tell=layers.append))
    return layers


@pytest.mark.slow
def test_what_cannot_be_narrow_says_so() -> None:
    (own,) = told('conv2d(x, $own, groups=5, layout="nhwc")', own=random(6, 10, 1, 3, 3))
    assert own.kept == "its groups have 1 of the 4 channels that are one term"
    (own,) = told('conv2d(x, $own, groups=5, layout="nhwc")', own=random(6, 5, 1, 3, 3))
    assert own.kept == "depthwise, in which looking for ranges at run time takes longer than the layer"
    unknown = "x: Tensor[(?n, ?h, ?w, 5), float32]"
    (layer,) = told(f"conv2d(x, $w, {NHWC})", unknown)
    assert layer.kept == "zeros stand around numbers below 0, in images of no known size"
    (layer,) = told(f"conv2d(relu(x), $w, {NHWC})", unknown)
    assert (layer.dtype, layer.shape, layer.kept) == ("int8", (6, 5, 3, 3), "")
    assert 1e-3 < layer.error < 2e-2
    (layer,) = told('conv2d(x, $w, layout="nhwc")', spec=Narrowing("int8", error=1e-5))
    assert layer.kept == "more than 1e-05, so it stays float32"
    assert not told(f"conv2d(x, $w, {NHWC})", spec=Narrowing("int4"))
    (own,) = told('conv2d(x, $own, groups=5, layout="nhwc")', spec=Narrowing("bfloat16"), own=random(6, 10, 1, 3, 3))
    assert own.kept == "its groups have 1 of the 2 channels that are one term"
    (own,) = told('conv2d(x, $own, groups=5, layout="nhwc")', spec=Narrowing("bfloat16"), own=random(6, 5, 1, 3, 3))
    assert own.kept == "depthwise, in which no channel has a neighbour to be paired with"
    assert not told(f"conv2d(x, $w, {NHWC})", spec=Narrowing("bfloat16", multiplies=()))
    assert not told(f"conv2d(x, $w, {NHWC})", spec=Narrowing("float16"))
    (layer,) = told(f"conv2d(x, $w, {NHWC})", spec=Narrowing("bfloat16", is_measured=True))
    assert (layer.dtype, layer.kept) == ("bfloat16", "")
    assert 1e-4 < layer.error < 5e-3


def test_convolutions_that_nothing_reads_are_not_told() -> None:
    body = f"let h = conv2d(x, $w, {NHWC}); batch_norm(h, $g, $g, $g, $p, axis=3)"
    assert len(told(body, g=random(7, 6), p=np.ones(6, np.float32))) == 1

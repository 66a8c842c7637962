"""Convolutions in bfloat16: what stands in which dtype between them, and how far whole blocks are off float32."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

import numpy as np
import pytest

from anytile.compiler.compile import lock
from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.passes.narrow.narrow_layers import Narrowing, narrow_layers
from anytile.compiler.passes.narrow.narrow_products import MULTIPLIED
from anytile.compiler.passes.narrow.round_products import round_products
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import is_served
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import TARGET, Compiled, for_machine, random
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cases.narrow_modules import module, workloads
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu

ARRAYS = {
    "stem": random(1, 18, 3, 3, 3),
    "wide": random(2, 18, 18, 3, 3),
    "first": random(3, 10, 18, 1, 1),
    "middle": random(4, 10, 10, 3, 3),
    "last": random(5, 18, 10, 1, 1),
    "deep": random(6, 18, 1, 3, 3),
    "less": random(7, 4, 18),
    "more": random(8, 18, 4),
    "b": random(9, 18),
    "fc": random(10, 7, 18),
}
X = "x: Tensor[(?n, 13, 12, 3), float32]"
LAST, AROUND = 'layout="nhwc"', 'pad=(1, 1, 1, 1), layout="nhwc"'
STEM = f"let h = relu(add(conv2d(x, $stem, stride=(2, 2), {AROUND}), $b))"
# As in ResNet: a pool, a bottleneck beside what came to it, and a layer behind the mean of all pixels.
RESIDUAL = (
    f"{STEM}; let p = max_pool2d(h, kernel=(3, 3), stride=(1, 1), {AROUND}); "
    f"let q = relu(conv2d(relu(conv2d(p, $first, {LAST})), $middle, {AROUND})); "
    f"let y = relu(add(conv2d(q, $last, {LAST}), p)); "
    f"dense(mean(relu(add(conv2d(y, $wide, {AROUND}), y)), axis=(1, 2)), $fc)"
)
# As in MobileNet: every channel by itself between layers that see them all.
INVERTED = (
    f"{STEM}; let d = clip(conv2d(h, $deep, groups=18, {AROUND}), min=0.0, max=6.0); "
    f"let y = add(conv2d(clip(conv2d(d, $first, {LAST}), min=0.0, max=6.0), $last, {LAST}), h); "
    f"conv2d(y, $wide, {AROUND})"
)
# As in EfficientNet: channels weighed by what all pixels say.
SQUEEZED = (
    f"{STEM}; let d = conv2d(h, $deep, groups=18, {AROUND}); let s = multiply(d, sigmoid(d)); "
    "let g = sigmoid(dense(relu(dense(mean(s, axis=(1, 2)), $less)), $more)); "
    f"conv2d(multiply(s, reshape(g, shape=(0, 1, 1, 18))), $last_of_all, {LAST})"
)
# As in SqueezeNet: layers whose results are joined.
JOINED = (
    f"{STEM}; let s = relu(conv2d(h, $first, {LAST})); "
    f"let j = concat(relu(conv2d(s, $last, {LAST})), relu(conv2d(s, $middle, {AROUND})), axis=3); "
    f"conv2d(j, $of_joined, {LAST})"
)
BLOCKS = {"residual": RESIDUAL, "inverted": INVERTED, "squeezed": SQUEEZED, "joined": JOINED}


@cache
def block(name: str, multiplies: bool) -> Compiled:
    """Narrow layers on a CPU that multiplies bfloat16, or one that has them from elsewhere and does not."""
    more = {"last_of_all": random(11, 9, 18, 1, 1), "of_joined": random(12, 9, 28, 1, 1)}
    given = module(BLOCKS[name], X, **ARRAYS, **more)
    store = partial(
        round_products, multiplies=MULTIPLIED if multiplies else (), serves=partial(is_served, target=TARGET)
    )
    return Compiled(given, narrow=partial(narrow_layers, spec=Narrowing("bfloat16")), store=store)


LIMIT = {True: 1e-2, False: 8e-3}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("images", [0, 1, 2, 7])
@pytest.mark.parametrize("multiplies", LIMIT)
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_near_float32(name: str, multiplies: bool, images: int) -> None:
    made, x = block(name, multiplies), random(100 + images, images, 13, 12, 3)
    exact = for_machine(evaluate(made.module, [x]))
    for is_native in (False, True):
        found = for_machine(made.session(is_native)(x))
        assert found.shape == exact.shape
        off = np.linalg.norm(found - exact)
        assert off <= LIMIT[multiplies] * np.linalg.norm(exact)
        assert not images or off > 1e-5 * np.linalg.norm(exact)  # something was rounded


def kept(found: Iterable[str]) -> list[str]:
    """Kernels of products, pools and joins, less their sizes."""
    said = []
    for w in found:
        if any(op in w for op in ("conv2d", "pool", "concat")):
            words = w.partition("tail=")[0].rstrip(", )").split(", ")
            wanted = ("x=", "weight=", "products=", "groups=", "dtype=", "stored=")
            said.append(" ".join([w.partition("(")[0], *(v for v in words if v.startswith(wanted))]))
    return said


def found(name: str, multiplies: bool = True) -> list[str]:
    return kept(workloads(block(name, multiplies)))


def test_what_comes_to_products_is_stored_in_16_bits_by_who_makes_it() -> None:
    """The stem reads what the model is given, which is float32."""
    assert found("residual") == [
        *["conv2d dtype=bfloat16"] * 3,
        "conv2d dtype=bfloat16 stored=y:float32",
        "max_pool2d dtype=float32 stored=y:bfloat16",
        "quantised_conv2d x=float32 weight=bfloat16 dtype=float32",
    ]
    assert "conv2d groups=18 dtype=float32 stored=y:bfloat16" in found("inverted")
    assert "concat dtype=float32 stored=y:bfloat16" in found("joined")


def test_without_products_of_16_bits_weights_alone_are_narrow() -> None:
    assert {w.partition(" ")[0]: w for w in found("inverted", multiplies=False)} == {
        "conv2d": "conv2d groups=18 dtype=float32",
        "quantised_conv2d": "quantised_conv2d x=float32 weight=bfloat16 dtype=float32",
    }


ON_GPU = (  # which convolutions of what stays float32 are made in 16 bits: those that tensor cores multiply
    ("sm_80", "bfloat16", X, "conv2d dtype=bfloat16 stored=y:float32"),
    ("sm_90a", "float16", X, "conv2d dtype=float16 stored=y:float32"),
    ("sm_80", "float32", X, "conv2d dtype=float32"),
    ("sm_75", "bfloat16", X, "conv2d dtype=float32"),
    (
        "sm_80",
        "bfloat16",
        "x: Tensor[(?n, ?h, 12, 3), float32]",
        "quantised_conv2d x=float32 weight=bfloat16 dtype=float32",
    ),
)


@pytest.mark.parametrize(("arch", "precision", "given", "wanted"), ON_GPU)
def test_an_image_in_float32_is_rounded_for_tensor_cores(arch: str, precision: str, given: str, wanted: str) -> None:
    body = f"let h = conv2d(x, $stem, {AROUND}); (h, conv2d(h, $deep, groups=18, {AROUND}))"
    plans = lock(module(body, given, **ARRAYS), Target.parse(f"cuda -arch={arch}"), precision=precision).plans
    found = sorted(str(p.workload) for p in plans)
    assert kept([w for w in found if "groups" not in w]) == [wanted]
    assert next(w for w in found if "groups" in w).endswith("dtype=float32)")  # plain loops gain nothing by it
    casts = [w.partition("stored=")[2] for w in found if w.startswith("elementwise")]
    assert casts == ([f"y:{precision})"] if "stored" in wanted else [])


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_images_that_are_rounded_for_tensor_cores_on_a_gpu() -> None:
    given = module(f"relu(add(conv2d(x, $stem, stride=(2, 2), {AROUND}), $b))", X, **ARRAYS)
    exe = compiled_for_gpu(given, "bfloat16")
    assert kept([k.workload for k in exe.kernels if k.device]) == ["conv2d dtype=bfloat16 stored=b0:float32+y:float32"]
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(QueuedGpu(0.4))})
    for images in (0, 1, 3):
        x = random(200 + images, images, 13, 12, 3)
        exact = for_machine(evaluate(given, [x]))
        off = np.linalg.norm(session(x) - exact)
        assert off <= 8e-3 * np.linalg.norm(exact)
        assert not images or off > 1e-4 * np.linalg.norm(exact)

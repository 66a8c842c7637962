"""Every CUDA template against the oracle: the text that NVRTC gets, run on the CPU with every access watched.

Sizes are those around a tile, where kernels break; blocks and threads run in several orders. A fault of any kind (out
of bounds, a race, a missing wait, threads that part) fails a test as a wrong number does.
"""

from __future__ import annotations

import functools
import random

import ml_dtypes  # noqa: F401  (with it numpy knows bfloat16 by name)
import pytest
from cuda_cpu.compiler import missing
from cuda_cpu.simulated import Simulated, check

from anytile.codegen.cuda.build import build
from anytile.schedules.space import Config, ConfigSpace
from anytile.schedules.target import Target
from anytile.schedules.template import Template, templates
from anytile.schedules.workload import Workload

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGETS = {arch: Target.parse(f"cuda -arch={arch}") for arch in ("sm_75", "sm_90a")}
DENSE = {t.name: t for t in templates() if t.kind == "cuda" and t.op == "dense"}
DTYPES = {"dense.cuda.simt": ("float32",), "dense.cuda.narrow": ("float32",), "dense.cuda.mma": ("bfloat16", "float16")}
CASES = [(name, dtype) for name in DENSE for dtype in DTYPES[name]]
ORDERS = ("forward", "reverse", "random:1")
PRIME = 67

SHAPES = {
    "odd": "m=?, n=45, k=37",  # no row begins at a multiple of anything
    "even": "m=?, n=72, k=64",
    "symbolic": "m=?, n=?n, k=?k",
    "tiny": "m=?, n=1, k=1",
    "fixed": "m=35, n=24, k=40",
}
TAILS = (
    "max(y + bias[n], 0)",
    "gelu(y * 0.1 + bias[n]) + r[m, n]",
    "select(y > row[m], tanh(y), y * 0.5) * scale",
    "y * sigmoid(y) - r[n, m]",
)
N, K = 19, 21  # where they are symbols


def dense(shape: str, dtype: str, tail: str = "") -> Workload:
    return Workload.parse(f"dense({shape}, dtype={dtype}{f', tail={tail}' if tail else ''})")


def serves(template: Template, workload: Workload, arch: str) -> bool:
    return template.suits(workload) > 0 and (workload.dtype == "float32" or arch != "sm_75")


@functools.cache
def space(name: str, workload: Workload, arch: str) -> ConfigSpace:
    return DENSE[name].space(workload, TARGETS[arch])


def sizes(tile: int, low: int = 0, high: int | None = None) -> list[int]:
    """Around a tile, as far as what is left of them lies between low and high."""
    end = tile - 1 if high is None else high
    return [
        m for m in sorted({0, 1, tile - 1, tile, tile + 1, tile + low, 2 * tile + end, PRIME}) if low <= m % tile <= end
    ]


def check_all(
    template: Template, workload: Workload, config: Config, arch: str, rests: tuple[int, int] | None = None
) -> None:
    kernel = Simulated(build(workload, config, TARGETS[arch], template, rests))
    tile = template.tile(config)
    rows = workload.dim("m")
    for i, m in enumerate([rows] if isinstance(rows, int) else sizes(tile, *(rests or (0, tile - 1)))):
        for order in ORDERS if m <= PRIME else ORDERS[i % 3 :][:1]:
            check(kernel, workload, {"m": m, "n": N, "k": K}, order)


@pytest.mark.parametrize("arch", TARGETS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_the_default_is_right_at_sizes_around_its_tile(name: str, dtype: str, shape: str, arch: str) -> None:
    template, workload = DENSE[name], dense(SHAPES[shape], dtype)
    if not serves(template, workload, arch):
        pytest.skip(f"{name} does not serve {workload} on {arch}")
    check_all(template, workload, template.default(workload, TARGETS[arch]), arch)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_tail_is_computed_before_the_store(name: str, dtype: str, tail: str) -> None:
    template, workload = DENSE[name], dense(SHAPES["odd"].replace("37", "40"), dtype, tail)
    check_all(template, workload, template.default(workload, TARGETS["sm_90a"]), "sm_90a")


@pytest.mark.parametrize("rests", [(0, 0), (1, 1), (5, 5), (-1, -1), (1, 4), (3, -2)])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_kernel_for_a_class_of_rests_is_right_at_all_of_them(name: str, dtype: str, rests: tuple[int, int]) -> None:
    template, workload = DENSE[name], dense(SHAPES["even"], dtype)
    config = template.default(workload, TARGETS["sm_90a"])
    tile = template.tile(config)
    low, high = (r % tile for r in rests)
    if low > high:
        pytest.skip(f"a tile of {tile} has no rests {rests}")
    check_all(template, workload, config, "sm_90a", (low, high))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_configs_of_the_space_are_right(name: str, dtype: str, seed: int) -> None:
    shape = list(SHAPES.values())[seed % len(SHAPES)]
    arch = "sm_75" if seed == 3 and dtype == "float32" else "sm_90a"
    template, workload = DENSE[name], dense(shape, dtype)
    if not serves(template, workload, arch):
        pytest.skip(f"{name} does not serve {workload}")
    (config,) = space(name, workload, arch).sample(random.Random(seed), 1)
    check_all(template, workload, config, arch)

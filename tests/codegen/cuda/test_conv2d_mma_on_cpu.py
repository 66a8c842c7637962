"""Convolutions on matrix units against the oracle: the text that NVRTC gets, run on the CPU with every access watched.

Images are as large as a tile, one less or one more, along each dimension; channels as many as pieces of a copy are, or
not. With a pad that is another one at each side a wrong mask is a wrong number, with a wait too few a fault.
"""

from __future__ import annotations

import re
from dataclasses import replace

import ml_dtypes  # noqa: F401  (with it numpy knows bfloat16 by name)
import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.source import CudaSource
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated, check
from tests.support.cuda_cpu.simulator import Fault

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGET = Target.parse("cuda -arch=sm_80")
ORDERS = ("forward", "reverse", "random:1")
SMALL = Config.of(tile_m=1, tile_n=1, warps_m=1, warps_n=2, block_k=32, stages=3, split_k=1, group_n=1, across=8)
LAST, USUAL = "layout=nhwc, filters=ohwi", "layout=nhwc"
TAILS = (
    "tail=max(y + bias[co], 0)",
    "tail=gelu(y * 0.1 + bias[co]) + r[n, oh, ow, co]",
    "tail=select(y > row[oh], tanh(y), y * 0.5) * scale",
    "tail=y * sigmoid(y) - r[co, ow]",
)
CASES = (
    *((f"n=?n, ci=8, h=3, w={w}, co=40, kh=3, kw=3, pad=1x2x1x0, {LAST}", {}) for w in (7, 8, 9)),
    *((f"n=?n, ci=40, h={h}, w=17, co=32, kh=1, kw=2, {LAST}", {"tile_m": 2, "across": 16}) for h in (1, 2, 3)),
    *((f"n=2, ci=33, h=5, w=5, co=31, kh=2, kw=1, {USUAL}, {t}", {"stages": 1}) for t in TAILS),
    *((f"n=2, ci=72, h=4, w=9, co=33, kh=3, kw=2, stride=2x1, {LAST}, {t}", {"split_k": 2}) for t in TAILS),
    *((f"n=1, ci={ci}, h=2, w=9, co=65, kh=1, kw=1, {LAST}", {"group_n": 4, "block_k": 16}) for ci in (14, 16, 18)),
    (f"n=?n, ci=132, h=9, w=7, co=130, kh=2, kw=2, dilation=2x1, stored=y:float32, {LAST}", {"block_k": 64}),
    (f"n=1, ci=136, h=6, w=11, co=130, kh=2, kw=3, pad=1, stored=y:float32, {LAST}", {"split_k": 4, "stages": 2}),
    (f"n=1, ci=64, h=9, w=33, co=64, kh=1, kw=3, stored=bias:float32+r:float16, {LAST}, {TAILS[1]}",
     {"tile_m": 2, "tile_n": 2, "warps_m": 2, "across": 32}),
)  # fmt: skip


def workload_of(text: str, dtype: str) -> Workload:
    return Workload.parse(f"conv2d({text}, dtype={dtype})")


def source(workload: Workload, knobs: dict[str, int]) -> CudaSource:
    t, config = template("conv2d.cuda.mma"), SMALL.with_(**knobs)
    t.space(workload, TARGET).check(config)
    return build(workload, config, TARGET, t)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "case"), [*enumerate(CASES)], ids=lambda c: c[0] if isinstance(c, tuple) else "")
def test_a_kernel_computes_what_its_workload_means(number: int, case: tuple[str, dict[str, int]]) -> None:
    workload = workload_of(case[0], ("bfloat16", "float16")[number % 2])
    kernel = Simulated(source(workload, case[1]))
    for i, images in enumerate((0, 1, 3) if workload.symbols else (0,)):
        check(kernel, workload, dict.fromkeys(workload.symbols, images), ORDERS[(number + i) % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize(("found", "wrong"), [
    (r"at_cp_wait<1>\(\);", "at_cp_wait<2>();"),  # a round too early
    (r"\(ko \+ 2\) % 9 / 3 \* 72 \+ p_x", "p_x"),  # one tap for all of a row
    (r"(bm % 2 \* 8 \+ \(ko \+ 2\) % 9 / 3 \+ p_x_row % 8) >= 1", r"\1 >= 0"),  # what lies before a row
    (r"__syncthreads\(\);", ""),
])  # fmt: skip
def test_what_is_wrong_is_seen(found: str, wrong: str) -> None:
    workload = workload_of(f"n=1, ci=72, h=3, w=9, co=16, kh=3, kw=3, pad=1, {LAST}", "bfloat16")
    right = source(workload, {})
    text, times = re.subn(found, wrong, right.text)
    assert times
    with pytest.raises((Fault, AssertionError)):
        check(Simulated(replace(right, text=text)), workload, {}, "random:1")

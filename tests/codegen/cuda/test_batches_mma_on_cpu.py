"""Batches on matrix units against the oracle: the text that NVRTC gets, run on the CPU with every access watched.

Columns lie as rows of k, or side by side, as values lie that attention multiplies by probabilities: their tile is then
turned as it is loaded. Sizes are those of tiles, one less or one more; rows are whole pieces of a copy or not.
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
SMALL = Config.of(tile_m=1, tile_n=1, warps_m=1, warps_n=2, block_k=32, stages=3, split_k=1, group_n=1)
TAILS = (
    "tail=max(y * 0.5 + bias[n], 0)",
    "tail=y * c[m] + mask[b, n]",
    "tail=select(y > 0, tanh(y), y * 0.5), stored=y:float32",
)
CASES = (  # with how many rows, and how many steps or columns where those vary
    *((f"b=2, m=?m, n={n}, k=40, rhs=bkn", {"stages": 1 if n % 2 else 3}, ({"m": 17},)) for n in (24, 31, 32, 34)),
    *((f"b=2, m=?m, n=32, k=?k, rhs=bkn, {t}", {"stages": 1}, tuple({"m": m, "k": k} for m, k in (
        (0, 8), (1, 0), (15, 31), (16, 32), (17, 65)))) for t in TAILS),
    ("b=?b, m=?m, n=?n, k=72, rhs=kbn, lhs=mbk, y=mbn", {"stages": 1, "block_k": 64}, tuple(
        {"b": b, "m": 9, "n": n} for b, n in ((0, 8), (1, 0), (2, 31), (3, 33)))),
    ("b=?b, m=?m, n=40, k=34, rhs=kn", {"tile_m": 2}, ({"b": 2, "m": 31}, {"b": 1, "m": 33})),
    ("b=2, m=?m, n=136, k=144, rhs=bkn", {"tile_n": 4, "stages": 2, "block_k": 64}, ({"m": 18},)),
    ("b=2, m=?m, n=264, k=24, rhs=bkn", {"tile_m": 2, "tile_n": 4, "warps_n": 4, "group_n": 4}, ({"m": 31},)),
    ("b=2, m=?m, n=72, k=96, rhs=bkn", {"warps_m": 2, "warps_n": 1, "stages": 4, "group_n": 4}, ({"m": 33},)),
    ("b=2, m=?m, n=?n, k=40, rhs=bnk", {}, ({"m": 17, "n": 31}, {"m": 1, "n": 33})),
)  # fmt: skip


def source(workload: Workload, knobs: dict[str, int], rests: tuple[int, int] | None = None) -> CudaSource:
    t, config = template("batch_matmul.cuda.mma"), SMALL.with_(**knobs)
    t.space(workload, TARGET).check(config)
    return build(workload, config, TARGET, t, rests)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_kernel_computes_what_its_workload_means(number: int) -> None:
    text, knobs, sizes = CASES[number]
    workload = Workload.parse(f"batch_matmul({text}, dtype={('bfloat16', 'float16')[number % 2]})")
    kernel = Simulated(source(workload, knobs))
    for i, symbols in enumerate(sizes):
        check(kernel, workload, symbols, ORDERS[(number + i) % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize("rests", [(0, 0), (1, 7), (8, 15)])
def test_each_class_of_residues_has_a_kernel(rests: tuple[int, int]) -> None:
    workload = Workload.parse("batch_matmul(b=2, m=?m, n=40, k=?k, rhs=bkn, dtype=bfloat16)")
    kernel = Simulated(source(workload, {"stages": 1}, rests))
    for i, rest in enumerate(range(rests[0], rests[1] + 1)):
        check(kernel, workload, {"m": 16 * (i % 3 + 1) + rest, "k": 30 + i}, ORDERS[i % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize(("found", "wrong"), [
    (r"at_cp_wait<1>\(\);", "at_cp_wait<2>();"),  # a round too early
    ("x4_trans", "x4"),  # as rows of k lie
    (r"(rhs_tile\[[^;]*) \^ [^)]*\)", r"\1)"),  # pieces where they lie without a swizzle
    (r"__syncthreads\(\);", ""),
])  # fmt: skip
def test_what_is_wrong_is_seen(found: str, wrong: str) -> None:
    workload = Workload.parse("batch_matmul(b=2, m=18, n=72, k=144, rhs=bkn, dtype=bfloat16)")
    right = source(workload, {})
    text, times = re.subn(found, wrong, right.text, count=1 if "rhs" in found else 0)
    assert times
    with pytest.raises((Fault, AssertionError)):
        check(Simulated(replace(right, text=text)), workload, {}, "random:1")

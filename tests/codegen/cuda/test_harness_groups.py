"""Products of warp groups in the CPU harness: numpy says what they give, and what is missing around one is named."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import Array, Fault, program

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

ORDERS = ("forward", "reverse", "random:1", "random:2")
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
COLUMNS = 32

# Two rounds over one tile of each: it is filled again after the first product.
PRODUCT = """
extern "C" __global__ void __launch_bounds__(128) f(const at_KIND* x, const at_KIND* w, float* y) {
  __shared__ __align__(1024) at_KIND xs[64][64];
  __shared__ __align__(1024) at_KIND ws[32][64];
  int t = threadIdx.x, lane = t % 32;
  float c[16];
  for (int i = 0; i < 16; ++i) c[i] = 0.0f;
  for (int round = 0; round < 2; ++round) {
    for (int piece = t; piece < 96 * 8; piece += 128) {
      int row = piece / 8, column = piece % 8;
      at_KIND* to = (row < 64 ? xs[row] : ws[row - 64]) + (column ^ row % 8) * 8;
      at_cp_async16(to, (row < 64 ? x + row * 128 : w + (row - 64) * 128) + round * 64 + column * 8, true);
    }
    at_cp_commit();
    at_cp_wait<0>();
    at_fence_async();
    __syncthreads();
    at_wgmma_fence();
    at_wgmma_n32_KIND(c, xs, ws);
    at_wgmma_commit();
    at_wgmma_wait<0>(c);
    __syncthreads();
  }
  for (int i = 0; i < 16; ++i)
    y[(t / 32 * 16 + lane / 4 + i / 2 % 2 * 8) * 32 + i / 4 * 8 + lane % 4 * 2 + i % 2] = c[i];
}
"""


def operands(kind: str = "bf16") -> dict[str, Array]:
    rng = np.random.default_rng(3)
    x, w = (rng.integers(-4, 5, (rows, 128)).astype(DTYPES[kind]) for rows in (64, COLUMNS))
    return {"x": x, "w": w, "y": np.full((64, COLUMNS), np.nan, np.float32)}


def run(text: str, order: str = "forward", kind: str = "bf16") -> dict[str, Array]:
    given = operands(kind)
    program(text.replace("KIND", kind)).launch("f", (1,), (128,), given, order=order)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", DTYPES)
def test_a_group_multiplies_and_adds(kind: str, order: str) -> None:
    given = run(PRODUCT, order, kind)
    want = given["x"].astype(np.float32) @ given["w"].astype(np.float32).T
    np.testing.assert_array_equal(given["y"], want)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("at_fence_async();", "", "with no fence for the asynchronous proxy between"),
        ("at_cp_wait<0>();\n    at_fence_async();", "at_fence_async();\n    at_cp_wait<0>();", "asynchronous proxy"),
        ("at_cp_wait<0>();", "", "in flight"),
        ("at_fence_async();\n    __syncthreads();", "at_fence_async();", "race on shared"),
        ("at_wgmma_wait<0>(c);\n    __syncthreads();", "at_wgmma_wait<0>(c);", "race on shared"),
        (
            "at_wgmma_wait<0>(c);\n    __syncthreads();",
            "__syncthreads();",
            "leaves the kernel while its wgmma at",
        ),
        ("at_wgmma_fence();", "", "without a wgmma.fence"),
        ("at_wgmma_fence();", "if (round == 0) at_wgmma_fence();", "without a wgmma.fence"),
        ("(c, xs, ws)", "(c, xs[8] + 8, ws)", "no multiple of 1024"),
        ("(c, xs, ws)", "(c, x, ws)", "no shared memory|no multiple"),
        ("at_wgmma_fence();", "at_wgmma_fence(); if (t == 40) return;", "diverged: .* wgmma"),
    ],
)
def test_what_is_missing_is_named(was: str, becomes: str, says: str) -> None:
    assert was in PRODUCT
    with pytest.raises(Fault, match=says):
        run(PRODUCT.replace(was, becomes))


@pytest.mark.slow
def test_sums_are_nobodys_before_they_are_waited_for() -> None:
    text = PRODUCT.replace("at_wgmma_commit();", "at_wgmma_commit(); float early = c[3];")
    text = text.replace("at_wgmma_wait<0>(c);", "at_wgmma_wait<0>(c); c[3] = early;")
    given = run(text)
    assert np.isnan(given["y"]).any()

"""Matrix tiles and asynchronous copies in the CPU harness: numpy says what they give, planted bugs are named."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import Fault, program

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

ORDERS = ("forward", "reverse", "random:1", "random:2")
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}

LOADS = """
extern "C" __global__ void f(const at_f16* x, unsigned* y) {
  __shared__ __align__(16) at_f16 rows[32 * 8];
  int lane = threadIdx.x;
  for (int i = 0; i < 8; ++i) rows[i * 32 + lane] = x[i * 32 + lane];
  BARRIER
  unsigned r[COUNT];
  at_ldmatrix_xCOUNTTRANS(r, rows + lane % (8 * COUNT) * 8);
  for (int i = 0; i < COUNT; ++i) y[i * 32 + lane] = r[i];
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("trans", ["", "_trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_gives_each_lane_two_neighbours(count: int, trans: str, order: str) -> None:
    text = LOADS.replace("COUNT", str(count)).replace("TRANS", trans).replace("BARRIER", "__syncwarp();")
    x = np.random.default_rng(count).integers(0, 2**16, 256).astype(np.uint16)
    y = np.zeros((count, 32), np.uint32)
    program(text).launch("f", (1,), (32,), {"x": x, "y": y}, order=order)
    tiles = x.reshape(4, 8, 8)[:count]
    if trans:
        tiles = tiles.transpose(0, 2, 1)
    # Lane l holds row l / 4 at columns 2 (l % 4) and the next, the first in the lower half.
    pairs = np.ascontiguousarray(tiles).reshape(count, 32, 2)
    np.testing.assert_array_equal(y, pairs[..., 0].astype(np.uint32) | pairs[..., 1].astype(np.uint32) << 16)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("BARRIER", "", "race on shared rows"),
        ("* 8);", "* 8 + 1);", "ldmatrix at line 8 of an address that is no multiple of 16"),
        ("rows + lane % (8 * COUNT) * 8", "x + lane * 8", "ldmatrix at line 8 of an address that is no shared memory"),
        ("rows + lane % (8 * COUNT) * 8", "rows + lane * 16", "out of bounds of static shared memory"),
        ("unsigned r[COUNT];", "unsigned r[COUNT]; if (lane == 3) return;", "diverged: .* ldmatrix at line 8"),
    ],
)
def test_a_wrong_ldmatrix_is_named(was: str, becomes: str, says: str) -> None:
    text = LOADS.replace(was, becomes).replace("BARRIER", "__syncwarp();").replace("COUNT", "4").replace("TRANS", "")
    with pytest.raises(Fault, match=says):
        program(text).launch("f", (1,), (32,), {"x": np.zeros(256, np.uint16), "y": np.zeros((4, 32), np.uint32)})


# One warp multiplies fragments that it gathers element by element, as the PTX manual lays them out.
PRODUCT = """
extern "C" __global__ void f(const at_KIND* a, const at_KIND* b, float* c) {
  int lane = threadIdx.x, group = lane / 4, t = lane % 4;
  unsigned ra[4], rb[2];
  float rc[4];
  for (int i = 0; i < 8; ++i) {  // a0 .. a7
    int row = group + (i / 2 % 2 ? 8 : 0), column = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    unsigned bits = a[row * 16 + column].bits;
    ra[i / 2] = i & 1 ? ra[i / 2] | bits << 16 : bits;
  }
  for (int i = 0; i < 4; ++i) {  // b0 .. b3
    int row = t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    unsigned bits = b[row * 8 + group].bits;
    rb[i / 2] = i & 1 ? rb[i / 2] | bits << 16 : bits;
  }
  for (int i = 0; i < 4; ++i) rc[i] = c[(group + (i >= 2 ? 8 : 0)) * 8 + t * 2 + (i & 1)];
  at_mma_m16n8k16_KIND(rc, ra, rb);
  for (int i = 0; i < 4; ++i) c[(group + (i >= 2 ? 8 : 0)) * 8 + t * 2 + (i & 1)] = rc[i];
}
"""


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", DTYPES)
def test_mma_multiplies_and_adds(kind: str, order: str) -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(shape).astype(DTYPES[kind]) for shape in ((16, 16), (16, 8)))
    c = rng.standard_normal((16, 8)).astype(np.float32)
    want = a.astype(np.float64) @ b.astype(np.float64) + c
    program(PRODUCT.replace("KIND", kind)).launch("f", (1,), (32,), {"a": a, "b": b, "c": c}, order=order)
    np.testing.assert_allclose(c, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bits", [0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, 0xFF800000])
def test_what_is_no_number_is_none_in_a_product_of_tf32(bits: int) -> None:
    """The first is what a GPU's own arithmetic makes, with no bit of the mantissa left to round up to."""
    text = """
extern "C" __global__ void f(const float* a, const float* b, float* c) {
  float left[2][4] = {}, right[4] = {}, sums[4] = {};
  for (int i = 0; i < 4; ++i) left[0][i] = a[threadIdx.x * 4 + i], right[i] = b[threadIdx.x * 4 + i];
  at_mma_m16n8k16_tf32x3(sums, left, right);
  for (int i = 0; i < 2; ++i) c[threadIdx.x * 2 + i] = sums[i];
}
"""
    a, b = np.random.default_rng(bits).uniform(1, 2, (2, 8, 16)).astype(np.float32)
    a[3, 7:8].view(np.uint32)[:] = bits
    c = np.zeros((8, 8), np.float32)
    program(text).launch("f", (1,), (32,), {"a": a, "b": b, "c": c})
    assert np.isnan(c[3]).all()
    others = np.arange(8) != 3
    np.testing.assert_allclose(c[others], a[others].astype(np.float64) @ b.T.astype(np.float64), rtol=1e-6)


# What a kernel does: row-major tiles in shared memory by cp.async in two stages, ldmatrix, mma. w is [n, k].
TILES = """
extern "C" __global__ void __launch_bounds__(64) f(const at_bf16* __restrict__ x, const at_bf16* __restrict__ w,
                                                   float* __restrict__ y, long long m, long long k) {
  extern __shared__ __align__(16) unsigned char all[];
  at_bf16 (*xs)[16][24] = reinterpret_cast<at_bf16 (*)[16][24]>(all);
  at_bf16 (*ws)[16][24] = reinterpret_cast<at_bf16 (*)[16][24]>(all + 2 * 16 * 24 * 2);
  int t = threadIdx.x, lane = t % 32, warp = t / 32, steps = (int)k / 16;
  float c[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int row = t % 32 / 2, part = t % 2 * 8;
  const at_bf16* from = warp == 0 ? x : w;
  bool valid = warp == 1 || row < m;
  at_bf16 (*to)[16][24] = warp == 0 ? xs : ws;
  at_cp_async16(&to[0][row][part], from + (valid ? row : 0) * k + part, valid);
  at_cp_commit();
  for (int step = 0; step < steps; ++step) {
    int next = step + 1;
    if (next < steps) at_cp_async16(&to[next % 2][row][part], from + (valid ? row : 0) * k + next * 16 + part, valid);
    at_cp_commit();
    at_cp_wait<1>();
    __syncthreads();  // arrived
    unsigned a[4], b[2];
    at_ldmatrix_x4(a, &xs[step % 2][lane % 16][lane / 16 * 8]);
    at_ldmatrix_x2(b, &ws[step % 2][warp * 8 + lane % 8][lane / 8 % 2 * 8]);
    at_mma_m16n8k16_bf16(c, a, b);
    __syncthreads();  // read
  }
  for (int i = 0; i < 4; ++i) {
    int line = lane / 4 + i / 2 * 8;
    if (line < m) y[line * 16 + warp * 8 + lane % 4 * 2 + i % 2] = c[i];
  }
}
"""


def run_tiles(text: str, m: int, k: int, order: str) -> None:
    rng = np.random.default_rng(m + k)
    x, w = (rng.standard_normal((rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, 16))
    y = np.full((m, 16), np.nan, np.float32)
    given = {"x": x, "w": w, "y": y, "m": m, "k": k}
    program(text).launch("f", (1,), (64,), given, shared=4 * 16 * 24 * 2, order=order)
    np.testing.assert_allclose(y, x.astype(np.float32) @ w.astype(np.float32).T, rtol=1e-4, atol=1e-4)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("m", [0, 1, 15, 16])
def test_a_pipelined_product_is_right_in_every_order(m: int, order: str) -> None:
    for k in (16, 32, 80):
        run_tiles(TILES, m, k, order)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("at_cp_wait<1>();", "", "while the cp.async of thread .* into it is in flight: a wait is missing"),
        ("at_cp_wait<1>();", "at_cp_wait<2>();", "in flight: a wait is missing"),
        ("    at_cp_commit();\n    at_cp_wait", "    at_cp_wait", "in flight: a wait is missing"),
        ("__syncthreads();  // arrived", "", "race on dynamic shared memory|in flight"),
        ("__syncthreads();  // read", "", "race on dynamic shared memory"),
        ("bool valid = warp == 1 || row < m;", "bool valid = true;", "out of bounds of x: at byte"),
        ("[row][part], from", "[row][part + 4], from", "cp.async to shared memory at .* no multiple of 16"),
        (
            "* k + part, valid);\n  at_cp_commit",
            "* k + part + 1, valid);\n  at_cp_commit",
            "cp.async from global memory .* no multiple",
        ),
        ("&xs[step % 2][lane % 16]", "&xs[step % 2 + 4][lane % 16]", "out of bounds of dynamic shared memory"),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_bugs_planted_in_it_are_named(was: str, becomes: str, says: str, order: str) -> None:
    assert was in TILES
    with pytest.raises(Fault, match=says):
        run_tiles(TILES.replace(was, becomes), 9, 80, order)


@pytest.mark.parametrize("kind", DTYPES)
def test_sixteen_bit_floats_are_rounded_to_nearest_even(kind: str) -> None:
    body = """
extern "C" __global__ void f(const float* x, at_KIND* y, float* z, unsigned* two, int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    y[i] = at_float_to_KIND(x[i]);
    z[i] = at_KIND_to_float(y[i]);
    two[i] = at_pack_KIND(x[i], 1.0f);
    if (at_low_KIND(two[i]) != z[i] && z[i] == z[i]) z[i] = 77;
    if (at_high_KIND(two[i]) != 1.0f) z[i] = 78;
  }
}
"""
    dtype = np.dtype(DTYPES[kind])
    with np.errstate(invalid="ignore"):  # some of these patterns are signalling NaNs
        exact = np.arange(2**16, dtype=np.uint16).view(dtype).astype(np.float32)
        finite = np.sort(exact[np.isfinite(exact)])
        between = (finite[:-1] + (finite[1:] - finite[:-1]) / 2).astype(np.float32)
        few = np.random.default_rng(0).choice(between, 3000)
        edges = np.array([3e38, -3e38, 65519, 65520], np.float32)
        x = np.concatenate([exact, few, np.nextafter(few, np.float32(np.inf)), np.nextafter(few, -edges[:1]), edges])
    y, z, two = np.zeros(x.size, dtype), np.zeros_like(x), np.zeros(x.size, np.uint32)
    program(body.replace("KIND", kind)).launch("f", (1,), (32,), {"x": x, "y": y, "z": z, "two": two, "n": x.size})
    with np.errstate(over="ignore", invalid="ignore"):
        want = x.astype(dtype)
    np.testing.assert_array_equal(y.astype(np.float32), want.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(z[x == 0]), np.signbit(x[x == 0]))
    np.testing.assert_array_equal(z, want.astype(np.float32))

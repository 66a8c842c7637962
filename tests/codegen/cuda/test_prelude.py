"""The prelude: every function of it compiles for every architecture, means the same in the harness, and is accurate."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.codegen.cuda.values import OF_FLOAT, TO_FLOAT, WRAPPING
from anytile.core.dtypes import BY_NAME, FLOAT8
from anytile.core.errors import CodegenError, UnsupportedError
from anytile.schedules.nest.mma_operations import GROUP_COLUMNS, TURNED_COLUMNS
from anytile.schedules.nest.operations import OPERATIONS as TABLE
from anytile.schedules.nest.operations import apply
from anytile.schedules.nest.stored_floats import bits_of, from_bits, rounded
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import program

on_cpu = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
INFIX = {
    "bitand",
    "bitor",
    "bitxor",
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "and",
    "or",
    "not",
    "select",
}

# Every function, called once.
BASE = """
  at_prefetch(x); at_begin(x);
  y[0] = at_max(x[0], x[1]) + at_min(x[0], x[1]) + at_abs(x[0]) + at_floor(x[0]) + at_ceil(x[0]) + at_sqrt(x[0]);
  y[1] = at_rsqrt(x[0]) + at_exp(x[0]) + at_exp2(x[0]) + at_log(x[0]) + at_tanh(x[0]) + at_erf(x[0]) + at_sigmoid(x[0]);
  y[2] = at_gelu(x[0]) + at_gelu_byte(x[0]) + at_gelu_tanh(x[0]) + at_max(n, 3ll) + at_min(n, 3ll) + at_abs(n);
  y[3] = at_abs((int)n) + at_floordiv(n, 3ll) + at_mod((int)n, 3) + at_max((int)n, 3) + at_min((int)n, 3);
  y[39] = at_sin(x[0]) + at_cos(x[0]) + at_tan(x[0]) + at_asin(x[0]) + at_acos(x[0]) + at_atan(x[0]) + at_sinh(x[0]);
  y[40] = at_cosh(x[0]) + at_asinh(x[0]) + at_acosh(x[0]) + at_atanh(x[0]) + at_pow(x[0], x[1]) + at_round(x[0]);
  y[41] = at_trunc(x[0]) + at_isnan(x[0]) + at_isinf(x[0]) + at_sign(x[0]) + at_sign(n) + at_bitnot(n) + at_shl(n, 3ll);
  y[42] = at_bits_float32(at_bits_int32(x[0])) + at_bits_int32((int)n) + at_bits_float32(x[1]);
  y[43] = at_shr((int)n, 3) + at_truncdiv(n, 3ll) + at_rem((int)n, 3);
  y[4] = at_bf16_to_float(at_float_to_bf16(x[0])) + at_f16_to_float(at_float_to_f16(x[0]));
  y[4] += at_f8e4m3_to_float(at_float_to_f8e4m3(x[0])) + at_f8e5m2_to_float(at_float_to_f8e5m2(x[1]));
  unsigned two = at_pack_bf16(x[0], x[1]) + at_pack_f16(x[0], x[1]);
  y[5] = at_low_bf16(two) + at_high_bf16(two) + at_low_f16(two) + at_high_f16(two);
  float4 f4; float2 f2; uint4 u4; uint2 u2; float a4[4], a2[2];
  at_load4(f4, x); at_load2(f2, x); at_load16(u4, x); at_load8(u2, x); at_load4(a4, x); at_load2(a2, x);
  at_store4(y + 8, f4); at_store2(y + 12, f2); at_store16(y + 16, u4); at_store8(y + 20, u2);
  at_store4(y + 24, a4); at_store2(y + 28, a2); at_load_u32(u2.x, x); at_store_u32(y + 30, u2.x);
  at_load_streaming4(f4, x); at_load_streaming4(a4, x); at_load_streaming16(u4, x);
  at_bf16 b8[8]; at_f16 h4[4];
  at_load16(b8, (const at_bf16*)x); at_load_streaming16(b8, (const at_bf16*)x + 8); at_load8(h4, (const at_f16*)x);
  unsigned char c4[4], c8[8];
  at_load_bytes4(c4, (const unsigned char*)x); at_load_bytes8(c8, (const unsigned char*)x); y[44] = c4[3] + c8[7];
  at_f8e4m3 e4[4]; at_f8e5m2 e8[8];
  at_load_bytes4(e4, (const at_f8e4m3*)x); at_load_bytes8(e8, (const at_f8e5m2*)x); y[44] += e4[3].bits + e8[7].bits;
  y[38] = at_bf16_to_float(b8[7]) + at_f16_to_float(h4[3]) + at_warp_sums<3>(a4);
  y[32] = at_load_streaming(x) + f4.x + a4[1] + u4.z + at_warp_sum(x[0]) + at_warp_max(x[0]);
  y[43] = at_warp_min(n) + at_warp_mul(x[0]) + at_warp_max((int)n) + at_warp_sum(n);
  y[43] += at_add((int)n, 1) + at_sub((int)n, 2) + at_mul((int)n, 3) + at_add(n, n) + at_sub(n, n) + at_mul(n, n);
  at_atomic_add(y + 33, x[0]);
  if (at_meet(counter, 1)) y[34] = AT_INFINITY + AT_NAN;
  unsigned r1[1], r2[2], r4[4], r22[2][2];
  at_ldmatrix_x1(r1, tile); at_ldmatrix_x2(r2, tile); at_ldmatrix_x4(r4, tile);
  at_store_u32(y + 35, r1[0] + r2[1] + r4[2]);
  at_ldmatrix_x1_trans(r1, tile); at_ldmatrix_x2_trans(r2, tile); at_ldmatrix_x4_trans(r4, tile);
  at_ldmatrix_x4(r22, tile); at_ldmatrix_x4_trans(r22, tile);
  at_store_u32(y + 36, r1[0] + r2[1] + r4[2] + r22[1][0]);
"""
AMPERE = """
  at_cp_async16(tile, x, n > 1); at_cp_async8(tile + 8, x, n > 2); at_cp_async4(tile + 12, x, n > 3);
  at_cp_commit(); at_cp_wait<1>(); at_cp_wait<0>();
  at_mma_m16n8k16_bf16(a4, r4, r2); at_mma_m16n8k16_f16(a4, r4, r2);
  at_bf16 rows[2][8] = {}; at_f16 halves[2][8] = {}; float floats[2][4] = {};
  at_mma_m16n8k16_tf32x3(a4, floats, floats[0]);
  at_bf16 b4[4] = {};
  at_mma_m16n8k16_bf16(a4, floats, b4); at_mma_m16n8k16_f16(a4, floats, h4);
  at_mma_m16n8k16_f16(a4, floats, e4); at_f8e5m2 e5[4] = {}; at_mma_m16n8k16_f16(a4, floats, e5);
  at_store_u32(y + 47, at_f8e4m3_to_f16(e4[0], e4[1]) + at_f8e5m2_to_f16(e5[0], e5[1]));
  at_mma_m16n8k32_bf16(a4, rows, b8); at_mma_m16n8k32_f16(a4, halves, halves[1]);
  y[37] = a4[0];
"""
CLUSTERS = """
  float* sums_of = reinterpret_cast<float*>(tile);
  at_cluster_arrive(); at_cluster_wait(); at_cluster_join();
  at_store_peer(sums_of, f4.x, 1); at_store_peer2(sums_of, f2, 1); at_store_peer4(sums_of, f4, 0);
  at_store_peer2(sums_of, a2, 1); at_store_peer4(sums_of, a4, 0); at_cluster_barrier(); y[46] = sums_of[1];
"""
HOPPER = "".join(
    f"""
  if (n == {columns}) {{
    float sums[{columns // 2}] = {{}};
    at_fence_async(); at_wgmma_fence();
    at_wgmma_n{columns}{how}_bf16(sums, tile, tile); at_wgmma_n{columns}{how}_f16(sums, tile, tile);
    at_wgmma_commit(); at_wgmma_pending<1>(); at_wgmma_wait<0>(sums);
    y[44] += sums[3];
  }}
"""
    for how, each in (("", GROUP_COLUMNS), ("_turned", TURNED_COLUMNS))
    for columns in each
)
HOPPER += """
  unsigned long long* phases = reinterpret_cast<unsigned long long*>(tile + 128);
  if (at_meet_of<64>(counter, 2)) y[45] = 0.0f;
  at_prefetch_map(map); at_fewer_registers<40>(); at_more_registers<48>();
  at_mbarrier_init(phases, 2); at_mbarrier_fence(); at_mbarrier_arrive(phases); at_mbarrier_expect(phases, 128);
  at_bulk_copy(tile, map, (int)n, 8, phases); at_mbarrier_wait(phases, 0);
  at_mbarrier_arrive_all<2>(phases);
  at_bulk_copy_to(3, tile, map, (int)n, 8, phases);
  at_bulk_prefetch((int)n, 8, map);
  at_bulk_store(map, 8, (int)n, tile); at_bulk_commit(); at_bulk_wait<1>(); at_bulk_wait<0>(); at_group_barrier();
"""
RECENT = BASE + AMPERE + CLUSTERS
ARCHITECTURES = {"sm_75": BASE, "sm_80": BASE + AMPERE, "sm_90": RECENT, "sm_90a": RECENT + HOPPER, "sm_120": RECENT}


_INNER = {
    "at_forget",
    "at_matrix",
    "at_matrix_parts",
    "at_pair",
    "at_part",
    "at_peer_address",
    "at_shared_address",
    "at_to_8_bits",
    "at_unpack",
}
_INNER |= {"at_tf32", "at_tf32_rest", "at_mma_m16n8k8_tf32"}


def kernel(body: str) -> str:
    return f"""
extern "C" __global__ void __launch_bounds__(128, 1) f(const float* __restrict__ x, float* __restrict__ y,
    unsigned* counter, long long n, const __grid_constant__ at_tensor_map map) {{
  __shared__ __align__(128) unsigned short tile[256];
{body}
}}
"""


def compiled(text: str, arch: str) -> nvrtc.Cubin:
    try:
        return nvrtc.compile_cubin(text, arch)
    except UnsupportedError as e:
        pytest.skip(f"nvrtc: {e}")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_function_compiles(arch: str) -> None:
    cubin = compiled(PRELUDE_DEVICE + kernel(ARCHITECTURES[arch]), arch)
    assert cubin.facts["spills"] == 0
    assert "warning" not in cubin.log


def test_what_an_architecture_lacks_is_an_error() -> None:
    with pytest.raises(CodegenError, match="at_cp_async16"):
        compiled(PRELUDE_DEVICE + kernel(BASE + AMPERE), "sm_75")
    with pytest.raises(CodegenError, match="at_fence_async"):
        compiled(PRELUDE_DEVICE + kernel(RECENT + HOPPER), "sm_90")


def test_the_calls_above_are_all_there_are() -> None:
    defined = set(re.findall(r"AT_(?:DEVICE|OPERATION) [\w ]+? (at_\w+)\(", PRELUDE_DEVICE)) - _INNER
    assert set(re.findall(r"at_\w+(?=[(<])", RECENT + HOPPER)) == defined


@on_cpu
def test_the_harness_has_every_function_too() -> None:
    program(kernel(RECENT + HOPPER))


def test_every_operation_has_a_function_or_an_operator() -> None:
    for name in TABLE:
        assert (name in INFIX) != (f" at_{name}(" in PRELUDE_DEVICE) or name in WRAPPING, name


def result(name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
    text = f"""
extern "C" __global__ void f(const float* x, float* y, int n) {{
  for (int i = threadIdx.x; i < n; i += 32) y[i] = at_{name}(x[i]);
}}
"""
    y = np.zeros_like(x)
    program(text).launch("f", (1,), (32,), {"x": x, "y": y, "n": x.size})
    return y


FLOATS_OF_8_BITS = """
#undef __CUDA_ARCH__
#define AT_DEVICE static inline
#define at_f8e4m3_to_float plain_f8e4m3_to_float
#define at_float_to_f8e4m3 plain_float_to_f8e4m3
#define at_float_to_f8e5m2 plain_float_to_f8e5m2
#define at_f8e4m3_to_f16 plain_f8e4m3_to_f16
#define at_f8e5m2_to_f16 plain_f8e5m2_to_f16
FUNCTIONS
extern "C" __global__ void f(const float* x, unsigned char* y, unsigned char* z, int n) {
  for (int i = threadIdx.x; i < n; i += 32)
    y[i] = plain_float_to_f8e4m3(x[i]).bits, z[i] = plain_float_to_f8e5m2(x[i]).bits;
}
extern "C" __global__ void g(float* y, unsigned* e4, unsigned* e5) {
  for (int i = threadIdx.x; i < 256; i += 32) {
    const unsigned char a = i, b = 255 - i;
    y[i] = plain_f8e4m3_to_float(at_f8e4m3{a});
    e4[i] = plain_f8e4m3_to_f16(at_f8e4m3{a}, at_f8e4m3{b});
    e5[i] = plain_f8e5m2_to_f16(at_f8e5m2{a}, at_f8e5m2{b});
  }
}
"""


@on_cpu
def test_without_an_instruction_floats_of_8_bits_are_those_of_their_definition() -> None:
    """The text for GPUs that do not convert them, which this is compiled of, beside numpy's bits."""
    start, end = (PRELUDE_DEVICE.index(word) for word in ("AT_DEVICE float at_f8e4m3_to_float", "// Two of 16 bits in"))
    found = "\n".join(line for line in PRELUDE_DEVICE[start:end].splitlines() if "at_f8e5m2_to_float" not in line)
    whole = program(FLOATS_OF_8_BITS.replace("FUNCTIONS", found))
    numbers = np.concatenate([from_bits(np.arange(256, dtype=np.uint8), dtype) for dtype in FLOAT8])
    ties = (numbers[1:] + numbers[:-1]) / 2
    near = [numbers, ties, *(np.nextafter(ties, np.float32(to)) for to in (-np.inf, np.inf))]
    x = np.concatenate([*near, np.float32([1e-30, -1e-40, 3e38, np.inf, -np.inf, np.nan])])
    y, z, back = np.zeros(x.size, np.uint8), np.zeros(x.size, np.uint8), np.zeros(256, np.float32)
    whole.launch("f", (1,), (32,), {"x": x, "y": y, "z": z, "n": x.size})
    pairs = {dtype: np.zeros(256, np.uint32) for dtype in FLOAT8}
    whole.launch("g", (1,), (32,), {"y": back, "e4": pairs[FLOAT8[0]], "e5": pairs[FLOAT8[1]]})
    is_number = ~np.isnan(x)
    for dtype, made in zip(FLOAT8, (y, z), strict=True):
        np.testing.assert_array_equal(made[is_number], bits_of(x, dtype)[is_number], dtype)
        assert np.isnan(from_bits(made, dtype)[~is_number]).all()
    np.testing.assert_array_equal(back, from_bits(np.arange(256, dtype=np.uint8), FLOAT8[0]))
    for dtype, found in pairs.items():
        ordered = from_bits(np.arange(256, dtype=np.uint8), dtype)
        halves = found.view(np.float16).reshape(256, 2).astype(np.float32)
        np.testing.assert_array_equal(halves, np.stack([ordered, ordered[::-1]], axis=1), dtype)


@on_cpu
@pytest.mark.parametrize("dtype", FLOAT8)
def test_the_harness_knows_floats_of_8_bits(dtype: str) -> None:
    kind = BY_NAME[dtype].cuda
    text = f"""
extern "C" __global__ void f(const float* x, {kind}* y, float* z, int n) {{
  for (int i = threadIdx.x; i < n; i += 32) {{
    y[i] = {OF_FLOAT[dtype]}(x[i]);
    z[i] = {TO_FLOAT[dtype]}(y[i]);
  }}
}}
"""
    ordered = from_bits(np.arange(256, dtype=np.uint8), dtype)
    x = np.concatenate([ordered, (ordered[1:] + ordered[:-1]) / 2, np.float32([1e9, -np.inf, 1e-20])])
    y, z = np.zeros(x.size, np.uint8), np.zeros(x.size, np.float32)
    program(text).launch("f", (1,), (32,), {"x": x, "y": y, "z": z, "n": x.size})
    np.testing.assert_array_equal(z, rounded(x, dtype))
    np.testing.assert_array_equal(y[~np.isnan(x)], bits_of(x, dtype)[~np.isnan(x)])


# How far from the correctly rounded result, in units of its last place, or of 1e-36's where it is smaller.
UNITS = {"exp": 1, "log": 1, "tanh": 2, "erf": 2, "sigmoid": 2, "gelu": 4, "gelu_tanh": 4, "rsqrt": 1, "sqrt": 0}
UNITS |= {"sin": 2, "cos": 2, "tan": 4, "asin": 2, "acos": 2, "atan": 2, "sinh": 3, "cosh": 2, "asinh": 3, "acosh": 3}
UNITS |= {"atanh": 3, "gelu_byte": 4, "exp2": 1}


@pytest.mark.slow
@on_cpu
@pytest.mark.parametrize("name", UNITS)
def test_a_function_is_accurate(name: str) -> None:
    rng = np.random.default_rng(0)
    spread = rng.standard_normal(6000) * np.exp(rng.uniform(-20, 4.4, 6000))
    x = np.concatenate([spread, np.linspace(-16, 16, 4001), [0.0, -0.0, np.inf, -np.inf, np.nan]]).astype(np.float32)
    with np.errstate(all="ignore"):
        want = apply(name, x.astype(np.float64)).astype(np.float32)
    got = result(name, x)
    special = ~np.isfinite(want) | (want == 0)
    np.testing.assert_array_equal(got[special & np.isfinite(want)], want[special & np.isfinite(want)])
    np.testing.assert_array_equal(got[~np.isfinite(want)], want[~np.isfinite(want)])
    off = np.abs(got[~special].astype(np.float64) - want[~special]) / np.spacing(
        np.maximum(np.abs(want[~special]), np.float32(1e-36))
    )
    assert off.max() <= UNITS[name], x[~special][off.argmax()]


@on_cpu
def test_operations_on_bits_and_signs_are_numpys() -> None:
    text = """
extern "C" __global__ void f(const float* a, float* y, const int* i, const int* j, int* z, int n) {
  for (int t = threadIdx.x; t < n; t += 32) {
    y[t * 5] = at_round(a[t]), y[t * 5 + 1] = at_trunc(a[t]), y[t * 5 + 2] = at_sign(a[t]);
    y[t * 5 + 3] = at_isnan(a[t]), y[t * 5 + 4] = at_isinf(a[t]);
    z[t * 7] = at_truncdiv(i[t], j[t]), z[t * 7 + 1] = at_rem(i[t], j[t]), z[t * 7 + 2] = at_shl(i[t], j[t]);
    z[t * 7 + 3] = at_shr(i[t], j[t]), z[t * 7 + 4] = at_bitnot(i[t]), z[t * 7 + 5] = at_sign(i[t]);
    z[t * 7 + 6] = at_bits_int32(at_bits_float32(at_bits_int32(a[t])));
  }
}
"""
    few = np.array([0, -0.0, 0.5, -1.5, 2.5, np.inf, -np.inf, np.nan], np.float32)
    a = np.repeat(few, 8)
    whole = np.array([0, 1, -1, 7, -7, 33, -(2**31), 2**31 - 1], np.int32)
    i, j = (np.ascontiguousarray(g.reshape(-1)) for g in np.meshgrid(whole, whole))
    y, z = np.zeros((64, 5), np.float32), np.zeros((64, 7), np.int32)
    program(text).launch("f", (1,), (32,), {"a": a, "y": y, "i": i, "j": j, "z": z, "n": 64})
    with np.errstate(all="ignore"):
        floats = [apply(name, a) for name in ("round", "trunc", "sign", "isnan", "isinf")]
        ints = [apply(name, i, j) for name in ("truncdiv", "rem", "shl", "shr")]
    np.testing.assert_array_equal(y, np.stack(floats, 1))
    np.testing.assert_array_equal(z, np.stack([*ints, ~i, np.sign(i), a.view(np.int32)], 1))


@on_cpu
def test_small_operations_are_numpys() -> None:
    text = """
extern "C" __global__ void f(const float* a, const float* b, float* y, const int* i, const int* j, int* z, int n) {
  for (int t = threadIdx.x; t < n; t += 32) {
    y[t * 5] = at_max(a[t], b[t]), y[t * 5 + 1] = at_min(a[t], b[t]), y[t * 5 + 2] = at_abs(a[t]);
    y[t * 5 + 3] = at_floor(a[t]), y[t * 5 + 4] = at_ceil(a[t]);
    z[t * 5] = at_floordiv(i[t], j[t]), z[t * 5 + 1] = at_mod(i[t], j[t]), z[t * 5 + 2] = at_abs(i[t]);
    z[t * 5 + 3] = at_max(i[t], j[t]), z[t * 5 + 4] = at_min(i[t], j[t]);
  }
}
"""
    few = np.array([0, -0.0, 1.5, -1.5, 7, np.inf, -np.inf, np.nan], np.float32)
    a, b = (np.ascontiguousarray(g.reshape(-1)) for g in np.meshgrid(few, few))
    whole = np.array([0, 1, -1, 7, -7, 3, -(2**31), 2**31 - 1], np.int32)
    i, j = (np.ascontiguousarray(g.reshape(-1)) for g in np.meshgrid(whole, whole))
    y, z = np.zeros((64, 5), np.float32), np.zeros((64, 5), np.int32)
    program(text).launch("f", (1,), (32,), {"a": a, "b": b, "y": y, "i": i, "j": j, "z": z, "n": 64})
    with np.errstate(all="ignore"):
        floats = [apply("max", a, b), apply("min", a, b), *(apply(name, a) for name in ("abs", "floor", "ceil"))]
        ints = [apply("floordiv", i, j), apply("mod", i, j), np.abs(i), apply("max", i, j), apply("min", i, j)]
    np.testing.assert_array_equal(y, np.stack(floats, 1))
    np.testing.assert_array_equal(z, np.stack(ints, 1))


@pytest.mark.slow
@on_cpu
@pytest.mark.parametrize("count", [1, 2, 3, 8, 13, 16, 31, 32])
def test_lanes_part_the_sums_of_a_warp(count: int) -> None:
    """The device's own text, whose exchanges are plain C++, and the harness' sums one by one."""
    functions = r"^template <[^>]*> AT_DEVICE \w+ at_(?:part|warp_sums)\(.*?^}"
    found = re.findall(functions, PRELUDE_DEVICE, re.M | re.S)
    assert len(found) == 2
    own = "\n".join(found).replace("AT_DEVICE", "static").replace("at_warp_sums", "sums_of_device")
    text = f"""
{own}
extern "C" __global__ void f(const float* x, float* y, float* z) {{
  float v[{count}];
  for (int i = 0; i < {count}; ++i) v[i] = x[threadIdx.x * {count} + i];
  y[threadIdx.x] = sums_of_device<{count}>(v);
  z[threadIdx.x] = at_warp_sums<{count}>(v);
}}
"""
    x = np.random.default_rng(count).integers(-99, 99, (64, count)).astype(np.float32)
    y, z = np.zeros(64, np.float32), np.zeros(64, np.float32)
    program(text).launch("f", (1,), (64,), {"x": x, "y": y, "z": z})
    for got in (y, z):
        np.testing.assert_array_equal(got.reshape(2, 32)[:, :count], x.reshape(2, 32, count).sum(axis=1))

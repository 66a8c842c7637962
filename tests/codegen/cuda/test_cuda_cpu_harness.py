"""The CPU harness for CUDA kernels: right ones are right in every order of threads, planted bugs are red and named."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import Fault, program

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

ORDERS = ("forward", "reverse", "random:1", "random:2")

REVERSED = """
extern "C" __global__ void __launch_bounds__(64) f(const float* __restrict__ x, float* __restrict__ y, long long n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  tile[t] = i < n ? x[i] : 0.0f;
  BARRIER
  if (i < n) y[i] = tile[63 - t];
}
"""


def expected_reversed(x: np.ndarray) -> np.ndarray:
    padded = np.zeros((-(-x.size // 64), 64), np.float32)
    padded.reshape(-1)[: x.size] = x
    return padded[:, ::-1].reshape(-1)[: x.size]


def run(text: str, grid: int = 1, threads: int = 64, order: str = "forward", shared: int = 0, **given: object) -> None:
    """Kernel `f` on arrays and numbers by name."""
    program(text).launch("f", (grid,), (threads,), given, order=order, shared=shared)  # type: ignore[arg-type]


def kernel(body: str, parameters: str = "const float* x, float* y, long long n") -> str:
    return f'extern "C" __global__ void f({parameters}) {{\n{body}\n}}\n'


def faulty(text: str, says: str, order: str = "forward", threads: int = 64, n: int = 64, shared: int = 0) -> None:
    """Kernel `f` of x and y with n elements fails with a message that matches; nothing of it outlives the launch."""
    with pytest.raises(Fault, match=says) as found:
        run(text, 1, threads, order, shared, x=np.ones(n, np.float32), y=np.zeros(n, np.float32), n=n)
    assert "\n" not in str(found.value)


def test_a_kernel_that_begins_early_touches_nothing_before_it_has_waited() -> None:
    read, wait, write = "float held = x[threadIdx.x];", "at_begin();", "y[threadIdx.x] = held;"
    shared = "__shared__ float tile[64]; tile[threadIdx.x] = 1.0f;"
    run(kernel(f"{shared} {wait} {read} {write}"), x=np.ones(64, np.float32), y=np.zeros(64, np.float32), n=64)
    run(kernel(f"{read} {write}"), x=np.ones(64, np.float32), y=np.zeros(64, np.float32), n=64)  # one that never waits
    faulty(kernel(f"{read} {wait} {write}"), r"thread \(0,0,0\) reads x at line 2 before it has waited in at_begin")
    some = f"if (threadIdx.x < 32) {wait}"
    faulty(kernel(f"{some} {read} {write}"), r"thread \(32,0,0\) reads x at line 2 before it has waited in at_begin")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 211])
def test_a_right_kernel_is_right_in_every_order(order: str, n: int) -> None:
    x, y = np.arange(n, dtype=np.float32), np.full(n, np.nan, np.float32)
    run(REVERSED.replace("BARRIER", "__syncthreads();"), -(-n // 64), order=order, x=x, y=y, n=n)
    np.testing.assert_array_equal(y, expected_reversed(x))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", ORDERS)
def test_a_missing_barrier_is_a_race_in_every_order(order: str) -> None:
    says = r"race on shared tile at byte \d+: thread \(\d+,0,0\) (reads|writes) at line [68] what .* with no barrier"
    faulty(REVERSED.replace("BARRIER", ""), says, order)


def test_a_launch_keeps_none_of_its_memory() -> None:
    """What 512 threads and each byte of their shared memory have seen takes 10 MB, in each of hundreds of libraries."""
    body = """
      extern __shared__ float s[];
      for (int i = threadIdx.x; i < n; i += 512) s[i] = 1.0f;
      __syncthreads();
      y[threadIdx.x] = s[n - 1];"""
    text = kernel(body, "float* y, long long n")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    run(text, threads=512, shared=512 * 4, y=np.zeros(512, np.float32), n=512)
    before, y = resident(), np.zeros(512, np.float32)
    run(text, threads=512, shared=50_000 * 4, y=y, n=50_000)
    assert resident() - before < 3 << 20
    assert y.all()


def test_a_read_must_be_over_before_the_next_write() -> None:
    body = """
      __shared__ float tile[64];
      int t = threadIdx.x;
      for (int i = 0; i < 2; ++i) {
        tile[t] = x[t] + i;
        __syncthreads();
        y[t] = tile[63 - t];
        BARRIER
      }"""
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run(kernel(body.replace("BARRIER", "__syncthreads();")), x=x, y=y, n=64)
    np.testing.assert_array_equal(y, x[::-1] + 1)
    for order in ORDERS:
        faulty(
            kernel(body.replace("BARRIER", "")),
            "race on shared tile .* line [68] what .* line [68], with no barrier",
            order,
        )


def test_two_writers_of_one_element_are_a_race_in_any_memory() -> None:
    faulty(kernel("y[threadIdx.x / 2] = x[threadIdx.x];"), r"race on y at byte 0: thread \(1,0,0\) writes .* wrote at")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", ORDERS)
def test_lanes_of_a_warp_need_its_barrier(order: str) -> None:
    body = "__shared__ float tile[64];\nint t = threadIdx.x;\ntile[t] = x[t];\n{}\ny[t] = tile[t ^ 31];"
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run(kernel(body.format("__syncwarp();")), order=order, x=x, y=y, n=64)
    np.testing.assert_array_equal(y, x.reshape(2, 32)[:, ::-1].reshape(-1))
    faulty(kernel(body.format("")), "race on shared tile", order)
    faulty(kernel(body.format("__syncwarp();").replace("t ^ 31", "63 - t")), "race on shared tile", order)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "y[threadIdx.x] = x[threadIdx.x + 1];",
            r"thread \(63,0,0\) reads 4 bytes at line 2 out of bounds of x: at byte 256",
        ),
        ("y[threadIdx.x + 1] = 1;", r"thread \(63,0,0\) writes 4 bytes at line 2 out of bounds of y: at byte 256"),
        ("y[(int)threadIdx.x - 1] = 1;", r"thread \(0,0,0\) writes .* out of bounds of y: 4 bytes before its start"),
        ("((float*)x)[threadIdx.x] = 1;", r"writes to x at line 2, which is const"),
        ("*(float*)n = 1;", "out of bounds of"),
        (
            "__shared__ float tile[3][8];\ntile[1][threadIdx.x] = 1;",
            r"thread \(8,0,0\): index 8 at line 3 out of bounds of 'float \[8\]'",
        ),
        (
            "__shared__ float tile[64];\nfloat* p = tile;\np[threadIdx.x * 2] = 1;",
            "line 4 out of bounds of static shared",
        ),
        (
            "extern __shared__ float all[];\nall[threadIdx.x] = 1;",
            r"thread \(32,0,0\) writes .* dynamic shared memory: at byte 128, and it has 128",
        ),
        (
            "float a[4];\nfor (int i = 0; i <= n / 16; ++i) a[i] = x[i];\ny[0] = a[n / 32];",
            r"index 4 at line 3 out of bounds of 'float \[4\]'",
        ),
        ("*(float4*)(y + threadIdx.x) = make_float4(1, 2, 3, 4);", r"thread \(1,0,0\): address .* no multiple of 16"),
        ("float4 v;\nat_load4(v, x + 2);\ny[0] = v.x;", "a load at line 3 of an address that is no multiple of 16"),
        ("y[0] = at_load_streaming(y);", "reads y at line 2 as memory that no thread writes"),
        ("int big = (int)n << 24;\ny[0] = big * 2;", "(shift|overflow)"),
        ("y[0] = (int)n * 1000000 * 1000;", "mul_overflow in 'int' at line 2"),
        ("y[0] = 7 / ((int)n - 64);", "divrem_overflow"),
        ("while (*(volatile float*)y == 0) {}", "does not come to an end: no barrier in"),
    ],
)
def test_an_access_that_no_gpu_forgives_is_named(body: str, says: str) -> None:
    faulty(kernel(body), says, shared=128)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "if (threadIdx.x < 32) __syncthreads();",
            r"diverged: thread \(0,0,0\) waits in __syncthreads at line 2, and .* left the kernel",
        ),
        ("if (x[threadIdx.x] == 1 && threadIdx.x > 7) return;\n__syncthreads();", "diverged: .* has left the kernel"),
        (
            "if (threadIdx.x < 32) {\n__syncthreads();\n} else {\n__syncthreads();\n}",
            "diverged barrier: .* line 5, and .* line 3",
        ),
        (
            "if (threadIdx.x % 32 < 16) y[threadIdx.x] = at_warp_sum(x[0]);",
            "diverged: .* __shfl_xor_sync at line 2.* left the kernel",
        ),
        ("if (threadIdx.x % 2) __syncwarp(); else __syncthreads();", "diverged: .* __syncthreads at line 2"),
        ("if (threadIdx.x % 32 < 16) __syncwarp(0xffff0000u);", "with a mask that leaves it out"),
        (
            "y[threadIdx.x] = __shfl_sync(threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u, 1.0f, 3);",
            "takes a shuffle's value at line 2 from lane 3",
        ),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_threads_that_part_before_a_barrier_are_named(body: str, says: str, order: str) -> None:
    faulty(kernel(body), says if order == "forward" else "diverged|mask|shuffle", order)


def test_shared_memory_begins_as_nan_in_every_block() -> None:
    body = """
      extern __shared__ float all[];
      __shared__ float tile[64];
      int t = threadIdx.x;
      y[blockIdx.x * 64 + t] = all[t] == all[t] || tile[t] == tile[t];
      __syncthreads();
      all[t] = tile[t] = 1;"""
    y = np.zeros(192, np.float32)
    run(kernel(body), 3, shared=256, x=y.copy(), y=y, n=0)
    assert not y.any()


def test_a_fault_harms_no_later_launch() -> None:
    text = REVERSED.replace("BARRIER", "__syncthreads();")
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    for _ in range(3):
        with pytest.raises(Fault, match="out of bounds of x"):
            run(text, x=x[:9].copy(), y=y, n=64)
        run(text, x=x, y=y, n=64)
        np.testing.assert_array_equal(y, x[::-1])


@pytest.mark.parametrize("order", ORDERS)
def test_threads_of_three_dimensions_and_blocks_of_three(order: str) -> None:
    body = """
      int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      y[b * 30 + t] = b * 100 + t;"""
    y = np.zeros((24, 30), np.float32)
    program(kernel(body)).launch("f", (2, 3, 4), (5, 3, 2), {"x": y.copy(), "y": y, "n": 0}, order=order)
    np.testing.assert_array_equal(y, np.arange(24)[:, None] * 100 + np.arange(30))


@pytest.mark.parametrize("order", ORDERS)
def test_warps_exchange_values_as_cuda_says(order: str) -> None:
    body = """
      int t = threadIdx.x, lane = t % 32;
      y[t] = __shfl_sync(0xffffffffu, t, 5, 8);
      y[64 + t] = __shfl_up_sync(0xffffffffu, t, 3);
      y[128 + t] = __shfl_down_sync(0xffffffffu, t, 3, 16);
      y[192 + t] = __shfl_xor_sync(0xffffffffu, t, 9);
      y[256 + t] = __popc(__ballot_sync(0xffffffffu, lane % 3 == 0));
      y[320 + t] = at_warp_sum(x[t]);
      y[384 + t] = at_warp_max(x[t]);
      y[448 + t] = __syncthreads_count(t < 5) + 100 * __syncthreads_or(t == 9) + 1000 * __syncthreads_and(t < 63);"""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 99, 512).astype(np.float32), np.zeros((8, 64), np.float32)
    run(kernel(body), order=order, x=x, y=y, n=0)
    t = np.arange(64)
    lane, warps = t % 32, x[:64].reshape(2, 32)
    assert (y[0] == t // 8 * 8 + 5).all()
    assert (y[1] == np.where(lane < 3, t, t - 3)).all()
    assert (y[2] == np.where(t % 16 + 3 > 15, t, t + 3)).all()
    assert (y[3] == (t ^ 9)).all()
    assert (y[4] == 11).all()
    assert (y[5] == warps.sum(1).repeat(32)).all()
    assert (y[6] == warps.max(1).repeat(32)).all()
    assert (y[7] == 105).all()


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_meet_and_leave_the_counter_as_it_was(order: str) -> None:
    text = """
extern "C" __global__ void f(const float* __restrict__ x, float* __restrict__ y, unsigned* __restrict__ counter,
                             float* __restrict__ parts, long long k) {
  int t = threadIdx.x;
  parts[blockIdx.x * 32 + t] = x[blockIdx.x * 32 + t];
  at_atomic_add(y, x[blockIdx.x * 32 + t]);
  if (!at_meet(counter, gridDim.x)) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += parts[i * 32 + t];
  y[1 + t] = sum;
}
"""
    x, y, counter = np.arange(160, dtype=np.float32).reshape(5, 32), np.zeros(33, np.float32), np.zeros(2, np.uint32)
    for _ in range(2):  # the second launch finds the counter as the first did
        y[:] = 0
        run(text, 5, 32, order, x=x, y=y, counter=counter[:1], parts=np.zeros_like(x), k=5)
        np.testing.assert_array_equal(y[1:], x.sum(0))
        assert y[0] == x.sum()
        assert counter[0] == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("order", ORDERS)
def test_blocks_that_have_not_met_are_a_race(order: str) -> None:
    for body in (
        "y[threadIdx.x] = 1;",
        "y[blockIdx.x] = 1;\ny[32 + blockIdx.x] = y[(blockIdx.x + 1) % 2];",
        "if (blockIdx.x == 0) at_atomic_add(y, 1);\nelse y[0] = 1;",
    ):
        with pytest.raises(Fault, match="race on y at byte .* what block [01] (wrote|read) at line .* have not met"):
            run(kernel(body), 2, 1, order, x=np.zeros(1, np.float32), y=np.zeros(64, np.float32), n=0)


def test_the_profile_counts_bank_conflicts_and_sectors() -> None:
    body = """
      __shared__ __align__(16) float tile[32][STRIDE];
      int t = threadIdx.x;
      float4 v;
      for (int i = 0; i < 32; ++i) tile[i][t] = x[i * 32 + t];
      __syncthreads();
      y[t * 32] = tile[t][1];
      at_load4(v, &tile[t][0]);
      y[t * 32 + 1] = v.x;"""
    x, y = np.ones(1024, np.float32), np.zeros(1024, np.float32)
    found = {}
    for stride in (32, 33, 36):
        text = kernel(body.replace("STRIDE", str(stride)))
        if stride == 33:
            text = text.replace("at_load4(v, &tile[t][0]);", "v.x = tile[t][0];")
        which = program(text)
        which.launch("f", (1,), (32,), {"x": x, "y": y, "n": 0}, profile=True)
        found[stride] = {(t.line, t.shared, t.writes): t for t in which.tallies()}
    row = (6, True, True)
    assert found[32][row].cost == found[32][row].ideal == found[32][row].requests == 32
    assert found[32][6, False, False].cost == 32 * 4  # a row of 128 bytes is four sectors
    assert found[32][8, True, False].cost == 32  # all lanes want one bank
    assert found[33][8, True, False].cost == 1
    assert found[32][9, True, False].cost == 4 * 8  # eight lanes at a time, all in the same four banks
    assert found[36][9, True, False].cost == 4
    assert found[36][8, False, True].cost == 32  # each element in a sector of its own

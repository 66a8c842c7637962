"""Bulk copies, stores and mbarriers in the CPU harness: numpy says what comes of them, and what is missing is named."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import Array, Fault, TensorMap, program

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

ORDERS = ("forward", "reverse", "random:1", "random:2")
ROUNDS, STAGES, STEPS = 5, 2, 64
ROWS, COLUMNS, DEPTH = 61, 30, 64 * ROUNDS - 24  # none is whole boxes

# A group of four warps multiplies what a warp of its own has copied, two stages of which are there.
PRODUCT = """
extern "C" __global__ void __launch_bounds__(160) f(const at_bf16* x, const at_bf16* w, float* y,
    const __grid_constant__ at_tensor_map x_map, const __grid_constant__ at_tensor_map w_map) {
  __shared__ __align__(1024) at_bf16 xs[2][64][64];
  __shared__ __align__(1024) at_bf16 ws[2][32][64];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { at_mbarrier_init(&full[i], 1); at_mbarrier_init(&empty[i], 4); }
    at_mbarrier_fence();
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128) {
      for (int k = 0; k < 5; ++k) {
        at_mbarrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);
        at_mbarrier_expect(&full[k % 2], 96 * 128);
        at_bulk_copy(xs[k % 2], x_map, k * 64, 0, &full[k % 2]);
        at_bulk_copy(ws[k % 2], w_map, k * 64, 0, &full[k % 2]);
      }
    }
    return;
  }
  float c[16];
  for (int i = 0; i < 16; ++i) c[i] = 0.0f;
  for (int k = 0; k < 5; ++k) {
    at_mbarrier_wait(&full[k % 2], k / 2 % 2);
    at_wgmma_fence();
    at_wgmma_n32_bf16(c, xs[k % 2], ws[k % 2]);
    at_wgmma_commit();
    at_wgmma_wait<0>(c);
    if (lane == 0) at_mbarrier_arrive(&empty[k % 2]);
  }
  for (int i = 0; i < 16; ++i) {
    const int row = t / 32 * 16 + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < 61 && column < 30) y[row * 30 + column] = c[i];
  }
}
"""


def operands() -> dict[str, Array]:
    rng = np.random.default_rng(3)
    x, w = (rng.integers(-4, 5, (rows, DEPTH)).astype(ml_dtypes.bfloat16) for rows in (ROWS, COLUMNS))
    return {"x": x, "w": w, "y": np.full((ROWS, COLUMNS), np.nan, np.float32)}


def run(text: str, order: str = "forward") -> dict[str, Array]:
    given = operands()
    maps = {"x_map": TensorMap("x", (ROWS, DEPTH), (64, STEPS)), "w_map": TensorMap("w", (COLUMNS, DEPTH), (32, STEPS))}
    program(text).launch("f", (1,), (160,), {**given, **maps}, order=order)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_what_one_warp_copies_a_group_multiplies(order: str) -> None:
    given = run(PRODUCT, order)
    np.testing.assert_array_equal(given["y"], given["x"].astype(np.float32) @ given["w"].astype(np.float32).T)


EMPTY, EXPECT = "at_mbarrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);", "at_mbarrier_expect(&full[k % 2], 96 * 128);"
FULL, ARRIVE = "at_mbarrier_wait(&full[k % 2], k / 2 % 2);", "if (lane == 0) at_mbarrier_arrive(&empty[k % 2]);"
FAULTS: dict[str, tuple[str, str, str]] = {
    "no wait for the tile": (FULL, "", "race on shared xs|is in flight"),
    "the other phase of the tile": (FULL, FULL.replace("k / 2 % 2", "k / 2 % 2 ^ 1"), "race on shared xs"),
    "always the first phase": (FULL, FULL.replace("k / 2 % 2", "0"), "in flight"),
    "nothing announced": (EXPECT, "at_mbarrier_arrive(&full[k % 2]);", "in flight"),
    "too little announced": (EXPECT, EXPECT.replace("96", "64"), "in flight|waits for ever"),
    "too much announced": (EXPECT, EXPECT.replace("96", "97"), "waits for ever .* 0 of 1 arrivals and 128 bytes"),
    "nobody arrives at the full one": (EXPECT, "", "waits for ever .* lacks 1 of 1 arrivals"),
    "refilled without a wait": (EMPTY, "", "race on shared xs|takes no more than 1"),
    "the other phase of the room": (EMPTY, EMPTY.replace(" ^ 1", ""), "waits for ever"),
    "nobody gives the tile back": (ARRIVE, "", "waits for ever .* lacks 4 of 4 arrivals"),
    "given back by one warp": (ARRIVE, ARRIVE.replace("lane", "t"), "waits for ever .* lacks 3 of 4 arrivals"),
    "given back by all lanes": (ARRIVE, ARRIVE.replace("if (lane == 0) ", ""), "waits for ever"),
    "given back before it is read": (
        f"at_wgmma_wait<0>(c);\n    {ARRIVE}",
        f"{ARRIVE}\n    at_wgmma_wait<0>(c);",
        "race on shared|in flight",
    ),
    "one arrival is enough": ("&empty[i], 4", "&empty[i], 1", "waits for ever"),
    "no fence after the init": ("at_mbarrier_fence();", "", "no fence.mbarrier_init follows"),
    "no barrier after the init": ("}\n  __syncthreads();", "}", "race on shared|no mbarrier"),
    "no init": ("at_mbarrier_init(&full[i], 1);", "", "is no mbarrier"),
    "written before by threads": (
        "  __syncthreads();",
        "  if (t < 64) xs[0][0][t] = {0};\n  __syncthreads();",
        "with no fence for the asynchronous proxy",
    ),
    "no tensor map": ("x_map, k * 64, 0", "at_tensor_map{}, k * 64, 0", "is no tensor map"),
    "tile not where a swizzle begins": ("at_bulk_copy(xs[k % 2]", "at_bulk_copy(xs[k % 2][1]", "no multiple of 1024"),
    "nobody waits for the last": (
        "for (int k = 0; k < 5; ++k) {\n    at_mbarrier_wait(&full",
        "for (int k = 0; k < 4; ++k) {\n    at_mbarrier_wait(&full",
        "the block ends while its bulk copy at",
    ),
}


def check_named(fault: tuple[str, str, str], text: str, launch: Callable[[str], object]) -> None:
    """A program in which something else stands in a place is refused in such words."""
    was, becomes, says = fault
    assert was in text
    with pytest.raises(Fault, match=says):
        launch(text.replace(was, becomes))


@pytest.mark.slow
@pytest.mark.parametrize("what", FAULTS)
def test_what_is_missing_is_named(what: str) -> None:
    check_named(FAULTS[what], PRODUCT, run)


@pytest.mark.slow
def test_threads_that_fence_may_have_written_before() -> None:
    given = run(
        PRODUCT.replace(
            "  __syncthreads();", "  if (t < 64) xs[0][0][t] = {0};\n  at_fence_async();\n  __syncthreads();"
        )
    )
    assert np.isfinite(given["y"]).all()


# A group of four warps writes boxes of 64 rows and columns, two of which may be under way to memory.
STORES = """
extern "C" __global__ void __launch_bounds__(128) f(at_bf16* y, const __grid_constant__ at_tensor_map y_map) {
  __shared__ __align__(1024) at_bf16 tiles[2][64][64];
  const int t = threadIdx.x, row = t / 2;
  for (int k = 0; k < 3; ++k) {
    if (t == 0) at_bulk_wait<1>();
    at_group_barrier();
    for (int i = 0; i < 32; ++i) {
      const int column = t % 2 * 32 + i, value = (row * 7 + k * 64 + column) % 61;
      tiles[k % 2][row][(column / 8 ^ row % 8) * 8 + column % 8] = at_float_to_bf16((float)value);
    }
    at_fence_async();
    at_group_barrier();
    if (t == 0) {
      at_bulk_store(y_map, k * 64, 0, tiles[k % 2]);
      at_bulk_commit();
    }
  }
  if (t == 0) at_bulk_wait<0>();
}
"""
HIGH, WIDE = 61, 152  # of whole pieces of 16 bytes, and no whole boxes


def stored(text: str, order: str = "forward") -> Array:
    y = np.full((HIGH, WIDE), np.nan, ml_dtypes.bfloat16)
    maps = {"y_map": TensorMap("y", (HIGH, WIDE), (64, STEPS))}
    program(text).launch("f", (1,), (128,), {"y": y, **maps}, order=order)
    return y


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_boxes_are_stored_as_far_as_they_lie_inside(order: str) -> None:
    rows, columns = np.arange(HIGH), np.arange(WIDE)
    np.testing.assert_array_equal(stored(STORES, order).astype(np.int64), (rows[:, None] * 7 + columns) % 61)


MEET, STORE = "at_group_barrier();\n", "at_bulk_store(y_map, k * 64, 0, tiles[k % 2]);"
STORE_FAULTS = {
    "no fence": ("    at_fence_async();\n", "", "reads what thread .* with no fence for the asynchronous proxy"),
    "a fence of one thread": (
        "at_fence_async()",
        "if (t == 0) at_fence_async()",
        "no fence for the asynchronous proxy",
    ),
    "a fence too late": (f"at_fence_async();\n    {MEET}", f"{MEET}    at_fence_async();\n", "asynchronous proxy"),
    "no barrier before the store": (f"async();\n    {MEET}", "async();\n", "still reads|race on shared tiles"),
    "no barrier after the wait": (
        f"at_bulk_wait<1>();\n    {MEET}",
        "at_bulk_wait<1>();\n",
        "race on shared tiles|still",
    ),
    "a tile too early": ("at_bulk_wait<1>", "at_bulk_wait<2>", "still reads: a wait is missing"),
    "no wait for a tile": ("if (t == 0) at_bulk_wait<1>();", "", "still reads: a wait is missing"),
    "another one waits": (
        "if (t == 0) at_bulk_wait<1>",
        "if (t == 1) at_bulk_wait<1>",
        "still reads: a wait is missing",
    ),
    "nothing committed": ("at_bulk_commit();", "", "still reads: a wait is missing"),
    "no wait at the end": ("  if (t == 0) at_bulk_wait<0>();\n", "", "leaves the kernel while its bulk store at"),
    "too weak a wait at the end": ("at_bulk_wait<0>", "at_bulk_wait<1>", "leaves the kernel while its bulk store at"),
    "const": (
        "f(at_bf16* y",
        "f(const at_bf16* y",
        "bulk store at .* to y, by a map of more than it, or of what is const",
    ),
    "no tensor map": ("y_map, k * 64, 0,", "at_tensor_map{}, k * 64, 0,", "is no tensor map"),
    "tile not where a swizzle begins": (STORE, STORE.replace("[k % 2]", "[k % 2][1]"), "no multiple of 1024"),
    "not from shared memory": (STORE, STORE.replace("tiles[k % 2]", "(void*)(1 << 20)"), "that is no shared memory"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", STORE_FAULTS)
@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_what_a_bulk_store_lacks_is_named(what: str, order: str) -> None:
    check_named(STORE_FAULTS[what], STORES, lambda text: stored(text, order))


# Two blocks of a cluster multiply rows of their own by columns of which each has copied half for both.
CLUSTER = """
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160) f(const at_bf16* x, const at_bf16* w,
    float* y, const __grid_constant__ at_tensor_map x_map, const __grid_constant__ at_tensor_map w_map) {
  __shared__ __align__(1024) at_bf16 xs[2][64][64];
  __shared__ __align__(1024) at_bf16 ws[2][32][64];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x, lane = t % 32, rank = blockIdx.x % 2;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) { at_mbarrier_init(&full[i], 1); at_mbarrier_init(&empty[i], 8); }
    at_mbarrier_fence();
  }
  at_cluster_barrier();
  if (t == 128) {
    for (int k = 0; k < 5; ++k) {
      at_mbarrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);
      at_mbarrier_expect(&full[k % 2], 96 * 128);
      at_bulk_copy(xs[k % 2], x_map, k * 64, blockIdx.x * 64, &full[k % 2]);
      at_bulk_copy_to(3, ws[k % 2][rank * 16], w_map, k * 64, rank * 16, &full[k % 2]);
    }
  }
  if (t < 128) {
    float c[16];
    for (int i = 0; i < 16; ++i) c[i] = 0.0f;
    for (int k = 0; k < 5; ++k) {
      at_mbarrier_wait(&full[k % 2], k / 2 % 2);
      at_wgmma_fence();
      at_wgmma_n32_bf16(c, xs[k % 2], ws[k % 2]);
      at_wgmma_commit();
      at_wgmma_wait<0>(c);
      if (lane == 0) at_mbarrier_arrive_all<2>(&empty[k % 2]);
    }
    for (int i = 0; i < 16; ++i) {
      const int row = blockIdx.x * 64 + t / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      if (row < 200 && column < 30) y[row * 30 + column] = c[i];
    }
  }
  at_cluster_barrier();
}
"""


def together(text: str, order: str = "forward", blocks: int = 4) -> dict[str, Array]:
    rng = np.random.default_rng(4)
    x, w = (rng.integers(-4, 5, (rows, DEPTH)).astype(ml_dtypes.bfloat16) for rows in (200, COLUMNS))
    given = {"x": x, "w": w, "y": np.full((200, COLUMNS), np.nan, np.float32)}
    maps = {"x_map": TensorMap("x", (200, DEPTH), (64, STEPS)), "w_map": TensorMap("w", (COLUMNS, DEPTH), (16, STEPS))}
    program(text).launch("f", (blocks,), (160,), {**given, **maps}, order=order)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_what_two_blocks_copy_both_multiply(order: str) -> None:
    given = together(CLUSTER, order)
    np.testing.assert_array_equal(given["y"], given["x"].astype(np.float32) @ given["w"].astype(np.float32).T)


# Blocks of a cluster add up what all of them have, each a part, which the others put into its shared memory.
SUMS = """
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(32) f(const float* x, float* y) {
  __shared__ __align__(16) float parts[4][32];
  const int t = threadIdx.x, block = blockIdx.x % 4;
  at_cluster_arrive();
  const float* mine = &x[blockIdx.x * 128 + t * 4];
  const float4 v = {mine[0], mine[1], mine[2], mine[3]};
  at_cluster_wait();
  at_store_peer4(&parts[block][t % 8 * 4], v, t / 8);
  at_cluster_barrier();
  float sum = 0.0f;
  for (int other = 0; other < 4; ++other) sum += parts[other][t];
  y[blockIdx.x * 32 + t] = sum;
}
"""
IN_PEERS = {
    "no wait at first": ("  at_cluster_wait();\n", "", "may not have begun: a barrier of the cluster is missing"),
    "no arrival at first": (
        "  at_cluster_arrive();\n",
        "",
        "waits .* for the barrier of the cluster, and has not arrived",
    ),
    "another arrival": ("at_cluster_wait();", "at_cluster_barrier();", "and has not waited for the one before"),
    "no barrier at last": ("  at_cluster_barrier();\n", "", "race on shared parts .* reads .* what .* wrote"),
    "a barrier of the block alone": ("at_cluster_barrier();", "__syncthreads();", "race on shared parts"),
    "an arrival alone": ("at_cluster_barrier();", "at_cluster_arrive();", "race on shared parts"),
    "given too late": (
        "at_cluster_barrier();",
        "at_cluster_barrier();\n  at_store_peer(&parts[block][t], 1.0f, (block + 1) % 4);",
        "race on shared parts",
    ),
    "given twice": (
        "  at_cluster_barrier();",
        "  at_store_peer(&parts[0][0], 1.0f, 3);\n  at_cluster_barrier();",
        "race on shared parts .* writes .* what .* wrote",
    ),
    "a block too many": ("v, t / 8)", "v, t / 8 + 1)", "to block 4 of its cluster, which has 4"),
    "out of bounds": ("&parts[block][t % 8 * 4]", "&parts[0][0] + 512", "out of bounds"),
    "not aligned": ("t % 8 * 4], v", "t % 8 * 4 + 1], v", "no multiple of 16"),
    "no shared memory": ("&parts[block][t % 8 * 4]", "&y[0]", "that is no shared memory"),
}


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_of_a_cluster_write_to_each_others_shared_memory(order: str) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 128), dtype=np.float32)
    y = np.full((3, 128), np.nan, np.float32)
    program(SUMS).launch("f", (12,), (32,), {"x": x, "y": y}, order=order)
    np.testing.assert_allclose(y, x.sum(1), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", IN_PEERS)
def test_what_goes_wrong_between_blocks_that_reach_each_other_is_named(name: str) -> None:
    x, y = np.zeros((4, 128), np.float32), np.zeros(128, np.float32)
    check_named(IN_PEERS[name], SUMS, lambda text: program(text).launch("f", (4,), (32,), {"x": x, "y": y}))


FIRST = "at_mbarrier_fence();\n  }\n  at_cluster_barrier();"
APART = {
    "no barrier at first": (FIRST, FIRST.replace("  at_cluster_barrier();", ""), "is no mbarrier|race on|init"),
    "a barrier of one block at first": (
        FIRST,
        FIRST.replace("at_cluster_barrier", "__syncthreads"),
        "is no mbarrier|race",
    ),
    "no barrier at last": ("  at_cluster_barrier();\n}", "}", "a barrier of the cluster is missing"),
    "a barrier without who fills": (
        "  at_cluster_barrier();\n}",
        "  if (t < 128) at_cluster_barrier();\n}",
        "diverged|for ever",
    ),
    "no fence after the init": ("at_mbarrier_fence();", "", "no fence.mbarrier_init follows"),
    "copied for one block": ("to(3,", "to(1,", r"waits for ever .* lacks 0 of 1 arrivals and \d+ bytes"),
    "copied for the other block": ("to(3,", "to(2 - rank,", "waits for ever|race on|in flight"),
    "copied for more than there are": ("to(3,", "to(7,", "to blocks 0x7 of a cluster of 2"),
    "both copy the same half": ("ws[k % 2][rank * 16]", "ws[k % 2][0]", "race on shared ws|in flight"),
    "half of it announced": ("96 * 128", "80 * 128", "in flight|waits for ever"),
    "given back to one block": ("arrive_all<2>", "arrive", "waits for ever .* lacks 4 of 8 arrivals"),
    "given back by one block": ("&empty[i], 8", "&empty[i], 4", "race on shared|takes no more than 4|in flight"),
    "refilled without a wait": (
        "at_mbarrier_wait(&empty[k % 2], k / 2 % 2 ^ 1);",
        "",
        "race on|takes no more than 1",
    ),
    "given to more than there are": (
        "arrive_all<2>",
        "arrive_all<3>",
        "mbarrier of block 2 of its cluster, which has 2",
    ),
    "no cluster": ("__cluster_dims__(2, 1, 1) ", "", "of a cluster of 1|of its cluster, which has 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", APART)
@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_what_blocks_of_a_cluster_owe_each_other_is_named(what: str, order: str) -> None:
    check_named(APART[what], CLUSTER, lambda text: together(text, order))


def test_a_grid_is_whole_clusters() -> None:
    with pytest.raises(Fault, match="a grid of 3 blocks along x is no clusters of 2"):
        together(CLUSTER, blocks=3)

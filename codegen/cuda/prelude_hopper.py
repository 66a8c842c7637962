"""The part of the prelude that Hopper brought: clusters of blocks, products of groups of warps, and bulk copies.

Clusters are there from sm_90 on, the rest on sm_90a alone, as NVIDIA promises it of no other.
"""

from __future__ import annotations

from anytile.schedules.nest.mma_operations import GROUP_COLUMNS, TURNED_COLUMNS

_CLUSTERS = r"""
#if __CUDA_ARCH__ >= 900
// ---- Clusters: neighbouring blocks that run together, and reach each other's shared memory
// All threads of all blocks come; who goes on sees what the others put into its shared memory, and their mbarriers.
AT_DEVICE void at_cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
// Its two halves, where nothing is handed over but that all blocks have begun: before that none reaches another.
AT_DEVICE void at_cluster_arrive() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
AT_DEVICE void at_cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
// The barrier as a thread that has given nothing to others, while those that have come to one of their own.
AT_DEVICE void at_cluster_join() { at_cluster_arrive(), at_cluster_wait(); }
// Where another block has in its shared memory what lies at p in this one's.
AT_DEVICE unsigned at_peer_address(const void* p, unsigned block) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at_shared_address(p)), "r"(block));
  return there;
}
// To there; a barrier of the cluster hands it over.
AT_DEVICE void at_store_peer(float* p, float x, unsigned block) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(at_peer_address(p, block)), "f"(x) : "memory");
}
AT_DEVICE void at_store_peer2(float* p, float2 v, unsigned block) {
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
      :: "r"(at_peer_address(p, block)), "f"(v.x), "f"(v.y) : "memory");
}
AT_DEVICE void at_store_peer4(float* p, float4 v, unsigned block) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};"
      :: "r"(at_peer_address(p, block)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
AT_DEVICE void at_store_peer2(float* p, const float (&v)[2], unsigned block) {
  at_store_peer2(p, float2{v[0], v[1]}, block);
}
AT_DEVICE void at_store_peer4(float* p, const float (&v)[4], unsigned block) {
  at_store_peer4(p, float4{v[0], v[1], v[2], v[3]}, block);
}
#endif
"""

_GROUPS = r"""
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// ---- Products of four warps, from shared memory: rows of 64 16-bit floats, swizzled as a tile of 128 bytes is
// What this thread wrote to shared memory, copies that arrived among it, is seen by what reads on its own.
AT_DEVICE void at_fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
AT_DEVICE void at_wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
AT_DEVICE void at_wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// All but the last `Left` groups are done; the sums are no one's before that.
template <int Left, int Count> AT_DEVICE void at_wgmma_wait(float (&c)[Count]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(Left) : "memory");
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(c[i]) :: "memory");
}
// The same where sums stay under way: nobody may look at them.
template <int Left> AT_DEVICE void at_wgmma_pending() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(Left) : "memory");
}
// Where a matrix begins, in units of 16 bytes; 1024 bytes to the next eight rows; pieces swizzled by eight.
AT_DEVICE unsigned long long at_matrix(const void* p) {
  return (unsigned long long)(at_shared_address(p) >> 4 & 0x3fff) | 64ull << 32 | 1ull << 62;
}
// The same of a turned one: 8192 bytes to the next 64 columns.
AT_DEVICE unsigned long long at_matrix_parts(const void* p) { return at_matrix(p) | 512ull << 16; }
"""

_BULK = r"""
// ---- Phases of an mbarrier: one is over when so many threads arrived and the bytes that they announced have landed
AT_DEVICE void at_mbarrier_init(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at_shared_address(barrier)), "r"(count) : "memory");
}
// Those that this thread made are seen by copies; by other threads after a barrier of the block.
AT_DEVICE void at_mbarrier_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
AT_DEVICE void at_mbarrier_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at_shared_address(barrier)) : "memory");
}
AT_DEVICE void at_mbarrier_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
      :: "r"(at_shared_address(barrier)), "r"(bytes) : "memory");
}
// Until the phase of this parity is over: the first has 0, and of a fresh one that of parity 1 is.
AT_DEVICE void at_mbarrier_wait(unsigned long long* barrier, unsigned parity) {
  unsigned over = 0;
  while (!over) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(over) : "r"(at_shared_address(barrier)), "r"(parity) : "memory");
  }
}
// The map is brought near, where the first copy would wait for it.
AT_DEVICE void at_prefetch_map(const at_tensor_map& map) { asm volatile("prefetch.tensormap [%0];" :: "l"(&map)); }
// As at_meet, of the first `Threads` threads of a block, whole warps: the others do not come.
template <int Threads> AT_DEVICE bool at_meet_of(unsigned* counter, unsigned blocks) {
  const bool first = threadIdx.x == 0;
  unsigned before = 0, last = 0;
  asm volatile("bar.sync 1, %0;" :: "n"(Threads) : "memory");
  if (first) {
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
        : "=r"(before) : "l"(__cvta_generic_to_global(counter)), "r"(blocks - 1) : "memory");
  }
  last = first && before == blocks - 1;
  asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %0, 0;\nbar.red.or.pred q, 1, %1, p;\nselp.u32 %0, 1, 0, q;\n}"
      : "+r"(last) : "n"(Threads) : "memory");
  return last;
}
// An arrival at the mbarrier of each of the `Blocks` blocks, which in all of them lies where it does in this one. It
// says that tiles were read, and orders nothing that this thread wrote: a release to the cluster would wait, in every
// round, for all of the GPU to see that.
template <int Blocks> AT_DEVICE void at_mbarrier_arrive_all(unsigned long long* barrier) {
#pragma unroll
  for (int rank = 0; rank < Blocks; ++rank) {
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}"
        :: "r"(at_shared_address(barrier)), "r"(rank) : "memory");
  }
}
AT_DEVICE void at_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// All but the last `Left` groups of stores that this thread committed have read their tiles.
template <int Left> AT_DEVICE void at_bulk_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(Left) : "memory");
}
// A barrier of a group of four warps.
AT_DEVICE void at_group_barrier() { asm volatile("bar.sync %0, 128;" :: "r"(threadIdx.x / 128 + 2) : "memory"); }
// Registers of all threads of a group of four warps, given back and taken.
template <int Count> AT_DEVICE void at_fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(Count));
}
template <int Count> AT_DEVICE void at_more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(Count));
}
"""

_COORDINATES = ("column", "row", "plane", "volume")  # from the last dimension on


def _boxes(rank: int) -> str:
    """Bulk copies and stores of boxes of so many dimensions. One thread asks for them.

    A box is as large as its map says, from a corner on, with zeros where it lies outside; one that is stored leaves
    that out, and is read after a fence of every thread that wrote to it. One that is prefetched comes to L2. `_to` goes
    to the same place in all blocks of a mask, whose own mbarriers the bytes land at."""
    names = _COORDINATES[:rank]
    corner, values = (f"int {', int '.join(names)}", ", ".join(f'"r"({name})' for name in names))
    at = f"[%1, {{{', '.join(f'%{2 + d}' for d in range(rank))}}}]"
    there = f"[%0, {{{', '.join(f'%{1 + d}' for d in range(rank))}}}]"
    landing = '"r"(at_shared_address(barrier))'
    copied = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes"
    return f"""// ---- Boxes of {rank} dimensions
AT_DEVICE void at_bulk_copy(void* tile, const at_tensor_map& map, {corner}, unsigned long long* barrier) {{
  asm volatile("{copied} [%0], {at}, [%{2 + rank}];"
      :: "r"(at_shared_address(tile)), "l"(&map), {values}, {landing} : "memory");
}}
AT_DEVICE void at_bulk_copy_to(unsigned mask, void* tile, const at_tensor_map& map, {corner},
                               unsigned long long* barrier) {{
  asm volatile("{copied}.multicast::cluster "
      "[%0], {at}, [%{2 + rank}], %{3 + rank};"
      :: "r"(at_shared_address(tile)), "l"(&map), {values}, {landing},
         "h"((unsigned short)mask) : "memory");
}}
AT_DEVICE void at_bulk_prefetch({corner}, const at_tensor_map& map) {{
  asm volatile("cp.async.bulk.prefetch.tensor.{rank}d.L2.global {there};" :: "l"(&map), {values});
}}
AT_DEVICE void at_bulk_store(const at_tensor_map& map, {corner}, const void* tile) {{
  asm volatile("cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group {there}, [%{1 + rank}];"
      :: "l"(&map), {values}, "r"(at_shared_address(tile)) : "memory");
}}
"""


def _group_product(columns: int, short: str, kind: str, turned: bool = False) -> str:
    """c[64, columns] += a[64, 64] * b[columns, 64]^T, as four instructions of 16 steps.

    A b that is turned has those as rows, in parts of 64 columns, each of which begins behind the one before it."""
    name, begin, step = ("_turned", "at_matrix_parts", 128) if turned else ("", "at_matrix", 2)
    count = columns // 2
    places = [", ".join(f"%{i}" for i in range(first, min(first + 16, count))) for first in range(0, count, 16)]
    sums = [", ".join(f'"+f"(c[{i}])' for i in range(first, min(first + 8, count))) for first in range(0, count, 8)]
    listed = ', "\n        "'.join(places)
    return f"""AT_DEVICE void at_wgmma_n{columns}{name}_{short}(float (&c)[{count}], const void* a, const void* b) {{
  const unsigned long long left = at_matrix(a), right = {begin}(b);
#pragma unroll
  for (int step = 0; step < 4; ++step) {{
    asm volatile("wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind} "
        "{{{listed}}}, "
        "%{count}, %{count + 1}, 1, 1, 1, 0, {int(turned)};"
        : {(f",{chr(10)}          ").join(sums)}
        : "l"(left + 2 * step), "l"(right + {step} * step));
  }}
}}
"""


_KINDS = (("bf16", "bf16"), ("f16", "f16"))
_BOXES = "".join(map(_boxes, (2, 3, 4)))
_PRODUCTS = "".join(
    _group_product(columns, short, kind) for columns in GROUP_COLUMNS for short, kind in _KINDS
) + "".join(_group_product(columns, short, kind, turned=True) for columns in TURNED_COLUMNS for short, kind in _KINDS)
HOPPER = _CLUSTERS + _GROUPS + _BULK + _BOXES + _PRODUCTS + "#endif\n"

// The functions of codegen/cuda/prelude.py as they are meant, in plain C++: the definition that the PTX ones must meet.
#pragma once

// ---- Two to a number
static inline float at_exp2(float x) { return exp2f(x); }

// ---- The larger and the smaller
static inline float at_max(float a, float b) { return a > b || a != a ? a : b; }
static inline float at_min(float a, float b) { return a < b || a != a ? a : b; }

// ---- Floats of 16 and 8 bits
static inline float at_bf16_to_float(at_bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
static inline float at_f16_to_float(at_f16 x) { return at_cpu_f16_to_float(x.bits); }
static inline at_bf16 at_float_to_bf16(float x) { return at_bf16{(unsigned short)at_cpu_float_to_bf16(x)}; }
static inline at_f16 at_float_to_f16(float x) { return at_f16{(unsigned short)at_cpu_float_to_f16(x)}; }
static inline float at_f8e4m3_to_float(at_f8e4m3 x) { return at_cpu_f8_to_float(x.bits, 3, 7, 0); }
static inline float at_f8e5m2_to_float(at_f8e5m2 x) { return at_cpu_f8_to_float(x.bits, 2, 15, 1); }
static inline at_f8e4m3 at_float_to_f8e4m3(float x) { return at_f8e4m3{(unsigned char)at_cpu_float_to_f8(x, 3, 7, 0)}; }
static inline at_f8e5m2 at_float_to_f8e5m2(float x) { return at_f8e5m2{(unsigned char)at_cpu_float_to_f8(x, 2, 15, 1)}; }
static inline unsigned at_f8e4m3_to_f16(at_f8e4m3 low, at_f8e4m3 high) {
  return at_cpu_float_to_f16(at_f8e4m3_to_float(low)) | at_cpu_float_to_f16(at_f8e4m3_to_float(high)) << 16;
}
static inline unsigned at_f8e5m2_to_f16(at_f8e5m2 low, at_f8e5m2 high) {
  return at_cpu_float_to_f16(at_f8e5m2_to_float(low)) | at_cpu_float_to_f16(at_f8e5m2_to_float(high)) << 16;
}
static inline unsigned at_pack_bf16(float low, float high) {
  return at_cpu_float_to_bf16(low) | at_cpu_float_to_bf16(high) << 16;
}
static inline unsigned at_pack_f16(float low, float high) {
  return at_cpu_float_to_f16(low) | at_cpu_float_to_f16(high) << 16;
}
static inline unsigned at_pair(unsigned short low, unsigned short high) { return (unsigned)low | (unsigned)high << 16; }
static inline float at_low_bf16(unsigned x) { return __uint_as_float(x << 16); }
static inline float at_high_bf16(unsigned x) { return __uint_as_float(x & 0xffff0000u); }
static inline float at_low_f16(unsigned x) { return at_cpu_f16_to_float(x & 0xffffu); }
static inline float at_high_f16(unsigned x) { return at_cpu_f16_to_float(x >> 16); }

// ---- Vectors of memory
#define AT_MOVED(name, V, P) \
  static inline void at_load##name(V& v, const P* p, AT_HERE) { v = at_peek((const V*)p, AT_READ, at_line); } \
  static inline void at_store##name(P* p, const V& v, AT_HERE) { at_poke((V*)p, v, at_line); }
AT_MOVED(4, float4, float)
AT_MOVED(2, float2, float)
AT_MOVED(16, uint4, void)
AT_MOVED(8, uint2, void)
AT_MOVED(_u32, unsigned, void)
#undef AT_MOVED
static inline void at_load4(float (&v)[4], const float* p, AT_HERE) {
  float4 t = at_peek((const float4*)p, AT_READ, at_line);
  v[0] = t.x, v[1] = t.y, v[2] = t.z, v[3] = t.w;
}
static inline void at_load2(float (&v)[2], const float* p, AT_HERE) {
  float2 t = at_peek((const float2*)p, AT_READ, at_line);
  v[0] = t.x, v[1] = t.y;
}
static inline void at_store4(float* p, const float (&v)[4], AT_HERE) {
  at_poke((float4*)p, float4{v[0], v[1], v[2], v[3]}, at_line);
}
static inline void at_store2(float* p, const float (&v)[2], AT_HERE) {
  at_poke((float2*)p, float2{v[0], v[1]}, at_line);
}
static inline void at_load_streaming4(float4& v, const float* p, AT_HERE) {
  v = at_peek((const float4*)p, AT_READ | AT_CONSTANT, at_line);
}
static inline void at_load_streaming4(float (&v)[4], const float* p, AT_HERE) {
  float4 t = at_peek((const float4*)p, AT_READ | AT_CONSTANT, at_line);
  v[0] = t.x, v[1] = t.y, v[2] = t.z, v[3] = t.w;
}
static inline void at_load_streaming16(uint4& v, const void* p, AT_HERE) {
  v = at_peek((const uint4*)p, AT_READ | AT_CONSTANT, at_line);
}
// Of 16-bit floats, in the order in which they lie.
template <class T> static inline void at_load16(T (&v)[8], const T* p, AT_HERE) {
  uint4 t = at_peek((const uint4*)p, AT_READ, at_line);
  __builtin_memcpy(v, &t, sizeof t);
}
template <class T> static inline void at_load8(T (&v)[4], const T* p, AT_HERE) {
  uint2 t = at_peek((const uint2*)p, AT_READ, at_line);
  __builtin_memcpy(v, &t, sizeof t);
}
template <class T> static inline void at_load_bytes4(T (&v)[4], const T* p, AT_HERE) {
  unsigned t = at_peek((const unsigned*)p, AT_READ, at_line);
  __builtin_memcpy(v, &t, sizeof t);
}
template <class T> static inline void at_load_bytes8(T (&v)[8], const T* p, AT_HERE) {
  uint2 t = at_peek((const uint2*)p, AT_READ, at_line);
  __builtin_memcpy(v, &t, sizeof t);
}
template <class T> static inline void at_load_streaming16(T (&v)[8], const T* p, AT_HERE) {
  uint4 t = at_peek((const uint4*)p, AT_READ | AT_CONSTANT, at_line);
  __builtin_memcpy(v, &t, sizeof t);
}
static inline float at_load_streaming(const float* p, AT_HERE) { return at_peek(p, AT_READ | AT_CONSTANT, at_line); }

// ---- Warps and blocks
template <int Lanes = 32, class T> static inline T at_warp_sum(T x, AT_HERE) {
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_add(x, __shfl_xor_sync(0xffffffffu, x, apart, 32, at_line));
  return x;
}
template <int Count> static inline float at_warp_sums(const float* v, AT_HERE) {
  float mine = 0.0f;
  for (int i = 0; i < Count; ++i) {
    float sum = at_warp_sum(v[i], at_line);
    if ((int)(threadIdx.x % 32) == i) mine = sum;
  }
  return mine;
}
template <int Lanes = 32, class T> static inline T at_warp_mul(T x, AT_HERE) {
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_mul(x, __shfl_xor_sync(0xffffffffu, x, apart, 32, at_line));
  return x;
}
template <int Lanes = 32, class T> static inline T at_warp_max(T x, AT_HERE) {
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_max(x, __shfl_xor_sync(0xffffffffu, x, apart, 32, at_line));
  return x;
}
template <int Lanes = 32, class T> static inline T at_warp_min(T x, AT_HERE) {
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_min(x, __shfl_xor_sync(0xffffffffu, x, apart, 32, at_line));
  return x;
}
// ---- Between kernels
template <class... P> static inline void at_begin(P&...) { at_cpu_begin(); }
static inline void at_prefetch(const void* p, AT_HERE) { at_cpu_prefetch(p, at_line); }

static inline void at_atomic_add(float* p, float x, AT_HERE) { atomicAdd(p, x, at_line); }
static inline bool at_meet(unsigned* counter, unsigned blocks, AT_HERE) {
  bool first = threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0, last = false;
  __syncthreads(at_line);
  if (first) last = atomicInc(counter, blocks - 1, at_line) == blocks - 1;
  if (first) at_cpu_meet(counter);
  return __syncthreads_or(last, at_line);
}

// ---- Matrix tiles and copies that run on by themselves
#define AT_LDMATRIX(n)                                                                                              \
  static inline void at_ldmatrix_x##n(unsigned (&r)[n], const void* row, AT_HERE) {                                 \
    at_cpu_ldmatrix(r, n, 0, row, at_line);                                                                         \
  }                                                                                                                 \
  static inline void at_ldmatrix_x##n##_trans(unsigned (&r)[n], const void* row, AT_HERE) {                         \
    at_cpu_ldmatrix(r, n, 1, row, at_line);                                                                         \
  }
AT_LDMATRIX(1)
AT_LDMATRIX(2)
AT_LDMATRIX(4)
#undef AT_LDMATRIX
static inline void at_ldmatrix_x4(unsigned (&r)[2][2], const void* row, AT_HERE) {
  at_cpu_ldmatrix(r[0], 4, 0, row, at_line);
}
static inline void at_ldmatrix_x4_trans(unsigned (&r)[2][2], const void* row, AT_HERE) {
  at_cpu_ldmatrix(r[0], 4, 1, row, at_line);
}
static inline void at_mma_m16n8k16_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], AT_HERE) {
  at_cpu_mma(c, a, b, 1, at_line);
}
static inline void at_mma_m16n8k16_f16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], AT_HERE) {
  at_cpu_mma(c, a, b, 0, at_line);
}
// Two steps of 16, of which a lane has the first or the second four of its eight elements: two words of each row.
template <class T>
static inline void at_cpu_mma_k32(float (&c)[4], const T (&a)[2][8], const T (&b)[8], int bf16, int line) {
  for (int step = 0; step < 2; ++step) {
    unsigned left[4], right[2];
    for (int word = 0; word < 2; ++word) {
      __builtin_memcpy(&left[2 * word], &a[0][4 * step + 2 * word], 4);
      __builtin_memcpy(&left[2 * word + 1], &a[1][4 * step + 2 * word], 4);
      __builtin_memcpy(&right[word], &b[4 * step + 2 * word], 4);
    }
    at_cpu_mma(c, left, right, bf16, line);
  }
}
static inline void at_mma_m16n8k32_bf16(float (&c)[4], const at_bf16 (&a)[2][8], const at_bf16 (&b)[8], AT_HERE) {
  at_cpu_mma_k32(c, a, b, 1, at_line);
}
static inline void at_mma_m16n8k32_f16(float (&c)[4], const at_f16 (&a)[2][8], const at_f16 (&b)[8], AT_HERE) {
  at_cpu_mma_k32(c, a, b, 0, at_line);
}
// 16 steps, of which a lane has four neighbours: two words of each row, those of a rounded.
static inline void at_mma_m16n8k16_bf16(float (&c)[4], const float (&a)[2][4], const at_bf16 (&b)[4], AT_HERE) {
  unsigned left[4], right[2];
  for (int i = 0; i < 4; ++i) left[i] = at_pack_bf16(a[i % 2][i / 2 * 2], a[i % 2][i / 2 * 2 + 1]);
  __builtin_memcpy(right, &b, sizeof right);
  at_cpu_mma(c, left, right, 1, at_line);
}
static inline void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f16 (&b)[4], AT_HERE) {
  unsigned left[4], right[2];
  for (int i = 0; i < 4; ++i) left[i] = at_pack_f16(a[i % 2][i / 2 * 2], a[i % 2][i / 2 * 2 + 1]);
  __builtin_memcpy(right, &b, sizeof right);
  at_cpu_mma(c, left, right, 0, at_line);
}
static inline void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f8e4m3 (&b)[4], AT_HERE) {
  at_f16 wide[4];
  for (int i = 0; i < 4; ++i) wide[i] = at_float_to_f16(at_f8e4m3_to_float(b[i]));
  at_mma_m16n8k16_f16(c, a, wide, at_line);
}
static inline void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f8e5m2 (&b)[4], AT_HERE) {
  at_f16 wide[4];
  for (int i = 0; i < 4; ++i) wide[i] = at_float_to_f16(at_f8e5m2_to_float(b[i]));
  at_mma_m16n8k16_f16(c, a, wide, at_line);
}
// A factor of float32 as two of TF32, which is rounded to nearest, its halves up; NaN stays NaN, also that of a GPU.
static inline unsigned at_cpu_tf32(float x) {
  return x != x ? 0x7fffe000u : (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
}
static inline void at_mma_m16n8k16_tf32x3(float (&c)[4], const float (&a)[2][4], const float (&b)[4], AT_HERE) {
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < 4; i += 2) {
    unsigned left[2][4], right[2][2];
    for (int rest = 0; rest < 2; ++rest) {
      auto part = [&](float x) { return at_cpu_tf32(rest ? x - __uint_as_float(at_cpu_tf32(x)) : x); };
      for (int j = 0; j < 4; ++j) left[rest][j] = part(a[j % 2][i + j / 2]);
      for (int j = 0; j < 2; ++j) right[rest][j] = part(b[i + j]);
    }
    at_cpu_mma_tf32(sum, left[1], right[0], at_line);
    at_cpu_mma_tf32(sum, left[0], right[1], at_line);
    at_cpu_mma_tf32(sum, left[0], right[0], at_line);
  }
  for (int i = 0; i < 4; ++i) c[i] += sum[i];
}
static inline void at_cp_async16(void* shared, const void* global, bool valid, AT_HERE) {
  at_cpu_async(shared, global, 16, valid, at_line);
}
static inline void at_cp_async8(void* shared, const void* global, bool valid, AT_HERE) {
  at_cpu_async(shared, global, 8, valid, at_line);
}
static inline void at_cp_async4(void* shared, const void* global, bool valid, AT_HERE) {
  at_cpu_async(shared, global, 4, valid, at_line);
}
static inline void at_cp_commit() { at_cpu_commit(); }
template <int Left> static inline void at_cp_wait(AT_HERE) { at_cpu_wait(Left, at_line); }

// ---- Products of four warps, which read shared memory by the asynchronous proxy
static inline void at_fence_async() { at_cpu_fence_async(); }
static inline void at_wgmma_fence() { at_cpu_wgmma_fence(); }
static inline void at_wgmma_commit() { at_cpu_wgmma_commit(); }
template <int Left, int Count> static inline void at_wgmma_wait(float (&)[Count], AT_HERE) {
  at_cpu_wgmma_wait(Left, at_line);
}
template <int Left> static inline void at_wgmma_pending(AT_HERE) { at_cpu_wgmma_wait(Left, at_line); }
#define AT_WGMMA(n, as, turned)                                                                           \
  static inline void at_wgmma_n##n##as##_bf16(float (&c)[n / 2], const void* a, const void* b, AT_HERE) { \
    at_cpu_wgmma(c, n / 2, a, b, 1, turned, at_line);                                                     \
  }                                                                                                       \
  static inline void at_wgmma_n##n##as##_f16(float (&c)[n / 2], const void* a, const void* b, AT_HERE) {  \
    at_cpu_wgmma(c, n / 2, a, b, 0, turned, at_line);                                                     \
  }
AT_WGMMA(32, , 0)
AT_WGMMA(64, , 0)
AT_WGMMA(128, , 0)
AT_WGMMA(256, , 0)
AT_WGMMA(64, _turned, 1)
AT_WGMMA(128, _turned, 1)
AT_WGMMA(256, _turned, 1)
#undef AT_WGMMA

// ---- Bulk copies of tensors, and the mbarriers that they land at
static inline void at_mbarrier_init(unsigned long long* barrier, int count, AT_HERE) {
  at_cpu_mbarrier_init(barrier, count, at_line);
}
static inline void at_mbarrier_fence() { at_cpu_mbarrier_fence(); }
static inline void at_mbarrier_arrive(unsigned long long* barrier, AT_HERE) {
  at_cpu_mbarrier_arrive(barrier, 0, at_line);
}
static inline void at_mbarrier_expect(unsigned long long* barrier, int bytes, AT_HERE) {
  at_cpu_mbarrier_arrive(barrier, (unsigned)bytes, at_line);
}
static inline void at_mbarrier_wait(unsigned long long* barrier, unsigned parity, AT_HERE) {
  at_cpu_mbarrier_wait(barrier, parity, at_line);
}
template <int Threads> static inline bool at_meet_of(unsigned* counter, unsigned blocks, AT_HERE) {
  bool first = threadIdx.x == 0, last = false;
  at_cpu_group_barrier(1, Threads, 0, at_line);
  if (first) last = atomicInc(counter, blocks - 1, at_line) == blocks - 1;
  if (first) at_cpu_meet(counter);
  return at_cpu_group_barrier(1, Threads, last, at_line) != 0;
}
static inline void at_prefetch_map(const at_tensor_map&) {}
#define AT_BOXES(count, parameters, ...)                                                                            \
  static inline void at_bulk_copy(void* tile, const at_tensor_map& map, AT_ALL parameters,                          \
                                  unsigned long long* barrier, AT_HERE) {                                           \
    const int corner[] = {__VA_ARGS__};                                                                             \
    at_cpu_bulk(tile, &map, corner, count, barrier, 0, at_line);                                                    \
  }                                                                                                                 \
  static inline void at_bulk_copy_to(unsigned mask, void* tile, const at_tensor_map& map, AT_ALL parameters,        \
                                     unsigned long long* barrier, AT_HERE) {                                        \
    const int corner[] = {__VA_ARGS__};                                                                             \
    at_cpu_bulk(tile, &map, corner, count, barrier, mask, at_line);                                                 \
  }                                                                                                                 \
  static inline void at_bulk_store(const at_tensor_map& map, AT_ALL parameters, const void* tile, AT_HERE) {        \
    const int corner[] = {__VA_ARGS__};                                                                             \
    at_cpu_bulk_store(&map, corner, count, tile, at_line);                                                          \
  }                                                                                                                 \
  static inline void at_bulk_prefetch(AT_ALL parameters, const at_tensor_map& map, AT_HERE) {                       \
    const int corner[] = {__VA_ARGS__};                                                                             \
    at_cpu_bulk_prefetch(&map, corner, count, at_line);                                                             \
  }
#define AT_ALL(...) __VA_ARGS__
AT_BOXES(2, (int column, int row), column, row)
AT_BOXES(3, (int column, int row, int plane), column, row, plane)
AT_BOXES(4, (int column, int row, int plane, int volume), column, row, plane, volume)
#undef AT_ALL
#undef AT_BOXES
template <int Blocks> static inline void at_mbarrier_arrive_all(unsigned long long* barrier, AT_HERE) {
  for (unsigned rank = 0; rank < Blocks; ++rank) at_cpu_mbarrier_arrive_at(barrier, rank, at_line);
}
static inline void at_cluster_barrier(AT_HERE) { at_cpu_cluster_barrier(at_line); }
static inline void at_cluster_arrive(AT_HERE) { at_cpu_cluster_arrive(at_line); }
static inline void at_cluster_wait(AT_HERE) { at_cpu_cluster_wait(at_line); }
static inline void at_cluster_join() { at_cpu_cluster_barrier(-1); }
static inline void at_store_peer(float* p, float x, unsigned block, AT_HERE) {
  at_cpu_store_peer(p, &x, 4, block, at_line);
}
static inline void at_store_peer2(float* p, float2 v, unsigned block, AT_HERE) {
  at_cpu_store_peer(p, &v, 8, block, at_line);
}
static inline void at_store_peer4(float* p, float4 v, unsigned block, AT_HERE) {
  at_cpu_store_peer(p, &v, 16, block, at_line);
}
static inline void at_store_peer2(float* p, const float (&v)[2], unsigned block, AT_HERE) {
  at_cpu_store_peer(p, v, 8, block, at_line);
}
static inline void at_store_peer4(float* p, const float (&v)[4], unsigned block, AT_HERE) {
  at_cpu_store_peer(p, v, 16, block, at_line);
}
static inline void at_bulk_commit() { at_cpu_bulk_commit(); }
template <int Left> static inline void at_bulk_wait(AT_HERE) { at_cpu_bulk_wait(Left, at_line); }
static inline void at_group_barrier(AT_HERE) { at_cpu_group_barrier((int)threadIdx.x / 128 + 2, 128, 0, at_line); }
template <int Count> static inline void at_fewer_registers() {}
template <int Count> static inline void at_more_registers() {}

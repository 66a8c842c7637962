// What CUDA C++ and the prelude of codegen/cuda mean on a CPU, for kernels that are compiled unchanged.
//
// Every thread of a block is a fiber of one OS thread, which runs until it must wait for others. Loads and stores of a
// kernel call the runtime (the compiler's thread sanitizer puts the calls there; the runtime is ours), so that memory
// out of bounds, races between barriers and reads of data still in flight are found in whatever order threads run.
// No header of the standard library is included: they would cost more time than the kernel.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __cluster_dims__(...)
#define __shared__ static __attribute__((section("at_shared"), used))
#define AT_UNWATCHED __attribute__((no_sanitize("thread"), no_sanitize("undefined")))
#define __CUDA_ARCH__ 900

typedef decltype(sizeof(0)) size_t;

#define AT_VECTORS(T, name, half, full)                                                    \
  struct __align__(half) name##2 { T x, y; };                                              \
  struct name##3 { T x, y, z; };                                                           \
  struct __align__(full) name##4 { T x, y, z, w; };                                        \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                        \
  static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
AT_VECTORS(float, float, 8, 16)
AT_VECTORS(int, int, 8, 16)
AT_VECTORS(unsigned, uint, 8, 16)
AT_VECTORS(short, short, 4, 8)
AT_VECTORS(unsigned short, ushort, 4, 8)
AT_VECTORS(signed char, char, 2, 4)
AT_VECTORS(unsigned char, uchar, 2, 4)
#undef AT_VECTORS

// Constant while a fiber runs, so the compiler may keep them in registers; the runtime sets them at every switch.
extern "C" {
extern const uint3 threadIdx, blockIdx, blockDim, gridDim;
}
static const int warpSize = 32;

extern "C" {
// Waiting. `line` is the source line of the call: all threads of a barrier must have come to the same one.
int at_cpu_barrier(int kind, int value, int line);  // kind: 0 plain, 1 or, 2 and, 3 count
void at_cpu_meet(const void* counter);  // this block comes after those that were here
void at_cpu_syncwarp(unsigned mask, int line);
void at_cpu_shuffle(void* value, int bytes, int kind, unsigned mask, int other, int width, int line);
unsigned at_cpu_ballot(unsigned mask, int test, int line);
// Memory.
void at_cpu_begin();
void at_cpu_prefetch(const void* p, int line);
void at_cpu_access(const void* p, size_t bytes, int how, int line);  // how: bits of the runtime's `How`
void at_cpu_async(void* shared, const void* global, int bytes, int valid, int line);
void at_cpu_commit();
void at_cpu_wait(int left, int line);
// Matrix tiles.
void at_cpu_ldmatrix(unsigned* r, int count, int trans, const void* row, int line);
void at_cpu_mma(float* c, const unsigned* a, const unsigned* b, int bf16, int line);
void at_cpu_mma_tf32(float* c, const unsigned* a, const unsigned* b, int line);
// Products of warp groups.
void at_cpu_fence_async();
void at_cpu_wgmma_fence();
void at_cpu_wgmma(float* c, int count, const void* a, const void* b, int bf16, int turned, int line);
void at_cpu_wgmma_commit();
void at_cpu_wgmma_wait(int left, int line);
// Bulk copies and mbarriers.
void at_cpu_mbarrier_init(void* barrier, int count, int line);
void at_cpu_mbarrier_fence();
void at_cpu_mbarrier_arrive(void* barrier, unsigned bytes, int line);
void at_cpu_mbarrier_arrive_at(void* barrier, unsigned rank, int line);
void at_cpu_cluster_barrier(int line);  // -1: whatever line the others come from
void at_cpu_cluster_arrive(int line);
void at_cpu_cluster_wait(int line);
void at_cpu_store_peer(void* p, const void* from, int bytes, unsigned block, int line);
void at_cpu_mbarrier_wait(void* barrier, unsigned parity, int line);
int at_cpu_group_barrier(int number, int count, int test, int line);
void at_cpu_bulk(void* shared, const void* map, const int* corner, int count, void* barrier, unsigned mask, int line);
void at_cpu_bulk_store(const void* map, const int* corner, int count, const void* shared, int line);
void at_cpu_bulk_prefetch(const void* map, const int* corner, int count, int line);
void at_cpu_bulk_commit();
void at_cpu_bulk_wait(int left, int line);
// 16-bit floats, as bits, and those of 8 bits with so many digits, an exponent less `bias`, and infinity or none.
float at_cpu_f16_to_float(unsigned bits);
unsigned at_cpu_float_to_f16(float x);
unsigned at_cpu_float_to_bf16(float x);
float at_cpu_f8_to_float(unsigned bits, int digits, int bias, int infinite);
unsigned at_cpu_float_to_f8(float x, int digits, int bias, int infinite);
// Mathematics.
float fabsf(float) noexcept, floorf(float) noexcept, ceilf(float) noexcept, sqrtf(float) noexcept, expf(float) noexcept, exp2f(float) noexcept;
float exp2f(float) noexcept, logf(float) noexcept, log2f(float) noexcept, tanhf(float) noexcept, erff(float) noexcept;
float erfcf(float) noexcept, fmaf(float, float, float) noexcept, fmaxf(float, float) noexcept;
float fminf(float, float) noexcept, rintf(float) noexcept, powf(float, float) noexcept;
float sinf(float) noexcept, cosf(float) noexcept, tanf(float) noexcept, asinf(float) noexcept, acosf(float) noexcept;
float atanf(float) noexcept, sinhf(float) noexcept, coshf(float) noexcept, asinhf(float) noexcept;
float acoshf(float) noexcept, atanhf(float) noexcept, truncf(float) noexcept;
float erfcxf(float) noexcept;
}

#define AT_HERE int at_line = __builtin_LINE()
enum { AT_READ = 1, AT_WRITE = 2, AT_ATOMIC = 4, AT_CONSTANT = 8 };

// ---- Waiting
static inline void __syncthreads(AT_HERE) { at_cpu_barrier(0, 0, at_line); }
static inline int __syncthreads_or(int test, AT_HERE) { return at_cpu_barrier(1, test, at_line); }
static inline int __syncthreads_and(int test, AT_HERE) { return at_cpu_barrier(2, test, at_line); }
static inline int __syncthreads_count(int test, AT_HERE) { return at_cpu_barrier(3, test, at_line); }
static inline void __syncwarp(unsigned mask = 0xffffffffu, AT_HERE) { at_cpu_syncwarp(mask, at_line); }
static inline void __threadfence() { __asm__ volatile("" ::: "memory"); }
static inline void __threadfence_block() { __threadfence(); }
#define AT_SHUFFLE(name, kind, other_type)                                                                    \
  template <class T> static inline T name(unsigned mask, T v, other_type other, int width = 32, AT_HERE) {    \
    at_cpu_shuffle(&v, sizeof v, kind, mask, (int)other, width, at_line);                                     \
    return v;                                                                                                 \
  }
AT_SHUFFLE(__shfl_sync, 0, int)
AT_SHUFFLE(__shfl_up_sync, 1, unsigned)
AT_SHUFFLE(__shfl_down_sync, 2, unsigned)
AT_SHUFFLE(__shfl_xor_sync, 3, int)
#undef AT_SHUFFLE
static inline unsigned __ballot_sync(unsigned mask, int test, AT_HERE) { return at_cpu_ballot(mask, test, at_line); }
static inline int __any_sync(unsigned mask, int test, AT_HERE) { return at_cpu_ballot(mask, test, at_line) != 0; }
static inline int __all_sync(unsigned mask, int test, AT_HERE) { return at_cpu_ballot(mask, !test, at_line) == 0; }

// ---- Bits and small mathematics
template <class To, class From> AT_UNWATCHED static inline To at_bits(From x) {
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
static inline unsigned __float_as_uint(float x) { return at_bits<unsigned>(x); }
static inline int __float_as_int(float x) { return at_bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return at_bits<float>(x); }
static inline float __int_as_float(int x) { return at_bits<float>(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __expf(float x) { return expf(x); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#define AT_LESSER(T)                                            \
  static inline T min(T a, T b) { return a < b ? a : b; }       \
  static inline T max(T a, T b) { return a < b ? b : a; }
AT_LESSER(int)
AT_LESSER(unsigned)
AT_LESSER(long long)
AT_LESSER(unsigned long long)
#undef AT_LESSER
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }

// ---- Memory: the runtime looks at the whole access first, then it happens unwatched
template <class T> AT_UNWATCHED static T at_peek(const T* p, int how, int line) {
  at_cpu_access(p, sizeof(T), how, line);
  return *p;
}
template <class T> AT_UNWATCHED static void at_poke(T* p, T v, int line) {
  at_cpu_access(p, sizeof(T), AT_WRITE, line);
  *p = v;
}
template <class T> struct at_same { typedef T type; };
template <class T, class F> AT_UNWATCHED static T at_change(T* p, F change, int line) {
  at_cpu_access(p, sizeof(T), AT_READ | AT_WRITE | AT_ATOMIC, line);
  T old = *p;
  *p = change(old);
  return old;
}
template <class T> static inline T __ldg(const T* p, AT_HERE) { return at_peek(p, AT_READ | AT_CONSTANT, at_line); }
template <class T> static inline T __ldcs(const T* p, AT_HERE) { return at_peek(p, AT_READ, at_line); }
template <class T> static inline T __ldcg(const T* p, AT_HERE) { return at_peek(p, AT_READ, at_line); }
template <class T> static inline void __stcs(T* p, T v, AT_HERE) { at_poke(p, v, at_line); }
template <class T> static inline T atomicAdd(T* p, typename at_same<T>::type x, AT_HERE) {
  return at_change(p, [x](T old) { return (T)(old + x); }, at_line);
}
template <class T> static inline T atomicMax(T* p, typename at_same<T>::type x, AT_HERE) {
  return at_change(p, [x](T old) { return old < x ? x : old; }, at_line);
}
template <class T> static inline T atomicMin(T* p, typename at_same<T>::type x, AT_HERE) {
  return at_change(p, [x](T old) { return x < old ? x : old; }, at_line);
}
template <class T> static inline T atomicExch(T* p, typename at_same<T>::type x, AT_HERE) {
  return at_change(p, [x](T) { return x; }, at_line);
}
template <class T> static inline T atomicCAS(T* p, T is, T x, AT_HERE) {
  return at_change(p, [is, x](T old) { return old == is ? x : old; }, at_line);
}
static inline unsigned atomicInc(unsigned* p, unsigned last, AT_HERE) {
  return at_change(p, [last](unsigned old) { return old >= last ? 0u : old + 1u; }, at_line);
}

#define AT_INFINITY __builtin_inff()
#define AT_NAN __builtin_nanf("")

// ---- Launching: a kernel's parameters are read from an array of 8-byte words
template <class P> AT_UNWATCHED static P at_word(const unsigned long long* word) {
  P p;
  __builtin_memcpy(&p, sizeof p > sizeof *word ? (const void*)*word : word, sizeof p);  // what is larger, by address
  return p;
}
template <size_t... I> struct at_indices {};
template <size_t N, size_t... I> struct at_upto : at_upto<N - 1, N - 1, I...> {};
template <size_t... I> struct at_upto<0, I...> { typedef at_indices<I...> type; };
template <class... P, size_t... I>
AT_UNWATCHED static void at_call_with(void (*kernel)(P...), const unsigned long long* words, at_indices<I...>) {
  kernel(at_word<P>(words + I)...);
}
template <class... P> AT_UNWATCHED static void at_call(void (*kernel)(P...), const unsigned long long* words) {
  at_call_with(kernel, words, typename at_upto<sizeof...(P)>::type());
}

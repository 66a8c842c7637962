"""The CUDA C++ text before every kernel: thin functions around the instructions that C++ has no words for.

Kernels hold no `asm`, no address space and no bit pattern; what they need of that stands here, once, under names that
begin with `at_`. `PRELUDE_DEVICE` is for NVRTC, which has no headers, and compiles from sm_75 up: what a target lacks
(`cp.async` and products of matrix tiles below sm_80) is not declared there; to use it is an error, never a slow path.

`OPERATIONS` is plain C++ and holds one function for every operation of the value language that is no operator of C++;
it is compiled by NVRTC and by the tests' CPU harness alike. Everything else in `PRELUDE_DEVICE` has a second meaning in
that harness, under the same name and signature. Those meanings are the definition; these are the fast way.
"""

from __future__ import annotations

from anytile.codegen.cuda.prelude_hopper import HOPPER

STORAGE = r"""
// Floats of 16 and 8 bits as they lie in memory; arithmetic is float's.
struct __align__(2) at_bf16 { unsigned short bits; };
struct __align__(2) at_f16 { unsigned short bits; };
struct at_f8e4m3 { unsigned char bits; };
struct at_f8e5m2 { unsigned char bits; };
// A tensor as the units that copy boxes of it know it: made by the driver, and a parameter of the kernel.
struct __align__(64) at_tensor_map { unsigned long long words[16]; };
"""

OPERATIONS = r"""
// The operations of the value language; as in C++, no tensor is read here.
#define AT_OPERATION __device__ __forceinline__

AT_OPERATION int at_max(int a, int b) { return a > b ? a : b; }
AT_OPERATION int at_min(int a, int b) { return a < b ? a : b; }
AT_OPERATION long long at_max(long long a, long long b) { return a > b ? a : b; }
AT_OPERATION long long at_min(long long a, long long b) { return a < b ? a : b; }
// Whole numbers wrap around, as numpy's do: of signed ones C++ does not say what comes of it.
template <class T> AT_OPERATION T at_add(T a, T b) { return a + b; }
template <class T> AT_OPERATION T at_mul(T a, T b) { return a * b; }
AT_OPERATION int at_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
AT_OPERATION int at_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
AT_OPERATION int at_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
AT_OPERATION long long at_add(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}
AT_OPERATION long long at_sub(long long a, long long b) {
  return (long long)((unsigned long long)a - (unsigned long long)b);
}
AT_OPERATION long long at_mul(long long a, long long b) {
  return (long long)((unsigned long long)a * (unsigned long long)b);
}
AT_OPERATION float at_abs(float x) { return fabsf(x); }
AT_OPERATION int at_abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
AT_OPERATION long long at_abs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }
AT_OPERATION float at_floor(float x) { return floorf(x); }
AT_OPERATION float at_ceil(float x) { return ceilf(x); }
AT_OPERATION float at_sqrt(float x) { return sqrtf(x); }
AT_OPERATION float at_rsqrt(float x) { return 1.0f / sqrtf(x); }  // rounded as numpy's; rsqrtf is 2 units off
AT_OPERATION float at_exp(float x) { return expf(x); }
AT_OPERATION float at_log(float x) { return logf(x); }
AT_OPERATION float at_tanh(float x) { return tanhf(x); }
AT_OPERATION float at_erf(float x) { return erff(x); }

AT_OPERATION float at_sin(float x) { return sinf(x); }
AT_OPERATION float at_cos(float x) { return cosf(x); }
AT_OPERATION float at_tan(float x) { return tanf(x); }
AT_OPERATION float at_asin(float x) { return asinf(x); }
AT_OPERATION float at_acos(float x) { return acosf(x); }
AT_OPERATION float at_atan(float x) { return atanf(x); }
AT_OPERATION float at_sinh(float x) { return sinhf(x); }
AT_OPERATION float at_cosh(float x) { return coshf(x); }
AT_OPERATION float at_asinh(float x) { return asinhf(x); }
AT_OPERATION float at_acosh(float x) { return acoshf(x); }
AT_OPERATION float at_atanh(float x) { return atanhf(x); }
AT_OPERATION float at_pow(float x, float y) { return powf(x, y); }
AT_OPERATION float at_round(float x) { return rintf(x); }
AT_OPERATION float at_trunc(float x) { return truncf(x); }
AT_OPERATION bool at_isnan(float x) { return x != x; }
AT_OPERATION bool at_isinf(float x) { return x == x && x - x != 0.0f; }
AT_OPERATION int at_bits_int32(int x) { return x; }
AT_OPERATION float at_bits_float32(float x) { return x; }
AT_OPERATION int at_bits_int32(float x) {
  union { float real; int whole; } word;
  word.real = x;
  return word.whole;
}
AT_OPERATION float at_bits_float32(int x) {
  union { float real; int whole; } word;
  word.whole = x;
  return word.real;
}
AT_OPERATION float at_sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x != x ? x : 0.0f; }
AT_OPERATION int at_sign(int x) { return (x > 0) - (x < 0); }
AT_OPERATION long long at_sign(long long x) { return (x > 0) - (x < 0); }
AT_OPERATION bool at_bitnot(bool x) { return !x; }
AT_OPERATION int at_bitnot(int x) { return ~x; }
AT_OPERATION long long at_bitnot(long long x) { return ~x; }

// A distance that is negative or beyond the bits shifts everything out.
AT_OPERATION int at_shl(int x, int by) { return by < 0 || by > 31 ? 0 : (int)((unsigned)x << by); }
AT_OPERATION int at_shr(int x, int by) { return x >> (by < 0 || by > 31 ? 31 : by); }
AT_OPERATION long long at_shl(long long x, long long by) {
  return by < 0 || by > 63 ? 0 : (long long)((unsigned long long)x << by);
}
AT_OPERATION long long at_shr(long long x, long long by) { return x >> (by < 0 || by > 63 ? 63 : by); }

// Rounded towards zero, and 0 where the divisor is.
template <class T> AT_OPERATION T at_truncdiv(T a, T b) {
  if (b == 0) return 0;
  return b == -1 ? (T)(0ull - (unsigned long long)a) : a / b;
}
template <class T> AT_OPERATION T at_rem(T a, T b) { return b == 0 || b == -1 ? 0 : a % b; }

// Rounded down as Python's, and 0 where the divisor is.
template <class T> AT_OPERATION T at_floordiv(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return (T)(0ull - (unsigned long long)a);
  T q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}
template <class T> AT_OPERATION T at_mod(T a, T b) {
  if (b == 0 || b == -1) return 0;
  T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

AT_OPERATION float at_sigmoid(float x) {
  float small = expf(-fabsf(x));
  return (x < 0.0f ? small : 1.0f) / (1.0f + small);
}

// x Phi(x). Below zero through erfcx, whose argument may be rounded; the square in the exponent may not.
AT_OPERATION float at_gelu(float x) {
  float t = x * -0.707106781f;
  if (!(x < 0.0f)) return 0.5f * x * erfcf(t);
  if (x < -15.0f) return -0.0f;  // the result is under the smallest subnormal
  float square = x * x, rest = fmaf(x, x, -square);
  return 0.5f * x * erfcxf(t) * expf(-0.5f * square) * (1.0f - 0.5f * rest);
}

// For what is rounded to 8 bits, which other devices make less closely.
AT_OPERATION float at_gelu_byte(float x) { return at_gelu(x); }

// x / (1 + e^-u) with u = x c, c = 2 sqrt(2 / pi) (1 + 0.044715 x^2). Below zero u has a second part, for an error of
// u is one of the result: the products leave theirs in a second number, as the constants do.
AT_OPERATION float at_gelu_tanh(float x) {
  if (x < -12.0f) return -0.0f;  // likewise
  float square = x * x, p = square * 0.0713548139f, c = p + 1.59576917f, u = x * c;
  float rest = fmaf(square, 0.0713548139f, -p) + fmaf(x, x, -square) * 0.0713548139f;
  rest += fmaf(square, 2.3988325e-09f, -4.534068e-08f);
  rest += p > 1.59576917f ? (p - c) + 1.59576917f : (1.59576917f - c) + p;
  float small = expf(-fabsf(u));
  if (!(x < 0.0f)) return x / (1.0f + small);
  small = fmaf(small, fmaf(x, rest, fmaf(x, c, -u)), small);
  return x * small / (1.0f + small);
}
"""

_INSTRUCTIONS = r"""
#define AT_DEVICE __device__ __forceinline__
#define AT_INFINITY __int_as_float(0x7f800000)
#define AT_NAN __int_as_float(0x7fffffff)

// ---- Two to a number: one instruction; what would be subnormal is 0
AT_DEVICE float at_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// ---- The larger and the smaller; as numpy, a NaN wins
AT_DEVICE float at_max(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a > b || a != a ? a : b;
#endif
}
AT_DEVICE float at_min(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a < b || a != a ? a : b;
#endif
}

// ---- 16-bit floats: to nearest even, NaN stays NaN
AT_DEVICE float at_bf16_to_float(at_bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
AT_DEVICE at_bf16 at_float_to_bf16(float x) {
#if __CUDA_ARCH__ >= 800
  at_bf16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
#else
  unsigned u = __float_as_uint(x);
  u = x == x ? u + 0x7fffu + (u >> 16 & 1u) : 0x7fffffffu;
  return at_bf16{(unsigned short)(u >> 16)};
#endif
}
AT_DEVICE float at_f16_to_float(at_f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
AT_DEVICE at_f16 at_float_to_f16(float x) {
  at_f16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
// 8-bit floats: of e4m3 448 is the largest, to which what is beyond it is rounded.
AT_DEVICE float at_f8e4m3_to_float(at_f8e4m3 x) {
#if __CUDA_ARCH__ >= 890
  unsigned pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x.bits));
  return at_f16_to_float(at_f16{(unsigned short)pair});
#else
  const unsigned size = x.bits & 0x7fu;
  const float y = size == 0x7fu ? AT_NAN : __uint_as_float(size << 20) * 1.329227995784916e36f;
  return x.bits & 0x80u ? -y : y;
#endif
}
AT_DEVICE float at_f8e5m2_to_float(at_f8e5m2 x) { return at_f16_to_float(at_f16{(unsigned short)(x.bits << 8)}); }
// Two of 8 bits as float16, which has all of them, in one register, `low` at the lower address.
AT_DEVICE unsigned at_f8e4m3_to_f16(at_f8e4m3 low, at_f8e4m3 high) {
#if __CUDA_ARCH__ >= 890
  unsigned pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)(low.bits | high.bits << 8)));
  return pair;
#else
  return (unsigned)at_float_to_f16(at_f8e4m3_to_float(low)).bits |
      (unsigned)at_float_to_f16(at_f8e4m3_to_float(high)).bits << 16;
#endif
}
AT_DEVICE unsigned at_f8e5m2_to_f16(at_f8e5m2 low, at_f8e5m2 high) {
  return (unsigned)low.bits << 8 | (unsigned)high.bits << 24;
}
// A float without its sign, which the largest exponent of such has for none: digits behind the point, the bias of
// exponents, a sum with which a subnormal one ends, and what is beyond the largest and no number.
template <int Digits, int Bias, int Power, int Beyond, int Nan> AT_DEVICE unsigned char at_to_8_bits(float x) {
  constexpr int Cut = 23 - Digits;
  constexpr unsigned Moved = 127u - Bias;
  const unsigned u = __float_as_uint(x), size = u & 0x7fffffffu;
  unsigned y = (size + (1u << (Cut - 1)) - 1u - (Moved << 23) + (size >> Cut & 1u)) >> Cut;
  if (size < (Moved + 1u) << 23)
    y = __float_as_uint(__uint_as_float(size) + (float)(1 << Power)) - ((Power + 127u) << 23);
  if (y > (unsigned)Beyond) y = Beyond;
  if (size > 0x7f800000u) y = Nan;
  return (unsigned char)(y | (u >> 24 & 0x80u));
}
AT_DEVICE at_f8e4m3 at_float_to_f8e4m3(float x) {
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return at_f8e4m3{(unsigned char)pair};
#else
  return at_f8e4m3{at_to_8_bits<3, 7, 14, 0x7e, 0x7f>(x)};
#endif
}
AT_DEVICE at_f8e5m2 at_float_to_f8e5m2(float x) { return at_f8e5m2{at_to_8_bits<2, 15, 7, 0x7c, 0x7e>(x)}; }
// Two of 16 bits in one register, `low` at the lower address.
AT_DEVICE unsigned at_pack_f16(float low, float high) {
  return (unsigned)at_float_to_f16(low).bits | (unsigned)at_float_to_f16(high).bits << 16;
}
AT_DEVICE unsigned at_pack_bf16(float low, float high) {
#if __CUDA_ARCH__ >= 800
  unsigned y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
#else
  return (unsigned)at_float_to_bf16(low).bits | (unsigned)at_float_to_bf16(high).bits << 16;
#endif
}
AT_DEVICE float at_low_bf16(unsigned x) { return __uint_as_float(x << 16); }
AT_DEVICE float at_high_bf16(unsigned x) { return __uint_as_float(x & 0xffff0000u); }
AT_DEVICE float at_low_f16(unsigned x) { return at_f16_to_float(at_f16{(unsigned short)x}); }
AT_DEVICE float at_high_f16(unsigned x) { return at_f16_to_float(at_f16{(unsigned short)(x >> 16)}); }

// ---- Vectors of memory: the address is a multiple of what is moved
AT_DEVICE void at_load4(float4& v, const float* p) { v = *reinterpret_cast<const float4*>(p); }
AT_DEVICE void at_load2(float2& v, const float* p) { v = *reinterpret_cast<const float2*>(p); }
AT_DEVICE void at_load16(uint4& v, const void* p) { v = *reinterpret_cast<const uint4*>(p); }
AT_DEVICE void at_load8(uint2& v, const void* p) { v = *reinterpret_cast<const uint2*>(p); }
AT_DEVICE void at_load_u32(unsigned& v, const void* p) { v = *reinterpret_cast<const unsigned*>(p); }
AT_DEVICE void at_store4(float* p, const float4& v) { *reinterpret_cast<float4*>(p) = v; }
AT_DEVICE void at_store2(float* p, const float2& v) { *reinterpret_cast<float2*>(p) = v; }
AT_DEVICE void at_store16(void* p, const uint4& v) { *reinterpret_cast<uint4*>(p) = v; }
AT_DEVICE void at_store8(void* p, const uint2& v) { *reinterpret_cast<uint2*>(p) = v; }
AT_DEVICE void at_store_u32(void* p, unsigned v) { *reinterpret_cast<unsigned*>(p) = v; }
// The same to and from arrays, which the compiler keeps in registers.
AT_DEVICE void at_load4(float (&v)[4], const float* p) {
  float4 t = *reinterpret_cast<const float4*>(p);
  v[0] = t.x, v[1] = t.y, v[2] = t.z, v[3] = t.w;
}
AT_DEVICE void at_load2(float (&v)[2], const float* p) {
  float2 t = *reinterpret_cast<const float2*>(p);
  v[0] = t.x, v[1] = t.y;
}
AT_DEVICE void at_store4(float* p, const float (&v)[4]) {
  *reinterpret_cast<float4*>(p) = make_float4(v[0], v[1], v[2], v[3]);
}
AT_DEVICE void at_store2(float* p, const float (&v)[2]) { *reinterpret_cast<float2*>(p) = make_float2(v[0], v[1]); }
// The same of 16-bit floats, which stay as they are until they are computed with.
template <class T> AT_DEVICE void at_unpack(T (&v)[8], const uint4& t) {
  v[0].bits = (unsigned short)t.x, v[1].bits = (unsigned short)(t.x >> 16);
  v[2].bits = (unsigned short)t.y, v[3].bits = (unsigned short)(t.y >> 16);
  v[4].bits = (unsigned short)t.z, v[5].bits = (unsigned short)(t.z >> 16);
  v[6].bits = (unsigned short)t.w, v[7].bits = (unsigned short)(t.w >> 16);
}
template <class T> AT_DEVICE void at_load16(T (&v)[8], const T* p) {
  at_unpack(v, *reinterpret_cast<const uint4*>(p));
}
template <class T> AT_DEVICE void at_load8(T (&v)[4], const T* p) {
  uint2 t = *reinterpret_cast<const uint2*>(p);
  v[0].bits = (unsigned short)t.x, v[1].bits = (unsigned short)(t.x >> 16);
  v[2].bits = (unsigned short)t.y, v[3].bits = (unsigned short)(t.y >> 16);
}
// The same of bytes.
template <class T> AT_DEVICE void at_load_bytes4(T (&v)[4], const T* p) {
  const unsigned t = *reinterpret_cast<const unsigned*>(p);
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = T{(unsigned char)(t >> 8 * i)};
}
template <class T> AT_DEVICE void at_load_bytes8(T (&v)[8], const T* p) {
  const uint2 t = *reinterpret_cast<const uint2*>(p);
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = T{(unsigned char)(t.x >> 8 * i)}, v[4 + i] = T{(unsigned char)(t.y >> 8 * i)};
}
// What is read once, and that no thread writes during the kernel: it takes no room in L1. What may begin early reads it
// by the memory model all the same, and behind its wait.
#if __CUDA_ARCH__ >= 900
#define AT_STREAM asm volatile
#define AT_STREAMED "ld.global.L1::no_allocate"
#else
#define AT_STREAM asm
#define AT_STREAMED "ld.global.nc.L1::no_allocate"
#endif
AT_DEVICE void at_load_streaming4(float4& v, const float* p) {
  AT_STREAM(AT_STREAMED ".v4.f32 {%0, %1, %2, %3}, [%4];"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(__cvta_generic_to_global(p)));
}
AT_DEVICE void at_load_streaming4(float (&v)[4], const float* p) {
  float4 t;
  at_load_streaming4(t, p);
  v[0] = t.x, v[1] = t.y, v[2] = t.z, v[3] = t.w;
}
AT_DEVICE void at_load_streaming16(uint4& v, const void* p) {
  AT_STREAM(AT_STREAMED ".v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(__cvta_generic_to_global(p)));
}
template <class T> AT_DEVICE void at_load_streaming16(T (&v)[8], const T* p) {
  uint4 t;
  at_load_streaming16(t, p);
  at_unpack(v, t);
}
AT_DEVICE float at_load_streaming(const float* p) {
  float v;
  AT_STREAM(AT_STREAMED ".f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p)));
  return v;
}

// ---- Warps: every lane takes part, every lane gets the result, its neighbours' where that is of so many lanes
template <int Lanes = 32, class T> AT_DEVICE T at_warp_sum(T x) {
#pragma unroll
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_add(x, __shfl_xor_sync(0xffffffffu, x, apart));
  return x;
}
// A lane keeps the half of its values that is its own side's, and gives the other away, until it has one. Indexes are
// constants and values, not places, are chosen between: so all of it stays in registers.
template <int Half, int Room> AT_DEVICE void at_part(float (&sum)[Room]) {
  const bool upper = threadIdx.x & Half;
#pragma unroll
  for (int i = 0; i < Half; ++i) {
    const float low = sum[i], high = sum[i + Half];
    sum[i] = (upper ? high : low) + __shfl_xor_sync(0xffffffffu, upper ? low : high, Half);
  }
  if constexpr (Half > 1) at_part<Half / 2>(sum);
}
// Of `Count` values at once, at most 32: lane i gets the sum of v[i]. Lanes part the values among them while they add,
// so 16 take 16 exchanges, and one by one 80.
template <int Count> AT_DEVICE float at_warp_sums(const float* v) {
  constexpr int Room = Count <= 1 ? 1 : Count <= 2 ? 2 : Count <= 4 ? 4 : Count <= 8 ? 8 : Count <= 16 ? 16 : 32;
  float sum[Room];
#pragma unroll
  for (int i = 0; i < Room; ++i) sum[i] = i < Count ? v[i] : 0.0f;
  if constexpr (Room > 1) at_part<Room / 2>(sum);
#pragma unroll
  for (int apart = Room; apart < 32; apart *= 2) sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], apart);
  return sum[0];
}
template <int Lanes = 32, class T> AT_DEVICE T at_warp_mul(T x) {
#pragma unroll
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_mul(x, __shfl_xor_sync(0xffffffffu, x, apart));
  return x;
}
template <int Lanes = 32, class T> AT_DEVICE T at_warp_max(T x) {
#pragma unroll
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_max(x, __shfl_xor_sync(0xffffffffu, x, apart));
  return x;
}
template <int Lanes = 32, class T> AT_DEVICE T at_warp_min(T x) {
#pragma unroll
  for (int apart = Lanes / 2; apart > 0; apart /= 2) x = at_min(x, __shfl_xor_sync(0xffffffffu, x, apart));
  return x;
}

// ---- Between kernels
// What was launched before is over, and what it wrote is seen by way of the tensors that are `read`. It may still run
// when a kernel that was launched early begins; from here on so may the next one. A GPU without such launches has
// nothing to wait for. Of a pointer that is `const` and `__restrict__` a compiler takes it that nobody writes there
// while the kernel runs, and reads past the memory model, or sooner: so it is not told where these are from.
template <class T> AT_DEVICE void at_forget(const T* __restrict__& read) {
  asm volatile("" : "+l"(read));
  __builtin_assume(__isGlobal(read));
}
template <class... T> AT_DEVICE void at_begin(const T* __restrict__&... read) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
  (at_forget(read), ...);
#endif
}

// Asks for the bytes around, which come to L2 and nobody waits for: where all writes meet, so it may come before them.
AT_DEVICE void at_prefetch(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" :: "l"(__cvta_generic_to_global(p)));
}

// ---- Between blocks
AT_DEVICE void at_atomic_add(float* p, float x) { atomicAdd(p, x); }
// Where `blocks` blocks meet; all their threads call it. True in the block that comes last: it then sees what the
// others wrote before, and *counter, which began as 0, is 0 again. One thread releases for its block what all of it
// wrote before the barrier, and acquires for it what the others released.
AT_DEVICE bool at_meet(unsigned* counter, unsigned blocks) {
  const bool first = threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
  unsigned before = 0;
  __syncthreads();
  if (first) {
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
        : "=r"(before) : "l"(__cvta_generic_to_global(counter)), "r"(blocks - 1) : "memory");
  }
  return __syncthreads_or(first && before == blocks - 1);
}

// ---- Matrix tiles of 8 rows of 16 bytes: lanes 0..7 point at the rows of the first, 8..15 of the second, ...
AT_DEVICE unsigned at_shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
AT_DEVICE void at_ldmatrix_x1(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
      : "=r"(r[0]) : "r"(at_shared_address(row)) : "memory");
}
AT_DEVICE void at_ldmatrix_x2(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
      : "=r"(r[0]), "=r"(r[1]) : "r"(at_shared_address(row)) : "memory");
}
AT_DEVICE void at_ldmatrix_x4(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared_address(row)) : "memory");
}
AT_DEVICE void at_ldmatrix_x4(unsigned (&r)[2][2], const void* row) {
  at_ldmatrix_x4(reinterpret_cast<unsigned (&)[4]>(r), row);
}
AT_DEVICE void at_ldmatrix_x1_trans(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
      : "=r"(r[0]) : "r"(at_shared_address(row)) : "memory");
}
AT_DEVICE void at_ldmatrix_x2_trans(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
      : "=r"(r[0]), "=r"(r[1]) : "r"(at_shared_address(row)) : "memory");
}
AT_DEVICE void at_ldmatrix_x4_trans(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at_shared_address(row)) : "memory");
}

AT_DEVICE void at_ldmatrix_x4_trans(unsigned (&r)[2][2], const void* row) {
  at_ldmatrix_x4_trans(reinterpret_cast<unsigned (&)[4]>(r), row);
}

#if __CUDA_ARCH__ >= 800
// ---- Copies to shared memory that run on by themselves; zeros come where `valid` is false, and nothing is read
AT_DEVICE void at_cp_async16(void* shared, const void* global, bool valid) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
      :: "r"(at_shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(valid ? 16 : 0) : "memory");
}
AT_DEVICE void at_cp_async8(void* shared, const void* global, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
      :: "r"(at_shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(valid ? 8 : 0) : "memory");
}
AT_DEVICE void at_cp_async4(void* shared, const void* global, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
      :: "r"(at_shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(valid ? 4 : 0) : "memory");
}
AT_DEVICE void at_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// All but the last `Left` groups that this thread committed have arrived; other threads see them after a barrier.
template <int Left> AT_DEVICE void at_cp_wait() { asm volatile("cp.async.wait_group %0;" :: "n"(Left) : "memory"); }

// ---- c[16, 8] += a[16, 16] * b[16, 8] of one warp. With g = lane / 4 and t = lane % 4, two elements to a register:
//   a  rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t + 8    b  rows 2t, 2t + 8 of column g
//   c  row g at columns 2t, 2t + 1, then row g + 8
AT_DEVICE void at_mma_m16n8k16_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
AT_DEVICE void at_mma_m16n8k16_f16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// c[16, 8] += a[16, 32] * b[32, 8] of pieces as they lie in memory: a lane has 8 neighbours of k, of rows g and g + 8
// of a and of column g of b. Which step of an instruction each of them is does not matter: in both it is the same.
AT_DEVICE unsigned at_pair(unsigned short low, unsigned short high) { return (unsigned)low | (unsigned)high << 16; }
AT_DEVICE void at_mma_m16n8k32_bf16(float (&c)[4], const at_bf16 (&a)[2][8], const at_bf16 (&b)[8]) {
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    const unsigned left[4] = {at_pair(a[0][i].bits, a[0][i + 1].bits), at_pair(a[1][i].bits, a[1][i + 1].bits),
        at_pair(a[0][i + 2].bits, a[0][i + 3].bits), at_pair(a[1][i + 2].bits, a[1][i + 3].bits)};
    const unsigned right[2] = {at_pair(b[i].bits, b[i + 1].bits), at_pair(b[i + 2].bits, b[i + 3].bits)};
    at_mma_m16n8k16_bf16(c, left, right);
  }
}
AT_DEVICE void at_mma_m16n8k32_f16(float (&c)[4], const at_f16 (&a)[2][8], const at_f16 (&b)[8]) {
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    const unsigned left[4] = {at_pair(a[0][i].bits, a[0][i + 1].bits), at_pair(a[1][i].bits, a[1][i + 1].bits),
        at_pair(a[0][i + 2].bits, a[0][i + 3].bits), at_pair(a[1][i + 2].bits, a[1][i + 3].bits)};
    const unsigned right[2] = {at_pair(b[i].bits, b[i + 1].bits), at_pair(b[i + 2].bits, b[i + 3].bits)};
    at_mma_m16n8k16_f16(c, left, right);
  }
}

// c[16, 8] += a[16, 16] * b[16, 8] with a in float32, which is rounded as b is, beside 8 bits as float16; a lane has 4
// neighbours of k.
AT_DEVICE void at_mma_m16n8k16_bf16(float (&c)[4], const float (&a)[2][4], const at_bf16 (&b)[4]) {
  const unsigned left[4] = {at_pack_bf16(a[0][0], a[0][1]), at_pack_bf16(a[1][0], a[1][1]),
      at_pack_bf16(a[0][2], a[0][3]), at_pack_bf16(a[1][2], a[1][3])};
  const unsigned right[2] = {at_pair(b[0].bits, b[1].bits), at_pair(b[2].bits, b[3].bits)};
  at_mma_m16n8k16_bf16(c, left, right);
}
AT_DEVICE void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f16 (&b)[4]) {
  const unsigned left[4] = {at_pack_f16(a[0][0], a[0][1]), at_pack_f16(a[1][0], a[1][1]),
      at_pack_f16(a[0][2], a[0][3]), at_pack_f16(a[1][2], a[1][3])};
  const unsigned right[2] = {at_pair(b[0].bits, b[1].bits), at_pair(b[2].bits, b[3].bits)};
  at_mma_m16n8k16_f16(c, left, right);
}
AT_DEVICE void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f8e4m3 (&b)[4]) {
  const unsigned left[4] = {at_pack_f16(a[0][0], a[0][1]), at_pack_f16(a[1][0], a[1][1]),
      at_pack_f16(a[0][2], a[0][3]), at_pack_f16(a[1][2], a[1][3])};
  const unsigned right[2] = {at_f8e4m3_to_f16(b[0], b[1]), at_f8e4m3_to_f16(b[2], b[3])};
  at_mma_m16n8k16_f16(c, left, right);
}
AT_DEVICE void at_mma_m16n8k16_f16(float (&c)[4], const float (&a)[2][4], const at_f8e5m2 (&b)[4]) {
  const unsigned left[4] = {at_pack_f16(a[0][0], a[0][1]), at_pack_f16(a[1][0], a[1][1]),
      at_pack_f16(a[0][2], a[0][3]), at_pack_f16(a[1][2], a[1][3])};
  const unsigned right[2] = {at_f8e5m2_to_f16(b[0], b[1]), at_f8e5m2_to_f16(b[2], b[3])};
  at_mma_m16n8k16_f16(c, left, right);
}

// The same of float32: c[16, 8] += a[16, 16] * b[16, 8], a lane having 4 neighbours of k. A factor is a TF32 and what
// is left of it, again one: what is left of both is less than float32 has. Infinite factors give NaN, as NaN does: a
// GPU's own has all bits of the mantissa, which rounding by a sum would carry away.
AT_DEVICE unsigned at_tf32(float x) {
  unsigned y;
#if __CUDA_ARCH__ >= 900
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
#else
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
#endif
  return y;
}
AT_DEVICE unsigned at_tf32_rest(float x) { return at_tf32(x - __uint_as_float(at_tf32(x))); }
AT_DEVICE void at_mma_m16n8k8_tf32(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// The units cut off what float32 has no room for, always towards zero, so a long sum of theirs falls short: they add up
// 16 steps, and those are added as floats are, to nearest.
AT_DEVICE void at_mma_m16n8k16_tf32x3(float (&c)[4], const float (&a)[2][4], const float (&b)[4]) {
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned left[4] = {at_tf32(a[0][i]), at_tf32(a[1][i]), at_tf32(a[0][i + 1]), at_tf32(a[1][i + 1])};
    const unsigned rest[4] = {at_tf32_rest(a[0][i]), at_tf32_rest(a[1][i]), at_tf32_rest(a[0][i + 1]),
        at_tf32_rest(a[1][i + 1])};
    const unsigned right[2] = {at_tf32(b[i]), at_tf32(b[i + 1])};
    const unsigned right_rest[2] = {at_tf32_rest(b[i]), at_tf32_rest(b[i + 1])};
    at_mma_m16n8k8_tf32(sum, rest, right);
    at_mma_m16n8k8_tf32(sum, left, right_rest);
    at_mma_m16n8k8_tf32(sum, left, right);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) c[i] += sum[i];
}
#endif
"""

PRELUDE_DEVICE = STORAGE + OPERATIONS + _INSTRUCTIONS + HOPPER

// Floats of 16 and 8 bits, and what CUDA's mathematics has and C's lacks.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

extern "C" {

float at_cpu_f16_to_float(unsigned bits) {
  int exponent = (int)(bits >> 10 & 31);
  float fraction = (float)(bits & 1023), x;
  if (exponent == 31)
    x = fraction != 0.0f ? NAN : INFINITY;
  else
    x = exponent ? ldexpf(1024.0f + fraction, exponent - 25) : ldexpf(fraction, -24);
  return bits & 0x8000 ? -x : x;
}

unsigned at_cpu_float_to_f16(float x) {
  unsigned sign = signbit(x) ? 0x8000u : 0u;
  float size = fabsf(x);
  if (x != x) return 0x7fff;
  if (size == 0.0f) return sign;
  if (size >= 65520.0f) return sign | 0x7c00;
  int exponent;
  frexpf(size, &exponent);
  exponent = exponent < -13 ? -13 : exponent;                // from here on down the spacing is that of the subnormals
  unsigned steps = (unsigned)rintf(ldexpf(size, 11 - exponent));  // to nearest even, as the processor rounds
  return sign | ((unsigned)(exponent + 13) * 1024u + steps);     // a carry runs into the exponent, as it should
}

unsigned at_cpu_float_to_bf16(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  if (x != x) return 0x7fff;
  return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

float at_cpu_f8_to_float(unsigned bits, int digits, int bias, int infinite) {
  unsigned size = bits & 0x7f, last = 0x7fu >> digits;
  int exponent = (int)(size >> digits), fraction = (int)(size & ((1u << digits) - 1u));
  float x = exponent ? ldexpf((float)((1 << digits) + fraction), exponent - bias - digits)
                     : ldexpf((float)fraction, 1 - bias - digits);
  if (infinite && exponent == (int)last) x = fraction ? NAN : INFINITY;
  if (!infinite && size == 0x7f) x = NAN;
  return bits & 0x80 ? -x : x;
}

// The nearest of all numbers, and of two that are as near the even one.
unsigned at_cpu_float_to_f8(float x, int digits, int bias, int infinite) {
  unsigned sign = signbit(x) ? 0x80u : 0u, best = 0;
  if (x != x) return sign | 0x7f;
  unsigned infinity = 0x7fu >> digits << digits, largest = infinite ? infinity - 1 : 0x7e;
  float size = fabsf(x), end = at_cpu_f8_to_float(largest, digits, bias, infinite);
  float step = end - at_cpu_f8_to_float(largest - 1, digits, bias, infinite);
  if (size >= end + step / 2) return sign | (infinite ? infinity : largest);
  for (unsigned bits = 1; bits <= largest; ++bits) {
    double now = fabs((double)at_cpu_f8_to_float(bits, digits, bias, infinite) - size);
    double before = fabs((double)at_cpu_f8_to_float(best, digits, bias, infinite) - size);
    if (now < before || (now == before && bits % 2 == 0)) best = bits;
  }
  return sign | best;
}

// exp(x^2) erfc(x)
float erfcxf(float x) {
  double d = x;
  return d < 25.0 ? (float)(exp(d * d) * erfc(d)) : (float)(1.0 / (d * 1.7724538509055160273 * (1.0 + 0.5 / (d * d))));
}
}

// 16-bit floats, and what CUDA's mathematics has and C's lacks.
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

// exp(x^2) erfc(x)
float erfcxf(float x) {
  double d = x;
  return d < 25.0 ? (float)(exp(d * d) * erfc(d)) : (float)(1.0 / (d * 1.7724538509055160273 * (1.0 + 0.5 / (d * d))));
}
}

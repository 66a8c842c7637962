// Operations of a warp: every lane brings its operand and stands still; the one that comes last performs it for all.
#pragma once

#include <string.h>

#include "fibers.h"
#include "floats.h"

namespace {

unsigned members(int warp) {
  unsigned count = threads - (unsigned)warp * LANES;
  return count >= LANES ? ~0u : (1u << count) - 1;
}

// Comes to where the lanes of `mask` meet; true in the one that comes last, while the others stand still.
bool meet(const char* what, unsigned mask, void* operand, int line) {
  mask &= members(self->warp);
  if (!(mask >> self->lane & 1))
    fault("%s calls %s at @L%d@ with a mask that leaves it out", who(self->index).text, what, line);
  self->what = what, self->line = line, self->mask = mask, self->operand = operand, self->state = AT_WARP;
  Meeting& here = ours->meetings[(size_t)self->warp * LANES + (size_t)__builtin_ctz(mask)];
  if (!here.came) here.first = self;
  const Fiber& first = *here.first;
  if (first.line != line || first.mask != mask || first.what != what)
    fault("diverged: %s waits in %s at @L%d@, and %s of its warp in %s at @L%d@", who(self->index).text, what, line,
          who(first.index).text, first.what, first.line);
  here.came |= 1u << self->lane;
  if (here.came != mask) return false;
  here.came = 0;
  return true;
}

void* operand_of(int lane) { return ours->fibers[(size_t)self->warp * LANES + (size_t)lane].operand; }

void release_warp() {
  unsigned mask = self->mask;
  for (int lane = 0; lane < LANES; ++lane)
    if (mask >> lane & 1) ours->fibers[(size_t)self->warp * LANES + (size_t)lane].state = READY;
}

struct Shuffled {
  void* value;
  int bytes, kind, other, width;
};

void shuffle_all() {
  char was[LANES][16];
  unsigned mask = self->mask;
  for (int lane = 0; lane < LANES; ++lane)
    if (mask >> lane & 1) {
      const Shuffled& s = *(Shuffled*)operand_of(lane);
      memcpy(was[lane], s.value, (size_t)s.bytes);
    }
  for (int lane = 0; lane < LANES; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const Shuffled& s = *(Shuffled*)operand_of(lane);
    int base = lane / s.width * s.width, end = base + s.width, from = lane;
    if (s.kind == 0) from = base + (s.other & (s.width - 1));
    if (s.kind == 1) from = lane - s.other < base ? lane : lane - s.other;
    if (s.kind == 2) from = lane + s.other >= end ? lane : lane + s.other;
    if (s.kind == 3) from = (lane ^ s.other) >= end ? lane : lane ^ s.other;
    if (!(mask >> from & 1))
      fault("%s takes a shuffle's value at @L%d@ from lane %d, which takes no part",
            who(self->warp * LANES + lane).text, self->line, from);
    memcpy(s.value, was[from], (size_t)s.bytes);
  }
}

struct Rows {
  unsigned* r;
  const void* row;
  int count, trans;
};

void ldmatrix_all() {
  for (int lane = 0; lane < LANES; ++lane) {
    const Rows& mine = *(Rows*)operand_of(lane);
    for (int i = 0; i < mine.count; ++i) {
      uint16_t two[2];
      for (int j = 0; j < 2; ++j) {
        int row = mine.trans ? 2 * (lane % 4) + j : lane / 4, column = mine.trans ? lane / 4 : 2 * (lane % 4) + j;
        memcpy(&two[j], (const char*)((Rows*)operand_of(8 * i + row))->row + 2 * column, 2);
      }
      mine.r[i] = (unsigned)two[0] | (unsigned)two[1] << 16;
    }
  }
}

float bf16(unsigned bits) {
  uint32_t u = (bits & 0xffff) << 16;
  float x;
  memcpy(&x, &u, 4);
  return x;
}

struct Product {
  float* c;
  const unsigned *a, *b;
  int bf16;
};

// The units add up so many products and the sum so far exactly, and cut off what float32 has no room for: as many as
// the oldest units that have such products, which cut off the most often.
float towards_zero(double exact) {
  float x = (float)exact;
  return isfinite(x) && fabs((double)x) > fabs(exact) ? nextafterf(x, 0.0f) : x;
}

// c[16, 8] += a[16, K] * b[K, 8] of what the lanes gave, and back to them.
template <int AT_ONCE, int K>
void multiply_all(const float (&a)[16][K], const float (&b)[K][8]) {
  for (int lane = 0; lane < LANES; ++lane) {
    float* c = ((Product*)operand_of(lane))->c;
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      for (int first = 0; first < K; first += AT_ONCE) {
        double sum = c[i];
        for (int k = first; k < first + AT_ONCE; ++k) sum += (double)a[row][k] * b[k][column];
        c[i] = towards_zero(sum);
      }
    }
  }
}

// Of a TF32 the units see its first 19 bits.
void mma_tf32_all() {
  float a[16][8], b[8][8];
  auto element = [](unsigned bits) {
    bits &= 0xffffe000u;
    float x;
    memcpy(&x, &bits, 4);
    return x;
  };
  for (int lane = 0; lane < LANES; ++lane) {
    const Product& p = *(Product*)operand_of(lane);
    int g = lane / 4, t = lane % 4;
    for (int i = 0; i < 4; ++i) a[g + 8 * (i % 2)][t + 4 * (i / 2)] = element(p.a[i]);
    for (int i = 0; i < 2; ++i) b[t + 4 * i][g] = element(p.b[i]);
  }
  multiply_all<4>(a, b);
}

void mma_all() {
  float a[16][16], b[16][8];
  auto element = [](unsigned two, int high, int is_bf16) {
    unsigned bits = high ? two >> 16 : two & 0xffff;
    return is_bf16 ? bf16(bits) : at_cpu_f16_to_float(bits);
  };
  for (int lane = 0; lane < LANES; ++lane) {
    const Product& p = *(Product*)operand_of(lane);
    int g = lane / 4, t = lane % 4;
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 4; ++i) a[g + 8 * (i % 2)][2 * t + j + 8 * (i / 2)] = element(p.a[i], j, p.bf16);
      for (int i = 0; i < 2; ++i) b[2 * t + j + 8 * i][g] = element(p.b[i], j, p.bf16);
    }
  }
  multiply_all<8>(a, b);
}

}  // namespace

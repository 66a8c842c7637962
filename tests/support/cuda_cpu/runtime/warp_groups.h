// Products of a warp group: four warps multiply matrices in shared memory, and go on while that is done.
//
// The sums are made when somebody waits for them, which is as late as they may be, and until then are NaN; what the
// matrices hold is looked at when the product begins and when it ends. It is the asynchronous proxy that reads them: it
// sees what a thread wrote before that thread's last fence for it.
#pragma once

#include "warps.h"

namespace {

constexpr int AT_ONCE = 16;  // products that the units add up exactly
constexpr int GROUP_ROWS = 64, STEPS = 64, ROW = 128;  // of a product; bytes of a row, and a swizzle turns eight rows

void seen_by_async(const char* matrix, int first, int rows, int line) {
  for (int r = first; r < first + rows; ++r) by_async((uintptr_t)(matrix + r * ROW), ROW, READ, "wgmma", line);
}

void look_at(const GroupProduct& p) {
  int columns = (int)p.before.size() * 2;
  if (self->lane != 0) return;  // a warp reads its 16 rows of a, and all of b
  seen_by_async(p.a, self->warp % 4 * 16, 16, p.line);
  seen_by_async(p.b, 0, columns, p.line);
}

float element(const char* matrix, int row, int step, int is_bf16) {
  uint16_t bits;
  memcpy(&bits, matrix + row * ROW + (step / 8 ^ row % 8) * 16 + step % 8 * 2, 2);
  return is_bf16 ? bf16(bits) : at_cpu_f16_to_float(bits);
}

// Of a matrix whose rows are steps, in parts of so many columns as one row has: where a part ends the next one begins.
float turned_element(const char* matrix, int column, int step, int is_bf16) {
  return element(matrix + column / STEPS * STEPS * ROW, step, column % STEPS, is_bf16);
}

void multiply(const GroupProduct& p) {
  auto* of_b = p.turned ? turned_element : element;
  for (size_t i = 0; i < p.before.size(); ++i) {
    int row = self->warp % 4 * 16 + self->lane / 4 + (int)(i / 2 % 2) * 8;
    int column = (int)(i / 4) * 8 + self->lane % 4 * 2 + (int)(i % 2);
    float sum = p.before[i];
    for (int first = 0; first < STEPS; first += AT_ONCE) {
      double exact = sum;
      for (int k = first; k < first + AT_ONCE; ++k)
        exact += (double)element(p.a, row, k, p.bf16) * of_b(p.b, column, k, p.bf16);
      sum = towards_zero(exact);
    }
    p.c[i] = sum;
  }
}

// Sums that a later product goes on with, in flight, are nobody's meanwhile.
void hand_on(size_t done) {
  GroupProduct& p = self->products[done];
  for (size_t i = done + 1; i < self->products.size(); ++i) {
    GroupProduct& later = self->products[i];
    if (later.c != p.c) continue;
    later.before.assign(p.c, p.c + p.before.size());
    for (size_t j = 0; j < p.before.size(); ++j) p.c[j] = NAN;
    return;
  }
}

}  // namespace

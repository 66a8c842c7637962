/* Arithmetic of two tensors of float32, broadcast: of sizes of which it is known at run time alone whether they are the
   same ones. Kernels do all others. */
#pragma once
#include "order.h"

enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT };

#define COMPUTED_AS(a, b) (how == SUM ? a + b : how == DIFFERENCE ? a - b : how == PRODUCT ? a * b : a / b)

/* Elements side by side; one of each tensor stays where it does not move. */
INLINE void row_computed(float *y, const float *a, const float *b, int64_t count, bool moves_a, bool moves_b,
                         int64_t how) {
  int64_t i = 0;
  many one_a, one_b;
  for (int64_t lane = 0; lane < SIDE_BY_SIDE; lane++)
    one_a[lane] = *a, one_b[lane] = *b;
  for (; i + SIDE_BY_SIDE <= count; i += SIDE_BY_SIDE) {
    many of_a = moves_a ? *(const many *)(a + i) : one_a, of_b = moves_b ? *(const many *)(b + i) : one_b;
    *(many *)(y + i) = COMPUTED_AS(of_a, of_b);
  }
  for (; i < count; i++) {
    float of_a = a[moves_a ? i : 0], of_b = b[moves_b ? i : 0];
    y[i] = COMPUTED_AS(of_a, of_b);
  }
}

/* Neighbouring dimensions of y that both tensors walk alike are one here, the last one first. */
struct broadcast {
  int64_t rank, sizes[MAX_RANK], steps[2][MAX_RANK];
};

static bool broadcast_of(struct broadcast *found, const struct tensor *const *operands) {
  const struct tensor *y = operands[2];
  int64_t strides[2] = {1, 1};
  found->rank = 0;
  for (int64_t o = 0; o < 3; o++)
    if (operands[o]->code != CODE_FLOAT32 || operands[o]->rank > y->rank)
      return false;
  for (int64_t back = 1; back <= y->rank; back++) {
    int64_t size = y->dims[y->rank - back], r = found->rank, sizes[2], steps[2];
    bool is_joined = r > 0;
    for (int64_t o = 0; o < 2; o++) {
      sizes[o] = back <= operands[o]->rank ? operands[o]->dims[operands[o]->rank - back] : 1;
      if (sizes[o] != size && sizes[o] != 1)
        return false;
      steps[o] = sizes[o] == 1 ? 0 : strides[o];
      is_joined = is_joined && steps[o] == found->steps[o][r - 1] * found->sizes[r - 1];
      strides[o] *= sizes[o];
    }
    if (size == 1)
      continue;
    if (sizes[0] == 1 && sizes[1] == 1)
      return false;
    if (is_joined) {
      found->sizes[r - 1] *= size;
      continue;
    }
    found->sizes[r] = size;
    for (int64_t o = 0; o < 2; o++)
      found->steps[o][r] = steps[o];
    found->rank++;
  }
  return true;
}

INLINE bool computed(const struct tensor *const *operands, int64_t how) {
  struct broadcast walk;
  if (!broadcast_of(&walk, operands))
    return false;
  const float *from[2] = {(const float *)data_of(operands[0]), (const float *)data_of(operands[1])};
  float *y = (float *)data_of(operands[2]);
  int64_t count = walk.rank ? walk.sizes[0] : 1, at[MAX_RANK] = {0};
  bool moves_a = walk.rank && walk.steps[0][0], moves_b = walk.rank && walk.steps[1][0];
  for (int64_t left = operands[2]->elements; left > 0; left -= count, y += count) {
    if (moves_a && moves_b)
      row_computed(y, from[0], from[1], count, true, true, how);
    else if (moves_a)
      row_computed(y, from[0], from[1], count, true, false, how);
    else
      row_computed(y, from[0], from[1], count, false, true, how);
    for (int64_t d = 1; d < walk.rank; d++) {
      bool goes_on = ++at[d] < walk.sizes[d];
      for (int64_t o = 0; o < 2; o++)
        from[o] += walk.steps[o][d] * (goes_on ? 1 : 1 - walk.sizes[d]);
      if (goes_on)
        break;
      at[d] = 0;
    }
  }
  return true;
}

/* a, b, y */
bool op_add(const struct tensor *const *operands, const int64_t *attributes) { return computed(operands, SUM); }

bool op_subtract(const struct tensor *const *operands, const int64_t *attributes) {
  return computed(operands, DIFFERENCE);
}

bool op_multiply(const struct tensor *const *operands, const int64_t *attributes) {
  return computed(operands, PRODUCT);
}

bool op_divide(const struct tensor *const *operands, const int64_t *attributes) {
  return computed(operands, QUOTIENT);
}

/* Positions of what is not 0. */
#pragma once
#include "operands.h"

/* Whether an element is not 0, nor that with a sign. */
static inline bool differs(const struct tensor *x, int64_t i) {
  switch (x->code) {
  case CODE_FLOAT32:
    return ((const uint32_t *)x->address)[i] << 1;
  case CODE_FLOAT64:
    return ((const uint64_t *)x->address)[i] << 1;
  case CODE_FLOAT16:
    return (uint16_t)(((const uint16_t *)x->address)[i] << 1);
  default:
    break;
  }
  switch (bytes_of(x->code)) {
  case 1:
    return ((const uint8_t *)x->address)[i];
  case 2:
    return ((const uint16_t *)x->address)[i];
  case 4:
    return ((const uint32_t *)x->address)[i];
  default:
    return ((const uint64_t *)x->address)[i];
  }
}

/* x, the shape of what `op_nonzero` makes of it */
bool sizes_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *shape = operands[1];
  if (shape->code != CODE_INT64 || shape->elements != 2)
    return false;
  int64_t count = 0;
  for (int64_t i = 0; i < x->elements; i++)
    count += differs(x, i);
  ((int64_t *)shape->address)[0] = x->rank;
  ((int64_t *)shape->address)[1] = count;
  return true;
}

/* x, the positions of its elements that are not 0, dimension by dimension */
bool op_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *y = operands[1];
  if (y->code != CODE_INT64 || y->rank != 2 || x->rank < 1 || y->dims[0] != x->rank)
    return false;
  int64_t count = y->dims[1], found = 0, at[MAX_RANK] = {0}, *made = (int64_t *)y->address;
  for (int64_t i = 0; i < x->elements; i++) {
    if (differs(x, i)) {
      if (found == count)
        return false;
      for (int64_t d = 0; d < x->rank; d++)
        made[d * count + found] = at[d];
      found++;
    }
    for (int64_t d = x->rank - 1; d >= 0 && ++at[d] == x->dims[d]; d--)
      at[d] = 0;
  }
  return found == count;
}

/* Positions of what is not 0. */
#pragma once
#include "operands.h"

/* Whether an element is not 0, nor that with a sign. */
INLINE bool differs(const void *data, int64_t code, int64_t i) {
  switch (code) {
  case CODE_FLOAT32:
    return ((const uint32_t *)data)[i] << 1;
  case CODE_FLOAT64:
    return ((const uint64_t *)data)[i] << 1;
  case CODE_FLOAT16:
  case CODE_BFLOAT16:
    return (uint16_t)(((const uint16_t *)data)[i] << 1);
  case CODE_FLOAT8_E4M3FN:
  case CODE_FLOAT8_E5M2:
    return (uint8_t)(((const uint8_t *)data)[i] << 1);
  default:
    break;
  }
  switch (bytes_of(code)) {
  case 1:
    return ((const uint8_t *)data)[i];
  case 2:
    return ((const uint16_t *)data)[i];
  case 4:
    return ((const uint32_t *)data)[i];
  default:
    return ((const uint64_t *)data)[i];
  }
}

INLINE int64_t counted(const void *data, int64_t code, int64_t elements) {
  int64_t count = 0;
  for (int64_t i = 0; i < elements; i++)
    count += differs(data, code, i);
  return count;
}

/* Writes down where so many elements of a row are not 0; whether there are as many. No branch hangs on what they are. */
INLINE bool found_in_row(int64_t *made, int64_t count, const void *data, int64_t code, int64_t elements) {
  int64_t found = 0, i = 0;
  for (; found < count && i < elements; i++) {
    made[found] = i;
    found += differs(data, code, i);
  }
  while (i < elements && !differs(data, code, i))
    i++;
  return found == count && i == elements;
}

/* x, the shape of what `op_nonzero` makes of it */
bool sizes_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *shape = operands[1];
  if (shape->code != CODE_INT64 || shape->elements != 2)
    return false;
  bool is_of_bools = x->code == CODE_BOOL;
  ((int64_t *)shape->address)[0] = x->rank;
  ((int64_t *)shape->address)[1] = is_of_bools ? counted(data_of(x), CODE_BOOL, x->elements)
                                               : counted(data_of(x), x->code, x->elements);
  return true;
}

/* x, the positions of its elements that are not 0, dimension by dimension */
bool op_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *y = operands[1];
  if (y->code != CODE_INT64 || y->rank != 2 || x->rank < 1 || y->dims[0] != x->rank)
    return false;
  int64_t count = y->dims[1], found = 0, at[MAX_RANK] = {0}, *made = (int64_t *)y->address;
  if (x->rank == 1 && x->code == CODE_BOOL)
    return found_in_row(made, count, data_of(x), CODE_BOOL, x->elements);
  if (x->rank == 1)
    return found_in_row(made, count, data_of(x), x->code, x->elements);
  for (int64_t i = 0; i < x->elements; i++) {
    if (differs(data_of(x), x->code, i)) {
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

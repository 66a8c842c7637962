/* What operators of the host know of their operands. */
#pragma once
#include "../dtypes.h"

void *malloc(uint64_t bytes);
void free(void *memory);

/* The product of some sizes. */
static int64_t product(const int64_t *sizes, int64_t begin, int64_t end) {
  int64_t found = 1;
  for (int64_t d = begin; d < end; d++)
    found *= sizes[d];
  return found;
}

static char *data_of(const struct tensor *tensor) { return (char *)tensor->address; }

static inline void move_element(char *to, const char *from, int64_t bytes) {
  switch (bytes) {
  case 1:
    *to = *from;
    break;
  case 2:
    __builtin_memcpy(to, from, 2);
    break;
  case 4:
    __builtin_memcpy(to, from, 4);
    break;
  default:
    __builtin_memcpy(to, from, 8);
  }
}

#define INLINE static inline __attribute__((always_inline))

/* Bounds check of positions: numbers that choose along a dimension, from -size to size - 1. */
#pragma once
#include <stdint.h>

struct misplaced {  // the first number that is no such position, and whether there is one
  int64_t position, found;
};

enum { SIDE_BY_SIDE = 16 };  // positions that are looked at together
typedef int64_t wide __attribute__((vector_size(8 * SIDE_BY_SIDE)));
typedef uint64_t wide_unsigned __attribute__((vector_size(8 * SIDE_BY_SIDE)));
typedef int64_t wide64 __attribute__((vector_size(8 * SIDE_BY_SIDE), aligned(8)));
typedef int32_t wide32 __attribute__((vector_size(4 * SIDE_BY_SIDE), aligned(4)));

/* A number is a position where it and the size are, taken without sign, below twice the size. */
#define MISPLACED(bits)                                                                                               \
  static inline struct misplaced misplaced##bits(const int##bits##_t *positions, int64_t count, int64_t size) {       \
    uint64_t twice = 2 * (uint64_t)size;                                                                              \
    int64_t i = 0;                                                                                                    \
    for (; i + SIDE_BY_SIDE <= count; i += SIDE_BY_SIDE) {                                                            \
      wide some = __builtin_convertvector(*(const wide##bits *)(positions + i), wide);                                \
      if (__builtin_reduce_or((wide_unsigned)(some + size) >= twice))                                                 \
        break;                                                                                                        \
    }                                                                                                                 \
    for (; i < count; i++)                                                                                            \
      if ((uint64_t)(positions[i] + size) >= twice)                                                                   \
        return (struct misplaced){positions[i], 1};                                                                   \
    return (struct misplaced){0, 0};                                                                                  \
  }
MISPLACED(32)
MISPLACED(64)
#undef MISPLACED

/* Words that C shares with Python. Written by scripts/runtime: do not edit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAUNCH 15
#define MISALIGNED (-1)

struct launch {
  int64_t function;
  int64_t grid_x;
  int64_t grid_y;
  int64_t grid_z;
  int64_t block_x;
  int64_t block_y;
  int64_t block_z;
  int64_t shared;
  int64_t odd;
  int64_t operands;
  int64_t workspace;
  int64_t waits;
  const int64_t *places;
  int64_t *values;
  void **arguments;
};
_Static_assert(offsetof(struct launch, function) == 0, "FUNCTION");
_Static_assert(offsetof(struct launch, grid_x) == 8, "GRID_X");
_Static_assert(offsetof(struct launch, grid_y) == 16, "GRID_Y");
_Static_assert(offsetof(struct launch, grid_z) == 24, "GRID_Z");
_Static_assert(offsetof(struct launch, block_x) == 32, "BLOCK_X");
_Static_assert(offsetof(struct launch, block_y) == 40, "BLOCK_Y");
_Static_assert(offsetof(struct launch, block_z) == 48, "BLOCK_Z");
_Static_assert(offsetof(struct launch, shared) == 56, "SHARED");
_Static_assert(offsetof(struct launch, odd) == 64, "ODD");
_Static_assert(offsetof(struct launch, operands) == 72, "OPERANDS");
_Static_assert(offsetof(struct launch, workspace) == 80, "WORKSPACE");
_Static_assert(offsetof(struct launch, waits) == 88, "WAITS");
_Static_assert(offsetof(struct launch, places) == 96, "PLACES");
_Static_assert(offsetof(struct launch, values) == 104, "VALUES");
_Static_assert(offsetof(struct launch, arguments) == 112, "ARGUMENTS");

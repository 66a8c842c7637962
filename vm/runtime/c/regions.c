/* Helpers of compiled regions, which stand in the same module: pool, cells, a clock and a log, positions looked at and
   made, and tensors repeated. */
#define SHARED  // by name
#include "cells.h"
#include "log.h"
#include "../../../dispatch/cpu/positions.h"

/* Gives back the blocks that a region took and still has: pairs of address, or 0, and size. */
void give_back(struct pool *pool, const struct pair *pairs, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (pairs[i].address)
      put(pool, pairs[i].address, pairs[i].bytes);
}

int64_t take_workspace(struct pool *pool, int64_t bytes) { return bytes ? take(pool, bytes) : NO_WORKSPACE; }

void put_workspace(struct pool *pool, int64_t address, int64_t bytes) {
  if (bytes)
    put(pool, address, bytes);
}

/* A cell for storage, counted so often. */
struct cell *new_storage(struct machine *machine, int64_t address, int64_t bytes, int64_t count) {
  struct cell *cell = new_cell(machine);
  cell->count = count;
  cell->tensor.address = address;
  cell->tensor.elements = bytes;
  cell->tensor.code = STORAGE_CODE;
  cell->tensor.flags = 0;
  cell->filled = 0;
  return cell;
}

/* What the memory of a cell's tensor belongs to, counted once more. */
struct cell *keeper(struct cell *cell) {
  struct cell *found = cell->keeps ? cell->keeps : cell;
  retain(found);
  return found;
}

/* A number of a list, and 1 beyond it. */
int64_t word(const int64_t *words, int64_t count, int64_t i) { return i < count ? words[i] : 1; }

/* start, start + step, ...: so many of them. */
void arange(int64_t *made, int64_t count, int64_t start, int64_t step) {
  for (int64_t i = 0; i < count; i++)
    made[i] = start + i * step;
}

/* What a tensor is repeated to, and the tensor: so many dimensions each, of the first so many elements. */
struct repeating {
  int64_t rank, elements, own_rank, own_elements, bytes;  // the last of one element
  int64_t dims[MAX_RANK], own_dims[MAX_RANK];
};
_Static_assert(sizeof(struct repeating) == 8 * REPEATING, "REPEATING");

enum { NEAR = 1 << 14 };  // bytes that are copied from a cache

/* Repeats the begin of some memory all over it; copies grow as long as they are from a cache. */
static void again(char *made, int64_t begin, int64_t bytes) {
  int64_t step = begin;
  for (int64_t filled = begin; filled < bytes; filled += step) {
    if (filled <= NEAR)
      step = filled;
    if (step > bytes - filled)
      step = bytes - filled;
    __builtin_memcpy(made + filled, made, step);
  }
}

struct repeated {  // how far apart elements are, 0 where they are repeated; bytes from a dimension on; the last repeated
  int64_t strides[MAX_RANK], bytes[MAX_RANK + 1], last;
};

/* Fills a tensor from one dimension on: what is repeated is written once, and then copied from there. */
static void fill(char *made, const char *x, const struct repeating *how, const struct repeated *by, int64_t d) {
  if (d > by->last)
    __builtin_memcpy(made, x, by->bytes[d]);
  else if (by->strides[d])
    for (int64_t i = 0; i < how->dims[d]; i++)
      fill(made + i * by->bytes[d + 1], x + i * by->strides[d], how, by, d + 1);
  else {
    fill(made, x, how, by, d + 1);
    again(made, by->bytes[d + 1], by->bytes[d]);
  }
}

/* Fills a tensor with one that lacks some of its dimensions, or has 1 of them; whether that one fits, and lies apart. */
bool repeat(char *made, const char *x, const struct repeating *how) {
  struct repeated by = {.last = -1};
  int64_t step = how->bytes, lacking = how->rank - how->own_rank;
  if (lacking < 0 || (made < x + how->own_elements * how->bytes && x < made + how->elements * how->bytes))
    return false;
  by.bytes[how->rank] = how->bytes;
  for (int64_t d = how->rank - 1; d >= 0; d--) {
    int64_t own = d < lacking ? 1 : how->own_dims[d - lacking];
    if (own != how->dims[d] && own != 1)
      return false;
    if (own != how->dims[d] && by.last < 0)
      by.last = d;
    by.strides[d] = own == 1 ? 0 : step;
    by.bytes[d] = by.bytes[d + 1] * how->dims[d];
    step *= own;
  }
  if (how->elements)
    fill(made, x, how, &by, 0);
  return true;
}

struct misplaced scan32(const int32_t *positions, int64_t count, int64_t size) {
  return misplaced32(positions, count, size);
}

struct misplaced scan64(const int64_t *positions, int64_t count, int64_t size) {
  return misplaced64(positions, count, size);
}

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

/* Fills a tensor with one that lacks some of its dimensions, or has 1 of them; whether that one fits, and lies apart. */
bool repeat(char *made, const char *x, const struct repeating *how) {
  int64_t strides[MAX_RANK] = {0}, at[MAX_RANK] = {0}, step = how->bytes, lacking = how->rank - how->own_rank;
  if (lacking < 0 || (made < x + how->own_elements * how->bytes && x < made + how->elements * how->bytes))
    return false;
  int64_t outer = 0;  // the dimensions up to the last one that is repeated
  for (int64_t d = how->rank - 1; d >= 0; d--) {
    int64_t own = d < lacking ? 1 : how->own_dims[d - lacking];
    if (own != how->dims[d] && own != 1)
      return false;
    if (own != how->dims[d] && !outer)
      outer = d + 1;
    strides[d] = own == 1 ? 0 : step;
    step *= own;
  }
  int64_t block = how->bytes;
  for (int64_t d = outer; d < how->rank; d++)
    block *= how->dims[d];
  for (const char *end = made + how->elements * how->bytes; made < end; made += block) {
    __builtin_memcpy(made, x, block);
    int64_t d = outer - 1;
    for (; d >= 0; d--) {
      x += strides[d];
      if (++at[d] < how->dims[d])
        break;
      x -= strides[d] * how->dims[d];
      at[d] = 0;
    }
  }
  return true;
}

struct misplaced scan32(const int32_t *positions, int64_t count, int64_t size) {
  return misplaced32(positions, count, size);
}

struct misplaced scan64(const int64_t *positions, int64_t count, int64_t size) {
  return misplaced64(positions, count, size);
}

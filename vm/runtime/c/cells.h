/* Reference-counted value cells: making, keeping, letting go. Nothing here recurses, however deep a value is.

   `new_cell` never fails: the driver sees to it, before each step, that there are as many free cells as a step needs. */
#pragma once
#include "pool.h"

struct cell {
  union {
    int64_t count;
    struct cell *next;  // of a free one, and of one that is about to be
  };
  struct cell *keeps;
  union {
    struct tensor tensor;  // of storage the address, its bytes as elements, the code
    struct {               // of data types and closures, with the code where tensors have it
      int64_t tag, size;
    };
  };
  int64_t filled;  // of storage: bytes that tensors appended to one another take, 0 where nothing was appended
  int64_t numbers[CELL - CELL_NUMBERS];
};
_Static_assert(offsetof(struct cell, keeps) == 8 * CELL_KEEPS, "CELL_KEEPS");
_Static_assert(offsetof(struct cell, tensor) == 8 * CELL_WORDS, "CELL_WORDS");
_Static_assert(offsetof(struct cell, tensor.code) == 8 * CELL_CODE, "CELL_CODE");
_Static_assert(offsetof(struct cell, size) == 8 * CELL_SIZE, "CELL_SIZE");
_Static_assert(offsetof(struct cell, filled) == 8 * CELL_FILLED, "CELL_FILLED");
_Static_assert(offsetof(struct cell, numbers) == 8 * CELL_NUMBERS, "CELL_NUMBERS");
_Static_assert(sizeof(struct cell) == 8 * CELL, "CELL");

struct chunk {
  struct chunk *before;
  int64_t spare[CHUNK_HEADER - 1];
  struct cell cells[CHUNK_CELLS];
};
_Static_assert(sizeof(struct chunk) == 8 * CHUNK, "CHUNK");

static inline struct cell **fields_of(struct cell *cell) { return (struct cell **)cell + CELL_FIELDS; }

SHARED struct cell *new_cell(struct machine *machine) {
  struct cell *cell = machine->free;
  machine->free = cell->next;
  machine->cells--;
  cell->count = 1;
  return cell;
}

static inline void free_cell(struct machine *machine, struct cell *cell) {
  cell->next = machine->free;
  machine->free = cell;
  machine->cells++;
}

/* One chunk more of free cells; a machine's first is its own, the others count against the limit. */
SELDOM bool more_cells(struct machine *machine) {
  int64_t bytes = machine->total ? (int64_t)sizeof(struct chunk) : 0;
  if (!grant(machine->pool, bytes))
    return false;
  struct chunk *chunk = aligned_alloc(ALIGNMENT, sizeof(struct chunk));
  if (!chunk) {
    ungrant(machine->pool, bytes);
    return false;
  }
  chunk->before = machine->chunks;
  machine->chunks = chunk;
  machine->total += CHUNK_CELLS;
  for (int64_t i = 0; i < CHUNK_CELLS; i++)
    free_cell(machine, &chunk->cells[i]);
  return true;
}

/* Whether there are so many free cells, now at the latest. */
static inline bool have_cells(struct machine *machine, int64_t needed) {
  while (machine->cells < needed)
    if (!more_cells(machine))
      return false;
  return true;
}

SHARED void retain(struct cell *cell) {
  if (cell->count)
    cell->count++;
}

/* Counts a cell, or null, once less; one that nobody counts any more goes before those that are to be destroyed. */
static inline struct cell *given_up(struct cell *cell, struct cell *dead) {
  if (!cell || !cell->count || --cell->count)
    return dead;
  cell->next = dead;
  return cell;
}

/* Destroys a list of cells that nobody counts, and what only they kept. */
SELDOM void destroy(struct machine *machine, struct cell *cell) {
  while (cell) {
    struct cell *others = cell->next;
    int64_t size = 0;
    if (cell->tensor.code >= 0)
      others = given_up(cell->keeps, others);
    else if (cell->tensor.code == STORAGE_CODE) {
      if (cell->tensor.address)
        put(machine->pool, cell->tensor.address, cell->tensor.elements);
    } else {
      size = cell->size;
      for (int64_t i = 0; i < size; i++)
        others = given_up(fields_of(cell)[i], others);
    }
    if (size > MOST_FIELDS) {
      ungrant(machine->pool, 8 * (CELL_FIELDS + size));
      free(cell);
    } else
      free_cell(machine, cell);
    cell = others;
  }
}

static inline void release(struct machine *machine, struct cell *cell) {
  struct cell *dead = given_up(cell, 0);
  if (dead)
    destroy(machine, dead);
}

/* Puts a counted cell where another, or null, was. */
static inline void replace(struct machine *machine, struct cell **at, struct cell *cell) {
  struct cell *before = *at;
  *at = cell;
  release(machine, before);
}

SHARED void set(struct machine *machine, struct cell **registers, int64_t number, struct cell *cell) {
  replace(machine, registers + number, cell);
}

/* A cell for int64 numbers that lie in itself, still to be written. */
SHARED struct cell *new_numbers(struct machine *machine, int64_t count, int64_t rank) {
  struct cell *cell = new_cell(machine);
  cell->keeps = 0;
  cell->tensor = (struct tensor){(int64_t)cell->numbers, count, CODE_INT64, rank, READ_ONLY, {count}};
  for (int64_t d = 1; d < MAX_RANK; d++)
    cell->tensor.dims[d] = 1;
  return cell;
}

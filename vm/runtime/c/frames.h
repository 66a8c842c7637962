/* Call frames: the machine's stack of words and the frames on it, a run's end.

   A frame's registers are cells, each counted once, or null; four words of the frame stand before them. The stack moves
   when it grows: only registers that were read after the last call of `stack_to` are where they were. */
#pragma once
#include "cells.h"

struct frame {
  const struct step *back;  // of the caller, where it goes on
  int64_t caller, into;     // its frame, and its register for what is returned
  int64_t registers;
};
_Static_assert(sizeof(struct frame) == 8 * HEADER, "HEADER");

static inline struct frame *frame_of(struct cell **registers) { return (struct frame *)registers - 1; }

static inline const struct step *step_at(const struct step *step, int64_t words) {
  return (const struct step *)((const int64_t *)step + words);
}

SELDOM struct cell **grow_stack(struct machine *machine, int64_t words) {
  int64_t most = max(2 * words, LEAST_STACK), more = 8 * (most - max(machine->capacity, LEAST_STACK));
  if (!grant(machine->pool, more))
    return 0;
  struct cell **stack = realloc(machine->stack, 8 * most);
  if (!stack) {
    ungrant(machine->pool, more);
    return 0;
  }
  machine->stack = stack;
  machine->capacity = most;
  return stack;
}

/* The stack with room for so many words, or null where there is no memory. */
static inline struct cell **stack_to(struct machine *machine, int64_t words) {
  return words <= machine->capacity ? machine->stack : grow_stack(machine, words);
}

/* Puts listed registers of a frame, counted once more, side by side. */
static inline void copy(struct cell **to, struct cell *const *registers, const int64_t *list, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    retain(registers[list[i]]);
    to[i] = registers[list[i]];
  }
}

/* Puts the first fields of a value, counted once more, side by side. */
static inline void copy_fields(struct cell **to, struct cell *value, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    retain(fields_of(value)[i]);
    to[i] = fields_of(value)[i];
  }
}

static inline void clear(struct cell **cells, int64_t count) { __builtin_memset(cells, 0, 8 * count); }

/* Lets go of listed registers. */
static inline void drop(struct machine *machine, struct cell **registers, const int64_t *list, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    replace(machine, &registers[list[i]], 0);
}

/* Lets go of all registers of a frame. */
static inline void drop_frame(struct machine *machine, struct cell **registers) {
  int64_t count = frame_of(registers)->registers;
  for (int64_t i = 0; i < count; i++)
    if (registers[i])
      replace(machine, &registers[i], 0);
}

/* Gives the stack back if it is large, or memory tight. */
static inline void shrink_stack(struct machine *machine, bool tight) {
  if (machine->capacity <= STACK_KEPT && !tight)
    return;
  ungrant(machine->pool, 8 * (max(machine->capacity, LEAST_STACK) - LEAST_STACK));
  free(machine->stack);
  machine->stack = 0;
  machine->capacity = 0;
}

/* Gives all cells back if none is in use and they are many, or memory tight. */
static inline void shrink_cells(struct machine *machine, bool tight) {
  bool many = machine->total > CELLS_KEPT || (tight && machine->total > CHUNK_CELLS);
  if (!many || machine->cells != machine->total)
    return;
  ungrant(machine->pool, (machine->total / CHUNK_CELLS - 1) * (int64_t)sizeof(struct chunk));
  while (machine->chunks) {
    struct chunk *chunk = machine->chunks;
    machine->chunks = chunk->before;
    free(chunk);
  }
  machine->free = 0;
  machine->total = machine->cells = 0;
}

/* Lets go of the result, of what was given and of all frames; little of what the run took is kept for the next. */
static void let_go(struct machine *machine) {
  replace(machine, &machine->result, 0);
  replace(machine, &machine->given, 0);
  if (machine->step) {
    machine->step = 0;
    struct cell **registers = machine->stack + machine->frame;
    drop_frame(machine, registers);
    for (int64_t left = machine->depth; left > 0; left--) {
      registers = machine->stack + frame_of(registers)->caller;
      drop_frame(machine, registers);
    }
  }
  bool tight = is_tight(machine->pool);
  shrink_stack(machine, tight);
  shrink_cells(machine, tight);
}

/* Ends a run, wherever it is. */
static void unwind(struct machine *machine) {
  if (machine->out_pair.address) {
    put(machine->pool, machine->out_pair.address, machine->out_pair.bytes);
    machine->out_pair.address = 0;
  }
  let_go(machine);
}

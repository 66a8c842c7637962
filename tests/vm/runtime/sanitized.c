/* Pool, cells, frames and appending under a sanitizer: random use, within limits, and at the end nothing is held. */
#define SHARED static inline
#include "driver.h"

int printf(const char *format, ...);
void *calloc(uint64_t count, uint64_t bytes);

static uint64_t state = 1;

static int64_t below(int64_t most) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)(state >> 33) % most;
}

#define CHECK(condition)                                        \
  if (!(condition)) {                                           \
    printf("line %d: " #condition " does not hold\n", __LINE__); \
    return 1;                                                   \
  }

/* Blocks come and go; every byte of them may be written. */
static int blocks(struct pool *pool) {
  struct pair held[64] = {{0}};
  for (int i = 0; i < 20000; i++) {
    struct pair *one = &held[below(64)];
    if (one->address)
      put(pool, one->address, one->bytes);
    one->bytes = below(1 << below(16));
    if ((one->address = take(pool, one->bytes)))
      __builtin_memset((void *)one->address, i, one->bytes);
    CHECK(pool->held <= pool->limit && pool->used <= pool->held && pool->used <= pool->peak);
  }
  for (int i = 0; i < 64; i++)
    if (held[i].address)
      put(pool, held[i].address, held[i].bytes);
  CHECK(pool->used == 0);
  CHECK(take(pool, -1) == 0 && take(pool, MAX_BYTES + 1) == 0 && take(pool, pool->limit + 1) == 0);
  return 0;
}

/* What is no block and counts against the limit all the same: chunks behind the first, and most of the stack. */
static int64_t counted(const struct machine *machine) {
  int64_t chunks = max(machine->total / CHUNK_CELLS - 1, 0);
  return chunks * (int64_t)sizeof(struct chunk) + 8 * (max(machine->capacity, LEAST_STACK) - LEAST_STACK);
}

/* A value of so many fields, which are numbers and one value before it; null where the limit allows no more. */
static struct cell *grown(struct machine *machine, struct cell *before, int64_t size) {
  if (!have_cells(machine, size + 1))
    return 0;
  struct cell *value = new_value(machine, 7, size, ADT_CODE);
  if (!value)
    return 0;
  fields_of(value)[0] = before;
  for (int64_t i = 1; i < size; i++)
    fields_of(value)[i] = new_numbers(machine, 3, 1);
  return value;
}

/* Values as deep as memory allows, of one field or of many, and shared ones. */
static int values(struct machine *machine, int64_t most_fields) {
  struct cell *root = 0;
  for (int64_t depth = 0; depth < 100000; depth++) {
    struct cell *more = grown(machine, root, 1 + below(most_fields));
    if (!more)
      break;
    if (depth % 7 == 0) {
      retain(more);
      release(machine, more);
    }
    root = more;
  }
  release(machine, root);
  CHECK(machine->cells == machine->total && machine->pool->values == counted(machine));
  let_go(machine);
  return 0;
}

/* A function that calls itself until calls are too deep, or memory is short. */
static int calls(struct machine *machine, int64_t registers, int64_t most_depth, int32_t wanted) {
  int64_t words[] = {INVOKE, 0, 10, 1, 0, 0, 1, 0, 0, 0};
  struct function function = {registers, 1, (const struct step *)words};
  machine->functions = &function;
  machine->most_depth = most_depth;
  machine->needed = 1;
  machine->budget = 1 << 30;
  CHECK(have_cells(machine, 2));
  machine->given = grown(machine, new_numbers(machine, 1, 0), 1);
  CHECK(begin(machine, 0) == BEGUN);
  CHECK(drive(machine) == wanted);
  unwind(machine);
  CHECK(machine->cells == machine->total && machine->step == 0);
  CHECK(machine->pool->values == counted(machine));
  return 0;
}

enum { SLOTS = 12, LONGEST = 200 };

/* Tensors that others are appended to, several to one, too: all stay what they are. */
static int appending(struct machine *machine) {
  static int64_t wanted[SLOTS][LONGEST];
  struct cell *held[SLOTS] = {0};
  struct appending how = {0, CODE_INT64, 8};
  int64_t written = 0, in_place = 0;
  for (int i = 0; i < 20000; i++) {
    struct cell **to = &held[below(SLOTS)], *from = held[below(SLOTS)];
    CHECK(have_cells(machine, 4));
    struct cell *rows = new_numbers(machine, 1 + below(4), 1), *made;
    for (int64_t k = 0; k < rows->tensor.elements; k++)
      rows->numbers[k] = ++written;
    int64_t before = from ? from->tensor.elements : 0, count = before + rows->tensor.elements;
    if (from && count <= LONGEST) {
      CHECK(can_append(from, rows, &how));
      made = appended(machine, from, rows, &how);
      CHECK(made);
      in_place += made->keeps == from->keeps;
      for (int64_t k = 0; k < before; k++)
        wanted[to - held][k] = ((int64_t *)from->tensor.address)[k];
      for (int64_t k = before; k < count; k++)
        wanted[to - held][k] = rows->numbers[k - before];
      release(machine, rows);
    } else {
      made = rows;
      for (int64_t k = 0; k < made->tensor.elements; k++)
        wanted[to - held][k] = made->numbers[k];
    }
    if (*to)
      release(machine, *to);
    *to = made;
    for (int64_t slot = 0; slot < SLOTS; slot++)
      for (int64_t k = 0; held[slot] && k < held[slot]->tensor.elements; k++)
        CHECK(((int64_t *)held[slot]->tensor.address)[k] == wanted[slot][k]);
  }
  CHECK(in_place > 1000 && in_place < 19000);
  for (int64_t slot = 0; slot < SLOTS; slot++)
    if (held[slot])
      release(machine, held[slot]);
  CHECK(machine->cells == machine->total && machine->pool->used == 0);
  return 0;
}

int main(void) {
  struct pool *pool = calloc(1, sizeof(*pool));
  struct machine *machine = calloc(1, sizeof(*machine));
  machine->pool = pool;
  pool->limit = 8 << 20;
  if (blocks(pool) || appending(machine) || values(machine, 2) || values(machine, 60) || values(machine, 2000))
    return 1;
  if (calls(machine, 40, 1000, TOO_DEEP) || calls(machine, 5000, 1000000, NO_MEMORY) || blocks(pool))
    return 1;
  trim(pool);
  CHECK(pool->held == 0 && pool->used == 0);
  free(machine->stack);
  while (machine->chunks) {
    struct chunk *chunk = machine->chunks;
    machine->chunks = chunk->before;
    free(chunk);
  }
  free(machine);
  free(pool);
  return 0;
}

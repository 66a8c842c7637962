/* Memory pool: a free list for each size class, filled from the system as needed, counted and limited.

   Tests hold the algorithm against one in plain Python. What is no block, as cells and frames, is granted and returned
   by its bytes. One thread at a time uses a pool; any thread may drop a block that Python owned. A program that reads
   what it never wrote finds what its own session left: the system's blocks are cleared, and no block tells an address. */
#pragma once
#include "words.h"
#define SELDOM __attribute__((noinline, cold)) static

void *aligned_alloc(uint64_t alignment, uint64_t bytes);
void *calloc(uint64_t count, uint64_t bytes);
void *malloc(uint64_t bytes);
void *realloc(void *memory, uint64_t bytes);
void free(void *memory);
int32_t madvise(void *memory, uint64_t bytes, int32_t advice);
enum { HUGE_PAGES = 14, SMALL_PAGE = 4096, LARGE = 1 << 22 };  // the last: bytes of what should lie in huge pages

struct block {  // a free one
  struct block *next;
};

struct pair {  // a block that somebody has, or none where the address is 0
  int64_t address, bytes;
};

struct dropped {  // a block that Python owned, and its owners: the pool in C and in Python
  struct dropped *next;
  int64_t address, bytes;
  struct pool *pool;
  void *owner;
};

static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

struct size_class {
  int64_t place, size;
};

/* The size class of a request, and how large its blocks are; `class_of` in pool_words.py says the same. */
static inline struct size_class class_of(int64_t bytes) {
  int64_t units = max((bytes + ALIGNMENT - 1) >> UNIT_BITS, 1);
  int64_t shift = max(63 - __builtin_clzll(units) - STEP_BITS, 0);
  int64_t steps = (units + (INT64_C(1) << shift) - 1) >> shift;
  return (struct size_class){(shift << STEP_BITS) + steps, steps << shift << UNIT_BITS};
}

/* How large the blocks of a class are. */
static inline int64_t block_size(int64_t place) {
  int64_t shift = max((place >> STEP_BITS) - 1, 0);
  return (place - (shift << STEP_BITS)) << shift << UNIT_BITS;
}

SHARED void put(struct pool *pool, int64_t address, int64_t bytes) {
  struct size_class class = class_of(bytes);
  struct block *block = (struct block *)address;
  block->next = pool->heads[class.place];
  pool->heads[class.place] = block;
  pool->used -= class.size;
}

/* Takes in the blocks that Python dropped. */
static inline void settle(struct pool *pool) {
  struct dropped *block = __atomic_exchange_n(&pool->returned, (struct dropped *)0, __ATOMIC_ACQUIRE);
  while (block) {
    struct dropped *next = block->next;
    put(pool, block->address, block->bytes);
    free(block);
    block = next;
  }
}

/* Cleared memory of the system's, aligned; what stands before it is where the system's own begins. Null where there is
   none. Large memory comes cleared, and is not touched; in huge pages, where the system has them for who asks, it is
   passed in nine tenths of the time. */
static inline struct block *of_system(int64_t size) {
  char *memory = calloc(1, size + ALIGNMENT);
  if (!memory)
    return 0;
  char *aligned = (char *)(((int64_t)memory + ALIGNMENT) & -(int64_t)ALIGNMENT);
  if (size >= LARGE)
    madvise((void *)(((int64_t)aligned + SMALL_PAGE - 1) & -(int64_t)SMALL_PAGE), size - SMALL_PAGE, HUGE_PAGES);
  ((void **)aligned)[-1] = memory;
  return (struct block *)aligned;
}

/* Gives all free blocks to the system. */
SELDOM void trim(struct pool *pool) {
  for (int64_t place = 0; place < CLASSES; place++)
    while (pool->heads[place]) {
      struct block *block = pool->heads[place];
      pool->heads[place] = block->next;
      pool->held -= block_size(place);
      free(((void **)block)[-1]);
    }
}

/* Whether the limit has room for so many bytes more, what is free given to the system if need be. */
static inline bool has_room(struct pool *pool, int64_t bytes) {
  int64_t limit = pool->limit - pool->values;
  if (pool->held + bytes > limit)
    trim(pool);
  return pool->used + bytes <= limit;
}

/* A block from the system, or null. */
static inline struct block *new_block(struct pool *pool, int64_t size) {
  struct block *block = has_room(pool, size) ? of_system(size) : 0;
  if (block) {
    pool->held += size;
    pool->system_calls++;
  }
  return block;
}

/* The address of a block of at least so many bytes; 0 where the limit or the system has none. */
SHARED int64_t take(struct pool *pool, int64_t bytes) {
  if ((uint64_t)bytes > MAX_BYTES)
    return 0;
  struct size_class class = class_of(bytes);
  struct block *block = pool->heads[class.place];
  if (block) {
    pool->heads[class.place] = block->next;
    block->next = 0;
  } else if (!(block = new_block(pool, class.size)))
    return 0;
  pool->used += class.size;
  pool->peak = max(pool->peak, pool->used);
  pool->allocations++;
  return (int64_t)block;
}

/* Counts bytes that are no block; false, and noted, where the limit has no room for them. */
static inline bool grant(struct pool *pool, int64_t bytes) {
  bool granted = has_room(pool, bytes);
  if (granted)
    pool->values += bytes;
  pool->denied = granted ? 0 : bytes;
  return granted;
}

/* Counts bytes that were granted no longer. */
static inline void ungrant(struct pool *pool, int64_t bytes) { pool->values -= bytes; }

/* Whether what is no block is so much of the limit that nothing of it should be kept for the next run. */
static inline bool is_tight(const struct pool *pool) { return pool->values > pool->limit / 4; }

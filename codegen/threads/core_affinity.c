/* Keeping the threads of a team off their caller's core. A part of every module with parallel loops. */
#include <stdbool.h>
#include <stdint.h>
#include "words.h"

struct cores {  // a set, as the C library has it
  uint64_t bits[16];
};

int32_t sched_getcpu(void);
int32_t sched_getaffinity(int32_t thread, uint64_t bytes, struct cores *cores);
int32_t sched_setaffinity(int32_t thread, uint64_t bytes, const struct cores *cores);
int64_t pthread_self(void);

struct work {  // of each thread: where it may run from now on
  struct cores others;
  const struct table *table;
};

static void leave_the_core(void *work) {
  const struct work *mine = work;
  if (mine->table->number() != 0)  // the caller's is 0
    sched_setaffinity(0, sizeof(mine->others), &mine->others);
}

/* Unless they keep off the core that the caller is on: holds it there for a moment, has each of the others leave that
   core out from now on, and frees it again. */
__attribute__((noinline)) void keep_apart(struct table *table, int32_t threads) {
  struct cores all = {{0}}, here = {{0}};
  if (table->home == LEFT_ALONE)
    return;
  int64_t core = sched_getcpu(), me = pthread_self();
  if (table->home == core && table->owner == me)
    return;
  if (sched_getaffinity(0, sizeof(all), &all) || (uint64_t)core >= 8 * sizeof(all))
    return;
  struct work work = {all, table};
  uint64_t bit = UINT64_C(1) << (core & 63), left = 0;
  here.bits[core >> 6] = bit;
  work.others.bits[core >> 6] &= ~bit;
  for (int32_t i = 0; i < 16; i++)
    left |= work.others.bits[i];
  if (!left)
    return;
  sched_setaffinity(0, sizeof(here), &here);
  table->fork(leave_the_core, &work, threads, 0);
  sched_setaffinity(0, sizeof(all), &all);
  table->home = core;
  table->owner = me;
}

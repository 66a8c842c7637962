/* Thread teams: a caller, and threads that help it through one parallel loop.

A loop is so many chunks, which are claimed one by one: the caller takes the first, and then whatever nobody has begun.
So it waits for a thread only where that is in the middle of a chunk, and never for one that the system does not let
run: beside other processes a team is as fast as what is left of the cores, where a barrier of all threads waits for the
turns of others. Each caller has a team of its own while its loop runs; threads that have nothing to do spin for a
moment, then sleep. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "words.h"

typedef void (*body_t)(void *context);

enum { WAIT_PRIVATE = 128, WAKE_PRIVATE = 129, SET_MASK = 2, MONOTONIC = 1, LOOKS = 32 };

struct cores {  // a set, as the C library has it
  uint64_t bits[16];
};

struct signals {  // a set, as the C library has it
  uint64_t bits[16];
};

struct moment {
  int64_t seconds, nanoseconds;
};

int64_t syscall(int64_t number, ...);
int32_t pthread_create(uint64_t *thread, const void *attributes, void *(*begin)(void *), void *argument);
int32_t pthread_detach(uint64_t thread);
int32_t pthread_sigmask(int32_t how, const struct signals *now, struct signals *before);
int32_t pthread_setaffinity_np(uint64_t thread, uint64_t bytes, const struct cores *cores);
int32_t pthread_key_create(uint32_t *key, void (*destroy)(void *));
int32_t pthread_setspecific(uint32_t key, const void *value);
void *pthread_getspecific(uint32_t key);
int32_t sched_getcpu(void);
int32_t sched_getaffinity(int32_t thread, uint64_t bytes, struct cores *cores);
int32_t clock_gettime(int32_t clock, struct moment *now);
void relax(void);  // tells the core that this thread spins

/* A ticket is how many chunks a turn has, and the next one that nobody has claimed. Who claims one knows that the turn is
   not over, and may read what it is about. */
struct team {
  _Alignas(64) _Atomic uint32_t ticket;
  body_t body;
  void *context;
  _Alignas(64) _Atomic uint32_t turn;  // what those that have nothing to do wait for
  _Atomic uint32_t asleep;             // how many of them sleep
  _Alignas(64) _Atomic uint32_t done;  // chunks; what the caller waits for
  _Atomic uint32_t awaited;            // whether it sleeps
  _Alignas(64) _Atomic uint32_t taken;
  int32_t threads, moved;  // beside the caller; how many of them keep off its core
  bool few;                // no more can be made
  int64_t home;            // the core that they keep off
  uint64_t thread[MOST_THREADS];
};

static struct team teams[MOST_TEAMS];
static int64_t futex;
static uint32_t key;
static bool left_alone;

static void sleep_on(_Atomic uint32_t *word, uint32_t value) {
  syscall(futex, word, WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int32_t count) {
  syscall(futex, word, WAKE_PRIVATE, count, NULL, NULL, 0);
}

static int64_t nanoseconds(void) {
  struct moment now = {0, 0};
  clock_gettime(MONOTONIC, &now);
  return now.seconds * 1000000000 + now.nanoseconds;
}

/* Spins while the word is as it was, for so long at most; what it is then. */
static uint32_t looked(_Atomic uint32_t *word, uint32_t before) {
  uint32_t now = atomic_load_explicit(word, memory_order_acquire);
  int64_t end = 0;
  while (now == before) {
    for (int32_t i = 0; i < LOOKS && now == before; i++) {
      relax();
      now = atomic_load_explicit(word, memory_order_acquire);
    }
    int64_t time = nanoseconds();
    if (end == 0)
      end = time + SPIN_NS;
    else if (time >= end)
      break;
  }
  return now;
}

/* Who this thread is to the code that it runs: a chunk's number, and how many there are. */
static void stand_for(uint32_t number, uint32_t count) {
  pthread_setspecific(key, (void *)((uint64_t)count << 32 | number));
}

static void run_chunk(body_t body, void *context, uint32_t number, uint32_t count) {
  stand_for(number, count);
  body(context);
}

/* Runs a chunk that nobody has begun, if there is one. */
static bool ran_another(struct team *team) {
  uint32_t ticket = atomic_load_explicit(&team->ticket, memory_order_acquire);
  uint32_t number, count;
  do {
    number = ticket & 0xffff, count = ticket >> 16;
    if (number >= count)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(&team->ticket, &ticket, ticket + 1, memory_order_acq_rel,
                                                  memory_order_acquire));
  run_chunk(team->body, team->context, number, count);
  if (atomic_fetch_add_explicit(&team->done, 1, memory_order_seq_cst) + 1 == count &&
      atomic_load_explicit(&team->awaited, memory_order_seq_cst))
    wake(&team->done, 1);
  return true;
}

static void *help(void *of) {
  struct team *team = of;
  for (uint32_t turn = 0;;) {
    uint32_t now = looked(&team->turn, turn);
    if (now == turn) {
      atomic_fetch_add_explicit(&team->asleep, 1, memory_order_seq_cst);
      if (atomic_load_explicit(&team->turn, memory_order_seq_cst) == turn)
        sleep_on(&team->turn, turn);
      atomic_fetch_sub_explicit(&team->asleep, 1, memory_order_seq_cst);
      continue;
    }
    turn = now;
    while (ran_another(team))
      ;
  }
  return NULL;
}

/* More threads, where there are too few. Signals are for those who were there before, but for those that say what the
   thread itself did. */
static void grow(struct team *team, int32_t threads) {
  struct signals none, before;
  for (int32_t i = 0; i < 16; i++)
    none.bits[i] = ~UINT64_C(0);
  none.bits[0] = ~(UINT64_C(1) << 3 | UINT64_C(1) << 4 | UINT64_C(1) << 6 | UINT64_C(1) << 7 | UINT64_C(1) << 10);
  pthread_sigmask(SET_MASK, &none, &before);
  while (team->threads < threads && !team->few) {
    uint64_t *made = &team->thread[team->threads];
    if (pthread_create(made, NULL, help, team)) {
      team->few = true;  // the caller does what others would have done
    } else {
      pthread_detach(*made);
      team->threads++;
    }
  }
  pthread_sigmask(SET_MASK, &before, NULL);
}

/* Has the threads leave out the core that the caller is on. Who wakes a thread that sleeps is running, and the system
   likes to put the woken one onto the same core, where it would find nothing left to do, every time. */
static void keep_apart(struct team *team) {
  struct cores cores = {{0}};
  uint64_t left = 0;
  if (left_alone)
    return;
  int64_t core = sched_getcpu();
  if (core == team->home && team->moved == team->threads)
    return;
  if (core < 0 || (uint64_t)core >= 8 * sizeof(cores) || sched_getaffinity(0, sizeof(cores), &cores) < 0)
    return;
  cores.bits[core >> 6] &= ~(UINT64_C(1) << (core & 63));
  for (int32_t i = 0; i < 16; i++)
    left |= cores.bits[i];
  if (!left)
    return;
  for (int32_t i = 0; i < team->threads; i++)
    pthread_setaffinity_np(team->thread[i], sizeof(cores), &cores);
  team->home = core, team->moved = team->threads;
}

static struct team *take_team(void) {
  for (int32_t i = 0; i < MOST_TEAMS; i++) {
    uint32_t nobody = 0;
    if (!atomic_load_explicit(&teams[i].taken, memory_order_relaxed) &&
        atomic_compare_exchange_strong_explicit(&teams[i].taken, &nobody, 1, memory_order_acquire,
                                                memory_order_relaxed))
      return &teams[i];
  }
  return NULL;
}

/* Runs body(context) once for each number below `threads`, on as many threads at most; back when all are done. */
void anytile_fork(body_t body, void *context, int32_t threads, int32_t flags) {
  uint32_t count = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (uint32_t)threads;
  struct team *team = count > 1 ? take_team() : NULL;
  if (team == NULL) {
    for (uint32_t number = 0; number < count; number++)
      run_chunk(body, context, number, count);
    stand_for(0, 1);
    return;
  }
  if (team->threads + 1 < (int32_t)count && !team->few)
    grow(team, (int32_t)count - 1);
  keep_apart(team);
  uint32_t turn = atomic_load_explicit(&team->turn, memory_order_relaxed) + 1;
  team->body = body, team->context = context;
  atomic_store_explicit(&team->done, 0, memory_order_relaxed);
  atomic_store_explicit(&team->ticket, count << 16 | 1, memory_order_release);
  atomic_store_explicit(&team->turn, turn, memory_order_seq_cst);
  if (atomic_load_explicit(&team->asleep, memory_order_seq_cst))
    wake(&team->turn, (int32_t)count - 1);
  run_chunk(body, context, 0, count);
  atomic_fetch_add_explicit(&team->done, 1, memory_order_seq_cst);
  while (ran_another(team))
    ;
  stand_for(0, 1);
  uint32_t done = atomic_load_explicit(&team->done, memory_order_acquire);
  while (done != count) {
    uint32_t now = looked(&team->done, done);
    if (now == done) {
      atomic_store_explicit(&team->awaited, 1, memory_order_seq_cst);
      if (atomic_load_explicit(&team->done, memory_order_seq_cst) == done)
        sleep_on(&team->done, done);
      atomic_store_explicit(&team->awaited, 0, memory_order_relaxed);
      now = atomic_load_explicit(&team->done, memory_order_acquire);
    }
    done = now;
  }
  atomic_store_explicit(&team->taken, 0, memory_order_release);
}

int32_t anytile_number(void) { return (int32_t)(uint64_t)pthread_getspecific(key); }

int32_t anytile_count(void) {
  int32_t count = (int32_t)((uint64_t)pthread_getspecific(key) >> 32);
  return count ? count : 1;
}

double anytile_clock(void) { return 1e-9 * (double)nanoseconds(); }

/* In a child after a fork, where none of the threads is. */
void anytile_forget(void) {
  for (int32_t i = 0; i < MOST_TEAMS; i++) {
    struct team *team = &teams[i];
    team->threads = team->moved = 0, team->few = false;
    atomic_store(&team->asleep, 0), atomic_store(&team->awaited, 0), atomic_store(&team->taken, 0);
  }
}

/* Before anything else, once: the system's number of futex, and whether threads stay where they are. */
int32_t anytile_begin(int64_t number, int64_t alone) {
  futex = number, left_alone = alone;
  for (int32_t i = 0; i < MOST_TEAMS; i++)
    teams[i].home = -1;
  return pthread_key_create(&key, NULL);
}

/* Teams under a thread sanitizer: four callers at once, and what each chunk reads and writes is plain memory. Callers
   sleep in most of their rounds, so that others run what is left. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "team.c"

int32_t pthread_join(uint64_t thread, void **result);
uint64_t pthread_self(void);
int32_t usleep(uint32_t microseconds);

enum { CALLERS = 4, ROUNDS = 3000, MOST = 5 };

struct job {
  int64_t from, made[MOST];
  uint64_t caller;
};

static _Atomic int64_t helped;

void relax(void) {}

static void body(void *context) {
  struct job *job = context;
  int32_t number = anytile_number();
  if (number == 0 && job->from % 4 != 0)
    usleep(1 + (uint32_t)(job->from % 64));  // so that others have time to begin
  helped += pthread_self() != job->caller;
  job->made[number] = job->from + number + 10 * anytile_count();
}

static void *caller(void *seed) {
  int64_t wrong = 0;
  for (int64_t round = 0; round < ROUNDS; round++) {
    struct job job = {round * CALLERS + (int64_t)seed, {0}, pthread_self()};
    int32_t threads = 2 + (int32_t)(round % (MOST - 1));
    anytile_fork(body, &job, threads, 0);
    for (int32_t i = 0; i < threads; i++)
      wrong += job.made[i] != job.from + i + 10 * threads;
  }
  return (void *)wrong;
}

int main(void) {
  uint64_t callers[CALLERS];
  int64_t wrong = anytile_begin(SYS_futex, 0);
  for (int64_t i = 0; i < CALLERS; i++)
    pthread_create(&callers[i], NULL, caller, (void *)i);
  for (int64_t i = 0; i < CALLERS; i++) {
    void *found;
    pthread_join(callers[i], &found);
    wrong += (int64_t)found;
  }
  fprintf(stderr, "%lld wrong, %lld chunks run by others\n", (long long)wrong, (long long)helped);
  _Exit(wrong != 0 || helped < ROUNDS);  // threads of teams never end
}

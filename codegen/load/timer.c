/* A stopwatch around calls of a kernel, without Python in between. */
#include <stdint.h>

struct timespec {
  int64_t seconds, nanoseconds;
};
int32_t clock_gettime(int32_t clock, struct timespec *time);
enum { CLOCK_MONOTONIC = 1 };

typedef int32_t kernel(const char *data, const int64_t *dims, void *workspace);

/* Nanoseconds of so many calls, or -1 where one fails. They are given the tables of addresses up to `end` in turn, each
   of `step` bytes. */
int64_t anytile_time_calls(kernel *run, const char *tables, int64_t step, int64_t end, const int64_t *dims,
                           void *workspace, int64_t calls) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  for (int64_t i = 0, place = 0; i < calls; i++) {
    if (run(tables + place, dims, workspace))
      return -1;
    place += step;
    if (place == end)
      place = 0;
  }
  clock_gettime(CLOCK_MONOTONIC, &after);
  return (after.seconds - before.seconds) * 1000000000 + after.nanoseconds - before.nanoseconds;
}

/* The log of kernels' calls, and of functions' of the host that native code does. */
#pragma once
#include "words.h"

struct event {  // a kernel's call
  int64_t kernel, begin, end;
  int64_t dims[MAX_LOGGED_DIMS];
};
_Static_assert(sizeof(struct event) == 8 * EVENT, "EVENT");

struct log {  // how many events there is room for, how many there were
  int64_t room, count;
  struct event events[];
};

struct timespec {
  int64_t seconds, nanoseconds;
};
int32_t clock_gettime(int32_t clock, struct timespec *time);
enum { CLOCK_MONOTONIC = 1 };

/* Nanoseconds, where somebody wants to know. */
SHARED int64_t now(const struct log *log) {
  struct timespec time;
  if (!log)
    return 0;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.seconds * 1000000000 + time.nanoseconds;
}

/* Logs a kernel's call. Events that there is no room for are counted. */
SHARED void note(struct log *log, int64_t kernel, int64_t begin, const int64_t *dims, int64_t count) {
  if (!log)
    return;
  int64_t end = now(log), number = log->count++;
  if (number >= log->room)
    return;
  struct event *event = &log->events[number];
  event->kernel = kernel;
  event->begin = begin;
  event->end = end;
  for (int64_t i = 0; i < count; i++)
    event->dims[i] = dims[i];
}

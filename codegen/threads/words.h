/* Words that C shares with Python. Written by scripts/runtime: do not edit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEFT_ALONE (-2)

struct table {
  void (*fork)(void (*body)(void *), void *context, int32_t threads, int32_t flags);
  int32_t (*number)(void);
  int64_t count;
  int64_t limit;
  int64_t clock;
  int64_t done;
  int64_t home;
  int64_t owner;
};
_Static_assert(offsetof(struct table, fork) == 0, "FORK");
_Static_assert(offsetof(struct table, number) == 8, "NUMBER");
_Static_assert(offsetof(struct table, count) == 16, "COUNT");
_Static_assert(offsetof(struct table, limit) == 24, "LIMIT");
_Static_assert(offsetof(struct table, clock) == 32, "CLOCK");
_Static_assert(offsetof(struct table, done) == 40, "DONE");
_Static_assert(offsetof(struct table, home) == 48, "HOME");
_Static_assert(offsetof(struct table, owner) == 56, "OWNER");

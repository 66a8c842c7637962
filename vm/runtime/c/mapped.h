/* Mapped files that others cut off: what is gone reads as zeros, and is told of, where SIGBUS would end the process.

   The handler may run in any thread, amid a kernel. It looks at a table that Python fills and maps zeros over what is
   gone of the file, which lets the kernel go on. Any other SIGBUS is whoever's it was. */
#pragma once
#include "words.h"

struct signal {
  int32_t number, error, code, unused;
  int64_t address;
};

struct action {  // as libc has it where words have 64 bits
  void (*handler)(int32_t number, struct signal *signal, void *context);
  uint8_t mask[128];
  int32_t flags;
  void (*restorer)(void);
};

struct span {
  int64_t begin, end, lost;
};
_Static_assert(sizeof(struct span) == 8 * SPAN, "SPAN");

struct mapped {
  int64_t page;
  struct span spans[MOST_MAPPED];
};

int32_t sigaction(int32_t number, const struct action *action, struct action *before);
void *mmap(void *address, uint64_t bytes, int32_t protection, int32_t flags, int32_t file, int64_t offset);
enum { SIGNAL_BUS = 7, WITH_INFO = 4, ON_STACK = 0x08000000, MAY_READ = 1, PRIVATE_FIXED_ANONYMOUS = 0x32 };

static struct mapped *mapped_files;
static struct action bus_before;

static void on_bus(int32_t number, struct signal *signal, void *context) {
  for (int64_t i = 0; signal->code > 0 && i < MOST_MAPPED; i++) {
    struct span *span = &mapped_files->spans[i];
    if (signal->address < span->begin || signal->address >= span->end)
      continue;
    int64_t from = signal->address & -mapped_files->page;
    if (mmap((void *)from, span->end - from, MAY_READ, PRIVATE_FIXED_ANONYMOUS, -1, 0) != (void *)from)
      break;
    span->lost = 1;
    return;
  }
  if ((int64_t)bus_before.handler > 1 && bus_before.flags & WITH_INFO)
    bus_before.handler(number, signal, context);
  else
    sigaction(number, &bus_before, 0);  // it comes again
}

/* Has SIGBUS looked at, for as long as the process lives. */
static void watch(struct mapped *files) {
  struct action ours = {on_bus, {0}, WITH_INFO | ON_STACK, 0};
  mapped_files = files;
  sigaction(SIGNAL_BUS, &ours, &bus_before);
}

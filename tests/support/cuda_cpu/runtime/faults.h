// The first fault ends the launch with one line that names it.
// 
// A site in it is written `@1234@` (an offset into this library) or `@L12@` (a line); the caller makes it readable.
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "state.h"

namespace {

[[noreturn]] void fault(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void fault(const char* format, ...) {
  va_list args;
  va_start(args, format);
  int used = vsnprintf(launch->message, launch->room, format, args);
  va_end(args);
  if (self && used > 0 && (uint64_t)used < launch->room)
    snprintf(launch->message + used, launch->room - (uint64_t)used, " [block (%u,%u,%u)]",
             cluster[self->rank].current_block.x, cluster[self->rank].current_block.y,
             cluster[self->rank].current_block.z);
  _longjmp(out, 1);
}

struct Text {
  char text[96];
};
Text who(int index) {
  Text t;
  if ((size_t)index >= ours->fibers.size()) {
    snprintf(t.text, sizeof t.text, "a bulk copy");
    return t;
  }
  const Three& at = ours->fibers[(size_t)index].thread;
  snprintf(t.text, sizeof t.text, "thread (%u,%u,%u)", at.x, at.y, at.z);
  return t;
}
// A site is a line of the source where a wrapper knows it, and else the address that the access returns to.
uint32_t site_of(int line) { return (uint32_t)line << 1 | 1; }
uint32_t site_of(const void* returns_to) {
  return (uint32_t)((uintptr_t)returns_to - (uintptr_t)&__ehdr_start - 1) << 1;
}
Text where(uint32_t site) {
  Text t;
  snprintf(t.text, sizeof t.text, site & 1 ? "@L%u@" : "@%u@", site >> 1);
  return t;
}

}  // namespace

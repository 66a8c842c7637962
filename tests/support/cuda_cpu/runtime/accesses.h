// Every access of a kernel comes through `look` before it happens, so that a faulty one never does.
#pragma once

#include "profile.h"
#include "races.h"

namespace {

void meet_bytes(uintptr_t at, size_t bytes, bool asked) {
  met_bytes.push_back({ours->block_number, (uint64_t)self->index, at, bytes, asked});
}

void look(uintptr_t p, size_t bytes, int how, uint32_t site) {
  if (within(p, (uintptr_t)self->stack, STACK)) return;
  if (++since_barrier > PATIENCE)
    fault("%s does not come to an end: no barrier in %llu accesses, the last at %s", who(self->index).text,
          (unsigned long long)PATIENCE, where(site).text);
  bool inside;
  Place in = place(p, inside);
  const char* does = how & WRITE ? "writes" : "reads";
  if (!inside || p + bytes > in.start + in.bytes) {
    if (p >= in.start)
      fault("%s %s %zu bytes at %s out of bounds of %s: at byte %llu, and it has %llu", who(self->index).text, does,
            bytes, where(site).text, in.name, (unsigned long long)(p - in.start), (unsigned long long)in.bytes);
    fault("%s %s %zu bytes at %s out of bounds of %s: %llu bytes before its start", who(self->index).text, does, bytes,
          where(site).text, in.name, (unsigned long long)(in.start - p));
  }
  if (how & WRITE && !in.writable)
    fault("%s writes to %s at %s, which is const", who(self->index).text, in.name, where(site).text);
  if (how & CONSTANT && (in.shared || in.writable))
    fault("%s reads %s at %s as memory that no thread writes, but the kernel may write it", who(self->index).text,
          in.name, where(site).text);
  if (launch->early && !in.shared && !self->waited)
    fault("%s %s %s at %s before it has waited in at_begin for what was launched before", who(self->index).text, does,
          in.name, where(site).text);
  if (launch->profile && !(how & ARRIVES)) note(in.shared, p, bytes, how, site);
  if (launch->watched && !in.shared && how & READ) meet_bytes(p, bytes, false);
  if (in.traces) trace(in, p, bytes, how, site);
}

void aligned(const void* p, int bytes, const char* what, int line) {
  if ((uintptr_t)p % (uintptr_t)bytes)
    fault("%s: %s at @L%d@ of an address that is no multiple of %d", who(self->index).text, what, line, bytes);
}

// A sector of memory, of which only what is there may be asked for, and what the kernel only reads.
void ask_for(uintptr_t p, size_t bytes, int line) {
  bool inside;
  Place in = place(p, inside);
  if (!inside || in.shared || in.writable || p + bytes > in.start + in.bytes)
    fault("%s asks at @L%d@ for what is no input, near %s: at byte %lld, and it has %llu", who(self->index).text, line,
          in.name, (long long)(p - in.start), (unsigned long long)in.bytes);
  if (launch->watched) meet_bytes(p, bytes, true);
}

bool is_shared(const void* p) {
  bool inside;
  return place((uintptr_t)p, inside).shared;
}

}  // namespace

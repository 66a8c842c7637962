// Where an address lies: in a tensor, in shared memory, or nowhere that a kernel may touch.
#pragma once

#include "faults.h"

namespace {

struct Place {
  const char* name;
  uintptr_t start;
  uint64_t bytes;
  Trace* traces;
  bool shared, writable;
};

uintptr_t static_shared() { return (uintptr_t)&__start_at_shared; }
uint64_t static_bytes() { return (uint64_t)(&__stop_at_shared - &__start_at_shared); }

bool within(uintptr_t p, uintptr_t start, uint64_t bytes) { return p - start < bytes; }

// The region an address is in or, if none, the one it is nearest to.
Place place(uintptr_t p, bool& inside) {
  uint64_t fixed = static_bytes();
  inside = true;
  if (within(p, (uintptr_t)dynamic, launch->shared))
    return {"dynamic shared memory", (uintptr_t)dynamic, launch->shared, ours->shared_traces + fixed, true, true};
  if (within(p, static_shared(), fixed))
    return {"static shared memory", static_shared(), fixed, ours->shared_traces, true, true};
  uint64_t nearest = 0, best = ~0ull;
  for (uint64_t i = 0; i < launch->region_count; ++i) {
    const Region& r = launch->regions[i];
    if (within(p, r.start, r.bytes)) return {r.name, r.start, r.bytes, tensor_traces[i], false, r.writable != 0};
    uint64_t off = p < r.start ? r.start - p : p - r.start - r.bytes;
    if (off < best) best = off, nearest = i;
  }
  inside = false;
  if (within(p, (uintptr_t)dynamic, SHARED + 4096))
    return {"dynamic shared memory", (uintptr_t)dynamic, launch->shared, nullptr, true, true};
  if (fixed && within(p, static_shared() - 4096, fixed + 8192))
    return {"static shared memory", static_shared(), fixed, nullptr, true, true};
  if (launch->region_count == 0) return {"any tensor", 0, 0, nullptr, false, true};
  const Region& r = launch->regions[nearest];
  return {r.name, r.start, r.bytes, nullptr, false, r.writable != 0};
}

}  // namespace

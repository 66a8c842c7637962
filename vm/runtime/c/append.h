/* Appending: a tensor with rows behind its own, written where the tensor lies if nothing was written behind it before.

   Storage knows how many of its bytes appended tensors take. A tensor that takes all of these is the last that was made
   there: what lies behind it is nobody's, and the tensors before stay what they are. */
#pragma once
#include "values.h"

struct appending {  // what an instruction says
  int64_t axis, code, bytes;  // the dimension, and the dtype with its size
};

/* Whether two values are tensors on the host of which one may stand behind the other. */
static bool can_append(const struct cell *above, const struct cell *below, const struct appending *how) {
  const struct tensor *x = &above->tensor, *y = &below->tensor;
  if (x->code != how->code || y->code != how->code || x->rank != y->rank || how->axis >= x->rank)
    return false;
  for (int64_t d = 0; d < x->rank; d++)
    if (d < how->axis ? x->dims[d] != 1 || y->dims[d] != 1 : d > how->axis && x->dims[d] != y->dims[d])
      return false;
  return !((x->flags | y->flags) & OFF_HOST) && x->dims[how->axis] + y->dims[how->axis] <= INT32_MAX &&
         (x->elements + y->elements) * how->bytes <= MAX_BYTES;
}

/* Storage for so many bytes, and for half as many more where the pool has so much; null, and noted, if for none. */
static struct cell *with_room(struct machine *machine, int64_t bytes) {
  int64_t room = bytes + bytes / 2;
  int64_t address = take(machine->pool, room);
  if (!address)
    address = take(machine->pool, room = bytes);
  if (!address) {
    int64_t size = class_of(bytes).size;
    machine->pool->denied = has_room(machine->pool, size) ? 0 : size;
    return 0;
  }
  struct cell *storage = new_cell(machine);
  storage->tensor.address = address;
  storage->tensor.elements = room;
  storage->tensor.code = STORAGE_CODE;
  storage->tensor.flags = 0;
  return storage;
}

/* One tensor with another behind it, which fit; null where there is no memory. */
static struct cell *appended(struct machine *machine, struct cell *above, const struct cell *below,
                             const struct appending *how) {
  int64_t held = above->tensor.elements * how->bytes, more = below->tensor.elements * how->bytes;
  struct cell *storage = above->keeps;
  if (storage && storage->tensor.code == STORAGE_CODE && held && storage->filled == held &&
      storage->tensor.address == above->tensor.address && held + more <= storage->tensor.elements)
    retain(storage);
  else {
    storage = with_room(machine, held + more);
    if (!storage)
      return 0;
    __builtin_memmove((void *)storage->tensor.address, (void *)above->tensor.address, held);
  }
  __builtin_memmove((void *)(storage->tensor.address + held), (void *)below->tensor.address, more);
  storage->filled = held + more;
  struct cell *made = new_cell(machine);
  made->keeps = storage;
  made->tensor = above->tensor;
  made->tensor.address = storage->tensor.address;
  made->tensor.elements = above->tensor.elements + below->tensor.elements;
  made->tensor.flags = 0;
  made->tensor.dims[how->axis] += below->tensor.dims[how->axis];
  return made;
}

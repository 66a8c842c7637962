/* The way out: a run's plain result -> numpy's arrays, each of which owns the block that it lies in, with the GIL held.

   Plain is a tensor, or a tuple of tensors, that lie in storage of their own or in one that Python has lent, or that are
   read-only, as views of inputs are. The first that lies in a storage has it; the others are copied, and so is what is
   read-only: no result is the memory of another or of an input. Whatever is not plain is looked at, and copies are made,
   before anything changes hands; a block changes hands within one call (see `blocks.h`). */
#pragma once
#include "blocks.h"
#include "../dtypes.h"
#include "../frames.h"

typedef object *new_array(struct type *type, object *dtype, int32_t rank, const int64_t *dims, const int64_t *strides,
                          void *data, int32_t flags, object *like);  // takes the dtype over
typedef int32_t set_base(object *array, object *base);               // takes the base over, even where it fails

struct outlet {
  new_array *make;
  set_base *base;
  int64_t fields;  // of the tuple that main returns, -1 where it returns a tensor
  object *keep;    // (block, address, bytes, bytes filled) -> what keeps it, where that is known again, or null
  object *dtypes[];  // by the codes of tensors
};

enum { COPIED_ALONE = 1 << 16 };  // bytes from which on others may run while they are copied

enum way { NOT_PLAIN, OWN, LENT, COPIED };

/* How a field of the result becomes an array. Nobody counts a storage that is lent. */
static enum way way_of(const struct outlet *outlet, struct cell *const *fields, int64_t i) {
  const struct tensor *tensor = &fields[i]->tensor;
  const struct cell *storage = fields[i]->keeps;
  if (tensor->code < 0 || tensor->flags & OFF_HOST)
    return NOT_PLAIN;
  if (tensor->flags & READ_ONLY)
    return COPIED;
  if (!storage || storage->tensor.code != STORAGE_CODE || (!outlet->keep && storage->filled))
    return NOT_PLAIN;
  bool is_alone = fields[i]->count == 1 && storage->count == 1;
  for (int64_t j = 0; !is_alone && j < i; j++)
    if (fields[j]->keeps == storage)
      return COPIED;
  return storage->count ? OWN : LENT;
}

/* What an array of a block that it owns is to keep; null, with Python's error, where there is no memory. */
static object *kept_by(const struct outlet *outlet, object *block, struct pair pair, int64_t filled) {
  if (!outlet->keep)
    return block;
  object *given = PyTuple_New(4), *made = 0;
  if (!given) {
    Py_DecRef(block);
    return 0;
  }
  int64_t numbers[] = {pair.address, pair.bytes, filled};
  bool fits = !PyTuple_SetItem(given, 0, block);
  for (int64_t i = 0; fits && i < 3; i++) {
    object *number = PyLong_FromLong(numbers[i]);
    fits = number && !PyTuple_SetItem(given, i + 1, number);
  }
  if (fits)
    made = PyObject_CallObject(outlet->keep, given);
  Py_DecRef(given);
  return made;
}

/* An array of a tensor, which keeps what its memory belongs to, and has that from the caller; null with an error. */
static object *array_of(const struct python *python, const struct outlet *outlet, const struct tensor *tensor,
                        object *keeps) {
  object *dtype = outlet->dtypes[tensor->code];
  Py_IncRef(dtype);
  object *array = outlet->make(python->array, dtype, (int32_t)tensor->rank, tensor->dims, 0, (void *)tensor->address,
                               WRITABLE, 0);
  if (!array)
    Py_DecRef(keeps);
  else if (outlet->base(array, keeps)) {
    Py_DecRef(array);
    return 0;
  }
  return array;
}

/* An array of a tensor whose block is a pair's, and the array's from then on; null, with Python's error, where there is
   no memory. */
static object *own_array(const struct python *python, const struct outlet *outlet, object *owner, struct pool *pool,
                         const struct tensor *tensor, struct pair *pair, int64_t filled) {
  object *block = owned(owner, pool, *pair);
  if (!block)
    return 0;
  struct pair given = *pair;
  pair->address = 0;
  object *keeps = kept_by(outlet, block, given, filled);
  return keeps ? array_of(python, outlet, tensor, keeps) : 0;
}

/* An array of a copy of a tensor; null where there is no memory, as the pool or Python's error says. */
static object *copied_array(const struct python *python, const struct outlet *outlet, object *owner, struct pool *pool,
                            const struct tensor *tensor) {
  int64_t bytes = tensor->elements * bytes_of(tensor->code);
  struct pair pair = {take(pool, bytes), bytes};
  struct tensor copy = *tensor;
  copy.address = pair.address;
  if (!pair.address)
    return 0;
  void *state = bytes >= COPIED_ALONE ? PyEval_SaveThread() : 0;
  __builtin_memcpy((void *)copy.address, (const void *)tensor->address, bytes);
  if (state)
    PyEval_RestoreThread(state);
  object *block = owned(owner, pool, pair);
  if (block)
    return array_of(python, outlet, &copy, block);
  put(pool, pair.address, pair.bytes);
  return 0;
}

/* An array of a tensor in storage that is lent, whose object stands in its cell. */
static object *lent_array(const struct python *python, const struct outlet *outlet, const struct cell *cell) {
  object *storage = (object *)cell->keeps->numbers[0];
  Py_IncRef(storage);
  return array_of(python, outlet, &cell->tensor, storage);
}

/* An array of a field of the result, in its way; null where there is no memory. */
static object *array_in(const struct python *python, const struct outlet *outlet, object *owner, struct pool *pool,
                        const struct cell *cell, enum way way) {
  if (way == COPIED)
    return copied_array(python, outlet, owner, pool, &cell->tensor);
  if (way == LENT)
    return lent_array(python, outlet, cell);
  struct cell *storage = cell->keeps;
  struct pair *pair = (struct pair *)&storage->tensor;
  return own_array(python, outlet, owner, pool, &cell->tensor, pair, storage->filled);
}

/* A tuple of the fields of the result, all of which are plain: first copies, then what changes hands. */
static object *tuple_of(const struct python *python, const struct outlet *outlet, object *owner, struct pool *pool,
                        struct cell *const *fields, int64_t size) {
  object *arrays = PyTuple_New(size);
  for (int64_t at = 0; arrays && at < 2 * size; at++) {
    int64_t i = at % size;
    enum way way = way_of(outlet, fields, i);
    if ((way == COPIED) != (at < size))
      continue;
    object *array = array_in(python, outlet, owner, pool, fields[i], way);
    if (!array || PyTuple_SetItem(arrays, i, array)) {
      Py_DecRef(arrays);
      return 0;
    }
  }
  return arrays;
}

/* The arrays of a run's result; null where it is not plain, or there is no memory. What is not an array by then is still
   the machine's: all of it, where Python has no error. */
static object *arrays_of(const struct python *python, const struct outlet *outlet, object *owner,
                         struct machine *machine) {
  struct pool *pool = machine->pool;
  struct pair *pair = (struct pair *)&machine->out_pair;
  bool is_one = outlet->fields < 0;
  if (pair->address) {
    bool is_plain = is_one && machine->out.code >= 0 && !machine->out.flags;
    return is_plain ? own_array(python, outlet, owner, pool, &machine->out, pair, 0) : 0;
  }
  struct cell *result = machine->result;
  if (!result)
    return 0;
  if (is_one)
    return way_of(outlet, &result, 0) == COPIED ? copied_array(python, outlet, owner, pool, &result->tensor) : 0;
  if (result->tensor.code != ADT_CODE || result->count != 1 || result->size != outlet->fields)
    return 0;
  struct cell *const *fields = fields_of(result);
  for (int64_t i = 0; i < result->size; i++)
    if (way_of(outlet, fields, i) == NOT_PLAIN)
      return 0;
  return tuple_of(python, outlet, owner, pool, fields, result->size);
}

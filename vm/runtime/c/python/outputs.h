/* The way out: a run's plain result -> numpy's arrays, each of which owns the block that it lies in, with the GIL held.

   Plain is a tensor, or a tuple of tensors, that each lie alone in storage of their own, or in one that Python has lent.
   Whatever is not is looked at before anything changes hands; a block changes hands within one call (see `blocks.h`). */
#pragma once
#include "blocks.h"
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

static bool is_plain(const struct tensor *tensor) { return tensor->code >= 0 && !tensor->flags; }

static bool is_lent(const struct cell *storage) { return !storage->count; }

/* Whether a field of the result is a tensor that has its storage for itself; nobody counts a storage that is lent. */
static bool is_alone(const struct outlet *outlet, struct cell *const *fields, int64_t i) {
  const struct cell *storage = fields[i]->keeps;
  if (!is_plain(&fields[i]->tensor) || fields[i]->count != 1 || !storage || storage->tensor.code != STORAGE_CODE)
    return false;
  for (int64_t j = 0; is_lent(storage) && j < i; j++)
    if (fields[j]->keeps == storage)
      return false;
  return outlet->keep ? storage->count <= 1 : storage->count == 1 && !storage->filled;
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

/* An array of a tensor in storage that is lent, whose object stands in its cell. */
static object *lent_array(const struct python *python, const struct outlet *outlet, const struct cell *cell) {
  object *storage = (object *)cell->keeps->numbers[0];
  Py_IncRef(storage);
  return array_of(python, outlet, &cell->tensor, storage);
}

/* The arrays of a run's result; null where it is not plain, or, with Python's error, where there is no memory. What is
   not an array by then is still the machine's. */
static object *arrays_of(const struct python *python, const struct outlet *outlet, object *owner,
                         struct machine *machine) {
  struct pool *pool = machine->pool;
  struct pair *pair = (struct pair *)&machine->out_pair;
  if (pair->address)
    return outlet->fields < 0 && is_plain(&machine->out)
               ? own_array(python, outlet, owner, pool, &machine->out, pair, 0)
               : 0;
  const struct cell *result = machine->result;
  if (!result || result->tensor.code != ADT_CODE || result->count != 1 || result->size != outlet->fields)
    return 0;
  struct cell **fields = fields_of((struct cell *)result);
  for (int64_t i = 0; i < result->size; i++)
    if (!is_alone(outlet, fields, i))
      return 0;
  object *arrays = PyTuple_New(result->size);
  for (int64_t i = 0; arrays && i < result->size; i++) {
    struct cell *cell = fields[i], *storage = cell->keeps;
    pair = (struct pair *)&storage->tensor;
    object *array = is_lent(storage) ? lent_array(python, outlet, cell)
                                     : own_array(python, outlet, owner, pool, &cell->tensor, pair, storage->filled);
    if (!array || PyTuple_SetItem(arrays, i, array)) {
      Py_DecRef(arrays);
      return 0;
    }
  }
  return arrays;
}

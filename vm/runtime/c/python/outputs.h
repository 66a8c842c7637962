/* The way out: a run's plain result -> numpy's arrays, each of which owns the block that it lies in, with the GIL held.

   Plain is a tensor, or a tuple of tensors, that each lie alone in storage of their own. Whatever is not is looked at
   before anything changes hands; a block changes hands within one call (see `blocks.h`). */
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
  object *dtypes[];  // by the codes of tensors
};

static bool is_plain(const struct tensor *tensor) { return tensor->code >= 0 && !tensor->flags; }

/* Whether a field of the result is a tensor that has its storage for itself. */
static bool is_alone(const struct cell *cell) {
  const struct cell *storage = cell->keeps;
  return is_plain(&cell->tensor) && cell->count == 1 && storage && storage->tensor.code == STORAGE_CODE &&
         storage->count == 1 && !storage->filled;
}

/* An array of a tensor, which owns its block from now on, where the pair did; null, with Python's error, where there is
   no memory. */
static object *array_of(const struct python *python, const struct outlet *outlet, object *owner, struct pool *pool,
                        const struct tensor *tensor, struct pair *pair) {
  object *block = owned(owner, pool, *pair);
  if (!block)
    return 0;
  pair->address = 0;
  object *dtype = outlet->dtypes[tensor->code];
  Py_IncRef(dtype);
  object *array = outlet->make(python->array, dtype, (int32_t)tensor->rank, tensor->dims, 0, (void *)tensor->address,
                               WRITABLE, 0);
  if (!array)
    Py_DecRef(block);
  else if (outlet->base(array, block)) {
    Py_DecRef(array);
    return 0;
  }
  return array;
}

/* The arrays of a run's result; null where it is not plain, or, with Python's error, where there is no memory. What is
   not an array by then is still the machine's. */
static object *arrays_of(const struct python *python, const struct outlet *outlet, object *owner,
                         struct machine *machine) {
  struct pool *pool = machine->pool;
  struct pair *pair = (struct pair *)&machine->out_pair;
  if (pair->address)
    return outlet->fields < 0 && is_plain(&machine->out) ? array_of(python, outlet, owner, pool, &machine->out, pair) : 0;
  const struct cell *result = machine->result;
  if (!result || result->tensor.code != ADT_CODE || result->count != 1 || result->size != outlet->fields)
    return 0;
  struct cell **fields = fields_of((struct cell *)result);
  for (int64_t i = 0; i < result->size; i++)
    if (!is_alone(fields[i]))
      return 0;
  object *arrays = PyTuple_New(result->size);
  for (int64_t i = 0; arrays && i < result->size; i++) {
    pair = (struct pair *)&fields[i]->keeps->tensor;
    object *array = array_of(python, outlet, owner, pool, &fields[i]->tensor, pair);
    if (!array || PyTuple_SetItem(arrays, i, array)) {
      Py_DecRef(arrays);
      return 0;
    }
  }
  return arrays;
}

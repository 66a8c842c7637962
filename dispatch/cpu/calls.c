/* Kernel calls from Python: array objects -> the kernel ABI, looking at C fields, without touching them in Python. */
#include "cpython.h"
#include "positions.h"
#include "words.h"

struct {
  struct python python;
  object *empty;  // numpy.empty
  object *out;    // the interned string
} anytile_facts;

struct operand {  // an array of a call
  int64_t place;  // in the kernel's pointer table
  object *dtype;
  int64_t flags, rank;
  int64_t position_bytes;  // of each element, if they are positions; else 0
};

struct layout {  // of a kernel's calls
  int64_t tensors, inputs, results, have_positions;
  struct operand operands[];  // inputs, then results
};

struct frame {  // what a call needs beside its arrays
  const struct layout *layout;
  int32_t (*kernel)(void **data, const int64_t *dims, void *workspace);
  const int64_t *dims;
  void *workspace;
  int64_t brief;      // whether other threads may wait for it
  int64_t numbers[];  // the pointer table, then what each operand must be
};

struct wanted {  // what an operand must be
  int64_t bytes;
  int64_t limit;  // how many positions there are to choose from
  int64_t sizes[];
};

/* What the operand behind one must be. */
static inline const struct wanted *following(const struct wanted *wanted, const struct operand *operand) {
  return (const struct wanted *)(wanted->sizes + operand->rank);
}

struct span {
  const char *from, *to;
};

static inline bool overlap(struct span a, struct span b) { return a.from < b.to && b.from < a.to; }

/* Whether some position of an input lies outside the dimension that it indexes. */
__attribute__((noinline)) static bool have_misplaced(const struct layout *layout, const struct wanted *wanted,
                                                     const struct span *inputs) {
  for (int64_t i = 0; i < layout->inputs; i++) {
    const struct operand *operand = &layout->operands[i];
    const void *positions = inputs[i].from;
    if (operand->position_bytes == 4 && misplaced32(positions, wanted->bytes / 4, wanted->limit).found)
      return true;
    if (operand->position_bytes == 8 && misplaced64(positions, wanted->bytes / 8, wanted->limit).found)
      return true;
    wanted = following(wanted, operand);
  }
  return false;
}

/* Looks at the arrays of a call and runs its kernel: the kernel's status; or OTHER where an array is of another shape,
   SLOW where something else is not as simple as that, and then nothing was done. */
static int64_t enter(const struct frame *frame, object **arrays, int64_t count) {
  const struct layout *layout = frame->layout;
  if (count != layout->inputs + layout->results)
    return SLOW;
  void *table[layout->tensors];
  struct span spans[count];
  for (int64_t i = 0; i < layout->tensors; i++)
    table[i] = (void *)frame->numbers[i];
  const struct wanted *first = (const struct wanted *)(frame->numbers + layout->tensors), *wanted = first;
  for (int64_t i = 0; i < count; i++) {
    const struct operand *operand = &layout->operands[i];
    if (type_of(&anytile_facts.python, arrays[i]) != anytile_facts.python.array)
      return SLOW;
    const struct array *array = own_fields(&anytile_facts.python, arrays[i]);
    if (array->dtype != operand->dtype || (array->flags & operand->flags) != operand->flags ||
        array->rank != operand->rank)
      return SLOW;
    for (int64_t d = 0; d < operand->rank; d++)
      if (array->dims[d] != wanted->sizes[d])
        return OTHER;
    table[operand->place] = array->data;
    spans[i] = (struct span){array->data, array->data + wanted->bytes};
    wanted = following(wanted, operand);
  }
  for (int64_t i = layout->inputs; i < count; i++)
    for (int64_t j = 0; j < i; j++)
      if (overlap(spans[i], spans[j]))
        return SLOW;
  if (layout->have_positions && have_misplaced(layout, first, spans))
    return SLOW;
  if (frame->brief)  // others may wait so long
    return frame->kernel(table, frame->dims, frame->workspace);
  void *state = PyEval_SaveThread();
  int32_t status = frame->kernel(table, frame->dims, frame->workspace);
  PyEval_RestoreThread(state);
  return status;
}

/* enter(frame address, each input, each result) -> status */
object *anytile_enter(object *self, object **args, int64_t count) {
  return PyLong_FromLong(enter(address(args[0]), args + 1, count - 1));
}

/* The result of a call that is as expected, or null. `expected` stays while this runs. */
static object *result_of(object *expected, object *args, object *out) {
  object **wanted = items_of(&anytile_facts.python, expected);
  const struct frame *frame = address(wanted[ADDRESS]);
  int64_t count = tuple_size(&anytile_facts.python, args);
  if (count != frame->layout->inputs)
    return 0;
  if (out)
    Py_IncRef(out);
  else if (!(out = PyObject_CallObject(anytile_facts.empty, wanted[EMPTY_ARGUMENTS]))) {
    PyErr_Clear();  // what this call makes may be smaller
    return 0;
  }
  object *arrays[count + 1];
  for (int64_t i = 0; i < count; i++)
    arrays[i] = items_of(&anytile_facts.python, args)[i];
  arrays[count] = out;
  if (enter(frame, arrays, count + 1) == 0)
    return out;
  Py_DecRef(out);
  return 0;
}

/* call(*inputs, out=None) of the list that is its self: what is expected, or None, and who takes all other calls. */
object *anytile_call(object *self, object *args, object *kwargs) {
  object *expected = PyList_GetItem(self, EXPECTED), *out = 0, *result = 0;
  bool plain = !kwargs;
  if (kwargs && PyDict_Size(kwargs) == 1) {
    out = PyDict_GetItem(kwargs, anytile_facts.out);
    plain = out && out != &_Py_NoneStruct;
  }
  if (plain && expected != &_Py_NoneStruct) {
    Py_IncRef(expected);
    result = result_of(expected, args, out);
    Py_DecRef(expected);
  }
  return result ? result : PyObject_Call(PyList_GetItem(self, OTHERWISE), args, kwargs);
}

/* fields(array, tuple of one, address): what the code takes for type, data, dtype, flags, rank and dimensions of the
   array, and for the tuple's item. */
object *anytile_fields(object *self, object **args, int64_t count) {
  const struct array *array = own_fields(&anytile_facts.python, args[0]);
  int64_t *seen = address(args[2]);
  seen[0] = (int64_t)type_of(&anytile_facts.python, args[0]);
  seen[1] = (int64_t)array->data;
  seen[2] = (int64_t)array->dtype;
  seen[3] = array->flags;
  seen[4] = array->rank;
  seen[5] = tuple_size(&anytile_facts.python, args[1]);
  seen[6] = (int64_t)items_of(&anytile_facts.python, args[1])[0];
  seen[7] = (int64_t)array->dims;
  return PyLong_FromLong(0);
}

/* What native code uses of CPython and of numpy's arrays, without their headers: any version that anytile runs on. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "words.h"

typedef struct object object;
struct type;

int64_t PyLong_AsSsize_t(object *number);
object *PyLong_FromLong(int64_t number);
object *PyList_GetItem(object *list, int64_t i);
int32_t PyList_Append(object *list, object *item);
object *PyDict_GetItem(object *dict, object *key);
int64_t PyDict_Size(object *dict);
char *PyByteArray_AsString(object *bytes);
object *PyObject_Call(object *function, object *args, object *kwargs);
object *PyObject_CallObject(object *function, object *args);
object *PyCapsule_New(void *pointer, const char *name, void (*destructor)(object *));
void *PyCapsule_GetPointer(object *capsule, const char *name);
object *PyTuple_New(int64_t size);
int32_t PyTuple_SetItem(object *tuple, int64_t i, object *item);  // takes the item over, even where it fails
object *PyErr_NoMemory(void);
object *PyErr_Occurred(void);
void PyErr_Clear(void);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);
void Py_IncRef(object *object);
void Py_DecRef(object *object);
extern struct type PyTuple_Type;
extern object _Py_NoneStruct;

/* What Python's side says of this process when the code is loaded; the first words of every module's facts. */
struct python {
  int64_t header;  // bytes of an object before what is its own; its type is the last word of them
  int64_t items;   // bytes of a tuple before its items
  struct type *array;
};

/* What an ndarray has after its header (PyArrayObject_fields). */
struct array {
  char *data;
  int32_t rank;
  int64_t *dims, *strides;
  object *base, *dtype;
  int32_t flags;
};

static inline void *own_fields(const struct python *python, object *it) { return (char *)it + python->header; }

static inline struct type *type_of(const struct python *python, object *it) {
  return ((struct type **)own_fields(python, it))[-1];
}

static inline int64_t tuple_size(const struct python *python, object *tuple) {
  return *(int64_t *)own_fields(python, tuple);
}

static inline object **items_of(const struct python *python, object *tuple) {
  return (object **)((char *)tuple + python->items);
}

/* A number that Python passes, most often an address. */
static inline void *address(object *number) { return (void *)PyLong_AsSsize_t(number); }

/* The native runtime: what Python calls, as functions written in C: f(self, args, count), with the GIL held. */
#define SHARED static inline
#include "python/blocks.h"
#include "driver.h"
#include "python/inputs.h"
#include "mapped.h"
#include "python/outputs.h"

struct {
  struct python python;
} anytile_facts;

/* begin(machine, function) -> status. The GIL is let go of, as by all that runs long. */
object *anytile_begin(object *self, object **args, int64_t count) {
  struct machine *machine = address(args[0]);
  int64_t function = PyLong_AsSsize_t(args[1]);
  void *state = PyEval_SaveThread();
  int32_t status = begin(machine, function);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(status);
}

/* drive(machine) -> status, after the blocks that others dropped were taken in. */
object *anytile_drive(object *self, object **args, int64_t count) {
  struct machine *machine = address(args[0]);
  void *state = PyEval_SaveThread();
  settle(machine->pool);
  int32_t status = drive(machine);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(status);
}

/* unwind(machine): lets go of what was given, of all frames and of the result. */
object *anytile_unwind(object *self, object **args, int64_t count) {
  struct machine *machine = address(args[0]);
  void *state = PyEval_SaveThread();
  unwind(machine);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(0);
}

/* intake(machine, list to keep arrays in, *inputs) -> whether they are the arguments now. Its self is the spec. */
object *anytile_intake(object *self, object **args, int64_t count) {
  struct machine *machine = address(args[0]);
  struct intake intake = {&anytile_facts.python, address(self), machine, args[1], 0};
  unwind(machine);
  bool taken = take_inputs(&intake, args + 2, count - 2);
  if (!taken)
    unwind(machine);
  return PyLong_FromLong(taken);
}

/* outlet(pool object, machine) -> what the run returned as arrays, or 0 where that is not plain; its self is the outlet.
   Of a result that went this way the machine holds nothing any more. */
object *anytile_outlet(object *self, object **args, int64_t count) {
  struct machine *machine = address(args[1]);
  object *made = arrays_of(&anytile_facts.python, address(self), args[0], machine);
  if (made)
    unwind(machine);
  else if (!PyErr_Occurred())
    return PyLong_FromLong(0);
  return made;
}

/* own(pool object, pool, pair) -> the block whose address and size are the pair, which is empty afterwards. */
object *anytile_own(object *self, object **args, int64_t count) {
  struct pair *pair = address(args[2]);
  object *block = owned(args[0], address(args[1]), *pair);
  if (block)
    pair->address = 0;
  return block;
}

/* allocate(pool object, pool, bytes, bytearray for a pair) -> a block; 0 where there is none. */
object *anytile_allocate(object *self, object **args, int64_t count) {
  struct pool *pool = address(args[1]);
  settle(pool);
  int64_t bytes = PyLong_AsSsize_t(args[2]);
  struct pair pair = {take(pool, bytes), bytes};
  if (!pair.address)
    return PyLong_FromLong(0);
  object *block = owned(args[0], pool, pair);
  if (block)
    __builtin_memcpy(PyByteArray_AsString(args[3]), &pair, sizeof(pair));
  else
    put(pool, pair.address, pair.bytes);
  return block;
}

/* settle(pool): takes in the blocks that Python dropped. */
object *anytile_settle(object *self, object **args, int64_t count) {
  settle(address(args[0]));
  return PyLong_FromLong(0);
}

/* drain(pool): the same, then gives the system all that is free. */
object *anytile_drain(object *self, object **args, int64_t count) {
  struct pool *pool = address(args[0]);
  settle(pool);
  trim(pool);
  return PyLong_FromLong(0);
}

/* watch(table): from now on the files in a table, which must stay where it is, may be cut off. */
object *anytile_watch(object *self, object **args, int64_t count) {
  watch(address(args[0]));
  return PyLong_FromLong(0);
}

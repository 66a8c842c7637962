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

static bool taken(const struct spec *spec, struct machine *machine, object *keep, object **inputs, int64_t count) {
  struct intake intake = {&anytile_facts.python, spec, machine, keep, 0};
  unwind(machine);
  bool taken = take_inputs(&intake, inputs, count);
  if (!taken)
    unwind(machine);
  return taken;
}

/* intake(machine, list to keep arrays in, *inputs) -> whether they are the arguments now. Its self is the spec. */
object *anytile_intake(object *self, object **args, int64_t count) {
  return PyLong_FromLong(taken(address(self), address(args[0]), args[1], args + 2, count - 2));
}

/* The arrays of a result that is plain, of which the machine then holds nothing any more; null where it is not, or with
   Python's error. */
static object *given_out(const struct outlet *outlet, object *owner, struct machine *machine) {
  object *made = arrays_of(&anytile_facts.python, outlet, owner, machine);
  if (made)
    unwind(machine);
  return made;
}

/* outlet(pool object, machine) -> what the run returned as arrays, or 0 where that is not plain. Its self is the outlet. */
object *anytile_outlet(object *self, object **args, int64_t count) {
  object *made = given_out(address(self), args[0], address(args[1]));
  return made || PyErr_Occurred() ? made : PyLong_FromLong(0);
}

struct quick_call {  // a function that is called with plain inputs, and may give a plain result
  const struct spec *inputs;
  const struct outlet *outlet;
  int64_t function, needed, most_depth;
  const struct function *functions;
  int64_t budget;
};

/* call(pool object, machine, list to keep arrays in, *inputs) -> the result as arrays; or the status by which the run
   stopped, to go on from there; or NOT_TAKEN where inputs are not plain. Its self is the quick call. */
object *anytile_call(object *self, object **args, int64_t count) {
  const struct quick_call *quick = address(self);
  struct machine *machine = address(args[1]);
  if (!taken(quick->inputs, machine, args[2], args + 3, count - 3))
    return PyLong_FromLong(NOT_TAKEN);
  machine->needed = quick->needed;
  machine->most_depth = quick->most_depth;
  machine->functions = quick->functions;
  machine->budget = quick->budget;
  void *state = PyEval_SaveThread();
  settle(machine->pool);
  int32_t status = begin(machine, quick->function) == BEGUN ? drive(machine) : NO_MEMORY;
  PyEval_RestoreThread(state);
  object *made = status <= RETURNED_TENSOR ? given_out(quick->outlet, args[0], machine) : 0;
  return made || PyErr_Occurred() ? made : PyLong_FromLong(status);
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

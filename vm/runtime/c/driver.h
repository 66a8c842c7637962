/* The driver: a loop over a program's steps that calls compiled regions and does what is between.

   All a run's state is in the machine and its stack, so that it may stop before any step and go on later: to let Python
   look around (AGAIN), or do the step (PYTHON) that native code does not know or that failed, which Python then does
   again to say how. A step changes nothing before it is certain to succeed. */
#pragma once
#include "append.h"
#include "dtypes.h"
#include "log.h"

typedef int32_t region(struct cell **registers, struct machine *machine);

struct function {
  int64_t registers, parameters;
  const struct step *first;
};
_Static_assert(sizeof(struct function) == 8 * FUNCTION, "FUNCTION");

struct place {  // where a run is
  const struct step *step;
  struct cell **registers;
};

typedef bool host_operator(const struct tensor *const *operands, const int64_t *attributes);

/* Does a function of the host (see `host_operators.c`); whether that could be done. Its results are its last operands,
   and behind the registers of these stand how many results there are, and its attributes. */
static bool host_step(struct machine *machine, struct cell **registers, const struct step *step) {
  const struct tensor *operands[MOST_OPERANDS];
  const int64_t *list = step->first, count = step->b, results = list[count];
  int64_t said[MAX_LOGGED_DIMS] = {0, count};
  for (int64_t i = 0; i < count; i++) {
    const struct tensor *tensor = operands[i] = &registers[list[i]]->tensor;
    if (tensor->code < 0 || tensor->flags & OFF_HOST || (i >= count - results && tensor->flags & READ_ONLY))
      return false;
    said[0] += tensor->elements * bytes_of(tensor->code);
    said[2 + i] = tensor->elements;
  }
  int64_t begin = now(machine->log);
  if (!((host_operator *)step->a)(operands, list + count + 1))
    return false;
  note(machine->log, step->c, begin, said, 2 + count);
  return true;
}

/* Makes the first frame, of the tuple that the machine is given. */
static int32_t begin(struct machine *machine, int64_t number) {
  const struct function *function = &machine->functions[number];
  struct cell **stack = stack_to(machine, HEADER + function->registers), **registers = stack + HEADER;
  if (!stack)
    return NO_STACK;
  clear(registers, function->registers);
  copy_fields(registers, machine->given, function->parameters);
  frame_of(registers)->registers = function->registers;
  machine->frame = HEADER;
  machine->step = function->first;
  replace(machine, &machine->given, 0);
  machine->depth = 0;
  machine->room = MAX_STACK;
  machine->done = 0;
  return BEGUN;
}

/* Calls a function with what a closure, or null, captured, then the step's arguments. One whose result is at once
   returned replaces the frame that calls it. A status, or 0. */
static int32_t call(struct machine *machine, struct place *at, int64_t number, struct cell *closure, bool is_last) {
  const struct function *function = &machine->functions[number];
  const struct step *step = at->step;
  int64_t own = frame_of(at->registers)->registers, captured = closure ? closure->size : 0;
  int64_t above = machine->frame + own + HEADER, passed = captured + step->arguments;
  if (!is_last && (machine->depth >= machine->most_depth || machine->room < own))
    return TOO_DEEP;
  struct cell **stack = stack_to(machine, above + function->registers);
  if (!stack)
    return NO_MEMORY;
  struct cell **caller = stack + machine->frame, **callee = stack + above;
  if (closure)
    copy_fields(callee, closure, captured);
  copy(callee + captured, caller, step->first, step->arguments);
  clear(callee + passed, function->registers - passed);
  if (is_last) {
    drop_frame(machine, caller);
    __builtin_memmove(caller, callee, 8 * function->registers);
    frame_of(caller)->registers = function->registers;
    *at = (struct place){function->first, caller};
    return 0;
  }
  drop(machine, caller, step->first + step->arguments, step->dying);
  *frame_of(callee) = (struct frame){step_at(step, step->next), machine->frame, step->a, function->registers};
  machine->frame = above;
  machine->depth++;
  machine->room -= own;
  *at = (struct place){function->first, callee};
  return 0;
}

/* What the last frame returns ends the run. A tensor in storage of its own is moved to the machine's out, memory and
   all, and everything is let go. */
static int32_t finish(struct machine *machine, struct cell *result) {
  struct cell *storage = result->keeps;
  machine->result = result;
  machine->step = 0;
  if (result->tensor.code < 0 || result->count != 1 || !storage || storage->tensor.code != STORAGE_CODE ||
      storage->count != 1)
    return RETURNED;
  machine->out = result->tensor;
  machine->out_pair.address = storage->tensor.address;
  machine->out_pair.bytes = storage->tensor.elements;
  storage->tensor.address = 0;
  let_go(machine);
  return RETURNED_TENSOR;
}

/* Ends a frame, which is not the last. */
static void back(struct machine *machine, struct place *at, struct cell *result) {
  struct frame frame = *frame_of(at->registers);
  struct cell **registers = machine->stack + frame.caller;
  machine->frame = frame.caller;
  machine->depth--;
  machine->room += frame_of(registers)->registers;
  *at = (struct place){frame.back, registers};
  set(machine, registers, frame.into, result);
}

/* Runs on until there is something to say. */
static int32_t drive(struct machine *machine) {
  struct place at = {machine->step, machine->stack + machine->frame};
  int32_t status = 0;
  int64_t left = machine->budget;
  while (!status) {
    if (left-- <= 0) {
      status = AGAIN;
      break;
    }
    if (!have_cells(machine, machine->needed)) {
      status = NO_MEMORY;
      break;
    }
    const struct step *step = at.step;
    struct cell **registers = at.registers, *value;
    const int64_t *list = step->first;
    int64_t to = step->next, x, y;
    bool known = true;  // whether native code can do the step
    switch (step->operation) {
    case RUN: {
      uint32_t decided = ((region *)step->a)(registers, machine);
      if (decided >= FAILED)
        status = decided;
      else
        to = list[decided];
      break;
    }
    case FIELD:
      value = registers[step->b];
      known = value->tensor.code == ADT_CODE && (uint64_t)step->c < (uint64_t)value->size;
      if (known) {
        value = fields_of(value)[step->c];
        retain(value);
        set(machine, registers, step->a, value);
      }
      break;
    case TAG:
      value = registers[step->b];
      known = value->tensor.code == ADT_CODE;
      if (known) {
        struct cell *number = new_numbers(machine, 1, 0);
        number->numbers[0] = value->tag;
        set(machine, registers, step->a, number);
      }
      break;
    case ON_TAG:
      value = registers[step->a];
      known = value->tensor.code == ADT_CODE;
      to = list[value->tag != step->b];
      break;
    case WHEN:
      known = is_whole(registers[step->a], &x) && is_whole(registers[step->b], &y);
      to = list[known && x != y];
      break;
    case GOTO:
      to = list[0];
      break;
    case MAKE:
      value = new_value(machine, step->b, step->arguments, step->c);
      if (!value)
        status = NO_MEMORY;
      else {
        copy(fields_of(value), registers, list, step->arguments);
        set(machine, registers, step->a, value);
      }
      break;
    case APPEND: {
      const struct appending *how = (const struct appending *)list;
      value = registers[step->b];
      known = can_append(value, registers[step->c], how);
      if (known) {
        value = appended(machine, value, registers[step->c], how);
        if (!value)
          status = NO_MEMORY;
        else
          set(machine, registers, step->a, value);
      }
      break;
    }
    case INVOKE:
    case TAIL:
      status = call(machine, &at, step->b, 0, step->operation == TAIL);
      continue;
    case ENTER:
      value = registers[step->b];
      known = value->tensor.code == CLOSURE_CODE &&
              machine->functions[value->tag].parameters == value->size + step->arguments;
      if (known) {
        status = call(machine, &at, value->tag, value, step->c);
        continue;
      }
      break;
    case BACK_STEP:
      value = registers[step->a];
      registers[step->a] = 0;
      drop_frame(machine, registers);
      if (machine->depth == 0)
        return finish(machine, value);
      back(machine, &at, value);
      continue;
    case HOST_STEP:
      known = machine->done || host_step(machine, registers, step);
      machine->done = 0;
      break;
    case PYTHON_STEP:
      known = machine->done;
      machine->done = 0;
      break;
    default:
      known = false;
    }
    if (!known)
      status = PYTHON;
    if (!status) {
      drop(machine, registers, list + step->arguments, step->dying);
      at.step = step_at(step, to);
    }
  }
  machine->step = at.step;
  return status;
}

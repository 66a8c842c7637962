/* The way in: a call's Python objects -> cells, looking at C fields and calling CPython, with the GIL held.

   The arguments become one value, a tuple, which the machine is given from the begin: an intake that gives up half-way
   lets go of that tuple and has left nothing. What is still to be looked at waits on the machine's stack. */
#pragma once
#include "../../../../dispatch/cpu/cpython.h"
#include "../values.h"

struct port;

struct member {  // what the fields of a constructor, or of a tuple, must be
  object *name;
  int64_t size;
  const struct port *const *ports;
};

struct port {
  int64_t kind;
  union {
    struct {  // TENSOR_PORT
      object *dtype;
      int64_t code, rank;
      int64_t dims[];  // -1 where any will do
    };
    struct {  // DATA_PORT, and TUPLE_PORT with one member that has no name
      int64_t count;
      struct member members[];
    };
  };
};

struct shared_size {  // a dimension of an input, which is a tensor, that is to be one of an input before
  int64_t input, axis, before, its_axis;
};

struct spec {
  int64_t inputs;
  struct type *data;                // the type of data types' values
  int64_t name_offset, fields_offset;  // where in bytes such a value has its constructor and its fields
  const struct port *const *ports;
  int64_t shared_sizes;
  const struct shared_size *shared;
};

struct item {  // an object that is still to be looked at, and where its cell goes
  object *object;
  const struct port *port;
  struct cell **to;
};

struct intake {
  const struct python *python;
  const struct spec *spec;
  struct machine *machine;
  object *keep;  // a list that arrays are appended to, so that they live as long as the run
  int64_t waiting;
};

static bool push(struct intake *intake, object *it, const struct port *port, struct cell **to) {
  struct item *items = (struct item *)stack_to(intake->machine, (intake->waiting + 1) * (int64_t)sizeof(*items) / 8);
  if (!items)
    return false;
  items[intake->waiting++] = (struct item){it, port, to};
  return true;
}

/* A value with no fields yet, to be let go of at any time. */
static struct cell *new_empty(struct machine *machine, int64_t tag, int64_t size) {
  struct cell *cell = new_value(machine, tag, size, ADT_CODE);
  if (cell)
    clear(fields_of(cell), size);
  return cell;
}

static bool take_tensor(struct intake *intake, const struct item *item) {
  const struct port *port = item->port;
  if (type_of(intake->python, item->object) != intake->python->array)
    return false;
  const struct array *array = own_fields(intake->python, item->object);
  if (array->dtype != port->dtype || (array->flags & READABLE) != READABLE || array->rank != port->rank)
    return false;
  int64_t elements = 1;
  for (int64_t d = 0; d < port->rank; d++) {
    if (port->dims[d] >= 0 && port->dims[d] != array->dims[d])
      return false;
    elements *= array->dims[d];
  }
  if (PyList_Append(intake->keep, item->object)) {
    PyErr_Clear();
    return false;
  }
  struct cell *cell = new_cell(intake->machine);
  cell->keeps = 0;
  cell->tensor = (struct tensor){(int64_t)array->data, elements, port->code, port->rank, READ_ONLY, {0}};
  for (int64_t d = 0; d < MAX_RANK; d++)
    cell->tensor.dims[d] = d < port->rank ? array->dims[d] : 1;
  *item->to = cell;
  return true;
}

/* A value whose fields are the items of a tuple. */
static bool take_fields(struct intake *intake, const struct item *item, object *fields, int64_t tag) {
  const struct member *member = &item->port->members[tag];
  if (type_of(intake->python, fields) != &PyTuple_Type || tuple_size(intake->python, fields) != member->size)
    return false;
  struct cell *cell = new_empty(intake->machine, tag, member->size);
  if (!cell)
    return false;
  *item->to = cell;
  object **items = items_of(intake->python, fields);
  for (int64_t i = 0; i < member->size; i++)
    if (!push(intake, items[i], member->ports[i], fields_of(cell) + i))
      return false;
  return true;
}

static bool take_data(struct intake *intake, const struct item *item) {
  if (type_of(intake->python, item->object) != intake->spec->data)
    return false;
  const char *bytes = (const char *)item->object;
  object *name = *(object *const *)(bytes + intake->spec->name_offset);
  object *fields = *(object *const *)(bytes + intake->spec->fields_offset);
  for (int64_t tag = 0; fields && tag < item->port->count; tag++)
    if (item->port->members[tag].name == name)
      return take_fields(intake, item, fields, tag);
  return false;
}

static bool take_item(struct intake *intake, const struct item *item) {
  switch (item->port->kind) {
  case TENSOR_PORT:
    return take_tensor(intake, item);
  case DATA_PORT:
    return take_data(intake, item);
  case TUPLE_PORT:
    return take_fields(intake, item, item->object, 0);
  }
  return false;
}

/* Makes the inputs the arguments that the machine is given; false where they are not as simple as that. */
static bool take_inputs(struct intake *intake, object **inputs, int64_t count) {
  struct machine *machine = intake->machine;
  if (count != intake->spec->inputs || !have_cells(machine, 1))
    return false;
  struct cell *root = machine->given = new_empty(machine, 0, count);
  if (!root)
    return false;
  for (int64_t i = 0; i < count; i++)
    if (!push(intake, inputs[i], intake->spec->ports[i], fields_of(root) + i))
      return false;
  for (int64_t left = MOST_OBJECTS; intake->waiting; left--) {
    struct item item = ((struct item *)machine->stack)[--intake->waiting];
    if (left < 0 || !have_cells(machine, 1) || !take_item(intake, &item))
      return false;
  }
  for (int64_t i = 0; i < intake->spec->shared_sizes; i++) {
    const struct shared_size *shared = &intake->spec->shared[i];
    const struct cell *input = fields_of(root)[shared->input], *before = fields_of(root)[shared->before];
    if (input->tensor.dims[shared->axis] != before->tensor.dims[shared->its_axis])
      return false;
  }
  return true;
}

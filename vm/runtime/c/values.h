/* Values beside tensors: data types and closures, and numbers as conditions compare them. */
#pragma once
#include "frames.h"

/* A data type or a closure whose fields are still to be written; null where there is no memory. */
static struct cell *new_value(struct machine *machine, int64_t tag, int64_t size, int64_t code) {
  struct cell *cell;
  if (size <= MOST_FIELDS)
    cell = new_cell(machine);
  else {
    int64_t bytes = 8 * (CELL_FIELDS + size);
    if (!grant(machine->pool, bytes))
      return 0;
    if (!(cell = malloc(bytes))) {
      ungrant(machine->pool, bytes);
      return 0;
    }
    cell->count = 1;
  }
  cell->tag = tag;
  cell->size = size;
  cell->tensor.code = code;
  return cell;
}

/* Whether a cell is one whole number, and which. */
static bool is_whole(const struct cell *cell, int64_t *number) {
  const void *data = (const void *)cell->tensor.address;
  if (cell->tensor.code < 0 || cell->tensor.elements != 1)
    return false;
  switch (cell->tensor.code) {
  case CODE_INT64:
    __builtin_memcpy(number, data, sizeof(*number));
    return true;
  case CODE_INT32: {
    int32_t read;
    __builtin_memcpy(&read, data, sizeof(read));
    *number = read;
    return true;
  }
  case CODE_BOOL:  // whatever byte says so: constants and inputs may be anybody's
    *number = *(const uint8_t *)data != 0;
    return true;
  case CODE_UINT8:
    *number = *(const uint8_t *)data;
    return true;
  case CODE_FLOAT32: {
    float read;
    __builtin_memcpy(&read, data, sizeof(read));
    if (!(read >= -0x1p63f && read < 0x1p63f))
      return false;
    *number = (int64_t)read;
    return (float)*number == read;
  }
  }
  return false;
}

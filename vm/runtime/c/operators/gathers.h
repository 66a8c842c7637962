/* Elements and rows by positions: `take_along` and `gather_nd`. */
#pragma once
#include "operands.h"

static bool has_positions(const struct tensor *index) {
  return index->code == CODE_INT64 || index->code == CODE_INT32;
}

/* A position of 64 bits or of 32, counted from the front; whether it is there. */
INLINE bool position_of(const void *index, bool is_wide, int64_t i, int64_t size, int64_t *at) {
  int64_t given = is_wide ? ((const int64_t *)index)[i] : ((const int32_t *)index)[i];
  *at = given < 0 ? given + size : given;
  return (uint64_t)*at < (uint64_t)size;
}

static inline bool position(const struct tensor *index, int64_t i, int64_t size, int64_t *at) {
  return position_of(data_of(index), index->code == CODE_INT64, i, size, at);
}

/* The lines of an index along its last dimension, and where each begins in x, of the same rank, but for the position
   along the axis. */
struct lines {
  int64_t rank, count, length, base;
  int64_t size, stride;  // of x along the axis
  bool is_last;          // the axis: else neighbours of a line are neighbours in x
  int64_t at[MAX_RANK], steps[MAX_RANK];
  const int64_t *dims;
};

static bool lines_of(struct lines *lines, const struct tensor *x, const struct tensor *index, int64_t axis) {
  int64_t rank = x->rank;
  axis += axis < 0 ? rank : 0;
  if (!has_positions(index) || rank < 1 || index->rank != rank || axis < 0 || axis >= rank)
    return false;
  *lines = (struct lines){rank, product(index->dims, 0, rank - 1), index->dims[rank - 1], 0, x->dims[axis]};
  lines->dims = index->dims;
  lines->stride = product(x->dims, axis + 1, rank);
  lines->is_last = axis == rank - 1;
  for (int64_t d = 0; d < rank; d++) {
    lines->steps[d] = d == axis ? 0 : product(x->dims, d + 1, rank);
    if (d != axis && index->dims[d] > x->dims[d])
      return false;
  }
  return lines->count * lines->length == index->elements;
}

static void next_line(struct lines *lines) {
  for (int64_t d = lines->rank - 2; d >= 0; d--) {
    lines->base += lines->steps[d];
    if (++lines->at[d] < lines->dims[d])
      return;
    lines->base -= lines->steps[d] * lines->dims[d];
    lines->at[d] = 0;
  }
}

/* Tuples of positions, one in each dimension of x behind the batches, and the rows of x that they say. */
struct tuples {
  int64_t length, count, of_batch, batches, block;  // the last: elements of a row
};

static bool tuples_of(struct tuples *tuples, const struct tensor *x, const struct tensor *index, int64_t batches) {
  if (!has_positions(index) || index->rank < 1 || batches < 0 || batches >= index->rank)
    return false;
  int64_t length = index->dims[index->rank - 1];
  if (batches + length > x->rank)
    return false;
  for (int64_t d = 0; d < batches; d++)
    if (x->dims[d] != index->dims[d])
      return false;
  int64_t of_batch = product(index->dims, batches, index->rank - 1);
  *tuples = (struct tuples){length, product(index->dims, 0, batches) * of_batch, of_batch, batches,
                            product(x->dims, batches + length, x->rank)};
  return tuples->count * length == index->elements;
}

static inline bool row_of(const struct tuples *tuples, const struct tensor *x, const struct tensor *index, int64_t i,
                          int64_t *row) {
  int64_t found = tuples->batches ? i / tuples->of_batch : 0, at;
  for (int64_t d = 0; d < tuples->length; d++) {
    int64_t size = x->dims[tuples->batches + d];
    if (!position(index, i * tuples->length + d, size, &at))
      return false;
    found = found * size + at;
  }
  *row = found;
  return true;
}

/* Runs `body` for each element of all lines of an index, `i` of a line, `at` in x; the function returns false where a
   position is not there. What does not change is in registers: what is written may be anything, as far as C knows. */
#define EACH_POSITION(lines, index, is_wide, is_last, body)                                             \
  for (int64_t line = 0; line < (lines)->count; line++, next_line(lines)) {                             \
    const char *of_line = data_of(index) + line * (lines)->length * (is_wide ? 8 : 4);                   \
    const int64_t length = (lines)->length, size = (lines)->size, stride = (lines)->stride;             \
    const int64_t base = (lines)->base;                                                                 \
    for (int64_t i = 0, at; i < length; i++) {                                                          \
      if (!position_of(of_line, is_wide, i, size, &at))                                                 \
        return false;                                                                                   \
      at = base + (is_last ? at : at * stride + i);                                                     \
      body                                                                                              \
    }                                                                                                   \
  }

INLINE bool taken(const char *from, const struct tensor *index, char *to, struct lines *lines, int64_t bytes,
                  bool is_wide, bool is_last) {
  EACH_POSITION(lines, index, is_wide, is_last, {
    move_element(to, from + at * bytes, bytes);
    to += bytes;
  })
  return true;
}

INLINE bool taken_as(const struct tensor *x, const struct tensor *index, const struct tensor *y, struct lines *lines,
                     int64_t bytes) {
  const char *from = data_of(x);
  char *to = data_of(y);
  if (index->code == CODE_INT64)
    return lines->is_last ? taken(from, index, to, lines, bytes, true, true)
                          : taken(from, index, to, lines, bytes, true, false);
  return lines->is_last ? taken(from, index, to, lines, bytes, false, true)
                        : taken(from, index, to, lines, bytes, false, false);
}

/* x, index, y; the axis */
bool op_take_along(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *y = operands[2];
  struct lines lines;
  if (y->code != x->code || y->elements != index->elements || !lines_of(&lines, x, index, attributes[0]))
    return false;
  switch (bytes_of(x->code)) {
  case 1:
    return taken_as(x, index, y, &lines, 1);
  case 2:
    return taken_as(x, index, y, &lines, 2);
  case 4:
    return taken_as(x, index, y, &lines, 4);
  default:
    return taken_as(x, index, y, &lines, 8);
  }
}

/* x, index, y; the batches */
bool op_gather_nd(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *y = operands[2];
  struct tuples tuples;
  if (y->code != x->code || !tuples_of(&tuples, x, index, attributes[0]) ||
      y->elements != tuples.count * tuples.block)
    return false;
  int64_t bytes = bytes_of(x->code), block = tuples.block * bytes, row;
  char *to = data_of(y);
  for (int64_t i = 0; i < tuples.count; i++, to += block) {
    if (!row_of(&tuples, x, index, i, &row))
      return false;
    if (tuples.block == 1)
      move_element(to, data_of(x) + row * bytes, bytes);
    else
      __builtin_memcpy(to, data_of(x) + row * block, block);
  }
  return true;
}

/* Elements and rows set, or joined with others, by positions: `scatter` and `scatter_nd`. */
#pragma once
#include "gathers.h"

enum { SET, ADD, MUL, MIN, MAX };  // how updates are joined, in the order of Python's table

#define JOINED(type)                                                                                                  \
  {                                                                                                                   \
    type *to = (type *)made + at;                                                                                     \
    const type *from = (const type *)given;                                                                           \
    for (int64_t i = 0; i < count; i++) {                                                                             \
      type new = from[i], old = to[i];                                                                                \
      to[i] = mode == ADD   ? old + new                                                                               \
              : mode == MUL ? old * new                                                                               \
              : mode == MAX ? (new > old || new != new ? new : old)                                                   \
                            : (new < old || new != new ? new : old);                                                  \
    }                                                                                                                 \
    return;                                                                                                           \
  }

/* What updates go into: y, which is x before, or where floats are added up or multiplied, its elements in double. */
struct joined {
  char *made;
  double *wide;
  int64_t code, bytes, mode;
};

/* Whether y can be x with updates, which it then holds but for these. To join floats of 16 and 8 bits is Python's to
   do. */
static bool begin_join(struct joined *joined, const struct tensor *x, const struct tensor *updates,
                       const struct tensor *y, int64_t mode) {
  if (y->code != x->code || updates->code != x->code || y->elements != x->elements || mode < SET || mode > MAX ||
      (mode != SET && (x->code == CODE_BOOL || x->code == CODE_FLOAT16 || x->code == CODE_BFLOAT16 ||
                       x->code == CODE_FLOAT8_E4M3FN || x->code == CODE_FLOAT8_E5M2)))
    return false;
  *joined = (struct joined){data_of(y), 0, x->code, bytes_of(x->code), mode};
  if (x->code == CODE_FLOAT32 && (mode == ADD || mode == MUL)) {
    if (!(joined->wide = malloc(8 * (x->elements + 1))))
      return false;
    for (int64_t i = 0; i < x->elements; i++)
      joined->wide[i] = ((const float *)x->address)[i];
  } else if (y->address != x->address)
    __builtin_memmove(data_of(y), data_of(x), x->elements * joined->bytes);
  return true;
}

/* Joins elements with those from a place on. */
static void join(const struct joined *joined, int64_t at, const char *given, int64_t count) {
  char *made = joined->made;
  int64_t mode = joined->mode;
  if (mode == SET) {
    if (count == 1)
      move_element(made + at * joined->bytes, given, joined->bytes);
    else
      __builtin_memcpy(made + at * joined->bytes, given, count * joined->bytes);
    return;
  }
  if (joined->wide) {
    double *to = joined->wide + at;
    for (int64_t i = 0; i < count; i++) {
      double new = ((const float *)given)[i];
      to[i] = mode == ADD ? to[i] + new : to[i] * new;
    }
    return;
  }
  switch (joined->code) {
  case CODE_FLOAT32:
    JOINED(float)
  case CODE_FLOAT64:
    JOINED(double)
  case CODE_INT8:
    JOINED(int8_t)
  case CODE_INT16:
    JOINED(int16_t)
  case CODE_INT32:
    JOINED(int32_t)
  case CODE_INT64:
    JOINED(int64_t)
  case CODE_UINT8:
    JOINED(uint8_t)
  case CODE_UINT16:
    JOINED(uint16_t)
  case CODE_UINT32:
    JOINED(uint32_t)
  case CODE_UINT64:
    JOINED(uint64_t)
  }
}

/* Ends it, done or not; whether it was done. */
static bool end_join(struct joined *joined, const struct tensor *y, bool done) {
  if (joined->wide && done)
    for (int64_t i = 0; i < y->elements; i++)
      ((float *)joined->made)[i] = (float)joined->wide[i];
  free(joined->wide);
  return done;
}

INLINE bool put_in_place(char *made, const struct tensor *index, const char *from, struct lines *lines, int64_t bytes,
                         bool is_wide) {
  EACH_POSITION(lines, index, is_wide, lines->is_last, {
    move_element(made + at * bytes, from, bytes);
    from += bytes;
  })
  return true;
}

INLINE bool put_as(char *made, const struct tensor *index, const char *from, struct lines *lines, int64_t bytes) {
  return index->code == CODE_INT64 ? put_in_place(made, index, from, lines, bytes, true)
                                   : put_in_place(made, index, from, lines, bytes, false);
}

INLINE bool added_up(double *made, const struct tensor *index, const float *from, struct lines *lines, bool is_wide) {
  EACH_POSITION(lines, index, is_wide, lines->is_last, { made[at] += *from++; })
  return true;
}

/* Joins all elements with those that their positions say; whether all are there. */
static bool join_lines(const struct joined *joined, const struct tensor *index, const char *from, struct lines *lines) {
  bool is_wide = index->code == CODE_INT64;
  if (joined->mode == SET)
    switch (joined->bytes) {
    case 4:
      return put_as(joined->made, index, from, lines, 4);
    case 8:
      return put_as(joined->made, index, from, lines, 8);
    default:
      return put_as(joined->made, index, from, lines, joined->bytes);
    }
  if (joined->wide && joined->mode == ADD)
    return is_wide ? added_up(joined->wide, index, (const float *)from, lines, true)
                   : added_up(joined->wide, index, (const float *)from, lines, false);
  EACH_POSITION(lines, index, is_wide, lines->is_last, {
    join(joined, at, from, 1);
    from += joined->bytes;
  })
  return true;
}

/* x, index, updates, y; the axis, the mode */
bool op_scatter(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *updates = operands[2], *y = operands[3];
  struct lines lines;
  struct joined joined;
  if (!lines_of(&lines, x, index, attributes[0]) || updates->elements != index->elements ||
      !begin_join(&joined, x, updates, y, attributes[1]))
    return false;
  return end_join(&joined, y, join_lines(&joined, index, data_of(updates), &lines));
}

/* x, index, updates, y; the mode */
bool op_scatter_nd(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *updates = operands[2], *y = operands[3];
  struct tuples tuples;
  struct joined joined;
  if (!tuples_of(&tuples, x, index, 0) || updates->elements != tuples.count * tuples.block ||
      !begin_join(&joined, x, updates, y, attributes[0]))
    return false;
  const char *from = data_of(updates);
  bool done = true;
  for (int64_t i = 0, row; i < tuples.count && (done = row_of(&tuples, x, index, i, &row)); i++) {
    join(&joined, row * tuples.block, from, tuples.block);
    from += tuples.block * joined.bytes;
  }
  return end_join(&joined, y, done);
}

/* The sorted keys by which kernels join rows: `scatter_keys` and `scatter_nd_keys`. A key is the row, then which update it
   is. */
#pragma once
#include "gathers.h"
#include "unique.h"

enum { KEY_BITS = 32 };  // below those of the row

/* A tensor of which no more is known than its sizes; whether they may be those of one, whose elements keys can count. */
static bool sizes_known(struct tensor *x, const struct tensor *sizes) {
  if (sizes->code != CODE_INT64 || sizes->rank != 1 || sizes->elements > MAX_RANK)
    return false;
  *x = (struct tensor){.elements = 1, .code = CODE_BOOL, .rank = sizes->elements};
  for (int64_t d = 0; d < x->rank; d++) {
    x->dims[d] = ((const int64_t *)sizes->address)[d];
    if (x->dims[d] < 0 || x->dims[d] >> (KEY_BITS - 1))
      return false;
    x->elements *= x->dims[d];
    if (x->elements >> (KEY_BITS - 1))
      return false;
  }
  return true;
}

/* Room for the rows of updates, and as much for sorting them. */
static struct entry *entries_for(const struct tensor *keys, int64_t count) {
  if (keys->code != CODE_INT64 || keys->elements != count || count >> KEY_BITS)
    return 0;
  return malloc(2 * (int64_t)sizeof(struct entry) * count + 1);
}

/* Writes the keys where all rows are there. */
static bool written(const struct tensor *keys, struct entry *entries, bool done) {
  if (done) {
    const struct entry *in_order = sorted(entries, entries + keys->elements, keys->elements);
    for (int64_t i = 0; i < keys->elements; i++)
      ((int64_t *)keys->address)[i] = (in_order[i].key << KEY_BITS) + in_order[i].at;
  }
  free(entries);
  return done;
}

static bool rows_of_lines(struct entry *entries, const struct tensor *index, struct lines *lines, bool is_wide) {
  int64_t count = 0;
  EACH_POSITION(lines, index, is_wide, lines->is_last, {
    entries[count].key = at;
    entries[count].at = count;
    count++;
  })
  return true;
}

/* index, the sizes of x, keys; the axis */
bool op_scatter_keys(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *index = operands[0], *keys = operands[2];
  struct tensor x;
  struct lines lines;
  if (!sizes_known(&x, operands[1]) || !lines_of(&lines, &x, index, attributes[0]))
    return false;
  struct entry *entries = entries_for(keys, index->elements);
  return entries && written(keys, entries, rows_of_lines(entries, index, &lines, index->code == CODE_INT64));
}

/* index, the sizes of x, keys */
bool op_scatter_nd_keys(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *index = operands[0], *keys = operands[2];
  struct tensor x;
  struct tuples tuples;
  if (!sizes_known(&x, operands[1]) || !tuples_of(&tuples, &x, index, 0))
    return false;
  struct entry *entries = entries_for(keys, tuples.count);
  if (!entries)
    return false;
  bool done = true;
  for (int64_t i = 0, row; i < tuples.count && (done = row_of(&tuples, &x, index, i, &row)); i++)
    entries[i] = (struct entry){row, i};
  return written(keys, entries, done);
}

/* The different elements: `unique`. Elements are sorted by their keys. */
#pragma once
#include "order.h"

/* The entries of a tensor's elements in their order, in memory that begins where `memory` says then; null where there is
   none. */
static const struct entry *entries_of(const struct tensor *x, struct entry **memory) {
  int64_t count = x->elements, bytes = bytes_of(x->code);
  struct entry *entries = *memory = malloc(2 * (int64_t)sizeof(struct entry) * count + 1);
  if (!entries)
    return 0;
  const char *element = data_of(x);
  for (int64_t i = 0; i < count; i++, element += bytes) {
    int64_t key = key_of(element, x->code);
    entries[i] = (struct entry){x->code == CODE_BOOL ? key != 0 : key, i};
  }
  return sorted(entries, entries + count, count);
}

static bool is_first(const struct entry *entries, int64_t i) { return !i || entries[i].key != entries[i - 1].key; }

/* x of one dimension, the shapes of what `op_unique` makes */
bool sizes_unique(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0];
  bool fits = x->rank == 1;
  for (int64_t o = 1; o < 4; o++)
    fits = fits && operands[o]->code == CODE_INT64 && operands[o]->elements == 1;
  struct entry *memory;
  const struct entry *entries = fits ? entries_of(x, &memory) : 0;
  if (!entries)
    return false;
  int64_t found = 0;
  for (int64_t i = 0; i < x->elements; i++)
    found += is_first(entries, i);
  free(memory);
  for (int64_t o = 1; o < 4; o++)
    *(int64_t *)operands[o]->address = o == 2 ? x->elements : found;
  return true;
}

/* x of one dimension, its values, which of them each element is, how often each is there */
bool op_unique(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *values = operands[1], *inverse = operands[2], *counts = operands[3];
  if (x->rank != 1 || values->code != x->code || inverse->code != CODE_INT64 || counts->code != CODE_INT64 ||
      inverse->elements != x->elements || counts->elements != values->elements)
    return false;
  struct entry *memory;
  const struct entry *entries = entries_of(x, &memory);
  if (!entries)
    return false;
  int64_t bytes = bytes_of(x->code), found = -1, *which = (int64_t *)inverse->address;
  int64_t *often = (int64_t *)counts->address;
  for (int64_t i = 0; i < x->elements; i++) {
    if (is_first(entries, i)) {
      if (++found == values->elements)
        break;
      move_element(data_of(values) + found * bytes, data_of(x) + entries[i].at * bytes, bytes);
      often[found] = 0;
    }
    often[found]++;
    which[entries[i].at] = found;
  }
  free(memory);
  return found + 1 == values->elements;
}

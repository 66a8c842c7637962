/* Elements in their order: `top_k`, and `top_k_by`, which is told by data how many. */
#pragma once
#include "operands.h"

/* A number that stands to others as an element does: NaN is the largest, and the zeros are one. */
static inline int64_t key_of(const char *element, int64_t code) {
  switch (code) {
  case CODE_FLOAT32: {
    int32_t bits;
    __builtin_memcpy(&bits, element, 4);
    int32_t size = bits & INT32_MAX;
    return size > 0x7f800000 ? INT32_MAX : bits < 0 ? -size : size;
  }
  case CODE_FLOAT16:
  case CODE_BFLOAT16: {
    int16_t bits;
    __builtin_memcpy(&bits, element, 2);
    int32_t size = bits & INT16_MAX, infinity = code == CODE_FLOAT16 ? 0x7c00 : 0x7f80;
    return size > infinity ? INT16_MAX : bits < 0 ? -size : size;
  }
  case CODE_FLOAT8_E4M3FN:
  case CODE_FLOAT8_E5M2: {
    int8_t bits = *(const int8_t *)element;
    int32_t size = bits & INT8_MAX, most = code == CODE_FLOAT8_E4M3FN ? 0x7e : 0x7c;  // a number of e4m3, e5m2's infinity
    return size > most ? INT8_MAX : bits < 0 ? -size : size;
  }
  case CODE_FLOAT64: {
    int64_t bits;
    __builtin_memcpy(&bits, element, 8);
    int64_t size = bits & INT64_MAX;
    return size > 0x7ff0000000000000 ? INT64_MAX : bits < 0 ? -size : size;
  }
  case CODE_INT64:
    return *(const int64_t *)element;
  case CODE_UINT64:
    return *(const int64_t *)element ^ INT64_MIN;
  case CODE_INT32:
    return *(const int32_t *)element;
  case CODE_UINT32:
    return *(const uint32_t *)element;
  case CODE_INT16:
    return *(const int16_t *)element;
  case CODE_UINT16:
    return *(const uint16_t *)element;
  case CODE_INT8:
    return *(const int8_t *)element;
  default:
    return *(const uint8_t *)element;
  }
}

struct entry {  // an element: its key, where it stands
  int64_t key, at;
};

/* Whether an element comes before another: of equal ones the first. */
static inline bool before(struct entry a, struct entry b) { return a.key > b.key || (a.key == b.key && a.at < b.at); }

enum { FEW = 32, BYTE_VALUES = 256 };  // the first: entries that are sorted by inserting them

static void insert(struct entry *entries, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    struct entry entry = entries[i];
    int64_t to = i;
    for (; to > 0 && entries[to - 1].key > entry.key; to--)
      entries[to] = entries[to - 1];
    entries[to] = entry;
  }
}

/* Entries in the order of their keys, equal ones as they stood: these, or the spare ones. More than a few are sorted by
   how far they are from the least, a byte after the other from the last on, as many as the farthest takes. */
static struct entry *sorted(struct entry *entries, struct entry *spare, int64_t count) {
  if (count <= FEW) {
    insert(entries, count);
    return entries;
  }
  int64_t least = entries[0].key, most = least;
  for (int64_t i = 1; i < count; i++) {
    least = entries[i].key < least ? entries[i].key : least;
    most = entries[i].key > most ? entries[i].key : most;
  }
  uint64_t begin = (uint64_t)least, farthest = (uint64_t)most - begin;
  for (int64_t shift = 0; shift < 64 && farthest >> shift; shift += 8) {
    int64_t places[BYTE_VALUES] = {0}, before = 0;
    for (int64_t i = 0; i < count; i++)
      places[((uint64_t)entries[i].key - begin) >> shift & 255]++;
    for (int64_t value = 0; value < BYTE_VALUES; value++) {
      int64_t those = places[value];
      places[value] = before;
      before += those;
    }
    for (int64_t i = 0; i < count; i++)
      spare[places[((uint64_t)entries[i].key - begin) >> shift & 255]++] = entries[i];
    struct entry *made = spare;
    spare = entries;
    entries = made;
  }
  return entries;
}

/* Puts an entry on a heap from a place down; whoever comes last of all stands on top. */
static void sift(struct entry *heap, int64_t count, int64_t place, struct entry entry) {
  for (int64_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count && before(heap[child], heap[child + 1]))
      child++;
    if (!before(entry, heap[child]))
      break;
    heap[place] = heap[child];
  }
  heap[place] = entry;
}

/* Puts the entries of a heap in their order. */
static void unheap(struct entry *heap, int64_t count) {
  for (int64_t left = count - 1; left > 0; left--) {
    struct entry top = heap[0];
    sift(heap, left, 0, heap[left]);
    heap[left] = top;
  }
}

enum { ALL_BEYOND = 8 };  // all of a line are sorted where more than this part of it is asked for

/* A line of elements that are so many bytes apart; keys are turned where the smallest come first. */
struct line {
  const char *first;
  int64_t step, count, code, turned;
};

static inline int64_t line_key(const struct line *line, int64_t i) {
  return key_of(line->first + i * line->step, line->code) ^ line->turned;
}

enum { SIDE_BY_SIDE = 16, BLOCK = 4 * SIDE_BY_SIDE };
typedef float many __attribute__((vector_size(4 * SIDE_BY_SIDE), aligned(4)));
typedef int32_t lanes __attribute__((vector_size(4 * SIDE_BY_SIDE)));

/* The bits that are set in any lane. */
static inline uint32_t bits_of_any(lanes of) {
  uint64_t words[sizeof(of) / 8], any = 0;
  __builtin_memcpy(words, &of, sizeof(of));
  for (int64_t w = 0; w < (int64_t)(sizeof(of) / 8); w++)
    any |= words[w];
  return (uint32_t)(any | any >> 32);
}

static inline lanes come_before(const float *x, float number, bool smallest) {
  many found = *(const many *)x;
  return smallest ? found < number : ~(found <= number);  // NaN is the largest
}

/* A bit for each of so many elements, twice as many as a vector has, that may come before a number, which is no NaN. */
static inline uint64_t bits_before(const float *x, float number, bool smallest) {
  const lanes bits = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  lanes low = come_before(x, number, smallest) & bits;
  return bits_of_any(low | (come_before(x + SIDE_BY_SIDE, number, smallest) & (bits << SIDE_BY_SIDE)));
}

/* The same of a block of elements; before NaN all may. */
static inline uint64_t candidates(const float *x, float number, bool smallest) {
  if (number != number)
    return ~UINT64_C(0);
  return bits_before(x, number, smallest) | bits_before(x + BLOCK / 2, number, smallest) << BLOCK / 2;
}

static inline void offer(struct entry *heap, int64_t k, const struct line *line, int64_t i) {
  int64_t key = line_key(line, i);
  if (key > heap[0].key)
    sift(heap, k, 0, (struct entry){key, i});
}

/* Offers a heap the elements from one on, in blocks of floats that lie side by side; from where on the others are. */
static int64_t offer_blocks(struct entry *heap, int64_t k, const struct line *line, int64_t i) {
  if (line->code != CODE_FLOAT32 || line->step != 4)
    return i;
  const float *x = (const float *)line->first;
  for (; i + BLOCK <= line->count; i += BLOCK)
    for (uint64_t left = candidates(x + i, x[heap[0].at], line->turned); left; left &= left - 1)
      offer(heap, k, line, i + __builtin_ctzll(left));
  return i;
}

/* Whether a whole line is sorted, of which the first k are asked for. */
static inline bool sorts_all(int64_t count, int64_t k) { return count <= FEW || k > count / ALL_BEYOND; }

/* The first k of a line in their order, in memory for so many entries, or twice the line's where all are sorted. */
static const struct entry *first_of(struct entry *memory, int64_t k, const struct line *line) {
  if (sorts_all(line->count, k)) {
    for (int64_t i = 0; i < line->count; i++)
      memory[i] = (struct entry){~line_key(line, i), i};
    return sorted(memory, memory + line->count, line->count);
  }
  for (int64_t i = 0; i < k; i++)
    memory[i] = (struct entry){line_key(line, i), i};
  for (int64_t i = k / 2 - 1; i >= 0; i--)
    sift(memory, k, i, memory[i]);
  for (int64_t i = offer_blocks(memory, k, line, k); i < line->count; i++)
    offer(memory, k, line, i);
  unheap(memory, k);
  return memory;
}

/* As many elements of x as there are values, and where they stand. */
static bool top(const struct tensor *x, const struct tensor *values, const struct tensor *index, int64_t axis,
                bool largest) {
  axis += axis < 0 ? x->rank : 0;
  if (axis < 0 || axis >= x->rank || values->code != x->code || index->code != CODE_INT64 ||
      values->rank != x->rank || values->elements != index->elements)
    return false;
  int64_t n = x->dims[axis], k = values->dims[axis];
  int64_t outer = product(x->dims, 0, axis), inner = product(x->dims, axis + 1, x->rank);
  if (k > n || values->elements != outer * k * inner)
    return false;
  if (!values->elements)
    return true;
  struct entry *memory = malloc((int64_t)sizeof(struct entry) * (sorts_all(n, k) ? 2 * n : k));
  if (!memory)
    return false;
  int64_t bytes = bytes_of(x->code);
  struct line line = {0, inner * bytes, n, x->code, largest ? 0 : -1};
  for (int64_t row = 0; row < outer * inner; row++) {
    int64_t begin = row / inner * n * inner + row % inner, into = row / inner * k * inner + row % inner;
    line.first = data_of(x) + begin * bytes;
    const struct entry *found = first_of(memory, k, &line);
    for (int64_t i = 0; i < k; i++) {
      int64_t to = into + i * inner;
      move_element(data_of(values) + to * bytes, data_of(x) + (begin + found[i].at * inner) * bytes, bytes);
      ((int64_t *)index->address)[to] = found[i].at;
    }
  }
  free(memory);
  return true;
}

/* x, values, where they stand; the axis, whether the largest */
bool op_top_k(const struct tensor *const *operands, const int64_t *attributes) {
  return top(operands[0], operands[1], operands[2], attributes[0], attributes[1]);
}

/* x, how many, the shapes of what `op_top_k_by` makes; the axis, whether more than there are is refused */
bool sizes_top_k_by(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *count = operands[1];
  int64_t axis = attributes[0] + (attributes[0] < 0 ? x->rank : 0);
  if (axis < 0 || axis >= x->rank || count->code != CODE_INT64 || count->elements != 1)
    return false;
  int64_t k = *(const int64_t *)count->address, n = x->dims[axis];
  if (k < 0 || (attributes[1] && k > n))
    return false;
  for (int64_t o = 2; o < 4; o++) {
    if (operands[o]->code != CODE_INT64 || operands[o]->elements != x->rank)
      return false;
    for (int64_t d = 0; d < x->rank; d++)
      ((int64_t *)operands[o]->address)[d] = d == axis && k < n ? k : x->dims[d];
  }
  return true;
}

/* x, how many, values, where they stand; the axis, whether the largest */
bool op_top_k_by(const struct tensor *const *operands, const int64_t *attributes) {
  return top(operands[0], operands[2], operands[3], attributes[0], attributes[1]);
}

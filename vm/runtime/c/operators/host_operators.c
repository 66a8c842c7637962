/* Operators of the host in C: what functions of the host's table do in numpy, for a driver that asks Python for less.

   Each is given its operands, results last, and its attributes as words, and says whether it has done it. It has not
   where operands are none that it knows or a position is not there; results may then hold anything, and Python, which
   is asked next, does it or says why. Nothing here trusts shapes: it looks at all that it relies on. */
#include "../dtypes.h"

void *malloc(uint64_t bytes);
void free(void *memory);

enum { SET, ADD, MUL, MIN, MAX };  // how updates are joined, in the order of Python's table

/* The product of some sizes. */
static int64_t product(const int64_t *sizes, int64_t begin, int64_t end) {
  int64_t found = 1;
  for (int64_t d = begin; d < end; d++)
    found *= sizes[d];
  return found;
}

static char *data_of(const struct tensor *tensor) { return (char *)tensor->address; }

static inline void move_element(char *to, const char *from, int64_t bytes) {
  switch (bytes) {
  case 1:
    *to = *from;
    break;
  case 2:
    __builtin_memcpy(to, from, 2);
    break;
  case 4:
    __builtin_memcpy(to, from, 4);
    break;
  default:
    __builtin_memcpy(to, from, 8);
  }
}

// -- positions --------------------------------------------------------------------------------------------------------

static bool has_positions(const struct tensor *index) {
  return index->code == CODE_INT64 || index->code == CODE_INT32;
}

/* A position counted from the front; whether it is there. */
static inline bool position(const struct tensor *index, int64_t i, int64_t size, int64_t *at) {
  int64_t given = index->code == CODE_INT64 ? ((const int64_t *)index->address)[i] : ((const int32_t *)index->address)[i];
  *at = given < 0 ? given + size : given;
  return (uint64_t)*at < (uint64_t)size;
}

/* The lines of an index along its last dimension, and where each begins in x, of the same rank, but for the position
   along the axis. */
struct lines {
  int64_t rank, count, length, base, size, stride;  // the last two of x along the axis
  bool is_last;                                     // the axis
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

/* Where the element of x lies that an element of a line says; whether it is there. */
static inline bool place(const struct lines *lines, const struct tensor *index, int64_t line, int64_t i, int64_t *at) {
  bool found = position(index, line * lines->length + i, lines->size, at);
  *at = lines->base + (lines->is_last ? *at : *at * lines->stride + i);
  return found;
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

#define INLINE static inline __attribute__((always_inline))

INLINE bool taken(const struct tensor *x, const struct tensor *index, const struct tensor *y, struct lines *lines,
                  int64_t bytes) {
  char *to = data_of(y);
  for (int64_t line = 0, at; line < lines->count; line++, next_line(lines))
    for (int64_t i = 0; i < lines->length; i++, to += bytes) {
      if (!place(lines, index, line, i, &at))
        return false;
      move_element(to, data_of(x) + at * bytes, bytes);
    }
  return true;
}

/* x, index, y; the axis */
bool op_take_along(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *y = operands[2];
  struct lines lines;
  if (y->code != x->code || y->elements != index->elements || !lines_of(&lines, x, index, attributes[0]))
    return false;
  int64_t bytes = bytes_of(x->code);
  return bytes == 4 ? taken(x, index, y, &lines, 4) : taken(x, index, y, &lines, bytes);
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

// -- updates ----------------------------------------------------------------------------------------------------------

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

/* Whether y can be x with updates, which it then holds but for these. What joins 16-bit floats is Python's to do. */
static bool begin_join(struct joined *joined, const struct tensor *x, const struct tensor *updates,
                       const struct tensor *y, int64_t mode) {
  if (y->code != x->code || updates->code != x->code || y->elements != x->elements || mode < SET || mode > MAX ||
      (mode != SET && (x->code == CODE_BOOL || x->code == CODE_FLOAT16)))
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

/* x, index, updates, y; the axis, the mode */
bool op_scatter(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *index = operands[1], *updates = operands[2], *y = operands[3];
  struct lines lines;
  struct joined joined;
  if (!lines_of(&lines, x, index, attributes[0]) || updates->elements != index->elements ||
      !begin_join(&joined, x, updates, y, attributes[1]))
    return false;
  const char *from = data_of(updates);
  bool done = true;
  for (int64_t line = 0, at; done && line < lines.count; line++, next_line(&lines))
    for (int64_t i = 0; i < lines.length && (done = place(&lines, index, line, i, &at)); i++, from += joined.bytes)
      join(&joined, at, from, 1);
  return end_join(&joined, y, done);
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

// -- the largest ------------------------------------------------------------------------------------------------------

/* A number that stands to others as an element does: NaN is the largest, and the zeros are one. */
static inline int64_t key_of(const char *element, int64_t code) {
  switch (code) {
  case CODE_FLOAT32: {
    int32_t bits;
    __builtin_memcpy(&bits, element, 4);
    int32_t size = bits & INT32_MAX;
    return size > 0x7f800000 ? INT32_MAX : bits < 0 ? -size : size;
  }
  case CODE_FLOAT16: {
    int16_t bits;
    __builtin_memcpy(&bits, element, 2);
    int32_t size = bits & INT16_MAX;
    return size > 0x7c00 ? INT16_MAX : bits < 0 ? -size : size;
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

/* A line of elements that are so many bytes apart; keys are turned where the smallest come first. */
struct line {
  const char *first;
  int64_t step, count, code, turned;
};

static inline int64_t line_key(const struct line *line, int64_t i) {
  return key_of(line->first + i * line->step, line->code) ^ line->turned;
}

enum { SIDE_BY_SIDE = 16 };
typedef int32_t many __attribute__((vector_size(4 * SIDE_BY_SIDE), aligned(4)));

/* How many elements from one on come after a key for certain: of floats that lie side by side many are looked at. */
static inline int64_t skipped(const struct line *line, int64_t i, int64_t last) {
  if (line->code != CODE_FLOAT32 || line->step != 4)
    return 0;
  int64_t begin = i;
  for (; i + SIDE_BY_SIDE <= line->count; i += SIDE_BY_SIDE) {
    many bits = *(const many *)(line->first + 4 * i), size = bits & INT32_MAX;
    many sign = bits >> 31, nan = size > 0x7f800000;
    many key = (((size ^ sign) - sign) & ~nan) | (nan & INT32_MAX);
    many comes_first = (key ^ (int32_t)line->turned) > (int32_t)last;
    uint64_t words[sizeof(many) / 8], any = 0;
    __builtin_memcpy(words, &comes_first, sizeof(many));
    for (int64_t w = 0; w < (int64_t)sizeof(many) / 8; w++)
      any |= words[w];
    if (any)
      break;
  }
  return i - begin;
}

/* The first k of a line in their order. */
static void first_of(struct entry *heap, int64_t k, const struct line *line) {
  for (int64_t i = 0; i < k; i++)
    heap[i] = (struct entry){line_key(line, i), i};
  for (int64_t i = k / 2 - 1; i >= 0; i--)
    sift(heap, k, i, heap[i]);
  for (int64_t i = k, looked = k; i < line->count; i++) {
    if (i == looked) {
      i += skipped(line, i, heap[0].key);
      looked = i + SIDE_BY_SIDE;
      if (i == line->count)
        break;
    }
    int64_t key = line_key(line, i);
    if (key > heap[0].key)
      sift(heap, k, 0, (struct entry){key, i});
  }
  for (int64_t left = k - 1; left > 0; left--) {
    struct entry top = heap[0];
    sift(heap, left, 0, heap[left]);
    heap[left] = top;
  }
}

/* x, values, where they stand; the axis, whether the largest */
bool op_top_k(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *values = operands[1], *index = operands[2];
  int64_t axis = attributes[0] + (attributes[0] < 0 ? x->rank : 0);
  if (axis < 0 || axis >= x->rank || values->code != x->code || index->code != CODE_INT64 ||
      values->rank != x->rank || values->elements != index->elements)
    return false;
  int64_t n = x->dims[axis], k = values->dims[axis];
  int64_t outer = product(x->dims, 0, axis), inner = product(x->dims, axis + 1, x->rank);
  if (k > n || values->elements != outer * k * inner)
    return false;
  if (!values->elements)
    return true;
  struct entry *heap = malloc((int64_t)sizeof(struct entry) * k);
  if (!heap)
    return false;
  int64_t bytes = bytes_of(x->code);
  struct line line = {0, inner * bytes, n, x->code, attributes[1] ? 0 : -1};
  for (int64_t row = 0; row < outer * inner; row++) {
    int64_t begin = row / inner * n * inner + row % inner, into = row / inner * k * inner + row % inner;
    line.first = data_of(x) + begin * bytes;
    first_of(heap, k, &line);
    for (int64_t i = 0; i < k; i++) {
      int64_t to = into + i * inner;
      move_element(data_of(values) + to * bytes, data_of(x) + (begin + heap[i].at * inner) * bytes, bytes);
      ((int64_t *)index->address)[to] = heap[i].at;
    }
  }
  free(heap);
  return true;
}

// -- what is not 0 ----------------------------------------------------------------------------------------------------

/* Whether an element is not 0, nor that with a sign. */
static inline bool differs(const struct tensor *x, int64_t i) {
  switch (x->code) {
  case CODE_FLOAT32:
    return ((const uint32_t *)x->address)[i] << 1;
  case CODE_FLOAT64:
    return ((const uint64_t *)x->address)[i] << 1;
  case CODE_FLOAT16:
    return (uint16_t)(((const uint16_t *)x->address)[i] << 1);
  default:
    break;
  }
  switch (bytes_of(x->code)) {
  case 1:
    return ((const uint8_t *)x->address)[i];
  case 2:
    return ((const uint16_t *)x->address)[i];
  case 4:
    return ((const uint32_t *)x->address)[i];
  default:
    return ((const uint64_t *)x->address)[i];
  }
}

/* x, the shape of what `op_nonzero` makes of it */
bool sizes_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *shape = operands[1];
  if (shape->code != CODE_INT64 || shape->elements != 2)
    return false;
  int64_t count = 0;
  for (int64_t i = 0; i < x->elements; i++)
    count += differs(x, i);
  ((int64_t *)shape->address)[0] = x->rank;
  ((int64_t *)shape->address)[1] = count;
  return true;
}

/* x, the positions of its elements that are not 0, dimension by dimension */
bool op_nonzero(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *y = operands[1];
  if (y->code != CODE_INT64 || y->rank != 2 || x->rank < 1 || y->dims[0] != x->rank)
    return false;
  int64_t count = y->dims[1], found = 0, at[MAX_RANK] = {0}, *made = (int64_t *)y->address;
  for (int64_t i = 0; i < x->elements; i++) {
    if (differs(x, i)) {
      if (found == count)
        return false;
      for (int64_t d = 0; d < x->rank; d++)
        made[d * count + found] = at[d];
      found++;
    }
    for (int64_t d = x->rank - 1; d >= 0 && ++at[d] == x->dims[d]; d--)
      at[d] = 0;
  }
  return found == count;
}

/* Boxes: those that stay of many that overlap, and means of what lies in them. */
#pragma once
#include "order.h"

static bool is_wide(const struct tensor *x) { return x->code == CODE_FLOAT32 || x->code == CODE_FLOAT64; }

static inline double number_at(const struct tensor *x, int64_t i) {
  return x->code == CODE_FLOAT32 ? (double)((const float *)x->address)[i] : ((const double *)x->address)[i];
}

/* An attribute that is no whole number, whose word holds its bits. */
static double number_of(int64_t word) {
  double number;
  __builtin_memcpy(&number, &word, 8);
  return number;
}

static bool is_finite(double number) { return number - number == 0; }

// -- which boxes stay -------------------------------------------------------------------------------------------------

struct box {
  double low[2], high[2], area;
};

/* Whether numbers from one on are all finite. */
static bool are_finite(const struct tensor *x, int64_t begin, int64_t count) {
  int64_t i = begin, end = begin + count;
  if (x->code == CODE_FLOAT32) {
    lanes not = {0};
    for (; i + SIDE_BY_SIDE <= end; i += SIDE_BY_SIDE) {
      many found = *(const many *)((const float *)x->address + i);
      not |= found - found != 0;
    }
    if (bits_of_any(not))
      return false;
  }
  while (i < end && is_finite(number_at(x, i)))
    i++;
  return i == end;
}

/* One of some boxes, by two corners, or by its middle and sides. */
static inline void read_box(struct box *box, const struct tensor *boxes, int64_t i, bool by_middle) {
  for (int64_t d = 0; d < 2; d++) {
    double first = number_at(boxes, 4 * i + d), second = number_at(boxes, 4 * i + 2 + d);
    if (by_middle) {
      double half = second / 2, middle = first;
      first = middle - half;
      second = middle + half;
    }
    box->low[d] = first < second ? first : second;
    box->high[d] = first < second ? second : first;
  }
  box->area = (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]);
}

static inline bool overlaps(const struct box *kept, const struct box *other, double limit) {
  double sides[2];
  for (int64_t d = 0; d < 2; d++) {
    double low = kept->low[d] > other->low[d] ? kept->low[d] : other->low[d];
    double high = kept->high[d] < other->high[d] ? kept->high[d] : other->high[d];
    sides[d] = high > low ? high - low : 0;
  }
  double shared = sides[0] * sides[1], both = kept->area + other->area, whole = both - shared;
  return (whole > 0 ? shared / whole : 0) > limit;
}

struct seen {  // the boxes of an image, and what is asked of those that stay
  const struct tensor *boxes;
  int64_t begin, count, most;
  double limit, least;
  bool by_middle;
};

/* The entries of a heap before it is one, of scores above the least; how many they are. */
INLINE int64_t above(struct entry *heap, const char *scores, int64_t count, double least, int64_t code) {
  int64_t found = 0, bytes = bytes_of(code);
  for (int64_t i = 0; i < count; i++, scores += bytes) {
    double score = code == CODE_FLOAT32 ? (double)*(const float *)scores : *(const double *)scores;
    heap[found] = (struct entry){~key_of(scores, code), -i};
    found += score > least;  // no branch, which nobody could foresee
  }
  return found;
}

/* The best box stays and those that overlap it too much are dropped, again and again; of equal ones the first is best.
   Writes down which stay; how many they are. The heap's entries are turned, so that on top stands who comes first. */
static int64_t suppressed(int64_t *kept, struct box *held, struct entry *heap, const struct seen *seen,
                          const struct tensor *scores, int64_t begin) {
  const char *score = data_of(scores) + begin * bytes_of(scores->code);
  int64_t found = 0, left = scores->code == CODE_FLOAT32 ? above(heap, score, seen->count, seen->least, CODE_FLOAT32)
                                                         : above(heap, score, seen->count, seen->least, CODE_FLOAT64);
  for (int64_t i = left / 2 - 1; i >= 0; i--)
    sift(heap, left, i, heap[i]);
  while (left && found < seen->most) {
    int64_t best = -heap[0].at, k = 0;
    read_box(&held[found], seen->boxes, seen->begin + best, seen->by_middle);
    left--;
    sift(heap, left, 0, heap[left]);
    while (k < found && !overlaps(&held[k], &held[found], seen->limit))
      k++;
    if (k == found)
      kept[found++] = best;
  }
  return found;
}

/* Boxes of images and their scores by class: the triples of image, class and box that stay, or of one image and class
   the boxes alone; and the shape of the result. */
static bool suppress(const struct tensor *const *operands, const int64_t *attributes, bool of_classes) {
  const struct tensor *boxes = operands[0], *scores = operands[1], *made = operands[2], *shape = operands[3];
  int64_t rank = of_classes ? 3 : 2, most = attributes[0], width = of_classes ? 3 : 1;
  int64_t count = boxes->dims[rank - 2], images = of_classes ? boxes->dims[0] : 1;
  int64_t classes = of_classes ? scores->dims[1] : 1;
  if (!is_wide(boxes) || !is_wide(scores) || boxes->rank != rank || scores->rank != (of_classes ? 3 : 1) ||
      boxes->elements != images * count * 4 || scores->elements != images * classes * count || most < 0 ||
      made->code != CODE_INT64 || shape->code != CODE_INT64 || shape->elements != (of_classes ? 2 : 1) ||
      made->elements < images * classes * (most < count ? most : count) * width)
    return false;
  struct box *held = malloc((int64_t)(sizeof(struct box) + sizeof(struct entry) + sizeof(int64_t)) * (count + 1));
  if (!held)
    return false;
  struct entry *heap = (struct entry *)(held + count);
  int64_t *kept = (int64_t *)(heap + count);
  int64_t *to = (int64_t *)made->address, *begin = to;
  struct seen seen = {boxes, 0, count, most, number_of(attributes[1]), number_of(attributes[2])};
  seen.by_middle = of_classes && attributes[3];
  for (int64_t image = 0; image < images && count && most; image++) {
    seen.begin = image * count;
    if (!are_finite(boxes, 4 * seen.begin, 4 * count)) {
      free(held);
      return false;
    }
    for (int64_t kind = 0; kind < classes; kind++) {
      int64_t row = image * classes + kind;
      int64_t found = suppressed(kept, held, heap, &seen, scores, row * count);
      for (int64_t i = 0; i < found; i++) {
        if (of_classes) {
          *to++ = image;
          *to++ = kind;
        }
        *to++ = kept[i];
      }
    }
  }
  free(held);
  int64_t *sizes = (int64_t *)shape->address;
  sizes[0] = (to - begin) / width;
  if (of_classes)
    sizes[1] = 3;
  return true;
}

/* boxes, scores, which stay, their shape; how many at most, the overlap, the least score */
bool bounded_non_max_suppression(const struct tensor *const *operands, const int64_t *attributes) {
  return suppress(operands, attributes, false);
}

/* The same by image and class; and whether boxes are given by their middle. */
bool bounded_non_max_suppression_of_classes(const struct tensor *const *operands, const int64_t *attributes) {
  return suppress(operands, attributes, true);
}

// -- what lies in boxes -----------------------------------------------------------------------------------------------

enum { MOST_TAPS = 1 << 20 };  // of one box

struct tap {  // an element of an image, and what it counts
  int64_t at;
  double weight;
};

struct way {  // the points of a box along a dimension, of which a cell has so many
  double start, step;
  int64_t cells, points, size;
};

/* The two elements around a point of a cell; of one that is outside nothing counts. */
static inline void around(const struct way *way, int64_t cell, int64_t point, struct tap *taps) {
  double offset = ((double)point + 0.5) / (double)way->points, moved = (double)cell + offset, far = way->step * moved;
  double at = way->start + far, last = (double)(way->size - 1);
  bool inside = at >= -1 && at <= (double)way->size;
  at = at < 0 ? 0 : at > last ? last : at;
  int64_t low = (int64_t)at;
  double rest = at - (double)low;
  taps[0] = (struct tap){low, inside ? 1 - rest : 0};
  taps[1] = (struct tap){low + 1 < way->size ? low + 1 : way->size - 1, inside ? rest : 0};
}

/* The taps of all cells of a box, each cell's side by side, and point by point. */
static void taps_of(struct tap *taps, const struct way ways[2]) {
  for (int64_t i = 0; i < ways[0].cells; i++)
    for (int64_t j = 0; j < ways[1].cells; j++)
      for (int64_t p = 0; p < ways[0].points; p++)
        for (int64_t q = 0; q < ways[1].points; q++) {
          struct tap rows[2], columns[2];
          around(&ways[0], i, p, rows);
          around(&ways[1], j, q, columns);
          for (int64_t t = 0; t < 4; t++) {
            const struct tap *row = &rows[t / 2], *column = &columns[t % 2];
            *taps++ = (struct tap){row->at * ways[1].size + column->at, row->weight * column->weight};
          }
        }
}

enum { AT_ONCE = 4 };
typedef float few_floats __attribute__((vector_size(4 * AT_ONCE)));
typedef double few __attribute__((vector_size(8 * AT_ONCE)));

/* The means of all cells in channels that are computed at once, since each waits for its own sums. */
static void means_of(float *to, const float *from, int64_t area, const struct tap *tap, int64_t cells, int64_t each) {
  for (int64_t cell = 0; cell < cells; cell++) {
    few made = {0};
    for (int64_t t = 0; t < 4 * each; t++, tap++) {
      const float *at = from + tap->at;
      few_floats found = {at[0], at[area], at[2 * area], at[3 * area]};
      few seen = __builtin_convertvector(found, few) * tap->weight;
      made = made + seen;
    }
    for (int64_t c = 0; c < AT_ONCE; c++)
      to[c * cells + cell] = (float)(made[c] / (double)each);
  }
}

/* x, boxes, the image of each, y; height, width, points of a cell along a dimension, or 0 for as many as the box is
   large, the scale, half a pixel, whether the largest */
bool op_roi_align(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *x = operands[0], *boxes = operands[1], *images = operands[2], *y = operands[3];
  int64_t cells = attributes[0] * attributes[1], channels = x->dims[1], area = x->dims[2] * x->dims[3];
  bool half = attributes[4], largest = attributes[5];
  double scale = number_of(attributes[3]);
  if (x->code != CODE_FLOAT32 || boxes->code != x->code || y->code != x->code || x->rank != 4 || boxes->rank != 2 ||
      boxes->dims[1] != 4 || images->code != CODE_INT64 || images->elements != boxes->dims[0] || !area || cells < 1 ||
      y->elements != boxes->dims[0] * channels * cells)
    return false;
  struct tap *taps = 0;
  int64_t room = 0;
  float *to = (float *)y->address;
  bool done = true;
  for (int64_t r = 0; done && r < boxes->dims[0]; r++) {
    int64_t image = ((const int64_t *)images->address)[r];
    struct way ways[2];
    done = image >= 0 && image < x->dims[0];
    for (int64_t d = 0; d < 2; d++) {
      double corners[2];
      for (int64_t i = 0; i < 2; i++) {
        double scaled = number_at(boxes, 4 * r + 2 * i + 1 - d) * scale;
        corners[i] = scaled - (half ? 0.5 : 0.0);
        done = done && is_finite(corners[i]);
      }
      double side = corners[1] - corners[0];
      if (!half && side < 1)
        side = 1;
      double step = side / (double)attributes[d];
      int64_t points = attributes[2];
      done = done && points < MOST_TAPS && step < MOST_TAPS;
      if (done && !points && step > 0)
        points = (int64_t)step + ((double)(int64_t)step < step);
      ways[d] = (struct way){corners[0], step, attributes[d], points, x->dims[2 + d]};
    }
    int64_t each = ways[0].points * ways[1].points;
    if (!done || each > MOST_TAPS / 4 / cells) {
      done = false;
      break;
    }
    if (!each) { /* a side of no length has no points */
      for (int64_t i = 0; i < channels * cells; i++)
        *to++ = 0;
      continue;
    }
    if (4 * each * cells > room) {
      free(taps);
      room = 4 * each * cells;
      taps = malloc(room * (int64_t)sizeof(struct tap));
      if (!taps) {
        done = false;
        break;
      }
    }
    taps_of(taps, ways);
    const float *from = (const float *)x->address + image * channels * area;
    int64_t c = 0;
    for (; !largest && c + AT_ONCE <= channels; c += AT_ONCE, from += AT_ONCE * area, to += AT_ONCE * cells)
      means_of(to, from, area, taps, cells, each);
    for (; c < channels; c++, from += area) {
      const struct tap *tap = taps;
      for (int64_t cell = 0; cell < cells; cell++) {
        double made = 0;
        for (int64_t t = 0; t < 4 * each; t++, tap++) {
          double seen = (double)from[tap->at] * tap->weight;
          made = !largest ? made + seen : !t || seen > made || seen != seen ? seen : made;
        }
        *to++ = (float)(largest ? made : made / (double)each);
      }
    }
  }
  free(taps);
  return done;
}

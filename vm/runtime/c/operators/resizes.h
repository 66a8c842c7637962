/* Tables by which an axis gets another size, `resize_taps`: of which elements each is a sum, and their weights. */
#pragma once
#include "operands.h"

enum { NEAREST, LINEAR, CUBIC };
enum { HALF_PIXEL, HALF_PIXEL_SYMMETRIC, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, TF_HALF_PIXEL_FOR_NN };
enum { ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, FLOOR, CEIL };
enum { MOST_OF_A_SUM = 7 };  // of more numpy adds up weights in another order
#define MOST_ELEMENTS (INT64_C(1) << 31)

struct resizing {  // how many elements there are and will be, and the attributes
  int64_t n, size, taps, mode, coordinates, nearest;
  double scale, cubic, shrunk;
  bool excludes;
};

static inline double rounded_down(double x) {
  if (!(x > -0x1p62 && x < 0x1p62))
    return x;
  double cut = (double)(int64_t)x;
  return cut > x ? cut - 1 : cut;
}

static inline double rounded_up(double x) { return -rounded_down(-x); }

/* n, by; taps, at, the mode, coordinates, what is nearest, the coefficient, whether what lies outside has no weight,
   whether weights are stretched. Whether that is known and fits. */
static bool resizing_of(struct resizing *made, const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *n = operands[0], *by = operands[1];
  int64_t at = attributes[1];
  if (n->code != CODE_INT64 || n->elements != 1 || at < 0 || at >= by->elements)
    return false;
  *made = (struct resizing){.n = *(const int64_t *)n->address, .mode = attributes[2], .coordinates = attributes[3],
                            .nearest = attributes[4], .excludes = attributes[6]};
  __builtin_memcpy(&made->cubic, &attributes[5], sizeof(double));
  if (made->n < 1 || made->n > MOST_ELEMENTS)
    return false;
  if (by->code == CODE_INT64) {
    made->size = ((const int64_t *)by->address)[at];
    made->scale = (double)made->size / (double)made->n;
  } else if (by->code == CODE_FLOAT32) {
    made->scale = ((const float *)by->address)[at];
    if (!(made->scale > 0 && made->scale < (double)MOST_ELEMENTS))
      return false;
    made->size = (int64_t)rounded_down((double)made->n * made->scale);
  } else
    return false;
  if (made->size < 0 || made->size > MOST_ELEMENTS)
    return false;
  made->shrunk = attributes[7] && made->scale > 0 && made->scale < 1 ? made->scale : 1;
  double reach = (made->mode == LINEAR ? 1 : 2) / made->shrunk;
  if (made->mode == NEAREST)
    made->taps = 1;
  else
    made->taps = reach <= MOST_OF_A_SUM ? 2 * (int64_t)rounded_up(reach) : MOST_OF_A_SUM + 1;
  return made->taps == attributes[0] && made->taps <= MOST_OF_A_SUM;
}

/* Where an element of the result lies. */
static double lies_at(const struct resizing *of, int64_t i) {
#pragma STDC FP_CONTRACT OFF
  double at = (double)i, n = (double)of->n, size = (double)of->size, scale = of->scale;
  switch (of->coordinates) {
  case HALF_PIXEL_SYMMETRIC:
    return n / 2 * (1 - size / (n * scale)) + (at + 0.5) / scale - 0.5;
  case PYTORCH_HALF_PIXEL:
    return of->size > 1 ? (at + 0.5) / scale - 0.5 : 0;
  case ALIGN_CORNERS:
    return of->size > 1 ? at * ((n - 1) / (n * scale - 1)) : 0;
  case ASYMMETRIC:
    return at / scale;
  case TF_HALF_PIXEL_FOR_NN:
    return (at + 0.5) / scale;
  default:
    return (at + 0.5) / scale - 0.5;
  }
}

static int64_t clipped(const struct resizing *of, double place) {
  return place <= 0 ? 0 : place >= (double)(of->n - 1) ? of->n - 1 : (int64_t)place;
}

static double nearest_to(const struct resizing *of, double at) {
  switch (of->nearest) {
  case ROUND_PREFER_FLOOR:
    return rounded_up(at - 0.5);
  case ROUND_PREFER_CEIL:
    return rounded_down(at + 0.5);
  case FLOOR:
    return rounded_down(at);
  default:
    return rounded_up(at);
  }
}

/* The weight of an element that is so far away. */
static double weight_of(const struct resizing *of, double away) {
#pragma STDC FP_CONTRACT OFF
  double t = away < 0 ? -away : away, a = of->cubic;
  if (of->mode == LINEAR)
    return t < 1 ? 1 - t : 0;
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

static void sum_of(const struct resizing *of, double at, int64_t *places, float *weights) {
  double first = rounded_down(at) + (double)(1 - of->taps / 2), found[MOST_OF_A_SUM], sum = 0;
  for (int64_t k = 0; k < of->taps; k++) {
    double place = first + (double)k;
    bool is_outside = place < 0 || place >= (double)of->n;
    found[k] = of->excludes && is_outside ? 0 : weight_of(of, (place - at) * of->shrunk);
    sum += found[k];
    places[k] = clipped(of, place);
  }
  for (int64_t k = 0; k < of->taps; k++)
    weights[k] = (float)(found[k] / sum);
}

/* n, by, the shapes of what `op_resize_taps` makes; the attributes that `resizing_of` reads */
bool sizes_resize_taps(const struct tensor *const *operands, const int64_t *attributes) {
  struct resizing of;
  if (!resizing_of(&of, operands, attributes))
    return false;
  for (int64_t o = 2; o < 4; o++) {
    if (operands[o]->code != CODE_INT64 || operands[o]->elements != 2)
      return false;
    int64_t *shape = (int64_t *)operands[o]->address;
    shape[0] = of.size;
    shape[1] = of.taps;
  }
  return true;
}

/* n, by, places, weights; the same attributes */
bool op_resize_taps(const struct tensor *const *operands, const int64_t *attributes) {
  const struct tensor *places = operands[2], *weights = operands[3];
  struct resizing of;
  if (!resizing_of(&of, operands, attributes) || places->code != CODE_INT64 || weights->code != CODE_FLOAT32 ||
      places->elements != of.size * of.taps || weights->elements != places->elements)
    return false;
  int64_t *to = (int64_t *)places->address;
  float *weight = (float *)weights->address;
  for (int64_t i = 0; i < of.size; i++, to += of.taps, weight += of.taps) {
    double at = lies_at(&of, i);
    if (of.mode != NEAREST) {
      sum_of(&of, at, to, weight);
      continue;
    }
    *to = clipped(&of, nearest_to(&of, at));
    *weight = 1;
  }
  return true;
}

/* Operators of the host under a sanitizer: operands of random dtypes and sizes, most of which fit each other, and random
   positions; nobody reads or writes beside them. */
#include "operators/host_operators.c"

int printf(const char *format, ...);

static uint64_t state = 1;

static int64_t below(int64_t most) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)(state >> 33) % most;
}

/* A tensor in memory of its own, of bytes that are small numbers. */
static struct tensor made(int64_t code, int64_t rank, const int64_t *dims) {
  struct tensor tensor = {0, product(dims, 0, rank), code, rank};
  int64_t bytes = tensor.elements * bytes_of(code);
  char *data = malloc(bytes);
  for (int64_t d = 0; d < MAX_RANK; d++)
    tensor.dims[d] = d < rank ? dims[d] : 1;
  for (int64_t i = 0; i < bytes; i++)
    data[i] = (char)below(256);
  for (int64_t i = 0; i < tensor.elements && has_positions(&tensor); i++) {
    int64_t position = below(12) - 4;
    __builtin_memcpy(data + i * bytes_of(code), &position, bytes_of(code));
  }
  tensor.address = (int64_t)data;
  return tensor;
}

/* Sizes that are mostly those given. */
static int64_t like(int64_t rank, const int64_t *given, int64_t *dims) {
  for (int64_t d = 0; d < MAX_RANK; d++)
    dims[d] = d < rank && below(8) ? given[d] : below(5);
  return below(16) ? rank : below(5);
}

typedef bool operator(const struct tensor *const *operands, const int64_t *attributes);
enum { WAYS = 22 };
static operator *const OPERATORS[WAYS] = {op_take_along, op_gather_nd, op_scatter, op_scatter_nd, op_top_k, op_nonzero,
                                          sizes_nonzero, bounded_non_max_suppression,
                                          bounded_non_max_suppression_of_classes, op_roi_align,
                                          sizes_resize_taps, op_resize_taps, sizes_unique, op_unique,
                                          op_add, op_subtract, op_multiply, op_divide, op_scatter_keys,
                                          op_scatter_nd_keys, sizes_top_k_by, op_top_k_by};

static int64_t bits_of(double number) {
  int64_t word;
  __builtin_memcpy(&word, &number, 8);
  return word;
}

/* Floats that are mostly small numbers. */
static void refill(const struct tensor *tensor) {
  for (int64_t i = 0; tensor->code == CODE_FLOAT32 && below(20) && i < tensor->elements; i++)
    ((float *)tensor->address)[i] = (float)(below(40) - 8) / 4;
}

int main(void) {
  int64_t done[WAYS] = {0};
  for (int i = 0; i < 400000; i++) {
    int64_t which = below(WAYS), code = below(CODE_UINT64 + 1), codes[4], dims[4][MAX_RANK], ranks[4];
    int64_t attributes[8] = {below(6) - 2, below(6), 0, 0, below(2), below(2)}, sizes[MAX_RANK];
    for (int64_t d = 0; d < MAX_RANK; d++)
      sizes[d] = below(64) ? below(6) : below(40);
    for (int64_t o = 0; o < 4; o++) {
      codes[o] = below(16) ? code : below(CODE_UINT64 + 1);
      ranks[o] = like(1 + (int64_t)below(3), sizes, dims[o]);
      if (o && below(4)) {
        ranks[o] = ranks[0];
        __builtin_memcpy(dims[o], dims[0], sizeof(dims[o]));
      }
    }
    if (which < 4)
      codes[1] = below(16) ? (below(2) ? CODE_INT64 : CODE_INT32) : below(CODE_UINT64 + 1);
    if (which == 1 || which == 3)
      dims[1][ranks[1] - 1 & MAX_RANK - 1] = below(4);
    if (which == 4) {
      codes[2] = CODE_INT64;
      dims[1][attributes[0] & 1] = dims[2][attributes[0] & 1] = below(5);
    }
    if (which > 6 && which < 14) {
      int64_t count = below(9), classes = 1 + below(3), images = 1 + below(2), rank = which == 7 ? 2 : 3;
      codes[0] = codes[1] = CODE_FLOAT32;
      codes[2] = codes[3] = below(16) ? CODE_INT64 : code;
      int64_t boxes[2][4] = {{images, count, 4}, {count, 4}}, scores[2][4] = {{images, classes, count}, {count}};
      int64_t made[3] = {images * classes * (below(8) ? count : below(5)) * (which == 7 ? 1 : 3), 1, 1};
      ranks[0] = below(16) ? rank : below(5);
      ranks[1] = which == 7 ? 1 : 3;
      ranks[2] = ranks[3] = 1;
      __builtin_memcpy(dims[0], boxes[which == 7], sizeof(boxes[0]));
      __builtin_memcpy(dims[1], scores[which == 7], sizeof(scores[0]));
      dims[2][0] = below(8) ? made[0] : below(20);
      dims[3][0] = which == 7 ? 1 : 2;
      attributes[1] = bits_of((double)below(5) / 4);
      attributes[2] = bits_of((double)below(5) / 4 - 0.5);
      attributes[3] = below(2);
    }
    if (which == 9) {
      int64_t rois = below(4), x[4] = {1 + below(2), below(4), below(6), below(6)};
      ranks[0] = 4;
      ranks[1] = 2;
      ranks[3] = 4;
      __builtin_memcpy(dims[0], x, sizeof(x));
      dims[1][0] = dims[2][0] = rois;
      dims[1][1] = 4;
      attributes[0] = below(4);
      attributes[1] = below(4);
      attributes[2] = below(8) ? below(4) : below(1000);
      attributes[3] = bits_of((double)below(9) / 4);
      int64_t y[4] = {below(16) ? rois : below(4), x[1], attributes[0], attributes[1]};
      __builtin_memcpy(dims[3], y, sizeof(y));
      codes[3] = below(16) ? CODE_FLOAT32 : code;
    }
    if (which == 10 || which == 11) {
      int64_t taps[3] = {1, 2, 4}, resize[8] = {0, below(3), below(3), below(6), below(4), bits_of(-0.75), below(2), below(2)};
      resize[0] = below(16) ? taps[resize[2]] : below(8);
      __builtin_memcpy(attributes, resize, sizeof(resize));
      codes[0] = below(16) ? CODE_INT64 : code;
      codes[1] = below(16) ? (below(2) ? CODE_INT64 : CODE_FLOAT32) : code;
      codes[2] = CODE_INT64;
      codes[3] = which == 10 ? CODE_INT64 : CODE_FLOAT32;
      for (int64_t o = 0; o < 4; o++)
        ranks[o] = 1;
      dims[0][0] = 1;
      dims[1][0] = 1 + below(3);
      dims[2][0] = dims[3][0] = which == 10 ? (below(8) ? 2 : below(4)) : taps[resize[2]] * below(9);
    }
    if (which == 12 || which == 13) {
      int64_t count = below(4) ? below(6) : below(300);
      for (int64_t o = 0; o < 4; o++) {
        ranks[o] = o || below(16) ? 1 : below(4);
        codes[o] = o > (which == 13) && below(16) ? CODE_INT64 : code;
        dims[o][0] = which == 12 && o ? 1 : count;
      }
      if (which == 13)
        dims[1][0] = dims[3][0] = below(count < 6 ? 5 : 60);
    }
    if (which >= 14 && which < 18) {
      int64_t rank = below(4);
      for (int64_t o = 0; o < 3; o++) {
        codes[o] = below(64) ? CODE_FLOAT32 : code;
        ranks[o] = o < 2 && below(4) == 0 ? below(rank + 1) : rank;
        for (int64_t d = 0; d < ranks[o]; d++) {
          int64_t size = sizes[rank - ranks[o] + d];
          dims[o][d] = o < 2 && below(4) == 0 ? 1 : below(64) ? size : below(5);
        }
      }
    }
    if (which == 18 || which == 19) {
      codes[0] = below(16) ? (below(2) ? CODE_INT64 : CODE_INT32) : code;
      codes[1] = codes[2] = below(16) ? CODE_INT64 : code;
      ranks[1] = 1;
      dims[1][0] = which == 18 && below(16) ? ranks[0] : below(4);
      if (which == 19 && ranks[0] > 0)
        dims[0][ranks[0] - 1] = below(3);
      ranks[2] = ranks[0] - (which == 19);
      __builtin_memcpy(dims[2], dims[0], sizeof(dims[2]));
    }
    if (which >= 20) {
      codes[1] = codes[2] = below(32) ? CODE_INT64 : code;
      codes[3] = CODE_INT64;
      ranks[1] = 0;
      attributes[0] = below(ranks[0] + 2) - 1;
      if (which == 20) {
        ranks[2] = ranks[3] = 1;
        dims[2][0] = dims[3][0] = below(16) ? ranks[0] : below(5);
      } else {
        codes[2] = code;
        if (below(2))
          dims[0][attributes[0] & MAX_RANK - 1] = below(80);
        ranks[2] = ranks[3] = ranks[0];
        __builtin_memcpy(dims[2], dims[0], sizeof(dims[2]));
        dims[2][attributes[0] & MAX_RANK - 1] = below(1 + dims[0][attributes[0] & MAX_RANK - 1]);
        __builtin_memcpy(dims[3], dims[2], sizeof(dims[3]));
      }
    }
    if (which == 5 || which == 6) {
      codes[1] = CODE_INT64;
      ranks[1] = which == 5 ? 2 : 1;
      dims[1][0] = which == 5 ? ranks[0] : 2;
    }
    struct tensor tensors[4];
    const struct tensor *operands[4];
    for (int64_t o = 0; o < 4; o++) {
      tensors[o] = made(codes[o], ranks[o], dims[o]);
      operands[o] = &tensors[o];
      if (which > 6)
        refill(operands[o]);
      for (int64_t k = 0; which >= 18 && o == 1 && codes[1] == CODE_INT64 && k < tensors[o].elements; k++)
        ((int64_t *)tensors[o].address)[k] = below(32) ? 6 : below(2) ? -1 : (int64_t)1 << below(63);
      if (which == 9 && o == 2 && codes[2] == CODE_INT64)
        for (int64_t k = 0; k < tensors[o].elements; k++)
          ((int64_t *)tensors[o].address)[k] = below(9) ? below(dims[0][0]) : below(5) - 1;
    }
    done[which] += OPERATORS[which](operands, attributes);
    for (int64_t o = 0; o < 4; o++)
      free((void *)tensors[o].address);
  }
  for (int64_t which = 0; which < WAYS; which++)
    if (done[which] < 100) {
      printf("operator %d was done %d times\n", (int)which, (int)done[which]);
      return 1;
    }
  return 0;
}

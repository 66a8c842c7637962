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
static operator *const OPERATORS[] = {op_take_along, op_gather_nd, op_scatter, op_scatter_nd, op_top_k, op_nonzero,
                                      sizes_nonzero};

int main(void) {
  int64_t done[7] = {0};
  for (int i = 0; i < 400000; i++) {
    int64_t which = below(7), code = below(CODE_UINT64 + 1), codes[4], dims[4][MAX_RANK], ranks[4];
    int64_t attributes[2] = {below(6) - 2, below(6)}, sizes[MAX_RANK];
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
    if (which > 4) {
      codes[1] = CODE_INT64;
      ranks[1] = which == 5 ? 2 : 1;
      dims[1][0] = which == 5 ? ranks[0] : 2;
    }
    struct tensor tensors[4];
    const struct tensor *operands[4];
    for (int64_t o = 0; o < 4; o++) {
      tensors[o] = made(codes[o], ranks[o], dims[o]);
      operands[o] = &tensors[o];
    }
    done[which] += OPERATORS[which](operands, attributes);
    for (int64_t o = 0; o < 4; o++)
      free((void *)tensors[o].address);
  }
  for (int64_t which = 0; which < 7; which++)
    if (done[which] < 100) {
      printf("operator %d was done %d times\n", (int)which, (int)done[which]);
      return 1;
    }
  return 0;
}

/* Kernels of a GPU given to its driver one after another, at addresses that are worked out on the way. */
#include <stdint.h>
#include "words.h"

typedef int32_t launch_kernel(int64_t function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                              uint32_t block_y, uint32_t block_z, uint32_t shared, int64_t stream, void **arguments,
                              void **extra);

/* As the driver has them: what it may be told of a launch, here that it may begin early, and a launch. */
enum { PROGRAMMATIC_STREAM_SERIALISATION = 6 };
struct attribute {
  int32_t kind, pad, value, rest[15];
};
struct configuration {
  uint32_t grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  int64_t stream;
  const struct attribute *attributes;
  uint32_t count;
};
_Static_assert(sizeof(struct attribute) == 72 && sizeof(struct configuration) == 56, "as in cuda.h");

typedef int32_t launch_early(const struct configuration *how, int64_t function, void **arguments, void **extra);

static int32_t begin_early(launch_early *early, const struct launch *l, int64_t stream) {
  struct attribute serialised = {.kind = PROGRAMMATIC_STREAM_SERIALISATION, .value = 1};
  struct configuration how = {
      (uint32_t)l->grid_x,  (uint32_t)l->grid_y,  (uint32_t)l->grid_z, (uint32_t)l->block_x, (uint32_t)l->block_y,
      (uint32_t)l->block_z, (uint32_t)l->shared,  stream,              &serialised,          1};
  return early(&how, l->function, l->arguments, 0);
}

/* How many of the launches from `first` on the driver took. It fills `status` if one was refused: by the driver with
   its status, by us with MISALIGNED. The first numbers of a launch's values are its operands' addresses. Where there is
   an `early` those that wait themselves for what was launched before them begin early. */
int64_t anytile_launch_all(launch_kernel *driver, launch_early *early, const struct launch *launches, int64_t first,
                           int64_t end, const int64_t *bases, int64_t workspace, int64_t stream, int64_t *status) {
  *status = 0;
  for (int64_t i = first; i < end; i++) {
    const struct launch *l = &launches[i];
    int64_t all = 0;
    for (int64_t o = 0; o < l->operands; o++) {
      int64_t address = bases[l->places[2 * o]] + l->places[2 * o + 1];
      l->values[o] = address;
      all |= address;
    }
    if (all & l->odd)
      *status = MISALIGNED;
    else {
      if (l->workspace)
        l->values[l->operands] = workspace;
      *status = early && l->waits
                    ? begin_early(early, l, stream)
                    : driver(l->function, (uint32_t)l->grid_x, (uint32_t)l->grid_y, (uint32_t)l->grid_z,
                             (uint32_t)l->block_x, (uint32_t)l->block_y, (uint32_t)l->block_z, (uint32_t)l->shared,
                             stream, l->arguments, 0);
    }
    if (*status)
      return i;
  }
  return end;
}

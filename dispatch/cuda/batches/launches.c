/* Kernels of a GPU given to its driver one after another, at addresses that are worked out on the way. */
#include <stdint.h>
#include "words.h"

typedef int32_t launch_kernel(int64_t function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                              uint32_t block_y, uint32_t block_z, uint32_t shared, int64_t stream, void **arguments,
                              void **extra);

/* How many of the launches from `first` on the driver took. It fills `status` if one was refused: by the driver with
   its status, by us with MISALIGNED. The first numbers of a launch's values are its operands' addresses. */
int64_t anytile_launch_all(launch_kernel *driver, const struct launch *launches, int64_t first, int64_t end,
                           const int64_t *bases, int64_t workspace, int64_t stream, int64_t *status) {
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
      *status = driver(l->function, (uint32_t)l->grid_x, (uint32_t)l->grid_y, (uint32_t)l->grid_z,
                       (uint32_t)l->block_x, (uint32_t)l->block_y, (uint32_t)l->block_z, (uint32_t)l->shared, stream,
                       l->arguments, 0);
    }
    if (*status)
      return i;
  }
  return end;
}

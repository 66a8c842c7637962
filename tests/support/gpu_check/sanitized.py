"""Small kernels of every template, one after another, for one of NVIDIA's sanitizers to watch from outside.

Every tensor is an allocation of its own, and no pool's, so that what strays meets nobody else's memory.
"""

from __future__ import annotations

import sys
import time

from tests.support.gpu_check.journal import done_before, ended, follow, leave_if_broken, note
from tests.support.gpu_check.kernels import KERNELS

CASE = "case "  # begins the line that says whose the following findings are


def main() -> int:
    follow()
    import cupy

    from anytile.core.errors import AnytileError
    from anytile.dispatch.backends import cuda_device
    from anytile.tuner.measure.device_api import Failed

    cupy.cuda.set_allocator(None)
    device, before = cuda_device(), done_before()
    kernels = [k for k in KERNELS if k.name not in before and (device.facts.arch == "sm_90a" or not k.hazardous)]
    note(collected=[k.name for k in kernels])
    for kernel in kernels:
        print(f"{CASE}{kernel.name}", flush=True)
        note(begins=kernel.name)
        began, why = time.monotonic(), ""
        try:
            kernel.check(device, kernel.sizes[-1:])
        except (AnytileError, Failed) as error:
            why = str(error) or type(error).__name__
        ended(kernel.name, "failed" if why else "passed", why, time.monotonic() - began)
        if why:
            leave_if_broken()
    return 0


if __name__ == "__main__":
    sys.exit(main())

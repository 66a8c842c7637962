"""The timing worker of GPUs, as a program: `python -m anytile.tuner.measure.cuda.worker`."""

from __future__ import annotations

from collections.abc import Callable

from anytile.dispatch.cuda.device import CudaDevice
from anytile.tuner.measure.cuda.device import CudaTimingDevice
from anytile.tuner.measure.cuda.drift import Reference, reference_kernel
from anytile.tuner.measure.worker import run_worker


def serve(open_device: Callable[[], CudaDevice]) -> None:
    """Open the device, and answer until the pipe closes."""

    def opened(threads: int) -> CudaTimingDevice:
        device = open_device()
        reference = Reference(device, reference_kernel(device.facts.arch))
        reference()  # out of the idle clock, before the first candidate comes
        return CudaTimingDevice(device, reference)

    run_worker("anytile.tuner.measure.cuda.worker", opened, may_map_files=True)


def main() -> None:
    from anytile.dispatch.cuda.cupy_device import open_device

    serve(open_device)


if __name__ == "__main__":
    main()

"""The timing child of a GPU: `python -m anytile.tuner.measure.cuda.worker`. Only it runs candidates there.

A device that is not there, or not any more, ends it at its start with one line, which its parent passes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from anytile.core.errors import AnytileError
from anytile.dispatch.cuda.device import CudaDevice
from anytile.tuner.measure.cuda.device import CudaHands
from anytile.tuner.measure.cuda.drift import Reference, reference_kernel
from anytile.tuner.measure.worker import Worker
from anytile.tuner.protocol import isolate, wire


def serve(open_device: Callable[[], CudaDevice]) -> None:
    """Open the device, and answer until the pipe closes."""
    parser = argparse.ArgumentParser(prog="python -m anytile.tuner.measure.cuda.worker")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    link = isolate.enter(args.parent, may_map_files=True)
    try:
        device = open_device()
        reference = Reference(device, reference_kernel(device.facts.arch))
        reference()  # out of the idle clock, before the first candidate comes
        Worker(link, CudaHands(device, reference)).serve()
    except wire.WireClosed:
        return
    except AnytileError as error:
        raise SystemExit(str(error)) from None


def main() -> None:
    from anytile.dispatch.cuda.cupy_device import open_device

    serve(open_device)


if __name__ == "__main__":
    main()

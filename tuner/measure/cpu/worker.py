"""The timing worker of CPUs, as a program: `python -m anytile.tuner.measure.cpu.worker`."""

from __future__ import annotations

from anytile.codegen.load.thread_team import start_threads
from anytile.tuner.measure.cpu.device import CpuTimingDevice
from anytile.tuner.measure.worker import run_worker
from anytile.tuner.protocol import isolate


def open_device(threads: int) -> CpuTimingDevice:
    isolate.pin(threads)
    start_threads(threads)
    return CpuTimingDevice(threads)


if __name__ == "__main__":
    run_worker("anytile.tuner.measure.cpu.worker", open_device)

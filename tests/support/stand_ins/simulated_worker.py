"""Timing worker of the simulated GPU, `python -m tests.support.stand_ins.simulated_worker`; faults on demand.

Files in a folder, which `$SIMULATED` names, say what goes wrong: while `lost` is in it the device is gone; `vanish`
makes it go at the next launch; `crowded` has no room for the blocks of any; `memory` says how many bytes it has.
"""

from __future__ import annotations

import os
from pathlib import Path

from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.device import DeviceLost, DoesNotFit, Function
from anytile.tuner.measure.cuda.worker import serve
from tests.support.cuda_cpu.simulator import program
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

FOLDER = Path(os.environ["SIMULATED"])


class Watched(SimulatedGpu):
    def load(self, kernel: Kernel) -> Function:
        """Its code is made at once, since launches are timed."""
        loaded = super().load(kernel)
        program(kernel.text)
        return loaded

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None:
        vanish = FOLDER / "vanish"
        if vanish.exists():
            vanish.rename(FOLDER / "lost")
            self.lost = True
        if (FOLDER / "crowded").exists():
            raise DoesNotFit("a launch: no room for the kernel's blocks that run together (simulated)")
        super().launch(function, grid, stream, arguments, early)


def open_device() -> SimulatedGpu:
    if (FOLDER / "lost").exists():
        raise DeviceLost("the GPU is gone or does not answer: simulated; see `nvidia-smi`, then go on")
    memory = FOLDER / "memory"
    return Watched(memory=int(memory.read_text())) if memory.exists() else Watched()


if __name__ == "__main__":
    serve(open_device)

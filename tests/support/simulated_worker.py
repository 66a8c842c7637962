"""The timing child of the simulated device: `python -m simulated_worker`. What goes wrong is said by files in a folder.

`$SIMULATED` names the folder: while `lost` is in it the device is gone; `vanish` makes it go at the next launch;
`memory` says how many bytes it has.
"""

from __future__ import annotations

import os
from pathlib import Path

from simulated_gpu import SimulatedGpu

from anytile.dispatch.cuda.device import DeviceLost, Function
from anytile.tuner.measure.cuda.worker import serve

FOLDER = Path(os.environ["SIMULATED"])


class Watched(SimulatedGpu):
    def launch(self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int) -> None:
        vanish = FOLDER / "vanish"
        if vanish.exists():
            vanish.rename(FOLDER / "lost")
            self.lost = True
        super().launch(function, grid, stream, arguments)


def open_device() -> SimulatedGpu:
    if (FOLDER / "lost").exists():
        raise DeviceLost("the GPU is gone or does not answer: simulated; see `nvidia-smi`, then go on")
    memory = FOLDER / "memory"
    return Watched(memory=int(memory.read_text())) if memory.exists() else Watched()


if __name__ == "__main__":
    serve(open_device)

"""Measuring station of a simulated GPU, the one that Ray lends to its process; faults as of `simulated_worker`."""

from __future__ import annotations

import os
from pathlib import Path

from anytile.tuner.runners.ray_remote import Station
from anytile.tuner.runners.timing_setups import Supervisors, TimingSetup


class SimulatedStation(Station):
    """Its GPU's faults are files in the folder `gpu<number>` beside its locks."""

    def __init__(self, lock_folder: str | None) -> None:
        assert lock_folder is not None
        gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "none")
        folder = Path(lock_folder) / f"gpu{gpu}"
        folder.mkdir(exist_ok=True)
        os.environ |= {"SIMULATED": str(folder), "PYTHONPATH": str(Path(__file__).parents[3])}  # of the worker
        worker = "tests.support.stand_ins.simulated_worker"
        bench = TimingSetup(f"cuda-{gpu}", worker, lambda: f"simulated GPU {gpu}", lambda target: None, True)
        self._supervisors = Supervisors(Path(lock_folder), setup=lambda target: bench)

    def serves(self, target: str) -> bool:
        return True

"""Timing setups: how candidates of one kind of target are timed on this machine (the worker's program, the device's
lock, what the device is called), and the supervisors that runners keep for them.

One setup per kind, picked by the target; runners and campaigns ask here and never what the kind is.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from anytile.schedules.hardware import nvidia_driver
from anytile.schedules.hardware.target import Target, require_cores, require_runnable
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.supervisor import Supervisor


@dataclass(frozen=True)
class TimingSetup:
    """`module` is the worker's program; `lock` names the device among those of this host."""

    lock: str
    module: str
    describe: Callable[[], str]
    require: Callable[[Target], None]
    may_be_lost: bool = False

    def supervisor(self, folder: Path | None, log: Callable[[str], None] | None = None) -> Supervisor:
        return Supervisor(DeviceLock(self.lock, folder, log), self.describe(), self.module, self.may_be_lost)


def describe_cpu() -> str:
    """What is being timed, as the database remembers it: the processor's model and its cores."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "Hardware") and value.strip():
            model = value.strip()
            break
    return f"{model}, {os.cpu_count()} cores"


def _require_cpu(target: Target) -> None:
    require_runnable(target)
    require_cores(target)


CPU = TimingSetup("cpu", "anytile.tuner.measure.cpu.worker", describe_cpu, _require_cpu)


def timing_setup(target: Target) -> TimingSetup:
    if target.kind == "cuda":
        require_runnable(target)
        found = nvidia_driver.find()
        return TimingSetup(
            f"cuda-{found.id}", "anytile.tuner.measure.cuda.worker", lambda: str(found), require_runnable, True
        )
    return CPU


class Supervisors:
    """A supervisor for each device of this machine that a target asked for, made when it is first needed."""

    def __init__(
        self,
        folder: Path | None = None,
        log: Callable[[str], None] | None = None,
        setup: Callable[[Target], TimingSetup] = timing_setup,
    ) -> None:
        self._folder, self._log, self._setup = folder, log, setup
        self._made: dict[str, Supervisor] = {}

    def of(self, targets: Iterable[Target]) -> Supervisor:
        """Whoever times on the device that all of these are for; refused where it cannot time one of them."""
        setups = {target: self._setup(target) for target in dict.fromkeys(targets)}
        for target, setup in setups.items():
            setup.require(target)
        (setup, *_) = setups.values()
        assert all(other.lock == setup.lock for other in setups.values())
        if setup.lock not in self._made:
            self._made[setup.lock] = setup.supervisor(self._folder, self._log)
        return self._made[setup.lock]

    @property
    def worker_pid(self) -> int | None:
        """A timing process, if one is running."""
        return next((pid for s in self._made.values() if (pid := s.worker_pid) is not None), None)

    def close(self) -> None:
        for supervisor in self._made.values():
            supervisor.close()

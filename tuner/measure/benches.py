"""Where candidates of one kind of target are timed on this machine: the child that does it, its lock, its rivals.

One bench per kind, picked by the target; runners and campaigns ask here and never what the kind is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from anytile.schedules.hardware import nvidia_driver
from anytile.schedules.hardware.target import Target, require_cores, require_runnable
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.supervisor import Supervisor, describe_device


@dataclass(frozen=True)
class Bench:
    """`module` is what runs as the timing child; `lock` names the device among those of this host."""

    lock: str
    module: str
    describe: Callable[[], str]
    require: Callable[[Target], None]
    may_be_lost: bool = False

    def supervisor(self, folder: Path | None, log: Callable[[str], None] | None = None) -> Supervisor:
        return Supervisor(DeviceLock(self.lock, folder, log), self.describe(), self.module, self.may_be_lost)


def _require_cpu(target: Target) -> None:
    require_runnable(target)
    require_cores(target)


CPU = Bench("cpu", "anytile.tuner.measure.worker", describe_device, _require_cpu)


def bench_for(target: Target) -> Bench:
    if target.kind == "cuda":
        require_runnable(target)
        found = nvidia_driver.find()
        return Bench(
            f"cuda-{found.id}", "anytile.tuner.measure.cuda.worker", lambda: str(found), require_runnable, True
        )
    return CPU

"""One run on a GPU: what it is made on, how much time is left, and how what goes wrong costs only itself.

A part of the benchmark is a few units, each measured on its own: a layer, a size of products, a model. A unit is given
its share of the time that is left when its turn comes, in proportion to what it and those after it usually take; what
one leaves over passes on.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anytile.codegen.cache import CodeCache
from anytile.dispatch.backends import backend
from anytile.dispatch.cuda.device import BrokenContext, CudaDevice, DeviceLost
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.device_lock import DeviceLock
from benchmarks.gpu.clocks import Clocks
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.rivals.torch_gpu import TorchGpu

ENDED = (BrokenContext, DeviceLost)  # after which this process measures nothing any more


@dataclass
class Run:
    """What units are given. `told` hands on what the report has so far: should this process die, another keeps it."""

    device: CudaDevice
    target: Target
    report: Report
    budget: float  # seconds since the report was started
    lock: DeviceLock
    cache: CodeCache
    journal: Path
    strategy: str = "random"
    torch: TorchGpu | None = None
    clocks: Clocks = field(default_factory=Clocks)
    quick: bool = False
    told: Callable[[], None] = lambda: None
    slack: float = 0.0  # seconds beyond the budget to end what was begun

    def left(self) -> float:
        return self.budget - self.report.elapsed

    def late(self, what: object) -> bool:
        """Whether no time is left, nor slack, which is noted."""
        if self.left() + self.slack > 0:
            return False
        self.report.unmeasured.append(f"{what}: no time was left")
        return True

    @contextmanager
    def noted(self, what: object) -> Iterator[None]:
        """What goes wrong costs only what is done here, and is said; not so what ends this process's use of the GPU."""
        try:
            yield
        except ENDED:
            raise
        except Failed as error:
            if error.corrupt:  # memory is not what it was
                raise BrokenContext(_line(error)) from None
            self._note(what, error)
        except Exception as error:  # noqa: BLE001  # rivals and drivers raise what they like; the rest must go on
            self._note(what, error)

    def _note(self, what: object, error: Exception) -> None:
        self.report.unmeasured.append(f"{what}: {_line(error)}")
        self.report.say(f"{what} failed: {_line(error)}")

    def timing(self) -> AbstractContextManager[None]:
        """The GPU for this process alone."""
        return self.lock.timing(timeout=max(self.left(), 1.0))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that is measured on its own; `seconds` is what it takes on an H100."""

    name: str
    seconds: float
    measure: Callable[[Run], None]


@dataclass(frozen=True, slots=True)
class Part:
    """A subject of the benchmark: its units, in order of worth, and what its rows claim and show."""

    name: str
    units: Callable[[bool], Sequence[Unit]]  # given whether it is only to be seen that all works
    claims: Callable[[Sequence[Row]], list[Claim]] = lambda rows: []
    show: Callable[[Report], None] = lambda report: None


def share(left: float, seconds: Sequence[float]) -> float:
    """How much of the time that is left the first of several units has."""
    return left * seconds[0] / sum(seconds)


def describe(device: CudaDevice) -> dict[str, Any]:
    """What a reader needs to judge the figures; nothing that names the host."""
    facts = device.facts
    versions = {}
    for name in ("numpy", "torch", "triton", "cupy-cuda13x", "cupy-cuda12x"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "gpu": facts.name,
        "arch": facts.arch,
        "multiprocessors": facts.sms,
        "l2": facts.l2,
        "memory": facts.memory,
        "driver": ".".join(map(str, facts.driver)),
        "compiler": backend(Target.parse(f"cuda -arch={facts.arch}")).compiler(),
        "library": device.library(),
        "python": platform.python_version(),
        "versions": versions,
    }

"""Device interface of the timing worker: what a kind of device must be able to do. `worker` has the loop around it.

Invariant: whatever a candidate does wrong comes out as `Failed`, with a status and one line; `corrupt` when this
process is no longer to be trusted with the next one. A device that is gone is a `MeasureError`: nobody can go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol, TypeVar

from anytile.codegen.artifact import Artifact
from anytile.core.available_memory import available_memory
from anytile.db.records.records import Status
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.oracle import CaseCache, bytes_needed
from anytile.tuner.measure.sampling import Stopwatch
from anytile.tuner.protocol.candidate import Point, TimingPolicy

_MEMORY_SHARE = 0.8  # of what is available may one candidate's operands take


class Failed(Exception):
    """What a candidate did wrong. `corrupt`: it wrote where it must not, so this process is no longer to be trusted."""

    def __init__(self, status: Status, reason: str, *, corrupt: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.corrupt = corrupt


class LoadedCandidate(Protocol):
    """A candidate's code, loaded."""

    def close(self) -> None: ...


class Timeable(Protocol):
    """A candidate with operands of its own at one point."""

    def run(self) -> None:
        """One call."""
        ...

    def judge(self) -> None:
        """What it computed must be right, and nothing else written."""
        ...


T = TypeVar("T", bound=LoadedCandidate)
P = TypeVar("P", bound=Timeable)


class TimingDevice(Protocol[T, P]):
    """A device that candidates are checked and timed on."""

    def reference(self) -> float:
        """Seconds of a fixed piece of work, now: how fast the device is."""
        ...

    def load(self, artifact: Artifact) -> T: ...

    def prepare(self, workload: Workload, point: Point) -> None:
        """Make the inputs and the reference, or say why this machine cannot."""
        ...

    def check(self, tool: T, workload: Workload, point: Point, odd: bool) -> None:
        """Run once, with memory that tells of strays; an `odd` point only stands for others of its residue."""
        ...

    def placed(self, stack: ExitStack, tools: Sequence[T], workload: Workload, point: Point) -> list[P]:
        """Every candidate with operands as it will be timed; `stack` gives them back."""
        ...

    def stopwatch(self, stack: ExitStack, it: P, policy: TimingPolicy) -> Stopwatch:
        """Warm up; each call of the result is one repeat: seconds per call, and the machine's state. `stack` holds what
        must hold meanwhile."""
        ...


def prepare_case(cases: CaseCache, workload: Workload, point: Point) -> None:
    """Make the inputs and the reference in this machine's memory, or say that it has too little."""
    at, need, there = name_point(point), bytes_needed(workload, point), available_memory()
    if there and need > _MEMORY_SHARE * there:
        reason = f"measuring at {at} takes about {need >> 20} MiB, this machine has {there >> 20}"
        raise Failed(Status.CONSTRAINT, reason)
    try:
        cases.get(workload, point)
    except MemoryError as error:
        raise Failed(Status.CONSTRAINT, f"no memory for the inputs at {at}: {error}") from None


def name_point(point: Point) -> str:
    return ", ".join(f"{name}={value}" for name, value in point) or "its one shape"

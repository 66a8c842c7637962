"""What a timing child must be able to do on its kind of device; `worker` says the words, these do the work.

Invariant: whatever a candidate does wrong comes out as `Failed`, with a status and one line; `corrupt` when this
process is no longer to be trusted with the next one. A device that is gone is a `MeasureError`: nobody can go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol, TypeVar

from anytile.codegen.artifact import Artifact
from anytile.db.records.records import Status
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Point, TimingPolicy


class Failed(Exception):
    """What a candidate did wrong. `corrupt`: it wrote where it must not, so this process is no longer to be trusted."""

    def __init__(self, status: Status, reason: str, *, corrupt: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.corrupt = corrupt


class Tool(Protocol):
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


T = TypeVar("T", bound=Tool)
P = TypeVar("P", bound=Timeable)


class Hands(Protocol[T, P]):
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

    def time_alone(self, it: P, policy: TimingPolicy) -> list[float]: ...

    def time_together(self, those: Sequence[P], rounds: int, policy: TimingPolicy) -> list[list[float]]: ...


def name_point(point: Point) -> str:
    return ", ".join(f"{name}={value}" for name, value in point) or "its one shape"


def turns(count: int, r: int) -> list[int]:
    """The order of round r between so many rivals: rotated and turned round, so that none profits from its place."""
    order = [(i + r) % count for i in range(count)]
    return order[::-1] if r % 2 else order

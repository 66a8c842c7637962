"""Candidates and outcomes: what is asked of a runner and what it answers, as data that travels between processes.

A candidate is one config to be built and timed at some points; an outcome is what became of it, failures included. A
runner never raises because of a candidate; it raises `MeasureError` only when measuring as such cannot go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.machine_state import UNDISTURBED, MachineState

Point = tuple[tuple[str, int], ...]  # symbol values, sorted by symbol: hashable, canonical
Facts = Mapping[str, float] | None  # what is known of code that was built; None where none came out


def point_of(bindings: Mapping[str, int]) -> Point:
    return tuple(sorted(bindings.items()))


class Contender(NamedTuple):
    """A candidate configuration: a template and a config of it. What is searched, compared and chosen."""

    template: str
    config: Config

    def __str__(self) -> str:
        return f"{self.template} {self.config}"


class Configured(Protocol):
    """What has a config of a template: a trial, a row of a matrix, a variant of a plan."""

    @property
    def template(self) -> str: ...
    @property
    def config(self) -> Config: ...


def contender_of(of: Configured) -> Contender:
    return Contender(of.template, of.config)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One config, to be built once and timed at every point. `number` is its place in the campaign."""

    workload: Workload
    target: Target
    template: str
    config: Config
    points: tuple[Point, ...]
    number: int = 0

    @property
    def contender(self) -> Contender:
        return Contender(self.template, self.config)


@dataclass(frozen=True, slots=True)
class TimingPolicy:
    """How long and how often. One repeat calls the kernel until `min_repeat_ms` have passed."""

    repeats: int = 3
    min_repeat_ms: float = 4.0
    warmup_ms: float = 1.0
    timeout_s: float = 20.0  # hard limit for one point, build excluded
    build_timeout_s: float = 60.0
    slow_factor: float = 4.0  # stop after one repeat when this many times slower than `best_seconds`
    best_seconds: float | None = None
    checked: bool = True  # against the reference, before it is timed and after


@dataclass(frozen=True, slots=True)
class Timing:
    """What became of one point."""

    point: Point
    status: Status
    samples: tuple[float, ...] = ()  # seconds per call, one per repeat
    reason: str = ""
    state: MachineState = UNDISTURBED  # the machine's while they were taken


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one candidate. A failed build has one timing per point, all `compile_error`."""

    candidate: Candidate
    timings: tuple[Timing, ...]
    build_seconds: float = 0.0
    drift: float = 1.0
    device: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)
    worker: str = ""  # who measured it, where that is another process than the campaign's


@dataclass(frozen=True, slots=True)
class Duel:
    """Interleaved samples of several candidates at one point: `samples[i][j]` is candidate i in round j."""

    point: Point
    samples: tuple[tuple[float, ...], ...]
    state: MachineState = UNDISTURBED
    worker: str = ""


class Runner(Protocol):
    """Builds in parallel, times one at a time per device, survives every candidate."""

    name: str

    def prepare(self, target: Target) -> None:
        """Get hold of what measuring for the target takes; says in one line why there is none. Measures nothing."""
        ...

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        """Yield an outcome per candidate, in the order of `candidates`, each as soon as it is known."""
        ...

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Facts]:
        """Build without running: the static facts of each, none where they are unknown, None where no code came out.

        What `run` is asked for next is not built again.
        """
        ...

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        """Time the candidates against each other in alternation, one Duel per point of the first candidate."""
        ...

    def thinking(self) -> AbstractContextManager[None]:
        """Hold this host's cores for the campaign's own work, such as its cost model: beside it nobody here times."""
        ...

    def close(self) -> None: ...

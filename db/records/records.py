"""Record types: what the database remembers, as frozen data. Above `db` nobody speaks of SQLAlchemy models."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

MACHINE = "machine."  # begins the names of a trial's facts on the machine: how many times as slow its parts were


class Status(enum.StrEnum):
    """How a trial ended. Only `ok` trials carry times that count."""

    OK = "ok"
    WRONG = "wrong"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    CONSTRAINT = "constraint"


WORKERS = "workers"  # the option of a campaign with the names of those who measured for it, in their order
RUNNING = "running"  # the state of a campaign that was neither finished nor interrupted


def new_id() -> str:
    return str(uuid.uuid4())


def trial_id(
    campaign_id: str, kind: str, workload: Workload, template: str, config: Config, point: Mapping[str, int]
) -> str:
    """The id of a campaign's trial follows from what is measured, so that no config has two of one kind."""
    at = ",".join(f"{name}={size}" for name, size in sorted(point.items()))
    return str(uuid.uuid5(uuid.UUID(campaign_id), "\n".join((kind, str(workload), template, str(config), at))))


@dataclass(frozen=True, slots=True)
class Versions:
    """What a record was made with. A record from other versions is graded, not discarded."""

    anytile: str
    template: int
    codegen: int
    llvm: str
    python: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One measured config at one point. `samples` are seconds per call, one per repeat; empty unless `ok`."""

    workload: Workload
    target: Target
    template: str
    config: Config
    point: Mapping[str, int]  # the symbols' values at which it was measured
    status: Status
    samples: tuple[float, ...] = ()
    reason: str = ""
    drift: float = 1.0  # seconds of the reference kernel now over those at the campaign's start
    build_seconds: float = 0.0
    facts: Mapping[str, float] = field(default_factory=dict)
    kind: str = "search"  # search | cross | pair | profile | confirm | again
    seed_order: int = -1  # position in the campaign, so that a replay can follow it
    versions: Versions | None = None
    device: str = ""
    campaign_id: str = ""
    created: float = 0.0  # seconds since the epoch, UTC
    id: str = field(default_factory=new_id)

    @property
    def seconds(self) -> float:
        """Median of the samples."""
        if not self.samples:
            return float("inf")
        ordered = sorted(self.samples)
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

    @property
    def corrected(self) -> float:
        """The median as it would have been at the campaign's start: what trials are compared by."""
        return self.seconds / self.drift


@dataclass(frozen=True, slots=True)
class Campaign:
    """A resumable set of trials under one budget. `options` is everything needed to go on with it."""

    workloads: tuple[Workload, ...]
    target: Target
    options: Mapping[str, Any]
    state: str = RUNNING  # running | interrupted | finished
    created: float = 0.0
    finished: float | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Selection:
    """The plan a campaign chose for one workload on one target; `plan` is the dispatch plan's JSON."""

    workload: Workload
    target: Target
    plan: str
    versions: Versions
    device: str = ""
    campaign_id: str = ""
    created: float = 0.0
    id: str = field(default_factory=new_id)


class Ruling(enum.StrEnum):
    """What a second look at a record came to."""

    HOLDS = "holds"  # measured again, and as fast as it says
    BELIEVED = "believed"  # whatever speaks against it: a person said so
    DRIFTED = "drifted"  # measured again, and slower than it says, or not correct any more
    CONTRADICTED = "contradicted"  # it says what cannot be, or what its own samples do not

    @property
    def sets_aside(self) -> bool:
        """Whether lookups pass the record over."""
        return self in (Ruling.DRIFTED, Ruling.CONTRADICTED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A second look at a selection or a trial. Of several the newest counts; the record itself stays as it is."""

    workload: Workload
    target: Target
    about: str  # the id of the record that was looked at
    ruling: Ruling
    said: str = ""  # why, in words
    ratio: float | None = None  # seconds now over those of the record, where it was measured again
    versions: Versions | None = None  # what it was measured again with
    device: str = ""
    created: float = 0.0  # seconds since the epoch, UTC
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Miss:
    """A workload that a compile asked for and that no exact record answered: what a team should tune next."""

    workload: Workload
    target: Target
    count: int
    first: float  # seconds since the epoch, UTC
    last: float


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The cost model that a database keeps for one kind of target, as text that nobody has looked through yet."""

    kind: str
    document: str
    created: float = 0.0
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Stats:
    """What a database holds, counted."""

    name: str
    revision: str
    bytes: int | None  # None for a server
    workloads: int
    targets: int
    devices: int
    campaigns: int
    trials: int
    selections: int
    verdicts: int
    misses: int
    statuses: Mapping[Status, int]
    kinds: Mapping[str, int]
    unreadable: tuple[str, ...]  # workloads and targets of a newer anytile, whose records this one leaves out

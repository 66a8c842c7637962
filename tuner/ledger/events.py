"""The events that a campaign tells while it runs, as frozen data.

Whoever shows progress (a live display, plain lines, JSON) consumes these and nothing else. An event is sent
after the rows it speaks of are durable, so a display never shows what a crash could take back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Point


@dataclass(frozen=True, slots=True)
class Best:
    """The fastest config of one workload so far, at the point on which the search runs."""

    workload: Workload
    config: Config
    point: Point
    seconds: float  # normalised by drift
    gflops: float
    template: str = ""


@dataclass(frozen=True, slots=True)
class CampaignStarted:
    """The first event of a sitting: what was asked."""

    campaign_id: str
    workloads: tuple[Workload, ...]
    target: Target
    strategy: str
    runner: str
    seed: int
    seconds: float | None  # budget of measuring time, all workloads together
    trials: int | None  # budget of search trials, all workloads together
    resumed: bool = False
    trials_done: int = 0  # rows that a resumed campaign already has
    warmed_by: int = 0  # trials of older campaigns that the search starts from


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """`total` is the most trials the phase can take (rows: one per config and point); it may end earlier."""

    workload: Workload
    phase: str  # one of `budget.SHARES`
    total: int | None
    seconds: float | None  # time allotted to it; the search's is shared by all workloads
    space: int | None = None  # search only: how many configs there are


@dataclass(frozen=True, slots=True)
class TrialDone:
    """One row was stored. `number` counts every row of the campaign from 0."""

    workload: Workload
    phase: str
    number: int
    config: Config
    point: Point
    status: Status
    seconds: float  # median, normalised by drift; inf unless ok
    gflops: float  # 0 unless ok
    reason: str
    best: Best | None  # of this workload
    elapsed: float  # seconds of this campaign, over all its sittings
    left: float | None  # seconds left of the whole budget; None without one
    template: str = ""
    worker: str = ""  # who measured it


@dataclass(frozen=True, slots=True)
class ModelTrained:
    """The cost model was trained anew; `quality` is its rank agreement on held-out trials (1 is perfect)."""

    workload: Workload
    trained_on: int
    quality: float | None


@dataclass(frozen=True, slots=True)
class PlanChosen:
    """A plan was chosen and stored. A provisional one comes out of an interrupted campaign."""

    workload: Workload
    plan: DispatchPlan
    summary: tuple[str, ...]  # sentences
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """The last event, whatever happened. `how_to_resume` is a command; empty if nothing is left to do."""

    campaign_id: str
    state: str  # finished | interrupted
    reason: str
    best: tuple[Best, ...]
    trials: int
    by_status: Mapping[Status, int] = field(default_factory=dict)
    elapsed: float = 0.0
    how_to_resume: str = ""
    others: tuple[str, ...] = ()  # who is still at work on it


Event = CampaignStarted | PhaseStarted | TrialDone | ModelTrained | PlanChosen | CampaignEnded
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of those who do not want to know."""

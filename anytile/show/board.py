"""State of a running campaign for whoever shows it, and the words it is told in. Draws nothing."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from anytile.core.plurals import counted
from anytile.db.records.records import Status
from anytile.schedules.workloads.workload import Any, Workload
from anytile.show.figures import duration_text
from anytile.tuner.ledger.events import (
    Best,
    CampaignEnded,
    CampaignStarted,
    Event,
    ModelTrained,
    PhaseStarted,
    PlanChosen,
    TrialDone,
)

PHASE_WORDS = {
    "search": "search",
    "cross": "cross-evaluate",
    "pair": "pair off",
    "profile": "profile",
    "confirm": "confirm",
    "again": "measure again",
}
_RATE_WINDOW = 64  # trials over which the rate is taken


@dataclass
class Lane:
    """One workload of the campaign."""

    workload: Workload
    phase: str = ""
    total: int | None = None
    in_phase: int = 0
    trials: int = 0
    best: Best | None = None
    planned: bool = False


@dataclass
class Board:
    """What has happened so far."""

    start: CampaignStarted | None = None
    end: CampaignEnded | None = None
    lanes: dict[Workload, Lane] = field(default_factory=dict)
    statuses: Counter[Status] = field(default_factory=Counter)
    elapsed: float = 0.0
    left: float | None = None
    model: float | None = None
    latest: Lane | None = None  # where the last trial was
    workers: Counter[str] = field(default_factory=Counter)  # who measured how many trials
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_RATE_WINDOW))

    def see(self, event: Event) -> None:
        match event:
            case CampaignStarted():
                self.start = event
                self.left = event.seconds
                self.lanes = {w: Lane(w) for w in event.workloads}
            case PhaseStarted():
                lane = self.lane(event.workload)
                lane.phase, lane.total, lane.in_phase = event.phase, event.total, 0
            case TrialDone():
                lane = self.lane(event.workload)
                lane.in_phase += 1
                lane.trials += 1
                lane.best = event.best or lane.best
                self.latest = lane
                self.statuses[event.status] += 1
                if event.worker:
                    self.workers[event.worker] += 1
                self.elapsed, self.left = event.elapsed, event.left
                self.recent.append(event.elapsed)
            case ModelTrained():
                self.model = event.quality
            case PlanChosen():
                self.lane(event.workload).planned = not event.provisional
            case CampaignEnded():
                self.end, self.elapsed = event, event.elapsed

    def lane(self, workload: Workload) -> Lane:
        return self.lanes.setdefault(workload, Lane(workload))

    @property
    def trials(self) -> int:
        return sum(self.statuses.values())

    @property
    def failed(self) -> int:
        return self.trials - self.statuses[Status.OK]

    @property
    def rate(self) -> float:
        """Trials per second, lately."""
        if len(self.recent) < 2 or self.recent[-1] <= self.recent[0]:
            return 0.0
        return (len(self.recent) - 1) / (self.recent[-1] - self.recent[0])

    def failures_text(self) -> str:
        parts = [
            f"{status} {self.statuses[status]}"
            for status in Status
            if status is not Status.OK and self.statuses[status]
        ]
        return ", ".join(parts)


def workers_text(workers: Mapping[str, int]) -> str:
    """Who measured how much, where several did."""
    ordered = sorted(workers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered) if len(ordered) > 1 else ""


def heading(start: CampaignStarted) -> list[str]:
    learns = [f"learns from {counted(start.warmed_by, 'trial')} of older campaigns"] if start.warmed_by else []
    budget = [counted(start.trials, "trial")] if start.trials is not None else []
    budget += [duration_text(start.seconds)] if start.seconds is not None else []
    what = "resumes" if start.resumed else "starts"
    done = f", {counted(start.trials_done, 'trial')} stored before" if start.resumed else ""
    return [
        f"campaign {start.campaign_id[:8]} {what}: {counted(len(start.workloads), 'workload')} on {start.target}{done}",
        f"{start.strategy} search, {start.runner} runner, seed {start.seed}, budget {' or '.join(budget) or 'none'}",
        *learns,
    ]


def model_text(quality: float, trained_on: int) -> str:
    """How good the cost model is: 1 orders trials that it has not seen as they turned out, 0 as chance would."""
    return f"cost model of {trained_on} trials ranks those held out with {quality:.2f} (1 is perfect)"


def short_name(workload: Workload) -> str:
    """`dense m=? n=768 k=768`: enough to tell the workloads of one campaign apart."""
    dims = (f"{name}={'?' if isinstance(dim, Any) and dim.name == name else dim}" for name, dim in workload.dims)
    return " ".join([workload.op, *dims])

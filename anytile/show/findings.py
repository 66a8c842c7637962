"""Results of a campaign, read out of the database: the data behind the final table, `--json` and the report.

Nothing is computed that was not stored: times are medians of stored samples, curves are the profile that the chosen
plan carries. What runs untuned is no part of that; its curve is the plan's by the ratio that cross-evaluation found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anytile.core.errors import SpecError
from anytile.db.records.records import WORKERS, Campaign, Status, Trial, Versions
from anytile.dispatch.plans.why import recorded
from anytile.schedules.plans.plan import UNTUNED, DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.show.figures import geometric_mean
from anytile.show.plan_words import over_untuned
from anytile.tuner.protocol.attribution import number_in

if TYPE_CHECKING:
    from anytile.db.record_keeper import Keeping


OURS = "anytile"


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds of one system by size."""

    system: str
    seconds: Mapping[int, float]


@dataclass(frozen=True)
class Found:
    """One workload of a campaign."""

    workload: Workload
    trials: tuple[Trial, ...]
    plan: DispatchPlan | None = None

    def of(self, kind: str) -> list[Trial]:
        return [t for t in self.trials if t.kind == kind]

    @property
    def best(self) -> Trial | None:
        """The fastest searched config at the representative shape."""
        good = [t for t in self.of("search") if t.status is Status.OK]
        return min(good, key=lambda t: t.corrected, default=None)

    @property
    def symbol(self) -> str | None:
        if self.plan is not None:
            return self.plan.symbol
        return self.workload.symbols[0] if self.workload.symbols else None

    def rate(self, trial: Trial) -> float:
        """The GFLOP/s of a trial that succeeded."""
        return self.workload.flops(trial.point) / trial.corrected / 1e9

    def gflops(self, seconds: float, size: int | None) -> float:
        """The rate at one size; the workload's other symbols stand as they were measured."""
        bindings = dict(self.trials[-1].point) if self.trials else {}
        if self.symbol is not None and size is not None:
            bindings[self.symbol] = size
        if set(bindings) != set(self.workload.symbols) or seconds <= 0:
            return 0.0
        return self.workload.flops(bindings) / seconds / 1e9

    def curves(self) -> list[Curve]:
        """The plan first, then its rivals: the libraries it was profiled beside, and what runs untuned."""
        return plan_curves(self.plan) if self.plan is not None else []


@dataclass(frozen=True)
class Findings:
    """A campaign and everything it found."""

    campaign: Campaign
    found: tuple[Found, ...]
    statuses: Mapping[Status, int] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return sum(self.statuses.values())

    def versions(self) -> list[Versions]:
        """The distinct versions it was measured with, newest first."""
        return list(dict.fromkeys(t.versions for f in self.found for t in reversed(f.trials) if t.versions))

    def devices(self) -> list[str]:
        return list(dict.fromkeys(t.device for f in self.found for t in f.trials if t.device))

    def workers(self) -> dict[str, int]:
        """Who measured how many trials, as far as that was kept."""
        names = self.campaign.options.get(WORKERS)
        known = names if isinstance(names, list) else []
        numbers = Counter(number_in(t.facts) for f in self.found for t in f.trials)
        return {str(name): numbers[place] for place, name in enumerate(known, start=1) if numbers[place]}

    def failures(self) -> list[tuple[Status, str, int]]:
        """Status, reason and how often, the most frequent first."""
        counted = Counter((t.status, t.reason) for f in self.found for t in f.trials if t.status is not Status.OK)
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        return [(status, reason, count) for (status, reason), count in ordered]


def gather(store: Keeping, campaign_id: str) -> Findings:
    """Everything about one campaign; an unknown one is the store's error."""
    campaign = store.campaign(campaign_id)
    trials = sorted(store.trials(campaign_id=campaign.id), key=lambda t: t.seed_order)
    plans = _plans(store, campaign)
    found = tuple(Found(w, tuple(t for t in trials if t.workload == w), plans.get(w)) for w in campaign.workloads)
    return Findings(campaign, found, dict(Counter(t.status for t in trials)))


def _plans(store: Keeping, campaign: Campaign) -> dict[Workload, DispatchPlan]:
    """The newest plan per workload that this campaign chose."""
    here = (s for workload in campaign.workloads for s in store.selections(workload, campaign.target))
    mine = [s for s in here if s.campaign_id == campaign.id]
    plans = {}
    for selection in sorted(mine, key=lambda s: s.created):
        try:
            plans[selection.workload] = DispatchPlan.from_json(selection.plan)
        except SpecError:
            continue  # written by another version: the trials can still be shown
    return plans


def plan_curves(plan: DispatchPlan) -> list[Curve]:
    """What the plan takes at each profiled size, then each library profiled beside it, and what runs untuned."""
    series = recorded(plan)
    sizes = sorted({size for one in series.values() for size in one.seconds})
    runs = {size: series.get(plan.range_at(size).runs) for size in sizes}
    ours = {size: one.seconds[size] for size, one in runs.items() if one is not None and size in one.seconds}
    rivals = [Curve(name, one.seconds) for name, one in series.items() if isinstance(name, str)]
    untuned = {size: ours[size] * ratio for size, ratio in over_untuned(plan).items() if size in ours}
    rivals += [Curve(UNTUNED, untuned)] if untuned else []
    return [Curve(OURS, ours), *rivals] if ours else rivals


def ratio(ours: Mapping[int, float], theirs: Mapping[int, float], sizes: Iterable[int] | None = None) -> float:
    """How many times as long they take, as a geometric mean over the sizes that both have; 0 without any."""
    shared = [s for s in (sizes or ours) if s in ours and s in theirs]
    return geometric_mean([theirs[s] / ours[s] for s in shared])

"""Reports on a database: what `anytile db list | show | best | stats` say, worked out from records as plain data.

Pure functions: they open nothing and print nothing, so a page, a JSON answer and a terminal show the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anytile.db.records.records import Campaign, Miss, Selection, Stats, Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

_MOST = 1e15  # of a budget


@dataclass(frozen=True, slots=True)
class CampaignLine:
    """One campaign in `db list`."""

    id: str
    state: str
    created: float
    finished: float | None
    target: Target
    workloads: tuple[Workload, ...]
    trials: int
    ok: int
    asked_trials: int | None = None  # its budget
    asked_seconds: float | None = None
    spent: float | None = None  # seconds so far
    last: float | None = None  # of one that is running: when its last trial was measured

    @property
    def failed(self) -> int:
        return self.trials - self.ok


@dataclass(frozen=True, slots=True)
class BestLine:
    """The fastest configs of one workload on one target, and the plan that stands for it."""

    workload: Workload
    target: Target
    rank: int  # from 1
    template: str
    config: Config
    point: Mapping[str, int]
    seconds: float  # corrected for drift
    gflops: float
    device: str
    campaign_id: str
    selection: Selection | None


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which trials of a campaign failed."""

    status: Status
    reason: str  # its first line
    count: int


@dataclass(frozen=True, slots=True)
class WorkloadDetail:
    """What a campaign did for one workload."""

    workload: Workload
    statuses: Mapping[Status, int]
    configs: int  # different ones that were tried
    points: int  # different sizes at which anything was measured
    best: BestLine | None
    selection: Selection | None


@dataclass(frozen=True, slots=True)
class CampaignDetail:
    """`db show`."""

    campaign: Campaign
    trials: int
    statuses: Mapping[Status, int]
    kinds: Mapping[str, int]
    workloads: tuple[WorkloadDetail, ...]
    failures: tuple[Failure, ...]  # most frequent first
    devices: tuple[str, ...]
    versions: tuple[str, ...]
    drift: tuple[float, float]  # lowest and highest


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of `db stats`."""

    what: str
    value: str


def campaign_lines(campaigns: Iterable[Campaign], counts: Mapping[str, Mapping[Status, int]]) -> list[CampaignLine]:
    """Newest first. `counts` is `Store.counts()`."""
    lines = [
        CampaignLine(
            id=c.id,
            state=c.state,
            created=c.created,
            finished=c.finished,
            target=c.target,
            workloads=c.workloads,
            trials=sum(counts.get(c.id, {}).values()),
            ok=counts.get(c.id, {}).get(Status.OK, 0),
            asked_trials=_whole(_option(c, "request", "trials")),
            asked_seconds=_number(_option(c, "request", "seconds")),
            spent=_number(_option(c, "progress", "spent")),
        )
        for c in campaigns
    ]
    return sorted(lines, key=lambda line: (-line.created, line.id))


def _option(campaign: Campaign, part: str, name: str) -> object:
    """Options are what somebody stored, in any form."""
    found = campaign.options.get(part)
    return found.get(name) if isinstance(found, Mapping) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and _is_number(value) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and _is_number(value) else None


def _is_number(value: float) -> bool:
    """One that can be computed with and shown."""
    return not isinstance(value, bool) and -_MOST < value < _MOST


def best_lines(trials: Iterable[Trial], selections: Iterable[Selection], top: int = 1) -> list[BestLine]:
    """The `top` fastest configs of every workload and target, by search trials at the size most of them have."""
    newest: dict[tuple[Workload, Target], Selection] = {}
    for s in sorted(selections, key=lambda s: s.created):
        newest[s.workload, s.target] = s
    groups: dict[tuple[Workload, Target], list[Trial]] = {}
    for t in trials:
        if t.status is Status.OK and t.kind == "search":
            groups.setdefault((t.workload, t.target), []).append(t)
    lines = []
    for (workload, target), group in sorted(groups.items(), key=lambda g: (str(g[0][0]), str(g[0][1]))):
        for rank, trial in enumerate(_fastest(group)[:top], start=1):
            lines.append(
                BestLine(
                    workload=workload,
                    target=target,
                    rank=rank,
                    template=trial.template,
                    config=trial.config,
                    point=trial.point,
                    seconds=trial.corrected,
                    gflops=workload.flops(trial.point) / trial.corrected / 1e9,
                    device=trial.device,
                    campaign_id=trial.campaign_id,
                    selection=newest.get((workload, target)),
                )
            )
    return lines


def _fastest(trials: list[Trial]) -> list[Trial]:
    """Each config's fastest trial, fastest first. Only trials at one point can be compared: the most frequent one."""
    points = Counter(tuple(sorted(t.point.items())) for t in trials)
    point = min(points, key=lambda p: (-points[p], p))
    best: dict[tuple[str, Config], Trial] = {}
    for t in sorted(trials, key=lambda t: (t.corrected, t.id)):
        if tuple(sorted(t.point.items())) == point:
            best.setdefault((t.template, t.config), t)
    return list(best.values())


def campaign_detail(campaign: Campaign, trials: Iterable[Trial], selections: Iterable[Selection]) -> CampaignDetail:
    """`trials` and `selections` may be those of other campaigns too; only this one's count."""
    mine = [t for t in trials if t.campaign_id == campaign.id]
    chosen = [s for s in selections if s.campaign_id == campaign.id]
    failures = Counter((t.status, _first_line(t.reason)) for t in mine if t.status is not Status.OK)
    drifts = [t.drift for t in mine] or [1.0]
    made_with = {
        f"anytile {v.anytile}, template {v.template}, codegen {v.codegen}, LLVM {v.llvm}, Python {v.python}"
        for t in mine
        if (v := t.versions) is not None
    }
    return CampaignDetail(
        campaign=campaign,
        trials=len(mine),
        statuses=_counted(mine),
        kinds=dict(Counter(t.kind for t in mine)),
        workloads=tuple(_workload_detail(w, mine, chosen) for w in campaign.workloads),
        failures=tuple(
            Failure(status, reason, count)
            for (status, reason), count in sorted(failures.items(), key=lambda f: (-f[1], f[0]))
        ),
        devices=tuple(sorted({t.device for t in mine if t.device})),
        versions=tuple(sorted(made_with)),
        drift=(min(drifts), max(drifts)),
    )


def _workload_detail(workload: Workload, trials: list[Trial], selections: list[Selection]) -> WorkloadDetail:
    mine = [t for t in trials if t.workload == workload]
    chosen = [s for s in selections if s.workload == workload]
    return WorkloadDetail(
        workload=workload,
        statuses=_counted(mine),
        configs=len({(t.template, t.config) for t in mine}),
        points=len({tuple(sorted(t.point.items())) for t in mine}),
        best=next(iter(best_lines(mine, chosen)), None),
        selection=max(chosen, key=lambda s: (s.created, s.id), default=None),
    )


def stat_facts(stats: Stats, misses: Iterable[Miss], most: int = 5) -> list[Fact]:
    """What the database holds, and the workloads it was most often asked for in vain."""
    size = "" if stats.bytes is None else f", {stats.bytes / 1e6:.1f} MB"
    failed = {s.value: n for s, n in stats.statuses.items() if s is not Status.OK}
    facts = [
        Fact("database", f"{stats.name} (revision {stats.revision}{size})"),
        Fact("workloads", str(stats.workloads)),
        Fact("targets", str(stats.targets)),
        Fact("devices", str(stats.devices)),
        Fact("campaigns", str(stats.campaigns)),
        Fact("plans", str(stats.selections)),
        Fact("trials", f"{stats.trials}{_in_words(stats.kinds)}"),
        Fact("failed", f"{sum(failed.values())}{_in_words(failed)}"),
        Fact("missed", str(stats.misses)),
    ]
    wanted = sorted(misses, key=lambda m: (-m.count, str(m.workload)))[:most]
    facts += [Fact(f"wanted {m.count}x", f"{m.workload} on {m.target}") for m in wanted]
    facts += [Fact("not readable", f"{text} (upgrade anytile)") for text in stats.unreadable]
    return facts


def _counted(trials: Iterable[Trial]) -> dict[Status, int]:
    counted = Counter(t.status for t in trials)
    return {status: counted[status] for status in Status if counted[status]}


def _in_words(counts: Mapping[str, int]) -> str:
    words = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    return f" ({words})" if words else ""


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]

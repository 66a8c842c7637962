"""Leaderboard: the fastest configs of every workload and target, and where newer versions do worse than older ones.

Only trials of one kind, at one point, can be compared: search trials, at the point that most of them have. Layers count
as one database; what stands in several counts once.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anytile.db.records.records import Selection, Trial, Versions
from anytile.db.sql import fastest
from anytile.db.sql.fastest import Group
from anytile.db.store import Store
from anytile.db.summary import BestLine, best_lines
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

TOLERANCE = 0.05  # by so much one machine's days may differ
Held: TypeAlias = tuple[Store, Group]  # a group, and the layer that it is in
Groups: TypeAlias = list[Held]  # of one workload and target
Generation: TypeAlias = tuple[list[int], int, list[int]]  # anytile, code generation, LLVM


@dataclass(frozen=True, slots=True)
class BestList:
    """Lines of the leaderboard; `pairs` workloads and targets would have some."""

    lines: tuple[BestLine, ...]
    pairs: int


@dataclass(frozen=True, slots=True)
class VersionBest:
    """The fastest search trial with one set of versions."""

    versions: Versions
    seconds: float
    gflops: float
    trials: int  # so many were searched
    config: str
    created: float
    campaign_id: str


@dataclass(frozen=True, slots=True)
class Regression:
    """A workload whose newest versions have not reached what older ones did, on one machine."""

    workload: Workload
    target: Target
    point: Mapping[str, int]
    device: str
    slower: float  # seconds now over seconds before
    before: VersionBest  # the best of all older ones
    now: VersionBest
    history: tuple[VersionBest, ...]  # oldest versions first


def best(store: Store, top: int = 1, words: str = "", first: int = 0, most: int | None = None) -> BestList:
    """The `top` fastest configs of the workloads and targets whose texts have all the words: of all, or of `most` of
    them from the `first` on."""
    there = _by_pair(store)
    pairs = [pair for pair in sorted(there) if has_words(" ".join(pair), words)]
    lines: list[BestLine] = []
    for pair in pairs[first:][:most]:
        trials = _fastest(_at_one_point(there[pair]), top)
        if trials:
            lines += best_lines(trials, _selections(store, trials[0]), top)
    return BestList(tuple(lines), len(pairs))


def has_words(text: str, words: str) -> bool:
    return all(word in text.lower() for word in words.lower().split())


def _by_pair(store: Store) -> dict[tuple[str, str], Groups]:
    """By the texts of the workload and the target."""
    found: dict[tuple[str, str], Groups] = defaultdict(list)
    for layer in store.layers:
        for group in layer.groups():
            found[group.workload, group.target].append((layer, group))
    return found


def _at_one_point(groups: Groups) -> Groups:
    """Those at the point that most trials have; of equally many the first."""
    points = {group.point for _, group in groups}
    if len(points) == 1:
        return groups
    weights: Counter[str] = Counter()
    for layer, group in groups:
        weights[group.point] += group.trials or _count(layer, group)
    point = min(points, key=lambda p: (-weights[p], p))
    return [(layer, group) for layer, group in groups if group.point == point]


def _count(layer: Store, group: Group) -> int:
    return layer.read(lambda c: fastest.count(c, group))


def _first(layer: Store, group: Group, most: int) -> list[Trial]:
    return layer.read(lambda c: fastest.fastest(c, group, most, layer.lacks))


def _fastest(groups: Groups, top: int) -> list[Trial]:
    """Trials that have the `top` fastest configs among them. A config may have been measured often."""
    most = top
    while True:
        found = [_first(layer, group, most) for layer, group in groups]
        # What was not read of a group is slower than the last that was.
        known = min((some[-1].corrected for some in found if len(some) == most), default=math.inf)
        trials = {trial.id: trial for some in found for trial in some}
        configs = {(t.template, t.config) for t in trials.values() if t.corrected <= known}
        if len(configs) >= top or known == math.inf:
            return list(trials.values())
        most *= 4


def _selections(store: Store, trial: Trial) -> list[Selection]:
    return [s for layer in store.layers for s in layer.selections(trial.workload, trial.target, sound=True)]


def regressions(store: Store, tolerance: float = TOLERANCE) -> list[Regression]:
    """Where the newest versions are slower by more than the tolerance, the worst first.

    Newest are the newest anytile, code generation and LLVM that searched there, with the newest version of each
    template. Both trials that are compared are the fastest of their versions, by the same machine.
    """
    versions: dict[str, Versions] = {}
    for layer in store.layers:
        versions |= layer.read(fastest.made_with)
    found = []
    for _, groups in sorted(_by_pair(store).items()):
        known = [(layer, group) for layer, group in groups if group.versions_id in versions]
        if len({group.versions_id for _, group in known}) > 1:
            found.append(_regression(_at_one_point(known), versions, tolerance))
    return sorted(filter(None, found), key=lambda r: (-r.slower, str(r.workload), str(r.target)))


def _regression(groups: Groups, versions: Mapping[str, Versions], tolerance: float) -> Regression | None:
    made = [(held, versions[str(held[1].versions_id)]) for held in groups]
    newest = max(_generation(v) for _, v in made)
    template = max(v.template for _, v in made)
    surely_current = [held[1].fastest for held, v in made if (_generation(v), v.template) == (newest, template)]
    limit = (1 + tolerance) * min(group.fastest for _, group in groups)
    if surely_current and min(surely_current) <= limit:  # as nearly everywhere: no trial need be read
        return None
    return _compared([_Made(t, held, v) for held, v in made for t in _fastest([held], 1)[:1]], newest, tolerance)


@dataclass(frozen=True, slots=True)
class _Made:
    """The fastest trial of a group, and what it was made with."""

    trial: Trial
    held: Held
    versions: Versions

    @property
    def seconds(self) -> float:
        return self.trial.corrected

    def best(self) -> VersionBest:
        layer, group = self.held
        return VersionBest(
            versions=self.versions,
            seconds=self.seconds,
            gflops=self.trial.workload.flops(self.trial.point) / self.seconds / 1e9,
            trials=_count(layer, group),
            config=str(self.trial.config),
            created=self.trial.created,
            campaign_id=self.trial.campaign_id,
        )


def _compared(found: Sequence[_Made], newest: Generation, tolerance: float) -> Regression | None:
    today: dict[str, int] = {}
    for one in found:
        today[one.trial.template] = max(today.get(one.trial.template, 0), one.versions.template)

    def is_current(one: _Made) -> bool:
        return _generation(one.versions) == newest and one.versions.template == today[one.trial.template]

    current = [one for one in found if is_current(one)]
    if not current:
        return None
    now = min(current, key=lambda one: one.seconds)
    older = [one for one in found if not is_current(one) and one.trial.device == now.trial.device]
    before = min(older, key=lambda one: one.seconds, default=now)
    if now.seconds <= (1 + tolerance) * before.seconds:
        return None
    history = sorted([*older, now], key=lambda one: (_generation(one.versions), one.versions.template))
    bests = {one.trial.id: one.best() for one in history}
    return Regression(
        workload=now.trial.workload,
        target=now.trial.target,
        point=now.trial.point,
        device=now.trial.device,
        slower=now.seconds / before.seconds,
        before=bests[before.trial.id],
        now=bests[now.trial.id],
        history=tuple(bests[one.trial.id] for one in history),
    )


def _generation(v: Versions) -> Generation:
    return _numbers(v.anytile), v.codegen, _numbers(v.llvm)


def _numbers(text: str) -> list[int]:
    """`0.10.2` as numbers that can be ordered."""
    return [int(n) for n in re.findall(r"\d{1,9}", text)]

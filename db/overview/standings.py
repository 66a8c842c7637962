"""Leaderboard: the fastest configs of every workload and target, and where newer versions do worse than older ones.

Only trials of one kind, at one point, can be compared: search trials, at the point that most of them have. Layers count
as one database; what stands in several counts once.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from sqlalchemy import Connection

from anytile.db.records.records import Selection, Trial, Versions
from anytile.db.sql import fastest, queries
from anytile.db.sql.fastest import Group
from anytile.db.store import Store
from anytile.db.summary import BestLine, best_lines
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

T = TypeVar("T")
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
    shown = [_at_one_point(there[pair]) for pair in pairs[first:][:most]]
    if top == 1:
        known = _firsts([held for groups in shown for held in groups])
        tried = [[known[held] for held in groups if held in known] for groups in shown]
    else:
        tried = [_fastest(groups, top) for groups in shown]
    selections = _selections(store, [(trials[0].workload, trials[0].target) for trials in tried if trials])
    lines: list[BestLine] = []
    for trials in filter(None, tried):
        lines += best_lines(trials, selections[trials[0].workload, trials[0].target], top)
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
    counts = _counts([held for held in groups if not held[1].trials])
    for held in groups:
        weights[held[1].point] += held[1].trials or counts[held]
    point = min(points, key=lambda p: (-weights[p], p))
    return [(layer, group) for layer, group in groups if group.point == point]


def _of_layers(helds: Sequence[Held], ask: Callable[[Connection, Store, list[Group]], dict[Group, T]]) -> dict[Held, T]:
    """What is asked of each layer's groups at once."""
    by_layer: dict[Store, list[Group]] = defaultdict(list)
    for layer, group in helds:
        by_layer[layer].append(group)
    found: dict[Held, T] = {}
    for layer, groups in by_layer.items():
        answers = layer.read(lambda c, layer=layer, groups=groups: ask(c, layer, groups))  # type: ignore[misc]
        found |= {(layer, group): answer for group, answer in answers.items()}
    return found


def _firsts(helds: Sequence[Held]) -> dict[Held, Trial]:
    """The fastest trial of each group."""
    return _of_layers(helds, lambda connection, layer, groups: fastest.firsts(connection, groups, layer.lacks))


def _counts(helds: Sequence[Held]) -> dict[Held, int]:
    """How many trials each group has."""
    return _of_layers(helds, lambda connection, _, groups: fastest.counts(connection, groups))


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


def _selections(
    store: Store, pairs: Sequence[tuple[Workload, Target]]
) -> Mapping[tuple[Workload, Target], list[Selection]]:
    found: dict[tuple[Workload, Target], list[Selection]] = defaultdict(list)
    for layer in store.layers:
        newest = layer.read(lambda c, layer=layer: queries.newest_selections(c, pairs, layer.lacks))  # type: ignore[misc]
        for selection in newest:
            found[selection.workload, selection.target].append(selection)
    return found


def regressions(store: Store, tolerance: float = TOLERANCE) -> list[Regression]:
    """Where the newest versions are slower by more than the tolerance, the worst first.

    Newest are the newest anytile, code generation and LLVM that searched there, with the newest version of each
    template. Both trials that are compared are the fastest of their versions, by the same machine.
    """
    versions: dict[str, Versions] = {}
    for layer in store.layers:
        versions |= layer.read(queries.made_with)
    doubted: list[Groups] = []
    for _, groups in sorted(_by_pair(store).items()):
        known = [(layer, group) for layer, group in groups if group.versions_id in versions]
        if len({group.versions_id for _, group in known}) > 1:
            there = _at_one_point(known)
            if not _surely_holds(there, versions, tolerance):
                doubted.append(there)
    firsts = _firsts([held for groups in doubted for held in groups])
    slower: list[_Slower] = []
    for groups in doubted:
        made = [_Made(firsts[held], held, versions[str(held[1].versions_id)]) for held in groups if held in firsts]
        newest = max(_generation(versions[str(group.versions_id)]) for _, group in groups)
        if (one := _compared(made, newest, tolerance)) is not None:
            slower.append(one)
    counts = _counts([made.held for one in slower for made in one.history])
    return sorted((one.told(counts) for one in slower), key=lambda r: (-r.slower, str(r.workload), str(r.target)))


def _surely_holds(groups: Groups, versions: Mapping[str, Versions], tolerance: float) -> bool:
    """As nearly everywhere: the newest versions are fast enough, and no trial need be read."""
    made = [(group.fastest, versions[str(group.versions_id)]) for _, group in groups]
    newest = max(_generation(v) for _, v in made)
    template = max(v.template for _, v in made)
    current = [seconds for seconds, v in made if (_generation(v), v.template) == (newest, template)]
    return bool(current) and min(current) <= (1 + tolerance) * min(seconds for seconds, _ in made)


@dataclass(frozen=True, slots=True)
class _Made:
    """The fastest trial of a group, and what it was made with."""

    trial: Trial
    held: Held
    versions: Versions

    @property
    def seconds(self) -> float:
        return self.trial.corrected

    def best(self, counts: Mapping[Held, int]) -> VersionBest:
        return VersionBest(
            versions=self.versions,
            seconds=self.seconds,
            gflops=self.trial.workload.flops(self.trial.point) / self.seconds / 1e9,
            trials=counts[self.held],
            config=str(self.trial.config),
            created=self.trial.created,
            campaign_id=self.trial.campaign_id,
        )


@dataclass(frozen=True, slots=True)
class _Slower:
    """A regression, before anybody counted trials."""

    before: _Made
    now: _Made
    history: tuple[_Made, ...]

    def told(self, counts: Mapping[Held, int]) -> Regression:
        trial = self.now.trial
        return Regression(
            workload=trial.workload,
            target=trial.target,
            point=trial.point,
            device=trial.device,
            slower=self.now.seconds / self.before.seconds,
            before=self.before.best(counts),
            now=self.now.best(counts),
            history=tuple(one.best(counts) for one in self.history),
        )


def _compared(found: Sequence[_Made], newest: Generation, tolerance: float) -> _Slower | None:
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
    return _Slower(before, now, tuple(history))


def _generation(v: Versions) -> Generation:
    return _numbers(v.anytile), v.codegen, _numbers(v.llvm)


def _numbers(text: str) -> list[int]:
    """`0.10.2` as numbers that can be ordered."""
    return [int(n) for n in re.findall(r"\d{1,9}", text)]

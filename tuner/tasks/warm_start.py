"""The warm start: which trials of older campaigns a search learns from before it has measured anything itself.

Taken are search trials of the same templates, as they are today, for the same or related workloads on the same or a
compatible target: the nearest first, of equally near ones the newest, up to a limit. What a campaign was started with
stays fixed: sources name the first so many rows of a campaign, which nobody changes, and stand in the campaign's
options. So a resumed search proposes the same, whatever others measured meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.core.errors import DatabaseError
from anytile.core.plurals import counted
from anytile.db.lookup.distance import target_distance, workload_distance
from anytile.db.record_keeper import Keeping
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.protocol.machine_state import without_state
from anytile.tuner.search.state import Observation

PAIRS = 4  # workloads (with their targets) that each workload learns from
CAMPAIGNS = 2  # of each of them
MOST = 192  # observations that one search learns from, its own campaign's other workloads included
EACH = 64  # of them from one campaign's search for one workload

Key = tuple[Workload, str]  # a workload and a template


@dataclass(frozen=True, slots=True)
class Source:
    """The search trials of one template for one workload among the first `rows` rows of an older campaign, `without`
    those that were set aside, by their ids: what is found out of others later changes no campaign's beginning."""

    campaign: str
    workload: Workload
    target: Target
    template: str
    rows: int
    count: int
    without: tuple[str, ...] = ()

    def take(self, trials: Iterable[Trial]) -> list[Trial]:
        without = frozenset(self.without)
        mine = [t for t in trials if t.template == self.template and t.target == self.target and t.id not in without]
        return sorted((t for t in mine if 0 <= t.seed_order < self.rows), key=lambda t: t.seed_order)


SOURCE = codec_of(Source)


def farness(source: Source, workload: Workload, target: Target) -> float:
    return workload_distance(source.workload, workload) + target_distance(source.target, target)


def find(store: Keeping, wanted: Mapping[Workload, Sequence[Template]], target: Target) -> tuple[Source, ...]:
    """Everything that any of these workloads should learn from: the same store always gives the same answer."""
    found: dict[tuple[Workload, Target], tuple[Source, ...]] = {}
    for op in sorted({w.op for w in wanted}):
        pairs = store.known_pairs(op)
        for workload in (w for w in wanted if w.op == op):
            far = {p: workload_distance(p[0], workload) + target_distance(p[1], target) for p in pairs}
            near = sorted((p for p in pairs if math.isfinite(far[p])), key=lambda p: far[p])
            learnt = 0
            for pair in near:  # in the order of their texts where they are equally far
                if pair not in found:
                    found[pair] = _sources(store, *pair, wanted[workload])
                learnt += bool(found[pair])
                if learnt == PAIRS:
                    break
    return tuple(source for sources in found.values() for source in sources)


def _sources(store: Keeping, workload: Workload, target: Target, templates: Sequence[Template]) -> tuple[Source, ...]:
    """The newest campaigns of a workload on a target; trials that another version of a template made, or that are set
    aside, teach nothing."""
    versions = {t.name: t.version for t in templates}
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in store.trials(workload=workload, target=target, kind="search", sound=True):
        made_with = trial.versions.template if trial.versions is not None else None
        if trial.campaign_id and trial.seed_order >= 0 and made_with == versions.get(trial.template, -1):
            groups.setdefault((trial.campaign_id, trial.template), []).append(trial)
    newest: dict[str, float] = {}
    for (campaign, _), of in groups.items():
        newest[campaign] = max(newest.get(campaign, 0.0), *(t.created for t in of))
    kept = sorted(newest, key=lambda c: (-newest[c], c))[:CAMPAIGNS]
    there = {c: store.trials(campaign_id=c, workload=workload, kind="search") for c in kept}

    def source(campaign: str, name: str, sound: Sequence[Trial]) -> Source:
        found = Source(campaign, workload, target, name, max(t.seed_order for t in sound) + 1, len(sound))
        ids = {t.id for t in sound}
        return replace(found, without=tuple(t.id for t in found.take(there[campaign]) if t.id not in ids))

    return tuple(source(*key, of) for key, of in sorted(groups.items(), key=lambda item: item[0]) if key[0] in kept)


def load(store: Keeping, sources: Iterable[Source]) -> dict[Source, list[Trial]]:
    """The trials that sources name, as they were when the campaign started."""
    loaded = {}
    for source in sources:
        rows = store.trials(campaign_id=source.campaign, workload=source.workload, kind="search")
        loaded[source] = source.take(rows)
        if len(loaded[source]) != source.count:
            raise DatabaseError(
                f"database {store.name}: this campaign learns from {counted(source.count, 'trial')} of campaign "
                f"{source.campaign[:8]}, of which {len(loaded[source])} are left; start a new campaign"
            )
    return loaded


def taught(
    older: Mapping[Source, Sequence[Trial]], workload: Workload, target: Target, template: str
) -> tuple[tuple[Observation, ...], ...]:
    """What loaded sources say to one search, a group each, the nearest first."""
    near = {s: farness(s, workload, target) for s in older if s.template == template}
    told = sorted((s for s in near if math.isfinite(near[s])), key=lambda s: near[s])
    return tuple(tuple(observed(t, f"{s.campaign} {s.workload}") for t in older[s]) for s in told)


def telling(found: Sequence[Observation]) -> list[Observation]:
    """At most so many: half of them the fastest, the others evenly over the rest; the slow and failed teach too."""
    ranked = sorted(found, key=lambda o: (o.seconds, str(o.config)))
    if len(ranked) <= EACH:
        return ranked
    head, tail = ranked[: EACH // 2], ranked[EACH // 2 :]
    wanted = EACH - len(head)
    return head + [tail[i * len(tail) // wanted] for i in range(wanted)]


def observed(trial: Trial, group: str = "") -> Observation:
    return Observation(trial.config, normalised(trial), trial.status, without_state(trial.facts), group)


def adopted(found: Iterable[Observation], space: ConfigSpace, default: Config) -> list[Observation]:
    """With the knobs of this space: those that only the other has are dropped, those it lacks are the default's.

    What does not fit even so is left out. `constraint` is no failure of a config's.
    """
    names = [k.name for k in space.knobs]
    kept = []
    for o in found:
        given = dict(o.config.values)
        config = Config(tuple(sorted((name, given.get(name, default[name])) for name in names)))
        if config in space and o.status is not Status.CONSTRAINT:
            kept.append(o if config == o.config else Observation(config, o.seconds, o.status, o.facts, o.group))
    return kept

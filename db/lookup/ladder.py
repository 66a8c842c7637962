"""Lookup with fallbacks: the best answer a database has for a workload on a target, and which rung of the ladder it is.

    exact       this workload on this target
    compatible  this workload on a target with the same code generation, other threads for instance, or with its
                constants elsewhere: in caches and not streamed from memory, or the other way round
    nearest     another workload of the same operator, of sizes not too far away, by the template that leads here
    model       what a cost model of other workloads' trials prefers: an estimate
    default     the template's default config

A rung is taken only with configs that today's template accepts. Stale records of the same workload come after current
ones of the first two rungs, and only ever as a config, never as a plan. Foreign records are not used, but mentioned.
For a supported operator there is always an answer, whatever the database holds or fails at.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TypeAlias

from sqlalchemy import Connection

from anytile.core.errors import AnytileError, DatabaseError
from anytile.db.lookup import messages
from anytile.db.lookup.distance import differing_options, is_far, renaming, target_distance, workload_distance
from anytile.db.lookup.evidence import Evidence, Fits, Grade, Graded, Pair, at_size, find, read_ahead, version_ids
from anytile.db.lookup.plausibility import doubt
from anytile.db.records.records import Versions
from anytile.db.sql.queries import known_pairs, pairs_of
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import CONFIG, DispatchPlan, template_versions, templates_met
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Any, Workload

Found: TypeAlias = Iterator[Evidence]
Fitted: TypeAlias = tuple[Config, Mapping[str, Value]]
_CURRENT = (Grade.EXACT, Grade.COMPATIBLE)
_AHEAD = 16  # of the nearest records, those that are read for many lookups together


class Rung(enum.Enum):
    """Where an answer comes from, best first."""

    EXACT = "exact"
    COMPATIBLE = "compatible"
    NEAREST = "nearest"
    MODEL = "model"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a cost model puts first, of how many configs, and what speaks for the model."""

    template: str
    config: Config
    candidates: int
    trust: str


Rank: TypeAlias = Callable[[Workload, Target], Estimate]  # what it cannot judge is an AnytileError that says so


@dataclass(frozen=True, slots=True)
class Answer:
    """What lookup found; a dispatch plan, if there is one, for exactly this workload and target."""

    workload: Workload
    target: Target
    rung: Rung
    grade: Grade
    dispatch_plan: DispatchPlan | None
    template: str
    config: Config | None  # None only where the plan calls libraries alone
    reason: str
    source: Evidence | None = None

    @property
    def plan(self) -> str | None:
        """The dispatch plan's JSON."""
        return None if self.dispatch_plan is None else self.dispatch_plan.to_json()

    @property
    def is_miss(self) -> bool:
        """Whether tuning this workload here would give a better founded answer."""
        return self.rung is not Rung.EXACT or self.grade is Grade.STALE

    def why(self) -> str:
        """Which rung answered, from what record, and what speaks against it, in a sentence."""
        return self.reason


def lookup(
    store: Store | None, workload: Workload, target: Target, versions: Versions, rank: Rank | None = None
) -> Answer:
    """The best answer for the workload on the target, for tools of these versions; `rank` estimates, if given."""
    templates = templates_for(workload, target)  # an operator without a template is the one thing that is refused
    if store is None:
        return _unrecorded(templates, workload, target, rank, "There is no tuning database")

    def make() -> Answer:
        ladder = _Ladder(store, workload, target, versions, {t.name: t for t in templates})
        with store.at_one_moment():  # many records may be passed over
            found = store.read(ladder.climb)
        return found or _unrecorded(templates, workload, target, rank, ladder.nothing())

    try:
        return store.memo((lookup, workload, target, versions, rank), make)
    except DatabaseError as error:
        return _unrecorded(templates, workload, target, rank, f"The records could not be read ({error})")


def foresee(store: Store, asked: Sequence[tuple[Workload, Target, Versions]]) -> None:
    """Within a moment of the store: reads for all of these together what a lookup would ask of each."""

    def read(connection: Connection) -> None:
        pairs: dict[tuple[Versions, tuple[int, ...]], dict[Pair, None]] = {}
        for workload, target, versions in asked:
            templates = {t.name: t for t in templates_for(workload, target)}
            ladder = _Ladder(store, workload, target, versions, templates)
            of = pairs.setdefault((versions, ladder.serving), {})
            of |= dict.fromkeys([(workload, target), *islice(ladder.nearest(connection), _AHEAD)])
        for (versions, serving), of in pairs.items():
            read_ahead(connection, tuple(of), _version_ids(store, connection, versions, serving), store.in_moment)

    store.read(read)


def _version_ids(store: Store, connection: Connection, now: Versions, serving: tuple[int, ...]) -> Graded:
    return store.memo((version_ids, now, serving), lambda: version_ids(connection, now, serving))


def front(store: Store, workload: Workload, target: Target, versions: Versions) -> list[tuple[Evidence, str]]:
    """The record that answers for exactly this workload and target, and before it those that are set aside, and why."""
    templates = templates_for(workload, target)
    ladder = _Ladder(store, workload, target, versions, {t.name: t for t in templates})
    return store.read(ladder.front)


@dataclass(frozen=True, slots=True)
class _Near:
    """The workloads and targets of an operator of which there is something, the nearest first."""

    same: tuple[Pair, ...]  # the same workload by another name, or elsewhere
    other: tuple[Pair, ...]
    far: tuple[Pair, ...]
    foreign: tuple[Pair, ...]


class _Ladder:
    """One lookup's way down the rungs that stand on records."""

    def __init__(
        self,
        store: Store,
        workload: Workload,
        target: Target,
        versions: Versions,
        templates: dict[str, Template],
    ) -> None:
        self._store = store
        self._workload = workload
        self._target = target
        self._versions = versions
        self._templates = templates
        # The given versions speak for the first template.
        self._today = {
            name: versions.template if i == 0 else t.version for i, (name, t) in enumerate(templates.items())
        }
        self._fitted: dict[tuple[str, Config, bool], Fitted | None] = {}
        self._foreign: tuple[Pair, ...] = ()
        self._far: tuple[Pair, ...] = ()
        self._unusable: set[str] = set()
        self._behind: set[str] = set()
        self._doubted: list[tuple[Evidence, str]] = []

    @property
    def serving(self) -> tuple[int, ...]:
        """The versions of templates that count as today's."""
        return tuple(sorted(set(self._today.values())))

    def climb(self, connection: Connection) -> Answer | None:
        w, t = self._workload, self._target
        ids = _version_ids(self._store, connection, self._versions, self.serving)
        direct = next(self._usable(self._current(self._find(connection, w, t, ids, _CURRENT))), None)
        if direct is not None:
            return self._of_same(direct)
        near = self._near(connection)
        self._foreign, self._far = near.foreign, near.far
        for pair in near.same:
            for found in self._usable(self._current(self._find(connection, *pair, ids, _CURRENT))):
                return self._of_same(found)
        for pair in near.same:
            for found in self._usable(self._configs(self._stale(self._find(connection, *pair, ids, tuple(Grade))))):
                return self._of_stale(found)
        for pair in self._served(connection, near.other):
            near_ones = self._find(connection, *pair, ids, _CURRENT, self._fits(pair[1]))
            for found in self._configs(self._current(near_ones)):
                answer = self._of_nearest(found, len(near.other))
                if answer is not None:
                    return answer
        return None

    def nearest(self, connection: Connection) -> Iterator[Pair]:
        """Of what records there are that may answer, the nearest first."""
        near = self._near(connection)
        return chain(near.same, self._served(connection, near.other))

    def _near(self, connection: Connection) -> _Near:
        def work_out() -> _Near:
            w, t = self._workload, self._target
            known = self._store.memo((known_pairs, w.op), lambda: known_pairs(connection, w.op))
            targets = dict.fromkeys(pair[1] for pair in known)
            away = {target: target_distance(target, t) for target in targets}
            elsewhere = {target for target in targets if differing_options(target, t) is None}
            ranked: list[tuple[float, bool, Pair]] = []
            for record, pairs in groupby(known, key=itemgetter(0)):
                off = workload_distance(record, w)
                if math.isinf(off):
                    continue
                is_same = renaming(record, w) is not None
                there = [(off + away[pair[1]], is_same, pair) for pair in pairs]
                ranked += [one for one in there if not math.isinf(one[0])]
            ranked.sort(key=itemgetter(0))  # what is equally far stays in the order of the texts
            other = tuple(pair for _, is_same, pair in ranked if not is_same)
            far = {record for record, _ in other if is_far(record, w)}
            return _Near(
                same=tuple(pair for _, is_same, pair in ranked if is_same),
                other=tuple(pair for pair in other if pair[0] not in far),
                far=tuple(pair for pair in other if pair[0] in far),
                foreign=tuple(pair for pair in known if pair[1] in elsewhere),
            )

        return self._store.in_moment((_Near, self._workload, self._target), work_out)

    def _served(self, connection: Connection, pairs: Sequence[Pair]) -> Iterator[Pair]:
        """Those of which something was made with versions that count as ours."""
        ids = _version_ids(self._store, connection, self._versions, self.serving)
        made = tuple(sorted(one for grade in _CURRENT for one in ids[grade]))
        op = self._workload.op
        current = self._store.memo((pairs_of, op, made), lambda: pairs_of(connection, op, made))
        return (pair for pair in pairs if pair in current)

    def front(self, connection: Connection) -> list[tuple[Evidence, str]]:
        """What answers for exactly this workload and target, the last, and before it what is passed over, and why."""
        ids = version_ids(connection, self._versions, self.serving)
        found = self._current(self._find(connection, self._workload, self._target, ids, _CURRENT))
        answer = [(one, "") for one in islice(self._usable(found), 1)]
        return [*self._doubted, *answer]

    def _find(
        self,
        connection: Connection,
        w: Workload,
        t: Target,
        ids: Graded,
        grades: Collection[Grade],
        fits: Fits | None = None,
    ) -> Found:
        """Evidence that may be used; what contradicts physics or no longer holds is set aside and mentioned."""
        for one in find(connection, w, t, ids, grades, self._store.lacks, self._store.in_moment, fits):
            said = doubt(one)
            if not said:
                yield one
            elif all(one.id != other.id for other, _ in self._doubted):
                self._doubted.append((one, said))

    def nothing(self) -> str:
        """Why no record could answer."""
        doubted = messages.doubted(self._doubted)
        behind = (self._led, len(self._behind))
        unusable = len(self._unusable)
        reason = messages.nothing(self._store.name, self._workload.op, self._foreign, self._far, unusable, behind)
        return f"{reason}. {doubted.removesuffix('.')}" if doubted else reason

    def _current(self, found: Iterator[Evidence]) -> Iterator[Evidence]:
        return (one for one in found if not self._is_old(one))

    def _stale(self, found: Iterator[Evidence]) -> Iterator[Evidence]:
        return (replace(one, grade=Grade.STALE) for one in found if one.grade is Grade.STALE or self._is_old(one))

    def _is_old(self, one: Evidence) -> bool:
        """Whether another version of one of its templates made it. Templates of one operator count up on their own."""
        if one.plan is not None:
            made = template_versions(one.plan)
        else:
            made = {one.template: one.versions.template} if one.versions is not None else {}
        return any(self._today.get(name, version) != version for name, version in made.items())

    def _usable(self, found: Iterator[Evidence]) -> Iterator[Evidence]:
        """As ours, those whose every config today's templates accept: a record is data from anywhere."""
        for one in found:
            try:
                if not self._is_here(one):
                    one = self._adopted(one)
                if one.plan is not None:
                    one = replace(one, plan=taken_over(one.plan, one.workload, self._workload, self._target))
                for run in [one] if one.plan is None else one.plan.variants:
                    self._check(run.template, run.config)
            except AnytileError:
                self._unusable.add(one.id)
            else:
                yield one

    def _is_here(self, one: Evidence) -> bool:
        """Whether it was measured as it is to run: on this target, with its constants where ours are."""
        return one.target == self._target and one.workload.streamed == self._workload.streamed

    def _adopted(self, one: Evidence) -> Evidence:
        """With our knobs: those only the other has are dropped; what it lacks or we do not take is the default's."""
        config, plan = None if one.config is None else self._adopt(one.template, one.config), one.plan
        if plan is not None:
            variants = tuple(replace(v, config=self._adopt(v.template, v.config)) for v in plan.variants)
            plan = replace(plan, variants=variants)
        return replace(one, config=config, plan=plan)

    def _adopt(self, name: str, config: Config) -> Config:
        if name not in self._templates:
            return config
        knobs = self._templates[name].space(self._workload, self._target).knobs
        default, given = self._templates[name].default(self._workload, self._target), dict(config.values)
        taken = {k.name: given[k.name] for k in knobs if k.name in given and given[k.name] in k.values}
        return Config(tuple((k.name, taken.get(k.name, default[k.name])) for k in knobs))

    def _check(self, template: str, config: Config | None) -> None:
        if template not in self._templates or config is None:
            raise DatabaseError(f"template {template!r} is not there")
        self._templates[template].space(self._workload, self._target).check(config)

    def _configs(self, found: Iterator[Evidence]) -> Iterator[Evidence]:
        """The same evidence as a config alone: the one its plan has for the asked size, where that is a number."""
        for one in found:
            asked = {
                mine.name: theirs
                for (_, mine), (_, theirs) in zip(one.workload.dims, self._workload.dims, strict=True)
                if isinstance(mine, Any) and isinstance(theirs, int)
            }
            if one.plan is not None and one.plan.symbol in asked:
                one = at_size(one, one.plan, asked[one.plan.symbol])
            if one.config is not None:
                yield replace(one, plan=None)
            elif one.plan is None:
                self._unusable.add(one.id)

    def _of_same(self, found: Evidence) -> Answer:
        if self._is_here(found):
            reason = messages.exact(found, self._workload, self._versions) + self._unmet(found)
            return self._answer(Rung.EXACT, found.grade, found, reason, found.plan)
        reason = messages.compatible(found, self._workload, self._target) + self._unmet(found)
        return self._answer(Rung.COMPATIBLE, Grade.COMPATIBLE, found, reason, found.plan)

    def _unmet(self, found: Evidence) -> str:
        """That the template which leads here did not take part in a plan: another anytile made it, or one was asked for
        alone."""
        if found.plan is None or self._led is None or self._led in templates_met(found.plan):
            return ""
        return f" {messages.unmet(self._led)}"

    def _of_stale(self, found: Evidence) -> Answer:
        rung = Rung.EXACT if self._is_here(found) else Rung.COMPATIBLE
        return self._answer(rung, Grade.STALE, found, messages.stale(found, self._target, self._versions), None)

    @cached_property
    def _led(self) -> str | None:
        """The template that an estimate puts before all others for this workload, if one does."""
        return next((n for n, t in self._templates.items() if t.leads(self._workload, self._target)), None)

    def _is_behind(self, id_: str, template: str) -> bool:
        """Whether what was measured of another workload is less than an estimate says of this one."""
        if self._led in (None, template):
            return False
        self._behind.add(id_)
        return True

    def _of_nearest(self, found: Evidence, candidates: int) -> Answer | None:
        if self._is_behind(found.id, found.template):
            return None
        fitted = None if found.config is None else self._fit(found.template, found.config, found.target)
        if fitted is None:
            self._unusable.add(found.id)
            return None
        config, replaced = fitted
        reason = messages.nearest(found, self._workload, self._target, candidates, dict(replaced))
        return replace(self._answer(Rung.NEAREST, Grade.COMPATIBLE, found, reason, None), config=config)

    def _fits(self, target: Target) -> Fits:
        """Whether a trial of another workload on this target has a config for ours."""

        def fits(id_: str, template: str, config: str) -> bool:
            if self._is_behind(id_, template):
                return False
            try:
                fitted = self._fit(template, CONFIG.load(config), target)
            except AnytileError:
                fitted = None
            if fitted is None:
                self._unusable.add(id_)
            return fitted is not None

        return fits

    def _fit(self, template: str, config: Config, target: Target) -> Fitted | None:
        """Another workload's config as ours, and what of it had to be replaced; the trials near to us have few
        different ones."""
        key = (template, config, target == self._target)
        if key not in self._fitted:
            try:
                self._fitted[key] = self._replaced(template, config, is_here=key[-1])
            except AnytileError:
                self._fitted[key] = None
        return self._fitted[key]

    def _replaced(self, name: str, config: Config, is_here: bool) -> Fitted:
        """Another shape may forbid a knob's value (a block longer than the dimension); the default's is taken then."""
        if name not in self._templates:
            raise DatabaseError(f"template {name!r} is not there")
        template = self._templates[name]
        space = template.space(self._workload, self._target)
        default = template.default(self._workload, self._target)
        given = config if is_here else self._adopt(name, config)
        allowed = {k.name: k.values for k in space.knobs}
        replaced = {n: default[n] for n, v in given.values if n in allowed and v not in allowed[n]}
        fitted = given.with_(**replaced)
        space.check(fitted)
        return fitted, replaced

    def _answer(self, rung: Rung, grade: Grade, found: Evidence, reason: str, plan: DispatchPlan | None) -> Answer:
        reason = " ".join(filter(None, (reason, messages.doubted(self._doubted))))
        return Answer(self._workload, self._target, rung, grade, plan, found.template, found.config, reason, found)


def taken_over(plan: DispatchPlan, record: Workload, asked: Workload, target: Target) -> DispatchPlan:
    """The plan under the asked symbols' names and target. Times that were measured otherwise are left out."""
    if (plan.workload, plan.target) == (asked, target):
        return plan
    ranges = plan.ranges
    if plan.target != target or record.streamed != asked.streamed:
        where = plan.target if plan.target != target else record
        ranges = tuple(
            replace(r, seconds=None, at=None, because=f"{r.because or 'chosen there'}; taken over from {where}")
            for r in ranges
        )
    symbol = plan.symbol and (renaming(record, asked) or {}).get(plan.symbol, plan.symbol)
    return replace(plan, workload=asked, target=target, symbol=symbol, ranges=ranges)


def _unrecorded(
    templates: Sequence[Template], workload: Workload, target: Target, rank: Rank | None, because: str
) -> Answer:
    """The two rungs that need no record."""
    template = templates[0]
    default = template.default(workload, target)
    if rank is not None:
        try:
            best = rank(workload, target)
            by_name = {t.name: t for t in templates}
            if best.template not in by_name:
                raise DatabaseError(f"the cost model puts template {best.template!r} first, which is not there")
            by_name[best.template].space(workload, target).check(best.config)
        except AnytileError as error:
            because = f"{because}. {_sentence(error)}"
        else:
            reason = messages.model(because, best.config, default, best.candidates, best.trust)
            return Answer(workload, target, Rung.MODEL, Grade.NONE, None, best.template, best.config, reason)
    reason = messages.default(because, template.name, default)
    return Answer(workload, target, Rung.DEFAULT, Grade.NONE, None, template.name, default, reason)


def _sentence(error: AnytileError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]

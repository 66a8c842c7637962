"""Training of the database-wide cost model from trials, and its hold-out: how near its choices come to the best.

Only orders within one campaign, workload and size are learnt, so fast machines and small shapes do not outvote the
rest. The hold-out leaves workloads out, a share of every operator's at a time: a model that never saw any trial of them
ranks what it would choose from, as for a lookup, and the figure is the time of the best that was measured over the time
of the first of those that was; where none was, it chooses among what was, and of what it cannot tell apart the slowest
counts. Of an operator that it knows nothing of it is the default that is judged, as lookups then take that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Protocol, TypeVar

import numpy as np

from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.estimate.columns import Asked, Columns, said_of, word_numbers
from anytile.tuner.estimate.learned import KEPT, SYMBOL_SIZES, Choice, Learned
from anytile.tuner.protocol.candidate import Contender
from anytile.tuner.search.model import FEWEST, CostModel

MOST_TRIALS = 16_384  # more would cost minutes and change little
PER_GROUP = 192
MOST_TARGETS = 8  # CPUs that LLVM has to be asked about, those with the most trials: each costs a process of its own
MEMBERS = 2  # of the ensemble: one learns from pairs, one from places
FOREST = 4
FOLDS = 8  # with fewer, all workloads of a kind may be left out at once
SIZES = 4  # of an operator, those it was measured at most often
_BEST = 4  # configs of a group without finalists that are worth trying elsewhere

K = TypeVar("K", bound=Hashable)


class TrialSource(Protocol):
    """What is needed of a store."""

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]: ...

    def trials(
        self,
        *,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        sound: bool = False,
    ) -> list[Trial]: ...


@dataclass(frozen=True, slots=True)
class Group:
    """Trials whose times can be compared: one campaign's of a workload at a size."""

    workload: Workload
    target: Target
    point: Mapping[str, int]
    trials: tuple[Trial, ...]
    finalists: frozenset[Contender] = frozenset()  # what the campaign measured after its search, at any size

    @property
    def seconds(self) -> list[float]:
        return [t.corrected for t in self.trials]

    def asked(self) -> list[tuple[Asked, list[int]]]:
        """The configs by their templates, and which trials they are of."""
        found = []
        for name in sorted({t.template for t in self.trials}):
            at = [i for i, t in enumerate(self.trials) if t.template == name]
            space = template(name).space(self.workload, self.target)
            configs = tuple(space.whole(self.trials[i].config) for i in at)
            found.append((Asked(name, tuple(k.name for k in space.knobs), configs), at))
        return found


@dataclass(frozen=True, slots=True)
class Share:
    """What a choice on a workload that the model had not seen reached of the best measured there, over its sizes."""

    op: str
    share: float


@dataclass(frozen=True)
class Holdout:
    """How well the choices were on workloads held out."""

    shares: tuple[Share, ...] = ()

    @property
    def mean(self) -> float:
        return geometric_mean(s.share for s in self.shares) if self.shares else math.nan

    @property
    def worst(self) -> float:
        return min((s.share for s in self.shares), default=math.nan)

    def by_op(self) -> dict[str, Holdout]:
        ops = sorted({s.op for s in self.shares})
        return {op: Holdout(tuple(s for s in self.shares if s.op == op)) for op in ops}


def measured(store: TrialSource, kind: str, ops: Iterable[str] = tuple(OPERATORS)) -> list[Trial]:
    """What was measured of these operators, in the order it was made, and not set aside; of others nothing is read."""
    pairs = [(w, on) for op in ops for w, on in store.known_pairs(op) if on.kind == kind]
    found = [t for w, on in pairs for t in store.trials(workload=w, target=on, status=Status.OK, sound=True)]
    return sorted(found, key=lambda t: (t.created, t.seed_order, t.id))


def grouped(trials: Iterable[Trial], most: int = MOST_TRIALS) -> list[Group]:
    """What can be learnt from: of today's templates, comparable with others, and not more than is worth the time."""
    groups: dict[str, list[Trial]] = {}
    finalists: dict[str, set[Contender]] = {}
    for trial in trials:
        if not math.isfinite(trial.corrected) or not _is_of_today(trial):
            continue
        if trial.kind in ("search", "cross"):
            groups.setdefault(f"{_whose(trial)} {sorted(trial.point.items())}", []).append(trial)
        else:
            finalists.setdefault(_whose(trial), set()).add(Contender(trial.template, trial.config))
    asked = _most((t.target for of in groups.values() for t in of if _is_foreign(t.target)), MOST_TARGETS)
    kept = [of for of in groups.values() if len(of) > 1 and (of[0].target in asked or not _is_foreign(of[0].target))]
    share = max(8, min(PER_GROUP, most // max(1, len(kept))))
    found = [
        Group(
            of[0].workload,
            of[0].target,
            dict(of[0].point),
            _telling(of, share),
            frozenset(finalists.get(_whose(of[0]), ())),
        )
        for of in kept
    ]
    return [group for group in found[-(most // 2) :] if _is_readable(group)]


def _whose(trial: Trial) -> str:
    return f"{trial.campaign_id} {trial.workload} {trial.target}"


def learn(groups: Sequence[Group], kind: str) -> Learned | None:
    """A model of all groups; None where there is too little to learn from."""
    seconds = [s for group in groups for s in group.seconds]
    if len(seconds) < FEWEST:
        return None
    words = word_numbers((group.workload for group in groups), (t.config for group in groups for t in group.trials))
    names: set[str] = set()
    for group in groups:
        for asked, _ in group.asked():
            names |= said_of(group.workload, group.target, group.point, asked, words)
    columns = Columns(tuple(sorted(names)), words)
    rows = np.empty((len(seconds), len(columns.names)))
    first = 0
    for group in groups:
        for asked, at in group.asked():
            rows[[first + i for i in at]] = columns.rows(group.workload, group.target, [group.point], asked)
        first += len(group.trials)
    labels = [str(i) for i, group in enumerate(groups) for _ in group.trials]
    model = CostModel(rows, seconds, labels, members=MEMBERS, forest=FOREST)
    versions = {name: template(name).version for group in groups for name in {t.template for t in group.trials}}
    threads = tuple(sorted({group.target.threads for group in groups}))
    portfolio, sizes = _portfolio(groups), _sizes(groups)
    return Learned(kind, model, columns, portfolio, sizes, threads, versions, CODEGEN_VERSION, len(seconds))


def hold_out(groups: Sequence[Group], kind: str) -> Holdout:
    """What the choices of models reach on workloads that they never saw."""
    shares: list[Share] = []
    for model, workload, its in left_out(groups, kind):
        ranked = {target: answers(model, workload, target) for target in {group.target for group in its}}
        reached = [_reached(model, ranked[group.target], group) for group in its]
        shares.append(Share(workload.op, geometric_mean(reached)))
    return Holdout(tuple(sorted(shares, key=lambda s: (s.op, s.share))))


def left_out(groups: Sequence[Group], kind: str) -> Iterator[tuple[Learned, Workload, list[Group]]]:
    """Every workload once, with a model that was trained without it: of an operator with a single one, on other
    operators only."""
    places = {w: i for of in _by_op(groups).values() for i, w in enumerate(of)}
    for fold in range(FOLDS):
        out = [group for group in groups if places[group.workload] % FOLDS == fold]
        model = learn([group for group in groups if places[group.workload] % FOLDS != fold], kind)
        if model is not None:
            for workload in dict.fromkeys(group.workload for group in out):
                yield model, workload, [group for group in out if group.workload == workload]


def _by_op(groups: Sequence[Group]) -> dict[str, list[Workload]]:
    found: dict[str, list[Workload]] = {}
    for workload in sorted({group.workload for group in groups}, key=str):
        found.setdefault(workload.op, []).append(workload)
    return found


def answers(model: Learned, workload: Workload, target: Target) -> list[Choice]:
    """What a lookup would come to, the best first: the default where the model says nothing."""
    try:
        return model.ranked(workload, target)
    except UnsupportedError:
        first = templates_for(workload, target)[0]
        return [Choice(0.0, first.name, first.default(workload, target))]


def _reached(model: Learned, ranked: Iterable[Choice], group: Group) -> float:
    seconds: dict[Contender, float] = {}
    for trial in group.trials:
        of = Contender(trial.template, trial.config)
        seconds[of] = min(trial.corrected, seconds.get(of, math.inf))
    best = min(seconds.values())
    for choice in ranked:
        took = seconds.get(Contender(choice.template, choice.config))
        if took is not None:
            return best / took
    scores = np.empty(len(group.trials))
    for asked, at in group.asked():
        scores[at] = model.scores(group.workload, group.target, [group.point], asked)[0]
    return best / max(took for took, score in zip(group.seconds, scores, strict=True) if score == scores.max())


def _is_of_today(trial: Trial) -> bool:
    made = trial.versions
    try:
        return made is None or (made.template, made.codegen) == (template(trial.template).version, CODEGEN_VERSION)
    except AnytileError:  # a library, or a template of another anytile
        return False


def _is_foreign(target: Target) -> bool:
    return target.kind == "llvm" and not target.is_host


def _is_readable(group: Group) -> bool:
    """Whether it can be made rows of: a target that this LLVM does not know is a teammate's newer one."""
    try:
        for asked, _ in group.asked():
            said_of(group.workload, group.target, group.point, asked, {})
    except AnytileError:
        return False
    return True


def _telling(of: Sequence[Trial], most: int) -> tuple[Trial, ...]:
    """At most so many: half of them the fastest, the others evenly over the rest."""
    ranked = sorted(of, key=lambda t: t.corrected)
    if len(ranked) <= most:
        return tuple(ranked)
    head, tail = ranked[: most // 2], ranked[most // 2 :]
    wanted = most - len(head)
    return (*head, *(tail[i * len(tail) // wanted] for i in range(wanted)))


def _portfolio(groups: Sequence[Group]) -> dict[str, tuple[Config, ...]]:
    """By template, what campaigns took beyond their search most often, weighed by how near it came to the best: that
    was good at several sizes, where the fastest of a search may be so at one. Of a search alone its fastest few."""
    worth: dict[str, Counter[Config]] = {}
    for group in groups:
        best = min(group.seconds)
        further = [t for t in group.trials if Contender(t.template, t.config) in group.finalists]
        for trial in further or sorted(group.trials, key=lambda t: t.corrected)[:_BEST]:
            worth.setdefault(trial.template, Counter())[trial.config] += best / trial.corrected  # type: ignore[assignment]  # weights
    return {
        name: tuple(sorted(of, key=lambda config: (-of[config], str(config)))[:KEPT])
        for name, of in sorted(worth.items())
    }


def _sizes(groups: Sequence[Group]) -> dict[str, tuple[int, ...]]:
    """By operator, what its symbols were measured at most often."""
    seen: dict[str, list[int]] = {}
    for group in groups:
        seen.setdefault(group.workload.op, []).extend(v for v in group.point.values() for _ in group.trials)
    return {op: tuple(sorted(_most(values, SIZES))) or SYMBOL_SIZES for op, values in sorted(seen.items())}


def _most(things: Iterable[K], count: int) -> frozenset[K]:
    """The most frequent ones, the same of the same store."""
    counted = Counter(things)
    return frozenset(sorted(counted, key=lambda thing: (-counted[thing], str(thing)))[:count])

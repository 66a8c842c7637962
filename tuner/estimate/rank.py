"""The model rung of lookup: a config for a workload that nobody tuned, by what others measured of related ones.

The model is the one that `db train` keeps in the database, the first layer's that has one. Where none has, one is
trained at the first question about an operator, from that operator's trials in the store alone; it says nothing of
workloads that are far from all of these.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.core.plurals import counted
from anytile.db.lookup.distance import is_far
from anytile.db.records.records import StoredModel
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.estimate import document
from anytile.tuner.estimate.learned import Choice, Learned
from anytile.tuner.estimate.training import Holdout, TrialSource, grouped, hold_out, learn, measured
from anytile.tuner.search.model import FEWEST

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Estimate

AT_ONCE = 2048  # trials that a question may have to wait for
FIRST = 4  # configs of each template that a campaign tries first


class ModelSource(TrialSource, Protocol):
    """What is needed of a store: its trials, and the model that it keeps."""

    def model_id(self, kind: str) -> str | None: ...

    def model(self, kind: str) -> StoredModel | None: ...


class Modelled(Protocol):
    """What a campaign needs of the place that keeps its records."""

    def model(self, kind: str) -> StoredModel | None: ...


@dataclass(frozen=True, slots=True)
class Foretold:
    """A config that is worth trying first."""

    workload: Workload
    template: str
    config: Config


@dataclass(frozen=True)
class _Ready:
    """A model, and what speaks for it; or why there is none."""

    learned: Learned | None
    trust: str
    of: frozenset[Workload] = frozenset()  # what it was trained on here and now, which nobody tested


@dataclass(eq=False)
class Ranker:
    """`rank(workload, target)`; reads a model or trains one at the first question."""

    store: ModelSource
    _kept: dict[str, _Ready] = field(default_factory=dict, repr=False)  # by a stored model's id
    _trained: dict[tuple[str, str], _Ready] = field(default_factory=dict, repr=False)

    def __call__(self, workload: Workload, target: Target) -> Estimate:
        from anytile.db.lookup.ladder import Estimate  # which needs SQLAlchemy, and campaigns do not

        choices, trust = self.ranked(workload, target)
        best = choices[0]
        return Estimate(best.template, best.config, len(choices), trust)

    def ranked(self, workload: Workload, target: Target) -> tuple[list[Choice], str]:
        """All candidates, the best first, and what speaks for the model."""
        stored = self._stored(target.kind)
        if stored is not None and stored.learned is not None:
            return stored.learned.ranked(workload, target), stored.trust
        refused = "" if stored is None else f". {stored.trust}"
        about = (workload.op, target.kind)
        if about not in self._trained:
            self._trained[about] = _train(self.store, *about)
        ready = self._trained[about]
        if ready.learned is None:
            raise UnsupportedError(f"{ready.trust}{refused}")
        if all(is_far(known, workload) for known in ready.of):
            raise UnsupportedError(f"All trials of {workload.op} are of sizes too far from these to rank by{refused}")
        return ready.learned.ranked(workload, target), f"{ready.trust}{refused}"

    def _stored(self, kind: str) -> _Ready | None:
        """The model that is kept now; each is read once."""
        id_ = self.store.model_id(kind)
        if id_ is not None and id_ not in self._kept:
            found = self.store.model(kind)
            if found is None:
                return None
            id_ = found.id
            self._kept[id_] = _read(found)
        return None if id_ is None else self._kept[id_]


def foretold(store: Modelled, workloads: Iterable[Workload], target: Target) -> tuple[Foretold, ...]:
    """What a campaign should try first: by the model that the store keeps, if there is one that can be used."""
    found = store.model(target.kind)
    learned = None if found is None else _read(found).learned
    if learned is None:
        return ()
    made: list[Foretold] = []
    for workload in workloads:
        with suppress(AnytileError):  # a workload that it cannot judge is searched as without it
            of: dict[str, list[Choice]] = {}
            for choice in learned.ranked(workload, target):
                of.setdefault(choice.template, []).append(choice)
            made += [Foretold(workload, name, c.config) for name, best in of.items() for c in best[:FIRST]]
    return tuple(made)


def train(store: TrialSource, kind: str) -> document.Kept:
    """One model of everything that the store has measured on targets of a kind."""
    groups = grouped(measured(store, kind))
    learned = learn(groups, kind)
    if learned is None:
        raise UnsupportedError(
            f"fewer than {FEWEST} trials on {kind} to learn from; `{command_line('tune')}` makes some"
        )
    return document.Kept(learned, hold_out(groups, kind), time.time())


def trust(kept: document.Kept) -> str:
    """What speaks for a stored model: how much it was trained on, and how its choices did on what it had not seen."""
    day = time.strftime("%Y-%m-%d", time.gmtime(kept.created))
    made = f"It is an estimate: trained on {counted(kept.learned.trained_on, 'trial')} on {day}"
    if not kept.holdout.shares:
        return f"{made}, from too few workloads to hold some out"
    return f"{made}; {said(kept.holdout)}"


def said(holdout: Holdout) -> str:
    """`on 12 workloads held out its choices reached 95% of the best measured there, 80% at the worst`."""
    on = counted(len(holdout.shares), "workload")
    return (
        f"on {on} held out its choices reached {holdout.mean:.0%} of the best measured there, "
        f"{holdout.worst:.0%} at the worst"
    )


def _read(stored: StoredModel) -> _Ready:
    try:
        kept = document.from_text(stored.document)
    except AnytileError as error:
        return _Ready(None, f"A stored model is not used: {error}")
    return _Ready(kept.learned, trust(kept))


def _train(store: TrialSource, op: str, kind: str) -> _Ready:
    groups = grouped(measured(store, kind, [op]), AT_ONCE)
    learned = learn(groups, kind)
    if learned is None:
        return _Ready(None, f"There are fewer than {FEWEST} trials of {op} on {kind} to rank by; tune one first")
    made = f"It is an estimate: trained just now on {counted(learned.trained_on, 'trial')} of {op}"
    words = f"{made}, and not tested; `{command_line('db', 'train')}` learns from all and tests it"
    return _Ready(learned, words, frozenset(group.workload for group in groups))

"""Layered lookup: the user's, the team's and a packaged database asked in order, as a search path.

The first layer that was tuned for exactly the asked workload and target answers. Where none was, the best rung does; of
equal ones the earlier layer's. The answer says which database it is from.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.db.lookup import ladder
from anytile.db.lookup.evidence import Grade
from anytile.db.lookup.ladder import Answer, Rank, Rung
from anytile.db.records.records import Versions
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

_ORDER = tuple(Rung)


def lookup(
    store: Store | None, workload: Workload, target: Target, versions: Versions, rank: Rank | None = None
) -> Answer:
    """`ladder.lookup` in all layers of a store; `rank` speaks where none of them has a record."""
    if store is None or (len(store.layers) == 1 and not store.unopened):
        return ladder.lookup(store, workload, target, versions, rank)
    answers: list[Answer] = []
    for layer in store.layers:
        answer = ladder.lookup(layer, workload, target, versions)
        answers.append(answer)
        if not answer.is_miss:
            break
    position = min(range(len(answers)), key=lambda at: _worth(answers[at]))
    best, layer = answers[position], store.layers[position]
    if best.rung is Rung.DEFAULT:
        best = ladder.lookup(store, workload, target, versions, rank)
        others = [one.name for one in store.layers if one is not store]
        said = [f"Nothing is known in {', '.join(others)}."] if others else []
        return replace(best, reason=" ".join([*_not_asked(store), *said, best.reason]))
    where = f"This is from {layer.name}, layer {position + 1} of {len(store.layers)}."
    return replace(best, reason=" ".join([*_not_asked(store), best.reason, where]))


def _worth(answer: Answer) -> tuple[int, bool]:
    return _ORDER.index(answer.rung), answer.grade is Grade.STALE


def _not_asked(store: Store) -> list[str]:
    return [f"Not asked: {complaint}." for complaint in store.unopened]

"""Layered lookup: the user's, the team's and a packaged database asked in order, as a search path.

The first layer that was tuned for exactly the asked workload and target answers. Where none was, the best rung does; of
equal ones the earlier layer's. The answer says which database it is from. Below the user's own lies the set that comes
with anytile, unless databases are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from anytile.core.errors import DatabaseError
from anytile.db.lookup import ladder
from anytile.db.lookup.distance import covers
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
    if store is None or store.is_alone:
        return ladder.lookup(store, workload, target, versions, rank)
    layers: list[Store] = []
    answers: list[Answer] = []
    for layer in store.search_path():
        answer = ladder.lookup(layer, workload, target, versions)
        if layer.is_packaged and not _is_worth_taking(answer):
            continue
        layers.append(layer)
        answers.append(answer)
        if not answers[-1].is_miss:
            break
    if not answers:  # of the packaged set alone
        return ladder.lookup(None, workload, target, versions, rank)
    position = min(range(len(answers)), key=lambda at: _worth(answers[at]))
    best, layer = answers[position], layers[position]
    if best.rung is Rung.DEFAULT:
        best = ladder.lookup(store, workload, target, versions, rank)
        others = [one.name for one in layers if one is not store]
        said = [f"Nothing is known in {', '.join(others)}."] if others else []
        return replace(best, reason=" ".join([*_not_asked(store), *said, best.reason]))
    where = [f"This is from {layer.name}, layer {position + 1} of {len(store.layers)}."]
    if layer.is_packaged:
        where = [_packaged(best)]
    elif len(store.layers) == 1:
        where = []
    return replace(best, reason=" ".join([*_not_asked(store), best.reason, *where]))


def foresee(store: Store, asked: Sequence[tuple[Workload, Target, Versions]]) -> None:
    """Within a moment of the store: what lookups of all these would ask one after another is read together."""
    for layer in store.layers:
        with suppress(DatabaseError):  # which each lookup says in its answer
            ladder.foresee(layer, asked)


def _is_worth_taking(answer: Answer) -> bool:
    """Of the packaged set only what was tuned, for any size where ours is a number: untuned plans are faster than its
    nearest ones, by a sixth at worst, and for several threads faster than what was tuned for one, by two fifths at
    worst. Nor where constants lie elsewhere.
    """
    if answer.source is None or answer.grade is Grade.STALE:
        return False
    record, is_one = answer.source.workload, answer.source.target.threads == 1
    return (
        covers(record, answer.workload)
        and is_one == (answer.target.threads == 1)
        and record.streamed == answer.workload.streamed
    )


def _packaged(answer: Answer) -> str:
    made = None if answer.source is None else answer.source.versions
    if answer.source is None or made is None:
        return "This is from the packaged set."
    tools = f"anytile {made.anytile}, template {made.template}, codegen {made.codegen} and LLVM {made.llvm}"
    return f"This is from the packaged set, measured on {answer.source.device} ({answer.source.target}) with {tools}."


def _worth(answer: Answer) -> tuple[int, bool]:
    return _ORDER.index(answer.rung), answer.grade is Grade.STALE


def _not_asked(store: Store) -> list[str]:
    return [f"Not asked: {complaint}." for complaint in store.unopened]

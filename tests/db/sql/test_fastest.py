"""The skip scan against grouping in Python, on random trials."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import defaultdict

import pytest

from anytile.db.records.records import Status
from anytile.db.sql import fastest, queries
from anytile.db.sql.rows import canonical
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

WORKLOADS = [dense(Any("m"), n, 64, const=("w",)) for n in (64, 128, 192)]
TARGETS = [Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("haswell", "znver4")]


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_what_grouping_finds(store, samples, seed):
    rng = random.Random(seed)
    versions = [None, *(dataclasses.replace(samples.versions, llvm=f"{n}.0") for n in (20, 21, 22))]
    trials = [
        samples.trial(
            workload=rng.choice(WORKLOADS),
            target=rng.choice(TARGETS),
            versions=rng.choice(versions),
            point={"m": rng.choice((1, 64, 256))},
            kind=rng.choice(("search", "search", "cross")),
            status=status,
            samples=(rng.uniform(1e-4, 1e-3),) if status is Status.OK else (),
        )
        for status in rng.choices((Status.OK, Status.CRASHED), (4, 1), k=120)
    ]
    store.add_campaign(samples.campaign)
    store.add_trials(trials)
    expected = defaultdict(list)
    for t in trials:
        if t.status is Status.OK and t.kind == "search":
            expected[str(t.workload), str(t.target), t.versions, canonical(t.point)].append(t)
    made = {None: None, **store.read(queries.made_with)}
    groups = store.read(fastest.groups)
    found = {(g.workload, g.target, made[g.versions_id], g.point): g for g in groups}
    assert len(found) == len(groups)
    assert found.keys() == expected.keys()
    for key, group in found.items():
        there = sorted(expected[key], key=lambda t: t.corrected)
        assert group.fastest == there[0].corrected
        assert store.read(lambda c, g=group: fastest.count(c, g)) == len(there)
        first = store.read(lambda c, g=group: fastest.fastest(c, g, 2))
        assert [t.id for t in first] == [t.id for t in there[:2]]
        assert group.trials in (0, len(there))
    for (_, _), of_pair in itertools.groupby(sorted(groups, key=lambda g: (g.workload, g.target)),
                                             lambda g: (g.workload, g.target)):  # fmt: skip
        known = [g for g in of_pair if g.versions_id is not None]
        if len({g.point for g in known}) > 1:
            assert all(g.trials for g in known)


def test_an_empty_database_has_none(store):
    assert store.read(fastest.groups) == []

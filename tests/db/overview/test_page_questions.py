"""What pages ask of a database goes with what they show, and not with how much is stored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from anytile.api import suggested
from anytile.db.lookup.suggestions import suggestions
from anytile.db.overview.standings import best, regressions
from anytile.db.store import Store
from anytile.dispatch.service import look_up
from anytile.pages.data import Shown
from anytile.pages.shown_models import of_preset
from anytile.schedules.hardware.target import Target
from benchmarks.subjects.large_database import fill

CAMPAIGNS, WORKLOADS = 120, 12  # 48 pairs of a workload and a target, and more than one campaign for each
SIZES = (8, 32)  # trials of a campaign


@pytest.fixture
def stores(open_store: Callable[..., Store]) -> list[Store]:
    made = []
    for size in SIZES:
        store = open_store(f"of-{size}.db")
        fill(store, CAMPAIGNS * size, size, WORKLOADS)
        made.append(open_store(f"of-{size}.db", readonly=True))
    return made


@contextmanager
def asked() -> Iterator[list[str]]:
    """The statements that this thread sends meanwhile."""
    here, said = threading.get_ident(), list[str]()

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if threading.get_ident() == here and not statement.startswith(("BEGIN", "PRAGMA")):
            said.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def shown(store: Store) -> Shown:
    return Shown(store, [of_preset("bert-base")], Target.parse("llvm -mcpu=znver4 -threads=1"))


@pytest.mark.slow
def test_pages_ask_in_a_few_questions(stores: list[Store]) -> None:
    counts: dict[str, list[int]] = {}
    for store in stores:
        for name, page in {
            "best": lambda: best(store, 1, "", 0, 100).lines,  # noqa: B023
            "regressions": lambda: regressions(store),  # noqa: B023
            "missed": lambda: suggested(store, among=25),  # noqa: B023
            "coverage": lambda: shown(store).coverage(),  # noqa: B023
        }.items():
            with asked() as said:
                found = page()
            counts.setdefault(name, []).append(len(said))
            assert len(found) >= 1, name
    assert counts["best"][1] <= 3
    for store, number in zip(stores, counts.pop("regressions"), strict=True):
        shown_versions = sum(len(one.history) for one in regressions(store))
        assert number <= 3 + shown_versions  # of each set of versions that is shown trials are counted
    assert counts["missed"][1] <= 25 * 2
    assert counts["coverage"][1] <= 25
    for few, many in counts.values():
        assert many <= 1.3 * few


@pytest.mark.slow
def test_what_is_read_together_is_what_each_lookup_would_read(stores: list[Store]) -> None:
    for store in stores:
        alone = suggestions(store, lambda workload, target, store=store: look_up(workload, target, store), among=25)  # type: ignore[misc]
        assert suggested(store, among=25) == alone
        assert {one.rung for one in alone} == {"nearest"}
        model, target = of_preset("bert-base"), Target.parse("llvm -mcpu=znver4 -threads=1")
        (found,) = shown(store).coverage()
        for one in found.workloads:
            assert one.why == look_up(one.workload, target, store).why()
        assert {one.workload for one in found.workloads} == set(model.on(target))

"""Several ledgers of one campaign agree in the end, whoever could not ask the database meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from anytile.core.errors import Unreachable
from anytile.db.records.records import Campaign
from anytile.db.store import Store
from anytile.tuner.ledger import membership
from anytile.tuner.ledger.ledger import Ledger
from anytile.tuner.ledger.membership import Membership
from anytile.tuner.protocol.candidate import Candidate
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape")
CONFIGS = list(world.Landscape().space(world.request().workloads[0], world.TARGET))[:40]


@pytest.fixture
def open_ledger(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Ledger]]:
    """Ledgers of one campaign, each with a lease of its own."""
    monkeypatch.setattr(membership, "BEAT_S", 1e6)
    campaign = Campaign(world.request().workloads, world.TARGET, {})
    store.add_campaign(campaign)
    made: list[Ledger] = []

    def make() -> Ledger:
        mine = Membership(store.leases(campaign.id), name=f"worker {len(made)}")
        made.append(Ledger.reopen(store, campaign, lambda name: None, mine))
        return made[-1]

    yield make
    for one in made:
        one.membership.leave()


def wanted(start: int, stop: int) -> list[Candidate]:
    workload, point = world.request().workloads[0], (("m", 64),)
    return [Candidate(workload, world.TARGET, world.NAME, config, (point,)) for config in CONFIGS[start:stop]]


def measure(ledger: Ledger, start: int, stop: int) -> None:
    """A batch of the search, from the claim to the rows."""
    taken = ledger.leased("search", wanted(start, stop))
    assert taken is not None
    for one in taken:
        ledger.record(world.LandscapeRunner().outcome(one), "search")


def test_what_two_measured_without_the_database_has_numbers_of_its_own_and_is_known_to_both(
    store: Store, open_ledger: Callable[[], Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = open_ledger(), open_ledger()
    measure(first, 0, 4)
    measure(second, 4, 8)

    def away(*given: object) -> None:
        raise Unreachable("database team: Connection refused")

    with monkeypatch.context() as patch:
        for one in (first, second):
            patch.setattr(one.membership.leases, "claim", away)
        measure(first, 8, 12)  # numbered from 4 on, as the first knows of no others
        measure(second, 12, 20)
    for one in (first, second):
        one.membership.renew()
    measure(first, 20, 21)
    measure(second, 21, 22)
    for one in (first, second):
        one.sync()
    stored = store.trials()
    assert sorted(t.seed_order for t in stored) == list(range(22))
    for one in (first, second):
        assert {t.config for t in one.rows} == set(CONFIGS[:22])
        assert {t.id: t.seed_order for t in one.rows} == {t.id: t.seed_order for t in stored}


def test_who_was_held_for_dead_takes_no_number_that_was_given_out_again(
    store: Store, open_ledger: Callable[[], Ledger]
) -> None:
    first, second = open_ledger(), open_ledger()
    slow = first.leased("search", wanted(0, 2))
    assert slow is not None
    dead = [(one.id, one.beat) for one in second.membership.leases.live() if one.worker == "worker 0"]
    second.membership.leases.bury(dead)
    measure(second, 4, 8)
    for one in slow:
        first.record(world.LandscapeRunner().outcome(one), "search")
    assert sorted(t.seed_order for t in store.trials()) == list(range(6))
    measure(second, 8, 9)
    assert {t.config for t in second.sync()} == set(CONFIGS[:2])

"""Leases in the database: of what several processes ask for each gets its own part, whatever happens to one of them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.queues import Queue

import pytest

from anytile.core.errors import DatabaseError
from anytile.db.leases import Leases
from anytile.db.records.leases import LOST, SEARCH, SETTLE, Batch
from anytile.db.records.records import new_id, trial_id
from anytile.db.store import Store
from tests.db.conftest import Samples

IDS = [trial_id("7b0f0a52-62a1-4b9b-9d22-7a0a6f6d3c11", "search", "w", "t", f"c{i}", {}) for i in range(60)]  # type: ignore[arg-type]  # texts do as well
HERE = {"machine": "here", "process": 1, "since": "2"}


def wish(*places: int) -> Batch:
    return Batch("w", "t", tuple(f"c{i}" for i in places), tuple(IDS[i] for i in places))


@pytest.fixture
def leases(store, samples) -> Leases:
    store.add_campaign(samples.campaign)
    return store.leases(samples.campaign.id)


def test_what_one_has_in_hand_no_other_gets(leases):
    first, second = leases.enter("first", HERE), leases.enter("second", HERE)
    mine = leases.claim(first.id, wish(0, 1, 2), 0, [])
    assert (mine.batch.ids, mine.batch.first) == (tuple(IDS[:3]), 0)
    theirs = leases.claim(second.id, wish(1, 2, 3, 4), 0, [])
    assert theirs.batch.ids == tuple(IDS[3:5])
    assert theirs.batch.configs == ("c3", "c4")
    assert theirs.batch.first == 3  # behind what is in hand
    assert {(one.worker, one.batch.ids) for one in leases.live()} == {
        ("first", tuple(IDS[:3])),
        ("second", tuple(IDS[3:5])),
    }
    assert leases.claim(first.id, wish(5), 0, []).batch.first == 5  # the batch before is given back
    assert leases.claim(second.id, wish(0), 0, []).batch.ids == (IDS[0],)


def test_what_is_stored_is_not_given_out_again(leases, store, samples):
    store.add_trials([samples.trial(id=IDS[0], seed_order=6)])
    me = leases.enter("me", HERE)
    given = leases.claim(me.id, wish(0, 1), 2, [])
    assert (given.batch.ids, given.trials, given.batch.first) == ((IDS[1],), 1, 7)


def test_no_more_is_given_out_than_the_campaign_may_have(leases, store, samples):
    """Stored or in hand, whoever's: what is both counts once."""
    first, second = leases.enter("first", HERE), leases.enter("second", HERE)
    leases.claim(first.id, wish(0, 1, 2), 0, [])
    store.add_trials([samples.trial(id=IDS[0], seed_order=0), samples.trial(id=IDS[9], seed_order=9)])
    assert leases.claim(second.id, wish(3, 4, 5), 0, [], most=6).batch.ids == (IDS[3], IDS[4])
    assert leases.claim(first.id, wish(6, 7), 0, [], most=4).batch.ids == ()
    assert leases.claim(first.id, wish(6, 7), 0, []).batch.ids == (IDS[6], IDS[7])


def test_no_two_trials_of_a_campaign_have_one_number(leases, store, samples):
    """Whoever numbered what he measured by himself finds numbers taken, or in somebody's hand."""
    theirs = [samples.trial(id=IDS[i], seed_order=i) for i in range(3)]
    assert store.append_trials(theirs) == theirs
    holder = leases.enter("holder", HERE)
    assert leases.claim(holder.id, wish(10, 11, 12, 13), 0, []).batch.first == 3
    mine = [samples.trial(id=IDS[20 + i], seed_order=number) for i, number in enumerate((1, 2, 4, 30, 4))]
    kept = store.append_trials(mine)
    assert [t.id for t in kept] == [t.id for t in mine]
    assert [t.seed_order for t in kept] == [31, 32, 4, 30, 33]  # what nobody has yet stays
    assert store.append_trials(mine) == kept  # as after a commit whose answer was lost
    assert store.append_trials([samples.trial(id=IDS[13], seed_order=4)])[0].seed_order == 34
    elsewhere = samples.trial(campaign_id="", seed_order=1)
    assert store.append_trials([elsewhere]) == [elsewhere]
    numbers = {t.id: t.seed_order for t in store.trials(campaign_id=samples.campaign.id)}
    assert len(set(numbers.values())) == len(numbers) == 9
    assert leases.claim(holder.id, wish(40), 0, []).trials == 9


def test_a_lease_that_expired_frees_its_work_unless_it_was_renewed(leases):
    gone, me = leases.enter("gone", HERE), leases.enter("me", HERE)
    leases.claim(gone.id, wish(0, 1), 0, [])
    (held,) = (one for one in leases.live() if one.id == gone.id)
    state, live = leases.beat(gone.id)
    assert (state, len(live)) == (SEARCH, 2)
    assert leases.claim(me.id, wish(0, 1), 0, [(gone.id, held.beat)]).batch.ids == ()  # it lives after all
    renewed = next(one.beat for one in live if one.id == gone.id)
    assert leases.claim(me.id, wish(0, 1), 0, [(gone.id, renewed)]).batch.ids == tuple(IDS[:2])
    assert leases.beat(gone.id)[0] == LOST
    assert leases.claim(gone.id, wish(0, 2), 0, []).batch.ids == (IDS[2],)  # who comes back works on
    assert leases.beat(gone.id)[0] == SEARCH


def test_one_makes_the_end_and_only_when_nothing_is_in_hand(leases, store, samples):
    first, second = leases.enter("first", HERE), leases.enter("second", HERE)
    leases.claim(second.id, wish(0), 0, [])
    waiting = leases.settle(first.id, [])
    assert (waiting.settling, waiting.finished, [one.worker for one in waiting.others]) == (False, False, ["second"])
    assert leases.settle(second.id, []).settling  # its own batch is given back
    assert not leases.settle(first.id, []).settling
    assert leases.claim(first.id, wish(1), 0, []) is None
    settler = next(one for one in leases.live() if one.id == second.id)
    assert settler.state == SETTLE
    assert leases.settle(first.id, [(settler.id, settler.beat)]).settling  # it died with nothing in hand
    assert leases.beat(second.id)[0] == LOST
    store.update_campaign(samples.campaign.id, state="finished")
    assert leases.settle(second.id, []).finished
    assert leases.claim(second.id, wish(1), 0, []) is None


def test_the_end_waits_for_what_a_dead_process_had_in_hand(leases):
    gone, me = leases.enter("gone", HERE), leases.enter("me", HERE)
    leases.claim(gone.id, wish(0), 0, [])
    (held,) = (one for one in leases.live() if one.id == gone.id)
    assert not leases.settle(me.id, [(gone.id, held.beat)]).settling
    assert leases.claim(me.id, wish(0), 0, []).batch.ids == (IDS[0],)
    assert leases.settle(me.id, []).settling


def test_who_leaves_is_told_who_remains(leases):
    first, second = leases.enter("first", HERE), leases.enter("second", HERE)
    assert [one.worker for one in leases.leave(first.id)] == ["second"]
    assert leases.leave(second.id) == []
    assert leases.live() == []


def test_names_have_numbers_in_their_order(leases, store, samples):
    assert [leases.number_of(name) for name in ("a", "b", "a", "c")] == [1, 2, 1, 3]
    store.set_option(samples.campaign.id, "seed", 8)
    options = store.campaign(samples.campaign.id).options
    assert options == {**samples.campaign.options, "workers": ["a", "b", "c"], "seed": 8}
    with pytest.raises(DatabaseError, match="no campaign"):
        store.set_option(new_id(), "seed", 8)
    with pytest.raises(DatabaseError, match="seed is not JSON"):
        store.set_option(samples.campaign.id, "seed", float("nan"))


def _take_all(url: str, samples: Samples, name: str, out: Queue[list[tuple[str, int]]]) -> None:
    """Ask for everything in batches of five, and store what comes of it."""
    with Store.open(url) as store:
        leases, got = store.leases(samples.campaign.id), list[tuple[str, int]]()
        me = leases.enter(name, HERE)
        for start in range(0, len(IDS), 5):
            given = leases.claim(me.id, wish(*range(start, start + 5)), 0, [])
            assert given is not None
            taken = [(id_, given.batch.first + i) for i, id_ in enumerate(given.batch.ids)]
            store.add_trials([samples.trial(id=id_, seed_order=number) for id_, number in taken])
            leases.number_of(name)
            got += taken
        out.put(got)


@pytest.mark.slow
def test_processes_that_ask_for_the_same_at_once(database: Callable[[str], str], store, samples):
    store.add_campaign(samples.campaign)
    context = multiprocessing.get_context("spawn")
    out: Queue[list[tuple[str, int]]] = context.Queue()
    url = database("tuning.db")
    crowd = [context.Process(target=_take_all, args=(url, samples, f"p{i}", out)) for i in range(3)]
    for process in crowd:
        process.start()
    taken = [pair for _ in crowd for pair in out.get(timeout=60)]
    for process in crowd:
        process.join()
    assert sorted(id_ for id_, _ in taken) == sorted(IDS)
    assert sorted(number for _, number in taken) == list(range(len(IDS)))
    assert {t.id for t in store.trials()} == set(IDS)
    assert sorted(store.campaign(samples.campaign.id).options["workers"]) == ["p0", "p1", "p2"]

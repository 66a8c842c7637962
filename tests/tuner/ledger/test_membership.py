"""Whether others on a campaign live is judged by what they do, and no clock that anybody sets says otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from anytile.core.errors import SpecError, Unreachable
from anytile.db.leases import Leases
from anytile.db.records.leases import Batch
from anytile.db.records.records import Campaign, new_id
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.tuner.ledger import membership
from anytile.tuner.ledger.membership import EXPIRES_S, Membership, TakenOver
from anytile.tuner.ledger.owner import this_process

ELSEWHERE = {"machine": "elsewhere", "process": 1, "since": "2"}
WISH = Batch("w", "t", ("a", "b"), (new_id(), new_id()))


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def leases(store: Store) -> Leases:
    campaign = Campaign((dense(1, 2, 3),), Target.host(1), {})
    store.add_campaign(campaign)
    return store.leases(campaign.id)


@pytest.fixture
def member(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Membership]]:
    """Members whose hearts beat when the test says so."""
    monkeypatch.setattr(membership, "BEAT_S", 1e6)
    made: list[Membership] = []

    def make(**given: object) -> Membership:
        made.append(Membership(leases, **given))  # type: ignore[arg-type]  # as the test says
        made[-1].enter()
        return made[-1]

    yield make
    for one in made:
        one.leave()


def test_another_machine_s_lease_expires_by_a_clock_of_our_own(
    leases: Leases, member: Callable[..., Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    me = member(clock=clock)
    other = leases.enter("other", ELSEWHERE)
    assert leases.claim(other.id, WISH, 0, []) is not None
    me.renew()
    assert me.pending("w", "t") == {"a", "b"}
    monkeypatch.setattr(time, "time", lambda: 1e9)  # years back, or on: it is nobody's clock here
    clock.now += EXPIRES_S - 1
    leases.beat(other.id)
    me.renew()
    clock.now += EXPIRES_S - 1
    me.look()
    assert me.pending("w", "t") == {"a", "b"}
    assert me.claim(WISH, 0, 0) == (WISH.only((), 2), False)  # numbered behind what is in hand
    clock.now += 1
    assert me.active() == ()
    assert me.pending("w", "t") == frozenset()
    assert me.claim(WISH, 0, 0) == (WISH, False)


def test_those_at_work_agree_on_who_is_which(leases: Leases, member: Callable[..., Membership]) -> None:
    first = member()
    assert first.place() == (0, 1)
    second = member()
    gone = leases.enter("gone", {**this_process(), "since": "1"})
    first.look()
    second.look()
    assert sorted([first.place(), second.place()]) == [(0, 2), (1, 2)]  # who is dead has no part
    leases.leave(gone.id)
    second.leave()
    first.look()
    assert first.place() == (0, 1)
    assert Membership(None).place() == (0, 1)


def test_a_process_that_is_gone_from_this_machine_expires_at_once(
    leases: Leases, member: Callable[..., Membership]
) -> None:
    me = member()
    gone = leases.enter("gone", {**this_process(), "since": "1"})
    assert leases.claim(gone.id, WISH, 0, []) is not None
    assert me.claim(WISH, 0, 0) is not None  # who is there is seen first
    me.look()
    assert me.claim(WISH, 0, 0) == (WISH, False)


def test_who_was_held_for_dead_at_the_end_stops(leases: Leases, member: Callable[..., Membership]) -> None:
    me = member()
    standing = me.settle()
    assert standing is not None
    assert standing.settling
    me.require_settling()
    (mine,) = leases.live()
    other = leases.enter("other", ELSEWHERE)
    assert leases.settle(other.id, [(mine.id, mine.beat)]).settling
    me.renew()
    with pytest.raises(TakenOver, match="another one took the campaign's end over"):
        me.require_settling()


def test_resuming_asks_whether_it_is_alone(
    leases: Leases, member: Callable[..., Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = member()
    said: list[str] = []
    with pytest.raises(SpecError, match=r"process \d+ is still working on it; stop that one first"):
        Membership(leases).require_alone(said.append)
    here.leave()
    Membership(leases).require_alone(said.append)
    assert said == []
    other, clock = leases.enter("other", ELSEWHERE), Clock()

    def nap(seconds: float) -> None:
        clock.now += 10.0

    monkeypatch.setattr(membership.time, "sleep", nap)
    Membership(leases, clock).require_alone(said.append)
    assert said == ["other had this campaign; waiting 30 s for a sign of life of it"]
    assert leases.live() == []
    living = leases.enter("living", ELSEWHERE)
    monkeypatch.setattr(membership.time, "sleep", lambda seconds: leases.beat(living.id))
    with pytest.raises(SpecError, match="living is still working on it"):
        Membership(leases, clock).require_alone(said.append)
    assert other.id not in [one.id for one in leases.live()]


def test_without_the_database_it_goes_on_alone_and_comes_back(
    leases: Leases, member: Callable[..., Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    me = member()
    asked: list[str] = []

    def away(*given: object) -> None:
        asked.append("asked")
        raise Unreachable("database team: Connection refused")

    with monkeypatch.context() as patch:
        for name in ("claim", "live", "beat", "number_of", "settle"):
            patch.setattr(leases, name, away)
        assert me.claim(WISH, 7, 0) == (WISH.only(WISH.ids, 7), False)
        assert me.number_of("") is None
        me.look()
        assert me.settle() is None
        assert asked == ["asked"]  # once: asking a server that is away takes seconds
        with pytest.raises(Unreachable):
            me.renew()
    assert me.is_settling
    me.renew()  # nobody else took the end over meanwhile, so it is this process' in the database too
    me.require_settling()
    assert [one.state for one in leases.live()] == ["settle"]
    assert me.number_of("") == 1


def test_an_outage_is_nobody_s_silence(
    leases: Leases, member: Callable[..., Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*given: object) -> None:
        raise Unreachable("database team: Connection refused")

    clock = Clock()
    me = member(clock=clock)
    other = leases.enter("other", ELSEWHERE)
    me.renew()
    with monkeypatch.context() as patch:
        patch.setattr(leases, "beat", away)
        with pytest.raises(Unreachable):
            me.renew()
    clock.now += EXPIRES_S + 5
    assert [one.id for one in me.active()] == [other.id]
    me.renew()  # the first one back: the other could not say anything either
    assert [one.id for one in me.active()] == [other.id]
    clock.now += EXPIRES_S
    assert me.active() == ()


def test_a_lease_given_back_while_the_database_was_away_holds_nobody_up(
    leases: Leases, member: Callable[..., Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*given: object) -> None:
        raise Unreachable("database team: Connection refused")

    me = member()
    with monkeypatch.context() as patch:
        patch.setattr(leases, "leave", away)
        assert me.leave() == ()
    assert len(leases.live()) == 1
    Membership(leases).require_alone(pytest.fail)
    assert leases.live() == []


def test_a_journal_s_only_process_is_alone() -> None:
    me = Membership(None)
    me.require_alone(pytest.fail)
    me.enter()
    assert me.claim(WISH, 3, 0) == (WISH.only(WISH.ids, 3), False)
    assert me.settle() is None
    assert me.is_settling
    assert me.leave() == ()

"""How campaigns end before their time, and how they go on: resumed exactly, with all stored that was measured."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any as Anything

import pytest

from anytile.core.errors import DatabaseError, MeasureError, SpecError
from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger import events
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.candidate import Candidate, TimingPolicy
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape", "no_challengers")


W768 = dense(Any("m"), 768, 768)


def failing_at(call: int, error: BaseException) -> Callable[[Candidate], None]:
    calls: list[Candidate] = []

    def before(candidate: Candidate) -> None:
        calls.append(candidate)
        if len(calls) == call:
            raise error

    return before


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[tuple[Anything, ...]], str]:
    """An uninterrupted campaign: its rows and its plan."""
    with Store.open(str(tmp_path_factory.mktemp("whole") / "tuning.db")) as store:
        result = run_campaign(store, world.LandscapeRunner(), world.request())
        return world.what(store.trials(campaign_id=result.campaign_id)), world.essence(result.plans[W768])


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 15, 16, 17, 40, 47, 75, 112, 125, 200])
def test_a_resumed_campaign_equals_an_uninterrupted_one(
    store: Store, whole: tuple[list[tuple[Anything, ...]], str], rows: int
) -> None:
    stop = Stop()
    first = run_campaign(store, world.LandscapeRunner(), world.request(), world.stop_after(rows, stop), stop)
    assert (first.state, first.reason) == ("interrupted", "enough seen")
    told: list[events.Event] = []
    second = resume_campaign(store, world.LandscapeRunner(), first.campaign_id[:8], told.append)
    assert second.state == "finished"
    start = told[0]
    assert isinstance(start, events.CampaignStarted)
    assert start.resumed
    assert start.trials_done == first.trials >= rows
    assert world.what(store.trials(campaign_id=first.campaign_id)) == whole[0]
    assert world.essence(second.plans[W768]) == whole[1]


class Looking(world.LandscapeRunner):  # type: ignore[misc]  # the world is loaded by hand
    """Counts how often code is looked at."""

    looked = 0

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Mapping[str, float] | None]:
        self.looked += 1
        return super().inspect(candidates, policy)  # type: ignore[no-any-return]


GUIDED = {"strategy": "evolve", "trials": 96}


@pytest.fixture(scope="module")
def guided(tmp_path_factory: pytest.TempPathFactory, landscape: None) -> Iterator[list[tuple[Anything, ...]]]:
    """The rows of an uninterrupted campaign in which a model chooses, by facts of the code too."""
    with pytest.MonkeyPatch.context() as patch, Store.open(str(tmp_path_factory.mktemp("guided") / "t.db")) as store:
        patch.setattr("anytile.tuner.settle.challengers.ROUNDS", 0)
        runner = Looking()
        result = run_campaign(store, runner, world.request(**GUIDED))
        assert runner.looked >= 3
        yield world.what(store.trials(campaign_id=result.campaign_id))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [17, 40, 47, 70])
def test_a_resumed_search_looks_at_the_same_code_again(
    store: Store, guided: list[tuple[Anything, ...]], rows: int
) -> None:
    """Whatever the facts of the code made the model choose, they make it choose once more."""
    stop = Stop()
    first = run_campaign(store, Looking(), world.request(**GUIDED), world.stop_after(rows, stop), stop)
    second = resume_campaign(store, Looking(), first.campaign_id)
    assert second.state == "finished"
    assert world.what(store.trials(campaign_id=first.campaign_id)) == guided


def test_resuming_a_finished_campaign_measures_nothing_and_has_its_plan(store: Store) -> None:
    done = run_campaign(store, world.LandscapeRunner(), world.request())
    idle = world.LandscapeRunner()
    again = resume_campaign(store, idle, done.campaign_id)
    assert idle.ran == []
    assert again.plans == done.plans
    assert again.trials == done.trials
    assert len(store.selections(W768, world.TARGET)) == 1


def test_an_interrupted_campaign_has_a_provisional_plan_and_says_how_to_resume(store: Store) -> None:
    stop, told = Stop(), []
    listen = world.stop_after(20, stop)
    result = run_campaign(
        store, world.LandscapeRunner(), world.request(), lambda e: (listen(e), told.append(e))[0], stop
    )
    assert result.trials == 20
    chosen = [e for e in told if isinstance(e, events.PlanChosen)]
    assert [e.provisional for e in chosen] == [True]
    assert chosen[0].plan.notes["provisional"] is True
    ended = told[-1]
    assert isinstance(ended, events.CampaignEnded)
    assert ended.how_to_resume.endswith(result.campaign_id[:8])
    assert (
        ended.best[0].config
        == min((t for t in store.trials() if t.status is Status.OK), key=lambda t: (normalised(t), t.seed_order)).config
    )


@pytest.mark.slow
def test_a_provisional_plan_never_stands_before_a_proper_one(store: Store) -> None:
    proper = run_campaign(store, world.LandscapeRunner(), world.request())
    stop = Stop()
    run_campaign(store, world.LandscapeRunner(), world.request(seed=1), world.stop_after(20, stop), stop)
    selection = store.selection(W768, world.TARGET)
    assert selection is not None
    assert selection.campaign_id == proper.campaign_id


def test_the_trial_in_flight_is_finished_and_the_rest_of_the_batch_dropped(store: Store) -> None:
    stop, runner = Stop(), world.LandscapeRunner()
    result = run_campaign(store, runner, world.request(), world.stop_after(5, stop), stop)
    assert len(runner.ran) == result.trials == 5
    assert runner.dropped == 11


def test_ctrl_c_finishes_the_trial_in_flight_and_puts_the_handlers_back(store: Store) -> None:
    calls: list[Candidate] = []

    def before(candidate: Candidate) -> None:
        calls.append(candidate)
        if len(calls) == 7:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    result = run_campaign(store, world.LandscapeRunner(before=before), world.request())
    assert (result.state, result.reason, result.trials) == ("interrupted", "interrupted", 7)
    assert signal.getsignal(signal.SIGINT) is handler
    assert store.campaign(result.campaign_id).state == "interrupted"


def test_a_second_ctrl_c_ends_it_at_once_with_everything_stored(store: Store) -> None:
    runner = world.LandscapeRunner(before=failing_at(4, KeyboardInterrupt()))
    result = run_campaign(store, runner, world.request())
    assert (result.state, result.trials) == ("interrupted", 3)
    assert len(store.trials(campaign_id=result.campaign_id)) == 3


def test_a_runner_that_cannot_go_on_ends_the_campaign_with_everything_stored(store: Store) -> None:
    told: list[events.Event] = []
    broken = world.LandscapeRunner(before=failing_at(30, MeasureError("the device is gone; plug it in again")))
    with pytest.raises(MeasureError, match="the device is gone"):
        run_campaign(store, broken, world.request(), told.append)
    ended = told[-1]
    assert isinstance(ended, events.CampaignEnded)
    assert (ended.state, ended.reason) == ("interrupted", "the device is gone; plug it in again")
    assert len(store.trials(campaign_id=ended.campaign_id)) == ended.trials == 29
    assert resume_campaign(store, world.LandscapeRunner(), ended.campaign_id).state == "finished"


@pytest.mark.slow
def test_a_campaign_that_cannot_measure_is_not_stored(store: Store) -> None:
    told: list[events.Event] = []
    unfit = world.LandscapeRunner(unfit="Ray at 127.0.0.1:1 cannot be reached")
    with pytest.raises(MeasureError, match="cannot be reached"):
        run_campaign(store, unfit, world.request(), told.append)
    with pytest.raises(SpecError, match="no template 'nosuch'"):
        run_campaign(store, world.LandscapeRunner(), world.request(template="nosuch"), told.append)
    assert (store.campaigns(), told) == ([], [])
    stop = Stop()
    done = run_campaign(store, world.LandscapeRunner(), world.request(), world.stop_after(5, stop), stop)
    with pytest.raises(MeasureError, match="cannot be reached"):
        resume_campaign(store, unfit, done.campaign_id)
    assert [c.state for c in store.campaigns()] == ["interrupted"]
    resume_campaign(store, world.LandscapeRunner(), done.campaign_id)
    assert resume_campaign(store, unfit, done.campaign_id).state == "finished"  # it has nothing left to measure


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rows", [0, 30])
def test_a_listener_that_fails_ends_the_campaign_in_order(store: Store, rows: int) -> None:
    """As when the pipe that it writes to has no reader any more: its error comes out, after everything is stored."""
    heard: list[events.Event] = []

    def listen(event: events.Event) -> None:
        heard.append(event)
        if len([e for e in heard if isinstance(e, events.TrialDone)]) >= rows:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_campaign(store, world.LandscapeRunner(), world.request(), listen)
    last = heard[-1]
    assert isinstance(last, events.TrialDone if rows else events.CampaignStarted)  # and nothing after that
    (campaign,) = store.campaigns()
    assert campaign.state == "interrupted"
    assert len(store.trials(campaign_id=campaign.id)) == rows
    assert len(store.selections(W768, world.TARGET)) == (1 if rows else 0)
    assert resume_campaign(store, world.LandscapeRunner(), campaign.id).state == "finished"


@pytest.mark.parametrize("deaf_to", [events.PlanChosen, events.CampaignEnded])
def test_a_listener_that_leaves_with_ctrl_c_is_no_harm(store: Store, deaf_to: type) -> None:
    """`anytile tune | tee log`: Ctrl-C ends both, and the last words find no reader."""
    stop = Stop()
    hear = world.stop_after(20, stop)

    def listen(event: events.Event) -> None:
        hear(event)
        if isinstance(event, deaf_to):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_campaign(store, world.LandscapeRunner(), world.request(), listen, stop)
    (campaign,) = store.campaigns()
    assert campaign.state == "interrupted"
    assert len(store.selections(W768, world.TARGET)) == 1


@pytest.mark.slow
def test_a_database_that_fails_is_one_error_and_loses_only_what_was_in_flight(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, calls = Store.append_trials, []

    def failing(self: Store, trials: Anything) -> list[Trial]:
        calls.append(trials)
        if len(calls) > 25:
            raise DatabaseError("database tuning.db: the disk is full; make room and resume")
        return append(self, trials)

    monkeypatch.setattr(Store, "append_trials", failing)
    told: list[events.Event] = []
    with pytest.raises(DatabaseError, match="the disk is full"):
        run_campaign(store, world.LandscapeRunner(), world.request(), told.append)
    ended = told[-1]
    assert isinstance(ended, events.CampaignEnded)
    assert ended.trials == 25 == len(store.trials())
    monkeypatch.undo()
    assert resume_campaign(store, world.LandscapeRunner(), ended.campaign_id).state == "finished"


@pytest.mark.slow
def test_what_cannot_be_resumed_says_so(store: Store) -> None:
    with pytest.raises(DatabaseError, match="no campaign"):
        resume_campaign(store, world.LandscapeRunner(), "0badc0de")
    done = run_campaign(store, world.LandscapeRunner(), world.request(trials=4))
    options = dict(store.campaign(done.campaign_id).options)
    store.update_campaign(done.campaign_id, options={**options, "request": {**options["request"], "speed": 11}})
    with pytest.raises(DatabaseError, match="speed is not a field"):
        resume_campaign(store, world.LandscapeRunner(), done.campaign_id)
    hostile = [{}, {**options, "warm": 3}, {**options, "progress": []}, {**options, "progress": {"done": 3}}]
    hostile += [{**options, "request": {**options["request"], **wrong}} for wrong in ({"at": []}, {"seconds": 10**400})]
    for wrong in hostile:
        store.update_campaign(done.campaign_id, options=wrong)
        with pytest.raises(DatabaseError, match="cannot be read"):
            resume_campaign(store, world.LandscapeRunner(), done.campaign_id)


@pytest.mark.slow
@pytest.mark.parametrize("jump", [86400.0, -86400.0])
def test_a_clock_that_jumps_by_a_day(
    store: Store, whole: tuple[list[tuple[Anything, ...]], str], monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """In mid-campaign, with an interruption after it: nothing is lost or measured twice, and the latest plan serves."""
    earlier = run_campaign(store, world.LandscapeRunner(), world.request(seed=1))
    real, ahead = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + ahead[0])
    stop = Stop()
    enough = world.stop_after(47, stop)

    def disturb(event: events.Event) -> None:
        if isinstance(event, events.TrialDone) and event.number == 20:
            ahead[0] = jump
        enough(event)

    first = run_campaign(store, world.LandscapeRunner(), world.request(), disturb, stop)
    assert first.state == "interrupted"
    second = resume_campaign(store, world.LandscapeRunner(), first.campaign_id)
    assert second.state == "finished"
    assert world.what(store.trials(campaign_id=first.campaign_id)) == whole[0]
    assert world.essence(second.plans[W768]) == whole[1]
    serving = store.selection(W768, world.TARGET)
    assert serving is not None
    assert serving.campaign_id == first.campaign_id != earlier.campaign_id

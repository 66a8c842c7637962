"""Several processes on one campaign: none measures what another has, and whichever remains makes the end."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anytile.commands.tune_run import Place
from anytile.core.errors import SpecError, UnsupportedError
from anytile.db.journal import Journal
from anytile.db.records.leases import SETTLE, Batch
from anytile.db.records.records import Trial, Versions, new_id
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.tuner import campaign as campaign_module
from anytile.tuner.campaign import join_campaign, run_campaign
from anytile.tuner.ledger import events, membership
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.owner import this_process, worker_name
from anytile.tuner.protocol.attribution import number_in
from anytile.tuner.tasks.search_task import SearchTask
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape", "no_challengers")
WORLD = Path(world.__file__)
PATIENCE_S = 60.0
EACH_S, TRIALS = 0.01, 90
GATE = "both are there"


class Worker:
    """A process that begins a campaign, or works on one with others."""

    def __init__(self, folder: Path, name: str, campaign: str = "new") -> None:
        self._log = folder / f"{name}.log"
        words = [str(folder / "tuning.db"), campaign, str(self._log), str(EACH_S), str(TRIALS), str(folder / GATE)]
        self.process = subprocess.Popen([sys.executable, str(WORLD), *words], stderr=subprocess.PIPE, text=True)

    def said(self, word: str) -> list[str]:
        """What follows this word in its lines."""
        lines = self._log.read_text().splitlines(keepends=True) if self._log.exists() else []
        return [line.split(maxsplit=1)[1].strip() for line in lines if line.endswith("\n") and line.startswith(word)]

    def wait_for(self, rows: int) -> None:
        assert wait(lambda: len(self.said("row")) >= rows or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.stderr.read() if self.process.stderr else ""

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, errors) == (0, "")


def wait(until: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not (done := until()) and time.monotonic() < deadline:
        time.sleep(0.005)
    return done


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Worker, Worker]]:
    """The process that began a campaign and one that joined it, of which neither has measured anything yet."""
    first = Worker(tmp_path, "first")
    assert wait(lambda: bool(first.said("campaign")))
    second = Worker(tmp_path, "second", f"join {first.said('campaign')[0][:8]}")
    assert wait(lambda: bool(second.said("campaign")))
    (tmp_path / GATE).touch()
    yield first, second
    for worker in (first, second):
        worker.kill()


def searched(store: Store) -> list[Trial]:
    return store.trials(kind="search")


def assert_done_once(store: Store) -> None:
    """A whole campaign, of which nothing is there twice."""
    (campaign,) = store.campaigns()
    rows = store.trials()
    assert campaign.state == "finished"
    assert len({(t.kind, t.config, t.template, tuple(t.point.items())) for t in rows}) == len(rows)
    assert len({t.seed_order for t in rows}) == len(rows)
    assert {t.kind for t in rows} >= {"search", "cross", "profile"}
    assert len(store.selections()) == 1


@pytest.mark.slow
def test_two_processes_share_a_campaign(tmp_path: Path, two: tuple[Worker, Worker]) -> None:
    first, second = two
    first.end()
    second.end()
    with Store.open(str(tmp_path / "tuning.db")) as store:
        assert_done_once(store)
        assert len(searched(store)) == TRIALS
        by = Counter(number_in(t.facts) for t in searched(store))
        assert by.keys() == {1, 2}
        assert len({number_in(t.facts) for t in store.trials() if t.kind != "search"}) == 1  # one made the end
        assert len(store.campaigns()[0].options["workers"]) == 2
        assert store.leases(store.campaigns()[0].id).live() == []
    mine, theirs = (Counter(line.split()[0] for line in w.said("row")) for w in (first, second))
    assert not mine & theirs  # no number, so no config, was measured by both
    assert len(mine) + len(theirs) == sum(mine.values()) + sum(theirs.values())
    assert set(first.said("other")) == set(second.said("row"))  # each was told of the other's


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["first", "second"])
def test_one_is_killed_with_a_batch_in_hand_and_the_other_does_all(
    tmp_path: Path, two: tuple[Worker, Worker], dies: str
) -> None:
    dead, living = two if dies == "first" else two[::-1]
    dead.wait_for(3)
    with Store.open(str(tmp_path / "tuning.db"), readonly=True) as store:
        leases = store.leases(store.campaigns()[0].id)
        assert wait(lambda: any(one.process["process"] == dead.process.pid and one.batch for one in leases.live()))
    dead.kill()
    living.end()
    with Store.open(str(tmp_path / "tuning.db")) as store:
        assert_done_once(store)
        assert len(searched(store)) == TRIALS  # what it had in hand was done by the other
        stored = {f"{t.seed_order} {t.kind} {t.config}" for t in store.trials()}
        assert stored >= set(dead.said("row")) | set(living.said("row"))


@pytest.mark.slow
def test_whoever_makes_the_end_is_killed_and_the_other_makes_it(tmp_path: Path, two: tuple[Worker, Worker]) -> None:
    with Store.open(str(tmp_path / "tuning.db"), readonly=True) as store:
        leases = store.leases(store.campaigns()[0].id)
        assert wait(lambda: any(one.state == SETTLE for one in leases.live()))
        (settler,) = (one for one in leases.live() if one.state == SETTLE)
    dead, living = two if settler.process["process"] == two[0].process.pid else two[::-1]
    rows = len(dead.said("row"))
    dead.wait_for(rows + 20)
    dead.kill()
    living.end()
    with Store.open(str(tmp_path / "tuning.db")) as store:
        assert_done_once(store)
        ends = {number_in(t.facts) for t in store.trials() if t.kind != "search"}
        assert ends == {1, 2}


def test_one_who_stops_leaves_the_campaign_to_the_others(store: Store) -> None:
    """The one that began it is asked to stop while another lease is held: its state is for the others to say."""
    stop = Stop()
    told: list[events.Event] = []

    def listen(event: events.Event) -> None:
        told.append(event)
        if isinstance(event, events.CampaignStarted):
            store.leases(event.campaign_id).enter("elsewhere/7", {"machine": "elsewhere"})
        if isinstance(event, events.TrialDone) and event.number == 5:
            stop.ask("enough seen")

    result = run_campaign(store, world.LandscapeRunner(), world.request(), listen, stop)
    assert (result.state, store.campaign(result.campaign_id).state) == ("interrupted", "running")
    assert store.selections() == []  # no provisional plan while others work on a proper one
    ended = told[-1]
    assert isinstance(ended, events.CampaignEnded)
    assert "tune --join" in ended.how_to_resume
    assert ended.others == ("elsewhere/7",)
    assert Place("ray", None, None).resume(result.campaign_id, bool(ended.others)).startswith("anytile tune --join ")


@pytest.mark.slow
def test_the_last_one_left_takes_over_what_the_dead_had_in_hand(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another dies with a batch in hand when this process has nothing left to claim: there is nobody to wait for."""

    def listen(event: events.Event) -> None:
        if isinstance(event, events.TrialDone) and event.number == 3:
            (campaign,) = store.campaigns()
            leases = store.leases(campaign.id)
            gone = leases.enter("gone", {**this_process(), "since": "1"})
            assert leases.claim(gone.id, Batch("w", "t", ("a",), (new_id(),)), 0, []) is not None

    monkeypatch.setattr(campaign_module.time, "sleep", lambda seconds: pytest.fail("it waits for nobody"))
    done = run_campaign(store, world.LandscapeRunner(), world.request(trials=4), listen)
    assert done.state == "finished"
    assert [one.worker for one in store.leases(done.campaign_id).live()] == []


def test_who_was_held_for_dead_leaves_the_end_that_another_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one buries it while it makes the end, makes that itself and leaves; then it wakes."""
    monkeypatch.setattr(membership, "BEAT_S", 1e6)
    told: list[events.Event] = []

    def listen(event: events.Event) -> None:
        told.append(event)
        (campaign,) = store.campaigns()
        if isinstance(event, events.TrialDone) and event.phase == "cross" and campaign.state == "running":
            leases = store.leases(campaign.id)
            (mine,) = leases.live()
            other = leases.enter("other", {"machine": "elsewhere"})
            assert leases.settle(other.id, [(mine.id, mine.beat)]).settling
            store.update_campaign(campaign.id, state="finished", finished=9.0)
            leases.leave(other.id)
            members[0].renew()

    members: list[membership.Membership] = []
    enter = membership.Membership.enter
    monkeypatch.setattr(membership.Membership, "enter", lambda member: (members.append(member), enter(member))[-1])
    with pytest.raises(membership.TakenOver):
        run_campaign(store, world.LandscapeRunner(), world.request(trials=4), listen)
    assert (store.campaigns()[0].state, store.campaigns()[0].finished) == ("finished", 9.0)
    assert not any(isinstance(event, events.PlanChosen) for event in told)


def test_who_works_with_others_proposes_nothing_that_they_would(store: Store) -> None:
    """Another one is there from the first batch on, and thinks, with the same rows before it."""

    def listen(event: events.Event) -> None:
        if isinstance(event, events.CampaignStarted):
            store.leases(event.campaign_id).enter("elsewhere/7", {"machine": "elsewhere"})
        if isinstance(event, events.TrialDone) and event.number == 63:
            stop.ask("enough seen")

    stop = Stop()
    asked = world.request(trials=80)
    run_campaign(store, world.LandscapeRunner(), asked, listen, stop)
    rows = sorted(searched(store), key=lambda t: t.seed_order)
    begun, later = rows[: asked.batch], {t.config for t in rows[asked.batch :]}
    assert len(rows) == 64
    task = SearchTask.of(asked, rows[0].workload, world.Landscape(), (("m", 64),), lambda configs: [])
    parts = [set(task.propose({task.workload: begun}, 80, part=(place, 2))) for place in range(2)]
    assert any(later <= part for part in parts)
    assert not all(later & part for part in parts)


@pytest.mark.slow
def test_joining_what_nobody_works_on_goes_on_with_it(store: Store) -> None:
    stop = Stop()
    first = run_campaign(store, world.LandscapeRunner(), world.request(), world.stop_after(9, stop), stop)
    told: list[events.Event] = []
    second = join_campaign(store, world.LandscapeRunner(), first.campaign_id, told.append)
    assert (first.state, second.state) == ("interrupted", "finished")
    assert len(searched(store)) == 40
    assert second.plans


@pytest.mark.slow
def test_what_cannot_be_joined_says_what_to_do(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = world.LandscapeRunner()
    done = run_campaign(store, runner, world.request(trials=4))
    with pytest.raises(SpecError, match=r"campaign \w{8}: is finished, see `anytile db show \w{8}`; begin another"):
        join_campaign(store, runner, done.campaign_id)
    stop = Stop()
    asked = world.request()
    begun = run_campaign(store, runner, asked, world.stop_after(9, stop), stop)
    bare = run_campaign(store, runner, asked, stop=stop)  # of which nothing was measured yet
    assert bare.trials == 0
    other = Versions("9.9", 7, 99, "1", "3")
    for one in (begun, bare):
        with monkeypatch.context() as patch:
            patch.setattr(campaign_module, "versions_of", lambda name: other)
            with pytest.raises(SpecError, match=r"is measured with anytile .*here is 9.9 \(99\); join it with the"):
                join_campaign(store, runner, one.campaign_id)
    assert store.leases(begun.campaign_id).live() == []

    def unknown(name: str) -> Versions:
        raise UnsupportedError(f"there is no template {name}")

    with monkeypatch.context() as patch:
        patch.setattr(campaign_module, "versions_of", unknown)
        with pytest.raises(UnsupportedError, match="there is no template"):
            join_campaign(store, runner, begun.campaign_id)
    assert store.leases(begun.campaign_id).live() == []

    def unfit(target: Target) -> None:
        raise UnsupportedError("code for llvm -mcpu=znver9 cannot run here")

    with monkeypatch.context() as patch:
        patch.setattr(runner, "prepare", unfit)
        with pytest.raises(UnsupportedError, match=r"cannot run here; join it from a machine of its target"):
            join_campaign(store, runner, begun.campaign_id)
    with Journal(tmp_path / "a.jsonl") as journal:
        stop = Stop()
        kept = run_campaign(journal, runner, asked, world.stop_after(9, stop), stop)
        assert not any("machine.worker" in t.facts for t in journal.trials())
        with pytest.raises(SpecError, match="is in a journal, which one process writes; tune into a database"):
            join_campaign(journal, runner, kept.campaign_id)


@pytest.mark.slow
def test_the_first_worker_s_trials_say_nothing_of_it(store: Store) -> None:
    """Records of a campaign of one are as they were before there were several."""
    done = run_campaign(store, world.LandscapeRunner(), world.request(trials=4))
    assert all(number_in(t.facts) == 1 and "machine.worker" not in t.facts for t in store.trials())
    assert store.campaign(done.campaign_id).options["workers"] == [worker_name()]

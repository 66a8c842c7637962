"""A campaign whose database server is stopped under it goes on, and everything it measured arrives, once."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from anytile.db.outbox import Outbox
from anytile.db.store import Store
from anytile.tuner.campaign import join_campaign, resume_campaign, run_campaign
from anytile.tuner.ledger import membership
from anytile.tuner.ledger.events import CampaignEnded, CampaignStarted, Event, TrialDone
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.membership import TakenOver
from anytile.tuner.requests.request import CampaignResult
from tests.support.stand_ins import synthetic_campaign as world
from tests.support.stand_ins.postgres_server import PostgresServer

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.usefixtures("landscape", "no_challengers"),
]

PATIENCE_S = 0.5  # with a server that went away; a user's is ten times as long


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of the tests' own, to be stopped; each test leaves it started."""
    with PostgresServer(("fsync=off",)) as made:
        yield made


@pytest.fixture
def url(server: PostgresServer) -> str:
    name = f"team_{uuid.uuid4().hex}"
    server.sql(f"CREATE DATABASE {name}")
    return server.url(name)


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_server_stopped_in_mid_campaign(
    tmp_path: Path, store: Store, server: PostgresServer, url: str, comes_back: bool
) -> None:
    said: list[str] = []
    undisturbed = run_campaign(store, world.LandscapeRunner(), world.request())

    def disturb(event: Event) -> None:
        if isinstance(event, TrialDone) and event.number == 20:
            server.stop()
        if isinstance(event, TrialDone) and event.number == 60 and comes_back:
            server.start()

    outbox = Outbox(Store.open(url, patience_s=PATIENCE_S), tmp_path / "outbox", said.append)
    result = run_campaign(outbox, world.LandscapeRunner(), world.request(), disturb)
    assert result.state == "finished"
    outbox.close()
    if not comes_back:
        assert [p.suffix for p in (tmp_path / "outbox").iterdir()] == [".jsonl"]
        server.start()
        Outbox(Store.open(url, patience_s=PATIENCE_S), tmp_path / "outbox", said.append).close()
    assert list((tmp_path / "outbox").iterdir()) == []
    with Store.open(url, patience_s=PATIENCE_S) as team:
        found = team.trials(campaign_id=result.campaign_id)
        assert world.what(found) == world.what(store.trials(campaign_id=undisturbed.campaign_id))
        assert len({t.id for t in team.trials()}) == len(team.trials()) == len(found)
        assert team.campaign(result.campaign_id).state == "finished"
        assert team.selection(*world.request().workloads, world.TARGET) is not None
    assert any("measuring goes on" in line for line in said)


def test_one_stopped_while_the_server_is_away_can_be_resumed(
    tmp_path: Path, store: Store, server: PostgresServer, url: str
) -> None:
    undisturbed = run_campaign(store, world.LandscapeRunner(), world.request())
    stop = Stop()
    ended: list[str] = []

    def disturb(event: Event) -> None:
        if isinstance(event, TrialDone) and event.number == 20:
            server.stop()
        if isinstance(event, TrialDone) and event.number == 30:
            stop.ask("enough seen")
        if isinstance(event, CampaignEnded):
            ended.append(event.campaign_id)

    outbox = Outbox(Store.open(url, patience_s=PATIENCE_S), tmp_path / "outbox", lambda line: None)
    result = run_campaign(outbox, world.LandscapeRunner(), world.request(), disturb, stop)
    assert (result.state, ended) == ("interrupted", [result.campaign_id])
    outbox.close()
    server.start()
    again = Outbox(Store.open(url, patience_s=PATIENCE_S), tmp_path / "outbox", lambda line: None)
    resumed = resume_campaign(again, world.LandscapeRunner(), result.campaign_id)
    assert resumed.state == "finished"
    assert world.what(again.trials(campaign_id=result.campaign_id)) == world.what(
        store.trials(campaign_id=undisturbed.campaign_id)
    )
    again.close()


def test_two_campaigns_and_a_server_that_is_killed_at_random_moments(tmp_path: Path, store: Store) -> None:
    """No farewell, as when memory runs out: whoever had a statement in flight does not know what became of it. One
    waits for the server, the other keeps its records in the meantime."""
    seeds, rng, said, begun = (0, 1), random.Random(17), list[str](), list[str]()
    wanted = {}
    for seed in seeds:
        undisturbed = run_campaign(store, world.LandscapeRunner(), world.request(seed=seed))
        wanted[seed] = world.what(store.trials(campaign_id=undisturbed.campaign_id))
    with PostgresServer(("fsync=off",)) as server, ThreadPoolExecutor(len(seeds)) as pool:

        def campaign(seed: int) -> CampaignResult:
            team = Store.open(server.url(), patience_s=(60.0, 0.05)[seed])
            outbox = Outbox(team, tmp_path / f"outbox-{seed}", said.append)
            runner = world.LandscapeRunner(before=lambda candidate: time.sleep(0.02))
            with closing(outbox):
                return run_campaign(outbox, runner, world.request(seed=seed), listen, Stop())

        def listen(event: Event) -> None:
            if isinstance(event, CampaignStarted):
                begun.append(event.campaign_id)

        Store.open(server.url()).close()
        running = {seed: pool.submit(campaign, seed) for seed in seeds}
        while len(begun) < len(seeds) and not any(one.done() for one in running.values()):
            time.sleep(0.01)  # a campaign begins where its server answers
        kills = 0
        while not all(one.done() for one in running.values()):
            time.sleep(rng.uniform(0.05, 0.5))
            server.kill()
            kills += 1
            time.sleep(rng.uniform(0.0, 0.5))
            server.start()
        assert kills > 1
        for seed, one in running.items():
            assert one.result().state == "finished"
            Outbox(Store.open(server.url()), tmp_path / f"outbox-{seed}", said.append).close()
        assert any("measuring goes on" in line for line in said)
        assert list(tmp_path.glob("outbox-*/*")) == []
        with Store.open(server.url()) as team:
            assert {c.state for c in team.campaigns()} == {"finished"}
            for seed, one in running.items():
                assert world.what(team.trials(campaign_id=one.result().campaign_id)) == wanted[seed]
            assert len(team.trials()) == sum(map(len, wanted.values()))
            assert len(team.selections()) == len(seeds)


def test_two_on_one_campaign_and_a_server_that_is_killed_at_random_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both go on without it, and neither can ask what numbers the other gives: what they deliver is there once, each
    with a number of its own."""
    monkeypatch.setattr(membership, "BEAT_S", 0.1)
    monkeypatch.setattr(membership, "EXPIRES_S", 1.0)
    rng, begun = random.Random(18), list[str]()
    with PostgresServer(("fsync=off",)) as server, ThreadPoolExecutor(2) as pool:

        def work(name: str) -> CampaignResult | None:
            outbox = Outbox(Store.open(server.url(), patience_s=0.05), tmp_path / name, lambda line: None)
            runner = world.LandscapeRunner(before=lambda candidate: time.sleep(0.02))

            def listen(event: Event) -> None:
                if isinstance(event, CampaignStarted):
                    begun.append(event.campaign_id)

            with closing(outbox):
                try:
                    if name == "first":
                        return run_campaign(outbox, runner, world.request(trials=120), listen, Stop())
                    return join_campaign(outbox, runner, begun[0], listen, Stop())
                except TakenOver:
                    return None

        Store.open(server.url()).close()
        running = [pool.submit(work, "first")]
        while not begun:
            time.sleep(0.01)
        running.append(pool.submit(work, "second"))
        while len(begun) < 2 and not any(one.done() for one in running):  # to join one has to ask the server
            time.sleep(0.01)
        kills = 0
        while not all(one.done() for one in running):
            server.kill()
            kills += 1
            time.sleep(rng.uniform(0.2, 0.6))
            server.start()
            time.sleep(rng.uniform(0.3, 1.0))
        assert kills > 1
        assert any(one.result() is not None for one in running)
        for name in ("first", "second"):
            Outbox(Store.open(server.url()), tmp_path / name, lambda line: None).close()
        assert list(tmp_path.glob("*/*")) == []
        with Store.open(server.url()) as team:
            rows = team.trials(campaign_id=begun[0])
            assert team.campaign(begun[0]).state == "finished"
            assert len({(t.kind, t.template, t.config, tuple(t.point.items())) for t in rows}) == len(rows)
            assert len({t.seed_order for t in rows}) == len(rows)
            assert {t.kind for t in rows} >= {"search", "cross", "profile"}

"""A campaign whose database server is stopped under it goes on, and everything it measured arrives, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from anytile.db.outbox import Outbox
from anytile.db.store import Store
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger.events import CampaignEnded, Event, TrialDone
from anytile.tuner.ledger.interrupts import Stop
from tests.support.stand_ins import synthetic_campaign as world
from tests.support.stand_ins.postgres_server import PostgresServer

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.usefixtures("landscape", "no_challengers"),
]


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_server_stopped_in_mid_campaign(tmp_path: Path, store: Store, comes_back: bool) -> None:
    said: list[str] = []
    undisturbed = run_campaign(store, world.LandscapeRunner(), world.request())
    with PostgresServer(("fsync=off",)) as server:

        def disturb(event: Event) -> None:
            if isinstance(event, TrialDone) and event.number == 20:
                server.stop()
            if isinstance(event, TrialDone) and event.number == 60 and comes_back:
                server.start()

        outbox = Outbox(Store.open(server.url()), tmp_path / "outbox", said.append)
        result = run_campaign(outbox, world.LandscapeRunner(), world.request(), disturb)
        assert result.state == "finished"
        outbox.close()
        if not comes_back:
            assert [p.suffix for p in (tmp_path / "outbox").iterdir()] == [".jsonl"]
            server.start()
            Outbox(Store.open(server.url()), tmp_path / "outbox", said.append).close()
        assert list((tmp_path / "outbox").iterdir()) == []
        with Store.open(server.url()) as team:
            found = team.trials(campaign_id=result.campaign_id)
            assert world.what(found) == world.what(store.trials(campaign_id=undisturbed.campaign_id))
            assert len({t.id for t in team.trials()}) == len(team.trials()) == len(found)
            assert team.campaign(result.campaign_id).state == "finished"
            assert team.selection(*world.request().workloads, world.TARGET) is not None
    assert any("measuring goes on" in line for line in said)


def test_one_stopped_while_the_server_is_away_can_be_resumed(tmp_path: Path, store: Store) -> None:
    undisturbed = run_campaign(store, world.LandscapeRunner(), world.request())
    stop = Stop()
    ended: list[str] = []
    with PostgresServer(("fsync=off",)) as server:

        def disturb(event: Event) -> None:
            if isinstance(event, TrialDone) and event.number == 20:
                server.stop()
            if isinstance(event, TrialDone) and event.number == 30:
                stop.ask("enough seen")
            if isinstance(event, CampaignEnded):
                ended.append(event.campaign_id)

        outbox = Outbox(Store.open(server.url()), tmp_path / "outbox", lambda line: None)
        result = run_campaign(outbox, world.LandscapeRunner(), world.request(), disturb, stop)
        assert (result.state, ended) == ("interrupted", [result.campaign_id])
        outbox.close()
        server.start()
        again = Outbox(Store.open(server.url()), tmp_path / "outbox", lambda line: None)
        resumed = resume_campaign(again, world.LandscapeRunner(), result.campaign_id)
        assert resumed.state == "finished"
        assert world.what(again.trials(campaign_id=result.campaign_id)) == world.what(
            store.trials(campaign_id=undisturbed.campaign_id)
        )
        again.close()

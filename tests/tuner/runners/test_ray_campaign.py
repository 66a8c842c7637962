"""A whole campaign on a cluster of two nodes, of which one dies in the middle: it costs time, and the user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import anytile
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.tuner.ledger.events import Event, TrialDone
from anytile.tuner.protocol.attribution import number_in
from tests.tuner.runners.conftest import TwoNodes

WORKLOADS = (dense(8, 40, 24, const=("w",)), dense(5, 33, 17))  # of one size: the search, a profile, a plan
SEARCHED = 24  # more than one batch, so that builders, too, have to do without the node
DIES_AT = 4


@pytest.mark.slow
@pytest.mark.usefixtures("no_challengers", "brief")
def test_a_campaign_outlives_a_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], two_nodes: TwoNodes
) -> None:
    import ray

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # locks of its own
    told: list[TrialDone] = []
    capfd.readouterr()

    def listen(event: Event) -> None:
        if not isinstance(event, TrialDone):
            return
        told.append(event)
        if len(told) == DIES_AT:
            assert sum(node["Alive"] for node in ray.nodes()) == 2
            two_nodes.kill()

    database = str(tmp_path / "tuning.db")
    done = anytile.tune(
        WORKLOADS,
        Target.host(),
        db=database,
        trials=SEARCHED,
        search="random",
        ray_address=two_nodes.address,
        on_event=listen,
        top_k=3,
    )
    assert not ray.is_initialized()  # the cluster was joined, and left again
    assert (done.state, done.reason) == ("finished", "")
    with Store.open(database) as store:
        rows = store.trials(campaign_id=done.campaign_id)
        assert [t.seed_order for t in rows] == [e.number for e in told] == list(range(len(rows)))
        assert sum(t.kind == "search" for t in rows) >= SEARCHED
        assert {t.workload for t in rows} == set(WORKLOADS)
        assert {t.status for t in rows} == {Status.OK}  # what was under way there was done again
        named = store.campaign(done.campaign_id).options["workers"]
        assert {named[number_in(t.facts) - 1] for t in rows} == {e.worker for e in told} == set(named)
        for workload in WORKLOADS:
            chosen = store.selection(workload, Target.host())
            assert chosen is not None
            assert chosen.plan == done.plans[workload].to_json()
    said = capfd.readouterr().err.splitlines()
    assert any(line.startswith("lost a measuring station") for line in said), said

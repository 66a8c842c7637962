"""A database that has something of everything the pages show, whose texts mean harm; and applications over it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any as Anything

import pytest
from starlette.types import ASGIApp

from anytile.codegen.version import CODEGEN_VERSION
from anytile.db.records.records import Campaign, Selection, Status, Trial, Versions
from anytile.db.store import Store
from anytile.pages.app import application
from anytile.pages.data import Shown
from anytile.pages.shown_models import of_preset
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

HARM = "<script>document.title='harmed'</script><img src=x onerror=alert(1)>\"'&amp;"
WORKLOAD, LARGE, ASKED = (dense(Any("m"), n, 768, const=("w",)) for n in (768, 3072, 2304))
FINISHED, RUNNING = (f"{n}5eed000-0000-4000-8000-000000000001" for n in (1, 2))
NOW = 1.79e9
_DENSE = template("dense.cpu")
VERSIONS = Versions("0.1.0", _DENSE.version, CODEGEN_VERSION, "22.1", "3.11.2")
BEFORE = replace(VERSIONS, codegen=CODEGEN_VERSION - 1, llvm="21.1")


def fill(store: Store, now: float = NOW) -> None:
    target = Target.host()
    configs = list(_DENSE.space(WORKLOAD, target))[:12]
    options = {"request": {"trials": 40, "seconds": 180.0, "strategy": HARM}, "progress": {"spent": 66.0}}
    done = Campaign((WORKLOAD, LARGE), target, options, "finished", now - 9e4, now - 8.9e4, FINISHED)
    running = Campaign((LARGE,), target, options, "running", now - 70, None, RUNNING)

    def trial(campaign: Campaign, order: int, rate: float, **changed: Anything) -> Trial:
        workload = changed.get("workload", WORKLOAD)
        took = workload.flops({"m": 64}) / (rate * 1e9)
        given: dict[str, Anything] = {
            "workload": workload, "target": target, "template": "dense.cpu", "config": configs[order % len(configs)],
            "point": {"m": 64}, "status": Status.OK, "samples": (took,), "versions": VERSIONS,
            "seed_order": order, "device": f"a machine {HARM}", "campaign_id": campaign.id,
            "created": campaign.created + order,
        }  # fmt: skip
        return Trial(**{**given, **changed})

    for campaign in (done, running):
        store.add_campaign(campaign)
    store.add_trials([
        *(trial(done, n, 200 + n) for n in range(8)),
        trial(done, 8, 260, versions=BEFORE),  # of which the newer versions fall short
        *(trial(done, 9 + n, 310 + n, workload=LARGE) for n in range(8)),
        trial(done, 20, 1, status=Status.CRASHED, samples=(), reason=HARM),
        *(trial(running, n, 300 + n, workload=LARGE) for n in range(15)),
    ])  # fmt: skip
    plan = single_plan(WORKLOAD, target, "dense.cpu", configs[0])
    store.add_selection(Selection(WORKLOAD, target, plan.to_json(), VERSIONS, HARM, done.id, now - 8.9e4))
    for _ in range(3):
        store.record_miss(ASKED, target)


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "tuning.db"
    with Store.open(str(path)) as store:
        fill(store, time.time())
    return path


@pytest.fixture
def database(filled_once: Path) -> str:
    """Its URL; tests read it and leave it alone."""
    return str(filled_once)


@pytest.fixture
def make_app(database: str) -> Iterator[Callable[..., ASGIApp]]:
    stores: list[Store] = []

    def make(url: str = database, names: frozenset[str] = frozenset({"localhost"}), **options: Anything) -> ASGIApp:
        stores.append(Store.open(url, readonly=True))
        shown = Shown(stores[-1], [of_preset("bert-base")], Target.host())
        return application(shown, names, **options)

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def app(make_app: Callable[..., ASGIApp]) -> ASGIApp:
    return make_app()

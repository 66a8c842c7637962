"""The library as a program uses it: tune, look up, build, call, save, load."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile import api
from anytile.db.lookup.ladder import Rung
from anytile.db.open import open_reading
from anytile.db.store import Store
from anytile.schedules.templates.registry import template
from anytile.tuner.ledger.events import CampaignEnded, CampaignStarted

SMALL = anytile.dense(m=anytile.Any("m"), n=48, k=32, const=("w",))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "tuning.db"))
    return str(tmp_path / "tuning.db")


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((48, 32), dtype=np.float32)


def test_a_kernel_without_any_database(place: str, weights: np.ndarray) -> None:
    kernel = anytile.build(anytile.dense(m=anytile.Any("m"), n=48, k=32), constants={"w": weights})
    for m in (0, 1, 7, 8, 9, 31):
        x = np.random.default_rng(m).standard_normal((m, 32), dtype=np.float32)
        np.testing.assert_allclose(kernel(x), x @ weights.T, rtol=1e-4, atol=1e-4)
    assert "m=17" in kernel.why(m=17)


def test_a_model_reads_its_database_opened_once(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many kernels it has; what it misses is noted all the same."""
    opened: list[str | None] = []

    def counted(url: str | None) -> Store | None:
        opened.append(url)
        return open_reading(url)

    monkeypatch.setattr("anytile.db.open.open_reading", counted)
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 8), float32]") as (f, x):
        f.result(f.tuple(f.softmax(x), f.softmax(f.concat(x, x, axis=1))))
    with Store.open(place) as db:
        anytile.compile(m.build())
        assert len(opened) == 1
        assert {m.workload.op for m in db.misses()} == {"softmax", "concat"}


def test_lookup_without_any_database_answers_and_makes_none(place: str) -> None:
    answer = anytile.lookup(SMALL)
    assert answer.rung is Rung.DEFAULT
    assert answer.config == template("dense.cpu").default(SMALL, anytile.Target.host())
    assert not Path(place).exists()


def test_specs_may_be_text_everywhere(place: str, weights: np.ndarray) -> None:
    assert anytile.lookup(str(SMALL), str(anytile.Target.host())).workload == SMALL
    kernel = anytile.build(str(SMALL), "llvm -threads=1", constants={"w": weights})
    assert kernel.plan.workload == SMALL


@pytest.mark.slow
def test_tune_look_up_build_save_load(place: str, weights: np.ndarray, tmp_path: Path) -> None:
    events: list[object] = []
    result = anytile.tune(
        SMALL, trials=3, seconds=5.0, top_k=2, runner="inline", search="random", on_event=events.append
    )
    assert result.state == "finished"
    assert isinstance(events[0], CampaignStarted)
    assert isinstance(events[-1], CampaignEnded)
    answer = anytile.lookup(SMALL)
    assert answer.rung is Rung.EXACT
    assert answer.plan == result.plans[SMALL].to_json()
    kernel = anytile.build(SMALL, constants={"w": weights})
    assert kernel.plan.variants == result.plans[SMALL].variants
    kernel.save(tmp_path / "dense.kernel")
    x = np.ones((5, 32), np.float32)
    np.testing.assert_allclose(anytile.load_kernel(tmp_path / "dense.kernel")(x), x @ weights.T, rtol=1e-4)


def test_resuming_what_is_not_there_is_an_error(place: str) -> None:
    with pytest.raises(anytile.DatabaseError, match="holds no campaign yet"):
        anytile.resume("last", runner="inline")


def test_an_open_store_is_used_and_left_open(filled: Any) -> None:
    with Store.open(filled.url, readonly=True) as store:
        assert anytile.lookup(filled.workload, db=store).plan == filled.plan.to_json()
        assert store.stats().campaigns == 1


def test_the_cost_model_answers_for_a_machine_nobody_tuned_on(filled: Any) -> None:
    """Records of another target cannot be used as they are, but they can teach which configs are good."""
    with Store.open(filled.url, readonly=True) as store:
        answer = anytile.lookup(filled.workload, "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", store)
        assert answer.rung is Rung.MODEL
        assert answer.config is not None
        again, third = (
            anytile.lookup(filled.workload, "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", store) for _ in range(2)
        )
        assert again == answer
        assert third is again


@pytest.mark.usefixtures("small_heap")
def test_a_closed_store_is_let_go(filled: Any) -> None:
    before = len(api._rankers)
    store = Store.open(filled.url, readonly=True)
    anytile.lookup(filled.workload, db=store)
    store.close()
    del store
    gc.collect()
    assert len(api._rankers) <= before


def test_a_store_is_opened_once_for_many_lookups(filled: Any) -> None:
    with anytile.open_store(filled.url, readonly=True) as store:
        assert isinstance(store, anytile.Store)
        for _ in range(2):
            assert anytile.lookup(filled.workload, db=store).plan == filled.plan.to_json()


def test_a_store_that_is_opened_to_be_read_is_not_made(place: str) -> None:
    with pytest.raises(anytile.DatabaseError):
        anytile.open_store(readonly=True)
    assert not Path(place).exists()
    with anytile.open_store() as store:
        assert store.stats().trials == 0
    assert Path(place).exists()

"""build(): from a workload to a callable, with a database, without one, with a plan given, with wrong things."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.cache import CodeCache
from anytile.core.errors import ArgumentError, DatabaseError, SpecError, UnsupportedError
from anytile.db.lookup.ladder import Rung
from anytile.db.records.records import Selection
from anytile.db.store import Store
from anytile.dispatch.blas import in_plans
from anytile.dispatch.service import build, compilable, look_up, runnable, versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import conv2d, dense
from anytile.schedules.workloads.workload import Any, Workload

HOST = Target.host()
W = dense(Any("m"), 24, 12, const=("w",))
DENSE = template("dense.cpu")


def rand(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


def tuned_plan(**knobs: int) -> DispatchPlan:
    return single_plan(W, HOST, "dense.cpu", DENSE.default(W, HOST).with_(tile_m=4, tile_n=2, **knobs))


def remember(path: Path, plan: DispatchPlan) -> None:
    with Store.open(str(path)) as store:
        store.add_selection(
            Selection(plan.workload, plan.target, plan.to_json(), versions_here("dense.cpu"), created=time.time())
        )


def test_without_a_database_the_default_serves(own_home: Path) -> None:
    kernel = build(dense(Any("m"), 24, 12), constants={"w": rand(24, 12)})
    assert kernel.answer is not None
    assert kernel.answer.rung is Rung.DEFAULT
    assert kernel.why(m=9).startswith("There is no tuning database. The default config of dense.cpu is used: ")
    assert " m=9 = " in kernel.why(m=9)
    for m in (0, 1, 9):
        assert np.allclose(kernel(rand(m, 12)), rand(m, 12) @ rand(24, 12).T, atol=1e-5)
    assert not (own_home / "tuning.db").exists()


def test_specs_may_be_text(tmp_path: Path) -> None:
    kernel = build("dense(m=?, n=24, k=12)", target="llvm", db=tmp_path / "none.db", plan=None)
    assert np.allclose(kernel(rand(5, 12), rand(24, 12)), rand(5, 12) @ rand(24, 12).T, atol=1e-5)


def test_a_stored_plan_is_used_and_nothing_written(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    plan = tuned_plan()
    remember(path, plan)
    kernel = build(W, db=path, constants={"w": rand(24, 12)})
    assert kernel.plan == plan
    assert kernel.answer is not None
    assert kernel.answer.rung is Rung.EXACT
    assert kernel.why(m=9).startswith("Tuned for exactly this workload and target")
    with Store.open(str(path)) as store:
        assert store.misses() == []
        assert build(W, db=store, constants={"w": rand(24, 12)}).plan == plan


@pytest.mark.slow
def test_a_miss_is_noted_for_the_team(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    remember(path, tuned_plan())
    other = dense(Any("m"), 48, 12, const=("w",))
    kernel = build(other, db=path, constants={"w": rand(48, 12)})
    assert kernel.answer is not None
    assert kernel.answer.rung is not Rung.EXACT
    with Store.open(str(path)) as store:
        assert [m.workload for m in store.misses()] == [other]
        build(replace(other, const=()), db=store)  # in one that is open, too
        assert {m.workload for m in store.misses()} == {other, replace(other, const=())}


def test_a_database_that_cannot_be_written_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tuning.db"
    remember(path, tuned_plan())

    def full(*_: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(Store, "record_miss", full)
    kernel = build(dense(Any("m"), 48, 12), db=path)
    assert kernel(rand(2, 12), rand(48, 12)).shape == (2, 48)


def test_a_database_that_somebody_holds_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.db.sql.engine.BUSY_TIMEOUT_S", 0.05)
    path = tmp_path / "tuning.db"
    remember(path, tuned_plan())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    kernel = build(dense(Any("m"), 48, 12), db=path)
    assert time.monotonic() - began < 20  # not the minute that a campaign's trials are worth
    other.close()
    assert kernel(rand(2, 12), rand(48, 12)).shape == (2, 48)


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(DatabaseError):
        build(W, db=path, constants={"w": rand(24, 12)})


def test_a_plan_given_is_the_plan_taken() -> None:
    plan = tuned_plan(unroll_k=1)
    for given in (plan, plan.to_json()):
        kernel = build(W, plan=given, constants={"w": rand(24, 12)})
        assert kernel.plan == plan
        assert kernel.answer is None
    with pytest.raises(SpecError, match="^plan=3: expected a DispatchPlan"):
        build(W, plan=3)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="the plan is for"):
        build(dense(Any("m"), 25, 12), plan=plan, constants={"w": rand(25, 12)})


def test_a_plan_of_a_template_that_does_not_serve_its_workload_is_refused() -> None:
    """Filtering knows no strides: it would compute another convolution."""
    strided = conv2d(1, 16, 8, 8, 16, 3, 3, stride=2, pad=1, layout="nhwc", const=("w",))
    filtered = template("conv2d.winograd")
    plan = single_plan(strided, HOST, filtered.name, filtered.default(strided, HOST))
    with pytest.raises(SpecError, match="conv2d.winograd does not serve conv2d.*; expected conv2d.direct or conv2d"):
        build(strided, plan=plan, constants={"w": rand(16, 16, 3, 3)})


def test_wrong_requests_are_one_line() -> None:
    with pytest.raises(SpecError, match="operand 'b' cannot be constant"):
        build(W, constants={"b": rand(3)})
    with pytest.raises(ArgumentError, match="expected the constants w, got none"):
        build(W)
    with pytest.raises(UnsupportedError, match="this machine is"):
        build(dense(Any("m"), 4, 4), target="llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
    with pytest.raises(UnsupportedError, match="target cuda -arch=sm_75: .*--compile-only"):
        build(dense(Any("m"), 4, 4), target="cuda -arch=sm_75")


def test_plans_from_others_are_checked() -> None:
    plan = tuned_plan()
    (variant,) = plan.variants
    broken: list[Variant] = [
        replace(variant, config=variant.config.with_(tile_m=999)),
        replace(variant, tile=8),
        replace(variant, classes=((0, 1), (3, 3))),
        replace(variant, classes=((0, 10**15),)),
    ]
    for one in broken:
        with pytest.raises(SpecError):
            runnable(replace(plan, variants=(one,)))
    with pytest.raises(SpecError, match="ranges over"):
        runnable(replace(plan, symbol=None, variants=(replace(variant, tile=1, classes=()),)))
    with pytest.raises(UnsupportedError, match="no template"):
        runnable(replace(plan, variants=(replace(variant, template="dense.gpu"),)))


def test_a_plan_from_before_its_template_had_ranges_is_one_range() -> None:
    workload, target = Workload.parse("attention(b=1, h=2, m=?m, n=?m, d=64, e=64)"), Target.parse("cuda -arch=sm_80")
    config = template("attention.cuda").default(workload, target)
    old = DispatchPlan(workload, target, None, (Variant("attention.cuda", config, 1, ()),), (Range(0, None, 0),), {})
    assert compilable(old, target) == single_plan(workload, target, "attention.cuda", config)
    with pytest.raises(SpecError, match="ranges over None"):
        compilable(replace(old, variants=(*old.variants, *old.variants)), target)


def test_a_missing_or_unknown_library_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(tuned_plan(), ranges=(Range(0, 3, "blas"), Range(4, 8, "cublas"), Range(9, None, 0)))
    assert {r.runs for r in runnable(plan).ranges} == {0}  # a name that no slot serves
    monkeypatch.setattr(in_plans, "chosen", lambda: None)
    kernel = build(W, plan=plan, constants={"w": rand(24, 12)})
    assert kernel.plan.ranges == (replace(kernel.plan.ranges[0], low=0, high=None, runs=0),)
    assert np.allclose(kernel(rand(2, 12)), rand(2, 12) @ rand(24, 12).T, atol=1e-5)
    assert "no blas library was found here" in " ".join(kernel.plan.notes["decisions"])


def test_a_second_build_finds_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CodeCache(tmp_path / "code")
    build(W, plan=tuned_plan(), constants={"w": rand(24, 12)}, cache=cache)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("anytile.dispatch.cpu.build.compile_ir", refuse)
    again = build(W, plan=tuned_plan(), constants={"w": rand(24, 12)}, cache=cache)
    assert np.allclose(again(rand(9, 12)), rand(9, 12) @ rand(24, 12).T, atol=1e-5)


def test_lookup_needs_no_store() -> None:
    answer = look_up(W, HOST, None)
    assert (answer.rung, answer.plan) == (Rung.DEFAULT, None)
    assert answer.config == DENSE.default(W, HOST)

"""A locked compile makes the same executable to the bit, whatever was tuned since; what it cannot keep is an error."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.compiler.compile import compile_module
from anytile.compiler.compile import lock as lock_plans
from anytile.compiler.lock import LOCK_FORMAT, lock_text, read_lock
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.text.file import read_module
from anytile.core.errors import SpecError
from anytile.db.records.records import Selection
from anytile.db.store import Store
from anytile.dispatch.service import versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload

TEXT = """
const $w: Tensor[(3, 4), float32];
def main(x: Tensor[(?n, 4), float32]) -> Tensor[(?n, 3), float32] { dense(x, $w) }
"""
PROGRAM = """
import sys, anytile
anytile.compile(sys.argv[1], locked=sys.argv[2]).save(sys.argv[3])
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.txt"
    path.write_text(TEXT)
    np.savez(path.with_suffix(".npz"), w=np.arange(12, dtype=np.float32).reshape(3, 4) - 5)
    return path


@pytest.fixture
def locked(model: Path) -> Path:
    out = model.with_suffix(".lock")
    assert main.run(main.umbrella(), ["db", "lock", str(model), "-o", str(out)], "anytile") == 0
    return out


def tune(workload: Workload, target: Target) -> DispatchPlan:
    """Store a plan of another config than the default."""
    made = template("dense.cpu")
    default = made.default(workload, target)
    other = next(c for c in made.space(workload, target) if c != default)
    plan = single_plan(workload, target, "dense.cpu", other)
    with Store.open() as store:
        store.add_selection(Selection(workload, target, plan.to_json(), versions_here("dense.cpu"), created=9.0))
    return plan


@pytest.mark.slow
def test_the_same_executable_whatever_was_tuned_since(model: Path, tmp_path: Path) -> None:
    (used,) = lock_plans(read_module(model)).plans
    tuned = tune(used.workload.anchor, Target.host())
    out = model.with_suffix(".lock")
    assert main.run(main.umbrella(), ["db", "lock", str(model), "-o", str(out)], "anytile") == 0
    (one,) = read_lock(out).plans
    assert one.rung == "exact"
    assert DispatchPlan.from_json(one.plan).variants == tuned.variants
    with Store.open() as store:  # somebody tunes again
        default = single_plan(
            one.workload, Target.host(), "dense.cpu", template("dense.cpu").default(one.workload, Target.host())
        )
        store.add_selection(
            Selection(one.workload, Target.host(), default.to_json(), versions_here("dense.cpu"), created=99.0)
        )
    made = []
    for name in ("a", "b"):
        exe = tmp_path / f"{name}.exe"
        env = {
            "HOME": str(tmp_path / name),
            "XDG_CACHE_HOME": str(tmp_path / name),
            "ANYTILE_DB": str(tmp_path / name / "x.db"),
        }
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(model), str(out), str(exe)], env=env, check=True, cwd=tmp_path
        )
        made.append(exe.read_bytes())
        assert not (tmp_path / name / "x.db").exists()  # no database was asked
    assert made[0] == made[1]
    loaded = anytile.load(tmp_path / "a.exe")
    assert [DispatchPlan.from_json(k.plan).variants for k in loaded.kernels if k.plan] == [tuned.variants]


def test_the_command(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    locked = model.with_suffix(".lock")
    assert main.run(main.umbrella(), ["db", "lock", str(model), "-o", str(locked)], "anytile") == 0
    assert "1 plan for llvm" in capsys.readouterr().out
    exe = model.with_suffix(".exe")
    run = main.umbrella()
    assert main.run(run, ["compile", str(model), "--locked", str(locked), "-o", str(exe)], "anytile") == 0
    assert exe.exists()
    capsys.readouterr()
    assert main.run(run, ["compile", str(model), "--locked", str(locked), "--db", str(exe)], "anytile") == 2
    assert "given together with --db" in capsys.readouterr().err


def test_a_narrow_compile_is_locked_as_one(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same executable as without the lock, and none in another precision."""
    locked, run = model.with_suffix(".lock"), main.umbrella()
    assert main.run(run, ["db", "lock", str(model), "-o", str(locked), "--precision", "int8"], "anytile") == 0
    assert {one.workload.op for one in read_lock(locked).plans} == {"quantise_rows", "quantised_dense"}
    made = [anytile.compile(model, precision="int8", **given) for given in ({"locked": locked}, {})]
    assert [k.plan for k in made[0].kernels] == [k.plan for k in made[1].kernels]
    with pytest.raises(SpecError, match="has no plan for dense.*the model has changed, or its precision; lock again"):
        anytile.compile(model, locked=locked)
    capsys.readouterr()
    assert main.run(run, ["db", "lock", str(model), "-o", str(locked), "--precision", "int9"], "anytile") == 2
    assert "int9" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: data.update(format=LOCK_FORMAT + 1), f"format {LOCK_FORMAT + 1} is not {LOCK_FORMAT}; upgrade"),
        (lambda data: data.update(codegen=0), "was made with code generation 0, this anytile has"),
        (
            lambda data: data.update(target="llvm -mcpu=haswell -threads=3"),
            "is for llvm -mcpu=haswell -threads=3, this",
        ),
        (lambda data: data.update(plans=[]), "has no plan for dense"),
        (lambda data: data["plans"][0].update(plan="{}"), "the plan for dense"),
        (lambda data: data["plans"][0].pop("plan"), "plan is missing"),
        (lambda data: data.update(more=1), "more is not a field"),
        (
            lambda data: data["plans"][0].update(plan=data["plans"][0]["plan"].replace("tile_m=", "tile_m=9")),
            "the plan for dense",
        ),
    ],
)
def test_what_a_lock_cannot_keep_is_an_error(model, locked, change, complaint) -> None:
    data = json.loads(locked.read_text())
    change(data)
    locked.write_text(json.dumps(data))
    with pytest.raises(SpecError, match=complaint) as caught:
        anytile.compile(model, locked=locked)
    assert str(caught.value).startswith(str(locked))
    assert "`anytile db lock MODEL -o FILE`" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_lock_file(model: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read: No such file .*db lock MODEL -o FILE"):
        anytile.compile(model, locked=tmp_path / "none.lock")
    with pytest.raises(SpecError, match="cannot be read: expected a regular file, got a device; .*db lock MODEL"):
        anytile.compile(model, locked=Path("/dev/zero"))
    (tmp_path / "bad.lock").write_text("[" * 100_000)
    with pytest.raises(SpecError, match="is no lock file"):
        anytile.compile(model, locked=tmp_path / "bad.lock")


def test_the_next_step_is_for_the_target_that_was_asked_for(model: Path, locked: Path) -> None:
    with pytest.raises(SpecError, match="db lock MODEL -o FILE --target 'llvm -mcpu=haswell -threads=1'` makes one"):
        anytile.compile(model, "llvm -mcpu=haswell", locked=locked)


def test_a_library_that_is_missing_is_said(model: Path, locked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = read_lock(locked)
    (one,) = lock.plans
    plan = DispatchPlan.from_json(one.plan)
    ranges = tuple(replace(r, runs="openblas") for r in plan.ranges)
    text = replace(plan, ranges=ranges).to_json()
    locked.write_text(lock_text(replace(lock, plans=(replace(one, plan=text),))))
    monkeypatch.setattr("anytile.dispatch.service.in_plans.libraries_of", lambda plan: ["nowhere"])
    with pytest.raises(SpecError, match="cannot run here as it is locked: .*; lock again: `anytile db lock"):
        anytile.compile(model, locked=locked)


def test_planners_are_asked_in_place_of_a_database(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that lends its GPU may have none."""
    monkeypatch.setitem(sys.modules, "anytile.db.lookup.layers", None)
    asked: list[Target] = []

    def default(workload: Workload) -> Planned:
        config = template("dense.cpu").default(workload, Target.host())
        return Planned(single_plan(workload, Target.host(), "dense.cpu", config).to_json(), "exact", "somebody said so")

    exe = compile_module(read_module(model), planners=lambda on: (asked.append(on), default)[1])
    assert asked == [Target.host()]
    assert [(k.rung, k.because) for k in exe.kernels if k.kind == "kernel"] == [("exact", "somebody said so")]

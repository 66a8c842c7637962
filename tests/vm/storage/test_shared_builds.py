"""Builds that other processes share: the same code whoever made it, and none of them is left behind."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.core.errors import AnytileError, SpecError
from anytile.dispatch.backends import backend
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.vm.storage import shared_builds
from anytile.vm.storage.kernel_code import Wanted, kept
from anytile.vm.storage.shared_builds import SETTING, all_built, jobs

WORDS = 7


def plan_of(columns: int) -> DispatchPlan:
    target = Target.host()
    workload = Workload.parse(f"layer_norm(rows=?rows, n={columns}, dtype=float32)")
    (first, *_) = templates_for(workload, target)
    return single_plan(workload, target, first.name, first.default(workload, target))


@pytest.fixture(scope="module")
def wanted() -> list[Wanted]:
    return [Wanted.of("test", plan_of(columns)) for columns in range(16, 16 + WORDS)]


@pytest.fixture(scope="module")
def alone(wanted: list[Wanted]) -> list[Artifact]:
    return [backend(w.plan.target).compile(w.plan) for w in wanted]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    """What this process builds itself, where others are asked at once."""
    monkeypatch.setenv(SETTING, "3")
    monkeypatch.setattr(shared_builds, "_ALONE", 0.0)
    whole, seen = shared_builds.built, list[Wanted]()

    def noting(wanted: Wanted, cache: CodeCache) -> Artifact:
        seen.append(wanted)
        return whole(wanted, cache)

    monkeypatch.setattr(shared_builds, "built", noting)
    return seen


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """All that are started; none may be left."""
    started = list[subprocess.Popen[bytes]]()

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield started
    assert all(process.returncode is not None for process in started)


def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process takes nothing more until the others have taken all."""
    whole = shared_builds._Shared.build_all

    def late(shared: shared_builds._Shared) -> None:
        until = time.monotonic() + 60
        while len(shared.code) < WORDS and time.monotonic() < until:
            time.sleep(0.01)
        whole(shared)

    monkeypatch.setattr(shared_builds._Shared, "build_all", late)


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
def test_others_make_the_same_code(
    tmp_path: Path,
    wanted: list[Wanted],
    alone: list[Artifact],
    here: list[Wanted],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient(monkeypatch)
    assert all_built(wanted, CodeCache(tmp_path)) == alone
    assert not here
    assert [kept(w, CodeCache(tmp_path)) for w in wanted] == alone


def script(folder: Path, text: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "exit 1",
        "exec sleep 60",
        "echo sorry; exec sleep 60",
        "echo; read line; exit 0",
        "echo; while read line; do echo; done",
        "echo; while read line; do echo sorry; done",
    ],
    ids=[
        "gone at once",
        "never ready",
        "something else",
        "gone when asked",
        "leaves nothing",
        "answers something else",
    ],
)
def test_what_others_do_not_leave_is_built_here(
    text: str,
    tmp_path: Path,
    wanted: list[Wanted],
    alone: list[Artifact],
    here: list[Wanted],
    processes: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.executable", script(tmp_path, text))
    assert all_built(wanted, CodeCache(tmp_path / "cache")) == alone
    assert sorted(w.text for w in here) == sorted(w.text for w in wanted)
    assert len(processes) == 2


def test_where_no_process_starts_all_is_built_here(
    tmp_path: Path, wanted: list[Wanted], alone: list[Artifact], here: list[Wanted], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "nowhere"))
    assert all_built(wanted, CodeCache(tmp_path / "cache")) == alone
    assert here == wanted


@pytest.mark.slow
@pytest.mark.usefixtures("here", "processes")
def test_an_error_is_raised_as_it_would_be_alone(tmp_path: Path, wanted: list[Wanted]) -> None:
    plan = wanted[0].plan
    bad = replace(plan, variants=(replace(plan.variants[0], template="norm.nowhere"),))
    with pytest.raises(AnytileError) as said:
        backend(plan.target).compile(bad)
    with pytest.raises(type(said.value)) as shared:
        all_built([*wanted[:2], Wanted.of("test", bad), *wanted[2:]], CodeCache(tmp_path))
    assert str(shared.value) == str(said.value)


def test_who_is_interrupted_leaves_no_process(
    tmp_path: Path,
    wanted: list[Wanted],
    here: list[Wanted],
    processes: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.executable", script(tmp_path, "echo; exec sleep 60"))
    whole = shared_builds.built

    def interrupted(wanted: Wanted, cache: CodeCache) -> Artifact:
        if here:
            raise KeyboardInterrupt
        return whole(wanted, cache)

    monkeypatch.setattr(shared_builds, "built", interrupted)
    with pytest.raises(KeyboardInterrupt):
        all_built(wanted, CodeCache(tmp_path / "cache"))
    assert len(processes) == 2


@pytest.mark.parametrize("asked", ["0", "-1", "many", "1.5", "²", " 2", "123456"])
def test_a_setting_that_is_no_count_is_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, asked)
    with pytest.raises(SpecError) as said:
        jobs()
    assert str(said.value).startswith(f"{SETTING}={asked}: expected how many processes")


def test_as_many_processes_as_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING)
    assert jobs() == min(usable_cores(), 8)
    monkeypatch.setattr(shared_builds, "usable_cores", lambda: 64)
    assert jobs() == 8
    monkeypatch.setenv(SETTING, "12")
    assert jobs() == 12


@pytest.mark.parametrize(
    ("seconds", "done", "left", "most", "shares"),
    [
        (0.6, 1, 2, 2, True),
        (0.6, 1, 2, 1, False),  # nobody else may
        (0.6, 1, 1, 2, False),  # the last is begun here
        (0.4, 1, 50, 2, False),  # not long enough
        (0.6, 60, 20, 2, False),  # what is left is nothing
        (0.6, 60, 60, 2, True),
        (0.0, 0, 9, 2, False),
    ],
)
def test_others_are_asked_where_it_takes_longer_than_to_start_them(
    seconds: float, done: int, left: int, most: int, shares: bool
) -> None:
    assert shared_builds._worth_sharing(seconds, done, left, most) is shares

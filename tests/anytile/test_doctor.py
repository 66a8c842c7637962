"""The doctor's lines on threads: which runtime starts them and what to do where none does, and how many may be busy."""

from __future__ import annotations

import os

import pytest

from anytile import doctor
from anytile.codegen import openmp
from anytile.codegen.openmp import Runtime
from anytile.doctor import OK, WARN, Check, examine
from anytile.schedules import target as target_module


def _threads() -> Check:
    (found,) = (check for check in examine() if check.name == "threads")
    return found


def test_it_names_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmp, "runtime", lambda: Runtime("/a/torch/lib/libgomp.so.1", "mapped"))
    monkeypatch.setenv("OMP_THREAD_LIMIT", "3")
    found = _threads()
    assert found.state == OK
    assert "OMP_THREAD_LIMIT=3, libgomp.so.1 (in use already)" in found.seen
    assert found.data["openmp"] == "/a/torch/lib/libgomp.so.1"


def test_without_a_runtime_it_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmp, "runtime", lambda: None)
    found = _threads()
    assert found.state == WARN
    assert found.seen.endswith("no OpenMP runtime")
    assert "kernels run on one thread; install libgomp" in found.next
    assert not doctor.healthy([found])


@pytest.mark.parametrize(("share", "advice"), [(2.0, "keep to -threads=2"), (2.5, "keep to -threads=2"), (0.5, "=1")])
def test_it_says_that_a_quota_holds(share: float, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    for module in (target_module, doctor):
        monkeypatch.setattr(module, "quota", lambda: share)
    found = doctor._cores()
    assert found.state == WARN
    assert f"8 usable of {os.cpu_count()}, limited to {share:.1f} cores' time" in found.seen
    assert advice in found.next
    assert found.data["usable"] == target_module.usable_cores()

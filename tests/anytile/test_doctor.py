"""The doctor's lines on threads, cores and cuBLAS: what was found, and what to do where something is missing."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from anytile import doctor
from anytile.codegen.load import thread_team
from anytile.codegen.threads import thread_table
from anytile.dispatch.cuda import cupy_device
from anytile.doctor import NONE, OK, WARN, Check, examine
from anytile.schedules.hardware import target as target_module


def _check(name: str) -> Check:
    (found,) = (check for check in examine() if check.name == name)
    return found


def test_it_says_where_threads_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in thread_table.BINDING:
        monkeypatch.delenv(name, raising=False)
    found = _check("threads")
    assert found.state == OK
    assert found.seen.endswith("; kept off their caller's core")
    monkeypatch.setenv("OMP_PLACES", "cores")
    assert _check("threads").seen.endswith(", OMP_PLACES=cores; left where these bind them")


def test_without_threads_it_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_team, "table", lambda: None)
    found = _check("threads")
    assert found.state == WARN
    assert found.seen.endswith("no thread team")
    assert "kernels run on one thread" in found.next
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


def test_a_check_that_fails_goes_by_its_name(tmp_path: Path) -> None:
    found = [check for check in examine(str(tmp_path)) if "is a folder" in check.seen]
    assert [(check.name, check.state) for check in found] == [("database", WARN)]


def test_cublas_comes_with_an_extra_of_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert (_check("cublas").state, _check("cublas").next) == (NONE, "")
    cupy = ModuleType("cupy")
    cupy.__spec__ = ModuleSpec("cupy", None)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(cupy_device, "cublas", lambda: None)
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: {"cupy": ["cupy-cuda12x"]})
    assert "pip install 'cupy-cuda12x[ctk]'" in _check("cublas").next
    monkeypatch.setattr(importlib.metadata, "packages_distributions", dict)
    assert "pip install 'cupy-cuda13x[ctk]'" in _check("cublas").next
    monkeypatch.setattr(cupy_device, "cublas", lambda: object())
    assert _check("cublas").state == OK

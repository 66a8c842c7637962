"""The doctor's line on threads: which runtime starts them, and what to do where none does."""

from __future__ import annotations

import pytest

from anytile import doctor
from anytile.codegen import openmp
from anytile.codegen.openmp import Runtime
from anytile.doctor import OK, WARN, Check, examine


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

"""Code for kernels: what ran here before is found without looking at its plan again, and nothing else is."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any as AnyType

import numpy as np
import pytest

from anytile.codegen.cache import CodeCache
from anytile.dispatch import backends, service
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.storage import link
from anytile.vm.storage.file import save
from anytile.vm.storage.link import linked, linked_as_planned
from tests.support.cases.vm_executables import mlp, mlp_in_numpy

LEFT_OUT = (
    "anytile.schedules.templates.registry",
    "anytile.dispatch.cpu.build",
    "anytile.dispatch.service",
    "anytile.dispatch.plans.profile",
    "anytile.db.records.records",
    *(("llvmlite",) if platform.machine() == "x86_64" else ()),  # elsewhere LLVM loads object code
    "numpy.ma",
)
LOADS = """
import sys
import numpy as np
import anytile
session = anytile.Session(sys.argv[1])
np.save(sys.argv[2], session(np.ones((3, 24), np.float32)))
print(*(name for name in sys.argv[3:] if name in sys.modules))
"""


def without_code(exe: Executable) -> Executable:
    return replace(exe, kernels=tuple(replace(k, artifact=None) for k in exe.kernels))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[DispatchPlan]:
    """The plans that are looked at."""
    seen = []
    whole = service.runnable

    def noting(plan: DispatchPlan, strict: bool = True) -> DispatchPlan:
        seen.append(plan)
        return whole(plan, strict)

    monkeypatch.setattr(service, "runnable", noting)
    return seen


def with_plans(exe: Executable, change: Callable[[dict[str, AnyType]], None]) -> Executable:
    """With something else in the plans of its kernels."""
    kernels = []
    for kernel in exe.kernels:
        if kernel.plan:
            plan = json.loads(kernel.plan)
            change(plan)
            kernel = replace(kernel, plan=json.dumps(plan, sort_keys=True))
        kernels.append(kernel)
    return replace(exe, kernels=tuple(kernels))


@pytest.mark.slow
def test_what_ran_here_before_is_loaded_without_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    exe, weights = mlp()
    save(exe, tmp_path / "e")
    said = []
    for i in range(2):
        command = [sys.executable, "-c", LOADS, str(tmp_path / "e"), str(tmp_path / f"{i}.npy"), *LEFT_OUT]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        said.append(done.stdout.split())
        found = np.load(tmp_path / f"{i}.npy")
        np.testing.assert_allclose(found, mlp_in_numpy(np.ones((3, 24), np.float32), weights), rtol=1e-4, atol=1e-4)
    assert LEFT_OUT[0] in said[0]
    assert said[1] == []


def test_a_plan_is_looked_at_once(tmp_path: Path, looks: list[DispatchPlan]) -> None:
    exe, cache = without_code(mlp()[0]), CodeCache(tmp_path)
    plans = len({k.plan for k in exe.kernels if k.plan})
    first = linked(exe, cache)
    assert len(looks) == plans
    assert linked(exe, cache) == first
    assert len(looks) == plans


def test_code_that_was_made_unlooked_at_does_not_count(tmp_path: Path, looks: list[DispatchPlan]) -> None:
    exe, cache = without_code(mlp()[0]), CodeCache(tmp_path)
    linked_as_planned(exe, cache)
    assert not looks
    linked(exe, cache)
    assert looks


@pytest.mark.slow
def test_a_config_that_no_template_has_gives_way_every_time(tmp_path: Path, looks: list[DispatchPlan]) -> None:
    def odd(plan: dict[str, AnyType]) -> None:
        variant = plan["variants"][0]
        variant["config"] = variant["config"].replace("unroll_k=2", "unroll_k=7")

    changed, cache = with_plans(without_code(mlp()[0]), odd), CodeCache(tmp_path)
    found = [linked(changed, cache) for _ in range(2)]
    assert found[0] == found[1]
    assert len(looks) == 2 * 2
    assert all("unroll_k=7" in k.plan and "so the default config" in k.plan for k in found[0].kernels if k.plan)


def test_a_plan_for_more_threads_than_there_are_is_looked_at_every_time(
    tmp_path: Path, looks: list[DispatchPlan]
) -> None:
    def many(plan: dict[str, AnyType]) -> None:
        plan["target"] = str(Target.host(usable_cores() + 1))
        variant = plan["variants"][0]  # a template for threads has two knobs more
        variant["config"] = (
            variant["config"].replace("locality", "grain=524288,locality").replace("prefetch", "parallel=n,prefetch")
        )

    changed, cache = with_plans(without_code(mlp()[0]), many), CodeCache(tmp_path)
    with pytest.MonkeyPatch.context() as patch:  # cores that are gone the next time
        for module in (link, backends):
            patch.setattr(module, "usable_cores", lambda: 64)
        assert "adapted" not in linked(changed, cache).kernels[0].plan
    for times in (2, 3):
        found = linked(changed, cache)
        assert len(looks) == 2 * times
        assert all("threads; this process may use" in k.plan for k in found.kernels if k.plan)
    assert Session(found)(np.ones((3, 24), np.float32)).shape == (3, 8)

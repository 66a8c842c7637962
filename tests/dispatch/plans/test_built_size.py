"""A code budget holds for the code, not for what was thought of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anytile.codegen.cache import CodeCache
from anytile.core.errors import CodegenError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.dispatch.plans import built_size
from anytile.dispatch.plans.built_size import BUILT, held
from anytile.dispatch.plans.why import BUDGET
from anytile.dispatch.service import built_bytes
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

HOST = Target.host()
W = dense(Any("m"), 32, 16)
PER_CLASS = 1000


def plan_of(classes: int, tile: int = 8) -> DispatchPlan:
    config = template("dense.cpu").default(W, HOST).with_(tile_m=tile, tile_n=1)
    return single_plan(W, HOST, "dense.cpu", config, classes)


def choose(budget: int) -> DispatchPlan:
    """As many classes as the budget has room for, by an estimate; never fewer than one."""
    classes = max(min(budget // PER_CLASS, 8), 1)
    return replace(plan_of(classes), notes={"code_bytes": classes * PER_CLASS, "decisions": [f"{classes} classes"]})


def taking(per_class: int) -> built_size.Measure:
    return lambda plan: per_class * len(plan.variants[0].classes)


def classes_of(plan: DispatchPlan) -> int:
    return len(plan.variants[0].classes)


def test_a_plan_over_its_budget_is_shrunk_until_it_fits() -> None:
    plan = held(6000, choose, taking(1900))
    assert classes_of(plan) == 3
    assert plan.notes[BUILT] == 5700
    first, shrunk, built = plan.notes["decisions"]
    assert first == "3 classes"
    assert shrunk == "built, its code took 11400 bytes, over the budget of 6000: chosen anew, for an estimate of 3157"
    assert built == "built, its code takes 5700 bytes, within the budget of 6000"


def test_it_is_shrunk_more_than_once_where_once_is_not_enough() -> None:
    sizes = {6: 12_000, 3: 9_000, 2: 5_900, 1: 100}
    plan = held(6000, choose, lambda plan: sizes[classes_of(plan)])
    assert (classes_of(plan), plan.notes[BUILT]) == (2, 5900)


def test_where_nothing_is_smaller_it_is_said() -> None:
    plan = held(6000, choose, taking(9000))
    assert classes_of(plan) == 1
    assert "takes 9000 bytes, which no smaller plan changes, over the budget of 6000" in plan.notes["decisions"][-1]


def test_a_plan_that_fits_stays() -> None:
    plan = held(6000, choose, taking(1000))
    assert (classes_of(plan), plan.notes[BUILT]) == (6, 6000)


def test_a_plan_far_below_its_budget_is_not_built_for_that() -> None:
    def never(_: DispatchPlan) -> int:
        raise AssertionError("built")

    plan = held(16_000, choose, never)
    assert (classes_of(plan), BUILT in plan.notes) == (8, False)


def test_an_unknown_estimate_is_none() -> None:
    plan = held(16_000, lambda budget: plan_of(8), taking(100))
    assert plan.notes[BUILT] == 800


def test_what_cannot_be_built_here_keeps_its_estimate_and_says_so() -> None:
    def fails(_: DispatchPlan) -> int:
        raise CodegenError("no compiler")

    assert "as it could not be built: no compiler" in held(6000, choose, fails).notes["decisions"][-1]


def test_the_code_itself_is_held_to_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    whole, one = built_bytes(plan_of(8)), built_bytes(plan_of(1))
    assert one < whole == len(compile_plan(plan_of(8), cache=CodeCache()).code)

    def estimate(budget: int) -> DispatchPlan:
        """Half of what it is."""
        plan = plan_of(8 if budget >= whole // 2 else 1)
        return replace(plan, notes={"code_bytes": (whole if classes_of(plan) == 8 else one) // 2})

    budget = (whole + one) // 2
    plan = held(budget, estimate, built_bytes)
    assert classes_of(plan) == 1
    assert plan.notes[BUILT] == one <= budget


def test_why_names_the_size_and_the_budget() -> None:
    plan = plan_of(2)
    artifact = compile_plan(plan)
    size = len(artifact.code)

    def why(**notes: int) -> str:
        return DispatchKernel(replace(plan, notes=notes), artifact).why(m=3)

    assert why().endswith(f"The whole plan is {size} bytes of code.")
    assert f"{size} bytes of code, within its budget of {size}." in why(**{BUDGET: size})
    assert f"{size} bytes of code, over its budget of {size - 1}; tune with a smaller" in why(**{BUDGET: size - 1})

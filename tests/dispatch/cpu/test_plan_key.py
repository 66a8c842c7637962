"""Keys of plans' machine code: what changes the text changes the key, and what is kept is not written down again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any as AnyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.cache import CodeCache
from anytile.dispatch.cpu import build, plan_key
from anytile.dispatch.cpu.build import compile_plan, emit_plan
from anytile.dispatch.cpu.plan_key import key_of_plan
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.host import HOST_SETTING
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from tests.support.generators.random_workloads import workloads
from tests.support.import_graph import ORDER, ROOT

SSE = Target.parse("llvm -mcpu=x86-64 -threads=1")
W = dense(Any("m"), Any("n"), 3)
CONFIG = template("dense.cpu").default(W, SSE).with_(tile_m=2, tile_n=1, block_k=0)
PLAN = DispatchPlan(
    W,
    SSE,
    "m",
    (Variant("dense.cpu", CONFIG, 2, ((0, 0), (1, 1))), Variant("dense.cpu", CONFIG, 2, ((0, 1),))),
    (Range(0, 5, 0), Range(6, None, 1)),
    {},
)
Change = Callable[[DispatchPlan], DispatchPlan]


def key(plan: DispatchPlan, sizes: Collection[int] | None = None, facts_too: bool = False) -> str:
    return key_of_plan(plan, sizes, facts_too)


def in_plan(**fields: AnyType) -> Change:
    return lambda plan: replace(plan, **fields)


def in_variant(**fields: AnyType) -> Change:
    return lambda plan: replace(plan, variants=(replace(plan.variants[0], **fields), *plan.variants[1:]))


def in_range(**fields: AnyType) -> Change:
    return lambda plan: replace(plan, ranges=(*plan.ranges[:-1], replace(plan.ranges[-1], **fields)))


CHANGES: dict[str, Change] = {
    "another operator": in_plan(workload=replace(W, tail="max(y, 0)")),
    "another size": in_plan(workload=dense(Any("m"), Any("n"), 4)),
    "another symbol of a size": in_plan(workload=dense(Any("m"), Any("a"), 3)),
    "a constant operand": in_plan(workload=replace(W, const=("w",))),
    "another CPU": in_plan(target=Target.parse("llvm -mcpu=haswell -threads=1")),
    "another symbol to range over": in_plan(symbol="n"),
    "another config": in_variant(config=CONFIG.with_(tile_n=2)),
    "another tile": in_variant(config=CONFIG.with_(tile_m=3), tile=3, classes=((0, 1), (2, 2))),
    "other classes": in_variant(classes=((0, 1),)),
    "no classes": in_variant(classes=()),
    "another edge": lambda plan: replace(plan, ranges=(Range(0, 4, 0), Range(5, None, 1))),
    "another variant of a range": in_range(runs=0),
    "a library": in_range(runs="blas"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_the_text_changes_the_key(name: str) -> None:
    changed = CHANGES[name](PLAN)
    assert emit_plan(changed) != emit_plan(PLAN), "it changes no text, so it tests nothing"
    assert key(changed) != key(PLAN)


def test_the_residues_that_sizes_need_are_in_the_key() -> None:
    assert len({key(PLAN, sizes) for sizes in (None, (), (2,), (3,))}) == 4
    assert key(PLAN, (2,)) == key(PLAN, (8, 4))
    assert emit_plan(PLAN, (2,)) == emit_plan(PLAN, (8, 4))


def test_what_may_change_the_text_of_another_plan_changes_the_key() -> None:
    changes = in_plan(target=Target.parse("llvm -mcpu=x86-64 -threads=2")), in_variant(template="another")
    assert len({key(PLAN), key(PLAN, facts_too=True), *(key(change(PLAN)) for change in changes)}) == 4


def test_figures_and_notes_are_not_in_the_key() -> None:
    changed = in_range(seconds=1.5, at=8, because="it is faster")(replace(PLAN, notes={"decisions": ["many"]}))
    assert key(changed) == key(PLAN)
    assert emit_plan(changed) == emit_plan(PLAN)


def test_nothing_else_is_known_of_plans() -> None:
    """Whoever adds a field decides whether the text follows from it, and then it is part of the key."""
    assert set(DispatchPlan.__slots__) == {"workload", "target", "symbol", "variants", "ranges", "notes"}
    assert set(Variant.__slots__) == {"template", "config", "tile", "classes"}
    assert set(Range.__slots__) == {"low", "high", "runs", "seconds", "at", "because"}


def test_the_machine_and_this_installation_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    caches = replace(facts(SSE), l2_bytes=facts(SSE).l2_bytes + 1)
    given_ = {"features": "-avx", "llvm_version": "1.2.3", "sources": "changed", "facts": caches}
    keys = [key(PLAN)]
    for name, value in (*given_.items(), ("CODEGEN_VERSION", 10**6), ("ABI_VERSION", 10**6)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plan_key, name, value if isinstance(value, int) else lambda *_, value=value: value)
            keys.append(key(PLAN))
    here = replace(PLAN, target=Target.parse("llvm -mcpu=haswell -threads=1"))
    keys.append(key(here))
    # This machine, now, with caches of its own; where it already is, no longer.
    monkeypatch.setenv(HOST_SETTING, "-mcpu=x86-64" if Target.host().get("mcpu") == "haswell" else "-mcpu=haswell")
    keys.append(key(here))
    assert len(set(keys)) == len(keys)
    assert {Path(room).resolve() for room in plan_key.ROOMS} == {ROOT / r for r in ORDER[ORDER.index("dispatch") :]}


@pytest.mark.slow
@pytest.mark.parametrize("op", ["dense", "elementwise", "reduce", "transpose"])
@settings(max_examples=5)
@given(st.data())
def test_a_plan_that_was_stored_has_its_key_and_its_text(op: str, data: st.DataObject) -> None:
    workload, sizes = data.draw(workloads(op))
    chosen = templates_for(workload, SSE)[0]
    plan = single_plan(workload, SSE, chosen.name, chosen.default(workload, SSE), classes=1)
    read = DispatchPlan.from_json(plan.to_json())
    needed = (sizes[plan.symbol],) if plan.symbol else None
    assert key(read, needed) == key(plan, needed)
    assert emit_plan(read, needed) == emit_plan(plan, needed)


def test_what_is_kept_is_not_written_down_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CodeCache(tmp_path)
    first = compile_plan(PLAN, cache=cache)
    part = compile_plan(PLAN, (2,), cache=cache)
    assert part != first
    monkeypatch.setattr(build, "lower", None)
    assert compile_plan(PLAN, cache=cache) == first
    assert compile_plan(PLAN, (4,), cache=cache) == part
    monkeypatch.setattr(plan_key, "sources", lambda *_: "another anytile")
    with pytest.raises(TypeError, match="not callable"):
        compile_plan(PLAN, cache=cache)


def test_a_text_that_another_anytile_compiled_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = CodeCache(tmp_path)
    first = compile_plan(PLAN, cache=cache)
    monkeypatch.setattr(plan_key, "sources", lambda *_: "another anytile")
    monkeypatch.setattr(build, "compile_ir", None)
    assert compile_plan(PLAN, cache=cache) == first


def test_kept_code_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path)
    first = compile_plan(PLAN, cache=cache)
    for kept in tmp_path.glob("??/*"):
        kept.write_bytes(kept.read_bytes()[:-9])
    assert compile_plan(PLAN, cache=cache) == first

"""Plans as data: there and back, what is malformed in one line, and residues in classes."""

from __future__ import annotations

import json
from typing import Any as Anything

import pytest

from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

SSE = Target.parse("llvm -mcpu=nehalem")
SMALL = dense(m=Any("m"), n=37, k=5, const=("w",))
CONFIG = template("dense.cpu").default(SMALL, SSE).with_(tile_m=4, tile_n=2, block_k=0)


@pytest.mark.parametrize(("classes", "mode"), [(None, "dispatch/4"), (9, "dispatch/4"), (2, "dispatch/2"), (0, "none")])
def test_one_config_serves_every_size(classes: int | None, mode: str) -> None:
    plan = single_plan(SMALL, SSE, "dense.cpu", CONFIG, classes)
    assert (plan.symbol, plan.ranges, [v.mode for v in plan.variants]) == ("m", (Range(0, None, 0),), [mode])


def test_json_round_trip() -> None:
    ranges = (Range(0, 7, 0, 1e-6, 4, "measured"), Range(8, 99, "blas", None, None, ""), Range(100, None, 1))
    variants = (Variant("dense.cpu", CONFIG, 4, residue_classes(4, 2)), Variant("dense.cpu", CONFIG, 4, ()))
    plan = DispatchPlan(SMALL, SSE, "m", variants, ranges, {"regret": 0.5, "over": [1, 2]})
    assert DispatchPlan.from_json(plan.to_json()) == plan
    assert DispatchPlan.from_json(plan.to_json()).to_json() == plan.to_json()
    assert "\n" not in plan.to_json()
    assert [v.mode for v in plan.variants] == ["dispatch/2", "none"]
    assert [plan.range_at(m).runs for m in (0, 7, 8, 99, 100, 10**9)] == [0, 0, "blas", "blas", 1, 1]


GOOD = json.loads(single_plan(SMALL, SSE, "dense.cpu", CONFIG).to_json())
MALFORMED: dict[str, Anything] = {
    "not JSON": "{",
    "not a plan": "[]",
    "nothing": "null",
    "nested without end": "[" * 20000,
    "another format": {"format": 99},
    "no workload": {"workload": None},
    "a bad workload": {"workload": "dense(m=?)"},
    "no target": {"target": None},
    "a bad target": {"target": "gpu"},
    "a config that is a number": {"variants": [{**GOOD["variants"][0], "config": 3}]},
    "an infinite tile": {"variants": [{**GOOD["variants"][0], "tile": float("inf")}]},
    "a tile of nothing": {"variants": [{**GOOD["variants"][0], "tile": 0, "classes": []}]},
    "classes that leave a gap": {"variants": [{**GOOD["variants"][0], "classes": [[0, 1], [3, 3]]}]},
    "classes that overlap": {"variants": [{**GOOD["variants"][0], "classes": [[0, 2], [2, 3]]}]},
    "classes that end early": {"variants": [{**GOOD["variants"][0], "classes": [[0, 2]]}]},
    "a class upside down": {"variants": [{**GOOD["variants"][0], "classes": [[0, -1], [0, 3]]}]},
    "a class of one number": {"variants": [{**GOOD["variants"][0], "classes": [[0], [1, 3]]}]},
    "no variants": {"variants": []},
    "no ranges": {"ranges": []},
    "a range that begins late": {"ranges": [[1, None, 0, None, None, ""]]},
    "ranges with a gap": {"ranges": [[0, 4, 0, None, None, ""], [6, None, 0, None, None, ""]]},
    "ranges that end": {"ranges": [[0, 4, 0, None, None, ""]]},
    "a range after the last": {"ranges": [[0, None, 0, None, None, ""], [5, None, 0, None, None, ""]]},
    "a range before nothing": {"ranges": [[0, None, 0, None, None, ""], [-1, None, 0, None, None, ""]]},
    "a range upside down": {"ranges": [[0, -3, 0, None, None, ""], [-2, None, 0, None, None, ""]]},
    "a range too short": {"ranges": [[0, None]]},
    "a variant that is not there": {"ranges": [[0, None, 3, None, None, ""]]},
    "a symbol that is not there": {"symbol": "q"},
    "ranges without a symbol": {"symbol": None, "ranges": [[0, 4, 0, None, None, ""], [5, None, 0, None, None, ""]]},
    "notes that are none": {"notes": 3},
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_plan_is_one_line(name: str) -> None:
    wrong = MALFORMED[name]
    text = wrong if isinstance(wrong, str) else json.dumps({**GOOD, **wrong})
    with pytest.raises(SpecError) as error:
        DispatchPlan.from_json(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_plan_that_lacks_something(name: str) -> None:
    with pytest.raises(SpecError, match=f"a stored plan cannot be read: {name} is missing"):
        DispatchPlan.from_json(json.dumps({k: v for k, v in GOOD.items() if k != name}))


@pytest.mark.parametrize(("tile", "count"), [(4, 0), (4, 5), (0, 1)])
def test_residue_classes_are_between_one_and_the_tile(tile: int, count: int) -> None:
    with pytest.raises(SpecError, match=f"a tile of {tile} has between 1 and {tile} residue classes"):
        residue_classes(tile, count)


@pytest.mark.parametrize("tile", range(1, 17))
def test_residue_classes_partition_the_tile(tile: int) -> None:
    for count in range(1, tile + 1):
        classes = residue_classes(tile, count)
        assert len(classes) == count
        assert [r for low, high in classes for r in range(low, high + 1)] == list(range(tile))
        widths = [high - low for low, high in classes]
        assert max(widths) - min(widths) <= 1


def test_without_a_symbol_no_residue_is_told_apart() -> None:
    plan = single_plan(dense(4, 37, 5, const=("w",)), SSE, "dense.cpu", CONFIG)
    assert (plan.symbol, plan.variants[0].mode, plan.variants[0].tile) == (None, "no residues", 1)

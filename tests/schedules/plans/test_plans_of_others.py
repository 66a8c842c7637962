"""Dispatch plans that somebody else wrote: what one may name, and how much of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anytile.core.errors import SpecError
from anytile.schedules.plans.plan import MAX_LIBRARIES, MAX_RANGES, MAX_TILE, MAX_VARIANTS, DispatchPlan

VARIANT = {"template": "dense.cpu", "config": "tile_m=2", "tile": 2, "classes": [[0, 0], [1, 1]]}
PLAN = {
    "format": 1,
    "workload": "dense(m=?m, n=48, k=24)",
    "target": "llvm -mcpu=znver4 -threads=1",
    "symbol": "m",
    "variants": [VARIANT],
    "ranges": [[0, None, 0, 1e-5, 64, "it is the only one"]],
    "notes": {"decisions": ["one"]},
}


def read(**changed: Any) -> DispatchPlan:
    return DispatchPlan.from_json(json.dumps({**PLAN, **changed}))


def ranges(runs: list[Any]) -> list[Any]:
    last = len(runs) - 1
    return [[i, None if i == last else i, run, None, None, ""] for i, run in enumerate(runs)]


def test_plans_of_any_size_that_can_be() -> None:
    assert len(read(variants=[VARIANT] * MAX_VARIANTS).variants) == MAX_VARIANTS
    assert len(read(ranges=ranges([0] * MAX_RANGES)).ranges) == MAX_RANGES
    assert DispatchPlan.from_json(read().to_json()) == read()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"variants": [VARIANT] * (MAX_VARIANTS + 1)}, f"{MAX_VARIANTS + 1} variants; expected {MAX_VARIANTS} at most"),
        ({"ranges": ranges([0] * (MAX_RANGES + 1))}, f"ranges; expected {MAX_RANGES} at most"),
        ({"ranges": ranges([f"b{i}" for i in range(99)])}, f"99 libraries; expected {MAX_LIBRARIES} at most"),
        (
            {"variants": [{**VARIANT, "tile": 10**9, "classes": [[0, 10**9 - 1]]}]},
            f"1000000000 rows of a tile; expected {MAX_TILE} at most",
        ),
        ({"notes": {"a": json.loads("[" * 900 + "]" * 900)}}, "nested too deeply"),
        ({"notes": {"decisions": ["\ud800"]}}, "expected text without lone surrogates"),
        ({"notes": {"\ud800": 1}}, "expected text without lone surrogates"),
        ({"ranges": [[0, None, 0, 1e-5, 64, "\ud800"]]}, "expected text without lone surrogates"),
    ],
)
def test_what_no_plan_is_needs_no_time(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(**changed)
    assert complaint in str(caught.value)

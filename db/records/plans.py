"""Stored dispatch plans as the JSON they are. `dispatch`, which stands above this room, gives them their meaning;
lookup only needs to know which configs a plan names and how it reads under other names.

A plan comes out of a shared database, so whatever is wrong with its text is a `SpecError`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anytile.core.errors import SpecError
from anytile.db.records.distance import renaming
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

# What reading JSON of the wrong make runs into; an infinite number, which JSON can spell, overflows.
_MISMADE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, StopIteration)


@dataclass(frozen=True, slots=True)
class Used:
    """What a plan runs at one size; `config` is None where it has no kernels at all, only libraries."""

    template: str
    config: Config | None
    seconds: float | None
    point: str  # where `seconds` was measured, as in "m=64"


def config_at(plan: str, size: int) -> Used:
    """What the plan runs at this size of its symbol; where that is a library, the plan's first kernel stands in."""
    data = _load(plan)
    try:
        _, _, runs, seconds, at, _ = next(r for r in data["ranges"] if r[1] is None or size <= r[1])
        configs = _configs(data)
        if not configs:
            return Used("", None, None, "")
        kernel = isinstance(runs, int)
        template, config = configs[runs if kernel else 0]
        if not kernel or seconds is None or at is None:
            return Used(template, config, None, "")
        return Used(template, config, float(seconds), f"{data['symbol']}={int(at)}" if data["symbol"] else "")
    except _MISMADE as error:
        raise _unreadable(error) from None


def plan_configs(plan: str) -> list[tuple[str, Config]]:
    """Every (template, config) that the plan names."""
    try:
        return _configs(_load(plan))
    except _MISMADE as error:
        raise _unreadable(error) from None


def plan_versions(plan: str) -> dict[str, int]:
    """The version of each template that the plan was made with, as far as it says so."""
    try:
        return {str(name): int(version) for name, version in dict(_load(plan)["notes"].get("templates", {})).items()}
    except _MISMADE as error:
        raise _unreadable(error) from None


def plan_symbol(plan: str) -> str | None:
    symbol = _load(plan).get("symbol")
    return None if symbol is None else str(symbol)


def rewritten(plan: str, record: Workload, asked: Workload, target: Target) -> str:
    """The plan under the asked symbols' names and target. Times that were measured otherwise are left out."""
    data = _load(plan)
    try:
        elsewhere = data["target"]
        _check_ranges(data)
        if elsewhere == str(target) and record == asked:
            return plan
        if elsewhere != str(target) or record.streamed != asked.streamed:
            where = elsewhere if elsewhere != str(target) else record
            data["ranges"] = [
                [low, high, runs, None, None, f"{because or 'chosen there'}; taken over from {where}"]
                for low, high, runs, _, _, because in data["ranges"]
            ]
        names = renaming(record, asked) or {}
        symbol = names.get(data["symbol"], data["symbol"])
    except _MISMADE as error:
        raise _unreadable(error) from None
    return json.dumps(data | {"workload": str(asked), "target": str(target), "symbol": symbol}, sort_keys=True)


def with_configs(plan: str, change: Callable[[str, Config], Config]) -> str:
    """The plan with every variant's config changed."""
    data = _load(plan)
    try:
        for v in data["variants"]:
            v["config"] = str(change(str(v["template"]), Config.parse(v["config"])))
    except _MISMADE as error:
        raise _unreadable(error) from None
    return json.dumps(data, sort_keys=True)


def _check_ranges(data: dict[str, Any]) -> None:
    """What `dispatch` insists on: ranges in order, from 0 without gap or end, each running what is there."""
    following: int | None = 0
    variants = len(data["variants"])
    for low, high, runs, _, _, _ in data["ranges"]:
        there = 0 <= runs < variants if isinstance(runs, int) else isinstance(runs, str)
        if not there or low != following or (high is not None and high < low):
            raise ValueError(f"its range {low}..{high} of {runs} is out of place")
        following = None if high is None else high + 1
    if following is not None or not isinstance(data["symbol"], str | None):
        raise ValueError("its ranges end, or speak of no symbol")


def _configs(data: dict[str, Any]) -> list[tuple[str, Config]]:
    return [(str(v["template"]), Config.parse(v["config"])) for v in data["variants"]]


def _load(plan: str) -> dict[str, Any]:
    try:
        data = json.loads(plan)
    except (ValueError, RecursionError) as error:
        raise _unreadable(error) from None
    if not isinstance(data, dict):
        raise _unreadable(TypeError(f"a {type(data).__name__} is not a plan"))
    return data


def _unreadable(error: Exception) -> SpecError:
    return SpecError(f"a stored plan cannot be read: {type(error).__name__}: {error}")

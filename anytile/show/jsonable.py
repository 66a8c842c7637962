"""JSON serialisation of our data, for every `--json`: specs in their text form, numbers that are not finite as null."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload


def jsonable(value: object) -> Any:
    if isinstance(value, enum.Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, DispatchPlan):
        return json.loads(value.to_json())
    if isinstance(value, Workload | Target | Config | Path):
        return str(value)
    if is_dataclass(value):
        return {f.name: _field(f.name, getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {_key(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(v) for v in value]
    return str(value)


def dump(value: object) -> str:
    return json.dumps(jsonable(value), indent=2)


def _field(name: str, value: Any) -> Any:
    """A point travels as pairs and is read as an object."""
    return jsonable(dict(value) if name == "point" and isinstance(value, tuple) else value)


def _key(key: object) -> str:
    made = jsonable(key)
    return made if isinstance(made, str) else json.dumps(made)

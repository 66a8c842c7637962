"""The exchange format: records as JSON, one per line. It needs nothing but the standard library and the specs, so a
tuner on a machine without a database writes it too.

    {"record": "header", "format": 1}
    {"record": "campaign", "id": ..., "workloads": [...], "target": ..., "options": {...}, ...}
    {"record": "trial", "id": ..., "workload": ..., "config": "tile_m=8,...", "point": {"m": 64}, "status": "ok", ...}
    {"record": "selection", ...}        {"record": "miss", ...}

A reader trusts nothing: every field is checked and every spec is parsed, and what is wrong is a `SpecError` that says
what was expected. Fields that are not known are refused too, for they would be lost silently. `read(write(r)) == r`.
"""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias, TypeVar

from anytile.core.errors import SpecError
from anytile.db.records.records import Campaign, Miss, Selection, Status, Trial, Versions, is_moment
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

FORMAT = 1
Record: TypeAlias = Campaign | Trial | Selection | Miss
T = TypeVar("T")
_STATUSES = frozenset(s.value for s in Status)
_CAMPAIGN_STATES = ("running", "interrupted", "finished")
_UNSTORABLE = re.compile("[\ud800-\udfff]")  # no UTF-8, so no database takes it


def header() -> str:
    return json.dumps({"record": "header", "format": FORMAT})


def write(record: Record) -> str:
    """One line, without its end."""
    common: dict[str, Any] = {"record": type(record).__name__.lower(), "target": str(record.target)}
    if isinstance(record, Campaign):
        common |= {
            "id": record.id,
            "workloads": [str(w) for w in record.workloads],
            "options": dict(record.options),
            "state": record.state,
            "created": record.created,
            "finished": record.finished,
        }
        return _dumps(common)
    common["workload"] = str(record.workload)
    if isinstance(record, Miss):
        return _dumps(common | {"count": record.count, "first": record.first, "last": record.last})
    common |= {
        "id": record.id,
        "versions": _versions_out(record.versions),
        "device": record.device,
        "campaign_id": record.campaign_id,
        "created": record.created,
    }
    if isinstance(record, Selection):
        return _dumps(common | {"plan": record.plan})
    return _dumps(
        common
        | {
            "template": record.template,
            "config": str(record.config),
            "point": dict(record.point),
            "status": record.status.value,
            "samples": list(record.samples),
            "reason": record.reason,
            "drift": record.drift,
            "build_seconds": record.build_seconds,
            "facts": {k: v for k, v in record.facts.items() if math.isfinite(v)},
            "kind": record.kind,
            "seed_order": record.seed_order,
        }
    )


def read(line: str) -> Record | None:
    """The record on this line; None for a header or an empty line."""
    if not line.strip():
        return None
    try:
        data = json.loads(line, parse_constant=_no_constant)
    except RecursionError:
        raise SpecError("is nested too deeply; expected one JSON object per line") from None
    except ValueError as error:
        raise SpecError(f"is not JSON ({error}); expected one JSON object per line") from None
    if not isinstance(data, dict):
        raise SpecError(f"is a JSON {type(data).__name__}; expected an object")
    fields = _Fields(data)
    kind = fields.take("record", str)
    if kind == "header":
        if (found := fields.take("format", int)) != FORMAT:
            raise SpecError(f"format {found} is not {FORMAT}; upgrade anytile to read it")
        return None
    if kind not in _READERS:
        raise SpecError(f"record {kind!r} is unknown; expected one of {', '.join(_READERS)}")
    record = _READERS[kind](fields)
    fields.done()
    return record


class _Fields:
    """The fields of one object, each taken once and checked."""

    def __init__(self, data: dict[str, Any], where: str = "") -> None:
        self._data = data
        self._where = where

    def take(self, name: str, kind: type[T], default: T | None = None) -> T:
        if name not in self._data:
            if default is not None:
                return default
            raise SpecError(f"{self._where}{name} is missing")
        value = self._data.pop(name)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 2**63 else value
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SpecError(f"{self._where}{name} is {_short(value)}; expected {_KINDS.get(kind, kind.__name__)}")
        if isinstance(value, float) and not math.isfinite(value):
            raise SpecError(f"{self._where}{name} is {value}; expected a finite number")
        if isinstance(value, str) and name != "reason" and _UNSTORABLE.search(value):  # a reason is made storable
            raise SpecError(f"{self._where}{name} is {_short(value)}; expected text without lone surrogates")
        return value

    def number(self, name: str, default: float | None = None, above: float = -math.inf) -> float:
        value = self.take(name, float, default)
        if not value > above:
            raise SpecError(f"{self._where}{name} is {value!r}; expected a number above {above:g}")
        return value

    def when(self, name: str, default: float | None = None) -> float:
        moment = self.number(name, default)
        if not is_moment(moment):
            raise SpecError(f"{self._where}{name} is {moment!r}; expected seconds since the epoch")
        return moment

    def options(self, name: str) -> dict[str, Any]:
        given = self.take(name, dict)
        try:
            _dumps(given)
        except ValueError:  # JSON can spell a number that is infinite
            raise SpecError(f"{self._where}{name} holds a number that is not finite") from None
        return given

    def whole(self, name: str, default: int | None = None) -> int:
        value = self.take(name, int, default)
        if not -(2**31) <= value < 2**31:
            raise SpecError(f"{self._where}{name} is {_short(value)}; expected a whole number of at most 31 bits")
        return value

    def id(self, name: str, optional: bool = False) -> str:
        text = self.take(name, str, "" if optional else None)
        if optional and not text:
            return ""
        try:
            return str(uuid.UUID(text))
        except ValueError:
            raise SpecError(f"{name} is {text!r}; expected a UUID") from None

    def parsed(self, name: str, parse: Callable[[str], T]) -> T:
        return parse(self.take(name, str))

    def versions(self) -> Versions | None:
        if self._data.get("versions", ...) is None:
            self._data.pop("versions")
        if "versions" not in self._data:
            return None
        v = _Fields(self.take("versions", dict), "versions.")
        made = Versions(
            anytile=v.take("anytile", str),
            template=v.whole("template"),
            codegen=v.whole("codegen"),
            llvm=v.take("llvm", str),
            python=v.take("python", str),
        )
        v.done()
        return made

    def numbers(self, name: str) -> dict[str, float]:
        given = self.take(name, dict, {})
        inner = _Fields(dict(given), f"{name}.")
        return {key: inner.number(key) for key in given}

    def point(self, name: str) -> dict[str, int]:
        given = self.take(name, dict)
        inner = _Fields(dict(given), f"{name}.")
        point = {key: inner.whole(key) for key in given}
        if any(size < 0 for size in point.values()):
            raise SpecError(f"{name} is {_short(point)}; expected sizes from 0 up")
        return point

    def optional_when(self, name: str) -> float | None:
        if self._data.get(name) is None:
            self._data.pop(name, None)
            return None
        return self.when(name)

    def done(self) -> None:
        if self._data:
            raise SpecError(f"{self._where}{min(self._data)} is not a field of this record; upgrade anytile to read it")


def _campaign(f: _Fields) -> Campaign:
    names = f.take("workloads", list)
    if not names or not all(isinstance(n, str) for n in names):
        raise SpecError(f"workloads is {_short(names)}; expected a list of workload texts")
    state = f.take("state", str)
    if state not in _CAMPAIGN_STATES:
        raise SpecError(f"state is {state!r}; expected one of {', '.join(_CAMPAIGN_STATES)}")
    return Campaign(
        workloads=tuple(map(Workload.parse, names)),
        target=f.parsed("target", Target.parse),
        options=f.options("options"),
        state=state,
        created=f.when("created", 0.0),
        finished=f.optional_when("finished"),
        id=f.id("id"),
    )


def _trial(f: _Fields) -> Trial:
    status = f.take("status", str)
    if status not in _STATUSES:
        raise SpecError(f"status is {status!r}; expected one of {', '.join(Status)}")
    samples = f.take("samples", list, [])
    if not all(isinstance(s, int | float) and not isinstance(s, bool) and 0 < s < 1e300 for s in samples):
        raise SpecError(f"samples is {_short(samples)}; expected a list of seconds above 0")
    if status == Status.OK and not samples:
        raise SpecError("samples is empty; expected some, as status is ok")
    build_seconds = f.number("build_seconds", 0.0)
    if build_seconds < 0:
        raise SpecError(f"build_seconds is {build_seconds!r}; expected a number from 0 up")
    return Trial(
        workload=f.parsed("workload", Workload.parse),
        target=f.parsed("target", Target.parse),
        template=f.take("template", str),
        config=f.parsed("config", Config.parse),
        point=f.point("point"),
        status=Status(status),
        samples=tuple(map(float, samples)),
        reason=f.take("reason", str, ""),
        drift=f.number("drift", 1.0, above=0),
        build_seconds=build_seconds,
        facts=f.numbers("facts"),
        kind=f.take("kind", str, "search"),
        seed_order=f.whole("seed_order", -1),
        versions=f.versions(),
        device=f.take("device", str, ""),
        campaign_id=f.id("campaign_id", optional=True),
        created=f.when("created", 0.0),
        id=f.id("id"),
    )


def _selection(f: _Fields) -> Selection:
    versions = f.versions()
    if versions is None:
        raise SpecError("versions is missing")
    return Selection(
        workload=f.parsed("workload", Workload.parse),
        target=f.parsed("target", Target.parse),
        plan=f.parsed("plan", _plan),
        versions=versions,
        device=f.take("device", str, ""),
        campaign_id=f.id("campaign_id", optional=True),
        created=f.when("created", 0.0),
        id=f.id("id"),
    )


def _plan(text: str) -> str:
    """Kept to the letter; what it means is checked by whoever builds it."""
    try:
        if isinstance(json.loads(text, parse_constant=_no_constant), dict):
            return text
    except (ValueError, RecursionError):
        pass
    raise SpecError(f"plan is {_short(text)}; expected the JSON text of a dispatch plan")


def _miss(f: _Fields) -> Miss:
    return Miss(
        workload=f.parsed("workload", Workload.parse),
        target=f.parsed("target", Target.parse),
        count=f.whole("count"),
        first=f.when("first"),
        last=f.when("last"),
    )


_READERS: Mapping[str, Callable[[_Fields], Record]] = {
    "campaign": _campaign,
    "trial": _trial,
    "selection": _selection,
    "miss": _miss,
}
_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def _versions_out(v: Versions | None) -> dict[str, Any] | None:
    if v is None:
        return None
    return {
        "anytile": v.anytile,
        "template": v.template,
        "codegen": v.codegen,
        "llvm": v.llvm,
        "python": v.python,
    }


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, allow_nan=False, separators=(", ", ": "))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

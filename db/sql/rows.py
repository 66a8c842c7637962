"""Object-relational mapping: records to rows and back, by their codecs. What a record refers to comes along as rows.

A row holds what the record's codec makes of its fields, which is checked on the way in as on the way out: somebody may
have written rows with other tools, and whoever asks needs an answer. What cannot be stored everywhere is made storable
here, once: a reason is cut to a length and holds no NUL.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Generic, TypeAlias, TypeVar

from anytile.core.errors import SpecError
from anytile.core.record_codec import Codec, taken
from anytile.db.records import codecs
from anytile.db.records.records import Campaign, Miss, Selection, Status, Trial, Verdict, Versions
from anytile.db.sql.models import (
    Base,
    CampaignRow,
    CampaignWorkloadRow,
    DeviceRow,
    MissRow,
    SelectionRow,
    TargetRow,
    TrialRow,
    VerdictRow,
    VersionsRow,
    WorkloadRow,
    columns,
    id_of,
)
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import TARGET, WORKLOAD
from anytile.schedules.workloads.workload import Workload

R = TypeVar("R")
T = TypeVar("T")
Stored: TypeAlias = Trial | Campaign | Selection | Verdict | Miss
Columns: TypeAlias = dict[str, Any]
Insert: TypeAlias = tuple[type[Base], Columns]
MAX_REASON = 4000


@functools.lru_cache(4096)
def _symbols_of(workload: str) -> frozenset[str]:
    return frozenset(WORKLOAD.load(workload).symbols)


@functools.lru_cache(4096)
def workload_id(workload: Workload) -> str:
    return id_of("workload", str(WORKLOAD.load(str(workload))))


@functools.lru_cache(1024)
def target_id(target: Target) -> str:
    return id_of("target", str(TARGET.load(str(target))))


@functools.lru_cache(1024)
def device_id(device: str) -> str | None:
    return id_of("device", device) if device else None


@functools.lru_cache(1024)
def versions_id(v: Versions | None) -> str | None:
    if v is None:
        return None
    taken({"versions": codecs.VERSIONS.dump(v)}, "versions", codecs.VERSIONS.as_object)
    return id_of("versions", v.anytile, str(v.template), str(v.codegen), v.llvm, v.python)


_read_text = functools.lru_cache(4096)(json.loads)  # whoever checks it makes it anew
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def references(records: Iterable[Stored]) -> dict[str, Insert]:
    """The rows that the records' own rows refer to, by id."""
    # Most records of a batch share the same few objects, so these are told apart by identity before anything is read.
    different = {
        (id(r.target),) if isinstance(r, Campaign)
        else (id(r.workload), id(r.target)) if isinstance(r, Miss)
        else (id(r.workload), id(r.target), r.device, id(r.versions)): r
        for r in records
    }  # fmt: skip
    return {columns["id"]: (table, columns) for r in different.values() for table, columns in _references(r)}


def _references(record: Stored) -> Iterator[Insert]:
    workloads = record.workloads if isinstance(record, Campaign) else (record.workload,)
    for w in workloads:
        yield WorkloadRow, {"id": workload_id(w), "text": str(w), "op": w.op}
    yield TargetRow, {"id": target_id(record.target), "text": str(record.target), "kind": record.target.kind}
    if isinstance(record, Trial | Selection | Verdict):
        if record.device:
            yield DeviceRow, {"id": device_id(record.device), "text": record.device}
        v = record.versions
        if v is not None:
            yield VersionsRow, {"id": versions_id(v), **asdict(v)}


@functools.lru_cache(1024)
def read_versions(*columns: Any) -> Versions | None:
    return None if columns[0] is None else codecs.VERSIONS.load(dict(zip(codecs.VERSIONS.names, columns, strict=True)))


class Table(Generic[R]):
    """One kind of record as rows: `columns` are what `read` wants, texts in place of the ids that stand for them."""

    def __init__(
        self, codec: Codec[R], model: type[Base], *, as_text: Collection[str] = (), known: Collection[str] = ()
    ) -> None:
        """`as_text` are columns that hold canonical JSON, so that equal values are equal texts; what is `known` is not
        asked for, and `read` is given it."""
        self._codec, self._as_text = codec, as_text
        self._names = tuple(name for name in codec.names if name not in ("versions", "workloads", *known))
        own = columns(model)
        self.columns: tuple[Any, ...] = tuple(_TEXTS[n] if n in _TEXTS else own[n] for n in self._names)
        self._has_versions = "versions" in codec.names and "versions" not in known
        self._shared = tuple(name for name in codec.names if name in _SHARED)
        self._dump = codec.dumping([name for name in codec.names if name not in _SHARED])
        if self._has_versions:
            self.columns += VERSIONS

    def row(self, record: R, now: float = 0.0, checked: bool = False) -> Columns:
        """The columns of the record's own row; what must not be stored is a `SpecError`. A record that its codec made
        is `checked`."""
        data = self._dump(record)
        shared = {name: getattr(record, name) for name in self._shared}
        with_id = {f"{name}_id": self._checked(data, _SHARED[name], value) for name, value in shared.items()}
        if not checked:
            found = self._checked(data, self._codec.fields, data, shared)
            self._checked(data, self._codec.check, record)
            data |= {name: found[name] for name in _LINKS if name in data}
        for name in _LINKS:
            if name in data:
                data[name] = data[name] or None
        for name in self._as_text:
            data[name] = canonical(data[name])
        if "device" in data:
            data["device_id"] = device_id(data.pop("device"))
        if "created" in data:
            data["created"] = data["created"] or now
        return data | with_id

    def read(self, row: Sequence[Any], **known: object) -> R:
        data = dict(zip(self._names, row, strict=False))
        for name in self._as_text:
            data[name] = _read_text(data[name])
        if self._has_versions:
            known["versions"] = read_versions(*row[len(data) :])
        data |= {name: data[name] or "" for name in ("device", "campaign_id") if name in data}
        return self._checked(data, self._codec.load, data, **known)

    def _checked(self, data: Columns, check: Callable[..., T], *given: object, **known: object) -> T:
        try:
            return check(*given, **known)
        except SpecError as error:
            raise SpecError(f"{self._codec.name} {data.get('id', '')}: {error}") from None


# Many records share these, so they are checked once, where the id of their own row is made.
_SHARED: Mapping[str, Callable[[Any], str | None]] = {
    "workload": workload_id, "target": target_id, "versions": versions_id,
}  # fmt: skip
_LINKS = ("id", "campaign_id", "about")  # a codec spells them in one way
_TEXTS = {"workload": columns(WorkloadRow).text, "target": columns(TargetRow).text, "device": columns(DeviceRow).text}
VERSIONS = tuple(columns(VersionsRow)[name] for name in codecs.VERSIONS.names)
TRIALS = Table(codecs.TRIAL, TrialRow, as_text=("point",))
SELECTIONS = Table(codecs.SELECTION, SelectionRow)
SELECTIONS_OF = Table(codecs.SELECTION, SelectionRow, known=("workload", "target", "versions"))
VERDICTS = Table(codecs.VERDICT, VerdictRow)
CAMPAIGNS = Table(codecs.CAMPAIGN, CampaignRow)
MISSES = Table(codecs.MISS, MissRow)


def trial_row(t: Trial, now: float, checked: bool = False) -> Columns:
    corrected = t.corrected if t.status is Status.OK else None
    return {**TRIALS.row(t, now, checked), "reason": storable(t.reason), "corrected": corrected}


def verdict_row(v: Verdict, now: float) -> Columns:
    return {**VERDICTS.row(v, now), "said": storable(v.said)}


def storable(text: str) -> str:
    """Text that every database takes: valid UTF-8, no NUL, not endless."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return clean if len(clean) <= MAX_REASON else f"{clean[:MAX_REASON]} ... ({len(clean)} characters)"


def campaign_rows(c: Campaign, now: float) -> Iterator[Insert]:
    """The campaign's own row, and its links to its workloads."""
    row = CAMPAIGNS.row(c, now)
    del row["workloads"]
    yield CampaignRow, row
    for position, w in enumerate(c.workloads):
        yield CampaignWorkloadRow, {"campaign_id": row["id"], "position": position, "workload_id": workload_id(w)}


def miss_row(m: Miss) -> Columns:
    return {"id": id_of("miss", str(m.workload), str(m.target)), **MISSES.row(m)}


def read_trial(row: Sequence[Any]) -> Trial:
    trial = TRIALS.read(row)
    if trial.point.keys() != _symbols_of(row[_WORKLOAD]):
        raise SpecError(f"trial {trial.id}: point is {trial.point}; expected sizes of {trial.workload}")
    return trial


_WORKLOAD = codecs.TRIAL.names.index("workload")

"""Records to rows and back. A row is a plain dict of columns; what a record refers to comes along as rows of its own.

What cannot be stored everywhere is made storable here, once: a reason is cut to a length and holds no NUL, a fact that
is not a finite number is left out. What must not be stored raises `SpecError`: a time that is no time. Rows are
read with the same distrust: somebody may have written them with other tools, and whoever asks needs an answer.
"""

from __future__ import annotations

import functools
import json
import math
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from anytile.core.errors import SpecError
from anytile.db.records.records import Campaign, Miss, Selection, Status, Trial, Versions, is_moment
from anytile.db.sql.models import (
    Base,
    CampaignRow,
    CampaignWorkloadRow,
    DeviceRow,
    MissRow,
    SelectionRow,
    TargetRow,
    TrialRow,
    VersionsRow,
    WorkloadRow,
    id_of,
)
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

Stored: TypeAlias = Trial | Campaign | Selection | Miss
Columns: TypeAlias = dict[str, Any]
Insert: TypeAlias = tuple[type[Base], Columns]
MAX_REASON = 4000
_CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

workload_of = functools.lru_cache(4096)(Workload.parse)
target_of = functools.lru_cache(1024)(Target.parse)
config_of = functools.lru_cache(65536)(Config.parse)


@functools.lru_cache(4096)
def symbols_of(workload: str) -> frozenset[str]:
    return frozenset(workload_of(workload).symbols)


@functools.lru_cache(4096)
def workload_id(workload: Workload) -> str:
    return id_of("workload", str(workload))


@functools.lru_cache(1024)
def target_id(target: Target) -> str:
    return id_of("target", str(target))


@functools.lru_cache(1024)
def device_id(device: str) -> str | None:
    return id_of("device", device) if device else None


@functools.lru_cache(1024)
def versions_id(v: Versions | None) -> str | None:
    return None if v is None else id_of("versions", v.anytile, str(v.template), str(v.codegen), v.llvm, v.python)


def miss_id(workload: Workload, target: Target) -> str:
    return id_of("miss", str(workload), str(target))


def canonical_id(text: str, what: str) -> str:
    """One spelling per UUID, so that a row is the same row however it was written down."""
    if _CANONICAL.fullmatch(text):
        return text
    try:
        return str(uuid.UUID(text))
    except (ValueError, AttributeError, TypeError):
        raise SpecError(f"{what} {text!r}: its id is not a UUID; make it with records.new_id()") from None


def point_text(point: Mapping[str, int]) -> str:
    return _canonical(dict(point))


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


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
    if isinstance(record, Trial | Selection):
        if record.device:
            yield DeviceRow, {"id": device_id(record.device), "text": record.device}
        v = record.versions
        if v is not None:
            yield (
                VersionsRow,
                {
                    "id": versions_id(v), "anytile": v.anytile, "template": v.template,
                    "codegen": v.codegen, "llvm": v.llvm, "python": v.python,
                },
            )  # fmt: skip


def trial_row(t: Trial, now: float) -> Columns:
    check_times(t)
    return {
        "id": canonical_id(t.id, "trial"),
        "campaign_id": canonical_id(t.campaign_id, "campaign") if t.campaign_id else None,
        "workload_id": workload_id(t.workload),
        "target_id": target_id(t.target),
        "device_id": device_id(t.device),
        "versions_id": versions_id(t.versions),
        "template": t.template,
        "config": str(t.config),
        "point": point_text(t.point),
        "kind": t.kind,
        "status": t.status.value,
        "reason": storable(t.reason),
        "samples": list(t.samples),
        "corrected": t.corrected if t.status is Status.OK else None,
        "drift": t.drift,
        "build_seconds": t.build_seconds,
        "facts": {k: float(v) for k, v in t.facts.items() if math.isfinite(v)},
        "seed_order": t.seed_order,
        "created": t.created or now,
    }


def check_times(t: Trial) -> None:
    """A trial's times are finite and positive, and an `ok` trial has some."""
    for name, values in (("samples", t.samples), ("drift", (t.drift,))):
        for value in values:
            if not (math.isfinite(value) and value > 0):
                raise SpecError(f"trial {t.id}: {name} holds {value!r}; expected finite numbers above 0")
    if not (math.isfinite(t.build_seconds) and t.build_seconds >= 0):
        raise SpecError(f"trial {t.id}: build_seconds is {t.build_seconds!r}; expected a finite number from 0 up")
    if t.status is Status.OK and not t.samples:
        raise SpecError(f"trial {t.id}: status is ok but there are no samples")


def storable(text: str) -> str:
    """Text that every database takes: valid UTF-8, no NUL, not endless."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return clean if len(clean) <= MAX_REASON else f"{clean[:MAX_REASON]} ... ({len(clean)} characters)"


def campaign_row(c: Campaign, now: float) -> Columns:
    return {
        "id": canonical_id(c.id, "campaign"),
        "target_id": target_id(c.target),
        "options": dict(c.options),
        "state": c.state,
        "created": c.created or now,
        "finished": c.finished,
    }


def campaign_links(c: Campaign) -> Iterator[Insert]:
    for position, w in enumerate(c.workloads):
        campaign_id = canonical_id(c.id, "campaign")
        yield (
            CampaignWorkloadRow,
            {"campaign_id": campaign_id, "position": position, "workload_id": workload_id(w)},
        )


def selection_row(s: Selection, now: float) -> Columns:
    return {
        "id": canonical_id(s.id, "selection"),
        "workload_id": workload_id(s.workload),
        "target_id": target_id(s.target),
        "device_id": device_id(s.device),
        "versions_id": versions_id(s.versions),
        "campaign_id": canonical_id(s.campaign_id, "campaign") if s.campaign_id else None,
        "plan": s.plan,
        "created": s.created or now,
    }


def miss_row(m: Miss) -> Columns:
    return {
        "id": miss_id(m.workload, m.target),
        "workload_id": workload_id(m.workload),
        "target_id": target_id(m.target),
        "count": m.count,
        "first": m.first,
        "last": m.last,
    }


# The columns each reader below wants, in its order; `workloads`, `targets` ... are joined in by the store.
VERSIONS = (
    VersionsRow.anytile,
    VersionsRow.template,
    VersionsRow.codegen,
    VersionsRow.llvm,
    VersionsRow.python,
)
TRIAL = (
    WorkloadRow.text, TargetRow.text, TrialRow.template, TrialRow.config, TrialRow.point, TrialRow.status,
    TrialRow.samples, TrialRow.reason, TrialRow.drift, TrialRow.build_seconds, TrialRow.facts, TrialRow.kind,
    TrialRow.seed_order, DeviceRow.text, TrialRow.campaign_id, TrialRow.created, TrialRow.id, *VERSIONS,
)  # fmt: skip
SELECTION = (
    WorkloadRow.text, TargetRow.text, SelectionRow.plan, DeviceRow.text, SelectionRow.campaign_id,
    SelectionRow.created, SelectionRow.id, *VERSIONS,
)  # fmt: skip
MISS = (WorkloadRow.text, TargetRow.text, MissRow.count, MissRow.first, MissRow.last)


def read_trial(row: Sequence[Any]) -> Trial:
    (workload, target, template, config, point, status, samples, reason, drift, build, facts, kind,
     order, device, campaign, created, id_, *versions) = row  # fmt: skip
    trial = Trial(
        workload=workload_of(workload),
        target=target_of(target),
        template=template,
        config=config_of(config),
        point=json.loads(point),
        status=Status(status),
        samples=tuple(samples),
        reason=reason,
        drift=drift,
        build_seconds=build,
        facts=facts,
        kind=kind,
        seed_order=order,
        versions=_versions(versions),
        device=device or "",
        campaign_id=campaign or "",
        created=created,
        id=id_,
    )
    if not (isinstance(trial.point, dict) and all(type(size) is int and size >= 0 for size in trial.point.values())):
        raise SpecError(f"trial {id_}: point is {point!r}; expected sizes from 0 up")
    if trial.point.keys() != symbols_of(workload):
        raise SpecError(f"trial {id_}: point is {point!r}; expected sizes of {trial.workload}")
    if not (isinstance(facts, dict) and all(type(fact) in (int, float) for fact in facts.values())):
        raise SpecError(f"trial {id_}: facts are no numbers")
    check_times(trial)
    _check_when(f"trial {id_}", created)
    return trial


def _check_when(what: str, *moments: float) -> None:
    for moment in moments:
        if not is_moment(moment):
            raise SpecError(f"{what}: {moment!r} is no moment; expected seconds since the epoch")


def read_selection(row: Sequence[Any]) -> Selection:
    workload, target, plan, device, campaign, created, id_, *versions = row
    made_with = _versions(versions)
    if made_with is None:
        raise SpecError(f"selection {id_}: its tool versions are not there")
    _check_when(f"selection {id_}", created)
    return Selection(
        workload_of(workload), target_of(target), plan, made_with, device or "", campaign or "", created, id_
    )


def read_campaign(row: CampaignRow, target: str, workloads: Iterable[str]) -> Campaign:
    if not isinstance(row.options, dict):
        raise SpecError(f"its options are a {type(row.options).__name__}, expected an object")
    _check_when("its times", row.created, *(() if row.finished is None else (row.finished,)))
    return Campaign(
        workloads=tuple(workload_of(w) for w in workloads),
        target=target_of(target),
        options=row.options,
        state=row.state,
        created=row.created,
        finished=row.finished,
        id=row.id,
    )


def read_miss(row: Sequence[Any]) -> Miss:
    workload, target, count, first, last = row
    _check_when("a miss", first, last)
    return Miss(workload_of(workload), target_of(target), count, first, last)


def _versions(columns: list[Any]) -> Versions | None:
    return None if columns[0] is None else Versions(*columns)

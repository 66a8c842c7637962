"""Record codecs: the form and bounds of every field that is remembered, for JSON lines and rows alike."""

from __future__ import annotations

import json
import math
import re
import time
import uuid
from collections.abc import Mapping
from typing import Any

from anytile.core.record_codec import (
    ANY_TEXT,
    NUMBER,
    TEXT,
    WHOLE,
    Codec,
    Form,
    Misfit,
    mapping_of,
    misfit,
    number,
    one_of,
    optional,
    tuple_of,
)
from anytile.db.records.records import Campaign, Miss, Ruling, Selection, Status, Trial, Verdict, Versions
from anytile.schedules.plans.plan import CONFIG, NOTES, TARGET, WORKLOAD

_CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# No timing lies outside, and what is worked out of timings within, times corrected for drift and rates, is a number.
MOST = 1e15
MOST_DRIFT = 1e9
_LEAST = 1 / MOST
CAMPAIGN_STATE = one_of(("running", "interrupted", "finished"), str)
RULING = one_of(tuple(Ruling), Ruling)


def _id(text: Any) -> str:
    """One spelling per UUID, so that a record is the same one however it was written down."""
    if _CANONICAL.fullmatch(TEXT.load(text)):
        return str(text)
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise misfit(text, "a UUID") from None


def _samples(data: Any) -> tuple[float, ...]:
    try:
        return _SECONDS.load(data)
    except Misfit as error:
        raise misfit(data, f"a list of seconds above 0, {_LEAST:g} to {MOST:g}") if error.path else error from None


def _point(data: Any) -> Mapping[str, int]:
    point = _SIZES.load(data)
    if point and min(point.values()) < 0:
        raise misfit(point, "sizes from 0 up")
    return point


def _options(data: Any) -> dict[str, Any]:
    given = dict(NOTES.load(data))
    try:
        json.dumps(given, allow_nan=False)
    except ValueError:  # JSON can spell a number that is infinite
        raise Misfit("holds a number that is not finite") from None
    return given


def _workloads(data: Any) -> Any:
    if not isinstance(data, list) or not data or not all(isinstance(name, str) for name in data):
        raise misfit(data, "a list of workload texts")
    return tuple(map(WORKLOAD.load, data))


def _has_times(trial: Trial) -> None:
    if trial.status is Status.OK and not trial.samples:
        raise Misfit("is empty; expected some, as status is ok", "samples")


_SECONDS = tuple_of(number(_LEAST, MOST))
_SIZES = mapping_of(WHOLE)
_ID = Form(_id)
_ID_OR_NONE = Form(lambda text: _id(text) if text != "" else "")
_LAST = math.nextafter(253_402_300_800, 0)  # before the year 10000
_MOMENT = number(0, _LAST, "seconds since the epoch")
_FACTS = Form(mapping_of(NUMBER).load, lambda facts: {k: v for k, v in facts.items() if math.isfinite(v)})


def now() -> float:
    """The moment that records are stored with: of a clock that is beyond all bounds the nearest that can be read."""
    return min(max(time.time(), 1.0), _LAST)


VERSIONS = Codec(Versions, anytile=TEXT, template=WHOLE, codegen=WHOLE, llvm=TEXT, python=TEXT)
TRIAL = Codec(
    Trial,
    required=("id",),
    check=_has_times,
    target=TARGET,
    workload=WORKLOAD,
    id=_ID,
    versions=optional(VERSIONS.as_object),
    device=TEXT,
    campaign_id=_ID_OR_NONE,
    created=_MOMENT,
    template=TEXT,
    config=CONFIG,
    point=Form(_point, dict),
    status=one_of(tuple(Status), Status),
    samples=Form(_samples, list),
    reason=ANY_TEXT,  # which is made storable
    drift=number(1 / MOST_DRIFT, MOST_DRIFT, f"a number above 0, {1 / MOST_DRIFT:g} to {MOST_DRIFT:g}"),
    build_seconds=number(0, expected="a number from 0 up"),
    facts=_FACTS,
    kind=TEXT,
    seed_order=WHOLE,
)
CAMPAIGN = Codec(
    Campaign,
    required=("id", "state"),
    target=TARGET,
    id=_ID,
    workloads=Form(_workloads, lambda workloads: [str(w) for w in workloads]),
    options=Form(_options, dict),
    state=CAMPAIGN_STATE,
    created=_MOMENT,
    finished=optional(_MOMENT),
)
SELECTION = Codec(
    Selection,
    required=("id",),
    target=TARGET,
    workload=WORKLOAD,
    id=_ID,
    versions=VERSIONS.as_object,
    device=TEXT,
    campaign_id=_ID_OR_NONE,
    created=_MOMENT,
    plan=TEXT,  # to the letter; what it means is for whoever runs it
)
VERDICT = Codec(
    Verdict,
    required=("id",),
    target=TARGET,
    workload=WORKLOAD,
    id=_ID,
    versions=optional(VERSIONS.as_object),
    device=TEXT,
    created=_MOMENT,
    about=_ID,
    ruling=RULING,
    said=ANY_TEXT,  # which is made storable
    ratio=optional(number(_LEAST, MOST)),
)
MISS = Codec(Miss, target=TARGET, workload=WORKLOAD, count=WHOLE, first=_MOMENT, last=_MOMENT)

"""The exchange format: records as JSON, one per line. It needs nothing but the standard library and the specs, so a
tuner on a machine without a database writes it too.

    {"record": "header", "format": 1}
    {"record": "campaign", "id": ..., "workloads": [...], "target": ..., "options": {...}, ...}
    {"record": "trial", "id": ..., "workload": ..., "config": "tile_m=8,...", "point": {"m": 64}, "status": "ok", ...}
    {"record": "selection", ...}        {"record": "verdict", ...}        {"record": "miss", ...}

A reader trusts nothing: every field is checked by its record's codec and every spec is parsed, and what is wrong is a
`SpecError` that says what was expected. `read(write(r)) == r`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

from anytile.core.errors import SpecError
from anytile.core.record_codec import TEXT, WHOLE, Codec, Form, document, misfit, taken
from anytile.db.records.codecs import CAMPAIGN, MISS, SELECTION, TRIAL, VERDICT
from anytile.db.records.records import Campaign, Miss, Selection, Trial, Verdict

FORMAT = 1
_DOCUMENT = document(64)  # a plan's notes lie in it
Record: TypeAlias = Campaign | Trial | Selection | Verdict | Miss
_CODECS: Mapping[str, Codec[Any]] = {codec.name: codec for codec in (CAMPAIGN, TRIAL, SELECTION, VERDICT, MISS)}


def header() -> str:
    return json.dumps({"record": "header", "format": FORMAT})


def write(record: Record) -> str:
    """One line, without its end."""
    kind = type(record).__name__.lower()
    return json.dumps({"record": kind, **_CODECS[kind].dump(record)}, allow_nan=False)


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
    kind = taken(data, "record", TEXT)
    if kind == "header":
        if (found := taken(data, "format", WHOLE)) != FORMAT:
            raise SpecError(f"format {found} is not {FORMAT}; upgrade anytile to read it")
        return None
    if kind not in _CODECS:
        raise SpecError(f"record {kind!r} is unknown; expected one of {', '.join(_CODECS)}, or upgrade anytile")
    del data["record"]
    if kind == SELECTION.name and "plan" in data:
        taken(data, "plan", Form(_plan))
    record: Record = _CODECS[kind].load(data)
    return record


def _plan(text: Any) -> str:
    """What a plan means is checked by whoever runs it."""
    try:
        data = json.loads(TEXT.load(text), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise misfit(text, "the JSON text of a dispatch plan")
    _DOCUMENT.load(data)
    return str(text)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")

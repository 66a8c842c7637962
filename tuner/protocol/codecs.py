"""Codecs of tuner's records, derived from the types of their fields: what a process or a database is told of them.

A dataclass becomes an object, a tuple a list, what has a text form of its own that text, and a mapping whose keys are
no texts a list of pairs. What the types do not say, such as a bound, is a form of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from anytile.core.record_codec import (
    INTEGER,
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    Codec,
    Form,
    mapping_of,
    misfit,
    one_of,
    optional,
    tuple_of,
)
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import CONFIG, TARGET, WORKLOAD
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

R = TypeVar("R")
STATUS = one_of(Status, Status)
_FORMS: dict[Any, Form[Any]] = {int: INTEGER, float: NUMBER, str: TEXT, bool: TRUTH, Mapping[str, Any]: OBJECT}
_FORMS |= {Workload: WORKLOAD, Target: TARGET, Config: CONFIG, Status: STATUS}


def codec_of(make: type[R], check: Callable[[R], None] = lambda _: None, **special: Form[Any]) -> Codec[R]:
    """Of a frozen dataclass; `special` forms go before those of the types."""
    kinds = get_type_hints(make)
    names = [f.name for f in fields(make)]  # type: ignore[arg-type]  # a dataclass, which no type says
    forms: dict[str, Any] = {name: special.get(name) or form_of(kinds[name]) for name in names}
    return Codec(make, check=check, **forms)


def form_of(kind: Any) -> Form[Any]:
    if kind in _FORMS:
        return _FORMS[kind]
    if is_dataclass(kind):
        return codec_of(kind).as_object  # type: ignore[arg-type]  # a class, and no instance of one
    inner = get_args(kind)
    if isinstance(kind, UnionType) and inner[1:] == (type(None),):
        return optional(form_of(inner[0]))
    if get_origin(kind) is tuple:
        return tuple_of(form_of(inner[0])) if inner[1:] == (...,) else _row(*map(form_of, inner))
    if get_origin(kind) is Mapping:
        values = form_of(inner[1])
        return mapping_of(values) if inner[0] is str else _pairs(form_of(inner[0]), values)
    raise TypeError(f"{kind}: has no form")


def _row(*forms: Form[Any]) -> Form[tuple[Any, ...]]:
    def load(data: Any) -> tuple[Any, ...]:
        if not isinstance(data, list) or len(data) != len(forms):
            raise misfit(data, f"a list of {len(forms)}")
        return tuple(form.load(one) for form, one in zip(forms, data, strict=True))

    return Form(load, lambda row: [form.dump(one) for form, one in zip(forms, row, strict=True)])


def _pairs(keys: Form[Any], values: Form[Any]) -> Form[Mapping[Any, Any]]:
    rows = tuple_of(_row(keys, values))
    return Form(lambda data: dict(rows.load(data)), lambda mapping: rows.dump(tuple(sorted(mapping.items()))))

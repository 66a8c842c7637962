"""Shrinking of fuzzed cases: a finding is tried again with less in it, as long as it stays the same kind of finding."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from anytile.core.errors import AnytileError
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.plan_fuzz.case import Case


def smaller(case: Case) -> Iterator[Case]:
    """With one thing less each: sizes, variants, classes, odd operands, words of the workload, elements."""
    if len(case.sizes) > 1:
        yield from (replace(case, sizes=(at,)) for at in case.sizes)
        return
    if case.loose:
        yield replace(case, loose=False)
    if case.unusual:
        yield replace(case, unusual=False)
    plan = case.plan
    if len(plan.ranges) > 1 or len(plan.variants) > 1:
        for v in dict.fromkeys(plan.variants):
            yield replace(case, plan=replace(plan, variants=(v,), ranges=(Range(0, None, 0),)))
        return
    (variant,) = plan.variants
    if variant.classes:
        yield _by(case, replace(variant, classes=()))
    if plan.target.threads > 1:
        options = str(plan.target).replace(f"-threads={plan.target.threads}", "-threads=1")
        yield from _valid(case, plan.workload, Target.parse(options), variant)
    yield from _with_less_said(case, variant)
    yield from _with_fewer_elements(case, variant)
    default = template(variant.template).default(plan.workload, plan.target)
    for name, value in default.values:
        if dict(variant.config.values)[name] != value:
            config = Config.of(**{**dict(variant.config.values), name: value})
            yield from _valid(case, plan.workload, plan.target, replace(variant, config=config))


def _with_less_said(case: Case, variant: Variant) -> Iterator[Case]:
    """Without its tail, without one of the constants, without one of the dtypes in memory."""
    workload = case.plan.workload
    const, stored = workload.const, workload.stored
    fewer: list[Callable[[], Workload]] = []
    if workload.tail:
        fewer.append(lambda: replace(workload.anchor, const=tuple(set(const) & set(workload.anchor.constant_operands))))
    fewer += [functools.partial(replace, workload, const=tuple({*const} - {name})) for name in const]
    fewer += [functools.partial(workload.storing, {n: d for n, d in stored if n != name}) for name, _ in stored]
    for make in fewer:
        try:
            made = make()
        except AnytileError:
            continue
        yield from _valid(case, made, case.plan.target, variant)


def _with_fewer_elements(case: Case, variant: Variant) -> Iterator[Case]:
    """Each symbol, and each number, at 1, a half, one less."""
    (at,) = case.sizes
    for symbol, size in at.items():
        for less in _less(size):
            yield replace(case, sizes=({**at, symbol: less},))
    workload = case.plan.workload
    for place, (name, dim) in enumerate(workload.dims):
        for less in () if isinstance(dim, Any) else _less(dim):
            dims = (*workload.dims[:place], (name, less), *workload.dims[place + 1 :])
            try:
                made = replace(workload, dims=dims)
            except AnytileError:
                continue
            yield from _valid(case, made, case.plan.target, variant)


def _less(size: int) -> list[int]:
    return sorted({n for n in (1, math.ceil(size / 2), size - 1) if 0 < n < size})


def _by(case: Case, variant: Variant) -> Case:
    return replace(case, plan=replace(case.plan, variants=(variant,)))


def _valid(case: Case, workload: Workload, target: Target, variant: Variant) -> Iterator[Case]:
    """The plan of that, if its template has such a config there, where a knob may be one that it had not before; where
    its tile is another, no classes are left."""
    found = template(variant.template)
    sizes: tuple[Mapping[str, int], ...] = tuple({s: at[s] for s in workload.symbols} for at in case.sizes)
    try:
        if found.name not in {t.name for t in templates_for(workload, target)}:
            return
        kept = _kept(variant, found, workload, target)
        config = Config.of(**dict(found.default(workload, target).values) | kept)
        if "grain" in kept:  # which may be finer than any of the space
            found.space(workload, target).check(config.with_(grain=found.default(workload, target)["grain"]))
        else:
            found.space(workload, target).check(config)
        symbol = found.symbol(workload)
        tile = found.tile(config) if symbol is not None else 1
        made = Variant(found.name, config, tile, variant.classes if tile == variant.tile else ())
        plan = DispatchPlan(workload, target, symbol, (made,), (Range(0, None, 0),), {})
    except AnytileError:
        return
    yield replace(case, plan=plan, sizes=sizes)


def _kept(variant: Variant, found: Template, workload: Workload, target: Target) -> dict[str, Value]:
    """Of the variant's config the knobs that there are."""
    known = {knob.name for knob in found.space(workload, target).knobs}
    return {name: value for name, value in variant.config.values if name in known}


__all__ = ["smaller"]

"""Explanations of lookup: where an answer comes from, in a sentence with its figures."""

from __future__ import annotations

import time
from collections.abc import Mapping

from anytile.core.plurals import counted
from anytile.db.lookup.distance import differences, differing_options
from anytile.db.lookup.evidence import Evidence, Grade
from anytile.db.records.records import Versions
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload


def exact(found: Evidence, asked: Workload, now: Versions) -> str:
    name = f" under the name {found.workload}" if found.workload != asked else ""
    apart = "" if found.versions is None else parts_apart(found.versions, now)
    versions = f" Made with other versions: {apart}." if apart and found.grade is Grade.COMPATIBLE else ""
    return f"Tuned for exactly this workload and target{name}: {chosen(found)}.{versions}"


def compatible(found: Evidence, asked: Workload, target: Target) -> str:
    if found.target == target:
        return f"Not tuned for where its constants lie; taken over from {found.workload}, where {chosen(found)}."
    changed = ", ".join(
        f"-{o} is {target.get(o) or 'unset'} here and {found.target.get(o) or 'unset'} there"
        for o in differing_options(found.target, target) or ()
    )
    return f"Not tuned for this target; taken over from {found.target} ({changed}), where {chosen(found)}."


def stale(found: Evidence, target: Target, now: Versions) -> str:
    v = found.versions
    made = "unknown versions" if v is None else f"template {v.template} and codegen {v.codegen}"
    where = "" if found.target == target else f" for {found.target}"
    return (
        f"Only an outdated record{where} is there, made with {made} (now {now.template} and {now.codegen}): its config "
        f"{found.config} is a starting point, without its plan. Tune again to have it confirmed."
    )


def nearest(found: Evidence, asked: Workload, target: Target, candidates: int, replaced: dict[str, object]) -> str:
    on = "" if found.target == target else f" on {found.target}"
    among = "the only tuned one" if candidates == 1 else f"the nearest of {candidates} tuned ones"
    fitted = f", with {', '.join(f'{k}={v}' for k, v in replaced.items())} to fit here" if replaced else ""
    return (
        f"This workload is not tuned; {among} is {found.workload}{on} ({differences(found.workload, asked)}). "
        f"Its config {found.config}{_speed(found, ', which ran in ')}, is used{fitted}."
    )


def nothing(name: str, op: str, foreign: list[tuple[Workload, Target]], unusable: int) -> str:
    extra = []
    if foreign:
        targets = sorted({str(t) for _, t in foreign})
        extra.append(f"{len(foreign)} for other machines, such as {targets[0]}, not used")
    if unusable:
        extra.append(f"{unusable} whose configs do not fit here")
    return f"{name} has no record of {op} that serves this target" + (f" ({'; '.join(extra)})" if extra else "")


def doubted(records: Mapping[str, str]) -> str:
    """Records that were not believed, and what the first of them says."""
    if not records:
        return ""
    first, said = next(iter(records.items()))
    are = "contradict" if len(records) > 1 else "contradicts"
    return f"{counted(len(records), 'record')} that {are} physics set aside, such as {first[:8]} ({said})."


def parts_apart(made: Versions, now: Versions) -> str:
    """What a record was made with that is another here, part by part: `LLVM 19.1.0 there and 20.1.1 here`."""
    parts = {"template": "template", "codegen": "codegen", "llvm": "LLVM", "anytile": "anytile", "python": "Python"}
    pairs = {words: (getattr(made, name), getattr(now, name)) for name, words in parts.items()}
    return ", ".join(f"{words} {then} there and {here} here" for words, (then, here) in pairs.items() if then != here)


def model(because: str, best: object, default: object, ranked: int, trust: str) -> str:
    beside = "as the default would be" if best == default else f"instead of the default {default}"
    return f"{because}. The cost model puts {best} first of {counted(ranked, 'config')}, {beside}. {trust}."


def default(because: str, template: str, config: object) -> str:
    return f"{because}. The default config of {template} is used: {config}."


def untuned(because: str, symbol: str | None, configs: int) -> str:
    by = "" if symbol is None else f" by {symbol}"
    return f"{because}. An untuned plan of {counted(configs, 'config')}{by}, from an estimate, is used."


def chosen(found: Evidence) -> str:
    """`the plan was chosen on 2025-01-31 by campaign 1a2b3c4d and its config ran in 41 us at m=64`."""
    plan = found.plan is not None
    what = "the plan was chosen" if plan else "no plan was chosen yet, its fastest trial was measured"
    day = time.strftime("%Y-%m-%d", time.gmtime(found.created))
    who = f" by campaign {found.campaign_id[:8]}" if found.campaign_id else ""
    where = f" on {found.device}" if found.device else ""
    trust = f" ({counted(found.samples, 'sample')} within {found.spread:.0%})" if found.samples else ""
    return f"{what} on {day}{who}{where}{_speed(found, ' and its config ran in ' if plan else ' and ran in ')}{trust}"


def _speed(found: Evidence, lead: str) -> str:
    if found.seconds is None:
        return ""
    return f"{lead}{duration(found.seconds)}" + (f" at {found.point}" if found.point else "")


def duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"

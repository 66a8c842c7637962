"""Explanations of lookup: where an answer comes from, in a sentence with its figures."""

from __future__ import annotations

import time
from collections.abc import Sequence

from anytile.core.plurals import counted, rounded
from anytile.db.lookup.distance import differences, differing_options
from anytile.db.lookup.evidence import Evidence, Grade, Pair
from anytile.db.records.records import Ruling, Versions
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

_PARTS = {"template": "template", "codegen": "codegen", "llvm": "LLVM", "anytile": "anytile", "python": "Python"}


def exact(found: Evidence, asked: Workload, now: Versions) -> str:
    name = f" under the name {found.workload}" if found.workload != asked else ""
    said = f"Tuned for exactly this workload and target{name}: {chosen(found)}."
    return f"{said}{_made_with(found, now)}{_looked_at_again(found)}"


def _made_with(found: Evidence, now: Versions) -> str:
    """The versions of everything that made a record, or where that matters those that differ."""
    made = found.versions
    if made is None:
        return ""
    apart = parts_apart(made, now)
    if apart and found.grade is Grade.COMPATIBLE:
        return f" Made with other versions: {apart}."
    return f" Made with {', '.join(f'{words} {getattr(made, name)}' for name, words in _PARTS.items())}."


def _looked_at_again(found: Evidence) -> str:
    """The latest second look at a record that is used."""
    v = found.verdict
    return f" Looked at again on {_day(v.created)}{f' on {v.device}' if v.device else ''}: {v.said}." if v else ""


def unmet(led: str) -> str:
    return f"The plan does not say that {led}, which is estimated to be faster here, was measured: tune it again."


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


def nothing(
    name: str,
    op: str,
    foreign: Sequence[Pair],
    far: Sequence[Pair],
    unusable: int,
    behind: tuple[str | None, int],
) -> str:
    extra = []
    if far:
        extra.append(f"{len(far)} of sizes too far from these, such as {far[0][0]}")
    if foreign:
        targets = sorted({str(t) for _, t in foreign})
        extra.append(f"{len(foreign)} for other machines, such as {targets[0]}, not used")
    if unusable:
        extra.append(f"{unusable} whose configs do not fit here")
    led, count = behind
    if count:
        extra.append(f"{count} of other sizes by other templates, where {led} is estimated to be faster")
    return f"{name} has no record of {op} that serves this target" + (f" ({'; '.join(extra)})" if extra else "")


def doubted(records: Sequence[tuple[Evidence, str]]) -> str:
    """Records that were not used, and what the first of each kind says."""
    drifted = [(one, said) for one, said in records if one.verdict and one.verdict.ruling is Ruling.DRIFTED]
    impossible = [pair for pair in records if pair not in drifted]
    kinds = (
        (impossible, "that contradicts physics or its own samples", "that contradict physics or their own samples"),
        (drifted, "that no longer holds", "that no longer hold"),
    )
    return " ".join(
        f"{counted(len(found), 'record')} {one if len(found) == 1 else several} set aside, such as "
        f"{found[0][0].id[:8]} ({found[0][1]})."
        for found, one, several in kinds
        if found
    )


def parts_apart(made: Versions, now: Versions) -> str:
    """What a record was made with that is another here, part by part: `LLVM 19.1.0 there and 20.1.1 here`."""
    pairs = {words: (getattr(made, name), getattr(now, name)) for name, words in _PARTS.items()}
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
    day = _day(found.created)
    who = f" by campaign {found.campaign_id[:8]}" if found.campaign_id else ""
    where = f" on {found.device}" if found.device else ""
    trust = f" ({basis(found)})" if found.samples else ""
    return f"{what} on {day}{who}{where}{_speed(found, ' and its config ran in ' if plan else ' and ran in ')}{trust}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def basis(found: Evidence) -> str:
    """`3 samples within 20%`, or of a plan `63 samples of 21 trials, typically within 4%`; and how the machine was.

    The slowest is at least twice the fastest in `3 samples within a factor of 9.8`.
    """
    several = f" of {counted(found.trials, 'trial')}, typically" if found.trials > 1 else ""
    within = f"{found.spread:.0%}" if found.spread < 1 else f"a factor of {rounded(1 + found.spread)}"
    return f"{counted(found.samples, 'sample')}{several} within {within}{_disturbed(found)}"


def _disturbed(found: Evidence) -> str:
    """A plan's own note is a sentence of its own."""
    slow = sorted(((ratio, name) for name, ratio in found.machine.items() if ratio > 1), reverse=True)
    if found.plan is not None or not slow:
        return ""
    return f", on a disturbed machine: {', '.join(f'{name} {rounded(ratio)}x' for ratio, name in slow)} as slow"


def _speed(found: Evidence, lead: str) -> str:
    if found.seconds is None:
        return ""
    return f"{lead}{duration(found.seconds)}" + (f" at {found.point}" if found.point else "")


def duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"

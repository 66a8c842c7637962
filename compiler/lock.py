"""Lock file: the exact plans that a compile took from its database, so that another compile takes these and no other.

It is JSON, to be kept beside a model under version control. A compile that is locked asks no database: a workload that
the file lacks, another target, other versions of templates or of code generation, and a plan that cannot run here as it
stands are errors, for each would silently make another executable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from anytile.codegen.version import CODEGEN_VERSION
from anytile.compiler.lowering.kernel_table import Planned, Planner
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, SpecError
from anytile.core.record_codec import TEXT, WHOLE, Codec, tuple_of
from anytile.dispatch.service import compilable, runnable
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import TARGET, WORKLOAD, DispatchPlan, template_versions
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload

LOCK_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Locked:
    """One workload's plan, and where it was from."""

    workload: Workload
    rung: str
    because: str
    plan: str


@dataclass(frozen=True, slots=True)
class Lock:
    """What a compile for one target used."""

    format: int
    target: Target
    codegen: int
    plans: tuple[Locked, ...]


_LOCKED = Codec(Locked, workload=WORKLOAD, rung=TEXT, because=TEXT, plan=TEXT)
_LOCK = Codec(Lock, format=WHOLE, target=TARGET, codegen=WHOLE, plans=tuple_of(_LOCKED.as_object))


def lock_of(target: Target, used: Mapping[Workload, Planned]) -> Lock:
    """In the order of the workloads' texts, so that equal locks are equal files."""
    plans = tuple(Locked(w, p.rung, p.because, p.plan) for w, p in sorted(used.items(), key=lambda item: str(item[0])))
    return Lock(LOCK_FORMAT, target, CODEGEN_VERSION, plans)


def lock_text(lock: Lock) -> str:
    return json.dumps(_LOCK.dump(lock), indent=1, sort_keys=True) + "\n"


def read_lock(path: Path) -> Lock:
    """What is wrong with it is said in a line."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and data.get("format", LOCK_FORMAT) != LOCK_FORMAT:
            raise SpecError(f"format {data['format']!r} is not {LOCK_FORMAT}; upgrade anytile to read it")
        return _LOCK.load(data)
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}; `{_hint()}` makes one") from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{path}: is no lock file ({error}); `{_hint()}` makes one") from None
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None


def planner_of(lock: Lock, target: Target, path: Path) -> Planner:
    """Plans out of the file alone, each checked before it is used."""
    if lock.target != target:
        raise SpecError(f"{path}: is for {lock.target}, this compile is for {target}; `{_hint()}` makes one for it")
    if lock.codegen != CODEGEN_VERSION:
        made = f"was made with code generation {lock.codegen}, this anytile has {CODEGEN_VERSION}"
        raise SpecError(f"{path}: {made}; use that version of anytile, or lock again: `{_hint()}`")
    plans = {one.workload: one for one in lock.plans}

    def planned(workload: Workload) -> Planned:
        if workload not in plans:
            raise SpecError(
                f"{path}: has no plan for {workload}; the model has changed, or its precision; lock again: `{_hint()}`"
            )
        one = plans[workload]
        try:
            _check(one, target)
        except AnytileError as error:
            raise SpecError(f"{path}: the plan for {workload}: {error}") from None
        return Planned(one.plan, one.rung, one.because)

    return planned


def _check(one: Locked, target: Target) -> None:
    plan = DispatchPlan.from_json(one.plan)
    if (plan.workload, plan.target) != (one.workload, target):
        raise SpecError(f"is for {plan.workload} on {plan.target}")
    for name, made in template_versions(plan).items():
        if template(name).version != made:
            raise SpecError(f"was made with version {made} of {name}, here it is {template(name).version}; lock again")
    here = runnable(plan) if target.is_host else compilable(plan, target)
    if replace(here, notes={}) != replace(plan, notes={}):
        raise SpecError("cannot run here as it is locked: a library that it calls, or a config, is missing")


def _hint() -> str:
    return command_line("db", "lock", "MODEL", "-o", "FILE")

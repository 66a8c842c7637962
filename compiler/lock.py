"""Lock file: the exact plans that a compile took from its database, so that another compile takes these and no other.

It is JSON, to be kept beside a model under version control. A compile that is locked asks no database: a workload that
the file lacks, another target, other versions of templates or of code generation, and a plan that cannot run here as it
stands are errors, for each would silently make another executable. That of a model on a GPU has the plans of the CPU
beside it, too, which must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anytile.codegen.version import CODEGEN_VERSION
from anytile.compiler.lowering.kernel_table import Planned, Planner
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, SpecError
from anytile.core.record_codec import TEXT, WHOLE, Codec, tuple_of
from anytile.core.regular_file import read_regular
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


def lock_of(target: Target, used: Sequence[tuple[Workload, Planned]]) -> Lock:
    """In the order of the workloads' texts, so that equal locks are equal files."""
    plans = tuple(
        Locked(w, p.rung, p.because, p.plan) for w, p in sorted(used, key=lambda one: (str(one[0]), one[1].plan))
    )
    return Lock(LOCK_FORMAT, target, CODEGEN_VERSION, plans)


def lock_text(lock: Lock) -> str:
    return json.dumps(_LOCK.dump(lock), indent=1, sort_keys=True) + "\n"


def read_lock(path: Path) -> Lock:
    """What is wrong with it is said in a line."""
    try:
        data = json.loads(read_regular(path).decode())
        if isinstance(data, dict) and data.get("format", LOCK_FORMAT) != LOCK_FORMAT:
            raise SpecError(f"format {data['format']!r} is not {LOCK_FORMAT}; upgrade anytile to read it")
        return _LOCK.load(data)
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}; `{_hint()}` makes one") from None
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{path}: is no lock file ({error}); `{_hint()}` makes one") from None
    except SpecError as error:
        raise SpecError(f"{path}: {error}; `{_hint()}` makes one") from None


def planner_of(lock: Lock, target: Target, path: Path, on: Target) -> Planner:
    """Plans out of the file alone, each checked before it is used: for a model's target, or the CPU beside it."""
    if lock.target != target:
        raise SpecError(
            f"{path}: is for {lock.target}, this compile is for {target}; `{_hint(target)}` makes one for it"
        )
    if lock.codegen != CODEGEN_VERSION:
        made = f"was made with code generation {lock.codegen}, this anytile has {CODEGEN_VERSION}"
        raise SpecError(f"{path}: {made}; use that version of anytile, or lock again: `{_hint(target)}`")
    plans: dict[Workload, list[Locked]] = {}
    for one in lock.plans:
        plans.setdefault(one.workload, []).append(one)

    def planned(workload: Workload) -> Planned:
        objections = []
        for one in plans.get(workload, ()):
            try:
                plan = DispatchPlan.from_json(one.plan)
                if plan.target.kind != on.kind:
                    continue
                _check(plan, one, on)
            except AnytileError as error:
                objections.append(str(error))
            else:
                return Planned(one.plan, one.rung, one.because)
        if objections:
            raise SpecError(f"{path}: the plan for {workload}: {objections[0]}; lock again: `{_hint(target)}`")
        beside = f" on {on}" if on != target else ""
        raise SpecError(
            f"{path}: has no plan for {workload}{beside}; the model has changed, or its precision; "
            f"lock again: `{_hint(target)}`"
        )

    return planned


def _check(plan: DispatchPlan, one: Locked, target: Target) -> None:
    if (plan.workload, plan.target) != (one.workload, target):
        raise SpecError(f"is for {plan.workload} on {plan.target}")
    for name, made in template_versions(plan).items():
        if template(name).version != made:
            raise SpecError(f"was made with version {made} of {name}, here it is {template(name).version}")
    here = runnable(plan) if target.is_host else compilable(plan, target)
    if replace(here, notes={}) != replace(plan, notes={}):
        raise SpecError("cannot run here as it is locked: a library that it calls, or a config, is missing")


def _hint(target: Target | None = None) -> str:
    """The command that makes a lock file, for a target that is not its usual one, too."""
    words = ["--target", str(target)] if target not in (None, Target.host()) else []
    return command_line("db", "lock", "MODEL", "-o", "FILE", *words)

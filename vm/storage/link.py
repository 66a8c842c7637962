"""Object code for every kernel of an executable: what it brings if that may be used, else built from its plan.

Building goes through the local code cache under a key of the plan itself, so a program that ran here before is not even
lowered again: neither templates nor what lowers them is imported for it. A plan made for another CPU is fitted to this
one as `dispatch.service.runnable` says, and the entry then carries the plan that runs. Code for another CPU is made,
too, and is for a file that is loaded there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import anytile.codegen
import anytile.dispatch
import anytile.schedules
from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.sources import sources
from anytile.codegen.version import CODEGEN_VERSION, llvm_version
from anytile.core.errors import SpecError
from anytile.dispatch.backends import backend
from anytile.schedules.hardware.cpu import features
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan, libraries_of
from anytile.vm.program.executable import KERNEL, Executable, KernelEntry

E = TypeVar("E", bound=Executable)  # a face stays one
Build = Callable[[DispatchPlan, CodeCache], tuple[str, Artifact]]  # the plan that runs, and its code


def linked(exe: E, cache: CodeCache | None = None) -> E:
    """The executable with code for this machine in every kernel that had none."""
    target = Target.parse(exe.target)
    if not target.is_host:
        exe = replace(exe, target=str(Target.host(target.threads)))
    return _with_code(exe, cache, _built_to_run)


def linked_as_planned(exe: E, cache: CodeCache | None = None) -> E:
    """The same with code for the CPU that the plans are for, whether it runs here or not."""
    return _with_code(exe, cache, lambda plan, cache: _compiled("plan", plan, cache))


def _with_code(exe: E, cache: CodeCache | None, build: Build) -> E:
    cache = CodeCache() if cache is None else cache
    built: dict[str, tuple[str, Artifact]] = {}
    return replace(exe, kernels=tuple(_linked(entry, cache, built, build) for entry in exe.kernels))


def _linked(entry: KernelEntry, cache: CodeCache, built: dict[str, tuple[str, Artifact]], build: Build) -> KernelEntry:
    if entry.kind != KERNEL or entry.artifact is not None:
        return entry
    if entry.plan not in built:
        plan = DispatchPlan.from_json(entry.plan)
        if str(plan.workload) != entry.workload:
            raise SpecError(f"kernel {entry.name}: it is {entry.workload}, and its plan is for {plan.workload}")
        built[entry.plan] = build(plan, cache)
    text, artifact = built[entry.plan]
    return replace(entry, plan=text, artifact=artifact)


def _built_to_run(plan: DispatchPlan, cache: CodeCache) -> tuple[str, Artifact]:
    """Only what has been found to fit this machine is kept as running here, so what is kept need not be looked at."""
    kind = "plan that runs here"
    if plan.target.kind != "llvm":  # a GPU's code is for the one that its plan names, be it here or not
        return _compiled("plan", plan, cache)
    if plan.target.is_host and plan.target.threads <= usable_cores() and not libraries_of(plan):
        text = plan.to_json()
        found = cache.get(_key(kind, plan, text))
        if found is not None:
            return text, found
    from anytile.dispatch.service import runnable

    return _compiled(kind, runnable(plan, strict=False), cache)


def _compiled(kind: str, plan: DispatchPlan, cache: CodeCache) -> tuple[str, Artifact]:
    text = plan.to_json()
    key = _key(kind, plan, text)
    found = cache.get(key)
    if found is None:
        found = backend(plan.target).compile(plan, cache=cache)
        cache.put(key, found)
    return text, found


def _key(kind: str, plan: DispatchPlan, text: str) -> str:
    offers = features(plan.target) if plan.target.kind == "llvm" else ""
    rooms = sources(*(room.__path__[0] for room in (anytile.schedules, anytile.codegen, anytile.dispatch)))
    return key_of(kind, text, offers, backend(plan.target).compiler(), rooms)


def here() -> Mapping[str, Any]:
    """What object code must have been made for to run in this process."""
    return _made_for(Target.host())


def made_for(exe: Executable) -> Mapping[str, Any]:
    """What the object code in an executable is for: another CPU's, if its target is."""
    target = Target.parse(exe.target)
    return here() if target.is_host else _made_for(target)


def _made_for(target: Target) -> Mapping[str, Any]:
    """Any number of threads will do: plans say theirs, and fewer run where there are fewer cores."""
    cpu = " ".join(f"-{name}={value}" for name, value in target.options if name != "threads")
    return {"target": f"{target.kind} {cpu}", "codegen": CODEGEN_VERSION, "llvm": llvm_version()}

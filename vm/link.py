"""Object code for every kernel of an executable: what it brings if that may be used, else built from its plan.

Building goes through the local code cache under a key of the plan itself, so a program that ran here before is not even
lowered again. A plan made for another CPU is fitted to this one as `dispatch.service.runnable` says, and the entry then
carries the plan that runs. Code for another CPU is made, too, and is for a file that is loaded there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anytile.codegen
import anytile.dispatch
import anytile.schedules
from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.version import CODEGEN_VERSION, llvm_version
from anytile.dispatch.build import compile_plan
from anytile.dispatch.plan import DispatchPlan
from anytile.dispatch.service import runnable
from anytile.schedules.cpu import features
from anytile.schedules.errors import SpecError
from anytile.schedules.target import Target
from anytile.vm.executable import KERNEL, Executable, KernelEntry

Fit = Callable[[DispatchPlan], DispatchPlan]


def linked(exe: Executable, cache: CodeCache | None = None) -> Executable:
    """The executable with code for this machine in every kernel that had none."""
    target = Target.parse(exe.target)
    if not target.is_host:
        exe = replace(exe, target=str(Target.host(target.threads)))
    return _with_code(exe, cache, lambda plan: runnable(plan, strict=False))


def linked_as_planned(exe: Executable, cache: CodeCache | None = None) -> Executable:
    """The same with code for the CPU that the plans are for, whether it runs here or not."""
    return _with_code(exe, cache, lambda plan: plan)


def _with_code(exe: Executable, cache: CodeCache | None, fit: Fit) -> Executable:
    cache = CodeCache() if cache is None else cache
    built: dict[str, tuple[str, Artifact]] = {}
    return replace(exe, kernels=tuple(_linked(entry, cache, built, fit) for entry in exe.kernels))


def _linked(entry: KernelEntry, cache: CodeCache, built: dict[str, tuple[str, Artifact]], fit: Fit) -> KernelEntry:
    if entry.kind != KERNEL or entry.artifact is not None:
        return entry
    if entry.plan not in built:
        plan = DispatchPlan.from_json(entry.plan)
        if str(plan.workload) != entry.workload:
            raise SpecError(f"kernel {entry.name}: it is {entry.workload}, and its plan is for {plan.workload}")
        plan = fit(plan)
        built[entry.plan] = plan.to_json(), _compiled(plan, cache)
    text, artifact = built[entry.plan]
    return replace(entry, plan=text, artifact=artifact)


def _compiled(plan: DispatchPlan, cache: CodeCache) -> Artifact:
    key = key_of("plan", plan.to_json(), features(plan.target), llvm_version(), _sources())
    found = cache.get(key)
    if found is None:
        found = compile_plan(plan, cache=cache)
        cache.put(key, found)
    return found


@functools.cache
def _sources() -> str:
    """What the code that makes code is: versions do not change with every edit of an installation in place."""
    found = []
    for room in (anytile.schedules, anytile.codegen, anytile.dispatch):
        for path in sorted(Path(room.__path__[0]).rglob("*.py")):
            stat = path.stat()
            found.append(f"{path.name} {stat.st_size} {stat.st_mtime_ns}")
    return "\n".join(found)


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

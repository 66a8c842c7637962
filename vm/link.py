"""Object code for every kernel of an executable: what it brings if that may be used, else built from its plan.

Building goes through the local code cache, so a program that ran here before takes milliseconds. A plan made for
another CPU is fitted to this one as `dispatch.service.runnable` says, and the entry then carries the plan that runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.codegen.version import CODEGEN_VERSION, llvm_version
from anytile.dispatch.build import compile_plan
from anytile.dispatch.plan import DispatchPlan
from anytile.dispatch.service import runnable
from anytile.schedules.errors import SpecError
from anytile.schedules.target import Target
from anytile.vm.executable import KERNEL, Executable, KernelEntry


def linked(exe: Executable, cache: CodeCache | None = None) -> Executable:
    """The executable with code for this machine in every kernel that had none."""
    cache = CodeCache() if cache is None else cache
    built: dict[str, tuple[str, Artifact]] = {}
    return replace(exe, kernels=tuple(_linked(entry, cache, built) for entry in exe.kernels))


def _linked(entry: KernelEntry, cache: CodeCache, built: dict[str, tuple[str, Artifact]]) -> KernelEntry:
    if entry.kind != KERNEL or entry.artifact is not None:
        return entry
    if entry.plan not in built:
        plan = DispatchPlan.from_json(entry.plan)
        if str(plan.workload) != entry.workload:
            raise SpecError(f"kernel {entry.name}: it is {entry.workload}, and its plan is for {plan.workload}")
        plan = runnable(plan, strict=False)
        built[entry.plan] = plan.to_json(), compile_plan(plan, cache=cache)
    text, artifact = built[entry.plan]
    return replace(entry, plan=text, artifact=artifact)


def here() -> Mapping[str, Any]:
    """What object code must have been made for to run in this process."""
    return {"target": str(Target.host()), "codegen": CODEGEN_VERSION, "llvm": llvm_version()}

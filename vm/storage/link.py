"""Object code for every kernel of an executable: what it brings if that may be used, else built from its plan.

Building goes through the local code cache under a key of the plan itself, so a program that ran here before is not even
lowered again: neither templates nor what lowers them is imported for it. A plan made for another CPU is fitted to this
one as `dispatch.service.runnable` says, and the entry then carries the plan that runs. Code for another CPU is made,
too, and is for a file that is loaded there. What takes long is built on several cores at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.codegen.version import CODEGEN_VERSION, llvm_version
from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan, libraries_of
from anytile.vm.program.executable import KERNEL, Executable, KernelEntry
from anytile.vm.storage.kernel_code import Wanted, kept

E = TypeVar("E", bound=Executable)  # a face stays one
Known = Callable[[DispatchPlan, CodeCache], tuple[str, Artifact] | None]  # the plan that runs, and its code
Wanting = Callable[[DispatchPlan], Wanted]
_PLANNED, _RUNS_HERE = "plan", "plan that runs here"


def linked(exe: E, cache: CodeCache | None = None) -> E:
    """The executable with code for this machine in every kernel that had none."""
    target = Target.parse(exe.target)
    if not target.is_host:
        exe = replace(exe, target=str(Target.host(target.threads)))
    return _with_code(exe, cache, _kept_to_run, _wanted_to_run)


def linked_as_planned(exe: E, cache: CodeCache | None = None) -> E:
    """The same with code for the CPU that the plans are for, whether it runs here or not."""
    return _with_code(exe, cache, lambda plan, cache: None, partial(Wanted.of, _PLANNED))


def _with_code(exe: E, cache: CodeCache | None, known: Known, wanting: Wanting) -> E:
    """`known` says what the cache has of a plan before it is looked at, `wanting` what is wanted of any other."""
    cache = CodeCache() if cache is None else cache
    plans = {e.plan: _plan_of(e) for e in exe.kernels if _lacks_code(e)}
    code: dict[str, tuple[str, Artifact]] = {}
    missing: dict[str, Wanted] = {}
    for text, plan in plans.items():
        if (found := known(plan, cache)) is None:
            wanted = wanting(plan)
            if (artifact := kept(wanted, cache)) is None:
                missing[text] = wanted
                continue
            found = wanted.text, artifact
        code[text] = found
    if missing:
        from anytile.vm.storage.shared_builds import all_built

        made = all_built(list(missing.values()), cache)
        code |= {text: (wanted.text, a) for (text, wanted), a in zip(missing.items(), made, strict=True)}
    return replace(exe, kernels=tuple(_linked(e, code) for e in exe.kernels))


def _lacks_code(entry: KernelEntry) -> bool:
    return entry.kind == KERNEL and entry.artifact is None


def _plan_of(entry: KernelEntry) -> DispatchPlan:
    plan = DispatchPlan.from_json(entry.plan)
    if str(plan.workload) != entry.workload:
        raise SpecError(f"kernel {entry.name}: it is {entry.workload}, and its plan is for {plan.workload}")
    return plan


def _linked(entry: KernelEntry, code: Mapping[str, tuple[str, Artifact]]) -> KernelEntry:
    if not _lacks_code(entry):
        return entry
    text, artifact = code[entry.plan]
    return replace(entry, plan=text, artifact=artifact)


def _kept_to_run(plan: DispatchPlan, cache: CodeCache) -> tuple[str, Artifact] | None:
    """Only what has been found to fit this machine is kept as running here, so what is kept need not be looked at."""
    if plan.target.kind != "llvm" or not plan.target.is_host or plan.target.threads > usable_cores():
        return None
    if libraries_of(plan):
        return None
    wanted = Wanted.of(_RUNS_HERE, plan)
    found = kept(wanted, cache)
    return None if found is None else (wanted.text, found)


def _wanted_to_run(plan: DispatchPlan) -> Wanted:
    if plan.target.kind != "llvm":  # a GPU's code is for the one that its plan names, be it here or not
        return Wanted.of(_PLANNED, plan)
    from anytile.dispatch.service import runnable

    return Wanted.of(_RUNS_HERE, runnable(plan, strict=False))


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

"""Models compiled for a GPU without one and without NVRTC: each kernel's text, and nothing that only a GPU reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from anytile.compiler.lowering.kernel_table import Planned, Planner
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.narrow_layers import Narrowing, narrow_layers
from anytile.compiler.passes.narrow.rounded_weights import FLOAT
from anytile.compiler.passes.narrow.store_activations import store_activations
from anytile.compiler.pipeline import compiled
from anytile.core.dtypes import STORED_FLOATS
from anytile.dispatch.cuda.build import Compiler, compile_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import is_led, is_served, templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from tests.support.cases.compiled_modules import TARGET, plan
from tests.support.cases.handwritten_cuda import no_compiler

GPU = Target.parse("cuda -arch=sm_90a")


@cache
def gpu_plan(workload: Workload, target: Target = GPU) -> Planned:
    """The default config of the first template, for every size: few texts, which the CPU's compiler takes long over."""
    chosen = templates_for(workload, target)[0]
    return Planned(single_plan(workload, target, chosen.name, chosen.default(workload, target)).to_json(), "default")


@cache
def host_plan(workload: Workload) -> Planned:
    """The same for this machine's CPU: no database is asked, nor the library for one imported."""
    return gpu_plan(workload, TARGET)


def one_kernel(workload: Workload, target: Target = GPU) -> DispatchPlan:
    """The same, unspecialised: one text for the simulator."""
    chosen = templates_for(workload, target)[0]
    return single_plan(workload, target, chosen.name, chosen.default(workload, target), 0)


def compiled_for_gpu(
    module: Module,
    precision: str = FLOAT,
    target: Target = GPU,
    compiler: Compiler | None = None,
    planner: Planner = plan,
    plan_there: Callable[[Workload, Target], Planned] = gpu_plan,
) -> Executable:
    """The executable, with code for a GPU in its kernels there; those of the host are built when a session links it."""
    narrow = store = None
    if precision != FLOAT:
        narrow = partial(narrow_layers, spec=Narrowing(precision, multiplies=STORED_FLOATS))
        served, led = (partial(asked, target=target) for asked in (is_served, is_led))
        store = partial(store_activations, dtype=precision, serves=served, led=led)

    def beside(workload: Workload) -> Planned:
        return plan_there(workload, target)

    made = compiled(module, TARGET, planner, ("host", "cuda"), narrow=narrow, beside=beside, store=store)
    kernels = []
    for entry in made.kernels:
        if entry.device:
            artifact = compile_plan(DispatchPlan.from_json(entry.plan), compiler=compiler or no_compiler())
            entry = replace(entry, artifact=artifact)
        kernels.append(entry)
    return replace(made, kernels=tuple(kernels))

"""Backends: for each kind of target how a plan becomes code, what calls that code, and what of it runs here.

Everything above asks `backend(target)` and never what the kind is. A backend imports its part of the house only when it
is asked to work, so a CPU never meets CUDA, nor the other way round.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.core.errors import SpecError, UnsupportedError
from anytile.dispatch.plans.notes import noted
from anytile.schedules.hardware.target import Target, require_runnable, usable_cores
from anytile.schedules.plans.plan import DispatchPlan

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer
    from anytile.dispatch.cuda.device import CudaDevice
    from anytile.schedules.workloads.workload import Workload


class AnyKernel(Protocol):
    """What every kind of target gives a caller: a workload's kernel for every size."""

    plan: DispatchPlan
    artifact: Artifact
    answer: Answer | None
    copies: int

    def __call__(self, *inputs: Any, out: Any = None) -> Any: ...
    def constants(self) -> dict[str, Any]: ...
    @property
    def bound(self) -> Mapping[str, int]: ...
    def why(self, *at: int, **sizes: int) -> str: ...
    def source(self, *at: int, form: str = ..., **sizes: int) -> str: ...
    def save(self, path: str | Path) -> None: ...


class Backend(Protocol):
    """One kind of target."""

    forms: tuple[str, ...]  # in which code can be shown
    library: str  # the name of the library that ranges of a plan may run

    def untuned(self, workload: Workload, target: Target) -> DispatchPlan | None:
        """A plan for what nobody tuned, where one config for every size will not do."""
        ...

    def compile(self, plan: DispatchPlan, sizes: Collection[int] | None = None, cache: CodeCache | None = None,
                facts_too: bool = False) -> Artifact:  # fmt: skip
        """With `facts_too` whatever the compiler can say of the code, too, should that take time of its own."""
        ...

    def source(self, plan: DispatchPlan, size: int | None, form: str) -> str: ...

    def kernel(self, artifact: Artifact, plan: DispatchPlan, constants: Mapping[str, object] | None,
               answer: Answer | None) -> AnyKernel: ...  # fmt: skip

    def compiler(self) -> str:
        """The compiler's version, as records are stored with it."""
        ...

    def require_compiler(self, target: Target) -> None:
        """Say in one line why code for a target cannot be made here, if it cannot."""
        ...

    def adapted(self, plan: DispatchPlan) -> DispatchPlan:
        """The plan for this machine; what cannot run here is an error."""
        ...

    def bounded(self, plan: DispatchPlan) -> DispatchPlan:
        """The plan such that what it asks of a device has a bound, however large its symbol is."""
        ...

    def has_library(self, name: str) -> bool: ...

    def library_build(self) -> str:
        """Which build of its library is here, as measurements and plans remember it; nothing where that is not told."""
        ...

    def hopeless(self, facts: Mapping[str, float]) -> str | None:
        """In words why code like this is not worth running, from what its compiler said of it; or nothing."""
        ...

    def here(self) -> Target:
        """This machine's target: stored code for it may run."""
        ...


class CpuBackend:
    """LLVM code for the CPU."""

    forms: tuple[str, ...] = ("nest", "llvm", "asm", "object")
    library: str = "blas"

    def untuned(self, workload: Workload, target: Target) -> DispatchPlan | None:
        from anytile.schedules.plans.few_and_many import few_and_many

        return few_and_many(workload, target)

    def compile(self, plan: DispatchPlan, sizes: Collection[int] | None = None, cache: CodeCache | None = None,
                facts_too: bool = False) -> Artifact:  # fmt: skip
        from anytile.dispatch.cpu.build import compile_plan

        return compile_plan(plan, sizes, cache, facts_too)

    def source(self, plan: DispatchPlan, size: int | None, form: str) -> str:
        from anytile.dispatch.cpu.build import source

        return source(plan, size, form)

    def kernel(self, artifact: Artifact, plan: DispatchPlan, constants: Mapping[str, object] | None,
               answer: Answer | None) -> AnyKernel:  # fmt: skip
        from anytile.dispatch.cpu.kernel import DispatchKernel

        return DispatchKernel(plan, artifact, constants, answer)

    def compiler(self) -> str:
        from anytile.codegen.version import llvm_version

        return llvm_version()

    def require_compiler(self, target: Target) -> None:
        return None  # it is a part of the package, and a target that it does not know is none

    def adapted(self, plan: DispatchPlan) -> DispatchPlan:
        from anytile.dispatch.blas import in_plans

        made_for = plan.target
        if not plan.target.is_host:
            plan = replace(plan, target=Target.host(plan.target.threads))
            plan = noted(plan, f"made for {made_for}; its figures are from there")
        require_runnable(plan.target)
        if (cores := usable_cores()) < (threads := plan.target.threads):
            text = f"made for {threads} threads; this process may use {cores} cores, and as many threads run"
            plan = noted(plan, text)
        return in_plans.believed(plan)

    def bounded(self, plan: DispatchPlan) -> DispatchPlan:
        return plan

    def has_library(self, name: str) -> bool:
        from anytile.dispatch.blas import in_plans

        return name == self.library and in_plans.pick(name) is not None

    def library_build(self) -> str:
        from anytile.dispatch.blas import in_plans

        found = in_plans.pick(self.library)
        return "" if found is None else found.build

    def hopeless(self, facts: Mapping[str, float]) -> str | None:
        return None

    def here(self) -> Target:
        return Target.host()


MOST_SPILLS = 256  # bytes of a thread, loads and stores


def _cublas_here() -> bool:
    """Whether CuPy can load it; no device is opened."""
    from anytile.dispatch.cuda.cupy_device import cublas

    return cublas() is not None


def _found() -> CudaDevice:
    from anytile.dispatch.cuda.cupy_device import open_device

    return open_device()


def require_arch(target: Target, device: CudaDevice) -> None:
    """Targets speak of this process's first device, kernels run on the one that was current when the first was made."""
    if target.get("arch") not in (device.facts.arch, device.facts.arch.rstrip("a")):
        raise UnsupportedError(
            f"target {target}: the current device, number {device.index}, is a {device.facts}; make another one "
            f"current, or start with CUDA_VISIBLE_DEVICES={device.index} and build for target cuda"
        )


@dataclass(eq=False)
class CudaBackend:
    """CUDA C++ through NVRTC for NVIDIA GPUs. `find` opens the device, once, when a kernel is to run."""

    find: Callable[[], CudaDevice] = _found
    has_cublas: Callable[[], bool] = _cublas_here
    forms: tuple[str, ...] = ("nest", "cuda")
    library: str = "cublas"

    @functools.cached_property
    def device(self) -> CudaDevice:
        return self.find()

    def untuned(self, workload: Workload, target: Target) -> DispatchPlan | None:
        from anytile.dispatch.cuda.untuned import untuned_plan

        return untuned_plan(workload, target)

    def compile(self, plan: DispatchPlan, sizes: Collection[int] | None = None, cache: CodeCache | None = None,
                facts_too: bool = False) -> Artifact:  # fmt: skip
        from anytile.dispatch.cuda.build import compile_plan

        return compile_plan(plan, sizes, cache)

    def source(self, plan: DispatchPlan, size: int | None, form: str) -> str:
        from anytile.dispatch.cuda.build import source

        return source(plan, size, form)

    def kernel(self, artifact: Artifact, plan: DispatchPlan, constants: Mapping[str, object] | None,
               answer: Answer | None) -> AnyKernel:  # fmt: skip
        from anytile.dispatch.cuda.kernel import CudaKernel

        require_arch(plan.target, self.device)
        return CudaKernel(artifact, self.device, constants, answer)

    def compiler(self) -> str:
        from anytile.dispatch.cuda.build import compiler

        return compiler()

    def require_compiler(self, target: Target) -> None:
        from anytile.codegen.cuda.nvrtc import require
        from anytile.schedules.hardware.gpu import gpu_facts

        require(gpu_facts(target).arch)

    def adapted(self, plan: DispatchPlan) -> DispatchPlan:
        require_runnable(plan.target)
        return self.bounded(plan)

    def bounded(self, plan: DispatchPlan) -> DispatchPlan:
        from anytile.dispatch.cuda.beyond import along_x_beyond, unsplit_beyond

        return along_x_beyond(unsplit_beyond(plan))

    def has_library(self, name: str) -> bool:
        return name == self.library and self.has_cublas()

    def library_build(self) -> str:
        return ""  # only an open device tells

    def hopeless(self, facts: Mapping[str, float]) -> str | None:
        """What lives in memory in place of registers, waits for itself, or fits on no multiprocessor."""
        if facts.get("blocks_per_sm", 1.0) < 1:
            wants = f"{facts['registers']:.0f} registers a thread and {facts['shared']:.0f} bytes shared"
            return f"no multiprocessor holds a block of it, of {wants}"
        if facts.get("spills", 0.0) > MOST_SPILLS:
            return f"ptxas spills {facts['spills']:.0f} bytes of registers, and {MOST_SPILLS} are the most worth timing"
        if facts.get("in_memory"):
            return f"ptxas keeps {facts['in_memory']:.0f} bytes of a thread's arrays in memory"
        if facts.get("serialised"):
            return "ptxas makes the matrix instructions wait for each other"
        return None

    def here(self) -> Target:
        return Target.parse("cuda")


_BACKENDS: dict[str, Backend] = {"llvm": CpuBackend(), "cuda": CudaBackend()}


def backend(target: Target) -> Backend:
    return backend_of(target.kind)


def backend_of(kind: str) -> Backend:
    if kind not in _BACKENDS:
        raise SpecError(f"no backend for targets of kind {kind!r}; expected one of {', '.join(_BACKENDS)}")
    return _BACKENDS[kind]


def cuda_device() -> CudaDevice:
    """The GPU that kernels of this process run on."""
    made = backend_of("cuda")
    assert isinstance(made, CudaBackend)
    return made.device

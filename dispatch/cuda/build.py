"""Compilation of plans to CUDA code: a kernel for every variant and residue class, kept in the code cache.

No GPU takes part. The same code makes a tuning candidate (the classes that its sizes need) and what is shipped. A cubin
is remembered by its text, architecture and compiler, so variants that share a kernel compile it once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from anytile.codegen.artifact import ABI_VERSION, Artifact
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.facts import kernel_facts
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.errors import SpecError, UnsupportedError
from anytile.dispatch.cuda.code import CudaCode, Kernel, Placed
from anytile.dispatch.cuda.emit import Emitted, emit, nest_of
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Variant
from anytile.schedules.workloads.workload import Workload

ENTRY = "anytile_cuda"
LIBRARY = "cublas"
_ROOM = ("blocks_per_sm", "occupancy")  # of these, less is worse

Residues = tuple[int, int] | None
Emit = Callable[[Workload, Target, Variant, Residues], Emitted]


@dataclass(frozen=True, slots=True)
class Compiler:
    """What turns text into a cubin, and what it is called in keys and records."""

    compile: Callable[[str, str], Cubin] = nvrtc.compile_cubin
    version: Callable[[], str] = nvrtc.version


def compiler() -> str:
    """What compiles here, as records and stored code name it."""
    return f"nvrtc {nvrtc.version()}"


def compile_plan(
    plan: DispatchPlan,
    sizes: Collection[int] | None = None,
    cache: CodeCache | None = None,
    compiler: Compiler | None = None,
    emitter: Emit = emit,
) -> Artifact:
    """The plan as an artifact. With `sizes` it serves only the residues that these sizes need."""
    compiler = compiler or Compiler()
    for r in plan.ranges:
        if isinstance(r.runs, str) and r.runs != LIBRARY:
            raise UnsupportedError(f"plan for {plan.workload}: no library {r.runs!r} is known; expected {LIBRARY!r}")
    placed: list[Placed] = []
    facts: dict[str, float] = {"object_bytes": 0.0}
    arch = gpu_facts(plan.target).arch
    for v, variant in enumerate(plan.variants):
        for residues in _wanted(variant, sizes):
            made = emitter(plan.workload, plan.target, variant, residues)
            cubin = _compiled(made.text, arch, compiler, cache)
            found = kernel_facts(gpu_facts(plan.target), cubin.facts, made.launch.shared, made.launch.threads)
            placed.append(Placed(Kernel(made.text, cubin.data, arch, made.launch, made.align), v, residues))
            facts = _together(facts, {**found, "object_bytes": facts["object_bytes"] + len(cubin.data)})
    return Artifact(CudaCode(plan, tuple(placed)).to_bytes(), ENTRY, facts=facts)


def _wanted(variant: Variant, sizes: Collection[int] | None) -> list[Residues]:
    if not variant.classes:
        return [None]
    rests = None if sizes is None else {size % variant.tile for size in sizes}
    return [(lo, hi) for lo, hi in variant.classes if rests is None or any(lo <= r <= hi for r in rests)]


def _together(facts: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Of several kernels the one that asks for most speaks for all: a constraint must hold for each of them."""
    return {k: (min if k in _ROOM else max)(value, facts.get(k, value)) for k, value in more.items()}


def _compiled(text: str, arch: str, compiler: Compiler, cache: CodeCache | None) -> Cubin:
    if cache is None:
        return compiler.compile(text, arch)
    key = key_of(text, arch, compiler.version(), str(CODEGEN_VERSION), str(ABI_VERSION), ENTRY)
    found = cache.get(key)
    if found is None:
        made = compiler.compile(text, arch)
        found = Artifact(made.data, ENTRY, facts=made.facts)
        cache.put(key, found)
    return Cubin(found.code, facts=found.facts)


def source(plan: DispatchPlan, size: int | None = None, form: str = "nest") -> str:
    """What a plan becomes, to be read: the loop `nest` or the `cuda` text; of one size, or of everything."""
    if form not in ("nest", "cuda"):
        raise SpecError(f"source form {form!r}: expected nest or cuda")
    runs = None if size is None else plan.range_at(size).runs
    if isinstance(runs, str):
        return f"// {plan.symbol}={size} runs {runs}\n"
    chosen: Sequence[Variant] = plan.variants if runs is None else (plan.variants[runs],)
    sizes = None if size is None else (size,)
    texts = []
    for variant in chosen:
        for residues in _wanted(variant, sizes):
            if form == "nest":
                texts.append(str(nest_of(plan.workload, plan.target, variant, residues)))
            else:
                texts.append(emit(plan.workload, plan.target, variant, residues).readable)
    return "\n".join(texts)


__all__ = ["ENTRY", "LIBRARY", "Compiler", "compile_plan", "source"]

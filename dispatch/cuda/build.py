"""Compilation of plans to CUDA code: a kernel for every variant and residue class, kept in the code cache.

No GPU takes part. The same code makes a tuning candidate (the classes that its sizes need) and what is shipped. A cubin
is remembered by its text, architecture and compiler, so variants that share a kernel compile it once; NVRTC compiles
several texts at once, on as many threads as there are cores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from anytile.schedules.hardware.target import Target, usable_cores
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
    kernels = [
        (v, residues, emitter(plan.workload, plan.target, variant, residues))
        for v, variant in enumerate(plan.variants)
        for residues in _wanted(variant, sizes)
    ]
    cubins = _compiled([made.text for _, _, made in kernels], arch, compiler, cache)
    for v, residues, made in kernels:
        cubin = cubins[made.text]
        found = kernel_facts(gpu_facts(plan.target), cubin.facts, made.launch.shared, made.launch.threads)
        placed.append(Placed(Kernel(made.text, cubin.data, arch, made.launch, made.align), v, residues))
        facts = _together(facts, {**found, "object_bytes": facts["object_bytes"] + len(cubin.data)})
    return Artifact(CudaCode(plan, tuple(placed)).to_bytes(), ENTRY, facts=facts)


def _wanted(variant: Variant, sizes: Collection[int] | None) -> list[Residues]:
    return list(variant.classes_at(sizes)) if variant.classes else [None]


def _together(facts: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Of several kernels the one that asks for most speaks for all: a constraint must hold for each of them."""
    return {k: (min if k in _ROOM else max)(value, facts.get(k, value)) for k, value in more.items()}


def _compiled(texts: Iterable[str], arch: str, compiler: Compiler, cache: CodeCache | None) -> dict[str, Cubin]:
    """The cubin of each text, those that are not remembered compiled on all cores."""
    texts = dict.fromkeys(texts)
    keys: dict[str, str] = {}
    found: dict[str, Cubin] = {}
    if cache is not None:
        version = compiler.version()
        for text in texts:
            keys[text] = key_of(text, arch, version, str(CODEGEN_VERSION), str(ABI_VERSION), ENTRY)
            kept = cache.get(keys[text])
            if kept is not None:
                found[text] = Cubin(kept.code, facts=kept.facts)

    def made(text: str) -> Cubin:
        cubin = compiler.compile(text, arch)
        if cache is not None:  # at once: what was made is remembered where another text fails
            cache.put(keys[text], Artifact(cubin.data, ENTRY, facts=cubin.facts))
        return cubin

    lacking = [text for text in texts if text not in found]
    if len(lacking) == 1:
        found[lacking[0]] = made(lacking[0])
    elif lacking:
        with ThreadPoolExecutor(min(len(lacking), usable_cores())) as pool:
            found |= zip(lacking, pool.map(made, lacking), strict=True)
    return found


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

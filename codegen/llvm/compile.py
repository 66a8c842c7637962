"""LLVM IR text -> object bytes, for the host or for any CPU that this LLVM knows.

Little runs before code generation: mathematical functions are inlined, and scalar replacement turns register buffers
into registers. Everything else was already written the way it should be. Facts about code are read off its assembly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anytile.codegen.artifact import Artifact, Packed
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.version import llvm_version
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.cpu import facts, features, machine
from anytile.schedules.hardware.target import Target

ATTRIBUTES = 'attributes #0 = { nounwind "prefer-vector-width"="512" "no-trapping-math"="true" }\n'
_INLINED = " alwaysinline "


def compile_ir(
    ir: str,
    target: Target,
    entry: str,
    workspace: str | None = None,
    packed: Sequence[Packed] = (),
    facts_too: bool = True,
) -> Artifact:
    """Compile one module. `entry`, `workspace` and `packed` name what the artifact offers."""
    module, tm = _prepared(ir, target)
    code = bytes(tm.emit_object(module))
    # The assembly is a second run of code generation, about as long as the first: only where facts are asked for.
    found = _facts(assembly(ir, target), len(code)) if facts_too else {"object_bytes": float(len(code))}
    return Artifact(code, entry, workspace, tuple(packed), found)


def compiled(ir: str, target: Target, entry: str, cache: CodeCache) -> Artifact:
    """The same without facts, from the cache if it is there."""
    key = key_of(ir, str(target), features(target), llvm_version())
    found = cache.get(key)
    if found is None:
        found = compile_ir(ir, target, entry, facts_too=False)
        cache.put(key, found)
    return found


def assembly(ir: str, target: Target) -> str:
    """What `compile_ir` makes, as readable assembly."""
    module, tm = _prepared(ir, target)
    tm.set_asm_verbosity(True)
    return str(tm.emit_assembly(module))


def optimised(ir: str, target: Target) -> str:
    """The LLVM IR just before code generation."""
    return str(_prepared(ir, target)[0])


def _prepared(ir: str, target: Target):  # type: ignore[no-untyped-def]  # llvmlite has no types
    import llvmlite.binding as llvm

    tm = machine(target)
    try:
        module = llvm.parse_assembly(ir)
        module.triple = facts(target).triple
        module.data_layout = str(tm.target_data)  # type: ignore[attr-defined]
        module.verify()
    except RuntimeError as error:
        raise CodegenError(f"LLVM refuses the code for {target}: {str(error).strip().splitlines()[0]}") from None
    builder = llvm.create_pass_builder(tm, llvm.create_pipeline_tuning_options(speed_level=2))
    if _INLINED in ir:
        first = llvm.create_new_module_pass_manager()
        first.add_always_inliner_pass()
        first.run(module, builder)
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)
    return module, tm


_INSTRUCTION = re.compile(r"^\s+([a-z][a-z0-9.]*)(\s|$)")
_FMA = ("vfmadd", "vfnmadd", "vfma.", "vmla.", "fmla", "fmadd", "vfmacc", "xvmadd")


def _facts(asm: str, object_bytes: int) -> dict[str, float]:
    counts = dict.fromkeys(("instructions", "multiply_adds", "vector_loads", "branches", "spills", "reloads"), 0)
    for line in asm.splitlines():
        match = _INSTRUCTION.match(line)
        if match is None:
            continue
        name = match.group(1)
        counts["instructions"] += 1
        counts["multiply_adds"] += name.startswith(_FMA)
        counts["vector_loads"] += name.startswith(("vmov", "vbroadcast", "ldr", "ld1", "movups", "movaps"))
        counts["branches"] += name.startswith(("j", "b.", "cbz", "cbnz", "tb"))
        counts["spills"] += "Spill" in line
        counts["reloads"] += "Reload" in line
    return {**{k: float(v) for k, v in counts.items()}, "object_bytes": float(object_bytes)}

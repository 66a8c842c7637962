"""LLVM IR text -> object bytes, for the host or for any CPU that this LLVM knows.

Little runs before code generation: mathematical functions are inlined, and scalar replacement turns register buffers
into registers. Everything else was already written the way it should be. Facts about code are read off its assembly.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from functools import lru_cache

from anytile.codegen.artifact import Artifact, Packed
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.version import llvm_version
from anytile.core.errors import AnytileError, CodegenError
from anytile.core.installation.clone import with_rooms
from anytile.schedules.hardware.cpu import facts, features, machine
from anytile.schedules.hardware.target import Target

ATTRIBUTES = 'attributes #0 = { nounwind "prefer-vector-width"="512" "no-trapping-math"="true" }\n'
# How hard code generation tries. On x86 the level below differs in one thing: instructions are not put in another order
# once they have registers, which takes up to two fifths of the time, and which its CPUs do while they run.
_LEVEL, _LEVELS = 3, {"x86_64": 1}
_INLINED = " alwaysinline "
_MARK = "anytile: "  # before the error of a process that emits for this one


def compile_ir(
    ir: str,
    target: Target,
    entry: str,
    workspace: str | None = None,
    packed: Sequence[Packed] = (),
    facts_too: bool = True,
) -> Artifact:
    """Compile one module. `entry`, `workspace` and `packed` name what the artifact offers."""
    code = _emitted("object", ir, target)
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
    return _emitted("assembly", ir, target).decode()


def optimised(ir: str, target: Target) -> str:
    """The LLVM IR just before code generation."""
    return _emitted("llvm", ir, target).decode()


# Architectures whose back ends hold. What others do not know ends the process that asks, so that is not this one.
_PROVEN = ("x86_64", "i386", "i486", "i586", "i686", "aarch64", "arm", "thumb", "riscv", "powerpc", "ppc", "s390x")


def _emitted(form: str, ir: str, target: Target) -> bytes:
    triple = target.get("mtriple")
    return _emit(form, ir, target) if not triple or triple.startswith(_PROVEN) else _emitted_apart(form, ir, target)


def _emit(form: str, ir: str, target: Target) -> bytes:
    tm = _machine(target, features(target), form)
    module = _prepared(ir, target, tm)
    if form == "llvm":
        return str(module).encode()
    try:
        return bytes(tm.emit_object(module)) if form == "object" else str(tm.emit_assembly(module)).encode()
    except RuntimeError as error:
        raise CodegenError(f"LLVM makes no {form} for {target}: {_line(str(error))}") from None


def _emitted_apart(form: str, ir: str, target: Target) -> bytes:
    """The same in a process of its own."""
    import subprocess  # here, since few ask for such a target

    facts(target)  # which says what is wrong with the target itself
    asked = [sys.executable, "-P", "-m", __name__, form, str(target)]  # nothing out of the working directory
    done = subprocess.run(asked, input=ir.encode(), capture_output=True, check=False, env=with_rooms(os.environ))
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        reason = said.partition(_MARK)[2] or f"LLVM makes no {form} for {target}, it gave up: {_line(said)}"
        raise CodegenError(reason.strip())
    return done.stdout


def _line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "it does not say why")[:200]


@lru_cache(32)
def _machine(target: Target, features: str, form: str):  # type: ignore[no-untyped-def]  # llvmlite has no types
    """What emits one form of code, kept: what a CPU has takes as long to set up as a small kernel to emit. `features`
    are part of the question, since the host may be taken for another in between."""
    tm = machine(target, _LEVELS.get(facts(target).triple.partition("-")[0], _LEVEL))
    tm.set_asm_verbosity(form == "assembly")  # type: ignore[attr-defined]
    return tm


def _prepared(ir: str, target: Target, tm):  # type: ignore[no-untyped-def]  # llvmlite has no types
    import llvmlite.binding as llvm

    try:
        module = llvm.parse_assembly(ir)
        module.triple = facts(target).triple
        module.data_layout = str(tm.target_data)
        module.verify()
    except RuntimeError as error:
        raise CodegenError(
            f"LLVM {llvm_version()} refuses the code for {target}: {_line(' '.join(str(error).split()))}; if this "
            "llvmlite is not of the releases that anytile asks for, install one that is"
        ) from None
    builder = llvm.create_pass_builder(tm, llvm.create_pipeline_tuning_options(speed_level=2))
    first = llvm.create_new_module_pass_manager()
    if _INLINED in ir:
        first.add_always_inliner_pass()
    first.add_global_dead_code_eliminate_pass()  # a program uses a few of the runtime's functions
    first.run(module, builder)
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)
    return module


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


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(_emit(sys.argv[1], sys.stdin.read(), Target.parse(sys.argv[2])))
    except AnytileError as said:
        sys.exit(f"{_MARK}{said}")

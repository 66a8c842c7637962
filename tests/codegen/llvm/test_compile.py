"""Machine code for every kind of CPU: good vector code from one template, objects of the right machine, true facts."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import pytest

from anytile.codegen.llvm.compile import assembly, compile_ir, optimised
from anytile.codegen.version import llvm_version
from anytile.core.errors import CodegenError
from anytile.dispatch.cpu.build import compile_plan, emit_plan, source
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from tests.support.assembly import hot_loop, instructions, multiply_adds, spills

DENSE = template("dense.cpu")
BERT = dense(m=Any("m"), n=768, k=768, const=("w",))
EMPTY = "define i32 @f(ptr %d, ptr %s, ptr %w) #0 {\n  ret i32 0\n}\nattributes #0 = { nounwind }\n"
RISCV = "llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+m,+a,+f,+d,+v"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "register"),
    [
        ("llvm -mcpu=znver4", "%zmm"),
        ("llvm -mcpu=sapphirerapids", "%zmm"),
        ("llvm -mcpu=haswell", "%ymm"),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "v0."),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "v0."),
    ],
)
def test_the_main_loop_of_the_default_is_all_multiply_adds(text: str, register: str) -> None:
    """As many as the tile says, one broadcast per row and step, one load per vector and step, nothing spilled."""
    target = Target.parse(text)
    config = DENSE.default(BERT, target)
    rows, columns, unroll = (config.int(k) for k in ("tile_m", "tile_n", "unroll_k"))
    body = hot_loop(source(single_plan(BERT, target, "dense.cpu", config), rows, "asm"))
    assert multiply_adds(body) == rows * columns * unroll
    assert spills(body) == 0
    assert register in "\n".join(body)
    assert len(instructions(body)) <= multiply_adds(body) + (rows + columns) * unroll + 8


@pytest.mark.parametrize(
    ("locality", "x86", "arm"),
    [("near", "prefetcht0", "pldl1keep"), ("second", "prefetcht1", "pldl2keep"), ("once", "prefetchnta", "pldl1strm")],
)
def test_a_weight_is_prefetched_to_where_the_config_says(locality: str, x86: str, arm: str) -> None:
    streamed = BERT.streaming(["w"])
    for text, name in (("llvm -mcpu=znver4", x86), ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", arm)):
        target = Target.parse(text)
        config = DENSE.default(streamed, target).with_(prefetch=8, locality=locality)
        asm = source(single_plan(streamed, target, "dense.cpu", config), 8, "asm")
        found = {
            word for line in asm.splitlines() for word in line.replace(",", " ").split() if word[:3] in ("pre", "pld")
        }
        assert found - {"prfm"} == {name}


@pytest.mark.parametrize("tail", range(1, 8))
def test_a_tail_computes_its_rows_and_no_more(tail: int) -> None:
    target = Target.parse("llvm -mcpu=haswell")
    config = DENSE.default(BERT, target).with_(tile_m=8, tile_n=1, unroll_k=2, block_k=0, prefetch=0, block_n=1)
    asm = source(single_plan(BERT, target, "dense.cpu", config), tail, "asm")
    halves = asm.split("vfmadd")
    rows = 8 + tail  # the main loop, for any number of tiles, and the tail
    if tail < 4:
        rows += 8 + tail  # a small tail shares the last tile's rows, and stands alone where there is no tile
    assert len(halves) - 1 == rows * 2
    assert not any(name.startswith("vmaskmov") for name in instructions(asm.splitlines()))


def test_a_residue_class_has_no_branch_in_its_loop() -> None:
    target = Target.parse("llvm -mcpu=haswell")
    config = DENSE.default(BERT, target).with_(tile_m=6, tile_n=2, unroll_k=2, block_k=0, prefetch=0)
    body = hot_loop(source(single_plan(BERT, target, "dense.cpu", config, classes=1), 3, "asm"))
    assert multiply_adds(body) == 24
    assert sum(name.startswith("j") for name in instructions(body)) == 1


MACHINES = {
    "llvm -mcpu=haswell": 62,
    "llvm -mcpu=sapphirerapids": 62,
    "llvm -mtriple=x86_64-linux-gnu": 62,
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72": 183,
    RISCV: 243,
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr9": 21,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", MACHINES)
def test_an_object_file_of_the_right_machine(text: str) -> None:
    target = Target.parse(text)
    config = DENSE.default(BERT, target)
    artifact = compile_plan(single_plan(BERT, target, "dense.cpu", config, classes=1), facts_too=True)
    assert artifact.code.startswith(b"\x7fELF")
    kind, machine = struct.unpack_from("<HH", artifact.code, 16)
    assert (kind, machine) == (1, MACHINES[text])
    assert artifact.facts["multiply_adds"] > 0 or text.endswith("x86_64-linux-gnu")
    assert artifact.facts["object_bytes"] == len(artifact.code)


def test_facts_count_what_the_assembly_says() -> None:
    target = Target.parse("llvm -mcpu=haswell")
    plan = single_plan(BERT, target, "dense.cpu", DENSE.default(BERT, target))
    found, lines = compile_plan(plan, (1,), facts_too=True).facts, assembly(emit_plan(plan, (1,)), target).splitlines()
    assert found["multiply_adds"] == multiply_adds(lines) > 0
    assert found["instructions"] == len(instructions(lines))
    assert found["spills"] + found["reloads"] == spills(lines)


def test_facts_see_spills() -> None:
    target = Target.parse("llvm -mcpu=haswell")
    config = DENSE.default(BERT, target).with_(tile_m=16, tile_n=3)  # 48 vectors in 16 registers
    found = compile_plan(single_plan(BERT, target, "dense.cpu", config), (0,), facts_too=True).facts
    assert found["spills"] > 20
    assert found["reloads"] > 20


def test_without_facts_only_the_size_is_known() -> None:
    artifact = compile_ir(EMPTY, Target.host(), "f", facts_too=False)
    assert dict(artifact.facts) == {"object_bytes": float(len(artifact.code))}


def test_what_nobody_calls_is_no_code() -> None:
    used, idle = (f"define internal i32 @{name}() noinline {{\n  ret i32 0\n}}\n" for name in ("used", "idle"))
    calls = EMPTY.replace("  ret i32 0", "  %r = call i32 @used()\n  ret i32 %r")
    made = assembly(f"{used}{idle}{calls}", Target.host())
    assert "used:" in made
    assert "idle" not in made


def test_one_form_of_code_leaves_another_as_it_is() -> None:
    """What emits is kept, and assembly alone is to have comments."""
    target, workload = Target.host(1), dense(3, 8, 8)
    ir = emit_plan(single_plan(workload, target, "dense.cpu", DENSE.default(workload, target)))
    first, code = assembly(ir, target), compile_ir(ir, target, "f", facts_too=False).code
    assert "# =>This" in first or "// =>This" in first
    assert (assembly(ir, target), compile_ir(ir, target, "f", facts_too=False).code) == (first, code)


def test_registers_are_registers() -> None:
    """Scalar replacement leaves no stack slot of the register tile; what threads are handed is one, and stays."""
    for threads in (1, 2):
        target = Target.host(threads)
        config = DENSE.default(BERT, target)
        plan = single_plan(BERT, target, "dense.cpu", config)
        ir = emit_plan(plan, (3,))
        assert f"alloca [{config.int('tile_m') * config.int('tile_n') * facts(target).lanes} x float]" in ir
        slots = [line.split()[0] for line in optimised(ir, target).splitlines() if "alloca" in line]
        assert set(slots) == ({"%context"} if threads > 1 else set())


@pytest.mark.parametrize(
    ("ir", "what"),
    [
        ("define i32 @f() { ret i64 0 }", "doesn't match function result type"),
        ("nonsense", "expected top-level entity"),
        ("define i32 @f() { ret i32 %x }", "undefined value '%x'"),
    ],
)
def test_refused_code_is_one_line_that_names_the_place_and_the_release(ir: str, what: str) -> None:
    version = re.escape(llvm_version())
    with pytest.raises(CodegenError, match=rf"LLVM {version} refuses the code for llvm .*{what}.*llvmlite") as error:
        compile_ir(ir, Target.host(), "f")
    assert "\n" not in str(error.value)


ODD = """define i32 @f(ptr %d, ptr %s, ptr %w) #0 {
  %v = load <16 x float>, ptr %d
  %i = load i64, ptr %s
  %r = call i32 @g(<16 x float> %v, i64 %i, i128 7)
  ret i32 %r
}
declare i32 @g(<16 x float>, i64, i128)
attributes #0 = { nounwind }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "triple", ["nvptx64-nvidia-cuda -mcpu=sm_70", "msp430", "xcore", "lanai", "ve", "amdgcn", "avr", "wasm32"]
)
def test_a_back_end_that_gives_up_does_so_alone(triple: str) -> None:
    """LLVM ends the process that asks some of them for what they do not know."""
    target = Target.parse(f"llvm -mtriple={triple}")
    plan = single_plan(BERT, target, "dense.cpu", DENSE.default(BERT, target), classes=0)
    for ir in (ODD, EMPTY, emit_plan(plan)):
        for make in (lambda ir: compile_ir(ir, target, "f", facts_too=False), lambda ir: assembly(ir, target)):
            try:
                made, said = make(ir), ""
            except CodegenError as error:
                made, said = None, str(error)
            assert made or (said.startswith("LLVM ") and str(target) in said)
            assert "\n" not in said
            assert len(said) < 400


def test_the_same_plan_gives_the_same_code() -> None:
    target = Target.parse("llvm -mcpu=haswell")
    plan = single_plan(BERT, target, "dense.cpu", DENSE.default(BERT, target))
    assert compile_plan(plan, (5,)).digest == compile_plan(plan, (5,)).digest
    assert emit_plan(plan) == emit_plan(plan)


def test_golden_ir(golden: Callable[[str, str], None]) -> None:
    """All there is to see in the code of one small kernel: guards, masks, a tail, packing, dispatch."""
    workload = dense(m=Any("m"), n=5, k=Any("k"), const=("w",))
    target = Target.parse("llvm -mcpu=nehalem")
    config = DENSE.default(workload, target).with_(
        tile_m=2, tile_n=2, unroll_k=2, block_k=0, block_n=1, prefetch=8, locality="near"
    )
    golden("dense_small.ll", emit_plan(single_plan(workload, target, "dense.cpu", config, classes=1)))

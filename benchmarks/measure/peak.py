"""The rate at which a core can multiply and add at all: a loop that stays in registers, timed beside everything else.

Hand-written LLVM IR with more independent accumulators than latency x units needs on any CPU, and few enough to leave
registers for the two factors. No kernel of anybody's can be faster than this on the same core at the same clock.
"""

from __future__ import annotations

import threading
import time
from functools import partial

import numpy as np

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module
from anytile.codegen.llvm.narrow.narrow_functions import DOTS
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from benchmarks.measure.harness import System

STEPS = 20_000  # loop turns per call: a fraction of a millisecond


def peak_system(target: Target) -> System:
    """A system whose GFLOP/s are the peak of the target's threads together."""
    cpu = facts(target)
    return _system("fma peak", target, peak_ir(cpu.lanes, _accumulators(cpu.vector_registers)), terms=1)


def dot_system(target: Target, dtype: str) -> System:
    """The same of the products of several narrow numbers that kernels are made of, by the dtype of x."""
    cpu, narrow = facts(target), partial(narrow_facts, target)
    ir = dot_ir(cpu.lanes, _accumulators(cpu.vector_registers), dtype)
    return _system(f"{dtype} peak", target, module([ir], narrow=narrow), terms=2 if dtype == "bfloat16" else 4)


def _accumulators(registers: int) -> int:
    return 12 if registers <= 16 else 24


def _system(name: str, target: Target, ir: str, terms: int) -> System:
    cpu = facts(target)
    loaded = Loaded(compile_ir(ir, target, entry="peak"))
    data = np.ones(2 * cpu.lanes, dtype=np.float32)
    pointer = [data.ctypes.data]
    flops = 2.0 * terms * cpu.lanes * _accumulators(cpu.vector_registers) * STEPS * target.threads

    def turn(calls: int) -> None:
        assert data is not None  # the loop writes there, and knows but its address
        loaded.call("peak", pointer, [STEPS * calls])

    def run(calls: int) -> float:
        begin = time.perf_counter()
        if target.threads == 1:
            turn(calls)
        else:
            workers = [threading.Thread(target=turn, args=(calls,)) for _ in range(target.threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        return time.perf_counter() - begin

    return System(name, run, flops)


def peak_ir(lanes: int, accumulators: int) -> str:
    """`acc_i = fma(a, b, acc_i)` for every i, dims[0] times; the sum is stored, so that nothing can be left out."""
    vector = f"<{lanes} x float>"
    fma = f"llvm.fma.v{lanes}f32"
    products = [f"call {vector} @{fma}({vector} %a, {vector} %b, {vector} %c{i})" for i in range(accumulators)]
    declared = [
        f"declare {vector} @{fma}({vector}, {vector}, {vector})",
        f'attributes #0 = {{ "prefer-vector-width"="{32 * lanes}" }}',
        "",
    ]
    return "\n".join([*_loop(vector, vector, products), *declared])


def dot_ir(lanes: int, accumulators: int, dtype: str) -> str:
    """The same with `acc_i = dot(acc_i, a, b)`; a function alone, which a module makes whole."""
    w = "bfloat16" if dtype == "bfloat16" else "int8"
    vector, words = f"<{lanes} x {'float' if DOTS[dtype, w] == 'float32' else 'i32'}>", f"<{lanes} x i32>"
    name = f"@anytile.dot.{dtype}.{w}.x{lanes}"
    products = [f"call {vector} {name}({vector} %c{i}, {words} %a, {words} %b)" for i in range(accumulators)]
    return "\n".join([*_loop(vector, words, products), ""])


def _loop(vector: str, operand: str, products: list[str]) -> list[str]:
    indices, add = range(len(products)), "fadd" if "float" in vector else "add"
    phis = [f"  %c{i} = phi {vector} [ zeroinitializer, %entry ], [ %d{i}, %loop ]" for i in indices]
    made = [f"  %d{i} = {product}" for i, product in enumerate(products)]
    sums = [f"  %s0 = {add} {vector} %d0, zeroinitializer"]
    sums += [f"  %s{i} = {add} {vector} %s{i - 1}, %d{i}" for i in indices[1:]]
    return [
        "define i32 @peak(ptr %data, ptr %dims, ptr %workspace) #0 {",
        "entry:",
        "  %x = load ptr, ptr %data",
        f"  %second = getelementptr {operand}, ptr %x, i64 1",
        f"  %a = load {operand}, ptr %x, align 4",
        f"  %b = load {operand}, ptr %second, align 4",
        "  %turns = load i64, ptr %dims",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *phis,
        *made,
        "  %next = add i64 %i, 1",
        "  %more = icmp ult i64 %next, %turns",
        "  br i1 %more, label %loop, label %done",
        "done:",
        *sums,
        f"  store {vector} %s{len(products) - 1}, ptr %x, align 4",
        "  ret i32 0",
        "}",
    ]

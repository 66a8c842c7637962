"""The rate at which a core can multiply and add at all: a loop that stays in registers, timed beside everything else.

Hand-written LLVM IR with more independent accumulators than latency x units needs on any CPU, and few enough to leave
registers for the two factors. No kernel of anybody's can be faster than this on the same core at the same clock.
"""

from __future__ import annotations

import threading
import time

import numpy as np
from harness import System

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target

STEPS = 20_000  # loop turns per call: a fraction of a millisecond


def peak_system(target: Target) -> System:
    """A system whose GFLOP/s are the peak of the target's threads together."""
    cpu = facts(target)
    accumulators = 12 if cpu.vector_registers <= 16 else 24
    loaded = Loaded(compile_ir(peak_ir(cpu.lanes, accumulators), target, entry="peak"))
    data = np.ones(2 * cpu.lanes, dtype=np.float32)
    pointer = [data.ctypes.data]
    flops = 2.0 * cpu.lanes * accumulators * STEPS * target.threads

    def turn(calls: int) -> None:
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

    return System("fma peak", run, flops)


def peak_ir(lanes: int, accumulators: int) -> str:
    """`acc_i = fma(a, b, acc_i)` for every i, dims[0] times; the sum is stored, so that nothing can be left out."""
    vector = f"<{lanes} x float>"
    fma = f"llvm.fma.v{lanes}f32"
    indices = range(accumulators)
    phis = [f"  %c{i} = phi {vector} [ zeroinitializer, %entry ], [ %d{i}, %loop ]" for i in indices]
    fmas = [f"  %d{i} = call {vector} @{fma}({vector} %a, {vector} %b, {vector} %c{i})" for i in indices]
    sums = [f"  %s0 = fadd {vector} %d0, zeroinitializer"]
    sums += [f"  %s{i} = fadd {vector} %s{i - 1}, %d{i}" for i in indices[1:]]
    return "\n".join(
        [
            "define i32 @peak(ptr %data, ptr %dims, ptr %workspace) #0 {",
            "entry:",
            "  %x = load ptr, ptr %data",
            f"  %second = getelementptr {vector}, ptr %x, i64 1",
            f"  %a = load {vector}, ptr %x, align 4",
            f"  %b = load {vector}, ptr %second, align 4",
            "  %turns = load i64, ptr %dims",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *phis,
            *fmas,
            "  %next = add i64 %i, 1",
            "  %more = icmp ult i64 %next, %turns",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *sums,
            f"  store {vector} %s{accumulators - 1}, ptr %x, align 4",
            "  ret i32 0",
            "}",
            f"declare {vector} @{fma}({vector}, {vector}, {vector})",
            f'attributes #0 = {{ "prefer-vector-width"="{32 * lanes}" }}',
            "",
        ]
    )

"""How fast the machine is right now: a fixed kernel, re-timed at intervals, that no schedule or template can change.

It is a loop of multiply-adds on registers only, so it follows the core's clock and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from anytile.codegen.loader import Loaded, time_calls
from anytile.codegen.native import compile_ir
from anytile.schedules.cpu import facts
from anytile.schedules.target import Target

ENTRY = "reference"
_CHAINS = 12  # enough to fill two pipes of latency four or five; with two constants they fit in sixteen registers
_ITERATIONS = 200_000
_TRIES = 3


def reference_ir(lanes: int) -> str:
    """LLVM IR under the kernel ABI: dims[0] rounds of one multiply-add per chain. Returns 1 if a value went bad."""
    vector = f"<{lanes} x float>"
    chains = range(_CHAINS)
    phis = "\n".join(f"  %p{i} = phi {vector} [ %start, %entry ], [ %n{i}, %loop ]" for i in chains)
    steps = "\n".join(
        f"  %n{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %p{i}, {vector} %scale, {vector} %start)"
        for i in chains
    )
    sums = "\n".join(f"  %s{i} = fadd {vector} %{f's{i - 1}' if i > 1 else 'n0'}, %n{i}" for i in chains if i)
    splat = "zeroinitializer"
    return f"""
declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})

define i32 @{ENTRY}(ptr %data, ptr %dims, ptr %workspace) "prefer-vector-width"="512" {{
entry:
  %rounds = load i64, ptr %dims
  %start0 = insertelement {vector} poison, float 0x3F847AE140000000, i64 0
  %start = shufflevector {vector} %start0, {vector} poison, <{lanes} x i32> {splat}
  %scale0 = insertelement {vector} poison, float 5.000000e-01, i64 0
  %scale = shufflevector {vector} %scale0, {vector} poison, <{lanes} x i32> {splat}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{phis}
{steps}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %loop, label %done
done:
{sums}
  %bad = fcmp uno {vector} %s{_CHAINS - 1}, %s{_CHAINS - 1}
  %first = extractelement <{lanes} x i1> %bad, i64 0
  %code = zext i1 %first to i32
  ret i32 %code
}}
"""


def reference_timer() -> Callable[[], float]:
    """Compile the reference kernel for this machine; each call of the result times it: seconds, the best of a few."""
    target = Target.host(1)
    loaded = Loaded(compile_ir(reference_ir(facts(target).lanes), target, entry=ENTRY))

    def measure() -> float:
        return min(time_calls(loaded.entry, [[0]], [_ITERATIONS], 0, 1) for _ in range(_TRIES))

    measure()  # now, and not under a candidate's memory ceiling, the timer itself is compiled
    return measure

"""Drift of a CPU's speed, by a reference kernel that no schedule or template can change, re-timed at intervals.

It is a loop of multiply-adds on registers only, so it follows the core's clock and nothing else; on several threads,
also whether each has a core of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module
from anytile.codegen.llvm.parallel import Region, body_function, run_function, share_function
from anytile.codegen.load.loader import Loaded, time_calls
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.quiet_machine import Steady
from anytile.tuner.protocol.machine_state import Part

ENTRY = "reference"
_CHAINS = 12  # enough to fill two pipes of latency four or five; with two constants they fit in sixteen registers
_ITERATIONS = 200_000
_MOMENT = 6_000  # some twenty microseconds
_TRIES = 3
_MOMENTS = 2  # beside every sample: an interrupt spoils one


def reference_ir(lanes: int) -> str:
    """LLVM IR under the kernel ABI: dims[0] rounds of one multiply-add per chain, on each of dims[1] threads.

    Ends the process if a value went bad.
    """
    vector = f"<{lanes} x float>"
    chains = range(_CHAINS)
    phis = "\n".join(f"  %p{i} = phi {vector} [ %first, %begin.rounds ], [ %n{i}, %loop ]" for i in chains)
    steps = "\n".join(
        f"  %n{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %p{i}, {vector} %scale, {vector} %first)"
        for i in chains
    )
    sums = "\n".join(f"  %s{i} = fadd {vector} %{f's{i - 1}' if i > 1 else 'n0'}, %n{i}" for i in chains if i)
    splat = "zeroinitializer"
    body = f"""
  %mine = sub i64 %end, %begin
  %rounds = mul i64 %mine, %.0
  %some = icmp sgt i64 %rounds, 0
  br i1 %some, label %begin.rounds, label %done
begin.rounds:
  %first0 = insertelement {vector} poison, float 0x3F847AE140000000, i64 0
  %first = shufflevector {vector} %first0, {vector} poison, <{lanes} x i32> {splat}
  %scale0 = insertelement {vector} poison, float 5.000000e-01, i64 0
  %scale = shufflevector {vector} %scale0, {vector} poison, <{lanes} x i32> {splat}
  br label %loop
loop:
  %i = phi i64 [ 0, %begin.rounds ], [ %next, %loop ]
{phis}
{steps}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %loop, label %look
look:
{sums}
  %bad = fcmp uno {vector} %s{_CHAINS - 1}, %s{_CHAINS - 1}
  %wrong = extractelement <{lanes} x i1> %bad, i64 0
  br i1 %wrong, label %trap, label %done
trap:
  call void @llvm.trap()
  unreachable
done:"""
    region = Region("rounds", (), ("%rounds",), "%threads", "null", "0")
    entry = f"""
define i32 @{ENTRY}(ptr %data, ptr %dims, ptr %workspace) #0 {{
start:
  %rounds = load i64, ptr %dims
  %threads.at = getelementptr i64, ptr %dims, i64 1
  %threads = load i64, ptr %threads.at
  call void @rounds.share(i64 %rounds, i64 %threads, ptr null, i64 0, i64 %threads)
  ret i32 0
}}
"""
    return module([body_function("rounds", 0, 1, body), run_function(region), share_function(region, False), entry])


class Reference:
    """The kernel, compiled for this machine, and how often it is run for one answer: seconds, the best of a few."""

    def __init__(self, threads: int = 1) -> None:
        target = Target.host(threads)
        self._threads = threads
        self._loaded = Loaded(compile_ir(reference_ir(facts(target).lanes), target, entry=ENTRY))
        self.moment()  # now, and not under a candidate's memory ceiling, the timer itself is compiled

    def __call__(self) -> float:
        """On one thread, for long enough to tell small differences."""
        return self._best(_ITERATIONS, 1)

    def moment(self) -> float:
        """A moment on all threads at once. They may have been asleep before."""
        if self._threads > 1:
            self._best(_MOMENT, self._threads, 1)
        return self._best(_MOMENT, self._threads, _MOMENTS)

    def look(self) -> Mapping[Part, float]:
        """At the arithmetic alone."""
        return {Part.ARITHMETIC: self.moment()}

    def steady(self) -> Steady:
        return Steady(self.look, self._best(_MOMENT, 1))

    def _best(self, rounds: int, threads: int, tries: int = _TRIES) -> float:
        return min(time_calls(self._loaded.entry, [[0]], [rounds, threads], 0, 1) for _ in range(tries))

"""Bandwidth probes of a CPU: a short stream that reads what lies in the last cache or in memory, and does nothing else.

What lies in memory is a buffer of our own, larger than the last cache, of which every look takes the next pieces. What
lies in the last cache is the middle of the very operand that was just timed: nothing else is there for certain, since
kernels with large operands take the whole of it.

Invariant: a look costs some dozens of microseconds, and leaves the caches as the next call would have.
"""

from __future__ import annotations

from functools import cached_property

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module
from anytile.codegen.load.loader import Loaded, time_calls
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.cpu.guarded_memory import CACHE_LINE, Place, Region
from anytile.tuner.protocol.machine_state import BEYOND_L2, Part, parts_of

ENTRY = "stream"
PIECE = 1 << 18
_TRIES = 2  # an interrupt spoils one
_BEYOND_L3 = 4
_MOST = 1 << 28  # of memory for the buffer, however large the last cache says it is
STREAMS = 8  # vectors on their way at once


def stream_ir(lanes: int) -> str:
    """LLVM IR under the kernel ABI: reads dims[0] times so many vectors from data[0] on, which nobody may leave out."""
    vector, step = f"<{lanes} x i32>", 4 * lanes
    reads = "\n".join(
        f"  %a{i} = getelementptr i8, ptr %at, i64 {i * step}\n  %v{i} = load volatile {vector}, ptr %a{i}, align 4"
        for i in range(STREAMS)
    )
    body = f"""
define i32 @{ENTRY}(ptr %data, ptr %dims, ptr %workspace) #0 {{
start:
  %begin = load ptr, ptr %data
  %rounds = load i64, ptr %dims
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %offset = mul i64 %i, {STREAMS * step}
  %at = getelementptr i8, ptr %begin, i64 %offset
{reads}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rounds
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}}
"""
    return module([body])


class Streams:
    """The probes; they are compiled and their buffer is made when a kernel first reaches memory."""

    def __init__(self) -> None:
        self._facts: CpuFacts = facts(Target.host())
        self._rounds = PIECE // (STREAMS * 4 * self._facts.lanes)
        self._turn = 0

    def parts(self, working_set: int) -> frozenset[Part]:
        """What is to be looked at beside a kernel whose operands take so many bytes."""
        return parts_of(working_set, self._facts.l2_bytes, self._facts.l3_bytes)

    def reaches(self, nbytes: int) -> bool:
        """Whether the middle of an operand is beyond the caches that are the core's own when all of it was read."""
        return nbytes > 2 * BEYOND_L2 * self._facts.l2_bytes

    def prepare(self) -> None:
        """Make what a candidate's memory ceiling has no room for."""
        _ = self._loaded, self._buffer

    def memory(self) -> float:
        """Seconds of reading a piece from memory."""
        return min(self._seconds(self._next()) for _ in range(_TRIES))

    def cache(self, address: int, nbytes: int) -> float:
        """Seconds of reading a piece from the middle half of an operand that was just read; the next look reads the
        next ones, since the core's own caches hold those of the last."""
        begin, pieces = address + nbytes // 4 // CACHE_LINE * CACHE_LINE, max(1, nbytes // 2 // PIECE)
        self._turn += _TRIES
        return min(self._seconds(begin + (self._turn + i) % pieces * PIECE) for i in range(_TRIES))

    @cached_property
    def _loaded(self) -> Loaded:
        return Loaded(compile_ir(stream_ir(self._facts.lanes), Target.host(), entry=ENTRY))

    @cached_property
    def _buffer(self) -> Region:
        size = min(_MOST, max(_BEYOND_L3 * self._facts.l3_bytes, 64 * PIECE)) // PIECE * PIECE
        region = Region(size, Place.TIMED, CACHE_LINE, poison=False)
        region.array("uint8", (size,)).fill(1)  # pages that nobody wrote to are one and the same
        return region

    def _next(self) -> int:
        buffer = self._buffer
        self._turn += 1
        return buffer.address + self._turn % (buffer.size // PIECE) * PIECE

    def _seconds(self, address: int) -> float:
        return time_calls(self._loaded.entry, [[address]], [self._rounds], 0, 1)

"""How long work takes on a core of a CPU, roughly: an estimate from its multiply-adds and from where its bytes come.

Untuned, one template is taken before another by it. So of a core of which nothing else is known two vectors are
multiplied in a clock, as by the fastest, and caches give what most of them give: who saves products and moves more is
not flattered. The figure is clocks, and means nothing beside a measured time.
"""

from __future__ import annotations

from anytile.schedules.hardware.cpu import CpuFacts

_SECOND, _LAST, _MEMORY = 32.0, 8.0, 4.0  # bytes of a clock that caches behind the first give, and memory does


def multiplied(cpu: CpuFacts, vectors: float) -> float:
    """Clocks of so many multiply-adds of vectors; without instructions for both they are two each."""
    return vectors * (1 if cpu.has_fma else 2) / cpu.multiplied


def moved(cpu: CpuFacts, nbytes: float, among: float, streamed: bool = False) -> float:
    """Clocks of so many bytes that lie `among` so many others in use. What fills a cache by halves is half of the time
    in the one behind it."""
    if streamed:
        return nbytes / _MEMORY
    clocks, cost = nbytes / _SECOND, 1 / _SECOND
    for capacity, rate in ((cpu.l2_bytes, _LAST), (cpu.l3_bytes, _MEMORY)):
        clocks += nbytes * (1 / rate - cost) * min(among / capacity, 1.0)
        cost = 1 / rate
    return clocks

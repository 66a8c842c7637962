"""Core affinity: keeping the threads of a team off each other's cores, without binding the caller's to one.

Who wakes a thread that sleeps is running, and the kernel likes to put the woken one onto the same core. Two threads
that take turns there, each asleep while the other works, never look like too much for one core, so nothing moves them:
with two cores a pause of some milliseconds cost the next hundred regions several times what one thread would have
taken. So before it starts them the caller looks which core it is on. Where the team keeps off that one, all is well.
Else it holds itself there for a moment, has each of the others leave that core out from now on, and is free again
(`core_affinity.c`).

The word HOME of the runtime's table says which core is left out, and OWNER for whose team. Where the user bound the
threads, or gave the caller a single core, nothing is done.
"""

from __future__ import annotations

from anytile.codegen.kept import kept_ir

NAME = "keep_apart"  # void keep_apart(table, threads)
TEXT = kept_ir(__file__, "core_affinity")

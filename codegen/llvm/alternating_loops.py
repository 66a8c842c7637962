"""Loops that turn: which way they run at this call, from a byte that the kernels of a module share.

Every call of a kernel with such loops takes the byte and leaves the other direction for the next one. Calls at the same
time may take the same: then both run the same way, which costs them some misses and changes no result.
"""

from __future__ import annotations

from anytile.codegen.llvm.writer import Writer
from anytile.schedules.index.expr import var
from anytile.schedules.nest.nodes import Loop, Stmt
from anytile.schedules.nest.traverse import walk

BYTE = "anytile_turn"
BYTE_TEXT = f"@{BYTE} = internal global i8 0\n"
TURN = "@turn"  # as a variable of index expressions; no loop or symbol is called so


def has_turns(s: Stmt) -> bool:
    """Whether any loop of the statement turns."""
    return any(isinstance(c, Loop) and c.turns for c in walk(s))


def take_turn(w: Writer) -> None:
    """Bind TURN: 1 where this call runs such loops from the last round to the first, else 0."""
    taken = w.always(f"load atomic i8, ptr @{BYTE} monotonic, align 1", "turn")
    other = w.value(f"xor i8 {taken}, 1", "turn")
    w.put(f"store atomic i8 {other}, ptr @{BYTE} monotonic, align 1")
    w.bind(TURN, w.value(f"zext i8 {taken} to i64", "turn"))


def turned(w: Writer, counted: str, begin: str, end: str) -> str:
    """The round that a loop from `begin` to before `end` runs where it has counted so far."""
    back = w.value(f"icmp ne i64 {w.index(var(TURN))}, 0", "c")
    last = w.value(f"sub nsw i64 {end}, 1", "i")
    both = w.value(f"add nsw i64 {begin}, {last}", "i")
    mirrored = w.value(f"sub nsw i64 {both}, {counted}", "i")
    return w.value(f"select i1 {back}, i64 {mirrored}, i64 {counted}", "i")

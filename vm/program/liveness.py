"""Liveness analysis: which registers are read later, so that what nobody reads again may be freed.

Sets of registers stand only where basic blocks begin, of those that are read there before they are written, and there
may be so many of them in all: a set for each instruction would take the square of what a file says.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.core.errors import SpecError
from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import Instruction, reads, successors, writes

CARRIED = 1 << 22  # registers that jumps carry, each time that a jump is looked at, in all functions


class Budget:
    """What looking at a program may still cost."""

    def __init__(self, most: int = CARRIED) -> None:
        self.most = self.left = most

    def pay(self, cost: int) -> None:
        self.left -= cost
        if self.left < 0:
            said = f"expected jumps that carry at most {self.most} registers in all, got more"
            raise SpecError(f"executable: {said}; make smaller functions")


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions begin..end-1, which only the first is jumped to and only the last jumps from. `nexts` are the blocks
    behind it; `carries` are the registers that are read from its begin on before they are written."""

    begin: int
    end: int
    nexts: tuple[int, ...]
    carries: frozenset[int]


@dataclass(frozen=True, slots=True)
class Flow:
    """Of each instruction: what it reads and writes, where it may go on, and what dies with it (what it is the last to
    read before it is written, on every path, or writes for nobody). `targets` are jumped to."""

    reads: tuple[tuple[int, ...], ...]
    writes: tuple[int | None, ...]
    nexts: tuple[tuple[int, ...], ...]
    dying: tuple[tuple[int, ...], ...]
    targets: frozenset[int]

    def left_by(self, begin: int, end: int) -> frozenset[int]:
        """What straight instructions read or write, and others read after them."""
        found: set[int] = set()
        for used, made, dying in zip(*(x[begin:end] for x in (self.reads, self.writes, self.dying)), strict=True):
            found.update(used)
            if made is not None:
                found.add(made)
            found.difference_update(dying)
        return frozenset(found)


def flow_of(code: Sequence[Instruction]) -> Flow:
    """The flow of a function's code, whose jumps stay inside it."""
    uses, makes = [reads(i) for i in code], [writes(i) for i in code]
    nexts = [successors(i, at) for at, i in enumerate(code)]
    dying: list[tuple[int, ...]] = [()] * len(code)
    blocks = _blocks(uses, makes, nexts, Budget())
    for block in blocks:
        later = {r for n in block.nexts for r in blocks[n].carries}
        for at in reversed(range(block.begin, block.end)):
            used, made = uses[at], makes[at]
            touched = set(used) if made is None else {*used, made}
            dying[at] = tuple(sorted(touched - later))
            if made is not None:
                later.discard(made)
            later.update(used)
    targets = frozenset(n for at, following in enumerate(nexts) for n in following if n != at + 1)
    return Flow(tuple(uses), tuple(makes), tuple(nexts), tuple(dying), targets)


def blocks_of(code: Sequence[Instruction], budget: Budget) -> list[Block]:
    """The basic blocks of a function's code, whose jumps stay inside it, in order."""
    nexts = [successors(i, at) for at, i in enumerate(code)]
    return _blocks([reads(i) for i in code], [writes(i) for i in code], nexts, budget)


def _blocks(
    uses: Sequence[tuple[int, ...]],
    makes: Sequence[int | None],
    nexts: Sequence[tuple[int, ...]],
    budget: Budget,
) -> list[Block]:
    first = {0}
    for at, following in enumerate(nexts):
        if following != (at + 1,):
            first.update(following)
            first.add(at + 1)
    first.discard(len(nexts))
    begins = sorted(first)
    ends = [*begins[1:], len(nexts)]
    number = {begin: i for i, begin in enumerate(begins)}
    behind = [tuple(number[n] for n in nexts[end - 1]) for end in ends]
    exposed, written = [], []
    for begin, end in zip(begins, ends, strict=True):
        read, made = set[int](), set[int | None]()
        for at in range(begin, end):
            read.update(r for r in uses[at] if r not in made)
            made.add(makes[at])
        exposed.append(read)
        written.append(made)
    carries = _settled(exposed, written, behind, budget)
    return [Block(*block) for block in zip(begins, ends, behind, carries, strict=True)]


def _settled(
    exposed: Sequence[set[int]],
    written: Sequence[set[int | None]],
    behind: Sequence[tuple[int, ...]],
    budget: Budget,
) -> list[frozenset[int]]:
    """What each block carries. The last blocks are looked at first, since most code runs down."""
    carries = [frozenset(read) for read in exposed]
    earlier: list[list[int]] = [[] for _ in exposed]
    for i, following in enumerate(behind):
        for n in following:
            earlier[n].append(i)
    waiting = list(range(-len(exposed) + 1, 1))
    queued = [True] * len(exposed)
    while waiting:
        i = -heapq.heappop(waiting)
        queued[i] = False
        budget.pay(1 + sum(len(carries[n]) for n in behind[i]))
        later = {r for n in behind[i] for r in carries[n] if r not in written[i]}
        if not later <= carries[i]:
            carries[i] |= later
            for e in earlier[i]:
                if not queued[e]:
                    queued[e] = True
                    heapq.heappush(waiting, -e)
    return carries


def written_once(function: VMFunction, flow: Flow) -> dict[int, isa.Instruction]:
    """Registers that one instruction alone writes, and which: parameters are written by callers."""
    written: dict[int, list[isa.Instruction]] = {}
    for made, i in zip(flow.writes, function.code, strict=True):
        if made is not None:
            written.setdefault(made, []).append(i)
    params = len(function.params)
    return {r: found[0] for r, found in written.items() if len(found) == 1 and r >= params}


def fixed_registers(function: VMFunction, flow: Flow) -> dict[int, isa.Instruction]:
    """Registers that are written once, by the load of a constant."""
    once = written_once(function, flow)
    return {r: i for r, i in once.items() if isinstance(i, isa.LoadConst | isa.LoadConsti)}


def decided(
    code: Sequence[isa.Instruction], at: int, flow: Flow, fixed: Mapping[int, isa.Instruction]
) -> tuple[int, int, int] | None:
    """Of a GetTag: which tag the next instruction asks for and where it jumps, if that is all that the tag is for."""
    if not isinstance(code[at], isa.GetTag) or at + 1 in flow.targets:
        return None
    tag, following = flow.writes[at], code[at + 1]
    if not isinstance(following, isa.If) or following.left != tag or tag not in flow.dying[at + 1]:
        return None
    number = fixed.get(following.right)
    if not isinstance(number, isa.LoadConsti):
        return None
    return number.value, at + 1 + following.then, at + 1 + following.otherwise

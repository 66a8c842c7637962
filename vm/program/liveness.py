"""Which registers are read later: what may be freed after an instruction, and what a run of them must leave behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.vm.program import isa
from anytile.vm.program.executable import VMFunction
from anytile.vm.program.isa import Instruction, reads, successors, writes


@dataclass(frozen=True, slots=True)
class Flow:
    """Of each instruction: what it reads and writes, where it may go on, what is read after it on some path before it
    is written, and what dies with it (what it is the last to read, or writes for nobody). `targets` are jumped to."""

    reads: tuple[tuple[int, ...], ...]
    writes: tuple[int | None, ...]
    nexts: tuple[tuple[int, ...], ...]
    live_after: tuple[frozenset[int], ...]
    dying: tuple[tuple[int, ...], ...]
    targets: frozenset[int]


def flow_of(code: Sequence[Instruction]) -> Flow:
    """The flow of a function's code, whose jumps stay inside it."""
    uses, makes = [reads(i) for i in code], [writes(i) for i in code]
    nexts = [successors(i, at) for at, i in enumerate(code)]
    after = _live_after(uses, makes, nexts)
    dying = []
    for used, made, later in zip(uses, makes, after, strict=True):
        touched = set(used) if made is None else {*used, made}
        dying.append(tuple(sorted(touched - later)))
    targets = frozenset(n for at, following in enumerate(nexts) for n in following if n != at + 1)
    return Flow(tuple(uses), tuple(makes), tuple(nexts), tuple(after), tuple(dying), targets)


def _live_after(
    uses: Sequence[tuple[int, ...]], makes: Sequence[int | None], nexts: Sequence[tuple[int, ...]]
) -> list[frozenset[int]]:
    before: list[frozenset[int] | None] = [None] * len(uses)
    after: list[frozenset[int]] = [frozenset()] * len(uses)
    earlier: list[list[int]] = [[] for _ in uses]
    for at, following in enumerate(nexts):
        for n in following:
            earlier[n].append(at)
    waiting = list(range(len(uses)))  # the end first: most code runs straight down
    queued = [True] * len(uses)
    while waiting:
        at = waiting.pop()
        queued[at] = False
        following = nexts[at]
        if len(following) == 1:
            later = before[following[0]] or frozenset()
        else:
            later = frozenset().union(*(before[n] or () for n in following))
        made, used = makes[at], uses[at]
        now = later if made is None or made not in later else later - {made}
        if not now.issuperset(used):
            now = now.union(used)
        after[at] = later
        if now != before[at]:
            before[at] = now
            for e in earlier[at]:
                if not queued[e]:
                    queued[e] = True
                    waiting.append(e)
    return after


def fixed_registers(function: VMFunction, flow: Flow) -> dict[int, isa.Instruction]:
    """Registers that are written once, by the load of a constant."""
    written: dict[int, list[isa.Instruction]] = {}
    for made, i in zip(flow.writes, function.code, strict=True):
        if made is not None:
            written.setdefault(made, []).append(i)
    params = len(function.params)
    loads = {r: found[0] for r, found in written.items() if len(found) == 1 and r >= params}
    return {r: i for r, i in loads.items() if isinstance(i, isa.LoadConst | isa.LoadConsti)}


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

"""Which registers are read later: what may be freed after an instruction, and what a run of them must leave behind."""

from __future__ import annotations

from collections.abc import Sequence

from anytile.vm.isa import Instruction, reads, successors, writes


def live_after(code: Sequence[Instruction]) -> list[frozenset[int]]:
    """For each instruction, the registers that are read after it on some path before they are written."""
    uses = [frozenset(reads(i)) for i in code]
    makes = [writes(i) for i in code]
    nexts = [successors(i, at) for at, i in enumerate(code)]
    before: list[frozenset[int]] = [frozenset()] * len(code)
    after: list[frozenset[int]] = [frozenset()] * len(code)
    earlier: list[list[int]] = [[] for _ in code]
    for at, following in enumerate(nexts):
        for n in following:
            earlier[n].append(at)
    waiting = list(range(len(code)))  # the end first: most code runs straight down
    queued = [True] * len(code)
    while waiting:
        at = waiting.pop()
        queued[at] = False
        after[at] = frozenset().union(*(before[n] for n in nexts[at]))
        made = makes[at]
        now = uses[at] | (after[at] if made is None else after[at] - {made})
        if now != before[at]:
            before[at] = now
            for e in earlier[at]:
                if not queued[e]:
                    queued[e] = True
                    waiting.append(e)
    return after


def dying(code: Sequence[Instruction]) -> list[tuple[int, ...]]:
    """For each instruction, the registers that it is the last to read or writes for nobody."""
    after = live_after(code)
    found = []
    for i, later in zip(code, after, strict=True):
        made = writes(i)
        touched = {*reads(i), *(() if made is None else (made,))}
        found.append(tuple(sorted(touched - later)))
    return found

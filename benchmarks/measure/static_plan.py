"""The least memory that a plan made ahead of time could do with, for a program without jumps whose sizes are all known.

The lives of storages are read off the bytecode: from the first instruction that looks into one to the last. At no
instruction can a plan have less than what lives there, so the most of that is a bound; placing the storages one after
the other, in several orders, gives plans. Where a plan meets the bound, it is an optimal one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from anytile.core.errors import UnsupportedError
from anytile.vm.executable import Executable
from anytile.vm.interpreter.kernels import BoundKernel
from anytile.vm.program import isa
from anytile.vm.program.executable import KERNEL

ALIGNMENT = 64
_SHUFFLES = 200


@dataclass(frozen=True, slots=True)
class Life:
    """Memory that is needed from one instruction to another, both included."""

    begin: int
    end: int
    nbytes: int

    def meets(self, other: Life) -> bool:
        return self.begin <= other.end and other.begin <= self.end


@dataclass(frozen=True, slots=True)
class StaticPlan:
    """What the lives need at the least, and what the best plan found takes."""

    bound: int
    found: int

    @property
    def is_optimal(self) -> bool:
        return self.bound == self.found


def lives(exe: Executable) -> list[Life]:
    """Of every storage and every workspace of the function main."""
    code = exe.functions[exe.main].code
    numbers: dict[int, int] = {}
    storage_of: dict[int, int] = {}  # registers that are, or look into, a storage: the instruction that made it
    sizes: dict[int, int] = {}
    touched: dict[int, list[int]] = {}
    workspaces: list[Life] = []
    for at, step in enumerate(code):
        match step:
            case isa.LoadConsti():
                numbers[step.dst] = step.value
            case isa.LoadConst() if exe.constants[step.constant].array.size == 1:
                numbers[step.dst] = int(exe.constants[step.constant].array)
            case isa.LoadConst() | isa.FreeStorage() | isa.FreeTensor() | isa.Ret() | isa.ShapeOf():
                pass
            case isa.AllocStorage():
                if step.size not in numbers:
                    raise UnsupportedError(f"instruction {at}: the size of a storage is not known before it runs")
                storage_of[step.dst], sizes[at] = at, numbers[step.size]
            case isa.AllocTensor() | isa.AllocTensorReg():
                storage_of[step.dst] = storage_of[step.storage]
                continue
            case isa.ReshapeTensor() | isa.Move():
                source = step.tensor if isinstance(step, isa.ReshapeTensor) else step.src
                if source in storage_of:
                    storage_of[step.dst] = storage_of[source]
                continue
            case isa.InvokePacked():
                needed = _workspace(exe, step.kernel)
                if needed:
                    workspaces.append(Life(at, at, _aligned(needed)))
            case _:
                raise UnsupportedError(f"instruction {at}: {type(step).__name__} is not part of a straight program")
        if not isinstance(step, isa.FreeStorage | isa.FreeTensor):
            for register in isa.reads(step):
                if register in storage_of:
                    touched.setdefault(storage_of[register], []).append(at)
    return [Life(at[0], at[-1], _aligned(sizes[made])) for made, at in sorted(touched.items())] + workspaces


def _workspace(exe: Executable, kernel: int) -> int:
    entry = exe.kernels[kernel]
    if entry.kind != KERNEL:
        return 0
    if entry.dims:
        raise UnsupportedError(f"{entry.name}: its sizes are not known before it runs")
    return BoundKernel(entry).loaded.workspace_bytes(())


def _aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def static_plan(needed: Sequence[Life]) -> StaticPlan:
    """The bound, and the best of first-fit plans in several orders."""
    bound = max((sum(other.nbytes for other in needed if other.meets(life)) for life in _instants(needed)), default=0)
    orders = [
        sorted(needed, key=lambda x: (-x.nbytes, x.begin)),
        sorted(needed, key=lambda x: (x.begin - x.end, -x.nbytes)),
        sorted(needed, key=lambda x: ((x.begin - x.end - 1) * x.nbytes, x.begin)),
        sorted(needed, key=lambda x: (x.begin, -x.nbytes)),
    ]
    rng = random.Random(0)
    found = min(map(placed, orders))
    for order in itertools.islice(itertools.cycle(orders), _SHUFFLES):
        if found == bound:
            break
        # Neighbours change places here and there: an order that is nearly good becomes good.
        keys = {id(life): at + rng.gauss(0, 3) for at, life in enumerate(order)}
        found = min(found, placed(sorted(needed, key=lambda x: keys[id(x)])))
    return StaticPlan(bound, found)


def _instants(needed: Sequence[Life]) -> list[Life]:
    """The most lives at once is met where one of them begins."""
    return [Life(begin, begin, 0) for begin in {life.begin for life in needed}]


def placed(order: Sequence[Life]) -> int:
    """How much memory it takes when each, in this order, gets the lowest place that is free for all of its life."""
    done: list[tuple[int, Life]] = []
    total = 0
    for life in order:
        place = 0
        for at, other in sorted((p for p in done if p[1].meets(life)), key=lambda p: p[0]):
            if place + life.nbytes <= at:
                break
            place = max(place, at + other.nbytes)
        done.append((place, life))
        total = max(total, place + life.nbytes)
    return total

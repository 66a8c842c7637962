"""How the loops of a nest become blocks, warps and threads.

Block loops are dimensions of the grid, the innermost along x, where alone there may be more than 65535 blocks. A phase
(a nest of warp and thread loops) numbers the threads from its innermost loop on; a loop variable means the same of a
thread in every phase that has it, so it is defined once, at the top of the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anytile.codegen.cuda.launch import MAX_GRID
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr, product
from anytile.schedules.nest.mma_operations import GROUP_WARPS, matrix_operation
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    Guard,
    Last,
    Loop,
    LoopKind,
    LoopNest,
    Reduce,
    Relay,
    Stmt,
    Store,
    Tile,
)
from anytile.schedules.nest.traverse import children, walk

WARP = 32
LANES = (2, 4, 8, 16, WARP)  # neighbours of a warp that join what they have
GROUP = GROUP_WARPS * WARP  # threads whose registers are given out together
SPREAD = (LoopKind.WARP, LoopKind.THREAD)


@dataclass(frozen=True, slots=True)
class Spread:
    """A warp or thread loop: thread t does the iteration `t / stride % extent`."""

    stride: int
    extent: int

    def text(self, threads: int) -> str:
        value = "threadIdx.x" if self.stride == 1 else f"threadIdx.x / {self.stride}"
        return value if self.stride * self.extent == threads else f"{value} % {self.extent}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Blocks from the outermost loop to the innermost, the threads of one, and what each of their loops is."""

    blocks: tuple[Loop, ...]
    threads: int
    spread: Mapping[str, Spread]
    fillers: int = 0  # threads beyond these, of which one fills stages in a relay
    cluster: int = 1  # neighbouring blocks that run together

    @property
    def launched(self) -> int:
        return self.threads + self.fillers

    @property
    def axes(self) -> tuple[tuple[Loop, ...], tuple[Loop, ...], tuple[Loop, ...]]:
        """The loops of x, y and z; what does not fit along y and z is x's together: more loops than there are, and such
        as are known to be longer than those may be, behind a symbolic one, which has to be the outermost there."""
        together = max(1, len(self.blocks) - 2)
        along, outer = list(self.blocks[-together:]), list(self.blocks[:-together])
        for loop in [one for one in outer if (one.extent.value or 0) > MAX_GRID[1]]:
            is_symbolic = along[0].extent.value is None
            if is_symbolic and len(along) == 1 and self.cluster > 1:
                continue  # neighbours along x would be no neighbours of that loop
            outer.remove(loop)
            along.insert(int(is_symbolic), loop)
        return tuple(along), tuple(outer[-1:]), tuple(outer[:-1])

    @property
    def grid(self) -> tuple[Expr, Expr, Expr]:
        x, y, z = (product(loop.extent for loop in axis) for axis in self.axes)
        return x, y, z


def layout_of(nest: LoopNest) -> Layout:
    blocks: dict[str, Loop] = {}
    spread: dict[str, Spread] = {}
    for s in walk(nest.body):
        if isinstance(s, Loop) and s.kind is LoopKind.BLOCK and blocks.setdefault(s.var, s).extent != s.extent:
            raise CodegenError(f"{nest.name}: the block loop {s.var} has two extents")
        if isinstance(s, Loop) and s.kind in SPREAD:
            _define(nest, s, spread)
    relay = next((s for s in walk(nest.body) if isinstance(s, Relay)), None)
    fillers, cluster = (GROUP, relay.cluster) if relay is not None else (0, 1)
    if (last := cluster_of(nest.body)) is not None:
        if cluster > 1 or [*blocks][-1] != last.var:
            raise CodegenError(f"{nest.name}: a cluster along {last.var}, beside another one or other blocks inside it")
        serial = (s for s in walk(nest.body) if isinstance(s, Loop) and s.kind not in (LoopKind.BLOCK, *SPREAD))
        if (around := next((s for s in serial if cluster_of(s) is not None), None)) is not None:
            raise CodegenError(f"{nest.name}: a cluster that meets in each round of {around.var}; expected once")
        cluster = last.rounds
    layout = Layout(tuple(blocks.values()), width(nest.body), spread, fillers, cluster)
    for axis, count, most in zip("xyz", layout.grid, MAX_GRID, strict=True):
        if (count.value or 0) > most:
            reason = f"{count} blocks along {axis} of the grid, and a GPU takes {most}; take larger tiles"
            raise CodegenError(f"{nest.name}: {reason}")
    if any(loop.extent.value is None for loop in layout.axes[0][1:]):
        raise CodegenError(f"{nest.name}: of the block loops along x only the outermost may have a symbolic extent")
    return layout


def cluster_of(s: Stmt) -> Last | None:
    """Where the blocks of a cluster put together what each of them has, if they do."""
    return next((c for c in walk(s) if isinstance(c, Last) and c.along), None)


def on_the_way(s: Stmt) -> tuple[Expr, ...]:
    """The conditions that lead to where a cluster meets, of which all of its blocks fulfil each or none does."""
    match s:
        case Guard(condition, body):
            return (*condition, *on_the_way(body))
        case Loop(body=body) | Alloc(body=body):
            return on_the_way(body)
        case Block(statements):
            return on_the_way(next(c for c in statements if cluster_of(c) is not None))
        case _:
            return ()


def _define(nest: LoopNest, s: Loop, spread: dict[str, Spread]) -> None:
    extent = s.extent.value
    if extent is None:
        raise CodegenError(f"{nest.name}: {s.kind} {s.var}: its extent {s.extent} is not a number")
    found = Spread(_stride(s), extent)
    if spread.setdefault(s.var, found) != found:
        raise CodegenError(f"{nest.name}: {s.kind} {s.var} is one thing in one phase and another in the next")


def _stride(s: Loop) -> int:
    inner = width(s.body)
    if s.kind is LoopKind.WARP and inner % WARP:
        if inner != 1 and any(isinstance(c, Loop) and c.kind is LoopKind.THREAD for c in walk(s.body)):
            raise CodegenError(f"{s.kind} {s.var}: {inner} threads inside it; expected those of whole warps")
        return WARP
    return inner


def width(s: Stmt) -> int:
    """How many threads a statement employs."""
    if isinstance(s, Loop) and s.kind in SPREAD:
        return _stride(s) * (s.extent.value or 1)
    return max((_together(s), *(width(c) for c in children(s))))


def warp_wide(s: Stmt) -> bool:
    """Whether a warp does something together in it."""
    return any(_together(c) > 1 for c in walk(s))


def _together(s: Stmt) -> int:
    """How many threads do a statement together."""
    if isinstance(s, Tile):
        return matrix_operation(s.name).warps * WARP
    return s.value.lanes if isinstance(s, Store) and isinstance(s.value, Reduce) and s.value.lanes in LANES else 1

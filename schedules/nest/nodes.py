"""The loop nest: the small typed language between schedules and code generation.

A nest reads and writes named buffers inside loops. Indices are `Expr`s; element values are expressions over float32,
int32, int64 and bool, made of the operations that `operations` lists. Loops carry a kind that says how they run but
never what they compute: every kind means the same as a serial loop, except that a vector loop may add in another order.
A dot loop has the few neighbouring terms of a sum that one instruction multiplies and adds: it adds floats in any order
too, rounds as rarely as it likes, and may take those below the smallest normal one for zero.
Buffers with scope `register` or `workspace` live where they are allocated.

On a GPU, what stands inside block loops is done by the threads of one block together, in phases: each nest of warp and
thread loops is one, and spreads its iterations over the threads. Registers that outlive a phase have the loops of the
threads among their dimensions. A barrier, and waiting for copies, change nothing of what is computed, only whether a
GPU computes it.

    Loop(var, extent, kind, body)       extent may be symbolic; a vector loop's extent is a number (its lanes); the
                                        iterations of a parallel loop touch nothing that another one writes
    Store(buffer, index, value)         y[index] = value
    Update(buffer, index, value, op)    y[index] += value, or *=, or the larger, or the smaller of both
    Let(var, value, extent, body)       an integer value as an index variable, clamped into 0..extent-1
    Guard(condition, body)              body runs where every expression of the condition is >= 0
    Alloc(buffer, body)                 the buffer lives within body, its content undefined at first
    Prefetch(buffer, index, ...)        a hint; may point outside the buffer
    Ahead(body)                         hints that a GPU's block gives before kernels launched earlier are over
    Barrier()                           every thread of the block has come here
    Copy(buffer, index, source, ...)    neighbouring elements into shared memory, zeros where they are outside
    Commit(), Wait(pending)             close a group of copies; wait until only so many groups are under way
    BulkCopy(buffer, index, source, box) a box of a parameter as a tile of shared memory, zeros outside
    Relay(round, stages, fill, work)    fill a stage, then work on it; on a GPU it is filled so many rounds ahead
    Deliver(round, stages, work, ...)   work fills a stage, which is stored in bulk as a box of an output
    Last(var, rounds, body, along)      body runs once, in the round of the block loop `var` that comes here last
    Tile(name, args)                    a warp's operation on matrix tiles, from the table in `mma_operations`
    Block(statements)                   one after the other
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from functools import lru_cache

from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr


class LoopKind(enum.StrEnum):
    """How a loop runs; what it computes is the same for every kind."""

    SERIAL = "for"
    UNROLLED = "unroll"
    VECTOR = "vector"
    DOT = "dot"
    DOT16 = "dot16"
    PARALLEL = "parallel"
    BLOCK = "block"
    WARP = "warp"
    THREAD = "thread"


DOT_KINDS = (LoopKind.DOT, LoopKind.DOT16)  # over what is multiplied and added at once


class Scope(enum.StrEnum):
    """Where a buffer lives."""

    PARAM = "param"
    WORKSPACE = "workspace"
    REGISTER = "register"
    SHARED = "shared"
    CLUSTER = "cluster"  # shared memory of the blocks of a cluster: an element is where `Last` reads it


@dataclass(frozen=True, slots=True)
class Buffer:
    """A dense row-major array. `align` promises a parameter's address beyond the size of an element, in bytes.

    With a `swizzle` of s, pieces of 16 bytes of shared row r lie in another order: piece c is at c ^ (r // l % s),
    where l rows are 128 bytes, or one. What is `streamed` is read once, and not worth a place in the nearest cache.
    """

    name: str
    shape: tuple[Expr, ...]
    scope: Scope = Scope.PARAM
    dtype: str = "float32"
    output: bool = False
    align: int = 1
    swizzle: int = 1
    streamed: bool = False


# Values: what a Store or an Update computes.


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    number: float
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class Load:
    """An element of a buffer."""

    buffer: str
    index: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Op:
    """An operation of the table in `operations`, such as `add` of two values or `exp` of one."""

    name: str
    args: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """A value in another dtype: numbers to integers are cut off, to bool they are whether they differ from zero."""

    dtype: str
    value: Value


@dataclass(frozen=True, slots=True)
class Number:
    """An index expression as a value, int64 or int32."""

    expr: Expr
    dtype: str = "int64"


@dataclass(frozen=True, slots=True)
class Reduce:
    """`add`, `mul`, `max` or `min` of `value` for `var` in 0..lanes-1, across the lanes of a vector."""

    op: str
    var: str
    lanes: int
    value: Value


Value = Literal | Load | Op | Cast | Number | Reduce

# Statements.


@dataclass(frozen=True, slots=True)
class Grain:
    """When a parallel loop is worth threads: one for every `least` of the `work` that it does in all its rounds."""

    work: Expr
    least: int


@dataclass(frozen=True, slots=True)
class Loop:
    """`grain` is a parallel loop's alone; one without is shared by all threads.

    A loop that `turns` may run from its last round to its first at every other call: what the call before read last is
    in the caches then, and is read first. No round touches what another one writes, so that changes no result.
    """

    var: str
    extent: Expr
    kind: LoopKind
    body: Stmt
    grain: Grain | None = None
    turns: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """Assignment to an element of a buffer."""

    buffer: str
    index: tuple[Expr, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Update:
    """An element combined with a value: added to, multiplied, or the larger or the smaller of both."""

    buffer: str
    index: tuple[Expr, ...]
    value: Value
    op: str = "add"


@dataclass(frozen=True, slots=True)
class Let:
    """`body` with the value, int32 or int64, as the variable `var`: what lies outside 0..extent-1 is moved inside."""

    var: str
    value: Value
    extent: Expr
    body: Stmt


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition: the body runs where every expression is >= 0, else `otherwise` if there is one."""

    condition: tuple[Expr, ...]
    body: Stmt
    otherwise: Stmt | None = None


@dataclass(frozen=True, slots=True)
class Alloc:
    """A buffer that lives within the body."""

    buffer: Buffer
    body: Stmt


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Bring a cache line near: `locality` 3 keeps it everywhere, 0 is non-temporal. With a `box` it is all of that, as
    bulk copies move it, from the index on."""

    buffer: str
    index: tuple[Expr, ...]
    locality: int = 3
    box: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """Prefetches of inputs, which a block of a GPU makes before it waits for kernels that were launched before its own.

    They go to the cache where all writes meet, so they are right whoever writes there, and whenever. Inside are loops,
    conditions and prefetches alone, and around it nothing but loops of blocks and conditions on them.
    """

    body: Stmt


@dataclass(frozen=True, slots=True)
class Barrier:
    """Every thread of a block waits here for the others, and sees what they wrote."""


@dataclass(frozen=True, slots=True)
class Copy:
    """`count` neighbouring elements from `source` on, into shared memory; zeros where a condition of `where` is < 0.

    One that is `later` happens between here and the `Wait` for the group that the next `Commit` closes.
    """

    buffer: str
    index: tuple[Expr, ...]
    source: Load
    count: int
    where: tuple[Expr, ...] = ()
    later: bool = True


@dataclass(frozen=True, slots=True)
class Commit:
    """The copies since the last one are a group."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A thread waits until at most `pending` of its groups of copies are under way; the others need a barrier too."""

    pending: int


@dataclass(frozen=True, slots=True)
class BulkCopy:
    """A whole tile, two dimensions of shared memory behind `index`, from a corner of a parameter on; zeros outside.

    A `box` has so many elements along each dimension of the parameter, of which `steps` say how far neighbours are
    apart (1 where there are none). Its columns are a tile's, and all other dimensions together the tile's rows. Where
    it is `shared`, all blocks of a cluster have the same tile, and each of them copies a part of it for all.
    """

    buffer: str
    index: tuple[Expr, ...]
    source: Load
    box: tuple[int, ...]
    steps: tuple[int, ...] = ()
    shared: bool = False

    @property
    def parted(self) -> int:
        """The dimension along which blocks of a cluster share it."""
        return next((d for d, size in enumerate(self.box) if size > 1), 0)


@dataclass(frozen=True, slots=True)
class Relay:
    """Bulk copies fill a stage, then the work is done on it, in round 0, 1, 2, ... of a block.

    On a GPU one thread does nothing but fill, as far ahead as `stages` go, and the others nothing but work: stage
    `round % stages` is filled again when all of them are done with it. With `behind` the products of a round, which are
    all of its work, may still be under way when the next one begins. A `cluster` is so many neighbours along the
    innermost loop of blocks, which go through the same rounds together.
    """

    round: Expr
    stages: int
    fill: Stmt
    work: Stmt
    behind: bool = False
    cluster: int = 1


@dataclass(frozen=True, slots=True)
class Deliver:
    """Work fills a tile, two dimensions of shared memory behind `source`, and a bulk copy stores it as a box from the
    corner `index` of an output on; what lies outside is not stored. So it goes in round 0, 1, 2, ... of its stages.

    On a GPU a group of warps does the work, and one of its threads asks for the copy, which runs on by itself: stage
    `round % stages` is filled again when it was read. So rounds are counted where nothing is done, too, which is so
    where a condition of `where` is < 0.
    """

    round: Expr
    stages: int
    work: Stmt
    buffer: str
    index: tuple[Expr, ...]
    source: Load
    box: tuple[int, ...]
    where: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Last:
    """Of `rounds` of the block loop `var` the one that comes here last runs the body, and sees what others wrote.

    With loops `along` the blocks are a cluster: all of them wait for the last, and share the body by rounds of its
    loops of these names, each of which so many of them divide. Those rounds are free to run side by side.
    """

    var: str
    rounds: int
    body: Stmt
    along: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Tile:
    """What a warp does together, see `mma_operations`: each argument is a buffer and where in it a matrix begins."""

    name: str
    args: tuple[Load, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Statements, one after the other."""

    body: tuple[Stmt, ...]


Stmt = (
    Loop
    | Store
    | Update
    | Let
    | Guard
    | Alloc
    | Prefetch
    | Ahead
    | Barrier
    | Copy
    | Commit
    | Wait
    | BulkCopy
    | Relay
    | Deliver
    | Last
    | Tile
    | Block
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A number known at run time, in `low..high`. A derived one is computed from earlier ones, as `q = m // 8`."""

    name: str
    low: int = 0
    high: int | None = None
    derived: Expr | None = None


@dataclass(frozen=True, slots=True)
class LoopNest:
    """Parameters in the order of the kernel ABI, symbols (given ones first, sorted by name), and the statement."""

    name: str
    params: tuple[Buffer, ...]
    symbols: tuple[Symbol, ...]
    body: Stmt

    def __str__(self) -> str:
        from anytile.schedules.nest.printer import print_nest

        return print_nest(self)

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.symbols if s.derived is None)

    @property
    def bounds(self) -> Bounds:
        return _bounds(self.symbols)

    def param(self, name: str) -> Buffer:
        for b in self.params:
            if b.name == name:
                return b
        raise ScheduleError(f"{self.name} has no parameter {name!r}; expected {', '.join(b.name for b in self.params)}")

    def with_body(self, body: Stmt) -> LoopNest:
        return replace(self, body=body)


@lru_cache(maxsize=16)  # with all that was asked of them: as many as a plan's kernels have, while they are made
def _bounds(symbols: tuple[Symbol, ...]) -> Bounds:
    made = Bounds()
    for s in symbols:
        made = made.having(s.name, s.low, s.high)
    return made


def block(*statements: Stmt | None) -> Stmt:
    """Statements in order, flattened; a block of one is that one."""
    flat: list[Stmt] = []
    for s in statements:
        if isinstance(s, Block):
            flat.extend(s.body)
        elif s is not None:
            flat.append(s)
    return flat[0] if len(flat) == 1 else Block(tuple(flat))

"""Where the buffers of a nest live in a kernel, and what an access to one is in C++.

Parameters and workspaces are pointers; shared memory is arrays in one block of it, at offsets given here, and of a
cluster's a block has what it reads when all have come; registers are local arrays without the dimensions that choose a
thread, as each thread has only its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import prod

from anytile.codegen.cuda.expressions import index_text, name_text, operand_text
from anytile.core.dtypes import BYTES, ROWS
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr, Mod, Var, const, var
from anytile.schedules.nest.mma_operations import matrix_operation
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Copy,
    Last,
    Load,
    LoopNest,
    Prefetch,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
)
from anytile.schedules.nest.traverse import bound, reads, walk

TYPES = {row.name: row.cuda for row in ROWS if row.cuda}
_LINE = 128  # bytes that shared memory gives at once
PIECE = 16  # bytes that are moved at once, and the unit of a swizzle


@dataclass(frozen=True, slots=True)
class Home:
    """A buffer and how C++ sees it: `kept` are the dimensions it has there; of those the last `flat` are one."""

    buffer: Buffer
    name: str
    kept: tuple[int, ...]
    flat: int = 0
    packed: bool = False  # two elements to a register: the last dimension is gone too
    owners: tuple[tuple[int, int], ...] = ()  # of a cluster: dimensions, and how many blocks divide each; -1 is none

    @property
    def type(self) -> str:
        return "unsigned" if self.packed else TYPES[self.buffer.dtype]

    @property
    def extents(self) -> tuple[int, ...]:
        """Of a local or shared array."""
        sizes = [self.buffer.shape[d].value or 0 for d in self.kept]
        for d, by in self.owners:
            if d >= 0:
                sizes[d] = -(-sizes[d] // by)
        cut = len(sizes) - self.flat
        return (*sizes[:cut], prod(sizes[cut:])) if self.flat else tuple(sizes)

    @property
    def bytes(self) -> int:
        """Of what a block has."""
        if self.buffer.scope is Scope.CLUSTER:
            return BYTES[self.buffer.dtype] * prod(self.extents)
        return BYTES[self.buffer.dtype] * prod(e.value or 0 for e in self.buffer.shape)

    @property
    def box_bytes(self) -> int:
        """Of what one bulk copy fills."""
        return BYTES[self.buffer.dtype] * prod(e.value or 0 for e in self.buffer.shape[-2:])

    def declared(self) -> str:
        return self.name + "".join(f"[{n}]" for n in self.extents)

    def at(self, index: tuple[Expr, ...], unrolled: Collection[str] = ()) -> str:
        """An element, or of fewer indices than dimensions the array that is left; loops around it are `unrolled`."""
        b, name = self.buffer, self.name
        if b.scope in (Scope.PARAM, Scope.WORKSPACE):
            common, step = self._apart(index, unrolled)
            return f"(&{name}[{common}])[{step}]" if step else f"{name}[{common}]"
        given = [index[d] for d in self.kept if d < len(index)]
        for d, by in self.owners:
            if d >= 0:
                given[d] = given[d] // by
        if b.scope is Scope.SHARED and b.swizzle > 1 and len(given) == len(self.kept):
            return name + "".join(f"[{index_text(e)}]" for e in given[:-1]) + f"[{_swizzled(b, given)}]"
        cut = len(self.kept) - self.flat
        text = "".join(f"[{index_text(e)}]" for e in given[:cut])
        if self.flat and len(given) > cut:
            sizes = [b.shape[d].value or 1 for d in self.kept[cut:]]
            at = const(0)
            for e, size in zip(given[cut:], sizes, strict=True):
                at = at * size + e
            text += f"[{index_text(at)}]"
        return name + text

    def address(self, index: tuple[Expr, ...], unrolled: Collection[str] = ()) -> str:
        """Of an element."""
        if self.buffer.scope in (Scope.PARAM, Scope.WORKSPACE):
            common, step = self._apart(index, unrolled)
            return f"&{self.name}[{common}]" + (f" + ({step})" if " " in step else f" + {step}" if step else "")
        return f"&{self.at(index)}"

    def _apart(self, index: tuple[Expr, ...], unrolled: Collection[str]) -> tuple[str, str]:
        """A position in memory that all rounds of unrolled loops have in common, and how far behind it each round's is.

        Positions have 32 bits and addresses 64: what a compiler must first widen to see that it is one sum takes it
        long, and more registers. All is in common where a round's may be before it, or is rounded."""
        first = dict.fromkeys((v for e in index for v in e.names if v in unrolled), 0)
        common = tuple(e - max(e.offset, 0) for e in (e.substitute(first) for e in index)) if first else index
        step = flat(self.buffer, index) - flat(self.buffer, common) if first else const(0)
        if not all(c > 0 and isinstance(a, Var) for m, c in step.terms for a in m):
            common, step = index, const(0)
        return _row_major(self.buffer, common), index_text(step) if step.terms else ""


def flat(b: Buffer, index: tuple[Expr, ...]) -> Expr:
    """The position of an element from the buffer's start."""
    at = const(0)
    for e, size in zip(index, b.shape, strict=True):
        at = at * size + e
    return at


def _row_major(b: Buffer, index: tuple[Expr, ...]) -> str:
    """The same in the way that people write it: what only run time knows times the size of the rest, and the rest.

    Of a matrix, rows times their length plus columns.
    """
    if not index:
        return "0"
    known = len(b.shape)
    while known > 1 and b.shape[known - 1].value is not None:
        known -= 1
    head = min(known, len(index)) if len(index) > 2 else len(index)
    text, size = index_text(index[0]), prod(e.value or 0 for e in b.shape[head:])
    for d in range(1, head):
        text = _scaled(text, index[d - 1], d, b.shape[d], index_text(index[d]))
    if head == len(index):
        return text
    rest = flat(replace(b, shape=b.shape[head:]), index[head:])
    return _scaled(text, index[head - 1], head, const(size), index_text(rest))


def _scaled(text: str, last: Expr, depth: int, size: Expr, rest: str) -> str:
    if text == "0":
        return rest
    simple = depth == 1 and len(last.terms) == 1
    scaled = f"{text} * {operand_text(size)}" if simple else f"({text}) * {operand_text(size)}"
    return scaled if rest == "0" else f"{scaled} + {rest}"


def _swizzled(b: Buffer, given: list[Expr]) -> str:
    """The column of an element whose row has its pieces in another order."""
    size = PIECE // BYTES[b.dtype]
    row, column = given[-2], given[-1]
    piece, rest = column // size, column % size
    row = row // max(1, _LINE // (BYTES[b.dtype] * (b.shape[-1].value or 1)))
    if (row % b.swizzle).value == 0:
        return index_text(column)
    text = f"({operand_text(piece)} ^ {_remainder(row, b.swizzle)}) * {size}"
    return text if rest.value == 0 else f"{text} + {index_text(rest)}"


def _remainder(e: Expr, by: int) -> str:
    """A position's remainder; (lane % 16) % 8 is lane % 8."""
    rest = e % by
    match rest.terms:
        case (((Mod(Expr(terms=((((Mod(of, more)),), 1),)), _),), 1),) if more % by == 0:
            rest = of % by
    return index_text(rest) if len(rest.terms) == 1 else f"({index_text(rest)})"


def homes(nest: LoopNest, threads: Mapping[str, object]) -> dict[str, Home]:
    """Every buffer of the nest; `threads` are the variables that choose a thread."""
    names = _names(nest)
    made = {b.name: Home(b, names[b.name], tuple(range(len(b.shape)))) for b in nest.params}
    accesses = _accesses(nest.body)
    tiles = _fragments(nest.body)
    for s in walk(nest.body):
        if not isinstance(s, Alloc):
            continue
        b = s.buffer
        if b.name in made and made[b.name].buffer != b:
            raise CodegenError(f"{nest.name}: two buffers are called {b.name} and are not alike")
        whole = Home(b, names[b.name], tuple(range(len(b.shape))))
        if b.scope is Scope.CLUSTER:  # which keeps all of its dimensions
            whole = replace(whole, owners=_owners(nest, b))
        if b.scope is Scope.REGISTER:
            whole = _register(whole, accesses.get(b.name, []), tiles.get(b.name, []), threads)
        made[b.name] = whole
    return made


def _owners(nest: LoopNest, b: Buffer) -> tuple[tuple[int, int], ...]:
    """Of each loop that the blocks share the dimension of a cluster's buffer that it walks, or -1."""
    lasts = [s for s in walk(nest.body) if isinstance(s, Last) and s.along]
    if not lasts:
        raise CodegenError(f"{b.name} is a cluster's, and there is none")
    walked: dict[str, int] = {}
    for load in (v for last in lasts for s in walk(last.body) for v in reads(s) if v.buffer == b.name):
        for d, e in enumerate(load.index):
            for name, _ in lasts[0].along:
                if e == var(name):
                    walked[name] = d
                elif name in e.names:
                    raise CodegenError(f"{b.name}[{e}] is read of a cluster; expected its loop {name} alone")
    return tuple((walked.get(name, -1), by) for name, by in lasts[0].along)


def _names(nest: LoopNest) -> dict[str, str]:
    """What buffers are called in C++, where variables and buffers share their names."""
    taken = {name_text(v) for v in bound(nest)} | {f"{name_text(s)}_size" for s in nest.given}
    found: dict[str, str] = {}
    for b in (*nest.params, *(s.buffer for s in walk(nest.body) if isinstance(s, Alloc))):
        name = name_text(b.name)
        while b.name not in found and (name in taken or name in found.values()):
            name += "_"
        found.setdefault(b.name, name)
    return found


def _register(home: Home, used: list[tuple[Expr, ...]], tiles: list[str], threads: Mapping[str, object]) -> Home:
    b, rank = home.buffer, len(home.buffer.shape)
    lanes: set[int] = set()
    smallest, apart = rank, False
    for key in tiles:
        name, number = key.split("/")
        operand = matrix_operation(name).operands[int(number)]
        apart = apart or operand.apart
        lanes |= {rank - len(operand.shape) + d for d in operand.lanes}
        smallest = min(smallest, len(operand.shape))
    for d in range(rank):
        chosen = {e for index in used if d < len(index) for e in [index[d]]}
        spread = {e for e in chosen if (n := _variable(e)) is not None and n in threads}
        if b.shape[d].value == 1 or (spread and chosen == spread and len(spread) == 1):
            lanes.add(d)
        elif spread:
            raise CodegenError(f"registers {b.name}: dimension {d} chooses a thread here and an element there")
    packed = bool(tiles) and BYTES[b.dtype] == 2 and not apart
    if packed:
        lanes.add(rank - 1)
    kept = tuple(d for d in range(rank) if d not in lanes)
    flat = sum(d >= rank - smallest for d in kept) if tiles and not apart else 0
    return replace(home, kept=kept, flat=flat, packed=packed)


def _variable(e: Expr) -> str | None:
    if len(e.terms) == 1 and e.terms[0][1] == 1 and len(e.terms[0][0]) == 1:
        atom = e.terms[0][0][0]
        return atom.name if isinstance(atom, Var) else None
    return None


def _accesses(body: Stmt) -> dict[str, list[tuple[Expr, ...]]]:
    found: dict[str, list[tuple[Expr, ...]]] = {}
    for s in walk(body):
        here = [Load(s.buffer, s.index)] if isinstance(s, Store | Update | Copy | Prefetch) else []
        for load in (*here, *reads(s)):
            found.setdefault(load.buffer, []).append(load.index)
        if isinstance(s, Tile):
            for a in s.args:
                found.setdefault(a.buffer, []).append(a.index)
    return found


def _fragments(body: Stmt) -> dict[str, list[str]]:
    """For each buffer the operands of matrix operations that it is, as `name/number`."""
    found: dict[str, list[str]] = {}
    for s in walk(body):
        if isinstance(s, Tile):
            for number, a in enumerate(s.args):
                found.setdefault(a.buffer, []).append(f"{s.name}/{number}")
    return found

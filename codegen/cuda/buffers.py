"""Where the buffers of a nest live in a kernel, and what an access to one is in C++.

Parameters and workspaces are pointers; shared memory is arrays in one block of it, at offsets given here; registers
are local arrays without the dimensions that choose a thread, as each thread has only its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from anytile.codegen.cuda.expressions import index_text, name_text, operand_text
from anytile.schedules.errors import CodegenError
from anytile.schedules.expr import Expr, Var, const
from anytile.schedules.matrix import matrix_operation
from anytile.schedules.nest import (
    Alloc,
    Buffer,
    Copy,
    Load,
    Loop,
    LoopNest,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
    Value,
    loads,
    reads,
    walk,
)

TYPES = {
    **{"float32": "float", "int32": "int", "int64": "long long", "bool": "bool"},
    **{"bfloat16": "at_bf16", "float16": "at_f16"},
}
BYTES = {"float32": 4, "int32": 4, "int64": 8, "bool": 1, "bfloat16": 2, "float16": 2}
_LINE = 128  # bytes that shared memory gives at once
PIECE = 16  # bytes that are moved at once, and the unit of a swizzle


@dataclass(frozen=True, slots=True)
class Home:
    """A buffer and how C++ sees it: `kept` are the dimensions it has there; of those the last `flat` are one."""

    buffer: Buffer
    kept: tuple[int, ...]
    flat: int = 0
    packed: bool = False  # two elements to a register: the last dimension is gone too

    @property
    def type(self) -> str:
        return "unsigned" if self.packed else TYPES[self.buffer.dtype]

    @property
    def extents(self) -> tuple[int, ...]:
        """Of a local or shared array."""
        sizes = [self.buffer.shape[d].value or 0 for d in self.kept]
        cut = len(sizes) - self.flat
        return (*sizes[:cut], prod(sizes[cut:])) if self.flat else tuple(sizes)

    @property
    def bytes(self) -> int:
        return BYTES[self.buffer.dtype] * prod(e.value or 0 for e in self.buffer.shape)

    def declared(self) -> str:
        return name_text(self.buffer.name) + "".join(f"[{n}]" for n in self.extents)

    def at(self, index: tuple[Expr, ...]) -> str:
        """An element, or of fewer indices than dimensions the array that is left."""
        b, name = self.buffer, name_text(self.buffer.name)
        if b.scope in (Scope.PARAM, Scope.WORKSPACE):
            return f"{name}[{_row_major(b, index)}]"
        given = [index[d] for d in self.kept if d < len(index)]
        if b.scope is Scope.SHARED and b.swizzle > 1:
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


def flat(b: Buffer, index: tuple[Expr, ...]) -> Expr:
    """The position of an element from the buffer's start."""
    at = const(0)
    for e, size in zip(index, b.shape, strict=True):
        at = at * size + e
    return at


def _row_major(b: Buffer, index: tuple[Expr, ...]) -> str:
    """The same in the way that people write it, rows times their length plus columns."""
    text = index_text(index[0]) if index else "0"
    for d in range(1, len(index)):
        size = b.shape[d]
        many = len(index[d - 1].terms) > 1 or d > 1
        row = "" if text == "0" else f"({text}) * {operand_text(size)}" if many else f"{text} * {operand_text(size)}"
        column = index_text(index[d])
        text = column if not row else row if column == "0" else f"{row} + {column}"
    return text


def _swizzled(b: Buffer, given: list[Expr]) -> str:
    """The column of an element whose row has its pieces in another order."""
    size = PIECE // BYTES[b.dtype]
    row, column = given[-2], given[-1]
    piece, rest = column // size, column % size
    row = row // max(1, _LINE // (BYTES[b.dtype] * (b.shape[-1].value or 1)))
    text = f"({operand_text(piece)} ^ {operand_text(row)} % {b.swizzle}) * {size}"
    return text if rest.value == 0 else f"{text} + {index_text(rest)}"


def homes(nest: LoopNest, threads: Mapping[str, object]) -> dict[str, Home]:
    """Every buffer of the nest; `threads` are the variables that choose a thread."""
    made = {b.name: Home(b, tuple(range(len(b.shape)))) for b in nest.params}
    accesses = _accesses(nest.body)
    tiles = _fragments(nest.body)
    for s in walk(nest.body):
        if not isinstance(s, Alloc):
            continue
        b = s.buffer
        if b.name in made and made[b.name].buffer != b:
            raise CodegenError(f"{nest.name}: two buffers are called {b.name} and are not alike")
        made[b.name] = _register(b, accesses.get(b.name, []), tiles.get(b.name, []), threads) if (
            b.scope is Scope.REGISTER
        ) else Home(b, tuple(range(len(b.shape))))  # fmt: skip
    return made


def _register(b: Buffer, used: list[tuple[Expr, ...]], tiles: list[str], threads: Mapping[str, object]) -> Home:
    rank = len(b.shape)
    lanes: set[int] = set()
    smallest = rank
    for key in tiles:
        name, number = key.split("/")
        operand = matrix_operation(name).operands[int(number)]
        lanes |= {rank - len(operand.shape) + d for d in operand.lanes}
        smallest = min(smallest, len(operand.shape))
    for d in range(rank):
        chosen = {e for index in used if d < len(index) for e in [index[d]]}
        spread = {e for e in chosen if (n := _variable(e)) is not None and n in threads}
        if b.shape[d].value == 1 or (spread and chosen == spread and len(spread) == 1):
            lanes.add(d)
        elif spread:
            raise CodegenError(f"registers {b.name}: dimension {d} chooses a thread here and an element there")
    packed = bool(tiles) and BYTES[b.dtype] == 2
    if packed:
        lanes.add(rank - 1)
    kept = tuple(d for d in range(rank) if d not in lanes)
    return Home(b, kept, sum(d >= rank - smallest for d in kept) if tiles else 0, packed)


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


def reduced(body: Stmt) -> Iterator[str]:
    """The variables of reductions across the lanes of a warp."""

    def visit(v: Value) -> Iterator[str]:
        if isinstance(v, Reduce):
            yield v.var
        for load in loads(v):
            del load
        match v:
            case Reduce(value=value):
                yield from visit(value)
            case _:
                return

    for s in walk(body):
        if isinstance(s, Store | Update):
            yield from visit(s.value)


def loop_names(body: Stmt) -> frozenset[str]:
    return frozenset(s.var for s in walk(body) if isinstance(s, Loop))

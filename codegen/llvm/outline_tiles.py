"""Register tiles as functions: of a kernel that would write very many, equal ones are one function, written once.

`outline` takes a statement apart into what it does and where it does it. Every buffer from outside becomes a pointer to
where the statement begins in it, and what index expressions say of variables from outside becomes a number: arguments
of a call, both. Statements that are equal then share a function, whatever loops they stand in and whatever residue
their kernel is for. Its addresses are simple, by which LLVM saves more time than by the smaller code: it takes long to
find the best ones for a tile deep in loops, each of which moves the tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anytile.codegen.llvm.addresses import Addresses, Held
from anytile.codegen.llvm.parallel import buffers_used
from anytile.core.dtypes import BYTES
from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, Monomial, Var, const, maximum, minimum, var
from anytile.schedules.nest.nodes import (
    DOT_KINDS,
    Alloc,
    Buffer,
    Guard,
    Let,
    Load,
    Loop,
    LoopKind,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
)
from anytile.schedules.nest.traverse import children, having, loops, map_exprs, map_value, rebuild, walk, walk_value

_LONG = 16  # stores and updates of a tile without a loop, for which a function pays
_KINDS = (LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.VECTOR, *DOT_KINDS)


@dataclass(frozen=True, slots=True)
class Outlined:
    """A statement of buffers called `.0`, `.1`, ..., and the names of the numbers that it takes behind them."""

    body: Stmt
    buffers: tuple[Buffer, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """What runs at the statement's place: each buffer from which element on, and the numbers."""

    of: Outlined
    starts: tuple[tuple[str, Expr], ...]
    numbers: tuple[Expr, ...]


@dataclass
class Tiles:
    """The functions of tiles in one module, by what they do."""

    names: dict[Outlined, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def tile_function(name: str, buffers: int, numbers: int, text: str) -> str:
    """The function of a tile; its arguments are called %.0, %.1 and so on.

    It aligns its stack: LLVM finds out too late that vectors go there, and those across cache lines take twice as long.
    """
    kinds = [*["ptr noalias nocapture"] * buffers, *["i64"] * numbers]
    args = ", ".join(f"{kind} %.{i}" for i, kind in enumerate(kinds))
    return f"define internal void @{name}({args}) alignstack(64) #0 {{\nstart:\n{text}\n  ret void\n}}\n"


def written(s: Stmt) -> int:
    """How many stores and updates the code of a statement has: one for each round of unrolled loops around them."""
    if isinstance(s, Store | Update):
        return 1
    rounds = (s.extent.value or 1) if isinstance(s, Loop) and s.kind is LoopKind.UNROLLED else 1
    return rounds * sum(written(c) for c in children(s))


def is_tile(s: Stmt) -> bool:
    """Whether it is a tile in registers that a serial loop or very many statements update, or a serial loop over such
    tiles."""
    tile = s.body if isinstance(s, Loop) and s.kind is LoopKind.SERIAL else s
    if not isinstance(tile, Alloc):
        return False
    if written(tile) < _LONG and not any(x.kind is LoopKind.SERIAL for x in loops(tile)):
        return False
    return all(
        (not isinstance(x, Loop) or (x.kind in _KINDS and not x.turns))
        and (not isinstance(x, Alloc) or x.buffer.scope is Scope.REGISTER)
        and not isinstance(x, Let)
        for x in walk(s)
    )


def sums_over(s: Stmt, symbol: str) -> bool:
    """Whether tiles add up so many terms. Kernels for different residues of the symbol then have few in common."""
    tiles = (x.body for x in walk(s) if isinstance(x, Alloc) and is_tile(x))
    return any(symbol in x.extent.names for tile in tiles for x in loops(tile))


def outline(s: Stmt, addresses: Addresses, given: Sequence[str]) -> Call | None:
    """The tile apart from its place, in a kernel of these given symbols; None where it reaches registers outside."""
    own = frozenset(x.buffer.name for x in walk(s) if isinstance(x, Alloc))
    if any(addresses.held[name].buffer.scope is Scope.REGISTER for name in buffers_used(s) - own):
        return None
    if addresses.fixed:
        s = map_exprs(s, addresses.put_fixed)
    bound = frozenset(x.var for x in loops(s)) | frozenset(_reduced(s))
    return _Outline(addresses.held, own, bound, frozenset(given)).call(s)


def _reduced(s: Stmt) -> Iterator[str]:
    """The variables that values of the statement bind."""
    for x in walk(s):
        if isinstance(x, Store | Update):
            yield from (v.var for v in walk_value(x.value) if isinstance(v, Reduce))


@dataclass
class _Outline:
    """One statement on its way: where its buffers begin, and which numbers it takes."""

    held: Mapping[str, Held]
    own: frozenset[str]  # its registers
    bound: frozenset[str]  # the variables of its own loops
    given: frozenset[str]  # the symbols that kernels for all residues have
    starts: dict[str, Expr] = field(default_factory=dict)
    numbers: dict[Expr, str] = field(default_factory=dict)

    def call(self, s: Stmt) -> Call:
        changed = {x.buffer for x in walk(s) if isinstance(x, Store | Update)}
        body = self.stmt(s)
        buffers = tuple(self.buffer(i, name, name in changed) for i, name in enumerate(self.starts))
        made = Outlined(body, buffers, tuple(self.numbers.values()))
        return Call(made, tuple(self.starts.items()), tuple(self.numbers))

    def buffer(self, number: int, name: str, changed: bool) -> Buffer:
        """What the function knows of a buffer; that nothing ever changes it can be said of inputs alone."""
        b = self.held[name].buffer
        size, inputs = BYTES[b.dtype], b.scope is Scope.PARAM and not b.output
        align = max(b.align, size) if b.scope is Scope.PARAM else 64
        for _, c in self.starts[name].terms:
            align = min(align, (size * c) & -(size * c))
        output = changed or not inputs
        return Buffer(f".{number}", (const(1),), Scope.PARAM, b.dtype, output, align, streamed=b.streamed)

    # Statements: as they are, but for their index expressions

    def stmt(self, s: Stmt) -> Stmt:
        match s:
            case Loop():
                rounds = self.argument(s.extent) if s.extent.names.isdisjoint(self.bound) else self.number(s.extent)
                return having(s, extent=rounds, body=self.stmt(s.body))
            case Guard(condition, body, otherwise):
                left = tuple(self.number(e) for e in condition)
                return Guard(left, self.stmt(body), None if otherwise is None else self.stmt(otherwise))
            case Store() | Update():
                name, index = self.place(s.buffer, s.index)
                return having(s, buffer=name, index=index, value=self.value(s.value))
            case Prefetch():
                name, index = self.place(s.buffer, s.index)
                return having(s, buffer=name, index=index)
            case _:
                return rebuild(s, self.stmt)

    def value(self, v: Value) -> Value:
        return map_value(
            v, lambda load: Load(*self.place(load.buffer, load.index)), lambda n: having(n, expr=self.number(n.expr))
        )

    def place(self, buffer: str, index: tuple[Expr, ...]) -> tuple[str, tuple[Expr, ...]]:
        """An element as one behind a pointer, which is what of the buffer's first such place nothing moves inside."""
        if buffer in self.own:
            return buffer, tuple(self.number(e) for e in index)
        flat = const(0)
        for e, stride in zip(index, self.held[buffer].strides, strict=True):
            flat = flat + e * stride
        if buffer not in self.starts:
            self.starts[buffer] = Expr(tuple((m, c) for m, c in flat.terms if not any(self.varies(a) for a in m)))
        return f".{list(self.starts).index(buffer)}", (self.number(flat - self.starts[buffer]),)

    # Index expressions

    def number(self, e: Expr) -> Expr:
        """The same with an argument for everything that no loop inside changes, apart from plain numbers."""
        if e.names <= self.bound:
            return e
        factors: dict[Monomial, Expr] = {}
        for m, c in e.terms:
            inner = tuple(a for a in m if self.varies(a))
            outer = Expr(((tuple(a for a in m if not self.varies(a)), c),))
            factors[inner] = factors.get(inner, const(0)) + outer
        total = const(0)
        for inner, factor in factors.items():
            # A stride is one number; of what is added, constants say how places in a tile lie to each other.
            term = self.argument(factor) if inner else self.argument(factor - factor.offset) + factor.offset
            for a in inner:
                term = term * self.atom(a)
            total = total + term
        return total

    def argument(self, e: Expr) -> Expr:
        """One number, but for a polynomial of symbols: it is worked out again, from arguments that others need too."""
        if e.value is not None:
            return e
        return e.map_atoms(self.passed) if e.names <= self.given else self.passed_as(e)

    def passed(self, a: Atom) -> Expr:
        return self.passed_as(Expr((((a,), 1),)))

    def passed_as(self, e: Expr) -> Expr:
        return var(self.numbers.setdefault(e, f"@{len(self.numbers)}"))

    def atom(self, a: Atom) -> Expr:
        match a:
            case Var(name):
                return var(name)
            case FloorDiv(of, by):
                return self.number(of) // by
            case Mod(of, by):
                return self.number(of) % by
            case Extreme(kind, x, y):
                return (minimum if kind == "min" else maximum)(self.number(x), self.number(y))

    def varies(self, a: Atom) -> bool:
        """Whether a loop inside changes it."""
        if isinstance(a, Var):
            return a.name in self.bound
        return not Expr((((a,), 1),)).names.isdisjoint(self.bound)

"""Where the elements of buffers are: indices taken apart so that unrolled copies of one cost little.

`Addresses` knows the pointers and layouts of the buffers in scope, the variables of unrolled loops, and the variable of
the vector loop being written. A position is a run-time part, a constant, and a step from lane to lane, all in elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

from anytile.codegen.llvm.writer import Writer
from anytile.core.dtypes import BYTES, ROWS
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.nodes import Buffer, Scope

MEMORY = {row.name: row.llvm_memory for row in ROWS if row.llvm}


def padded_bytes(buffer: Buffer) -> Expr:
    """A buffer's size, rounded up to whole cache lines."""
    size = const(BYTES[buffer.dtype])
    for extent in buffer.shape:
        size = size * extent
    return (size + 63) // 64 * 64


@dataclass(frozen=True, slots=True)
class Held:
    """Where a buffer is: its pointer, the strides of its dimensions in elements; of registers how many elements."""

    buffer: Buffer
    pointer: str
    strides: tuple[Expr, ...]
    registers: int = 0

    @property
    def never_changes(self) -> bool:
        """Within a kernel, as inputs."""
        return self.buffer.scope is Scope.PARAM and not self.buffer.output


@dataclass(frozen=True, slots=True)
class _Access:
    """An element's position in its buffer, taken apart so that unrolled copies of it cost little.

    `base` holds what is computed at run time, `fixed` the unrolled variables that only move a constant offset, `step`
    how far apart neighbouring lanes are, None where that differs; `deep` are the unrolled variables that occur in
    `base` too, which by their numbers becomes one of `bases` and a constant. The position is that of the first lane.
    """

    base: Expr
    offset: int
    fixed: tuple[tuple[str, int], ...]
    step: int | None
    deep: tuple[str, ...]
    bases: dict[tuple[int, ...], tuple[Expr, int]]


_Place = tuple[str, tuple[Expr, ...]]  # buffer and index
_InForce = tuple[str | None, tuple[str, ...]]  # the variables of the vector loop and of unrolled ones


class Addresses:
    """The buffers in scope of one function."""

    def __init__(self, w: Writer) -> None:
        self.w = w
        self.held: dict[str, Held] = {}
        self.fixed: dict[str, int] = {}  # variables of unrolled loops
        self.rounds: dict[str, int] = {}  # how often these run
        self._lane: str | None = None
        self._accesses: dict[_Place, _Access] = {}  # by what is in force here
        self._by_force: dict[_InForce, dict[_Place, _Access]] = {(None, ()): self._accesses}
        self._bases: dict[tuple[Expr, tuple[str, ...]], dict[tuple[int, ...], tuple[Expr, int]]] = {}
        self._flat: dict[_Place, Expr] = {}
        self._aligned: dict[tuple[str, Expr], int] = {}

    def hold(self, b: Buffer, pointer: str) -> None:
        """From here on the buffer's name means what the pointer points to."""
        before = self.held.get(b.name)
        self.held[b.name] = Held(b, pointer, _strides(b.shape), self.registers(b) if b.scope is Scope.REGISTER else 0)
        if before is not None and before.buffer != b:
            tables: list[dict[Any, Any]] = [self._flat, self._aligned, *self._by_force.values()]
            for known in tables:
                for place in [place for place in known if place[0] == b.name]:
                    del known[place]

    def registers(self, b: Buffer) -> int:
        """How many elements a buffer of registers has."""
        return prod(self.number(e, f"register buffer {b.name}") for e in b.shape)

    def _in_force(self) -> None:
        self._accesses = self._by_force.setdefault((self._lane, tuple(self.fixed)), {})

    def along(self, lane: str | None) -> None:
        """From here on within a vector loop, or in none; positions are taken apart anew for its variable."""
        self._lane = lane
        self._in_force()

    def each_round(self, name: str, rounds: int) -> Iterator[int]:
        """Within each copy of an unrolled loop, one after the other."""
        for number in range(rounds):
            self.fixed[name], self.rounds[name] = number, rounds
            if not number:
                self._in_force()
            yield number
        if rounds:
            del self.fixed[name]
            self._in_force()

    @contextmanager
    def unrolled(self, name: str, number: int) -> Iterator[None]:
        """Within one copy of an unrolled loop, of whose rounds nothing is known but that one."""
        self.fixed[name], self.rounds[name] = number, 1
        self._in_force()
        yield
        del self.fixed[name]
        self._in_force()

    def unrolled_as(self, other: Addresses) -> None:
        """Within the same copies of unrolled loops as other code is."""
        self.fixed.update(other.fixed)
        self.rounds.update(other.rounds)
        self._in_force()

    @contextmanager
    def all_unrolled(self, numbers: Mapping[str, int]) -> Iterator[None]:
        """Within one copy of several loops."""
        with ExitStack() as copies:
            for name, number in numbers.items():
                copies.enter_context(self.unrolled(name, number))
            yield

    @contextmanager
    def apart(self, *choosing: Expr) -> Iterator[None]:
        """Within what these decide on: rounds of unrolled loops that occur in them need not all come here."""
        outside = dict(self.rounds)
        self.rounds |= {n: 1 for e in choosing for n in e.names if n in self.rounds}
        yield
        self.rounds = outside

    @contextmanager
    def one_lane(self, number: int) -> Iterator[None]:
        """Within one lane of the vector loop, whose variable now is that number."""
        lane, outside = self._lane, self._accesses
        assert lane is not None
        self._lane, self.fixed[lane], self.rounds[lane] = None, number, 1
        self._in_force()
        yield
        del self.fixed[lane]
        self._lane, self._accesses = lane, outside

    def put_fixed(self, e: Expr) -> Expr:
        return e.substitute(self.fixed) if self.fixed else e

    def number(self, e: Expr, what: str) -> int:
        value = e.value
        if value is None and (value := self.put_fixed(e).value) is None:
            raise CodegenError(f"{what}: its extent {e} is not a number")
        return value

    def access(self, buffer: str, index: tuple[Expr, ...]) -> tuple[Expr, int, int | None]:
        """The first lane's position: a run-time part, a constant, and the step from lane to lane, None if it varies."""
        a = self._accesses.get((buffer, index))
        if a is None:
            a = self._accesses[buffer, index] = self._take_apart(buffer, index)
        offset, fixed = a.offset, self.fixed
        for name, c in a.fixed:
            offset += c * fixed[name]
        if not a.deep:
            return a.base, offset, a.step
        numbers = tuple([fixed[n] for n in a.deep])
        found = a.bases.get(numbers)
        if found is None:
            put = a.base.substitute(dict(zip(a.deep, numbers, strict=True)))
            found = a.bases[numbers] = put - put.offset, put.offset
        return found[0], offset + found[1], a.step

    def flat(self, buffer: str, index: tuple[Expr, ...]) -> Expr:
        """The element's number in its buffer. Every copy of an unrolled loop asks for the same."""
        found = self._flat.get((buffer, index))
        if found is None:
            found = const(0)
            for e, stride in zip(index, self.held[buffer].strides, strict=True):
                found = found + e * stride
            self._flat[buffer, index] = found
        return found

    def _take_apart(self, buffer: str, index: tuple[Expr, ...]) -> _Access:
        flat = self.flat(buffer, index)
        step: int | None = 0
        if self._lane is not None:
            step, flat = flat.coefficient(self._lane), flat.substitute({self._lane: 0})
        offset, flat = flat.offset, flat - flat.offset
        linear = [(n, c) for n in self.fixed if (c := flat.coefficient(n))]
        base = flat.substitute({n: 0 for n, _ in linear})
        deep = tuple(n for n in self.fixed if n in base.names)
        return _Access(base, offset, tuple(linear), step, deep, self._bases.setdefault((base, deep), {}))

    def pointer(self, buffer: str, base: Expr, offset: int) -> str:
        held = self.held[buffer]
        pointer, element = held.pointer, MEMORY[held.buffer.dtype]
        if base.terms:
            at = self.w.index(base)
            pointer = self.w.value(f"getelementptr {element}, ptr {pointer}, i64 {at}", "p")
        return self.w.value(f"getelementptr {element}, ptr {pointer}, i64 {offset}", "p") if offset else pointer

    def alignment(self, buffer: str, base: Expr, offset: int) -> int:
        """The largest power of two that the address is known to be a multiple of."""
        held = self.held[buffer].buffer
        size, known = BYTES[held.dtype], self._aligned.get((buffer, base))
        if known is None:
            known = 64 if held.scope is not Scope.PARAM else max(held.align, size)
            for _, c in base.terms:
                known = min(known, (size * c) & -(size * c))
            self._aligned[buffer, base] = known
        return min(known, (size * offset) & -(size * offset)) if offset else known

    def encloses(self, buffer: str, base: Expr, offset: int, count: int) -> bool:
        """Whether so many elements from there on are known to lie in a buffer of registers."""
        return not base.terms and 0 <= offset <= self.held[buffer].registers - count


def _strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    strides = [const(1)]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides)) if shape else ()

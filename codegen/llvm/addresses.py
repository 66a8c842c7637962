"""Where the elements of buffers are: indices taken apart so that unrolled copies of one cost little.

`Addresses` knows the pointers and layouts of the buffers in scope, the variables of unrolled loops, and the variable of
the vector loop being written. A position is a run-time part, a constant, and a step from lane to lane, all in elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

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
    """Where a buffer is: its pointer, and the strides of its dimensions in elements."""

    buffer: Buffer
    pointer: str
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class _Access:
    """An element's position in its buffer, taken apart so that unrolled copies of it cost little.

    `base` holds what is computed at run time, `fixed` the unrolled variables that only move a constant offset, `step`
    how far apart neighbouring lanes are, None where that differs; `deep` are the unrolled variables that occur in
    `base` too. The position is that of the first lane.
    """

    base: Expr
    offset: int
    fixed: tuple[tuple[str, int], ...]
    step: int | None
    deep: tuple[str, ...]


_Place = tuple[str, tuple[Expr, ...], tuple[str, ...]]  # buffer, index, the unrolled variables in force


class Addresses:
    """The buffers in scope of one function."""

    def __init__(self, w: Writer) -> None:
        self.w = w
        self.held: dict[str, Held] = {}
        self.fixed: dict[str, int] = {}  # variables of unrolled loops
        self.rounds: dict[str, int] = {}  # how often these run
        self._lane: str | None = None
        self._alone: dict[_Place, _Access] = {}
        self._accesses = self._alone
        self._by_lane: dict[str, dict[_Place, _Access]] = {}
        self._bases: dict[tuple[Expr, tuple[tuple[str, int], ...]], tuple[Expr, int]] = {}
        self._flat: dict[tuple[str, tuple[Expr, ...]], Expr] = {}

    def hold(self, b: Buffer, pointer: str) -> None:
        """From here on the buffer's name means what the pointer points to."""
        self.held[b.name] = Held(b, pointer, _strides(b.shape))
        self._flat.clear()
        for known in (self._alone, *self._by_lane.values()):
            known.clear()

    @contextmanager
    def along(self, lane: str) -> Iterator[None]:
        """Within a vector loop; positions are taken apart anew for its variable."""
        outside = self._lane, self._accesses
        self._lane, self._accesses = lane, self._by_lane.setdefault(lane, {})
        yield
        self._lane, self._accesses = outside

    @contextmanager
    def unrolled(self, name: str, number: int, rounds: int = 1) -> Iterator[None]:
        """Within one copy of an unrolled loop."""
        self.fixed[name], self.rounds[name] = number, rounds
        yield
        del self.fixed[name]

    @contextmanager
    def all_unrolled(self, numbers: Mapping[str, int]) -> Iterator[None]:
        """Within one copy of several loops, of whose rounds nothing is known but that one."""
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
        self._lane, self._accesses, self.fixed[lane], self.rounds[lane] = None, self._alone, number, 1
        yield
        del self.fixed[lane]
        self._lane, self._accesses = lane, outside

    def put_fixed(self, e: Expr) -> Expr:
        return e.substitute(self.fixed) if self.fixed else e

    def number(self, e: Expr, what: str) -> int:
        value = self.put_fixed(e).value
        if value is None:
            raise CodegenError(f"{what}: its extent {e} is not a number")
        return value

    def access(self, buffer: str, index: tuple[Expr, ...]) -> tuple[Expr, int, int | None]:
        """The first lane's position: a run-time part, a constant, and the step from lane to lane, None if it varies."""
        key = (buffer, index, tuple(self.fixed))
        a = self._accesses.get(key)
        if a is None:
            a = self._accesses[key] = self._take_apart(buffer, index)
        base, offset = a.base, a.offset
        for name, c in a.fixed:
            offset += c * self.fixed[name]
        if a.deep:
            base, more = self._put_deep(base, tuple((n, self.fixed[n]) for n in a.deep))
            offset += more
        return base, offset, a.step

    def _put_deep(self, base: Expr, numbers: tuple[tuple[str, int], ...]) -> tuple[Expr, int]:
        """With numbers for unrolled variables: what is computed at run time, and a constant. Many copies ask alike."""
        key = base, numbers
        found = self._bases.get(key)
        if found is None:
            put = base.substitute(dict(numbers))
            found = self._bases[key] = put - put.offset, put.offset
        return found

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
        return _Access(base, offset, tuple(linear), step, tuple(n for n in self.fixed if n in base.names))

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
        size = BYTES[held.dtype]
        known = 64 if held.scope is not Scope.PARAM else max(held.align, size)
        for c in (offset, *(c for _, c in base.terms)):
            if c:
                known = min(known, (size * c) & -(size * c))
        return known

    def encloses(self, buffer: str, base: Expr, offset: int, count: int) -> bool:
        """Whether so many elements from there on are known to lie in a buffer of registers."""
        held = self.held[buffer].buffer
        if held.scope is not Scope.REGISTER or base.terms:
            return False
        size = 1
        for e in held.shape:
            size *= self.number(e, f"register buffer {buffer}")
        return 0 <= offset <= size - count


def _strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    strides = [const(1)]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides)) if shape else ()

"""Loop nest -> one LLVM function. Unrolled loops are written out, vector loops become vector instructions.

The function is internal to its module and takes the parameters' pointers, the given symbols and the workspace:
`void @name(ptr %x, ..., i64 %m, ..., ptr %workspace)`. Register buffers are stack slots with constant addresses, which
LLVM's scalar replacement turns into registers. The order of additions within one output element is the nest's own,
except across the lanes of a `Sum`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anytile.codegen.text import Writer
from anytile.schedules.bounds import Bounds
from anytile.schedules.errors import CodegenError
from anytile.schedules.expr import Expr, const, var
from anytile.schedules.nest import (
    Alloc,
    Block,
    Buffer,
    Guard,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Prefetch,
    Scope,
    Stmt,
    Store,
    Sum,
    Update,
    Value,
    walk,
)
from anytile.schedules.printer import print_value
from anytile.schedules.simplify import decide

_BYTES = {"float32": 4}
_TYPES = {"float32": "float"}
_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_CALLS = {"max": "maximum", "min": "minimum"}


@dataclass(frozen=True, slots=True)
class _Lanes:
    """The vector loop being written: its variable, its width, and the mask of the lanes that run."""

    var: str
    count: int
    mask: str | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """Where a buffer is: its pointer, and the strides of its dimensions in elements."""

    buffer: Buffer
    pointer: str
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class _Access:
    """An element's position in its buffer, taken apart so that unrolled copies of it cost little.

    `base` holds what is computed at run time, `fixed` the unrolled variables that only move a constant offset, `step`
    how far apart neighbouring lanes are; `deep` tells that unrolled variables occur in `base` too.
    """

    base: Expr
    offset: int
    fixed: tuple[tuple[str, int], ...]
    step: int
    deep: bool


_Place = tuple[str, tuple[Expr, ...], tuple[str, ...]]  # buffer, index, the unrolled variables in force


def emit_function(nest: LoopNest, name: str) -> str:
    """The nest as the text of one LLVM function."""
    return _Emitter(nest).function(name)


def workspace_bytes(nest: LoopNest) -> Expr:
    """How much workspace the nest's buffers take, as an expression of its symbols."""
    total = const(0)
    for s in walk(nest.body):
        if isinstance(s, Alloc) and s.buffer.scope is Scope.WORKSPACE:
            total = total + padded_bytes(s.buffer)
    return total


def padded_bytes(buffer: Buffer) -> Expr:
    """A buffer's size, rounded up to whole cache lines."""
    size = const(_BYTES[buffer.dtype])
    for extent in buffer.shape:
        size = size * extent
    return (size + 63) // 64 * 64


class _Emitter:
    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.w = Writer()
        self.bounds: Bounds = nest.bounds
        self.held: dict[str, _Held] = {}
        self.lanes: _Lanes | None = None
        self.fixed: dict[str, int] = {}  # variables of unrolled loops
        self.workspace = const(0)
        self.accesses: dict[_Place, _Access] = {}
        self.vector_accesses: dict[str, dict[_Place, _Access]] = {}

    def function(self, name: str) -> str:
        args = [f"ptr noalias nocapture %{b.name}" for b in self.nest.params]
        args += [f"i64 %{s}" for s in self.nest.given]
        args.append("ptr noalias %workspace")
        for s in self.nest.symbols:
            self.w.bind(s.name, f"%{s.name}" if s.derived is None else self.w.index(s.derived))
        for b in self.nest.params:
            self.held[b.name] = _Held(b, f"%{b.name}", _strides(b.shape))
        self.stmt(self.nest.body)
        body = "\n".join([*self.w.entry, *self.w.lines])
        return f"define internal void @{name}({', '.join(args)}) #0 {{\nstart:\n{body}\n  ret void\n}}\n"

    # Statements

    def stmt(self, s: Stmt) -> None:
        match s:
            case Loop():
                self.loop(s)
            case Store(buffer, index, value):
                self.store(buffer, index, self.vector(value) if self.lanes else self.value(value)[0])
            case Update():
                self.update(s)
            case Guard():
                self.guard(s)
            case Alloc():
                self.alloc(s)
            case Prefetch(buffer, index, locality):
                if buffer in self.held:
                    base, offset, _ = self.access(buffer, index)
                    at = self.address(buffer, base, offset)
                    self.w.put(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 {locality}, i32 1)")
            case Block(body=statements):
                for child in statements:
                    self.stmt(child)

    def loop(self, s: Loop) -> None:
        match s.kind:
            case LoopKind.UNROLLED:
                for i in range(self.number(s.extent, f"unrolled loop {s.var}")):
                    self.fixed[s.var] = i
                    self.stmt(s.body)
                self.fixed.pop(s.var, None)
            case LoopKind.VECTOR:
                if self.lanes is not None:
                    raise CodegenError(f"vector loop {s.var} inside vector loop {self.lanes.var}")
                with self.inside(_Lanes(s.var, self.number(s.extent, f"vector loop {s.var}"))):
                    self.stmt(s.body)
            case LoopKind.SERIAL:
                self.serial(s)
            case _:
                raise CodegenError(f"loop {s.var}: kind {s.kind!r} is not for a single CPU thread")

    @contextmanager
    def inside(self, lanes: _Lanes) -> Iterator[None]:
        """Write what stands in a vector loop; positions are taken apart anew for its variable."""
        outside = self.lanes, self.accesses
        self.lanes, self.accesses = lanes, self.vector_accesses.setdefault(lanes.var, {})
        yield
        self.lanes, self.accesses = outside

    def serial(self, s: Loop) -> None:
        extent = self.put_fixed(s.extent)
        count = self.w.index(extent)
        stamp = self.w.fresh("")[1:]
        body, after = f"body{stamp}", f"after{stamp}"
        if self.bounds.proves(1, extent):
            self.w.put(f"br label %{body}")
        else:
            some = self.w.value(f"icmp sgt i64 {count}, 0", "c")
            self.w.put(f"br i1 {some}, label %{body}, label %{after}")
        before = self.w.block
        self.w.label(body)
        at = len(self.w.lines)
        induction, following = f"%{_ident(s.var)}.{stamp}", f"%{_ident(s.var)}.next.{stamp}"
        outside, self.bounds = self.bounds, self.bounds.having(s.var, 0, extent - 1)
        self.w.bind(s.var, induction)
        with self.w.scope():
            self.stmt(s.body)
        self.bounds = outside
        self.w.put(f"{following} = add nuw nsw i64 {induction}, 1")
        again = self.w.always(f"icmp slt i64 {following}, {count}", "c")
        phi = f"  {induction} = phi i64 [ 0, %{before} ], [ {following}, %{self.w.block} ]"
        self.w.lines.insert(at, phi)
        self.w.put(f"br i1 {again}, label %{body}, label %{after}")
        self.w.label(after)

    def guard(self, s: Guard) -> None:
        left = decide(tuple(self.put_fixed(e) for e in s.condition), self.bounds)
        if left is None:
            if s.otherwise is not None:
                self.stmt(s.otherwise)
            return
        masked = tuple(e for e in left if self.lanes and self.lanes.var in e.names)
        branched = tuple(e for e in left if e not in masked)
        if masked and s.otherwise is not None:
            raise CodegenError(f"a guard with an else over the lanes of {self.lanes.var if self.lanes else ''}")
        if not branched:
            self.masked(masked, s.body)
            return
        stamp = self.w.fresh("")[1:]
        yes, no, after = f"then{stamp}", f"else{stamp}", f"end{stamp}"
        tests = [self.w.value(f"icmp sge i64 {self.w.index(e)}, 0", "c") for e in branched]
        test = tests[0]
        for other in tests[1:]:
            test = self.w.value(f"and i1 {test}, {other}", "c")
        self.w.put(f"br i1 {test}, label %{yes}, label %{no if s.otherwise is not None else after}")
        self.w.label(yes)
        with self.w.scope():
            self.masked(masked, s.body)
        self.w.put(f"br label %{after}")
        if s.otherwise is not None:
            self.w.label(no)
            with self.w.scope():
                self.stmt(s.otherwise)
            self.w.put(f"br label %{after}")
        self.w.label(after)

    def masked(self, conditions: tuple[Expr, ...], body: Stmt) -> None:
        """Run body in the lanes where every condition holds; each must fall by one per lane."""
        if not conditions:
            self.stmt(body)
            return
        lanes = self.lanes
        assert lanes is not None
        mask = lanes.mask
        numbers = ", ".join(f"i64 {i}" for i in range(lanes.count))
        for e in conditions:
            if e.coefficient(lanes.var) != -1:
                raise CodegenError(f"lanes of {lanes.var}: cannot mask {e} >= 0")
            limit = self.splat("i64", self.w.index(e + var(lanes.var)))
            one = self.w.value(f"icmp sle <{lanes.count} x i64> <{numbers}>, {limit}", "m")
            mask = one if mask is None else self.w.value(f"and <{lanes.count} x i1> {mask}, {one}", "m")
        self.lanes = _Lanes(lanes.var, lanes.count, mask)
        self.stmt(body)
        self.lanes = lanes

    def alloc(self, s: Alloc) -> None:
        b = s.buffer
        match b.scope:
            case Scope.REGISTER:
                size = 1
                for e in b.shape:
                    size *= self.number(e, f"register buffer {b.name}")
                pointer = self.w.fresh(_ident(b.name))
                self.w.entry.append(f"  {pointer} = alloca [{size} x {_TYPES[b.dtype]}], align 64")
            case Scope.WORKSPACE:
                offset = self.w.index(self.workspace)
                pointer = self.w.value(f"getelementptr i8, ptr %workspace, i64 {offset}", "p")
                self.workspace = self.workspace + padded_bytes(b)
            case _:
                raise CodegenError(f"buffer {b.name}: scope {b.scope!r} cannot be allocated on a CPU")
        self.held[b.name] = _Held(b, pointer, _strides(b.shape))
        for known in (self.accesses, *self.vector_accesses.values()):
            known.clear()
        self.stmt(s.body)

    def store(self, buffer: str, index: tuple[Expr, ...], value: str) -> None:
        base, offset, step = self.access(buffer, index)
        at = self.address(buffer, base, offset)
        if self.lanes is None:
            self.w.put(f"store float {value}, ptr {at}, align 4")
            return
        if not step:
            what = print_value(Load(buffer, index))
            raise CodegenError(f"{what}: all lanes of {self.lanes.var} store to one place")
        kind, align = self.kind(), self.alignment(buffer, base, offset)
        if self.lanes.mask is None or self.held[buffer].buffer.scope is Scope.REGISTER:
            if self.lanes.mask is not None:
                old = self.w.always(f"load {kind}, ptr {at}, align {align}", "l")
                chosen = f"select <{self.lanes.count} x i1> {self.lanes.mask}, {kind} {value}, {kind} {old}"
                value = self.w.value(chosen, "s")
            self.w.put(f"store {kind} {value}, ptr {at}, align {align}")
        else:
            mask = f"<{self.lanes.count} x i1> {self.lanes.mask}"
            name = f"@llvm.masked.store.v{self.lanes.count}f32.p0"
            self.w.put(f"call void {name}({kind} {value}, ptr align {align} {at}, {mask})")

    def update(self, s: Update) -> None:
        old_load = Load(s.buffer, s.index)
        match s.value:
            case Op("mul", (a, b)):
                if self.lanes:
                    kind, suffix = self.kind(), f"v{self.lanes.count}f32"
                    x, y, old = self.vector(a), self.vector(b), self.vector(old_load)
                else:
                    kind, suffix = "float", "f32"
                    x, y, old = self.value(a)[0], self.value(b)[0], self.value(old_load)[0]
                new = self.w.always(f"call {kind} @llvm.fmuladd.{suffix}({kind} {x}, {kind} {y}, {kind} {old})", "f")
            case _:
                total = Op("add", (old_load, s.value))
                new = self.vector(total) if self.lanes else self.value(total)[0]
        self.store(s.buffer, s.index, new)

    # Values

    def vector(self, v: Value) -> str:
        """A value in every lane."""
        name, is_vector = self.value(v)
        return name if is_vector else self.splat("float", name)

    def value(self, v: Value) -> tuple[str, bool]:
        """A value, and whether it is a vector; what does not depend on the lane stays a scalar."""
        match v:
            case Literal(number):
                return _float(number), False
            case Load(buffer, index):
                return self.load(buffer, index)
            case Op(name, args):
                found = [self.value(a) for a in args]
                wide = any(is_vector for _, is_vector in found)
                kind = self.kind() if wide else "float"
                a, b = (x if not wide or is_vector else self.splat("float", x) for x, is_vector in found)
                if name in _BINARY:
                    return self.w.value(f"{_BINARY[name]} {kind} {a}, {b}"), wide
                if name in _CALLS:
                    suffix = f"v{self.lanes.count}f32" if wide and self.lanes else "f32"
                    return self.w.value(f"call {kind} @llvm.{_CALLS[name]}.{suffix}({kind} {a}, {kind} {b})"), wide
                raise CodegenError(f"operation {name!r} cannot be emitted")
            case Sum(lane, count, value):
                with self.inside(_Lanes(lane, count)):
                    term, kind = self.vector(value), self.kind()
                call = f"call reassoc float @llvm.vector.reduce.fadd.v{count}f32(float -0.0, {kind} {term})"
                return self.w.always(call, "r"), False

    def load(self, buffer: str, index: tuple[Expr, ...]) -> tuple[str, bool]:
        base, offset, step = self.access(buffer, index)
        at = self.address(buffer, base, offset)
        constant = not self.held[buffer].buffer.output and self.held[buffer].buffer.scope is Scope.PARAM
        read = self.w.value if constant else self.w.always  # inputs never change within a kernel
        if self.lanes is None or not step:
            return read(f"load float, ptr {at}, align 4", "l"), False
        kind, align = self.kind(), self.alignment(buffer, base, offset)
        if self.lanes.mask is None or self.held[buffer].buffer.scope is Scope.REGISTER:
            return read(f"load {kind}, ptr {at}, align {align}", "l"), True
        name = f"@llvm.masked.load.v{self.lanes.count}f32.p0"
        mask = f"<{self.lanes.count} x i1> {self.lanes.mask}"
        return read(f"call {kind} {name}(ptr align {align} {at}, {mask}, {kind} zeroinitializer)", "l"), True

    # Addresses

    def put_fixed(self, e: Expr) -> Expr:
        return e.substitute(self.fixed) if self.fixed else e

    def number(self, e: Expr, what: str) -> int:
        value = self.put_fixed(e).value
        if value is None:
            raise CodegenError(f"{what}: its extent {e} is not a number")
        return value

    def access(self, buffer: str, index: tuple[Expr, ...]) -> tuple[Expr, int, int]:
        """The element's position: a run-time part, a constant, and the step from lane to lane (0 or 1)."""
        key = (buffer, index, tuple(self.fixed))
        a = self.accesses.get(key)
        if a is None:
            a = self.accesses[key] = self.take_apart(buffer, index)
        base, offset = a.base, a.offset
        for name, c in a.fixed:
            offset += c * self.fixed[name]
        if a.deep:
            base = self.put_fixed(base)
            offset, base = offset + base.offset, base - base.offset
        return base, offset, a.step

    def take_apart(self, buffer: str, index: tuple[Expr, ...]) -> _Access:
        flat = const(0)
        for e, stride in zip(index, self.held[buffer].strides, strict=True):
            flat = flat + e * stride
        step = 0
        if self.lanes is not None:
            found = flat.coefficient(self.lanes.var)
            if found not in (0, 1):
                raise CodegenError(f"lanes of {self.lanes.var} step by {found} in {flat}; only 0 and 1 are vectorised")
            step, flat = found, flat.substitute({self.lanes.var: 0})
        offset, flat = flat.offset, flat - flat.offset
        linear = [(n, c) for n in self.fixed if (c := flat.coefficient(n))]
        base = flat.substitute({n: 0 for n, _ in linear})
        return _Access(base, offset, tuple(linear), step, not base.names.isdisjoint(self.fixed))

    def address(self, buffer: str, base: Expr, offset: int) -> str:
        pointer = self.held[buffer].pointer
        if base.terms:
            at = self.w.index(base)
            pointer = self.w.value(f"getelementptr float, ptr {pointer}, i64 {at}", "p")
        return self.w.value(f"getelementptr float, ptr {pointer}, i64 {offset}", "p") if offset else pointer

    def alignment(self, buffer: str, base: Expr, offset: int) -> int:
        """The largest power of two that the address is known to be a multiple of."""
        held = self.held[buffer].buffer
        known = 64 if held.scope is not Scope.PARAM else held.align
        for c in (offset, *(c for _, c in base.terms)):
            if c:
                known = min(known, (4 * c) & -(4 * c))
        return known

    def kind(self) -> str:
        assert self.lanes is not None
        return f"<{self.lanes.count} x float>"

    def splat(self, element: str, value: str) -> str:
        assert self.lanes is not None
        n = self.lanes.count
        one = self.w.value(f"insertelement <{n} x {element}> poison, {element} {value}, i64 0", "s")
        zeros = f"<{n} x i32> zeroinitializer"
        return self.w.value(f"shufflevector <{n} x {element}> {one}, <{n} x {element}> poison, {zeros}", "s")


def _strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    strides = [const(1)]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides)) if shape else ()


def _float(number: float) -> str:
    """LLVM reads a float literal as the bits of a double that is exactly that float."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", number))
    return f"0x{int.from_bytes(struct.pack('>d', rounded), 'big'):016X}"


def _ident(name: str) -> str:
    return name.replace(".", "_")

"""Loop nest -> one LLVM function. Unrolled loops are written out, vector loops become vector instructions.

Parallel loops become functions of their own beside it, or plain loops where the target has one thread. The function is
internal to its module and takes the parameters' pointers, the given symbols and the workspace:
`void @name(ptr %x.t, ..., i64 %m.n, ..., ptr %workspace)`. Register buffers are stack slots with constant addresses,
which LLVM's scalar replacement turns into registers. The order of additions within one output element is the nest's
own, except across the lanes of a `Reduce`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from anytile.codegen.llvm.addresses import MEMORY, Addresses, padded_bytes
from anytile.codegen.llvm.alternating_loops import TURN, has_turns, take_turn, turned
from anytile.codegen.llvm.dots import dotted, guarded_outside
from anytile.codegen.llvm.instructions import cast, kind
from anytile.codegen.llvm.loads_stores import Lanes
from anytile.codegen.llvm.outline_tiles import Call, Tiles, is_tile, outline, tile_function
from anytile.codegen.llvm.parallel import (
    Region,
    body_function,
    buffers_used,
    names_used,
    run_function,
    share_function,
    shared_loop,
    start_threads,
)
from anytile.codegen.llvm.values import Values
from anytile.codegen.llvm.writer import Writer, symbol, tensor
from anytile.core.errors import CodegenError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const, minimum, product, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Block,
    Grain,
    Guard,
    Let,
    Loop,
    LoopKind,
    LoopNest,
    Prefetch,
    Scope,
    Stmt,
    Store,
    Update,
)
from anytile.schedules.nest.simplify import decide
from anytile.schedules.nest.traverse import loops, reads, walk
from anytile.schedules.templates.base.parallel_grain import WAKING


def emit_function(nest: LoopNest, name: str, threads: int = 1, tiles: Tiles | None = None) -> str:
    """The nest as the text of one LLVM function, and of those that its parallel loops become.

    With `tiles` it calls functions for its register tiles; their texts are left there.
    """
    return _Emitter(nest, name, threads, tiles).function()


def workspace_bytes(nest: LoopNest, threads: int = 1) -> Expr:
    """How much workspace the nest's buffers take, as an expression of its symbols: one copy for each thread."""
    total = const(0)
    for s in walk(nest.body):
        if isinstance(s, Alloc) and s.buffer.scope is Scope.WORKSPACE:
            total = total + padded_bytes(s.buffer)
        elif isinstance(s, Loop) and s.kind is LoopKind.PARALLEL and threads > 1:
            total = total + (threads - 1) * workspace_bytes(nest.with_body(s.body))
    return total


class _Emitter:
    def __init__(self, nest: LoopNest, name: str, threads: int, tiles: Tiles | None = None) -> None:
        self.nest = nest
        self.name = name
        self.threads = threads
        self.tiles = tiles
        self.chunk: tuple[str, str] | None = None  # of a region's iterations, while its body is written
        self.around: list[Expr] = []  # the rounds of all loops around: how often a region that is met here opens
        self.regions: list[str] = []
        self.w = Writer()
        self.bounds: Bounds = nest.bounds
        self.addresses = Addresses(self.w)
        self.values = Values(self.w, self.addresses)
        self.workspace = const(0)
        self.places: dict[int, Expr] = {}  # of the workspace, by the statement that takes it

    def function(self) -> str:
        args = [f"ptr noalias nocapture {tensor(b.name)}" for b in self.nest.params]
        args += [f"i64 {symbol(s)}" for s in self.nest.given]
        args.append("ptr noalias %workspace")
        for s in self.nest.symbols:
            self.w.bind(s.name, symbol(s.name) if s.derived is None else self.w.index(s.derived))
        for b in self.nest.params:
            self.addresses.hold(b, tensor(b.name))
        if has_turns(self.nest.body):
            take_turn(self.w)
        self.stmt(self.nest.body)
        head = f"define internal void @{self.name}({', '.join(args)}) #0 {{\nstart:\n"
        return "".join([*self.regions, f"{head}{self.w.text()}\n  ret void\n}}\n"])

    # Statements

    def stmt(self, s: Stmt) -> None:
        if self.threads > 1 and self.chunk is None:
            shared = shared_loop(s)
            if shared is not None and self.region(s, shared):
                return
        if self.tiles is not None and self.values.lanes is None and is_tile(s):
            made = outline(s, self.addresses, self.nest.given)
            if made is not None:
                self.tile(made, self.tiles)
                return
        match s:
            case Loop():
                self.loop(s)
            case Store(buffer, index, value):
                self.values.store(buffer, index, value)
            case Update():
                self.values.update(s)
            case Guard(condition):
                with self.addresses.apart(*condition):
                    self.guard(s)
            case Let():
                self.let(s)
            case Alloc():
                self.alloc(s)
            case Prefetch(buffer, index, locality):
                if buffer in self.addresses.held:
                    base, offset, _ = self.addresses.access(buffer, index)
                    at = self.addresses.pointer(buffer, base, offset)
                    self.w.put(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 {locality}, i32 1)")
            case Block(body=statements):
                for child in statements:
                    self.stmt(child)

    def loop(self, s: Loop) -> None:
        match s.kind:
            case LoopKind.DOT | LoopKind.DOT16 if (apart := guarded_outside(s)) is not None:
                self.stmt(apart)
            case LoopKind.DOT | LoopKind.DOT16 if dotted(s, self.values, self.bounds):
                pass
            case LoopKind.UNROLLED | LoopKind.DOT | LoopKind.DOT16:
                rounds = self.addresses.number(s.extent, f"unrolled loop {s.var}")
                self.around.append(const(rounds))
                with self.values.memory.rounds_that_write(s.var, written_in_line(s)):
                    for _ in self.addresses.each_round(s.var, rounds):
                        self.stmt(s.body)
                self.around.pop()
            case LoopKind.VECTOR:
                if self.values.lanes is not None:
                    raise CodegenError(f"vector loop {s.var} inside vector loop {self.values.lanes.var}")
                count = self.addresses.number(s.extent, f"vector loop {s.var}")
                one = self.addresses.unrolled(s.var, 0) if count == 1 else self.values.inside(Lanes(s.var, count))
                around, self.bounds = self.bounds, self.bounds.having(s.var, 0, count - 1)
                with one:  # a vector of one is a scalar
                    self.stmt(s.body)
                self.bounds = around
            case LoopKind.SERIAL:
                with self.addresses.apart(s.extent):
                    self.serial(s, "0", "")
            case LoopKind.PARALLEL:
                self.serial(s, *(self.chunk or ("0", "")))
            case _:
                raise CodegenError(f"loop {s.var}: kind {s.kind!r} is not for a CPU")

    def region(self, s: Stmt, shared: Loop) -> bool:
        """Write a region of threads; False where its work is known to be too little for two."""
        extent = self.addresses.put_fixed(shared.extent)
        wanted = minimum(self.threads, extent)
        grain = None if shared.grain is None else replace(shared.grain, work=self.of_one_opening(shared.grain.work))
        if grain is not None:
            wanted = minimum(wanted, grain.work // grain.least)
        wanted = self.bounds.simplify(wanted)
        if self.bounds.proves(wanted, 1):
            return False
        woken = None if grain is None else self.woken(grain)
        inner = _Emitter(self.nest, f"{self.name}.p{len(self.regions)}", self.threads, self.tiles)
        own = {c.buffer.name for c in walk(s) if isinstance(c, Alloc)}  # also where one of this name was held before
        used, names = buffers_used(s) - own, names_used(s)
        buffers = [h for name, h in self.addresses.held.items() if name in used]
        names |= {n for h in buffers for e in h.strides for n in e.names}
        numbers = [n for n, _, _ in self.bounds.ranges if n in names and n not in self.addresses.fixed]
        numbers += [TURN] if has_turns(s) else []
        inner.bounds, inner.chunk = self.bounds, ("%begin", "%end")
        inner.addresses.unrolled_as(self.addresses)
        for i, h in enumerate(buffers):
            if h.buffer.scope is Scope.REGISTER:
                raise CodegenError(f"parallel loop {shared.var}: it reaches registers {h.buffer.name} outside it")
            inner.addresses.hold(h.buffer, f"%.{i}")
        for i, name in enumerate(numbers, start=len(buffers)):
            inner.w.bind(name, f"%.{i}")
        inner.stmt(s)
        private = self.w.index(inner.workspace)
        workspace = "%workspace"
        if inner.workspace.value != 0:
            workspace = self.placed(s, inner.workspace * self.threads)
        values = tuple(self.w.index(var(n)) for n in numbers)
        pointers = tuple(h.pointer for h in buffers)
        made = Region(inner.name, pointers, values, self.w.index(extent), workspace, private)
        self.regions += [body_function(inner.name, len(buffers), len(numbers), inner.w.text())]
        self.regions += [run_function(made), share_function(made, woken is not None)]
        start_threads(self.w, made, wanted, woken)
        return True

    def tile(self, call: Call, tiles: Tiles) -> None:
        """Call the function of a tile, which the first call writes."""
        of = call.of
        if of not in tiles.names:
            tiles.names[of] = f"tile{len(tiles.names)}"
            inner = _Emitter(self.nest, tiles.names[of], 1)
            inner.bounds = Bounds()
            for i, b in enumerate(of.buffers):
                inner.addresses.hold(b, f"%.{i}")
            for i, number in enumerate(of.numbers, start=len(of.buffers)):
                inner.w.bind(number, f"%.{i}")
            inner.stmt(of.body)
            tiles.texts.append(tile_function(inner.name, len(of.buffers), len(of.numbers), inner.w.text()))
        args = []
        for name, start in call.starts:
            start = self.addresses.put_fixed(start)
            args.append(f"ptr {self.addresses.pointer(name, start - start.offset, start.offset)}")
        args += [f"i64 {self.w.index(e)}" for e in call.numbers]
        self.w.put(f"call void @{tiles.names[of]}({', '.join(args)})")

    def woken(self, grain: Grain) -> Expr | None:
        """How many sleeping threads the work is worth; None where that is as many as of those that are awake."""
        if grain.least >= WAKING:
            return None
        found = self.bounds.simplify(grain.work // WAKING)
        return None if self.bounds.proves(2, found) else found

    def of_one_opening(self, work: Expr) -> Expr:
        """What threads get at once of a nest's work, where the loops around a region start them in every round."""
        work, openings = self.addresses.put_fixed(work), product(self.around)
        if openings.value is not None:
            return work // openings.value
        name = self.w.fresh("opening")[1:]
        self.w.bind(name, self.w.value(f"sdiv i64 {self.w.index(work)}, {self.w.index(openings)}", "i"))
        return var(name)

    def serial(self, s: Loop, begin: str, end: str) -> None:
        extent = self.addresses.put_fixed(s.extent)
        count = end or self.w.index(extent)
        stamp = self.w.fresh("")[1:]
        body, after = f"body{stamp}", f"after{stamp}"
        if not end and self.bounds.proves(1, extent):
            self.w.put(f"br label %{body}")
        else:
            some = self.w.value(f"icmp sgt i64 {count}, {begin}", "c")
            self.w.put(f"br i1 {some}, label %{body}, label %{after}")
        before = self.w.block
        self.w.label(body)
        at = len(self.w.lines)
        induction, following = f"%{_ident(s.var)}.{stamp}", f"%{_ident(s.var)}.next.{stamp}"
        outside, self.bounds = self.bounds, self.bounds.having(s.var, 0, extent - 1)
        self.around.append(extent)
        with self.w.scope():
            self.w.bind(s.var, turned(self.w, induction, begin, count) if s.turns else induction)
            self.stmt(s.body)
        self.around.pop()
        self.bounds = outside
        self.w.put(f"{following} = add nuw nsw i64 {induction}, 1")
        again = self.w.always(f"icmp slt i64 {following}, {count}", "c")
        phi = f"  {induction} = phi i64 [ {begin}, %{before} ], [ {following}, %{self.w.block} ]"
        self.w.lines.insert(at, phi)
        self.w.put(f"br i1 {again}, label %{body}, label %{after}")
        self.w.label(after)

    def guard(self, s: Guard) -> None:
        left = decide(tuple(self.addresses.put_fixed(e) for e in s.condition), self.bounds)
        if left is None:
            if s.otherwise is not None:
                self.stmt(s.otherwise)
            return
        lane = self.values.lanes.var if self.values.lanes is not None else ""
        masked = tuple(e for e in left if lane in e.names)
        branched = tuple(e for e in left if e not in masked)
        if not branched:
            self.masked(masked, s)
            return
        stamp = self.w.fresh("")[1:]
        yes, no, after = f"then{stamp}", f"else{stamp}", f"end{stamp}"
        tests = [self.w.value(f"icmp sge i64 {self.w.index(e)}, 0", "c") for e in branched]
        test = tests[0]
        for other in tests[1:]:
            test = self.w.value(f"and i1 {test}, {other}", "c")
        self.w.put(f"br i1 {test}, label %{yes}, label %{no if s.otherwise is not None else after}")
        self.w.label(yes)
        outside = self.bounds
        for e in branched:
            self.bounds = self.bounds.given(e)
        with self.w.scope():
            self.masked(masked, s)
        self.bounds = outside
        self.w.put(f"br label %{after}")
        if s.otherwise is not None:
            self.w.label(no)
            with self.w.scope():
                self.stmt(s.otherwise)
            self.w.put(f"br label %{after}")
        self.w.label(after)

    def masked(self, conditions: tuple[Expr, ...], s: Guard) -> None:
        """Both sides of a guard whose other conditions hold: its body where these do too."""
        with self.values.masked(conditions):
            self.stmt(s.body)
        if conditions and s.otherwise is not None:
            with self.values.masked(conditions, otherwise=True):
                self.stmt(s.otherwise)

    def let(self, s: Let) -> None:
        """Bind a value. One that differs between lanes has every lane run the body alone."""
        made, lanes = self.values.value(s.value), self.values.lanes
        if not made.wide or lanes is None:
            self.bound(s, made.name, made.dtype)
            return
        for i in range(lanes.count):
            after = ""
            if lanes.mask is not None:
                runs = self.w.value(f"extractelement <{lanes.count} x i1> {lanes.mask}, i64 {i}", "m")
                stamp = self.w.fresh("")[1:]
                after = f"end{stamp}"
                self.w.put(f"br i1 {runs}, label %lane{stamp}, label %{after}")
                self.w.label(f"lane{stamp}")
            with self.w.scope(), self.values.one_lane(i):
                element = f"extractelement {kind(made.dtype, lanes.count)} {made.name}, i64 {i}"
                self.bound(s, self.w.value(element, "s"), made.dtype)
            if after:
                self.w.put(f"br label %{after}")
                self.w.label(after)

    def bound(self, s: Let, value: str, dtype: str) -> None:
        extent = self.addresses.put_fixed(s.extent)
        whole = cast(self.w, dtype, "int64", 0, value)
        below = self.w.value(f"call i64 @llvm.smax.i64(i64 {whole}, i64 0)", "i")
        clamped = self.w.value(f"call i64 @llvm.smin.i64(i64 {below}, i64 {self.w.index(extent - 1)})", "i")
        self.w.bind(s.var, clamped)
        outside, self.bounds = self.bounds, self.bounds.having(s.var, 0, extent - 1)
        self.stmt(s.body)
        self.bounds = outside

    def alloc(self, s: Alloc) -> None:
        b = s.buffer
        match b.scope:
            case Scope.REGISTER:
                size, pointer = self.addresses.registers(b), self.w.fresh(_ident(b.name))
                self.w.entry.append(f"  {pointer} = alloca [{size} x {MEMORY[b.dtype]}], align 64")
            case Scope.WORKSPACE:
                pointer = self.placed(s, padded_bytes(b))
            case _:
                raise CodegenError(f"buffer {b.name}: scope {b.scope!r} cannot be allocated on a CPU")
        self.addresses.hold(b, pointer)
        self.stmt(s.body)

    def placed(self, s: Stmt, size: Expr) -> str:
        """Where the workspace of a statement begins; the copies that unrolling makes of it share one place."""
        if id(s) not in self.places:
            self.places[id(s)], self.workspace = self.workspace, self.workspace + size
        offset = self.w.index(self.places[id(s)])
        return self.w.value(f"getelementptr i8, ptr %workspace, i64 {offset}", "p")


def written_in_line(s: Loop) -> frozenset[str]:
    """The buffers that each round of an unrolled loop writes by one statement, and does not read; none where what is in
    it may branch."""
    inner, lanes = list(walk(s.body)), {t.var for t in loops(s.body) if t.kind is LoopKind.VECTOR}
    for t in inner:
        match t:
            case Loop(kind=LoopKind.UNROLLED | LoopKind.VECTOR) | Block() | Store():
                pass
            case Guard(condition, otherwise=None) if all(lanes & e.names for e in condition):
                pass
            case _:
                return frozenset()
    times = Counter(t.buffer for t in inner if isinstance(t, Store))
    read = {load.buffer for t in inner for load in reads(t)}
    return frozenset(name for name, count in times.items() if count == 1 and name not in read)


def _ident(name: str) -> str:
    return name.replace(".", "_")

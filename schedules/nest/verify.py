"""The verifier: what every loop nest must satisfy, whatever primitives made it.

A nest that passes names only what is in scope, reads and writes inside its buffers for every value of its symbols,
writes no input, and stores values of the dtypes that its buffers have; and on a GPU no barrier stands where only some
threads of a block come. Positions are proved from the ranges of loops
and from the guards around a statement; what cannot be proved is refused, so a primitive that relies on luck is found
without running anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from anytile.core.dtypes import BYTES, INTEGERS, NUMBERS, STORED
from anytile.core.dtypes import COMPUTED as DTYPES
from anytile.core.errors import ScheduleError
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, Extreme, FloorDiv, const, expr
from anytile.schedules.nest.ahead import leading
from anytile.schedules.nest.dependences import ORDERED, alike, meetings, multiple, touched
from anytile.schedules.nest.mma_operations import matrix_operation
from anytile.schedules.nest.nodes import (
    DOT_KINDS,
    Ahead,
    Alloc,
    Barrier,
    Block,
    Buffer,
    BulkCopy,
    Cast,
    Commit,
    Copy,
    Deliver,
    Guard,
    Last,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Prefetch,
    Reduce,
    Relay,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
    Value,
    Wait,
)
from anytile.schedules.nest.operations import REDUCTIONS, dtype_of
from anytile.schedules.nest.printer import print_stmt
from anytile.schedules.nest.traverse import chain_of, walk

_PIECE, _BULK_ROW, _BULK_ROWS = 16, 128, 256  # bytes, and rows at most, of what is copied in bulk
_BULK_RANK, _BULK_STEPS = 5, 8  # dimensions of it at most, and how far apart neighbours may be
_CLUSTER = 8  # blocks that every GPU with clusters has together
_PIECES = _BULK_ROW // _PIECE


def verify(nest: LoopNest) -> None:
    """Raise ScheduleError, naming statement and reason, where the nest is malformed."""
    place = _Place(nest.name, {}, Bounds(), (), None)
    for s in nest.symbols:
        place.fresh(s.name, f"symbol {s.name}")
        if s.derived is not None:
            place.known(s.derived, f"symbol {s.name}")
            place = replace(place, derived={**place.derived, s.name: s.derived})
        if s.high is not None and s.high < s.low:
            place.refuse(f"symbol {s.name}", f"its range {s.low}..{s.high} is empty")
        place = replace(place, bounds=place.bounds.having(s.name, s.low, s.high))
    place = replace(place, bounds=nest.bounds)  # the same, of which some is known already
    for b in nest.params:
        if b.scope is not Scope.PARAM:
            place.refuse(f"parameter {b.name}", f"its scope is {b.scope}")
        place = place.holding(b)
    inside = tuple(walk(nest.body))
    relays = sum(isinstance(s, Relay) for s in inside)
    if relays > 1 or (relays and any(isinstance(s, Barrier | Commit | Wait) for s in inside)):
        place.refuse("relay", "beside another one, or a wait for all threads of a block; who fills comes to neither")
    if sum(isinstance(s, Ahead) for s in inside) != sum(1 for _ in leading(nest.body)):
        place.refuse("ahead", "it stands inside more than loops of blocks and conditions on them, which come later")
    _stmt(nest.body, place)


@dataclass(frozen=True)
class _Place:
    """What holds where a statement stands: buffers and variables in scope, and conditions known to be >= 0."""

    nest: str
    buffers: Mapping[str, Buffer]
    bounds: Bounds
    facts: tuple[Expr, ...]
    lanes: str | None  # the variable of the vector loop around
    derived: Mapping[str, Expr] = field(default_factory=dict)  # symbols computed from others, and how
    shared: str | None = None  # the variable of the parallel loop around
    spread: str | None = None  # the innermost loop of warps or threads around
    rounds: Mapping[str, Expr] = field(default_factory=dict)  # the loops of blocks around, and their extents
    relayed: bool = False  # where a relay's stage is filled
    ahead: bool = False  # before kernels that were launched earlier are over

    def refuse(self, what: str, reason: str) -> None:
        raise ScheduleError(f"{self.nest}: {what}: {reason}")

    def fresh(self, name: str, what: str) -> None:
        if any(name == known for known, _, _ in self.bounds.ranges):
            self.refuse(what, f"{name} is already bound here")

    def known(self, e: Expr, what: str) -> None:
        unbound = e.names - {name for name, _, _ in self.bounds.ranges}
        if unbound:
            self.refuse(what, f"variable {min(unbound)} is not bound here")

    def holding(self, b: Buffer) -> _Place:
        what = f"buffer {b.name}"
        if b.name in self.buffers:
            self.refuse(what, "another buffer of this name is in scope")
        if b.dtype not in (*DTYPES, *STORED):
            self.refuse(what, f"its dtype is {b.dtype}; expected one of {', '.join((*DTYPES, *STORED))}")
        for extent in b.shape:
            self.known(extent, what)
            if b.scope is Scope.REGISTER and extent.value is None:
                self.refuse(what, f"registers need a fixed size, and {extent} is not a number")
        return replace(self, buffers={**self.buffers, b.name: b})

    def scope_of(self, buffer: str) -> Scope | None:
        held = self.buffers.get(buffer)
        return None if held is None else held.scope

    def within(self, name: str, extent: Expr, lanes: str | None) -> _Place:
        """One more variable, from 0 to below the extent; where it has a value the extent is at least 1."""
        inner = self.bounds.having(name, 0, extent - 1)
        return replace(self, bounds=inner, facts=(*self.facts, _unrounded(extent - 1)), lanes=lanes)

    def given(self, condition: tuple[Expr, ...]) -> _Place:
        bounds, facts = self.bounds, list(self.facts)
        for e in condition:
            bounds = bounds.given(e)
            facts += dict.fromkeys((e, _unrounded(e)))
        return replace(self, bounds=bounds, facts=tuple(facts))

    def proves(self, e: Expr) -> bool:
        """Whether e >= 0: by ranges alone, or because it is at least something known to be >= 0."""
        if self._proves(e) or any(f != e and self._proves(f) for f in (_unrounded(e), _unrounded(self._least(e)))):
            return True
        spoken = e.names.union(*(fact.names for fact in self.facts))
        return any(
            self._told(name, to)._proves(e.substitute({name: to}))
            for name, to in self.derived.items()
            if name in spoken
        )

    def _least(self, e: Expr) -> Expr:
        """No more than e: every variable between two numbers that is a term of it is the one that makes e smallest."""
        for name, low, high in self.bounds.ranges:
            if low is not None and high is not None and None not in (low.value, high.value):
                each = e.coefficient(name)
                if each:
                    e = e.substitute({name: low if each > 0 else high})
        return e

    def _told(self, name: str, to: Expr) -> _Place:
        """The same place, its facts in the terms that a derived symbol is computed from."""
        return replace(self, facts=tuple(fact.substitute({name: to}) for fact in self.facts))

    def _proves(self, e: Expr) -> bool:
        if self.bounds.proves_nonnegative(e):
            return True
        for fact in reversed(self.facts):
            if any(self.bounds.proves_nonnegative(e - scale * fact) for scale in _scales(e, fact)):
                return True
        for monomial, c in e.terms:  # what `min(a, b)` bounds from above, each of its arms does
            if len(monomial) == 1 and isinstance(a := monomial[0], Extreme):
                arms = [self._proves(e - Expr(((monomial, c),)) + c * arm) for arm in (a.a, a.b)]
                return all(arms) if (c > 0) == (a.kind == "min") else any(arms)
        return False


def _scales(e: Expr, fact: Expr) -> set[int]:
    """How often a fact may be taken: once, and so often that one of its terms cancels one of e's."""
    terms = dict(e.terms)
    return {1} | {terms[m] // c for m, c in fact.terms if m in terms and terms[m] % c == 0 and terms[m] // c > 1}


def _unrounded(e: Expr) -> Expr:
    """`x // t + rest >= 0` says exactly that `x + t * rest >= 0`, and so does c times that, and a number below c."""
    for monomial, c in e.terms:
        if c >= 1 and len(monomial) == 1 and isinstance(a := monomial[0], FloorDiv):
            rest, number = (e - Expr(((monomial, c),))).split_multiples(c)
            if number.value is not None:
                return a.of + rest * a.by
    return e


def _stmt(s: Stmt, place: _Place) -> None:
    match s:
        case Loop(name, extent, kind, body):
            what = f"{kind} {name} in 0..{extent}"
            place.fresh(name, what)
            place.known(extent, what)
            if kind in (LoopKind.UNROLLED, LoopKind.VECTOR, *DOT_KINDS) and extent.value is None:
                place.refuse(what, "the extent must be a number")
            if kind is LoopKind.VECTOR:
                _lanes(name, extent.value or 0, what, place)
            if kind is LoopKind.PARALLEL:
                _parallel(s, what, place)
                place = replace(place, shared=name)
            elif s.grain is not None:
                place.refuse(what, "only a parallel loop has a grain")
            if s.turns:
                if kind not in ORDERED:
                    place.refuse(what, f"a loop of kind {kind} has no rounds in order, so it cannot turn")
                _apart(s, "the turning loop", place)
            if kind in _GPU:
                place = _on_gpu(s, what, place)
            _stmt(body, place.within(name, extent, name if kind is LoopKind.VECTOR else place.lanes))
        case Store(buffer, index, value) | Update(buffer, index, value):
            what = print_stmt(s)
            written = _access(buffer, index, what, place)
            if written.scope is Scope.PARAM and not written.output:
                place.refuse(what, f"{buffer} is an input")
            made = _typed(value, what, place)
            if made != written.dtype:
                place.refuse(what, f"{buffer} is {written.dtype}, and the value is {made}; cast it")
            if isinstance(s, Update) and (s.op not in REDUCTIONS or made not in NUMBERS):
                place.refuse(what, f"an update of {made} by {s.op!r}; expected a number and {', '.join(REDUCTIONS)}")
        case Let(name, value, extent, body):
            what = print_stmt(s)
            place.fresh(name, what)
            place.known(extent, what)
            if (made := _typed(value, what, place)) not in INTEGERS:
                place.refuse(what, f"the value is {made}; expected {' or '.join(INTEGERS)}")
            if not place.proves(extent - 1):
                place.refuse(what, f"cannot prove that {extent} is at least 1; guard it")
            _stmt(body, place.within(name, extent, place.lanes))
        case Guard(condition, body, otherwise):
            what = print_stmt(s)
            if not condition:
                place.refuse(what, "a guard without a condition")
            for e in condition:
                place.known(e, what)
            _stmt(body, place.given(condition))
            if otherwise is not None:
                _stmt(otherwise, place.given((-condition[0] - 1,)) if len(condition) == 1 else place)
        case Alloc(buffer, body):
            if buffer.scope is Scope.PARAM:
                place.refuse(f"buffer {buffer.name}", "a parameter cannot be allocated")
            _stmt(body, place.holding(buffer))
        case Prefetch(buffer, index, locality, box):
            what = print_stmt(s)
            asked = _access(buffer, index, what, place, hint=not place.ahead or box != ())
            if not 0 <= locality <= 3:
                place.refuse(what, f"locality {locality} is not in 0..3")
            if place.ahead and (asked.scope is not Scope.PARAM or asked.output):
                place.refuse(what, f"{buffer} is no input, and nothing else is there before a kernel begins")
            if box and (not place.ahead or len(box) != len(asked.shape)):
                place.refuse(what, f"a box of {len(box)} dimensions; expected one of {buffer}, ahead of a relay")
        case Ahead(body):
            for c in walk(body):
                if not isinstance(c, Loop | Guard | Block | Prefetch):
                    place.refuse(print_stmt(c), "ahead of a kernel's beginning; expected prefetches alone")
            _stmt(body, replace(place, ahead=True))
        case Barrier() | Commit() | Wait():
            if isinstance(s, Barrier):
                _together(print_stmt(s), place)
            if isinstance(s, Wait) and s.pending < 0:
                place.refuse(print_stmt(s), "expected at least 0")
        case Copy():
            _copy(s, place)
        case BulkCopy():
            _bulk_copy(s, place)
        case Relay():
            _relay(s, place)
        case Deliver():
            _deliver(s, place)
        case Last(name, rounds, body):
            what = print_stmt(s)
            _together(what, place)
            if name not in place.rounds or place.rounds[name].value != rounds:
                place.refuse(what, f"{name} is no loop of {rounds} blocks here")
            if s.along:
                _in_cluster(s, what, place)
            _stmt(body, place)
        case Tile():
            _tile(s, place)
        case Block(body=statements):
            for child in statements:
                _stmt(child, place)


_GPU = (LoopKind.BLOCK, LoopKind.WARP, LoopKind.THREAD)


def _on_gpu(s: Loop, what: str, place: _Place) -> _Place:
    """The place inside a loop of blocks, warps or threads; only blocks are as many as the symbols say."""
    if s.kind is LoopKind.BLOCK:
        _together(what, place)
        return replace(place, rounds={**place.rounds, s.var: s.extent})
    if s.extent.value is None:
        place.refuse(what, "the extent must be a number")
    return replace(place, spread=f"{s.kind} {s.var}")


def _together(what: str, place: _Place) -> None:
    if place.spread is not None:
        place.refuse(what, f"all threads of a block come to it, and it stands inside the loop {place.spread}")


def _copy(s: Copy, place: _Place) -> None:
    what = print_stmt(s)
    if s.count < 1:
        place.refuse(what, f"{s.count} elements; expected at least 1")
    for e in s.where:
        place.known(e, what)
    end = s.count - 1
    for index in (s.index, (*s.index[:-1], s.index[-1] + end)):
        to = _access(s.buffer, index, what, place)
    valid, source = place.given(s.where), s.source.index
    for index in (source, (*source[:-1], source[-1] + end)):
        of = _access(s.source.buffer, index, what, valid)
    if to.scope is not Scope.SHARED or of.scope is not Scope.PARAM:
        place.refuse(what, "expected a copy from a parameter to shared memory")
    if to.dtype != of.dtype:
        place.refuse(what, f"{s.buffer} is {to.dtype}, and {s.source.buffer} is {of.dtype}")


def _bulk_copy(s: BulkCopy, place: _Place) -> None:
    what = print_stmt(s)
    if not place.relayed:
        place.refuse(what, "it stands in no relay, and nobody would wait for it")
    of = _in_bulk(Load(s.buffer, s.index), s.source, s.box, what, place)
    if of.output:
        place.refuse(what, "expected a copy from an input to shared memory")
    apart = s.steps or (1,) * len(s.box)
    reach = [size * step for size, step in zip(s.box, apart, strict=False)]
    if len(apart) != len(s.box) or apart[-1] != 1 or not all(1 <= n <= _BULK_STEPS for n in apart):
        place.refuse(what, f"elements {apart} apart; expected 1 to {_BULK_STEPS} along each dimension, 1 in a row")
    if max(reach) > _BULK_ROWS:
        place.refuse(what, f"a box over {max(reach)} elements of a dimension; expected at most {_BULK_ROWS}")


def _in_bulk(tile: Load, whole: Load, box: tuple[int, ...], what: str, place: _Place) -> Buffer:
    """A tile and a box of a parameter that a bulk copy may move one to the other; answers the parameter."""
    held, of = place.buffers.get(tile.buffer), place.buffers.get(whole.buffer)
    if held is None or of is None:
        raise ScheduleError(f"{place.nest}: {what}: {tile.buffer if held is None else whole.buffer} is not in scope")
    if held.scope is not Scope.SHARED or of.scope is not Scope.PARAM:
        place.refuse(what, "expected a tile of shared memory and a parameter")
    if held.dtype != of.dtype:
        place.refuse(what, f"{tile.buffer} is {held.dtype}, and {whole.buffer} is {of.dtype}")
    rank, (rows, columns) = len(of.shape), (e.value or 0 for e in held.shape[-2:])
    if (
        not 2 <= rank <= _BULK_RANK
        or not rank == len(whole.index) == len(box)
        or len(tile.index) != len(held.shape) - 2
    ):
        place.refuse(what, f"expected a tile, and a box of 2 to {_BULK_RANK} dimensions")
    if (math.prod(box[:-1]), box[-1]) != (rows, columns):
        place.refuse(what, f"a box of {' x '.join(map(str, box))} as a tile of {rows} x {columns}")
    if columns * BYTES[held.dtype] != _BULK_ROW or held.swizzle != _BULK_ROW // _PIECE or not 0 < rows <= _BULK_ROWS:
        shape = f"at most {_BULK_ROWS} rows of {_BULK_ROW} bytes"
        place.refuse(what, f"expected {shape}, swizzled by {_BULK_ROW // _PIECE}")
    if of.align % _PIECE or of.shape[-1].value is None or of.shape[-1].value * BYTES[of.dtype] % _PIECE:
        place.refuse(what, f"rows of {of.name} do not begin at multiples of {_PIECE} bytes")
    for e in whole.index:
        place.known(e, what)
    _access(tile.buffer, (*tile.index, const(0), const(0)), what, place)
    return of


def _relay(s: Relay, place: _Place) -> None:
    """Neither of the two waits for all threads of the block: the others do not come."""
    what = f"relay round {s.round}"
    _together(what, place)
    place.known(s.round, what)
    if s.stages < 1 or place.relayed:
        place.refuse(what, f"{s.stages} stages, or a relay in a relay; expected at least 1")
    if s.behind and (s.stages < 2 or _product_of(s.work) is None):
        place.refuse(what, f"{s.stages} stages, work behind; expected at least 2, and nothing but a group's product")
    if any(not isinstance(x, BulkCopy | Block) for x in walk(s.fill)):
        place.refuse(what, "its stages are filled by more than bulk copies")
    if s.cluster > 1:
        _cluster(s, what, place)
    elif any(isinstance(x, BulkCopy) and x.shared for x in walk(s.fill)):
        place.refuse(what, "a copy for all blocks of a cluster, and there are no clusters")
    _stmt(s.fill, replace(place, relayed=True))
    _stmt(s.work, place)


def _deliver(s: Deliver, place: _Place) -> None:
    """Whole groups of warps come to it, and in its work write nothing else that others see."""
    what = f"deliver round {s.round}"
    for e in (s.round, *s.where):
        place.known(e, what)
    if place.spread is not None and not place.spread.startswith(LoopKind.WARP):
        place.refuse(what, f"a group of warps comes to it, and it stands inside the loop {place.spread}")
    stage, simplify = s.source.index[0], place.bounds.simplify
    if s.stages < 1 or simplify(stage) != simplify(s.round % s.stages):
        place.refuse(what, f"stored from stage {stage} of {s.stages}; expected the remainder of the round")
    if not _in_bulk(s.source, Load(s.buffer, s.index), s.box, what, place).output:
        place.refuse(what, f"{s.buffer} is an input")
    inside = {c.buffer.name for c in walk(s.work) if isinstance(c, Alloc)} | {s.source.buffer}
    for c in walk(s.work):
        if isinstance(c, Store | Update) and c.buffer not in inside and place.scope_of(c.buffer) is not Scope.REGISTER:
            place.refuse(what, f"its work writes {c.buffer}; expected {s.source.buffer}")
        if isinstance(c, Relay | Deliver | Last | Barrier):
            place.refuse(what, "in its work others are waited for")
    _stmt(s.work, place.given(s.where))


def _cluster(s: Relay, what: str, place: _Place) -> None:
    """Blocks come in whole clusters, go through the same rounds, and have tiles alike where they share copies."""
    if not place.rounds:
        place.refuse(what, "clusters, and no loop of blocks")
    name, extent = list(place.rounds.items())[-1]
    if not multiple(extent, s.cluster):
        place.refuse(what, f"{extent} blocks along {name} are no clusters of {s.cluster}")
    if not alike((s.round,), name, s.cluster):
        place.refuse(what, f"blocks of a cluster of {s.cluster} are in different rounds")
    for copy in walk(s.fill):
        if not isinstance(copy, BulkCopy) or not copy.shared:
            continue
        rows = copy.box[copy.parted]
        if not alike(copy.source.index, name, s.cluster) or rows % (_PIECES * s.cluster):
            place.refuse(print_stmt(copy), f"its tile is not the same {rows} rows in all blocks of a cluster")


def _product_of(s: Stmt) -> Tile | None:
    """The product of a group of warps that a statement is, in loops of groups or alone."""
    _, found = chain_of(s)
    return found if isinstance(found, Tile) and matrix_operation(found.name).warps > 1 else None


def _tile(s: Tile, place: _Place) -> None:
    what = print_stmt(s)
    operation = matrix_operation(s.name)
    if place.spread is not None and place.spread.startswith(LoopKind.THREAD):
        place.refuse(what, f"a warp does it together, and it stands inside the loop {place.spread}")
    if len(s.args) != len(operation.operands):
        place.refuse(what, f"{len(s.args)} operands; expected {len(operation.operands)}")
    for a, o in zip(s.args, operation.operands, strict=True):
        held = place.buffers.get(a.buffer)
        if held is None or len(held.shape) < len(o.shape):
            raise ScheduleError(f"{place.nest}: {what}: {a.buffer} is no buffer of {len(o.shape)} dimensions here")
        start = (*a.index, *(const(0) for _ in range(len(held.shape) - len(a.index))))
        last = [0] * (len(held.shape) - len(o.shape)) + [n - 1 for n in o.shape]
        for index in (start, tuple(e + n for e, n in zip(start, last, strict=True))):
            _access(a.buffer, index, what, place)


def _typed(v: Value, what: str, place: _Place) -> str:
    """The dtype of a value that is well formed."""
    _value(v, what, place)
    try:
        return dtype_of(v, lambda name: place.buffers[name].dtype)
    except ScheduleError as error:
        place.refuse(what, str(error))
        raise


def _computed(dtype: str, part: str, what: str, place: _Place) -> None:
    if dtype not in (*DTYPES, *STORED):
        place.refuse(what, f"{part} of {dtype}; kernels compute with {', '.join((*DTYPES, *STORED))}")


def _value(v: Value, what: str, place: _Place) -> None:
    match v:
        case Literal(_, dtype):
            _computed(dtype, "a literal", what, place)
        case Number(e, _):
            place.known(e, what)
        case Load(buffer, index):
            _access(buffer, index, what, place)
        case Op(_, args):
            for a in args:
                _value(a, what, place)
        case Cast(dtype, value):
            _computed(dtype, "a cast", what, place)
            _value(value, what, place)
        case Reduce(_, lane, count, value):
            place.fresh(lane, what)
            _lanes(lane, count, what, place)
            _value(value, what, place.within(lane, expr(count), lane))


def _in_cluster(s: Last, what: str, place: _Place) -> None:
    """Its blocks are neighbours of a grid, as many as a cluster may be, and each writes in rounds of its own alone."""
    if any(s.var in e.names for e in place.facts):
        place.refuse(what, f"blocks of a cluster come to it or do not, and it stands where {s.var} decides")
    if s.var != list(place.rounds)[-1] or s.rounds > _CLUSTER:
        place.refuse(what, f"a cluster is at most {_CLUSTER} blocks of the innermost loop of blocks")
    if math.prod(by for _, by in s.along) != s.rounds or len({name for name, _ in s.along}) < len(s.along):
        place.refuse(what, f"expected loops whose rounds {s.rounds} blocks divide among them")
    for name, _ in s.along:
        shared = [c for c in walk(s.body) if isinstance(c, Loop) and c.var == name]
        for loop in shared:
            if loop.kind not in (LoopKind.SERIAL, LoopKind.UNROLLED):
                place.refuse(what, f"blocks cannot share the rounds of {loop.kind} {name}")
            _apart(loop, "what a cluster shares,", place)
        inside = {id(c) for loop in shared for c in walk(loop)}
        for c in walk(s.body):
            if shared and isinstance(c, Store | Update) and id(c) not in inside:
                place.refuse(
                    print_stmt(c), f"several blocks of a cluster would write it; expected it in the loop {name}"
                )


def _parallel(s: Loop, what: str, place: _Place) -> None:
    """Iterations may touch only what is theirs: of what they write outside themselves, each its own places."""
    if place.shared is not None:
        place.refuse(what, f"it stands inside the parallel loop {place.shared}")
    if place.lanes is not None:
        place.refuse(what, f"it stands inside the lanes of {place.lanes}")
    if s.grain is not None:
        place.known(s.grain.work, what)
        if s.grain.least < 1:
            place.refuse(what, f"a thread for every {s.grain.least} of its work; expected at least 1")
    for c, used in touched(s):
        held = place.buffers.get(used.buffer)
        if held is not None and held.scope is Scope.REGISTER:
            place.refuse(print_stmt(c), f"the parallel loop {s.var} reaches registers {used.buffer} outside it")
    _apart(s, "the parallel loop", place)


def _apart(s: Loop, which: str, place: _Place) -> None:
    """What one iteration writes outside itself no other touches."""
    for c, used in meetings(s):
        place.refuse(print_stmt(c), f"iterations of {which} {s.var} meet in {used.buffer}")


def _lanes(name: str, count: int, what: str, place: _Place) -> None:
    if place.lanes is not None:
        place.refuse(what, f"the lanes of {name} stand inside the lanes of {place.lanes}")
    if count < 1:
        place.refuse(what, f"{count} lanes; expected at least 1")


def _access(buffer: str, index: tuple[Expr, ...], what: str, place: _Place, hint: bool = False) -> Buffer:
    held = place.buffers.get(buffer)
    if held is None:
        raise ScheduleError(f"{place.nest}: {what}: buffer {buffer} is not in scope")
    if len(index) != len(held.shape):
        place.refuse(what, f"{buffer} has {len(held.shape)} dimensions, not {len(index)}")
    for d, (e, size) in enumerate(zip(index, held.shape, strict=True)):
        place.known(e, what)
        if hint:
            continue
        if not place.proves(e):
            place.refuse(what, f"cannot prove 0 <= {e} in dimension {d} of {buffer}")
        if not place.proves(size - 1 - e):
            place.refuse(what, f"cannot prove {e} < {size} in dimension {d} of {buffer}")
    return held

"""transpose on a CPU: what stays together moves as one dimension; the rest turns in blocks that fit the caches.

Neighbouring dimensions that are neighbours in the result too are one, and those of size 1 are none. Then either the
last dimension stays the last, and rows are copied; or a plane is turned: x's last dimension `a` and y's last, `b`.

    parallel (outer dimensions), block of a: for tile of b: for 4 of a: y[.., 4 of a, .., vectors of b] = x transposed

A vector of b is read as short rows along a, four vectors at a time (see
`codegen/llvm/transpositions.py`). The last vector of b starts where it just fits, so that nothing is masked; a plane
narrower than that is copied element by element.

Where b has two or three elements, and a stands before it in y too, a vector of y has some of each row of x, in turns:

    parallel (outer dimensions), block of a: for vector of a: for each of b: y[.., vector] = x[.. in turns .., vector]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, const, minimum, product, var
from anytile.schedules.nest.nodes import Guard, Load, Loop, LoopKind, LoopNest, Stmt, Store, block
from anytile.schedules.operators.movement.transpose import permutation
from anytile.schedules.operators.ranked import axes
from anytile.schedules.primitives.memory_floats import widened
from anytile.schedules.primitives.vector_rows import Share
from anytile.schedules.templates.base.moving_loops import lanes_of, moving, nested, rows
from anytile.schedules.templates.base.plain import Choice, PlainTemplate, however_they_lie
from anytile.schedules.templates.base.space import Config, Knob
from anytile.schedules.workloads.workload import Workload

RUN = 4  # elements along a that are read together
_PIECE = 64  # vectors of each of them in one block
_COST = 3  # of one element: one is read, one is written, and lines of the cache are touched more often than that


@dataclass(frozen=True)
class Turn:
    """A transposition of few dimensions: their sizes, and which of them each one of y is."""

    sizes: tuple[Expr, ...]
    perm: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[Expr], perm: Sequence[int]) -> Turn:
        """The same movement of elements with as few dimensions as possible."""
        kept = [p for p in perm if sizes[p].value != 1]
        runs: list[list[int]] = []
        for p in kept:
            follows = runs and all(sizes[q].value == 1 for q in range(runs[-1][-1] + 1, p)) and p > runs[-1][-1]
            if follows:
                runs[-1].append(p)
            else:
                runs.append([p])
        order = sorted(range(len(runs)), key=lambda i: runs[i][0])
        merged = []
        for i in order:
            merged.append(product([sizes[p] for p in runs[i]]))
        return cls(tuple(merged), tuple(order.index(i) for i in range(len(runs))))

    @property
    def interleaves(self) -> bool:
        """Whether y's last dimension has two or three elements, and x's last stands before it."""
        return self.perm[-2:-1] == (len(self.perm) - 1,) and (self.sizes[self.perm[-1]].value or RUN) < RUN

    def moved(self, at: Mapping[int, Expr]) -> Store:
        """One element, where x's dimensions stand at these places."""
        return Store("y", tuple(at[p] for p in self.perm), Load("x", tuple(at[p] for p in range(len(self.sizes)))))


def turned(nest: LoopNest, workload: Workload) -> tuple[LoopNest, Turn]:
    """A transposition of as few dimensions as it allows, around nothing."""
    attributes = workload.attributes
    turn = Turn.of([workload.extents[d] for d in axes(attributes)], permutation(attributes))
    x, y = nest.params
    params = (replace(x, shape=turn.sizes), replace(y, shape=tuple(turn.sizes[p] for p in turn.perm)))
    return replace(nest, params=params), turn


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    return (
        Choice(Knob("block", (16, 32, 64, 128), "elements along x's last dimension in one block"), 64),
        Choice(Knob("vectors", (1, 2, 4), "vectors of y's last dimension in one tile"), 2),
    )


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    workload = workload.storing({})
    nest, turn = turned(nest, workload)
    lanes, share = lanes_of(target, workload.dtype), moving(product(turn.sizes) * _COST, workload.dtype)
    if not turn.sizes:
        body: Stmt = Store("y", (), Load("x", ()))
    elif turn.perm[-1] == len(turn.perm) - 1:
        body = _rows(turn, lanes, share)
    elif turn.interleaves:
        x, y = nest.params
        nest = replace(nest, params=(x, replace(y, shape=(*y.shape[:-2], y.shape[-2] * y.shape[-1]))))
        body = _interleaved(turn, lanes, share)
    else:
        body = _plane(turn, lanes, config.int("block"), config.int("vectors"), share)
    return widened(nest.with_body(body))


def _rows(turn: Turn, lanes: int, share: Share) -> Stmt:
    """The last dimension stays: rows are copied."""
    outer = turn.perm[:-1]
    index = {p: var(f"i_{p}") for p in outer}

    def move(i: Expr) -> Stmt:
        return turn.moved({**index, turn.perm[-1]: i})

    return rows([(f"i_{p}", turn.sizes[p]) for p in outer], turn.sizes[-1], lanes, move, share)


def _plane(turn: Turn, lanes: int, size: int, vectors: int, share: Share) -> Stmt:
    """x's last dimension `a` and y's last `b` change places within the others."""
    a, b = len(turn.sizes) - 1, turn.perm[-1]
    outer = [p for p in turn.perm if p not in (a, b)]
    index = {p: var(f"i_{p}") for p in outer}
    high, wide = turn.sizes[a], turn.sizes[b]

    def move(i: Expr, j: Expr) -> Stmt:
        return turn.moved({**index, a: i, b: j})

    start = var("i_ab") * size
    here = minimum(size, high - start)
    whole = here // RUN

    def tile(j: Expr, count: int, width: int) -> Stmt:
        """All of the block of a at `count` vectors of `width`, from j on."""

        def columns(i: Expr) -> Stmt:
            return Loop("i_bl", const(width), LoopKind.VECTOR, move(i, j + var("i_bv") * width + var("i_bl")))

        four = Loop("i_ai", const(RUN), LoopKind.UNROLLED, columns(start + var("i_ao") * RUN + var("i_ai")))
        rest = Loop("i_ar", here - whole * RUN, LoopKind.SERIAL, columns(start + whole * RUN + var("i_ar")))
        return Loop("i_bv", const(count), LoopKind.UNROLLED, block(Loop("i_ao", whole, LoopKind.SERIAL, four), rest))

    def across(width: int, count: int, otherwise: Stmt) -> Stmt:
        """All of b in vectors of `width`, the last where it just fits; `otherwise` where b is shorter."""
        full = wide // (width * count)
        left = wide - full * (width * count)
        singles = left // width
        many = Loop("i_bo", full, LoopKind.SERIAL, tile(var("i_bo") * (width * count), count, width))
        some = Loop("i_bs", singles, LoopKind.SERIAL, tile(full * (width * count) + var("i_bs") * width, 1, width))
        last = Guard((left - singles * width - 1,), tile(wide - width, 1, width))
        return Guard((wide - width,), block(many, some if count > 1 else None, last), otherwise)

    one_by_one = Loop(
        "i_ae", here, LoopKind.SERIAL, Loop("i_be", wide, LoopKind.SERIAL, move(start + var("i_ae"), var("i_be")))
    )
    inside = across(lanes, vectors, across(RUN, 1, one_by_one) if lanes > RUN else one_by_one)
    return nested([*((f"i_{p}", turn.sizes[p]) for p in outer), ("i_ab", (high + size - 1) // size)], inside, share)


def _interleaved(turn: Turn, lanes: int, share: Share) -> Stmt:
    """x's last dimension `a` and y's last `b`, of two or three, change places, and are one dimension of y."""
    a, b = len(turn.sizes) - 1, turn.perm[-1]
    outer = turn.perm[:-2]
    index, high = {p: var(f"i_{p}") for p in outer}, turn.sizes[a]
    wide = turn.sizes[b].value
    assert wide is not None
    size = _PIECE * lanes
    start = var("i_ab") * size
    here = minimum(size, high - start)

    def move(first: Expr, at: Expr) -> Stmt:
        """Element `at` of y behind what the first of a has."""
        picked = {**index, a: first + at // wide, b: at % wide}
        x = Load("x", tuple(picked[p] for p in range(len(turn.sizes))))
        return Store("y", (*(index[p] for p in outer), first * wide + at), x)

    def vectors(first: Expr, width: int) -> Stmt:
        lane = Loop("i_il", const(width), LoopKind.VECTOR, move(first, var("i_iq") * width + var("i_il")))
        return Loop("i_iq", const(wide), LoopKind.UNROLLED, lane)

    def across(width: int, otherwise: Stmt) -> Stmt:
        """All of a block in vectors, the last where it just fits; `otherwise` where the block is shorter."""
        full = here // width
        many = Loop("i_io", full, LoopKind.SERIAL, vectors(start + var("i_io") * width, width))
        last = Guard((here - full * width - 1,), vectors(start + here - width, width))
        return Guard((here - width,), block(many, last), otherwise)

    one_by_one = Loop("i_ie", here * wide, LoopKind.SERIAL, move(start, var("i_ie")))
    inside = across(lanes, across(RUN, one_by_one) if lanes > RUN else one_by_one)
    return nested([*((f"i_{p}", turn.sizes[p]) for p in outer), ("i_ab", (high + size - 1) // size)], inside, share)


TRANSPOSE_CPU = PlainTemplate("transpose.cpu", "transpose", _write, _choices, served=however_they_lie)

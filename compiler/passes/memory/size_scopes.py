"""Symbolic shapes in one block: what each size is in terms of what is measured there, and what computes it.

A size is an expression of measurements: dimensions of tensors that came from elsewhere, elements of shapes that the
host computed. Everything that can be computed once something was measured goes into one program, which stands right
behind the last measurement it needs; with it go the checks that type inference left for run time. What type inference
names is measured at the first tensor that has the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir.nodes import Expr, Var, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.operators.spec import Shaped
from anytile.compiler.passes.memory.size_programs import SizeProgram, number, numbers
from anytile.compiler.passes.memory.sizes import Dims, constant_sizes, static
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const, var
from anytile.vm.program.shape_programs import Check


@dataclass(frozen=True, slots=True)
class _Measured:
    """Where a number is read: an element of an int64 tensor, which is the shape of `tensor` unless it is data."""

    tensor: Var
    element: int
    is_data: bool = False


@dataclass
class _Segment:
    """The steps after a measurement, and the sizes that it made computable. `at` is where their program goes."""

    at: int
    pieces: dict[tuple[Index, ...] | Index, Var] = field(default_factory=dict)
    checks: dict[Check, None] = field(default_factory=dict)


class SizeScope:
    """The sizes of one block, inside those of the block around it; `steps` are the block's so far."""

    def __init__(self, outer: SizeScope | None) -> None:
        self.around = outer
        self.dims: dict[Var, Dims] = {} if outer is None else dict(outer.dims)
        self.symbols: dict[str, Index] = {} if outer is None else dict(outer.symbols)
        self.measured: dict[str, _Measured] = {} if outer is None else dict(outer.measured)
        self.order: dict[str, int] = {} if outer is None else dict.fromkeys(outer.order, 0)
        self.checked: set[Check] = set() if outer is None else set(outer.checked)
        self.steps: list[Binding] = []
        self.segments = [_Segment(0)]
        self.shapes: dict[Var, Var] = {}  # measured by a program of this block

    def measure(self, variable: Var) -> None:
        """A tensor that came from elsewhere: each of its unknown dimensions is one that is known, or is measured."""
        if not isinstance(variable.type, TensorType):
            return
        found, is_new = [], False
        for axis, d in enumerate(variable.type.shape):
            if isinstance(d, int):
                found.append(const(d))
                continue
            known = self.symbols.get(d.name) if d.name else None
            if known is None:
                known = self.measurement(_Measured(variable, axis))
                is_new = True
                if d.name:
                    self.symbols[d.name] = known
            found.append(known)
        self.dims[variable] = tuple(found)
        if is_new and self.steps:
            self.segment()

    def measurement(self, source: _Measured) -> Index:
        name = f"m{len(self.measured)}"
        self.measured[name] = source
        self.order[name] = len(self.segments) if self.steps else 0
        return var(name)

    def shaped(self, e: Expr) -> Shaped:
        if not isinstance(e, Var):
            return constant_sizes(e)
        kind = tensor_of(e)
        if e not in self.dims:
            self.measure(e)
        return Shaped(self.dims[e], kind.dtype)

    def known(self, variable: Var, sizes: Shaped) -> None:
        """The sizes of a tensor that was just computed; its type's new names mean them."""
        self.dims[variable] = sizes.dims
        if isinstance(variable.type, TensorType):
            for d, size in zip(variable.type.shape, sizes.dims, strict=True):
                if isinstance(d, Any) and d.name:
                    self.symbols.setdefault(d.name, size)

    def segment_of(self, *needed: Index) -> int:
        """The first segment where everything in some expressions is measured."""
        return max((self.order[n] for e in needed for n in e.names), default=0)

    def piece(self, wanted: Index | Dims) -> Expr:
        """A size, or a shape, as an atom."""
        dims = wanted if isinstance(wanted, tuple) else (wanted,)
        fixed = static(dims)
        if fixed is not None:
            return numbers(*fixed) if isinstance(wanted, tuple) else number(fixed[0])
        known = None if self.around is None else self.around.computed_before(wanted)
        if known is not None:
            return known
        segment = self.segments[self.segment_of(*dims)]
        if wanted not in segment.pieces:
            kind = TensorType((len(dims),) if isinstance(wanted, tuple) else (), "int64")
            segment.pieces[wanted] = Var("shape" if isinstance(wanted, tuple) else "size", kind)
        return segment.pieces[wanted]

    def computed_before(self, wanted: Index | Dims) -> Var | None:
        """A size that this block, or one around it, computes already."""
        found = next((s.pieces[wanted] for s in self.segments if wanted in s.pieces), None)
        return found if found is not None or self.around is None else self.around.computed_before(wanted)

    def check(self, checks: Mapping[Check, None]) -> None:
        for c in checks:
            if c not in self.checked:
                self.checked.add(c)
                self.segments[self.segment_of(*c.exprs)].checks[c] = None

    def computed(self, shape: Var, kind: TensorType) -> Shaped:
        """The sizes of a tensor whose shape the host computed."""
        dims = tuple(
            const(d) if isinstance(d, int) else self.measurement(_Measured(shape, i, is_data=True))
            for i, d in enumerate(kind.shape)
        )
        return Shaped(dims, kind.dtype)

    def segment(self) -> None:
        """What was measured since the last segment is there from here on."""
        self.segments.append(_Segment(len(self.steps)))

    def with_programs(self) -> list[Binding]:
        """The steps, with the program of each segment before its first step."""
        made: list[Binding] = []
        at = 0
        for segment in self.segments:
            made += self.steps[at : segment.at]
            at = segment.at
            made += self.sized(segment)
        return made + self.steps[at:]

    def sized(self, segment: _Segment) -> list[Binding]:
        """What computes a segment's sizes: the shapes it reads, room for its numbers, one program."""
        if not segment.pieces and not segment.checks:
            return []
        wanted = {piece: w if isinstance(w, tuple) else (w,) for w, piece in segment.pieces.items()}
        exprs = [d for dims in wanted.values() for d in dims]
        exprs += [e for c in segment.checks for e in c.exprs]
        steps: list[Binding] = []
        shapes: dict[Var, Var] = {}  # of what the program reads
        made, values = SizeProgram(), dict[str, Index]()
        for name in sorted({n for e in exprs for n in e.names}, key=lambda n: int(n[1:])):
            source = self.measured[name]
            if source.is_data:
                shapes[source.tensor] = source.tensor
            elif source.tensor not in shapes:
                if source.tensor not in self.shapes:
                    shape = Var(f"shape_of_{source.tensor.name}", TensorType((tensor_of(source.tensor).rank,), "int64"))
                    steps.append((shape, dialect.make(dialect.SHAPE_OF, source.tensor)))
                    self.shapes[source.tensor] = shape
                shapes[source.tensor] = self.shapes[source.tensor]
            values[name] = made.element(shapes[source.tensor], source.element)
        made.pieces = {piece: tuple(d.substitute(values) for d in dims) for piece, dims in wanted.items()}
        made.checks = [c.rewritten(lambda e: e.substitute(values)) for c in segment.checks]
        return steps + made.steps()

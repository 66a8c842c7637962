"""Explicit memory: kernels write into tensors that were allocated before, and sizes are computed before those.

Every size in a block is an expression of what is measured there: dimensions of parameters and of what calls returned,
elements of shapes that the host computed. All sizes that can be computed once something was measured are computed by
one `vm.invoke_shape`, together with the checks that type inference left for run time; so a straight line over one
unknown length computes its sizes once. What type inference names is measured at the first tensor that has the name.

Calls of primitive functions become `vm.invoke_mut`, views `vm.reshape_tensor`, and operators without a kernel functions
of the host: `op_x` writes results, `sizes_x` their shapes first where these depend on data, and `bounded_x` writes into
tensors that are large enough and says how much of them it used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anytile.compiler import dialect
from anytile.compiler.ir import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalRef,
    Let,
    Match,
    Module,
    OperatorRef,
    TupleExpr,
    TupleGet,
    Var,
)
from anytile.compiler.kernels import tensor_types
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import Shaped
from anytile.compiler.passes.blocks import (
    Binding,
    bound_by,
    is_atom,
    make_block,
    map_blocks,
    map_parts,
    read_by,
)
from anytile.compiler.size_programs import HOST, SizeProgram
from anytile.compiler.sizes import ALIGNMENT, Dims, byte_size, call_sizes, constant_sizes, primitive_sizes, static
from anytile.compiler.types import UNIT, UNNAMED, Any, StorageType, TensorType
from anytile.schedules.errors import SpecError
from anytile.schedules.expr import Expr as Index
from anytile.schedules.expr import const, var
from anytile.vm.packed import call_text
from anytile.vm.shapes import Check

VIEWS = ("reshape", "flatten", "expand_dims", "squeeze", "reshape_like")


def manifest_alloc(module: Module) -> Module:
    def explicit(f: Function) -> Function:
        if f.is_primitive:
            return f
        return replace(f, body=_Scope(module, None).function(f))

    return Module({name: explicit(f) for name, f in module.functions.items()}, module.data)


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


class _Scope:
    """One block while its memory is made explicit."""

    def __init__(self, module: Module, outer: _Scope | None) -> None:
        self.module, self.outer = module, outer
        self.dims: dict[Var, Dims] = {} if outer is None else dict(outer.dims)
        self.names: dict[Var, Expr] = {} if outer is None else dict(outer.names)
        self.tuples: dict[Var, tuple[Expr, ...]] = {} if outer is None else dict(outer.tuples)
        self.symbols: dict[str, Index] = {} if outer is None else dict(outer.symbols)
        self.measured: dict[str, _Measured] = {} if outer is None else dict(outer.measured)
        self.order: dict[str, int] = {} if outer is None else dict.fromkeys(outer.order, 0)
        self.checked: set[Check] = set() if outer is None else set(outer.checked)
        self.steps: list[Binding] = []
        self.segments = [_Segment(0)]

    # -- walking ---------------------------------------------------------------------------------------------------

    def function(self, f: Function) -> Expr:
        for p in f.params:
            self.measure(p)
        return self.block(f.body)

    def block(self, body: Expr) -> Expr:
        bindings = body.bindings if isinstance(body, Let) else ()
        for at, (variable, value) in enumerate(bindings):
            is_last = at == len(bindings) - 1
            self.step(variable, map_parts(value, self.follow), is_last)
        result = self.follow(body.body if isinstance(body, Let) else body)
        return make_block(_without_unread_tuples(self.with_programs(), result), result)

    def follow(self, atom: Expr) -> Expr:
        return self.names.get(atom, atom) if isinstance(atom, Var) else atom

    def step(self, variable: Var, value: Expr, is_last: bool) -> None:
        match value:
            case Call(OperatorRef(name)):
                self.operator(variable, value, name)
            case Call(GlobalRef(name)) if self.module.function(name).is_primitive:
                self.primitive(variable, value, self.module.function(name))
            case TupleGet(Var() as source, index) if source in self.tuples:
                self.names[variable] = self.tuples[source][index]
            case TupleExpr(fields):
                self.tuples[variable] = fields
                self.put(variable, value)
            case _ if is_atom(value):
                self.names[variable] = value
            case _:
                if isinstance(value, Call):
                    self.passed(value)
                self.put(variable, map_blocks(value, lambda inner: self.inside(value, inner)))
                if not is_last:  # nothing follows that could ask; and a call in the last place stays one
                    self.measure(variable)

    def inside(self, value: Expr, body: Expr) -> Expr:
        inner = _Scope(self.module, self)
        if isinstance(value, Function):
            for p in value.params:
                inner.measure(p)
        if isinstance(value, Match):
            clause = next(pattern for pattern, of in value.clauses if of is body)
            for p in bound_by(clause):
                inner.measure(p)
        return inner.block(body)

    # -- sizes -----------------------------------------------------------------------------------------------------

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
            self.segments.append(_Segment(len(self.steps)))

    def measurement(self, source: _Measured) -> Index:
        name = f"m{len(self.measured)}"
        self.measured[name] = source
        self.order[name] = len(self.segments) if self.steps else 0
        return var(name)

    def shaped(self, e: Expr) -> Shaped:
        if not isinstance(e, Var):
            return constant_sizes(e)
        if not isinstance(e.type, TensorType):
            raise SpecError(f"{e.name} has the type {e.type}; expected a tensor")
        if e not in self.dims:
            self.measure(e)
        return Shaped(self.dims[e], e.type.dtype)

    def known(self, variable: Var, sizes: Shaped, where: str = "") -> None:
        """The sizes of a tensor that was just computed. Names of its type that are new mean them; what else its type
        says of them, which somebody wrote there, is checked."""
        self.dims[variable] = sizes.dims
        if isinstance(variable.type, TensorType):
            self.check(self.fitted(variable.type, sizes.dims, self.symbols, where))

    def fitted(self, t: TensorType, sizes: Dims, names: dict[str, Index], where: str) -> dict[Check, None]:
        """What must hold for sizes to be those of a type; names that stand for nothing yet get to know it."""
        found: dict[Check, None] = {}
        for d, size in zip(t.shape, sizes, strict=True):
            if isinstance(d, Any) and not d.name:
                continue
            wanted = const(d) if isinstance(d, int) else names.setdefault(d.name, size)
            if wanted != size:
                found[Check(size, "==", wanted, where)] = None
        return found

    def passed(self, call: Call) -> None:
        """What a function demands of its arguments, and the caller alone cannot know, is checked by the caller."""
        if not isinstance(call.callee, GlobalRef):
            return
        names: dict[str, Index] = {}
        where = f"call of {call.callee.name}" + (f" at {call.where}" if call.where else "")
        for p, arg in zip(self.module.function(call.callee.name).params, call.args, strict=True):
            if isinstance(p.type, TensorType) and isinstance(arg, Var | Constant):
                self.check(self.fitted(p.type, self.shaped(arg).dims, names, where))

    def segment_of(self, *needed: Index) -> int:
        """The first segment where everything in some expressions is measured."""
        return max((self.order[n] for e in needed for n in e.names), default=0)

    def piece(self, wanted: Index | Dims) -> Expr:
        """A size, or a shape, as an atom."""
        dims = wanted if isinstance(wanted, tuple) else (wanted,)
        fixed = static(dims)
        if fixed is not None:
            return Constant(np.asarray(fixed if isinstance(wanted, tuple) else fixed[0], np.int64))
        known = None if self.outer is None else self.outer.computed_before(wanted)
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
        return found if found is not None or self.outer is None else self.outer.computed_before(wanted)

    def check(self, checks: Mapping[Check, None]) -> None:
        for c in checks:
            if c not in self.checked:
                self.checked.add(c)
                self.segments[self.segment_of(c.left, c.right)].checks[c] = None

    # -- steps -----------------------------------------------------------------------------------------------------

    def put(self, variable: Var, value: Expr) -> None:
        self.steps.append((variable, value))

    def do(self, call: Call) -> None:
        self.put(Var("_", UNIT), call)

    def allocate(self, variable: Var, sizes: Shaped, where: str, shape: Expr | None = None) -> None:
        """Memory of its own for a tensor."""
        size = self.piece(byte_size(sizes.dims, sizes.dtype))
        storage = Var("storage", StorageType())
        self.put(storage, dialect.make(dialect.ALLOC_STORAGE, size, where=where, alignment=ALIGNMENT, device=HOST))
        at, shape = Constant(np.asarray(0)), self.piece(sizes.dims) if shape is None else shape
        made = dialect.make(dialect.ALLOC_TENSOR, storage, at, shape, where=where, dtype=sizes.dtype)
        self.put(variable, made)
        self.known(variable, sizes)

    def results(self, variable: Var, call: Call, sizes: Sequence[Shaped], shapes: Sequence[Expr | None]) -> list[Expr]:
        """Tensors for what a call makes, and the tuple of them where it makes several."""
        if isinstance(variable.type, TensorType):
            self.allocate(variable, sizes[0], call.where, shapes[0])
            return [variable]
        made: list[Expr] = []
        for i, (kind, size, shape) in enumerate(zip(tensor_types(variable.type), sizes, shapes, strict=True)):
            part = Var(f"{variable.name}{i}", kind)
            self.allocate(part, size, call.where, shape)
            made.append(part)
        return made

    def bundle(self, variable: Var, made: Sequence[Expr]) -> None:
        """The tuple of several results: made where somebody reads it whole."""
        if not isinstance(variable.type, TensorType):
            self.tuples[variable] = tuple(made)
            self.put(variable, TupleExpr(tuple(made)))

    def primitive(self, variable: Var, call: Call, function: Function) -> None:
        checks: dict[Check, None] = {}
        sizes = primitive_sizes(function, [self.shaped(a) for a in call.args], checks)
        self.check(checks)
        outputs = self.results(variable, call, sizes, [None] * len(sizes))
        assert isinstance(call.callee, GlobalRef)
        args = (call.callee, *call.args, *outputs)
        self.do(dialect.make(dialect.INVOKE_MUT, *args, where=call.where, outputs=len(outputs)))
        self.bundle(variable, outputs)

    def operator(self, variable: Var, call: Call, name: str) -> None:
        row = operator(name)
        if name == "shape_of":
            self.put(variable, dialect.make(dialect.SHAPE_OF, call.args[0], where=call.where))
            self.known(variable, Shaped((const(len(self.shaped(call.args[0]).dims)),), "int64"))
            return
        if row.mode == "independent":
            checks: dict[Check, None] = {}
            sizes = call_sizes(call, self.shaped, checks)
            self.check(checks)
            if name in VIEWS:
                shape = self.piece(sizes[0].dims)
                self.put(variable, dialect.make(dialect.RESHAPE, call.args[0], shape, where=call.where))
                self.known(variable, sizes[0])
                return
            outputs = self.results(variable, call, sizes, [None] * len(sizes))
            self.host("op", call, outputs)
            self.bundle(variable, outputs)
            return
        shapes = [self.numbers(f"shape{i}", t.rank) for i, t in enumerate(tensor_types(variable.type))]
        self.host("sizes", call, shapes)
        kinds = tensor_types(variable.type)
        sizes = tuple(self.computed(shape, kind) for shape, kind in zip(shapes, kinds, strict=True))
        self.segments.append(_Segment(len(self.steps)))
        if name == "reshape_to":
            self.put(variable, dialect.make(dialect.RESHAPE, call.args[0], shapes[0], where=call.where))
            self.known(variable, sizes[0])
        elif row.mode == "data":
            outputs = self.results(variable, call, sizes, shapes)
            self.host("op", call, outputs)
            self.bundle(variable, outputs)
        else:
            self.bounded(variable, call, sizes, shapes)

    def computed(self, shape: Var, kind: TensorType) -> Shaped:
        """The sizes of a tensor whose shape the host computed."""
        dims = tuple(
            const(d) if isinstance(d, int) else self.measurement(_Measured(shape, i, is_data=True))
            for i, d in enumerate(kind.shape)
        )
        return Shaped(dims, kind.dtype)

    def bounded(self, variable: Var, call: Call, sizes: Sequence[Shaped], shapes: Sequence[Expr]) -> None:
        """Results in tensors that are large enough, then seen as large as they are."""
        kinds = tensor_types(variable.type)
        wide = [Var(f"bound{i}", TensorType((UNNAMED,) * k.rank, k.dtype)) for i, k in enumerate(kinds)]
        for w, size, shape in zip(wide, sizes, shapes, strict=True):
            self.allocate(w, size, call.where, shape)
        true = [self.numbers(f"shape{i}", k.rank) for i, k in enumerate(kinds)]
        self.host("bounded", call, [*wide, *true])
        made: list[Expr] = []
        for i, (w, shape, kind) in enumerate(zip(wide, true, kinds, strict=True)):
            part = variable if isinstance(variable.type, TensorType) else Var(f"{variable.name}{i}", kind)
            self.put(part, dialect.make(dialect.RESHAPE, w, shape, where=call.where))
            self.known(part, self.computed(shape, kind))
            made.append(part)
        self.segments.append(_Segment(len(self.steps)))
        self.bundle(variable, made)

    def numbers(self, name: str, count: int) -> Var:
        """A new int64 tensor on the host."""
        made = Var(name, TensorType((count,), "int64"))
        self.allocate(made, Shaped((const(count),), "int64"), "")
        return made

    def host(self, how: str, call: Call, outputs: Sequence[Expr]) -> None:
        assert isinstance(call.callee, OperatorRef)
        text = call_text(f"{how}_{call.callee.name}", dict(call.attrs))
        args = (*call.args, *outputs)
        self.do(dialect.make(dialect.INVOKE_PACKED, *args, where=call.where, call=text, outputs=len(outputs)))

    # -- programs --------------------------------------------------------------------------------------------------

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
        exprs += [e for c in segment.checks for e in (c.left, c.right)]
        steps: list[Binding] = []
        shapes: dict[Var, Var] = {}
        made, values = SizeProgram(), dict[str, Index]()
        for name in sorted({n for e in exprs for n in e.names}, key=lambda n: int(n[1:])):
            source = self.measured[name]
            if source.is_data:
                shapes[source.tensor] = source.tensor
            elif source.tensor not in shapes:
                assert isinstance(source.tensor.type, TensorType)
                shape = Var(f"shape_of_{source.tensor.name}", TensorType((source.tensor.type.rank,), "int64"))
                steps.append((shape, dialect.make(dialect.SHAPE_OF, source.tensor)))
                shapes[source.tensor] = shape
            values[name] = made.element(shapes[source.tensor], source.element)
        made.pieces = {piece: tuple(d.substitute(values) for d in dims) for piece, dims in wanted.items()}
        made.checks = [
            replace(c, left=c.left.substitute(values), right=c.right.substitute(values)) for c in segment.checks
        ]
        return steps + made.steps()


def _without_unread_tuples(steps: Sequence[Binding], result: Expr) -> list[Binding]:
    """Tuples of results are made for who reads them whole; fields are read where they came from."""
    read: Counter[Var] = Counter(read_by(result))
    kept: list[Binding] = []
    for variable, value in reversed(steps):
        if isinstance(value, TupleExpr) and not read[variable]:
            continue
        read.update(read_by(value))
        kept.append((variable, value))
    return kept[::-1]

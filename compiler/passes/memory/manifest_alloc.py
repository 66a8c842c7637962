"""Explicit allocation, in destination-passing style: kernels write into tensors that steps before them allocate.

Calls of primitive functions become `vm.invoke_mut`, views `vm.reshape_tensor`, `append` an instruction that finds its
memory when it runs. A `slice` of the first dimension for which there is no kernel is a part of the tensor that it cuts,
where that lies (`memory.part`). Operators without a kernel are functions of the host: `op_x` writes results, `sizes_x`
their shapes first where these depend on data and are no plain arithmetic, and `bounded_x` writes into tensors that are
large enough and says how much of them it used. What puts rows writes where its operand lies, if that is `in_place`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import (
    Binding,
    Names,
    bindings_of,
    bound_by,
    is_atom,
    make_block,
    map_blocks,
    result_of,
    substituted,
    variables_read,
)
from anytile.compiler.ir.types import UNIT, UNNAMED, StorageType, TensorType
from anytile.compiler.kernels.kernel_of import SLICE, tensor_types
from anytile.compiler.kernels.memory_dtypes import RESULT, stored_as, stored_places
from anytile.compiler.operators import Operator, operator
from anytile.compiler.operators.sized import REPEATS, sizes_at
from anytile.compiler.operators.spec import Shaped, axis_of, integer, ints
from anytile.compiler.passes.memory.in_place import lies_over, put_in_place
from anytile.compiler.passes.memory.size_programs import SizeProgram, number
from anytile.compiler.passes.memory.size_scopes import SizeScope
from anytile.compiler.passes.memory.sizes import byte_size, call_sizes, primitive_sizes
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const
from anytile.vm.interpreter.host_functions import ARANGE, REPEAT, call_text
from anytile.vm.program.isa import MAX_BYTES, MAX_RANK
from anytile.vm.program.shape_programs import Check, argument, argument_of

VIEWS = ("expect", "reshape", "flatten", "expand_dims", "squeeze", "reshape_like", "reshape_sized")
APPEND, SIZES_OF = "append", "sizes_of"


def manifest_alloc(module: ir.Module) -> ir.Module:
    def explicit(f: ir.Function) -> ir.Function:
        if f.is_primitive:
            return f
        return replace(f, body=_Scope(module, None, put_in_place(module, f)).block(f.body, f.params))

    return replace(module, functions={name: explicit(f) for name, f in module.functions.items()})


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where a tensor lies: so many bytes behind the begin of a storage, in a dtype of memory."""

    storage: ir.Var
    behind: Index
    dtype: str


class _Scope(SizeScope):
    """One block while its memory is made explicit; what is `in_place` lies where the first argument does."""

    def __init__(self, module: ir.Module, outer: _Scope | None, in_place: frozenset[ir.Var] = frozenset()) -> None:
        super().__init__(outer)
        self.module, self.in_place = module, in_place
        self.names: Names = {} if outer is None else dict(outer.names)
        self.tuples: dict[ir.Var, tuple[ir.Expr, ...]] = {} if outer is None else dict(outer.tuples)
        self.placed: dict[ir.Expr, _Placed] = {}  # of the block's own tensors

    # -- walking ---------------------------------------------------------------------------------------------------

    def block(self, body: ir.Expr, bound: Iterable[ir.Var]) -> ir.Expr:
        """A block, below what binds some variables."""
        for variable in bound:
            self.measure(variable)
        bindings = bindings_of(body)
        for at, (variable, value) in enumerate(bindings):
            self.step(variable, substituted(value, self.names), is_last=at == len(bindings) - 1)
        result = substituted(result_of(body), self.names)
        return make_block(_without_unread_tuples(self.with_programs(), result), result)

    def step(self, variable: ir.Var, value: ir.Expr, is_last: bool) -> None:
        match value:
            case ir.Call(ir.OperatorRef(name)):
                self.operator(variable, value, name)
            case ir.Call(ir.GlobalRef(name)) if self.module.function(name).is_primitive:
                self.primitive(variable, value, self.module.function(name))
            case ir.TupleGet(ir.Var() as source, index) if source in self.tuples:
                self.names[variable] = self.tuples[source][index]
            case ir.TupleExpr(fields):
                self.tuples[variable] = fields
                self.put(variable, value)
            case _ if is_atom(value):
                self.names[variable] = value
            case _:
                self.put(variable, map_blocks(value, lambda inner: self.inside(value, inner)))
                if not is_last:  # nothing follows that could ask; and a call in the last place stays one
                    self.measure(variable)

    def inside(self, value: ir.Expr, body: ir.Expr) -> ir.Expr:
        """A block in a step, in a scope of its own."""
        clauses = value.clauses if isinstance(value, ir.Match) else ()
        bound = [v for pattern, of in clauses if of is body for v in bound_by(pattern)]
        return _Scope(self.module, self).block(body, value.params if isinstance(value, ir.Function) else bound)

    # -- steps -----------------------------------------------------------------------------------------------------

    def put(self, variable: ir.Var, value: ir.Expr) -> None:
        self.steps.append((variable, value))

    def do(self, call: ir.Call) -> None:
        self.put(ir.Var("_", UNIT), call)

    def allocate(
        self, variable: ir.Var, sizes: Shaped, where: str, shape: ir.Expr | None = None, dtype: str = ""
    ) -> None:
        """Memory of its own for a tensor, which may hold it in another dtype."""
        dtype = dtype or sizes.dtype
        takes = byte_size(sizes.dims, dtype)
        if takes.value is not None and takes.value > MAX_BYTES:
            what = f"{variable.name}{f' at {where}' if where else ''}: a tensor of shape {sizes}"
            raise SpecError(f"{what} takes {takes.value} bytes; expected {MAX_BYTES} at most")
        size = self.piece(takes)
        storage = ir.Var("storage", StorageType())
        self.put(storage, dialect.alloc_storage(size, where))
        shape = self.piece(sizes.dims) if shape is None else shape
        self.put(variable, dialect.alloc_tensor(storage, number(0), shape, dtype, where))
        self.placed[variable] = _Placed(storage, const(0), dtype)
        self.known(variable, sizes)

    def view(self, variable: ir.Var, source: ir.Expr, shape: ir.Expr, sizes: Shaped, where: str) -> None:
        """The same memory, seen in another shape."""
        self.put(variable, dialect.make(dialect.RESHAPE, source, shape, where=where))
        if source in self.placed:
            self.placed[variable] = self.placed[source]
        self.known(variable, sizes)

    def part(self, variable: ir.Var, call: ir.Call, sizes: Shaped) -> bool:
        """Some of a tensor's first dimension where it lies, if that is known here and every part begins aligned."""
        whole, attrs = self.placed.get(call.args[0]), operator(SLICE).complete(call.attrs)
        cut = tuple(ints(attrs, name) for name in ("start", "stop", "step"))
        if whole is None or attrs["axes"] != (0,) or cut[2] not in ((), (1,)) or not (cut[0] and cut[1]):
            return False
        first, *inner = self.shaped(call.args[0]).dims
        (start,), (stop,), _ = cut
        if first.value is None or not 0 <= start <= stop <= first.value:
            return False
        behind = whole.behind + byte_size(inner, whole.dtype) * start
        if (behind % dialect.ALIGNMENT).value != 0:
            return False
        at, shape = self.piece(behind), self.piece(sizes.dims)
        args = (call.args[0], whole.storage, at, shape)
        self.put(variable, dialect.make(dialect.PART, *args, where=call.where, dtype=whole.dtype))
        self.placed[variable] = replace(whole, behind=behind)
        self.known(variable, sizes)
        return True

    def results(
        self,
        variable: ir.Var,
        call: ir.Call,
        sizes: Sequence[Shaped],
        shapes: Sequence[ir.Expr | None],
        dtype: str = "",
    ) -> list[ir.Expr]:
        """Tensors for what a call makes, and the tuple of them where it makes several; memory may hold the one that it
        makes in another dtype."""
        if isinstance(variable.type, TensorType):
            self.allocate(variable, sizes[0], call.where, shapes[0], dtype)
            return [variable]
        made: list[ir.Expr] = []
        for i, (kind, size, shape) in enumerate(zip(tensor_types(variable.type), sizes, shapes, strict=True)):
            part = ir.Var(f"{variable.name}{i}", kind)
            self.allocate(part, size, call.where, shape)
            made.append(part)
        return made

    def bundle(self, variable: ir.Var, made: Sequence[ir.Expr]) -> None:
        """The tuple of several results: made where somebody reads it whole."""
        if not isinstance(variable.type, TensorType):
            self.tuples[variable] = tuple(made)
            self.put(variable, ir.TupleExpr(tuple(made)))

    def over(self, variable: ir.Var, call: ir.Call, place: int) -> ir.Call:
        """A step that writes rows of an argument: that is named as its result is, which lies there."""
        sizes = self.shaped(call.args[place])
        self.view(variable, call.args[place], self.piece(sizes.dims), sizes, call.where)
        return replace(call, args=(*call.args[:place], variable, *call.args[place + 1 :]))

    def put_into_copy(self, variable: ir.Var, call: ir.Call, function: ir.Function, sizes: Sequence[Shaped]) -> None:
        """What would be written over and is read besides: the host puts the rows into a copy of it."""
        made = bindings_of(function.body)
        put = made[-1][1]
        if len(made) != 1 or not isinstance(put, ir.Call):
            raise SpecError(f"{variable.name}: put_inside of what is read besides; say put_rows")
        args = tuple(call.args[function.params.index(a)] for a in put.args)
        outputs = self.results(variable, call, sizes, [None])
        self.host("op", replace(put, args=args, where=call.where), outputs)

    def primitive(self, variable: ir.Var, call: ir.Call, function: ir.Function) -> None:
        checks: dict[Check, None] = {}
        sizes = primitive_sizes(function, [self.shaped(a) for a in call.args], checks)
        self.check(checks)
        assert isinstance(call.callee, ir.GlobalRef)
        if (place := lies_over(function)) is not None:
            if variable not in self.in_place:
                self.put_into_copy(variable, call, function, sizes)
                return
            there = self.over(variable, call, place)
            args = (call.callee, *there.args, variable)
            self.do(dialect.make(dialect.INVOKE_MUT, *args, where=call.where, outputs=1))
            return
        stored = stored_as(function) if RESULT in stored_places(function) else ""
        outputs = self.results(variable, call, sizes, [None] * len(sizes), stored)
        args = (call.callee, *call.args, *outputs)
        self.do(dialect.make(dialect.INVOKE_MUT, *args, where=call.where, outputs=len(outputs)))
        self.bundle(variable, outputs)

    def operator(self, variable: ir.Var, call: ir.Call, name: str) -> None:
        row = operator(name)
        if name == "shape_of":
            self.put(variable, dialect.make(dialect.SHAPE_OF, call.args[0], where=call.where))
            self.known(variable, Shaped((const(len(self.shaped(call.args[0]).dims)),), "int64"))
            return
        if name == SIZES_OF:  # which programs compute anyhow
            self.names[variable] = self.piece(sizes_at([self.shaped(a) for a in call.args], row.complete(call.attrs)))
            return
        if row.mode == "independent":
            checks: dict[Check, None] = {}
            sizes = call_sizes(call, self.shaped, checks)
            self.check(checks)
            if name in VIEWS:
                self.view(variable, call.args[0], self.piece(sizes[0].dims), sizes[0], call.where)
                return
            if name == SLICE and self.part(variable, call, sizes[0]):
                return
            if name == APPEND:
                axis, dtype = axis_of(integer(row.complete(call.attrs), "axis"), sizes[0].rank), sizes[0].dtype
                self.put(variable, dialect.make(dialect.APPEND, *call.args, where=call.where, axis=axis, dtype=dtype))
                self.known(variable, sizes[0])
                return
            if variable in self.in_place:
                self.host("op", self.over(variable, call, 0), [variable])
                return
            outputs = self.results(variable, call, sizes, [None] * len(sizes))
            self.host("op", call, outputs)
            self.bundle(variable, outputs)
            return
        kinds = tensor_types(variable.type)
        if row.bound is not None:
            bound = row.bound([self.shaped(a) for a in call.args], row.complete(call.attrs))
            self.bounded(variable, call, [Shaped(b, k.dtype) for b, k in zip(bound, kinds, strict=True)])
            return
        shapes = self.compiled_sizes(row, call, kinds)
        if shapes is None:
            shapes = [self.numbers(f"shape{i}", t.rank) for i, t in enumerate(kinds)]
            self.host("sizes", call, shapes)
        sizes = tuple(self.computed(shape, kind) for shape, kind in zip(shapes, kinds, strict=True))
        self.segment()
        if name == "reshape_to":
            self.view(variable, call.args[0], shapes[0], sizes[0], call.where)
        else:
            outputs = self.results(variable, call, sizes, shapes)
            self.host("op", call, outputs)
            self.bundle(variable, outputs)

    def compiled_sizes(self, row: Operator, call: ir.Call, kinds: Sequence[TensorType]) -> list[ir.Var] | None:
        """Shapes that follow from a few whole numbers, as a program of their own; None where the host computes them."""
        found = None if row.arithmetic is None else row.arithmetic(_elements(call), row.complete(call.attrs))
        if found is None:
            return None
        made = SizeProgram()
        where = f"{row.name} at {call.where}" if call.where else row.name
        for within in found.bounds:
            said = f"{within.what} of {where}"
            if within.least is not None:
                made.checks.append(Check(const(within.least), "<=", within.value, said))
            made.checks.append(Check(within.value, "<=", const(within.most), said))
        shapes = [ir.Var(f"shape{i}", TensorType((k.rank,), "int64")) for i, k in enumerate(kinds)]
        used = [*(d for dims in found.sizes for d in dims), *(e for c in made.checks for e in c.exprs)]
        values = {name: self.element(made, call, name) for name in sorted({n for e in used for n in e.names})}
        made.checks = [c.rewritten(lambda e: e.substitute(values)) for c in made.checks]
        for shape, dims in zip(shapes, found.sizes, strict=True):
            made.pieces[shape] = tuple(d.substitute(values) for d in dims)
            self.known(shape, Shaped((const(len(dims)),), "int64"))
        self.steps += made.steps()
        return shapes

    def element(self, program: SizeProgram, call: ir.Call, name: str) -> Index:
        """An element of a call's argument, as a program reads it."""
        place, element = argument_of(name)
        tensor = call.args[place]
        assert isinstance(tensor, ir.Var)
        return program.element(tensor, element)

    def bounded(self, variable: ir.Var, call: ir.Call, sizes: Sequence[Shaped]) -> None:
        """Results in tensors that are large enough, then seen as large as they are."""
        kinds = tensor_types(variable.type)
        wide = [ir.Var(f"bound{i}", TensorType((UNNAMED,) * k.rank, k.dtype)) for i, k in enumerate(kinds)]
        for w, size in zip(wide, sizes, strict=True):
            self.allocate(w, size, call.where)
        true = [self.numbers(f"shape{i}", k.rank) for i, k in enumerate(kinds)]
        self.host("bounded", call, [*wide, *true])
        made: list[ir.Expr] = []
        for i, (w, shape, kind) in enumerate(zip(wide, true, kinds, strict=True)):
            part = variable if isinstance(variable.type, TensorType) else ir.Var(f"{variable.name}{i}", kind)
            self.view(part, w, shape, self.computed(shape, kind), call.where)
            made.append(part)
        self.segment()
        self.bundle(variable, made)

    def numbers(self, name: str, count: int) -> ir.Var:
        """A new int64 tensor on the host."""
        made = ir.Var(name, TensorType((count,), "int64"))
        self.allocate(made, Shaped((const(count),), "int64"), "")
        return made

    def host(self, how: str, call: ir.Call, outputs: Sequence[ir.Expr]) -> None:
        name, given, attrs = ir.operator_of(call), call.args, dict(call.attrs)
        plain = f"{how}_{name}"
        if how == "op" and name == ARANGE and ir.tensor_of(given[0]).dtype == "int64":
            plain = ARANGE
        elif how == "op" and name in (*REPEATS, "broadcast_by"):
            plain, given, attrs = REPEAT, given[:1], {}
        args = (*given, *outputs)
        self.do(
            dialect.make(
                dialect.INVOKE_PACKED, *args, where=call.where, call=call_text(plain, attrs), outputs=len(outputs)
            )
        )


def _elements(call: ir.Call) -> list[tuple[Index, ...] | None]:
    """What is known of the arguments' elements: numbers, names of those that a program can read, or nothing."""
    found: list[tuple[Index, ...] | None] = []
    for place, arg in enumerate(call.args):
        kind = ir.type_of(arg)
        count = math.prod(kind.shape) if isinstance(kind, TensorType) and kind.is_static else None  # type: ignore[arg-type]  # static
        if not isinstance(kind, TensorType) or kind.dtype != "int64" or count is None or count > MAX_RANK:
            found.append(None)
        elif isinstance(arg, ir.Constant):
            found.append(tuple(const(int(n)) for n in arg.array.reshape(-1)))
        else:
            found.append(tuple(argument(place, i) for i in range(count)))
    return found


def _without_unread_tuples(steps: Sequence[Binding], result: ir.Expr) -> list[Binding]:
    """Tuples of results are made for who reads them whole; fields are read where they came from."""
    read: Counter[ir.Var] = Counter(variables_read(result))
    kept: list[Binding] = []
    for variable, value in reversed(steps):
        if isinstance(value, ir.TupleExpr) and not read[variable]:
            continue
        read.update(variables_read(value))
        kept.append((variable, value))
    return kept[::-1]

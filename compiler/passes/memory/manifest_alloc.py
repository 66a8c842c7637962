"""Explicit memory: kernels write into tensors allocated before, whose sizes `size_scopes` computes before that.

Calls of primitive functions become `vm.invoke_mut`, views `vm.reshape_tensor`, and operators without a kernel functions
of the host: `op_x` writes results, `sizes_x` their shapes first where these depend on data and are no plain arithmetic,
and `bounded_x` writes into tensors that are large enough and says how much of them it used.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from anytile.compiler.ir import memory_dialect
from anytile.compiler.ir.nodes import (
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
from anytile.compiler.ir.traverse import Binding, bound_by, is_atom, make_block, map_atoms, map_blocks, variables_read
from anytile.compiler.ir.types import UNIT, UNNAMED, StorageType, TensorType
from anytile.compiler.kernels.kernel_of import tensor_types
from anytile.compiler.operators import Operator, operator
from anytile.compiler.operators.spec import Shaped
from anytile.compiler.sizes.size_programs import HOST, SizeProgram, number
from anytile.compiler.sizes.size_scopes import Measuring
from anytile.compiler.sizes.sizes import ALIGNMENT, byte_size, call_sizes, primitive_sizes
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const
from anytile.vm.interpreter.host_functions import call_text
from anytile.vm.program.isa import MAX_RANK
from anytile.vm.program.shape_programs import Check, argument, argument_of

VIEWS = ("expect", "reshape", "flatten", "expand_dims", "squeeze", "reshape_like")


def manifest_alloc(module: Module) -> Module:
    def explicit(f: Function) -> Function:
        if f.is_primitive:
            return f
        return replace(f, body=_Scope(module, None).function(f))

    return replace(module, functions={name: explicit(f) for name, f in module.functions.items()})


class _Scope(Measuring):
    """One block while its memory is made explicit."""

    def __init__(self, module: Module, outer: _Scope | None) -> None:
        super().__init__(outer)
        self.module = module
        self.names: dict[Var, Expr] = {} if outer is None else dict(outer.names)
        self.tuples: dict[Var, tuple[Expr, ...]] = {} if outer is None else dict(outer.tuples)

    # -- walking ---------------------------------------------------------------------------------------------------

    def function(self, f: Function) -> Expr:
        for p in f.params:
            self.measure(p)
        return self.block(f.body)

    def block(self, body: Expr) -> Expr:
        bindings = body.bindings if isinstance(body, Let) else ()
        for at, (variable, value) in enumerate(bindings):
            is_last = at == len(bindings) - 1
            self.step(variable, map_atoms(value, self.follow), is_last)
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

    # -- steps -----------------------------------------------------------------------------------------------------

    def put(self, variable: Var, value: Expr) -> None:
        self.steps.append((variable, value))

    def do(self, call: Call) -> None:
        self.put(Var("_", UNIT), call)

    def allocate(self, variable: Var, sizes: Shaped, where: str, shape: Expr | None = None) -> None:
        """Memory of its own for a tensor."""
        size = self.piece(byte_size(sizes.dims, sizes.dtype))
        storage = Var("storage", StorageType())
        self.put(
            storage,
            memory_dialect.make(memory_dialect.ALLOC_STORAGE, size, where=where, alignment=ALIGNMENT, device=HOST),
        )
        at, shape = number(0), self.piece(sizes.dims) if shape is None else shape
        made = memory_dialect.make(memory_dialect.ALLOC_TENSOR, storage, at, shape, where=where, dtype=sizes.dtype)
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
        self.do(memory_dialect.make(memory_dialect.INVOKE_MUT, *args, where=call.where, outputs=len(outputs)))
        self.bundle(variable, outputs)

    def operator(self, variable: Var, call: Call, name: str) -> None:
        row = operator(name)
        if name == "shape_of":
            self.put(variable, memory_dialect.make(memory_dialect.SHAPE_OF, call.args[0], where=call.where))
            self.known(variable, Shaped((const(len(self.shaped(call.args[0]).dims)),), "int64"))
            return
        if row.mode == "independent":
            checks: dict[Check, None] = {}
            sizes = call_sizes(call, self.shaped, checks)
            self.check(checks)
            if name in VIEWS:
                shape = self.piece(sizes[0].dims)
                self.put(variable, memory_dialect.make(memory_dialect.RESHAPE, call.args[0], shape, where=call.where))
                self.known(variable, sizes[0])
                return
            outputs = self.results(variable, call, sizes, [None] * len(sizes))
            self.host("op", call, outputs)
            self.bundle(variable, outputs)
            return
        kinds = tensor_types(variable.type)
        shapes = self.compiled_sizes(row, call, kinds)
        if shapes is None:
            shapes = [self.numbers(f"shape{i}", t.rank) for i, t in enumerate(kinds)]
            self.host("sizes", call, shapes)
        sizes = tuple(self.computed(shape, kind) for shape, kind in zip(shapes, kinds, strict=True))
        self.segment()
        if name == "reshape_to":
            self.put(variable, memory_dialect.make(memory_dialect.RESHAPE, call.args[0], shapes[0], where=call.where))
            self.known(variable, sizes[0])
        elif row.mode == "data":
            outputs = self.results(variable, call, sizes, shapes)
            self.host("op", call, outputs)
            self.bundle(variable, outputs)
        else:
            self.bounded(variable, call, sizes, shapes)

    def compiled_sizes(self, row: Operator, call: Call, kinds: Sequence[TensorType]) -> list[Var] | None:
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
        shapes = [Var(f"shape{i}", TensorType((k.rank,), "int64")) for i, k in enumerate(kinds)]
        used = [*(d for dims in found.sizes for d in dims), *(e for c in made.checks for e in c.exprs)]
        values = {name: self.element(made, call, name) for name in sorted({n for e in used for n in e.names})}
        made.checks = [c.rewritten(lambda e: e.substitute(values)) for c in made.checks]
        for shape, dims in zip(shapes, found.sizes, strict=True):
            made.pieces[shape] = tuple(d.substitute(values) for d in dims)
            self.known(shape, Shaped((const(len(dims)),), "int64"))
        self.steps += made.steps()
        return shapes

    def element(self, program: SizeProgram, call: Call, name: str) -> Index:
        """An element of a call's argument, as a program reads it."""
        place, element = argument_of(name)
        tensor = call.args[place]
        assert isinstance(tensor, Var)
        return program.element(tensor, element)

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
            self.put(part, memory_dialect.make(memory_dialect.RESHAPE, w, shape, where=call.where))
            self.known(part, self.computed(shape, kind))
            made.append(part)
        self.segment()
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
        self.do(
            memory_dialect.make(memory_dialect.INVOKE_PACKED, *args, where=call.where, call=text, outputs=len(outputs))
        )


def _elements(call: Call) -> list[tuple[Index, ...] | None]:
    """What is known of the arguments' elements: numbers, names of those that a program can read, or nothing."""
    found: list[tuple[Index, ...] | None] = []
    for place, arg in enumerate(call.args):
        kind = arg.type if isinstance(arg, Var | Constant) else None
        count = math.prod(kind.shape) if isinstance(kind, TensorType) and kind.is_static else None  # type: ignore[arg-type]  # static
        if not isinstance(kind, TensorType) or kind.dtype != "int64" or count is None or count > MAX_RANK:
            found.append(None)
        elif isinstance(arg, Constant):
            found.append(tuple(const(int(n)) for n in arg.array.reshape(-1)))
        else:
            found.append(tuple(argument(place, i) for i in range(count)))
    return found


def _without_unread_tuples(steps: Sequence[Binding], result: Expr) -> list[Binding]:
    """Tuples of results are made for who reads them whole; fields are read where they came from."""
    read: Counter[Var] = Counter(variables_read(result))
    kept: list[Binding] = []
    for variable, value in reversed(steps):
        if isinstance(value, TupleExpr) and not read[variable]:
            continue
        read.update(variables_read(value))
        kept.append((variable, value))
    return kept[::-1]

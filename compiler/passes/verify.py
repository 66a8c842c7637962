"""The verifier of the model language: what holds of a module after every pass. What does not is a defect of a pass.

Of every module: names exist, variables are bound once and before they are read, calls have as many arguments as they
need, attributes are known. Of blocks, in A-normal form: steps and atoms are where `ir.traverse` says. Before memory is
explicit type inference must accept the module and find the types that stand in it; afterwards each operation of the
dialect gets and makes what its row says, and a tensor is written before it is read. Primitive functions are kernels.
"""

from __future__ import annotations

from collections.abc import Iterator

from anytile.compiler.infer import infer
from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.traverse import atoms_of, bindings_of, blocks, bound_by, is_atom, result_of, steps
from anytile.compiler.ir.types import StorageType, TensorType, Type, alike
from anytile.compiler.kernels.kernel_of import kernel_of, tensor_types
from anytile.compiler.operators import operator
from anytile.core.errors import AnytileError, SpecError
from anytile.core.plurals import counted

_STEPS = (ir.Call, ir.TupleExpr, ir.TupleGet, ir.If, ir.Match, ir.Function)


def verify(module: ir.Module, anf: bool = True) -> None:
    """Refuse a module that is not sound; `anf` after `to_anf`."""
    for name, function in module.functions.items():
        try:
            _Scopes(module, name, anf).function(function, set())
            if function.is_primitive and kernel_of(function) is None:
                raise SpecError("is called primitive, and no kernel does what it says")
        except AnytileError as error:
            raise SpecError(f"verifier: {name}: {error}") from None
    if is_explicit(module):
        for name, function in module.functions.items():
            if not function.is_primitive:
                _Explicit(module, name).block(function.body, set(), {})
    elif anf:
        _check_types(module)


def is_explicit(module: ir.Module) -> bool:
    """Whether a module's memory is explicit."""
    return any(dialect.name_of(value) for f in module.functions.values() for _, value in steps(f.body))


class _Scopes:
    """Names, scopes, arity."""

    def __init__(self, module: ir.Module, name: str, anf: bool) -> None:
        self.module, self.name, self.anf = module, name, anf
        self.bound: set[ir.Var] = set()

    def bind(self, scope: set[ir.Var], variables: Iterator[ir.Var] | tuple[ir.Var, ...]) -> None:
        for v in variables:
            if v in self.bound:
                raise SpecError(f"{v.name} is bound twice")
            self.bound.add(v)
            scope.add(v)

    def function(self, f: ir.Function, scope: set[ir.Var]) -> None:
        inner = set(scope)
        self.bind(inner, f.params)
        self.block(f.body, inner)

    def block(self, body: ir.Expr, outer: set[ir.Var]) -> None:
        scope = set(outer)
        for var, value in bindings_of(body):
            self.value(value, scope, is_result=False)
            self.bind(scope, (var,))
        self.value(body.body if isinstance(body, ir.Let) else body, scope, is_result=True)

    def value(self, e: ir.Expr, scope: set[ir.Var], is_result: bool) -> None:
        if self.anf:
            if is_result and not is_atom(e):
                raise SpecError(f"a block ends in a {type(e).__name__}; expected an atom")
            if not is_result and not isinstance(e, _STEPS) and not is_atom(e):
                raise SpecError(f"a {type(e).__name__} is bound; expected one step")
        if isinstance(e, ir.Let):
            self.block(e, scope)
            return
        for part in atoms_of(e):
            if self.anf and not is_atom(part):
                raise SpecError(f"a {type(part).__name__} in a {type(e).__name__}; expected an atom")
            if part is not e:
                self.value(part, scope, is_result=True)
        match e:
            case ir.Var() if e not in scope:
                raise SpecError(f"{e.name} is read where it is not bound")
            case ir.GlobalRef(name):
                self.module.function(name)
            case ir.Call():
                self.call(e)
            case ir.Match(_, clauses):
                for pattern, body in clauses:
                    inner = set(scope)
                    self.bind(inner, bound_by(pattern))
                    self.block(body, inner)
            case ir.If():
                for body in blocks(e):
                    self.block(body, scope)
            case ir.Function():
                self.function(e, scope)
            case _:
                pass

    def call(self, e: ir.Call) -> None:
        match e.callee:
            case ir.OperatorRef(name) if name in dialect.ROWS:
                row = dialect.ROWS[name]
                if row.arity is not None and row.arity != len(e.args):
                    raise SpecError(f"{name} of {counted(len(e.args), 'argument')}; expected {row.arity}")
                if tuple(key for key, _ in e.attrs) != row.attributes:
                    raise SpecError(f"{name}: expected the attributes {', '.join(row.attributes) or 'none'}")
            case ir.OperatorRef(name):
                operator(name).complete(e.attrs)
                operator(name).check_count(len(e.args))
            case ir.ConstructorRef(data, name):
                wanted = len(self.module.data_type(data).constructor(name).fields)
                if wanted != len(e.args):
                    raise SpecError(f"{name} of {counted(len(e.args), 'field')}; expected {wanted}")
            case ir.GlobalRef(name) if len(self.module.function(name).params) != len(e.args):
                raise SpecError(f"{name} is called with {counted(len(e.args), 'argument')}")
            case _:
                pass


def _check_types(module: ir.Module) -> None:
    """Type inference finds the ranks and dtypes that variables have; sizes it may know better or under other names."""
    try:
        again = infer(module).module
    except AnytileError as error:
        raise SpecError(f"verifier: type inference refuses the module: {error}") from None
    for name, function in module.functions.items():
        for own, other in zip(_bound(function), _bound(again.functions[name]), strict=False):
            if own.type is not None and not _kin(own.type, other.type):
                raise SpecError(f"verifier: {name}: {own.name} is {own.type}, and type inference says {other.type}")


def _bound(f: ir.Function) -> Iterator[ir.Var]:
    yield from f.params
    yield from (var for var, _ in steps(f.body))


def _kin(a: Type, b: Type | None) -> bool:
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        same = zip(a.shape, b.shape, strict=False)
        return (
            a.dtype == b.dtype
            and a.rank == b.rank
            and not any(isinstance(x, int) and isinstance(y, int) and x != y for x, y in same)
        )
    return alike(a, b) or type(a) is type(b)


class _Explicit:
    """Operations of the memory dialect: what they get, what they make; nothing is read before it is written."""

    def __init__(self, module: ir.Module, name: str) -> None:
        self.module, self.name = module, name

    def wrong(self, call: ir.Call, what: str) -> SpecError:
        at = f" at {call.where}" if call.where else ""
        return SpecError(f"verifier: {self.name}: {dialect.name_of(call)}{at}: {what}")

    def block(self, body: ir.Expr, unwritten: set[ir.Var], dead: dict[ir.Var, ir.Call]) -> None:
        unwritten, dead = set(unwritten), dict(dead)
        for var, value in bindings_of(body):
            name = dialect.name_of(value)
            if isinstance(value, ir.Call) and name:
                self.operation(var, value, name, unwritten, dead)
            else:
                self.reads(var.name, atoms_of(value), unwritten, dead)
            for inner in blocks(value):
                self.block(inner, unwritten, dead)
        self.reads("the result", (result_of(body),), unwritten, dead)

    def reads(self, what: str, args: tuple[ir.Expr, ...], unwritten: set[ir.Var], dead: dict[ir.Var, ir.Call]) -> None:
        for a in args:
            if isinstance(a, ir.Var) and a in unwritten:
                raise SpecError(f"verifier: {self.name}: {what} reads {a.name} before it is written")
            if isinstance(a, ir.Var) and a in dead:
                raise SpecError(f"verifier: {self.name}: {what} reads {a.name} after it was killed")

    def operation(
        self, var: ir.Var, call: ir.Call, name: str, unwritten: set[ir.Var], dead: dict[ir.Var, ir.Call]
    ) -> None:
        if name.startswith("vm.invoke"):
            self.reads(name, dialect.inputs_of(call), unwritten, dead)
            self.reads(name, dialect.outputs_of(call), set(), dead)
            for output in dialect.outputs_of(call):
                if not isinstance(output, ir.Var) or output not in unwritten:
                    raise self.wrong(call, "writes what is no new tensor; each is written once")
                unwritten.discard(output)
            if name == dialect.INVOKE_MUT:
                self.kernel(call)
        else:
            self.reads(name, call.args, unwritten if name != dialect.KILL else set(), dead)
        if name in (dialect.ALLOC_TENSOR, dialect.PART):
            unwritten |= {var} if name == dialect.ALLOC_TENSOR else set()
            storage, offset, shape = call.args[-3:]
            if not isinstance(storage, ir.Var) or not isinstance(storage.type, StorageType):
                raise self.wrong(call, "expected storage")
            self.numbers(call, offset, 0)
            self.numbers(call, shape, 1)
        if name == dialect.ALLOC_STORAGE:
            self.numbers(call, call.args[0], 0)
        if name == dialect.KILL and isinstance(call.args[0], ir.Var):
            dead[call.args[0]] = call

    def numbers(self, call: ir.Call, e: ir.Expr, rank: int) -> None:
        kind = ir.type_of(e)
        if not isinstance(kind, TensorType) or kind.dtype != "int64" or kind.rank != rank:
            raise self.wrong(call, f"expected int64 of {counted(rank, 'dimension')}, got {kind}")

    def kernel(self, call: ir.Call) -> None:
        ref = call.args[0]
        if not isinstance(ref, ir.GlobalRef) or not self.module.function(ref.name).is_primitive:
            raise self.wrong(call, "expected a primitive function")
        function = self.module.function(ref.name)
        given = [*dialect.inputs_of(call), *dialect.outputs_of(call)]
        wanted = [*(p.type for p in function.params), *tensor_types(function.result)]
        if len(given) != len(wanted):
            raise self.wrong(call, f"{ref.name} takes {counted(len(wanted), 'tensor')}, got {len(given)}")
        for e, t in zip(given, wanted, strict=True):
            own = ir.type_of(e)
            if not isinstance(own, TensorType) or not isinstance(t, TensorType) or not _kin(own, t):
                raise self.wrong(call, f"{ref.name} takes {t}, got {own}")

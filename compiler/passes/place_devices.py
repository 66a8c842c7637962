"""Device placement: where every tensor lies, by unification over device domains; copies where two domains meet.

What is one thing has one domain: a view or a part and what it is of, a parameter and its arguments, a branch's result
and what it is bound to, everything in a data type. Kernels run on the device and want their operands there, but for
those over scalars, which go with whoever else uses them, and gathers, whose positions the machine looks at. What rows
are appended to is there, too, unless it is one with something of the host. Sizes, conditions, functions of the host and
the model's inputs are on the host. Unification begins with what does not touch the host; an edge that would make one
domain of two devices stays an edge, and becomes a `device_copy`. That of a constant costs nothing at run time: lowering
stores the constant for the device, and a session copies it there when it is made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.memory_dialect import HOST
from anytile.compiler.ir.traverse import (
    Binding,
    atoms_of,
    bindings_of,
    blocks,
    bound_by,
    make_block,
    map_atoms,
    map_blocks,
    result_of,
)
from anytile.compiler.ir.types import DataRef, FunctionType, TensorType, Type

Key = Hashable
_CLOSURES, _DATA = ("closures",), ("data",)
_INVOCATIONS = (dialect.INVOKE_SHAPE, dialect.INVOKE_PACKED, dialect.INVOKE_MUT)


def place_devices(module: ir.Module, device: int) -> ir.Module:
    """The module with kernels on a device; on the host nothing changes."""
    if device == HOST:
        return module
    placing = _Placing(module, device)
    placing.unify()
    functions = {
        name: f if f.is_primitive else replace(f, body=placing.block(f.body, ("result", name)))
        for name, f in module.functions.items()
    }
    return replace(module, functions={**functions, **placing.made})


@dataclass(frozen=True, slots=True)
class _Edge:
    """A value where something of another domain is wanted."""

    value: Key
    wanted: Key
    is_one: bool = False  # the two are one thing, between which no copy can be


class _Placing:
    def __init__(self, module: ir.Module, device: int) -> None:
        self.module, self.device = module, device
        self.parent: dict[Key, Key] = {}
        self.pins: dict[Key, int] = {HOST: HOST, device: device}
        self.made: dict[str, ir.Function] = {}
        self.storages: dict[ir.Var, Key] = {}
        self.appended: list[ir.Var] = []

    # -- domains ---------------------------------------------------------------------------------------------------

    def find(self, key: Key) -> Key:
        while (up := self.parent.get(key, key)) != key:
            self.parent[key] = self.parent.get(up, up)
            key = up
        return key

    def join(self, edge: _Edge) -> None:
        """One domain of two, unless they are on different devices."""
        a, b = self.find(edge.value), self.find(edge.wanted)
        mine, other = self.pins.get(a), self.pins.get(b)
        if a != b and (mine is None or other is None or mine == other):
            self.parent[a] = b
            if mine is not None:
                self.pins[b] = mine

    def where(self, key: Key) -> int:
        """The device of a domain; what nothing speaks for stays on the host."""
        return self.pins.get(self.find(key), HOST)

    def unify(self) -> None:
        edges: list[_Edge] = []
        for name, f in self.module.functions.items():
            if not f.is_primitive:
                edges += self.edges(f.body, ("result", name))
        for p in self.module.main.params:
            self.pins[self.find(key_of(p))] = HOST
        for edge in edges:
            if edge.is_one:
                self.join(edge)
        for with_host in (False, True):
            for var in self.appended if with_host else ():
                self.pins.setdefault(self.find(key_of(var)), self.device)
            for edge in edges:
                if with_host or HOST not in (
                    self.pins.get(self.find(edge.value)),
                    self.pins.get(self.find(edge.wanted)),
                ):
                    self.join(edge)

    def edges(self, block: ir.Expr, result: Key) -> Iterator[_Edge]:
        """What flows where in a block, whose value goes to `result`."""
        for var, value in bindings_of(block):
            self.define(var, value)
            for atom, wanted in zip(atoms_of(value), self.wants(var, value), strict=True):
                if wanted is not None and isinstance(atom, ir.Var):
                    yield _Edge(key_of(atom), wanted)
            yield from self.same(var, value)
            for inner in blocks(value):
                yield from self.edges(inner, _CLOSURES if isinstance(value, ir.Function) else key_of(var))
        if isinstance(last := result_of(block), ir.Var):
            yield _Edge(key_of(last), result)

    def same(self, var: ir.Var, value: ir.Expr) -> Iterator[_Edge]:
        """What a step makes and binds that is one with something else."""
        match value:
            case ir.TupleGet(source):
                yield _Edge(key_of(var), key_of(source), is_one=True)
            case ir.Match(source, clauses):
                for pattern, _ in clauses:
                    yield from (_Edge(key_of(v), key_of(source), is_one=True) for v in bound_by(pattern))
            case ir.Function():
                yield from (_Edge(key_of(p), _CLOSURES, is_one=True) for p in value.params)
            case ir.Call(ir.OperatorRef(dialect.PART), (source, *_)):
                yield _Edge(key_of(var), key_of(source), is_one=True)
            case ir.Call(ir.GlobalRef(name)):
                yield _Edge(key_of(var), ("result", name), is_one=True)
            case ir.Call(callee) if isinstance(callee, ir.Var):
                yield _Edge(key_of(var), _CLOSURES, is_one=True)
            case _:
                pass
        for atom in atoms_of(value)[int(isinstance(value, ir.Call)) :] if not dialect.name_of(value) else ():
            if isinstance(atom, ir.GlobalRef):  # a function as a value
                yield _Edge(("result", atom.name), _CLOSURES, is_one=True)
                params = self.module.function(atom.name).params
                yield from (_Edge(key_of(p), _CLOSURES, is_one=True) for p in params)

    def define(self, var: ir.Var, value: ir.Expr) -> None:
        """Where what a step makes must be."""
        name = dialect.name_of(value)
        if name == dialect.SHAPE_OF:
            self.pins[self.find(var)] = HOST
        elif name == dialect.APPEND:
            self.appended.append(var)
        elif name == dialect.ALLOC_TENSOR:
            assert isinstance(value, ir.Call)
            storage = value.args[0]
            assert isinstance(storage, ir.Var)
            self.storages[storage] = var
        elif ir.is_operator_call(value, *_INVOCATIONS) and (at := self.runs_on(value)) is not None:
            self.pins |= {self.find(key_of(output)): at for output in dialect.outputs_of(value)}

    def runs_on(self, call: ir.Call) -> int | None:
        """Where an invocation must run; None for a kernel over scalars, which runs where they are."""
        if not ir.is_operator_call(call, dialect.INVOKE_MUT):
            return HOST
        ref = call.args[0]
        assert isinstance(ref, ir.GlobalRef)
        function = self.module.function(ref.name)
        if is_for_host(function):
            return HOST
        return None if all(ir.tensor_of(a).rank == 0 for a in call.args[1:]) else self.device

    def wants(self, var: ir.Var, value: ir.Expr) -> list[Key | None]:
        """For each part of a step the domain that it should be in; None where any will do."""
        name = dialect.name_of(value)
        match value:
            case ir.If():
                return [HOST]
            case ir.Match() | ir.TupleGet():
                return [None]
            case ir.Call() if name in (dialect.SHAPE_OF, dialect.KILL):
                return [None]
            case ir.Call() if name == dialect.RESHAPE:
                return [key_of(var), HOST]
            case ir.Call() if name == dialect.ALLOC_TENSOR:
                return [None, HOST, HOST]
            case ir.Call() if name == dialect.PART:
                return [None, None, HOST, HOST]
            case ir.Call() if name in _INVOCATIONS:
                at, skipped = self.runs_on(value), int(name == dialect.INVOKE_MUT)
                wanted = key_of(dialect.outputs_of(value)[0]) if at is None else at
                return [None] * skipped + [wanted] * (len(value.args) - skipped)
            case ir.Call() if name == dialect.APPEND:
                return [key_of(var)] * len(value.args)
            case ir.Call() if name:
                return [HOST] * len(value.args)
            case ir.Call(ir.ConstructorRef(), args):
                return [_DATA] * len(args)
            case ir.Call(ir.GlobalRef(called), args):
                params = self.module.function(called).params
                return [None, *map(key_of, params)]
            case ir.Call(_, args):
                return [None, *([_CLOSURES] * len(args))]
            case _:
                return [key_of(var)] * len(atoms_of(value))

    # -- writing ---------------------------------------------------------------------------------------------------

    def block(self, block: ir.Expr, result: Key) -> ir.Expr:
        kept: list[Binding] = []
        copies: dict[tuple[ir.Expr, int], ir.Var] = {}

        def moved(atom: ir.Expr, wanted: Key | None) -> ir.Expr:
            """The atom where it is wanted, copied there once in a block."""
            if wanted is None or not isinstance(atom, ir.Var | ir.Constant) or not isinstance(atom.type, TensorType):
                return atom
            here, there = HOST if isinstance(atom, ir.Constant) else self.where(key_of(atom)), self.where(wanted)
            if here == there:
                return atom
            if (atom, there) not in copies:
                copy = ir.Var(f"{atom.name or 'constant'}_there", atom.type)
                self.parent[copy] = there
                copies[atom, there] = copy
                attrs = (("from", here), ("to", there))
                kept.append((copy, ir.Call(ir.OperatorRef(dialect.DEVICE_COPY), (atom,), attrs)))
            return copies[atom, there]

        for var, value in bindings_of(block):
            wanted = iter(self.wants(var, value))
            step = map_atoms(value, lambda atom, wanted=wanted: moved(atom, next(wanted)))  # type: ignore[misc]  # a default
            inner = _CLOSURES if isinstance(value, ir.Function) else key_of(var)
            kept.append((var, self.placed(var, map_blocks(step, lambda b, inner=inner: self.block(b, inner)))))  # type: ignore[misc]
        return make_block(kept, moved(result_of(block), None if result == ("result", "main") else result))

    def placed(self, var: ir.Var, step: ir.Expr) -> ir.Expr:
        """Storage on the device of its tensor, kernels as those of theirs."""
        name = dialect.name_of(step)
        if not isinstance(step, ir.Call):
            return step
        if name == dialect.ALLOC_STORAGE and var in self.storages:
            device = self.where(self.storages[var])
            return replace(step, attrs=tuple((k, device if k == "device" else v) for k, v in step.attrs))
        if name != dialect.INVOKE_MUT:
            return step
        device, ref = self.where(key_of(dialect.outputs_of(step)[0])), step.args[0]
        assert isinstance(ref, ir.GlobalRef)
        if device == HOST:
            return step
        there = f"{ref.name}_on_{device}"
        function = self.module.function(ref.name)
        self.made[there] = replace(function, attrs=(*function.attrs, ("device", device)))
        return replace(step, args=(ir.GlobalRef(there), *step.args[1:]))


def is_for_host(function: ir.Function) -> bool:
    """Whether a kernel runs on the host: one whose positions the machine looks at."""
    return any(ir.is_operator_call(v, "take", "one_hot") for _, v in bindings_of(function.body))


def key_of(e: ir.Expr) -> Key:
    """The domain of a value: its own, or that of all values of its kind."""
    return _kind(e.type, e) if isinstance(e, ir.Var) else e


def _kind(t: Type | None, own: Key) -> Key:
    if isinstance(t, DataRef):
        return _DATA
    if isinstance(t, FunctionType):
        return _CLOSURES
    return own

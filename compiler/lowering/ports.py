"""Ports and register kinds: types as the machine has them, and what goes into `main` and comes out of it.

A generic data type becomes one of the machine's for each way it is used, named as it is spelled. A size of an input
that inference found to be a number or another's has in `demands_of` the steps of the model that want it so.
"""

from __future__ import annotations

from collections.abc import Sequence

from anytile.compiler.infer import Refinement
from anytile.compiler.infer.record import step
from anytile.compiler.ir.nodes import Function, Module
from anytile.compiler.ir.types import Any, DataRef, FunctionType, StorageType, TensorType, TupleType, Type, substitute
from anytile.core.errors import SpecError, UnsupportedError
from anytile.vm.program.executable import Constructor, DataPort, DataType, Port, TensorPort, TuplePort
from anytile.vm.program.isa import Kind

_MANY = 3  # steps that a message names


def kind_of(t: Type | None) -> Kind:
    """What a register holds of this type."""
    match t:
        case TensorType():
            return Kind.TENSOR
        case TupleType() | DataRef():
            return Kind.ADT
        case FunctionType():
            return Kind.CLOSURE
        case StorageType():
            return Kind.STORAGE
        case _:
            return Kind.ANY


def ports_of(module: Module) -> tuple[tuple[tuple[str, Port], ...], Port, tuple[DataType, ...]]:
    """What main takes, what it returns, and the data types in both."""
    ports = _Ports(module)
    main = module.main
    inputs = tuple((p.name, ports.of(_known(p.type, p.name))) for p in main.params)
    output = ports.of(_known(main.result, "the result"))
    return inputs, output, tuple(ports.data.values())


def demands_of(written: Function, typed: Function, learnt: Sequence[Refinement]) -> dict[tuple[str, int], str]:
    """By input and axis of main: the steps because of which a size is another's, or a number."""
    own = [r for r in learnt if r.function == "main"]
    found = {}
    for p, made in zip(written.params, typed.params, strict=True):
        if isinstance(p.type, TensorType) and isinstance(made.type, TensorType):
            for axis, dims in enumerate(zip(p.type.shape, made.type.shape, strict=True)):
                steps = _steps({d.name for d in dims if isinstance(d, Any) and d.name}, own)
                if steps:
                    found[p.name, axis] = ", ".join(steps[:_MANY])
    return found


def _steps(names: set[str], learnt: Sequence[Refinement]) -> list[str]:
    """The steps that made these names, and all that became the same, what they are."""
    used: list[Refinement] = []
    while True:
        more = [r for r in learnt if r not in used and not names.isdisjoint(_names(r))]
        if not more:
            return list(dict.fromkeys(step(r.because) for r in used))
        used += more
        names = names.union(*map(_names, more))


def _names(r: Refinement) -> set[str]:
    return {r.name, r.became.name} if isinstance(r.became, Any) else {r.name}


def _known(t: Type | None, what: str) -> Type:
    if t is None:
        raise SpecError(f"main: {what} has no type; run type inference first")
    return t


class _Ports:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.data: dict[str, DataType] = {}

    def of(self, t: Type) -> Port:
        match t:
            case TensorType(shape, dtype):
                return TensorPort(tuple(d if isinstance(d, int) else d.name or None for d in shape), dtype)
            case TupleType(fields):
                return TuplePort(tuple(map(self.of, fields)))
            case DataRef():
                self.declare(t)
                return DataPort(str(t))
            case _:
                raise UnsupportedError(f"main: a value of type {t} cannot go in or come out; expected tensors or data")

    def declare(self, ref: DataRef) -> None:
        """The data type of a reference, and those that its fields need."""
        name = str(ref)
        if name in self.data:
            return
        declared = self.module.data_type(ref.name)
        self.data[name] = DataType(name, ())  # known before its fields, which may be of it
        values = dict(zip(declared.params, ref.args, strict=True))
        constructors = tuple(
            Constructor(c.name, tuple(self.of(substitute(f, values)) for f in c.fields)) for c in declared.constructors
        )
        self.data[name] = DataType(name, constructors)

"""Types of the model language as the machine's ports and register kinds: what goes into `main` and comes out of it.

A generic data type becomes one of the machine's for each way it is used, named as it is spelled.
"""

from __future__ import annotations

from anytile.compiler.ir import Module
from anytile.compiler.types import (
    DataRef,
    FunctionType,
    StorageType,
    TensorType,
    TupleType,
    Type,
    substitute,
)
from anytile.schedules.errors import SpecError, UnsupportedError
from anytile.vm.executable import Constructor, DataPort, DataType, Port, TensorPort, TuplePort
from anytile.vm.isa import Kind


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

"""Ports and data types as JSON-able data, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as AnyType

from anytile.vm.program.executable import Constructor, DataPort, DataType, Port, TensorPort, TuplePort
from anytile.vm.program.isa import DTYPES, MAX_RANK


def port_data(port: Port) -> AnyType:
    """A tensor is [dtype, shape], a tuple {"tuple": [...]}, a data type its name."""
    match port:
        case TensorPort(shape, dtype):
            return [dtype, list(shape)]
        case TuplePort(fields):
            return {"tuple": [port_data(f) for f in fields]}
        case DataPort(name):
            return name


def port_of(data: AnyType) -> Port:
    """The inverse; a ValueError where it is none."""
    if isinstance(data, str):
        return DataPort(data)
    if isinstance(data, dict):
        return TuplePort(tuple(port_of(f) for f in data["tuple"]))
    dtype, shape = data
    if dtype not in DTYPES or not isinstance(shape, list) or len(shape) > MAX_RANK:
        raise ValueError(f"{data!r} is no tensor")
    return TensorPort(tuple(_dim(d) for d in shape), dtype)


def _dim(d: AnyType) -> int | str | None:
    if d is None or isinstance(d, str) or (isinstance(d, int) and not isinstance(d, bool) and d >= 0):
        return d
    raise ValueError(f"{d!r} is no dimension")


def types_data(types: Sequence[DataType]) -> AnyType:
    return [[t.name, [[c.name, [port_data(f) for f in c.fields]] for c in t.constructors]] for t in types]


def types_of(data: AnyType) -> tuple[DataType, ...]:
    return tuple(
        DataType(str(name), tuple(Constructor(str(c), tuple(port_of(f) for f in fields)) for c, fields in constructors))
        for name, constructors in data
    )

"""The types of the model language: tensors with known and unknown dimensions, tuples, functions, data types.

A type is data. Its text is the one the parser reads. `==` asks whether two types are surely the same, so a dimension
without a name, of which nothing is known, equals nothing, not even itself; `alike` asks whether they are spelled alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from anytile.core.dtypes import MODEL as DTYPES
from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.schedules.workloads.workload import Any as Any
from anytile.schedules.workloads.workload import Dim as Dim


@dataclass(frozen=True, slots=True, eq=False)
class Unnamed(Any):
    """A dimension about which nothing is known, not even whether it equals another: `?` alone."""

    name: str = ""

    def __post_init__(self) -> None:
        if self.name:
            raise SpecError(f"Unnamed({self.name!r}): expected no name; one with a name is Any")

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        return "?"


UNNAMED = Unnamed()


@dataclass(frozen=True, slots=True, eq=False)
class TensorType:
    """An array of numbers: `Tensor[(1, 10, ?n), float32]`; without dimensions it is a scalar."""

    shape: tuple[Dim, ...]
    dtype: str = "float32"

    parts: ClassVar[int] = 1
    nested: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise SpecError(f"Tensor of {self.dtype!r}: expected one of {', '.join(DTYPES)}")
        if self.dtype in STORED_FLOATS:
            array_dtype(self.dtype)
        for dim in self.shape:
            if isinstance(dim, Any):
                continue
            if not isinstance(dim, int) or isinstance(dim, bool) or not 0 <= dim <= MAX_DIM:
                raise SpecError(f"Tensor dimension {dim!r}: expected 0 to {MAX_DIM}, ?name or ?")

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        return all(isinstance(d, int) for d in self.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorType):
            return NotImplemented
        same = len(self.shape) == len(other.shape) and self.dtype == other.dtype
        # one by one: comparing tuples would take an unnamed dimension as equal to itself
        return same and all(a == b for a, b in zip(self.shape, other.shape, strict=True))

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __str__(self) -> str:
        return f"Tensor[{shape_text(self.shape)}, {self.dtype}]"


MAX_PARTS = 1024  # a type written out, as every pass reads it; of types made of themselves that is a power of two
MAX_NESTED = 100


class Oversized(SpecError):
    """A type beyond all bounds."""


class _Measured:
    """A type made of others, which knows how large it is: one beyond all bounds is never made."""

    __slots__ = ()

    parts: int
    nested: int

    def _measure(self, inside: tuple[Type, ...]) -> None:
        parts, nested = 1, 0
        for t in inside:
            parts += t.parts
            if t.nested > nested:
                nested = t.nested
        if parts > MAX_PARTS:
            raise Oversized(f"a type of {parts} parts; expected {MAX_PARTS} at most: make a data type of what repeats")
        if nested >= MAX_NESTED:
            raise Oversized(f"types {nested + 1} deep in each other; expected {MAX_NESTED} at most")
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "nested", nested + 1)


@dataclass(frozen=True, slots=True)
class TupleType(_Measured):
    """The product type of some types."""

    fields: tuple[Type, ...]
    parts: int = field(init=False, repr=False, compare=False)
    nested: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._measure(self.fields)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))}{',' if len(self.fields) == 1 else ''})"


@dataclass(frozen=True, slots=True)
class FunctionType(_Measured):
    """Dimensions named in `params` are the caller's to choose, if nothing outside has that name."""

    params: tuple[Type, ...]
    result: Type
    parts: int = field(init=False, repr=False, compare=False)
    nested: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._measure((*self.params, self.result))

    def __str__(self) -> str:
        return f"fn({', '.join(map(str, self.params))}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class DataRef(_Measured):
    """An algebraic data type by name, with what its parameters are: `Tree`, `List[Tensor[(?, 3), float32]]`."""

    name: str
    args: tuple[Type, ...] = ()
    parts: int = field(init=False, repr=False, compare=False)
    nested: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._measure(self.args)

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.args))}]" if self.args else self.name


@dataclass(frozen=True, slots=True)
class TypeVar:
    """A parameter of a data type, inside its declaration."""

    name: str

    parts: ClassVar[int] = 1
    nested: ClassVar[int] = 0

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class StorageType:
    """A piece of memory; only after explicit allocation."""

    parts: ClassVar[int] = 1
    nested: ClassVar[int] = 0

    def __str__(self) -> str:
        return "Storage"


Type = TensorType | TupleType | FunctionType | DataRef | TypeVar | StorageType


@dataclass(frozen=True, slots=True)
class Constructor:
    """One way to make a value of a data type. A dimension named in `fields` is one for each value made."""

    name: str
    fields: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.fields))})" if self.fields else self.name


@dataclass(frozen=True, slots=True)
class DataType:
    """The declaration `data Name[params] { Constructor(fields), ... }`; tags count the constructors from 0."""

    name: str
    params: tuple[str, ...]
    constructors: tuple[Constructor, ...]

    def constructor(self, name: str) -> Constructor:
        return self.constructors[self.tag(name)]

    def tag(self, name: str) -> int:
        for tag, constructor in enumerate(self.constructors):
            if constructor.name == name:
                return tag
        known = ", ".join(c.name for c in self.constructors)
        raise SpecError(f"data type {self.name} has no constructor {name!r}; expected one of {known}")

    def __str__(self) -> str:
        params = f"[{', '.join(self.params)}]" if self.params else ""
        return f"data {self.name}{params} {{ {', '.join(map(str, self.constructors))} }}"


UNIT = TupleType(())


def shape_text(shape: tuple[Dim, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def map_type(t: Type, change: Callable[[Type], Type | None]) -> Type:
    """The type with parts replaced; None keeps a part and looks inside it."""
    changed = change(t)
    if changed is not None:
        return changed
    match t:
        case TupleType(fields):
            return TupleType(tuple(map_type(f, change) for f in fields))
        case FunctionType(params, result):
            return FunctionType(tuple(map_type(p, change) for p in params), map_type(result, change))
        case DataRef(name, args):
            return DataRef(name, tuple(map_type(a, change) for a in args))
        case _:
            return t


def map_dims(t: Type, change: Callable[[Dim], Dim]) -> Type:
    """The type with every dimension replaced."""
    return map_type(
        t, lambda p: TensorType(tuple(map(change, p.shape)), p.dtype) if isinstance(p, TensorType) else None
    )


def substitute(t: Type, values: Mapping[str, Type]) -> Type:
    """The type with type parameters replaced."""
    return map_type(t, lambda p: values.get(p.name) if isinstance(p, TypeVar) else None)


def tensors(t: Type) -> Iterator[TensorType]:
    """Every tensor type inside, from left to right."""
    match t:
        case TensorType():
            yield t
        case TupleType(fields) | DataRef(_, fields):
            for field in fields:
                yield from tensors(field)
        case FunctionType(params, result):
            for part in (*params, result):
                yield from tensors(part)
        case _:
            pass


def symbols(t: Type) -> tuple[str, ...]:
    """The names of the unknown dimensions inside, in the order of first appearance."""
    named = (d.name for tensor in tensors(t) for d in tensor.shape if isinstance(d, Any) and d.name)
    return tuple(dict.fromkeys(named))


def alike(a: Type | None, b: Type | None) -> bool:
    """Whether two types are spelled alike."""
    return str(a) == str(b)

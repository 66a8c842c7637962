"""IR nodes of the model language: expressions, patterns, modules. Purely functional, and typed by `infer`.

Nodes are frozen and compared by identity: two calls of one operator on the same things are still two calls, and a
variable is itself wherever it stands; `equality.alpha_equal` compares what is written. A `Let` is flat: the five
hundred steps of a network are one node, so nothing recurses along them. Every call says in `where` from which place of
the user's model it came, and every pass keeps that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any as AnyType
from typing import TypeGuard, Union

import numpy as np
from numpy.typing import NDArray

from anytile.compiler.ir.types import DataType, FunctionType, TensorType, Type
from anytile.core.errors import SpecError

Array = NDArray[AnyType]
AttrValue = Union[int, float, bool, str, tuple["AttrValue", ...]]  # noqa: UP007  # a name in quotes takes no |
Attrs = tuple[tuple[str, AttrValue], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """A variable: a parameter, or what a Let or a pattern binds. Equal to itself alone; its name is for people."""

    name: str
    type: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An array known ahead of time; never written to. `name` is where it came from, for people and files."""

    array: Array
    name: str = ""

    @property
    def type(self) -> TensorType:
        return TensorType(self.array.shape, self.array.dtype.name)


@dataclass(frozen=True, slots=True)
class OperatorRef:
    """A row of the operator table."""

    name: str


@dataclass(frozen=True, slots=True)
class GlobalRef:
    """A function of the module."""

    name: str


@dataclass(frozen=True, slots=True)
class ConstructorRef:
    """One constructor of a data type; called even where it has no fields."""

    data: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class TupleExpr:
    """A tuple that is made."""

    fields: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TupleGet:
    """A field of a tuple."""

    value: Expr
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    """Bindings in their order, each seen by the later ones and the body; none sees itself."""

    bindings: tuple[tuple[Var, Expr], ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """`condition` is a scalar bool."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function, or where it stands in an expression a closure. With attrs kind="primitive" it becomes one kernel."""

    params: tuple[Var, ...]
    result: Type | None
    body: Expr
    attrs: Attrs = ()

    @property
    def is_primitive(self) -> bool:
        return ("kind", "primitive") in self.attrs

    @property
    def type(self) -> FunctionType:
        """Of a function whose types are known."""
        params = tuple(p.type for p in self.params if p.type is not None)
        if len(params) < len(self.params) or self.result is None:
            raise SpecError("a function without types; expected one that went through type inference")
        return FunctionType(params, self.result)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """`attrs` are sorted by name and hold what differs from the operator's defaults."""

    callee: Callee
    args: tuple[Expr, ...]
    attrs: Attrs = ()
    where: str = ""

    def __post_init__(self) -> None:
        if len(self.attrs) > 1:
            object.__setattr__(self, "attrs", tuple(sorted(self.attrs, key=lambda a: a[0])))

    def attr(self, name: str, default: AttrValue | None = None) -> AttrValue | None:
        return next((value for key, value in self.attrs if key == name), default)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Fits everything."""


@dataclass(frozen=True, slots=True, eq=False)
class Bind:
    """Fits everything, which the variable then is."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class Construct:
    """The pattern of a constructor: it fits a value that this one made, and fields that its patterns fit."""

    constructor: ConstructorRef
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TuplePattern:
    """The pattern of a tuple."""

    patterns: tuple[Pattern, ...]


Pattern = Wildcard | Bind | Construct | TuplePattern


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The first clause whose pattern fits. The clauses must leave nothing out."""

    value: Expr
    clauses: tuple[tuple[Pattern, Expr], ...]


Expr = Var | Constant | TupleExpr | TupleGet | Let | If | Function | Call | Match | GlobalRef
Callee = OperatorRef | ConstructorRef | Expr


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """Functions and data types by name; `main` is where a model starts. `text` prints and saves them."""

    functions: Mapping[str, Function]
    data: Mapping[str, DataType] = field(default_factory=dict)

    @property
    def main(self) -> Function:
        return self.function("main")

    def function(self, name: str) -> Function:
        """By its name; what it has is named where that is none of it."""
        try:
            return self.functions[name]
        except KeyError:
            raise SpecError(f"no function {name!r}; expected one of {', '.join(self.functions) or 'none'}") from None

    def data_type(self, name: str) -> DataType:
        """By its name, as `function`."""
        try:
            return self.data[name]
        except KeyError:
            raise SpecError(f"no data type {name!r}; expected one of {', '.join(self.data) or 'none'}") from None


def operator_of(e: Expr) -> str:
    """The name of the operator that an expression calls; an empty text where it is no such call."""
    return e.callee.name if isinstance(e, Call) and isinstance(e.callee, OperatorRef) else ""


def is_operator_call(e: Expr, *names: str) -> TypeGuard[Call]:
    """Whether an expression calls an operator; one of these, where any is named."""
    return isinstance(e, Call) and isinstance(e.callee, OperatorRef) and (not names or e.callee.name in names)


def type_of(e: Expr) -> Type | None:
    """The type of a variable or constant, where it is known."""
    return e.type if isinstance(e, Var | Constant) else None


def tensor_of(e: Expr) -> TensorType:
    """The type of a variable or constant that is a tensor."""
    found = type_of(e)
    if not isinstance(found, TensorType):
        raise SpecError(f"{getattr(e, 'name', type(e).__name__)} has the type {found}; expected a tensor")
    return found


def scalar(value: float | bool, dtype: str | None = None) -> Constant:
    """A scalar constant; without a dtype a float is float32 and a whole number int64."""
    kind = dtype or ("bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32")
    try:
        return Constant(np.asarray(value, kind))
    except OverflowError:
        raise SpecError(f"{value} is no {kind}") from None

"""Random modules as far as the text form goes: every kind of node, type, pattern, number and name, types not looked at.

They have a sense to nobody, but names are bound before they are read, as the text form cannot say anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any as AnyType

import numpy as np
from hypothesis import strategies as st

from anytile.compiler.ir.nodes import (
    Bind,
    Call,
    Constant,
    Construct,
    ConstructorRef,
    Expr,
    Function,
    GlobalRef,
    If,
    Let,
    Match,
    OperatorRef,
    Pattern,
    TupleExpr,
    TupleGet,
    TuplePattern,
    Var,
    Wildcard,
)
from anytile.compiler.ir.types import (
    UNNAMED,
    Any,
    Constructor,
    DataRef,
    DataType,
    FunctionType,
    StorageType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
)
from anytile.compiler.module import Module

Draw = Callable[[st.SearchStrategy[AnyType]], AnyType]
# what variables are called: as in other frameworks, as words of the text form, as operators, functions, constructors
NAMES = ("x", "x", "x_1", "add", "let", "data", "inf", "nan", "i32", "Tensor", "_", "", "0", "a.b", "é", "main", "Nil")
PLACES = ("", "layer.0", 'a "b" \\ c', "two\nlines", "\t é \u2028 \x7f", "@")
FLOATS = (0.0, -0.0, 1.0, -1.5, 1e-45, 1e-10, 3.4e38, 1e20, 16777217.0, float("inf"), -float("inf"), float("nan"))
INTEGERS = (0, 1, -1, 2**31 - 1, -(2**31))
DATA = {
    name: DataType(name, params, constructors)
    for name, params, constructors in (
        ("List", ("a",), (Constructor("Nil"), Constructor("Cons", (TypeVar("a"), DataRef("List", (TypeVar("a"),)))))),
        ("Pair", ("a", "b"), (Constructor("max", (TupleType((TypeVar("a"), TypeVar("b"))),)),)),
    )
}
CONSTRUCTORS = [ConstructorRef(d.name, c.name) for d in DATA.values() for c in d.constructors]
FUNCTIONS = ("main", "helper", "data", "a.b", "add")


class _Writer:
    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.arrays = [self.array() for _ in range(3)]

    def pick(self, options: tuple[AnyType, ...] | list[AnyType]) -> AnyType:
        return self.draw(st.sampled_from(options))

    def many(self, make: Callable[[], AnyType], least: int = 0, most: int = 3) -> tuple[AnyType, ...]:
        return tuple(make() for _ in range(self.draw(st.integers(least, most))))

    def type(self, deep: int = 2) -> Type:
        kind = self.pick(["tensor", "tensor", "storage"] + ["tuple", "function", "list", "pair"] * (deep > 0))
        if kind == "tuple":
            return TupleType(self.many(lambda: self.type(deep - 1)))
        if kind == "function":
            return FunctionType(self.many(lambda: self.type(deep - 1)), self.type(deep - 1))
        if kind in ("list", "pair"):
            count = 1 + (kind == "pair")
            return DataRef(kind.title(), tuple(self.type(deep - 1) for _ in range(count)))
        if kind == "storage":
            return StorageType()
        dims = self.many(lambda: self.pick([0, 1, 7, 2**31 - 1, Any("n"), Any("let"), Any("_0"), UNNAMED]))
        return TensorType(dims, self.pick(["float32", "int32", "int64", "bool"]))

    def var(self) -> Var:
        return Var(self.pick(NAMES), self.type() if self.draw(st.booleans()) else None)

    def array(self) -> np.ndarray[AnyType, AnyType]:
        dtype = self.pick(["float32", "int32", "int64", "bool"])
        shape = self.pick([(), (1,), (0,), (2, 0, 3), (1, 1), (8,), (2, 4), (9,), (3, 3)])
        numbers: tuple[float, ...] = FLOATS if dtype == "float32" else (0, 1) if dtype == "bool" else INTEGERS
        numbers += (2**63 - 1, -(2**63)) if dtype == "int64" else ()
        count = int(np.prod(shape))
        with np.errstate(over="ignore"):
            return np.array([self.pick(numbers) for _ in range(count)], dtype).reshape(shape)

    def attr(self, deep: int = 2) -> AnyType:
        kind = self.pick(["int", "float", "bool", "str"] + ["tuple"] * (deep > 0))
        if kind == "tuple":
            return self.many(lambda: self.attr(deep - 1))
        return self.pick({"int": INTEGERS, "float": FLOATS, "bool": (True, False), "str": PLACES}[kind])

    def attrs(self) -> tuple[tuple[str, AnyType], ...]:
        names = self.draw(st.lists(st.sampled_from(["axis", "data", "if", "x"]), unique=True, max_size=2))
        return tuple((name, self.attr()) for name in names)

    def function(self, scope: list[Var], deep: int) -> Function:
        params = self.many(self.var)
        result = self.type() if self.draw(st.booleans()) else None
        return Function(params, result, self.expr([*scope, *params], deep - 1), self.attrs())

    def pattern(self, bound: list[Var], deep: int = 2) -> Pattern:
        kind = self.pick(["any", "bind", "constructor"] + ["tuple"] * (deep > 0))
        if kind == "bind":
            bound.append(self.var())
            return Bind(bound[-1])
        if kind == "any":
            return Wildcard()
        inside = self.many(lambda: self.pattern(bound, deep - 1), most=2 if deep else 0)
        return TuplePattern(inside) if kind == "tuple" else Construct(self.pick(CONSTRUCTORS), inside)

    def clause(self, scope: list[Var], deep: int) -> tuple[Pattern, Expr]:
        bound: list[Var] = []
        pattern = self.pattern(bound)
        return pattern, self.expr([*scope, *bound], deep - 1)

    def expr(self, scope: list[Var], deep: int) -> Expr:
        leaves = ["constant", "global", *(["variable"] * 3 if scope else [])]
        whole = ["call", "call", "let", "let", "tuple", "get", "get", "if", "function", "match"]
        match self.pick(whole if deep > 0 else leaves):
            case "variable":
                variable: Var = self.pick(scope)
                return variable
            case "constant":
                return Constant(self.pick(self.arrays), self.pick(["", "w", "w", "é.1", "..", "file", "a/b"]))
            case "global":
                return GlobalRef(self.pick(FUNCTIONS))
            case "tuple":
                return TupleExpr(self.many(lambda: self.expr(scope, deep - 1)))
            case "get":
                return TupleGet(self.expr(scope, deep - 1), self.pick([0, 1, 10]))
            case "let":
                bindings, inner = [], list(scope)
                for _ in range(self.draw(st.integers(1, 3))):
                    value = self.expr(inner, deep - 1)
                    bindings.append((self.var(), value))
                    inner.append(bindings[-1][0])
                return Let(tuple(bindings), self.expr(inner, deep - 1))
            case "if":
                return If(*(self.expr(scope, deep - 1) for _ in range(3)))
            case "function":
                return self.function(scope, deep)
            case "match":
                clauses = self.many(lambda: self.clause(scope, deep))
                return Match(self.expr(scope, deep - 1), clauses)
        operators = [OperatorRef(name) for name in ("add", "max", "memory.kill", "device_copy")]
        callee = self.pick([*operators, *CONSTRUCTORS, None]) or self.expr(scope, deep - 1)
        return Call(callee, self.many(lambda: self.expr(scope, deep - 1)), self.attrs(), self.pick(PLACES))


@st.composite
def sentences(draw: Draw) -> Module:
    """A module of some functions, each of any form."""
    writer = _Writer(draw)
    functions = {name: writer.function([], writer.pick([1, 2, 3, 4])) for name in FUNCTIONS}
    return Module(functions, DATA)

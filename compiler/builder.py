"""Module builder in Python: every operator is a method, every call becomes one binding of a flat let.

    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 768), float32]") as (f, x):
        with f.at("layer0"):
            h = f.gelu(f.dense(x, w) + bias)
        f.result(h)
    module = m.build()

Branches, clauses and closures are given as functions of a block. numpy arrays and numbers become constants wherever a
value is expected: a float is a float32 scalar, a whole number an int64 one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import Constructor, DataType, Type
from anytile.compiler.module import Module
from anytile.compiler.operators import operator
from anytile.compiler.text.lexer import is_name
from anytile.compiler.text.parser import parse_type
from anytile.core.dtypes import MODEL as DTYPES
from anytile.core.errors import SpecError


class Node:
    """A value while a module is being built; arithmetic on it is calls of operators."""

    __array_ufunc__ = None  # an array on the left leaves the operation to us
    __hash__ = object.__hash__

    def __init__(self, block: Block, expr: ir.Expr) -> None:
        self.block, self.expr = block, expr

    def _with(self, other: Given, name: str, *args: Given) -> Node:
        """A call in the inner one of two blocks, which sees what both have."""
        inner = other.block if isinstance(other, Node) and other.block.depth > self.block.depth else self.block
        return inner.call(name, *args)

    def __add__(self, other: Given) -> Node:
        return self._with(other, "add", self, other)

    def __radd__(self, other: Given) -> Node:
        return self._with(other, "add", other, self)

    def __sub__(self, other: Given) -> Node:
        return self._with(other, "subtract", self, other)

    def __rsub__(self, other: Given) -> Node:
        return self._with(other, "subtract", other, self)

    def __mul__(self, other: Given) -> Node:
        return self._with(other, "multiply", self, other)

    def __rmul__(self, other: Given) -> Node:
        return self._with(other, "multiply", other, self)

    def __truediv__(self, other: Given) -> Node:
        return self._with(other, "divide", self, other)

    def __rtruediv__(self, other: Given) -> Node:
        return self._with(other, "divide", other, self)

    def __neg__(self) -> Node:
        return self.block.call("negative", self)

    def __lt__(self, other: Given) -> Node:
        return self._with(other, "less", self, other)

    def __le__(self, other: Given) -> Node:
        return self._with(other, "less_equal", self, other)

    def __gt__(self, other: Given) -> Node:
        return self._with(other, "greater", self, other)

    def __ge__(self, other: Given) -> Node:
        return self._with(other, "greater_equal", self, other)

    def __eq__(self, other: Given) -> Node:  # type: ignore[override]  # elements are compared, as in numpy
        return self._with(other, "equal", self, other)

    def __ne__(self, other: Given) -> Node:  # type: ignore[override]  # likewise
        return self._with(other, "not_equal", self, other)

    def __getitem__(self, index: int) -> Node:
        """A field of a tuple."""
        return self.block.bind(f"part{index}", ir.TupleGet(self.expr, index))

    def __call__(self, *args: Given, where: str | None = None) -> Node:
        """What a function value makes of arguments."""
        return self.block.call(self, *args, where=where)

    def __iter__(self) -> Iterator[Node]:
        raise TypeError("how many fields a tuple has is known after inference; write f.unpack(value, count)")

    def __bool__(self) -> bool:
        raise TypeError("a value of a model is not known while it is built; write f.if_(condition, then, otherwise)")


Given = Node | ir.Array | np.generic | float | int | bool
Body = Callable[..., Given]


class Block:
    """One block that is being filled: the body of a function, a branch, a clause."""

    def __init__(self, module: ModuleBuilder, places: Sequence[str] = (), depth: int = 0) -> None:
        self.module, self.depth = module, depth
        self.bindings: list[tuple[ir.Var, ir.Expr]] = []
        self.places = list(places)
        self.returned: ir.Expr | None = None

    def __getattr__(self, name: str) -> Callable[..., Node]:
        """Every operator of the table: `f.softmax(x, axis=-1)`."""
        if name.startswith("_"):
            raise AttributeError(name)
        operator(name)
        return lambda *args, **attrs: self.call(name, *args, **attrs)

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Calls inside say that they come from this place of the model; places inside places are joined by dots."""
        self.places.append(place)
        try:
            yield
        finally:
            self.places.pop()

    def expr(self, value: Given) -> ir.Expr:
        if isinstance(value, Node):
            return value.expr
        if isinstance(value, bool | int | float):
            return ir.scalar(value)
        return self._known(np.asarray(value))

    def _known(self, array: ir.Array, name: str = "") -> ir.Constant:
        if array.dtype.name not in DTYPES:
            at = f" at {'.'.join(self.places)}" if self.places else ""
            expected = f"expected one of {', '.join(DTYPES)}; convert it, as by .astype('float32')"
            raise SpecError(f"a constant{at} of {array.dtype}: {expected}")
        return ir.Constant(array, name)

    def bind(self, name: str, value: ir.Expr, type: Type | str | None = None) -> Node:
        """A binding of its own; with a type, which inference holds the value against."""
        v = ir.Var(name, parse_type(type) if isinstance(type, str) else type)
        self.bindings.append((v, value))
        return Node(self, v)

    def let(self, name: str, value: Given, type: Type | str | None = None) -> Node:
        """The value under a name, and perhaps under a type."""
        return self.bind(name, self.expr(value), type)

    def constant(self, array: ir.Array, name: str = "") -> Node:
        return Node(self, self._known(array, name))

    def call(self, callee: str | Node, *args: Given, where: str | None = None, **attrs: ir.AttrValue) -> Node:
        """A call of an operator by name, or of a function value."""
        head: ir.Callee = callee.expr if isinstance(callee, Node) else ir.OperatorRef(callee)
        name = callee if isinstance(callee, str) else "called"
        if isinstance(callee, str):
            operator(callee)
        return self._called(name, head, args, where, attrs)

    def call_global(self, name: str, *args: Given, where: str | None = None) -> Node:
        """A call of a function of the module, which may be built later."""
        return self._called(name, ir.GlobalRef(name), args, where, {})

    def construct(self, name: str, *args: Given, where: str | None = None) -> Node:
        """A value of a data type, by its constructor."""
        return self._called(name.lower(), self.module.constructor(name), args, where, {})

    def _called(
        self, name: str, head: ir.Callee, args: Sequence[Given], where: str | None, attrs: Mapping[str, ir.AttrValue]
    ) -> Node:
        place = ".".join(self.places) if where is None else where
        return self.bind(name, ir.Call(head, tuple(map(self.expr, args)), tuple(attrs.items()), place))

    def tuple(self, *fields: Given) -> Node:
        return self.bind("fields", ir.TupleExpr(tuple(map(self.expr, fields))))

    def unpack(self, value: Node, count: int) -> list[Node]:
        """The fields of a tuple."""
        return [value[i] for i in range(count)]

    def global_function(self, name: str) -> Node:
        """A function of the module as a value."""
        return Node(self, ir.GlobalRef(name))

    def if_(self, condition: Given, then: Body, otherwise: Body) -> Node:
        return self.chosen(condition, self._inner(then), self._inner(otherwise))

    def chosen(self, condition: Given, then: ir.Expr, otherwise: ir.Expr) -> Node:
        """One of two branches that are made already."""
        return self.bind("chosen", ir.If(self.expr(condition), then, otherwise))

    def branch(self) -> Block:
        """A block inside this one that may become a branch."""
        return Block(self.module, self.places, self.depth + 1)

    def match(self, value: Given, clauses: Mapping[str, Body]) -> Node:
        """Clauses by constructor name, or `_`; each is given a block and the fields."""
        made: list[tuple[ir.Pattern, ir.Expr]] = []
        for name, body in clauses.items():
            if name == "_":
                made.append((ir.Wildcard(), self._inner(body)))
                continue
            ref = self.module.constructor(name)
            count = len(self.module.types[ref.data].constructor(name).fields)
            fields = [ir.Var(f"{name.lower()}{i}") for i in range(count)]
            made.append((ir.Construct(ref, tuple(map(ir.Bind, fields))), self._inner(body, fields)))
        return self.bind("matched", ir.Match(self.expr(value), tuple(made)))

    def closure(self, body: Body, *params: Type | str, result: Type | str | None = None) -> Node:
        """A function value; `body` is given a block and the parameters."""
        types = [parse_type(p) if isinstance(p, str) else p for p in params]
        own = [ir.Var(f"a{i}", t) for i, t in enumerate(types)]
        returns = parse_type(result) if isinstance(result, str) else result
        return self.bind("closure", ir.Function(tuple(own), returns, self._inner(body, own)))

    def _inner(self, body: Body, given: Sequence[ir.Var] = ()) -> ir.Expr:
        block = self.branch()
        block.result(body(block, *(Node(block, v) for v in given)))
        return block.finished()

    def result(self, value: Given) -> None:
        self.returned = self.expr(value)

    def finished(self) -> ir.Expr:
        if self.returned is None:
            raise SpecError("a function without a result; call f.result(value) at its end")
        return ir.Let(tuple(self.bindings), self.returned) if self.bindings else self.returned


class ModuleBuilder:
    """A module, made in Python: each function in a `with m.function(...) as (f, x)`, and at last `m.build()`."""

    def __init__(self) -> None:
        self.functions: dict[str, ir.Function] = {}
        self.types: dict[str, DataType] = {}

    def data(self, name: str, params: Sequence[str] = (), /, **constructors: Sequence[str | Type]) -> DataType:
        """`m.data("Tree", Leaf=["Tensor[(1, 300), float32]"], Node=["Tree", "Tree"])`."""
        _require_free("data type", name, {*self.types, "Tensor", "Storage"})
        for constructor in constructors:
            _require_free("constructor", constructor, self._callable())
        made = []
        for constructor, fields in constructors.items():
            types = (parse_type(f, frozenset(params)) if isinstance(f, str) else f for f in fields)
            made.append(Constructor(constructor, tuple(types)))
        self.types[name] = DataType(name, tuple(params), tuple(made))
        return self.types[name]

    def _callable(self) -> set[str]:
        """The names of functions and constructors: the text form has nothing but the name to tell them apart."""
        return {*self.functions, *(c.name for d in self.types.values() for c in d.constructors)}

    def constructor(self, name: str) -> ir.ConstructorRef:
        """A constructor of the data types made so far, by its name."""
        for data in self.types.values():
            if any(c.name == name for c in data.constructors):
                return ir.ConstructorRef(data.name, name)
        known = ", ".join(c.name for d in self.types.values() for c in d.constructors)
        raise SpecError(f"no constructor {name!r}; expected one of {known or 'none'}")

    @contextmanager
    def function(self, name: str, /, result: Type | str | None = None, **params: Type | str) -> Iterator[Any]:
        """A function's block and its parameters, as a tuple; what is bound inside becomes its body."""
        _require_free("function", name, self._callable())
        own = [ir.Var(p, parse_type(t) if isinstance(t, str) else t) for p, t in params.items()]
        block = Block(self)
        yield (block, *(Node(block, v) for v in own))
        returns = parse_type(result) if isinstance(result, str) else result
        self.functions[name] = ir.Function(tuple(own), returns, block.finished())

    def build(self) -> Module:
        """What was made so far; its types are inferred when it is compiled."""
        return Module(dict(self.functions), dict(self.types))


def _require_free(what: str, name: str, taken: Container[str]) -> None:
    if not is_name(name) or ("." in name and what != "function"):
        raise SpecError(f"{what} {name!r}: expected a name of letters, digits and _ that is no word of the text form")
    if name in taken:
        raise SpecError(f"{what} {name!r}: something else is called so already; choose another name")

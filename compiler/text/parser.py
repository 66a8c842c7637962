"""Recursive-descent parser of the text form: what `printer` writes, and what people write.

Names mean, in this order: a variable in scope, a function of the module, a constructor, an operator. Statements of a
block are read in a loop; expressions inside expressions by recursion, to a depth that no readable text has.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

import numpy as np

from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.memory_dialect import ROWS as DIALECT
from anytile.compiler.ir.types import (
    UNNAMED,
    Any,
    Constructor,
    DataRef,
    DataType,
    Dim,
    FunctionType,
    StorageType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
)
from anytile.compiler.operators import OPERATORS
from anytile.compiler.text.lexer import OPERATOR, Word
from anytile.compiler.text.token_reader import Reader
from anytile.core.dtypes import BY_NAME
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.schedules.nest.stored_floats import as_stored

_Scope = Mapping[str, ir.Var]


def parse_module(text: str, constants: Mapping[str, ir.Array]) -> ir.Module:
    return _Parser(text, constants).module()


def parse_type(text: str, params: frozenset[str] = frozenset()) -> Type:
    """A type by its text; data types are taken at their word, `params` are names of type parameters."""
    parser = _Parser(text, {})
    made = parser.type(params)
    parser.take("end")
    return made


class _Parser(Reader):
    def __init__(self, text: str, constants: Mapping[str, ir.Array]) -> None:
        super().__init__(text)
        self.given = constants
        self.constants: dict[str, ir.Constant] = {}
        self.data: dict[str, DataType] = {}
        self.constructors: dict[str, ir.ConstructorRef] = {}
        self.globals: dict[str, int] = {}  # and at which word their text starts
        self.mentioned: list[tuple[str, int, int]] = []  # data types, with how many arguments, and the line

    # Declarations

    def module(self) -> ir.Module:
        """Declarations first: a function may call one that stands below it."""
        while self.word.kind != "end":
            if self.accept("data"):
                self.data_type()
            elif self.accept("const"):
                self.constant()
            elif self.is_next("def"):
                self.skip_function()
            else:
                raise self.refuse(f"expected data, const or def, got {self.word}")
        self.know_the_mentioned()
        functions = {}
        for name, at in self.globals.items():
            self.at = at
            functions[name] = self.function(self.function_attrs(), name)
            self.know_the_mentioned()
        return ir.Module(functions, self.data)

    def know_the_mentioned(self) -> None:
        """Every data type that was named so far is there, with so many parameters."""
        for name, count, line in self.mentioned:
            if name not in self.data or len(self.data[name].params) != count:
                known = ", ".join(str(DataRef(d.name, tuple(map(TypeVar, d.params)))) for d in self.data.values())
                lacking = f"no data type {name} of {counted(count, 'parameter')}"
                raise SpecError(f"line {line}: {lacking}; expected {known or 'none'}")
        self.mentioned.clear()

    def data_type(self) -> None:
        first = self.word
        name = self.simple_name("the name of a data type")
        params = tuple(self.listed("]", lambda: self.simple_name("a parameter"))) if self.accept("[") else ()
        self.expect("{")
        made = DataType(name, params, tuple(self.listed("}", lambda: self.constructor(frozenset(params)))))
        names = [c.name for c in made.constructors]
        if name in self.data or len(set(names)) < len(names) or self.constructors.keys() & set(names):
            raise self.refuse(f"data type {name}: expected names that are not taken yet", first)
        self.data[name] = made
        self.constructors |= {c: ir.ConstructorRef(name, c) for c in names}

    def constructor(self, params: frozenset[str]) -> Constructor:
        name = self.simple_name("a constructor")
        return Constructor(name, tuple(self.listed(")", lambda: self.type(params))) if self.accept("(") else ())

    def constant(self) -> None:
        name = self.take("constant", "a name like $w")
        self.expect(":")
        t = self.type(frozenset())
        if not isinstance(t, TensorType) or not t.is_static:
            raise self.refuse(f"constant {name.text} of type {t}; expected a tensor whose sizes are numbers", name)
        key, shape = name.text[1:], tuple(d for d in t.shape if isinstance(d, int))
        if key in self.constants:
            raise self.refuse(f"constant {name.text} is there already", name)
        if self.accept("="):
            self.expect("[")
            numbers = self.listed("]", self.number)
            array = _elements(numbers, t.dtype)
            if array is None:
                raise self.refuse(f"constant {name.text}: a number that is no {t.dtype}", name)
            array = array.reshape(shape) if array.size == math.prod(shape) else array
        elif key in self.given:
            array = as_stored(np.asarray(self.given[key]), t.dtype)
        else:
            ways = f"here, as = [1.0, 2.0], or to Module.parse as {key!r}; those of a file lie beside it in .npz"
            raise self.refuse(f"constant {name.text} has no elements; give them {ways}", name)
        if array.dtype.name != t.dtype or array.size != math.prod(shape):
            raise self.refuse(
                f"constant {name.text}: {counted(array.size, 'element')} of {array.dtype}; expected {t}", name
            )
        if array.shape != shape:
            raise self.refuse(f"constant {name.text}: an array of the shape {array.shape}; expected {t}", name)
        self.expect(";")
        self.constants[key] = ir.Constant(array, key)

    def number(self) -> float | bool:
        if self.accept("nan"):
            return float("nan")
        word, value = self.word, self.value()
        if isinstance(value, str | tuple):
            raise self.refuse(f"expected a number, got {word}", word)
        return value

    def skip_function(self) -> None:
        """Leaves a function for later; what has brackets is skipped with what is in them."""
        self.expect("def")
        start = self.at
        self.function_attrs()
        name = self.take("name", "the name of a function")
        if name.text in self.globals:
            raise self.refuse(f"function {name.text} is there already", name)
        self.globals[name.text] = start
        depth = 0
        while self.word.kind != "end":
            depth += self.is_next("{") - self.is_next("}")
            closes = self.is_next("}") and depth == 0
            self.at += 1
            if closes:
                return
        raise self.refuse(f"function {name.text} does not end; expected '}}'", name)

    def function_attrs(self) -> ir.Attrs:
        return tuple(self.listed("]", self.attribute)) if self.accept("[") else ()

    def function(self, attrs: ir.Attrs, name: str = "", scope: _Scope | None = None) -> ir.Function:
        if name:
            self.take("name")
        self.expect("(")
        params = self.listed(")", self.param)
        own = {p.name: p for p in params}
        if len(own) < len(params):
            raise self.refuse(f"parameters {', '.join(p.name for p in params)}: expected each name once")
        inner = {**(scope or {}), **own}
        result = self.type(frozenset()) if self.accept("->") else None
        return ir.Function(tuple(params), result, self.block(inner), attrs)

    def param(self) -> ir.Var:
        name = self.simple_name("a parameter")
        return ir.Var(name, self.type(frozenset()) if self.accept(":") else None)

    # Types

    def type(self, params: frozenset[str]) -> Type:
        with self.inside("types"):
            return self.type_inside(params)

    def type_inside(self, params: frozenset[str]) -> Type:
        if self.accept("("):
            return TupleType(tuple(self.listed(")", lambda: self.type(params))))
        if self.accept("fn"):
            self.expect("(")
            takes = tuple(self.listed(")", lambda: self.type(params)))
            self.expect("->")
            return FunctionType(takes, self.type(params))
        word = self.word
        name = self.simple_name("a type")
        if name == "Tensor":
            self.expect("[")
            self.expect("(")
            shape = tuple(self.listed(")", self.dim))
            self.expect(",")
            dtype = self.simple_name("a dtype")
            self.expect("]")
            try:
                return TensorType(shape, dtype)
            except SpecError as error:
                raise self.refuse(str(error), word) from None
        if name == "Storage":
            return StorageType()
        if name in params or name == "_":
            return TypeVar(name)
        args = tuple(self.listed("]", lambda: self.type(params))) if self.accept("[") else ()
        self.mentioned.append((name, len(args), word.line))
        return DataRef(name, args)

    def dim(self) -> Dim:
        word = self.word
        self.at += 1
        if word.kind == "symbol":
            return Any(word.text[1:]) if len(word.text) > 1 else UNNAMED
        if word.kind == "number" and word.text.isdigit():
            return self.whole(word.text, word)
        raise self.refuse(f"expected a dimension like 3, ?n or ?, got {word}", word)

    # Expressions

    def block(self, scope: _Scope) -> ir.Expr:
        self.expect("{")
        inner, bindings = dict(scope), []
        while self.accept("let"):
            name = self.simple_name("the name of a variable")
            t = self.type(frozenset()) if self.accept(":") else None
            self.expect("=")
            value = self.expr(inner)
            self.expect(";")
            inner[name] = ir.Var(name, t)
            bindings.append((inner[name], value))
        body = self.expr(inner)
        self.expect("}")
        return ir.Let(tuple(bindings), body) if bindings else body

    def expr(self, scope: _Scope) -> ir.Expr:
        with self.inside("expressions"):
            made = self.primary(scope)
            while self.is_next("(", "."):
                if self.accept("("):
                    made = self.call(made, scope)
                else:
                    self.expect(".")
                    for index in self.indices():
                        made = ir.TupleGet(self.value_of(made), index)
            return self.value_of(made)

    def indices(self) -> list[int]:
        """The fields behind a dot: `t.0.1` ends in what otherwise is a number."""
        word = self.take("number", "the number of a field")
        if not re.fullmatch(r"\d+(\.\d+)?", word.text):
            raise self.refuse(f"expected the number of a field, got {word}", word)
        return [self.whole(part, word) for part in word.text.split(".")]

    def value_of(self, e: ir.Callee) -> ir.Expr:
        if isinstance(e, ir.OperatorRef | ir.ConstructorRef):
            takes = not isinstance(e, ir.ConstructorRef) or self.data[e.data].constructor(e.name).fields
            raise self.refuse(f"{e.name} is not a value; call it, as {e.name}({'...' if takes else ''})")
        return e

    def call(self, callee: ir.Callee, scope: _Scope) -> ir.Call:
        args: list[ir.Expr] = []
        attrs: list[tuple[str, ir.AttrValue]] = []

        def argument() -> None:
            if self.word.kind == "name" and self.words[self.at + 1].text == "=":
                attrs.append(self.attribute())
            else:
                args.append(self.expr(scope))

        self.listed(")", argument)
        if len(dict(attrs)) < len(attrs):
            raise self.refuse("an attribute is given twice")
        where = self.quoted(self.take("text", "a place in quotes")) if self.accept("@") else ""
        return ir.Call(callee, tuple(args), tuple(attrs), where)

    def primary(self, scope: _Scope) -> ir.Callee:
        word = self.word
        if word.kind == "constant":
            self.at += 1
            if word.text[1:] not in self.constants:
                raise self.refuse(f"constant {word.text} is not declared; expected const {word.text}: ... above", word)
            return self.constants[word.text[1:]]
        if word.kind == "number" or word.text in ("true", "false", "nan"):
            return self.literal()
        if self.is_next("{"):
            return self.block(scope)
        if self.accept("("):
            return self.parenthesised(scope)
        if self.accept("if"):
            self.expect("(")
            condition = self.expr(scope)
            self.expect(")")
            then = self.block(scope)
            self.expect("else")
            return ir.If(condition, then, self.block(scope))
        if self.accept("match"):
            self.expect("(")
            value = self.expr(scope)
            self.expect(")")
            self.expect("{")
            return ir.Match(value, tuple(self.listed("}", lambda: self.clause(scope))))
        if self.accept("fn"):
            return self.function(self.function_attrs(), scope=scope)
        return self.named(self.take("name", "an expression"), scope)

    def named(self, word: Word, scope: _Scope) -> ir.Callee:
        name = word.text
        if name in scope:
            return scope[name]
        if name in self.globals:
            return ir.GlobalRef(name)
        if name in self.constructors:
            return self.constructors[name]
        operator = name.removeprefix(OPERATOR)
        if operator in OPERATORS or operator in DIALECT:
            return ir.OperatorRef(operator)
        raise self.refuse(f"{name} is no variable here, no function, constructor or operator", word)

    def parenthesised(self, scope: _Scope) -> ir.Expr:
        if self.accept(")"):
            return ir.TupleExpr(())
        first = self.expr(scope)
        if self.accept(")"):
            return first
        self.expect(",")
        return ir.TupleExpr((first, *self.listed(")", lambda: self.expr(scope))))

    def clause(self, scope: _Scope) -> tuple[ir.Pattern, ir.Expr]:
        bound: dict[str, ir.Var] = {}
        pattern = self.pattern(bound)
        self.expect("=>")
        return pattern, self.expr({**scope, **bound})

    def pattern(self, bound: dict[str, ir.Var]) -> ir.Pattern:
        with self.inside("patterns"):
            return self.pattern_inside(bound)

    def pattern_inside(self, bound: dict[str, ir.Var]) -> ir.Pattern:
        if self.accept("("):
            return ir.TuplePattern(tuple(self.listed(")", lambda: self.pattern(bound))))
        word = self.take("name", "a pattern")
        if word.text == "_":
            return ir.Wildcard()
        if word.text in self.constructors:
            inside = tuple(self.listed(")", lambda: self.pattern(bound))) if self.accept("(") else ()
            return ir.Construct(self.constructors[word.text], inside)
        if word.text in bound or "." in word.text or self.is_next("("):
            raise self.refuse(f"expected a constructor or a new variable, got {word}", word)
        bound[word.text] = ir.Var(word.text, self.type(frozenset()) if self.accept(":") else None)
        return ir.Bind(bound[word.text])

    # Values

    def literal(self) -> ir.Constant:
        word = self.word
        try:
            if word.text.endswith("i32"):
                self.at += 1
                return ir.scalar(self.whole(word.text[:-3], word), "int32")
            return ir.scalar(self.number())
        except SpecError as error:
            raise self.refuse(str(error).removeprefix(f"line {word.line}: "), word) from None

    def attribute(self) -> tuple[str, ir.AttrValue]:
        name = self.word.text
        if self.word.kind != "name":  # keywords are allowed here
            raise self.refuse(f"expected an attribute like axis=1, got {self.word}")
        self.at += 1
        self.expect("=")
        return name, self.value()

    def quoted(self, word: Word) -> str:
        try:
            return str(json.loads(word.text))
        except ValueError:
            raise self.refuse(f"{word.text} is no text in quotes as JSON has it", word) from None

    def value(self) -> ir.AttrValue:
        word = self.word
        self.at += 1
        if word.kind == "text":
            return self.quoted(word)
        if word.text in ("true", "false"):
            return word.text == "true"
        if word.text in ("inf", "nan"):
            return float(word.text)
        if word.text == "(":
            with self.inside("values"):
                return tuple(self.listed(")", self.value))
        if word.kind != "number" or word.text.endswith("i32"):
            raise self.refuse(f"expected a number, a text, true, false or a tuple of them, got {word}", word)
        return self.whole(word.text, word) if word.text.lstrip("-").isdigit() else float(word.text)


def _elements(numbers: list[float | bool], dtype: str) -> ir.Array | None:
    """Numbers as an array; None where one is no element of it."""
    try:
        with np.errstate(over="ignore"):
            array = np.asarray(numbers, dtype)
    except (OverflowError, ValueError):
        return None
    return array if BY_NAME[dtype].kind == "float" or array.tolist() == numbers else None

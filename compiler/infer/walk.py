"""Bidirectional type checking of a function: expressions and variables get types, calls their canonical attributes.

Bindings are walked in a loop and nested expressions by recursion, which is as deep as they are nested in the source.
A variable whose type does not change stays the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anytile.compiler.infer.checked import checked
from anytile.compiler.infer.exhaustive import missing
from anytile.compiler.infer.record import Check, called, place
from anytile.compiler.infer.relate import NOTHING, Generic, Relation, instantiate, opened
from anytile.compiler.infer.scope import Inventing, Scope
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import (
    DataRef,
    FunctionType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
    alike,
    map_type,
    shape_text,
    substitute,
    symbols,
)
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import Mismatch
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr as Size

_BOOL = TensorType((), "bool")
Typed = tuple[ir.Expr, Type]


@dataclass(frozen=True)
class Signature:
    """A function as its callers see it. `chosen` are the names that they choose; `definitions` sizes made of them."""

    params: tuple[Type, ...]
    result: Type
    chosen: tuple[str, ...] = ()
    definitions: Mapping[str, Size] = field(default_factory=dict)


class Walk:
    """One function on its way through inference; it leaves `checks` and what its scope knows."""

    def __init__(self, module: ir.Module, name: str, scope: Scope, signature: Callable[[str], Signature]) -> None:
        self.module, self.name, self.scope, self.signature = module, name, scope, signature
        self.relation = Relation(scope)
        self.types: dict[ir.Var, tuple[ir.Var, Type]] = {}
        self.visible: dict[ir.Var, Type] = {}  # the new variables in scope
        self.checks: list[Check] = []
        self.branches = 0  # how many branches, clauses and closures stand around

    def refuse(self, what: str, said: object, where: str = "", shapes: tuple[str, ...] = ()) -> SpecError:
        return SpecError(f"{place(self.name, what, where, shapes)}: {said}")

    def _record(self, what: str, where: str, shapes: tuple[str, ...], call: ir.Call | None = None) -> bool:
        """Conditions that arose become checks; whether there were any."""
        found = self.relation.taken()
        conditional = self.branches > 0
        self.checks += (Check(self.name, what, where, shapes, condition, conditional, call) for condition in found)
        return bool(found)

    def fit(self, what: str, e: ir.Expr, actual: Type, expected: Type, generic: Generic, where: str = "") -> Typed:
        """An expression where a type is expected, checked when it is computed if that is not certain."""
        try:
            made = self.relation.fit(actual, expected, generic)
            if self._record(what, where, (str(actual), str(expected))):
                said = f"{what} at {where}" if where else what
                e = checked(e, actual, made, said, self.scope, self.visible)
        except Mismatch as error:
            whole = f"{actual} came where {expected} was expected"
            raise self.refuse(what, error if str(error) == whole else f"{whole}: {error}", where) from None
        return e, made

    def join(self, what: str, types: Sequence[Type]) -> Type:
        made = types[0]
        for other in types[1:]:
            try:
                made = self.relation.join(made, other)
            except Mismatch as error:
                raise self.refuse(what, error) from None
        return made

    # Expressions

    def expr(self, e: ir.Expr, expected: Type | None = None) -> Typed:
        match e:
            case ir.Var():
                if e not in self.types:
                    raise self.refuse(
                        f"variable {e.name}", "is not bound here; bind it first, in a let or as a parameter"
                    )
                return self.types[e]
            case ir.Constant():
                return e, e.type
            case ir.GlobalRef(name):
                signature = self.signature(name)
                return e, FunctionType(signature.params, signature.result)
            case ir.TupleExpr(fields):
                wanted = expected.fields if isinstance(expected, TupleType) else ()
                each = [self.expr(f, w) for f, w in zip(fields, _padded(wanted, len(fields)), strict=True)]
                return ir.TupleExpr(tuple(f for f, _ in each)), TupleType(tuple(t for _, t in each))
            case ir.TupleGet(value, index):
                return self._field(value, index)
            case ir.Let():
                return self._let(e, expected)
            case ir.If():
                return self._if(e, expected)
            case ir.Function():
                return self._closure(e, expected)
            case ir.Match():
                return self._match(e, expected)
            case ir.Call(ir.OperatorRef(name)):
                return self._operator(e, name)
            case ir.Call(ir.ConstructorRef() as ref):
                return self._construct(e, ref, expected)
            case ir.Call():
                return self._call(e)

    def _field(self, value: ir.Expr, index: int) -> Typed:
        made, t = self.expr(value)
        if not isinstance(t, TupleType) or not 0 <= index < len(t.fields):
            raise self.refuse(f"field {index} of {t}", "expected a tuple that has it")
        return ir.TupleGet(made, index), t.fields[index]

    def bind(self, v: ir.Var, t: Type) -> ir.Var:
        made = v if alike(v.type, t) else ir.Var(v.name, t)
        self.scope.unseen.difference_update(symbols(t))
        self.types[v] = self.types[made] = (made, t)
        self.visible[made] = t
        return made

    def _let(self, e: ir.Let, expected: Type | None) -> Typed:
        bindings, before = [], dict(self.visible)
        for v, value in e.bindings:
            made, t = self.expr(value, v.type)
            if v.type is not None:
                where = value.where if isinstance(value, ir.Call) else ""
                made, t = self._annotated(f"let {v.name}", made, t, v.type, where)
            bindings.append((self.bind(v, t), made))
        body, t = self.expr(e.body, expected)
        self.visible = before
        return ir.Let(tuple(bindings), body), t

    def _annotated(self, what: str, e: ir.Expr, t: Type, annotation: Type, where: str = "") -> Typed:
        """An expression under a type that somebody wrote; names that are new in it name what they stand for."""
        new: Generic = {name: None for name in symbols(annotation) if not self.scope.is_known(name)}
        e, t = self.fit(what, e, t, annotation, new, where)
        named = _chosen(new)
        for name, size in named.items():
            self.scope.call_it(name, size)
        return e, self._renamed(t) if named else t

    def _renamed(self, t: Type) -> Type:
        """The type with each size by its present name."""

        def change(part: Type) -> Type | None:
            if isinstance(part, FunctionType):
                return part
            if not isinstance(part, TensorType) or "" in {d.name for d in part.shape if not isinstance(d, int)}:
                return None
            return self.scope.tensor(self.scope.shaped(part))

        return map_type(t, change)

    def _if(self, e: ir.If, expected: Type | None) -> Typed:
        condition, t = self.expr(e.condition)
        self.fit("the condition of an if", condition, t, _BOOL, {})
        self.branches += 1
        branches = [self.expr(branch, expected) for branch in (e.then, e.otherwise)]
        self.branches -= 1
        joined = self.join("the branches of an if", [t for _, t in branches])
        return ir.If(condition, branches[0][0], branches[1][0]), joined

    def _closure(self, f: ir.Function, expected: Type | None) -> Typed:
        """Names that appear in it are its own, unless something outside has them."""
        known = dict(self.scope.known)
        wanted = expected.params if isinstance(expected, FunctionType) else ()
        self.branches += 1
        before = dict(self.visible)
        made, t = self.function(f, _padded(wanted, len(f.params)), {})
        self.visible = before
        self.branches -= 1
        self.scope.known = known
        return made, t

    def function(
        self, f: ir.Function, wanted: Sequence[Type | None], chosen: Mapping[str, Size]
    ) -> tuple[ir.Function, FunctionType]:
        annotations = []
        for p, w in zip(f.params, wanted, strict=True):
            annotation = p.type if p.type is not None else w
            if annotation is None:
                raise self.refuse(f"parameter {p.name}", "has no type; write one, as in x: Tensor[(?n, 3), float32]")
            annotations.append(annotation)
        types = opened(annotations, self.scope, chosen)
        params = tuple(map(self.bind, f.params, types))
        body, t = self.expr(f.body, f.result)
        if f.result is not None:
            body, t = self._annotated("the result", body, t, f.result)
        return replace(f, params=params, result=t, body=body), FunctionType(types, t)

    # Calls

    def _operator(self, e: ir.Call, name: str) -> Typed:
        row = operator(name)
        args = [self.expr(a) for a in e.args]
        shapes = tuple(shape_text(t.shape) if isinstance(t, TensorType) else str(t) for _, t in args)
        tensors = []
        for i, (_, t) in enumerate(args):
            if not isinstance(t, TensorType):
                raise self.refuse(name, f"argument {i} is {t}; expected a tensor", e.where)
            tensors.append(self.scope.shaped(t))
        facts = Inventing(self.scope)
        try:
            row.check_count(len(args))
            attrs = row.canonical(e.attrs)
            results = row.relation(tuple(tensors), row.complete(attrs), facts)
            made = tuple(self.scope.tensor(r) for r in results)
        except SpecError as error:
            raise self.refuse(name, error, e.where, shapes) from None
        call = replace(e, args=tuple(a for a, _ in args), attrs=attrs)
        self.relation.conditions += facts.conditions
        self._record(name, e.where, shapes, call)
        return call, TupleType(made) if row.many else made[0]

    def _call(self, e: ir.Call) -> Typed:
        assert not isinstance(e.callee, ir.OperatorRef | ir.ConstructorRef)
        what = called(e.callee)
        if isinstance(e.callee, ir.GlobalRef):
            callee: ir.Expr = e.callee
            signature = self.signature(e.callee.name)
        else:
            callee, t = self.expr(e.callee)
            if not isinstance(t, FunctionType):
                raise self.refuse("call", f"of a value of type {t}; expected a function", e.where)
            own = tuple(name for p in t.params for name in symbols(p) if not self.scope.is_known(name))
            definitions = {name: self.scope.definitions[name] for name in symbols(t) if name in self.scope.definitions}
            signature = Signature(t.params, t.result, own, definitions)
        if len(signature.params) != len(e.args):
            raise self.refuse(what, f"{counted(len(e.args), 'argument')}; expected {len(signature.params)}", e.where)
        here = {} if isinstance(e.callee, ir.GlobalRef) else self.scope.known
        generic: Generic = {**here, **dict.fromkeys(signature.chosen)}
        args: dict[int, ir.Expr] = {}
        # parameters that are functions speak about names that tensors choose: tensors first
        for i in sorted(range(len(e.args)), key=lambda i: isinstance(signature.params[i], FunctionType)):
            param = signature.params[i]
            if isinstance(param, FunctionType):
                param = instantiate(param, _chosen(generic), self.scope, {}, True)
            made, t = self.expr(e.args[i], _hint(param))
            args[i], _ = self.fit(what, made, t, param, generic, e.where)
        result = instantiate(signature.result, _chosen(generic), self.scope, signature.definitions, False)
        return replace(e, callee=callee, args=tuple(args[i] for i in range(len(args)))), result

    def _construct(self, e: ir.Call, ref: ir.ConstructorRef, expected: Type | None) -> Typed:
        declared = self.module.data_type(ref.data)
        fields = declared.constructor(ref.name).fields
        if len(fields) != len(e.args):
            raise self.refuse(ref.name, f"{counted(len(e.args), 'field')}; expected {len(fields)}", e.where)
        same = isinstance(expected, DataRef) and expected.name == ref.data
        values: dict[str, Type] = dict.fromkeys(declared.params, NOTHING)
        hints = dict(zip(declared.params, expected.args, strict=True)) if same and isinstance(expected, DataRef) else {}
        fitted, args, generic = [], [], Generic()
        for declared_type, arg in zip(fields, e.args, strict=True):
            made, t = self.expr(arg, _hint(substitute(declared_type, hints)))
            self._learn(declared_type, t, values)
            generic |= {name: None for name in symbols(declared_type) if name not in generic}
            args.append((made, t, declared_type))
        for made, t, declared_type in args:
            fitted.append(self.fit(ref.name, made, t, substitute(declared_type, values), generic, e.where)[0])
        return replace(e, args=tuple(fitted)), DataRef(ref.data, tuple(values.values()))

    def _learn(self, declared: Type, actual: Type, values: dict[str, Type]) -> None:
        """What the parameters of a data type must be for a field to hold a value."""
        match declared, actual:
            case TypeVar(name), _ if name in values:
                try:
                    values[name] = self.relation.join(values[name], actual, inside=True)
                except Mismatch as error:
                    raise self.refuse(f"parameter {name} of a data type", error) from None
            case TupleType(own), TupleType(other) if len(own) == len(other):
                for d, a in zip(own, other, strict=True):
                    self._learn(d, a, values)
            case DataRef(name, own), DataRef(same, other) if name == same:
                for d, a in zip(own, other, strict=True):
                    self._learn(d, a, values)
            case _:
                pass

    # Matching

    def _match(self, e: ir.Match, expected: Type | None) -> Typed:
        value, t = self.expr(e.value)
        self.branches += 1
        clauses = []
        for pattern, body in e.clauses:
            before = dict(self.visible)
            made = self.pattern(pattern, t)
            clauses.append((made, *self.expr(body, expected)))
            self.visible = before
        self.branches -= 1
        for pattern, _, _ in clauses[:-1]:
            if isinstance(pattern, ir.Bind):  # most likely a constructor's name, misspelt
                name = pattern.var.name
                raise self.refuse(f"match of {t}", f"no constructor is called {name}; the clauses behind it never fit")
        try:
            left_out = missing([(p,) for p, _, _ in clauses], [t], self.module.data)
        except Mismatch as error:
            raise self.refuse(f"match of {t}", error) from None
        if left_out is not None:
            raise self.refuse(f"match of {t}", f"no clause for {left_out[0]}; add one, or one with _")
        joined = self.join("the clauses of a match", [t for _, _, t in clauses])
        return ir.Match(value, tuple((p, body) for p, body, _ in clauses)), joined

    def pattern(self, p: ir.Pattern, t: Type) -> ir.Pattern:
        match p:
            case ir.Wildcard():
                return p
            case ir.Bind(v):
                if v.type is not None:
                    e, t = self._annotated(f"pattern {v.name}", v, t, v.type)
                    if e is not v:
                        raise self.refuse(f"pattern {v.name}", f"{t} is not certain, and no check can look there")
                return ir.Bind(self.bind(v, t))
            case ir.TuplePattern(patterns):
                if not isinstance(t, TupleType) or len(t.fields) != len(patterns):
                    raise self.refuse("match", f"a pattern of {len(patterns)} fields for {t}")
                return ir.TuplePattern(tuple(self.pattern(q, f) for q, f in zip(patterns, t.fields, strict=True)))
            case ir.Construct(ref, patterns):
                if not isinstance(t, DataRef) or t.name != ref.data:
                    raise self.refuse("match", f"a pattern {ref.name} of {ref.data} for {t}")
                declared = self.module.data_type(ref.data)
                fields = declared.constructor(ref.name).fields
                if len(fields) != len(patterns):
                    raise self.refuse(
                        "match", f"{ref.name} with {counted(len(patterns), 'pattern')}; expected {len(fields)}"
                    )
                values, chosen = dict(zip(declared.params, t.args, strict=True)), dict[str, Size]()
                inside = [self._taken_out(f, values, chosen) for f in fields]
                return ir.Construct(ref, tuple(self.pattern(q, f) for q, f in zip(patterns, inside, strict=True)))

    def _taken_out(self, field: Type, values: Mapping[str, Type], chosen: dict[str, Size]) -> Type:
        """A field's type in this scope: names of the declaration are sizes of this one value."""
        if isinstance(field, TypeVar) and field.name in values:  # what it holds speaks of names that are here
            here = {name: self.scope.known[name] for name in symbols(values[field.name]) if name in self.scope.known}
            here |= {n: s for n, s in self.scope.definitions.items() if n not in here}
            return instantiate(values[field.name], here, self.scope, {}, False)
        if isinstance(field, TupleType):
            return TupleType(tuple(self._taken_out(f, values, chosen) for f in field.fields))
        if isinstance(field, DataRef):
            return substitute(instantiate(field, chosen, self.scope, {}, False), values)
        return instantiate(field, chosen, self.scope, {}, False)


def _chosen(generic: Generic) -> dict[str, Size]:
    return {name: size for name, size in generic.items() if size is not None}


def _hint(expected: Type) -> Type | None:
    """What an argument may look at to find its own type: only functions and data say something that it does not."""
    return expected if isinstance(expected, FunctionType | DataRef) else None


def _padded(types: Sequence[Type], count: int) -> Sequence[Type | None]:
    return types if len(types) == count else [None] * count

"""Reference interpreter of the model language, in numpy: slow, obvious, the last word on what executables compute.

Every operator is computed in float64 and rounded once. Calls stand on a stack of our own, so recursion may be as deep
as the data; a call in tail position replaces its caller. Arguments are checked against the types of parameters,
equal names being equal sizes: what inference could not decide is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Union

import numpy as np

from anytile.compiler.infer.record import called, place
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import TensorType, TupleType, Type
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch, dtype_name
from anytile.core.errors import ArgumentError, ResourceError, SpecError
from anytile.core.plurals import counted

DEEPEST = 2_000_000  # calls in each other


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A value of a data type."""

    constructor: ir.ConstructorRef
    fields: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function with the variables around it; `name` is that of the function of the module it stands in."""

    function: ir.Function
    around: Frame | None
    name: str


Value = Union[ir.Array, tuple["Value", ...], Data, Closure]  # noqa: UP007  # a name in quotes takes no |
Watch = Callable[[str, ir.Var, Value], None]


class Frame:
    """The variables of one call. Each is bound at most once in it, so a closure can share it."""

    __slots__ = ("around", "name", "values")

    def __init__(self, name: str, around: Frame | None = None) -> None:
        self.name, self.around = name, around
        self.values: dict[ir.Var, Value] = {}

    def read(self, v: ir.Var) -> Value:
        frame: Frame | None = self
        while frame is not None:
            if v in frame.values:
                return frame.values[v]
            frame = frame.around
        raise SpecError(f"{self.name}: variable {v.name} is not bound here; bind it first, in a let or as a parameter")


def evaluate(
    module: ir.Module,
    args: Sequence[Value] | Mapping[str, Value],
    function: str = "main",
    watch: Watch | None = None,
) -> Value:
    """The value of one of the module's functions; arguments in order or by name. `watch` sees every variable bound."""
    f = module.function(function)
    if isinstance(args, Mapping):
        names = [p.name for p in f.params]
        if set(args) != set(names):
            raise ArgumentError(
                f"{function}: got {', '.join(args) or 'nothing'}; expected {', '.join(names) or 'nothing'}"
            )
        args = [args[name] for name in names]
    given = [np.asarray(a) if isinstance(a, np.generic | float | int) else a for a in args]
    return _Evaluator(module, watch).call(Closure(f, None, function), given)


_Steps = Generator[tuple[ir.Expr, Frame], Value, Value]


class _Evaluator:
    def __init__(self, module: ir.Module, watch: Watch | None) -> None:
        self.module, self.watch = module, watch

    def call(self, closure: Closure, args: Sequence[Value]) -> Value:
        frame = self.enter(closure, args, lambda: closure.name)
        stack = [self.steps(closure.function.body, frame)]
        value: Value | None = None
        while stack:
            try:
                # the first send to a generator must be None
                wanted = stack[-1].send(value)  # type: ignore[arg-type]
            except StopIteration as done:
                stack.pop()
                value = done.value
                continue
            e, inside = wanted
            if isinstance(e, ir.Var | ir.Constant):
                value = inside.read(e) if isinstance(e, ir.Var) else e.array
                continue
            if len(stack) >= DEEPEST:
                raise ResourceError(
                    f"{closure.name}: more than {DEEPEST} calls in each other; expected recursion to end"
                )
            stack.append(self.steps(e, inside))
            value = None
        assert value is not None
        return value

    def bind(self, frame: Frame, v: ir.Var, value: Value) -> None:
        frame.values[v] = value
        if self.watch is not None:
            self.watch(frame.name, v, value)

    def enter(self, closure: Closure, args: Sequence[Value], what: Callable[[], str]) -> Frame:
        """The frame of a call with its arguments bound, when they fit the parameters; `what` calls it in an error."""
        f = closure.function
        if len(args) != len(f.params):
            raise ArgumentError(f"{what()}: {counted(len(args), 'argument')}; expected {len(f.params)}")
        frame, sizes = Frame(closure.name, closure.around), dict[str, int]()
        for p, value in zip(f.params, args, strict=True):
            said = _misfit(value, p.type, sizes)
            if said:
                raise ArgumentError(f"{what()}: argument {p.name} is {said}; expected {p.type}")
            self.bind(frame, p, value)
        return frame

    def steps(self, e: ir.Expr, frame: Frame) -> _Steps:
        """Computes an expression, asking for the values of those inside it; what stands last in it is gone on with."""
        while True:
            match e:
                case ir.Var():
                    return frame.read(e)
                case ir.Constant(array):
                    return array
                case ir.GlobalRef(name):
                    return Closure(self.module.function(name), None, name)
                case ir.Function():
                    return Closure(e, frame, frame.name)
                case ir.TupleExpr(fields):
                    found = []
                    for f in fields:
                        found.append((yield f, frame))
                    return tuple(found)
                case ir.TupleGet(value, index):
                    whole = yield value, frame
                    if not isinstance(whole, tuple) or not 0 <= index < len(whole):
                        raise SpecError(f"{frame.name}: field {index} of {_form(whole)}; expected a tuple that has it")
                    return whole[index]
                case ir.Let(bindings, body):
                    for v, value in bindings:
                        self.bind(frame, v, (yield value, frame))
                    e = body
                case ir.If(condition, then, otherwise):
                    test = yield condition, frame
                    if not isinstance(test, np.ndarray | np.generic) or test.shape != () or test.dtype != bool:
                        raise SpecError(f"{frame.name}: if on {_form(test)}; expected a scalar bool")
                    e = then if test else otherwise
                case ir.Match(value, clauses):
                    whole = yield value, frame
                    for pattern, body in clauses:
                        if self.fits(pattern, whole, frame):
                            e = body
                            break
                    else:
                        raise SpecError(
                            f"{frame.name}: match of {_form(whole)}: no clause fits; add one, or one with _"
                        )
                case ir.Call(callee, args, _, where):
                    given = []
                    for a in args:
                        given.append((yield a, frame))
                    if isinstance(callee, ir.OperatorRef):
                        return self.operator(frame, e, callee.name, given)
                    if isinstance(callee, ir.ConstructorRef):
                        return Data(callee, tuple(given))
                    head = yield callee, frame
                    if not isinstance(head, Closure):
                        raise SpecError(f"{place(frame.name, 'call', where, ())} of {_form(head)}; expected a function")
                    said = partial(place, frame.name, called(callee), where, ())
                    frame = self.enter(head, given, said)
                    e = head.function.body

    def operator(self, frame: Frame, call: ir.Call, name: str, args: Sequence[Value]) -> Value:
        arrays = [a for a in args if isinstance(a, np.ndarray)]
        try:
            if len(arrays) != len(args):
                raise Mismatch("expected tensors")
            row = operator(name)
            found = run(row, arrays, call.attrs)
        except Mismatch as error:
            shapes = tuple(map(_form, args))
            raise ArgumentError(f"{place(frame.name, name, call.where, shapes)}: {error}") from None
        return found if row.many else found[0]

    def fits(self, pattern: ir.Pattern, value: Value, frame: Frame) -> bool:
        """Whether a pattern fits; if so what it binds is bound. What a pattern that fails binds is never read."""
        stack = [(pattern, value)]
        while stack:
            p, v = stack.pop()
            match p:
                case ir.Bind(name):
                    self.bind(frame, name, v)
                case ir.Construct(ref, inside):
                    if not isinstance(v, Data) or v.constructor != ref or len(v.fields) != len(inside):
                        return False
                    stack += zip(reversed(inside), reversed(v.fields), strict=True)
                case ir.TuplePattern(inside):
                    if not isinstance(v, tuple) or len(v) != len(inside):
                        return False
                    stack += zip(reversed(inside), reversed(v), strict=True)
                case _:
                    pass
        return True


def _misfit(value: Value, t: Type | None, sizes: dict[str, int]) -> str:
    """What a value is, where that is not what a type says; sizes by name are the same everywhere."""
    match t:
        case TensorType():
            if not isinstance(value, np.ndarray) or dtype_name(value.dtype) != t.dtype or value.ndim != t.rank:
                return _form(value)
            for dim, n in zip(t.shape, value.shape, strict=True):
                expected = dim if isinstance(dim, int) else sizes.setdefault(dim.name, n) if dim.name else n
                if expected != n:
                    return _form(value) + ("" if isinstance(dim, int) else f" where {dim} is {expected}")
            return ""
        case TupleType(fields):
            if not isinstance(value, tuple) or len(value) != len(fields):
                return _form(value)
            return next(filter(None, (_misfit(v, f, sizes) for v, f in zip(value, fields, strict=True))), "")
        case _:
            return ""


def _form(value: Value) -> str:
    match value:
        case tuple():
            return f"a tuple of {len(value)}"
        case Data(ref):
            return f"a {ref.name}"
        case Closure():
            return "a function"
        case _:
            return f"Tensor[{value.shape}, {value.dtype}]"

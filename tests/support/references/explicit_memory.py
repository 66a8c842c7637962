"""Reference interpreter of the memory dialect: storage is bytes full of rubbish, kernels mean what numpy says.

What two tensors share by mistake, or is read before it was written, gives another result than the evaluator's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np

from anytile.compiler.evaluate import Data, evaluate
from anytile.compiler.ir import memory_dialect
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
    Pattern,
    TupleExpr,
    TupleGet,
    TuplePattern,
    Var,
)
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.vm.interpreter.host_functions import parse_call
from anytile.vm.program.shape_programs import ShapeProgram

_HOST = host_functions()


@dataclass
class Run:
    """One run, and what it allocated."""

    module: Module
    allocated: list[int] = field(default_factory=list)

    def main(self, *args: AnyType) -> AnyType:
        return self.call(self.module.main, list(args), {})

    def call(self, f: Function, args: Sequence[AnyType], around: dict[Var, AnyType]) -> AnyType:
        return self.block(f.body, {**around, **dict(zip(f.params, args, strict=True))})

    def block(self, block: Expr, scope: dict[Var, AnyType]) -> AnyType:
        scope = dict(scope)
        for var, value in block.bindings if isinstance(block, Let) else ():
            scope[var] = self.step(value, scope)
        return self.atom(block.body if isinstance(block, Let) else block, scope)

    def atom(self, e: Expr, scope: dict[Var, AnyType]) -> AnyType:
        if isinstance(e, Var):
            return scope[e]
        if isinstance(e, GlobalRef):
            return self.module.function(e.name), {}
        assert isinstance(e, Constant)
        return e.array

    def step(self, value: Expr, scope: dict[Var, AnyType]) -> AnyType:
        match value:
            case TupleExpr(fields):
                return tuple(self.atom(f, scope) for f in fields)
            case TupleGet(source, index):
                return self.atom(source, scope)[index]
            case If(condition, then, otherwise):
                return self.block(then if bool(self.atom(condition, scope)) else otherwise, scope)
            case Function():
                return value, dict(scope)
            case Match(source, clauses):
                found = self.atom(source, scope)
                for pattern, body in clauses:
                    bound: dict[Var, AnyType] = {}
                    if _fits(pattern, found, bound):
                        return self.block(body, {**scope, **bound})
                raise AssertionError("no clause fits")
            case Call(ConstructorRef() as ref, args):
                return Data(ref, tuple(self.atom(a, scope) for a in args))
            case Call() if memory_dialect.name_of(value):
                return self.operation(value, [self.atom(a, scope) for a in value.args])
            case Call(callee, args):
                function, around = self.atom(callee, scope)  # type: ignore[arg-type]  # a function
                return self.call(function, [self.atom(a, scope) for a in args], around)
            case _:
                return self.atom(value, scope)

    def operation(self, call: Call, args: list[AnyType]) -> AnyType:
        match memory_dialect.name_of(call):
            case memory_dialect.ALLOC_STORAGE:
                self.allocated.append(int(args[0]))
                return np.full(int(args[0]), 0x7B, np.uint8)
            case memory_dialect.ALLOC_TENSOR | memory_dialect.PART:
                storage, offset, shape = args[-3:]
                dtype = np.dtype(str(call.attr("dtype")))
                size = int(np.prod(shape)) * dtype.itemsize
                piece = storage[int(offset) : int(offset) + size]
                assert piece.size == size, "a tensor that does not lie in its storage"
                return piece.view(dtype).reshape([int(n) for n in shape])
            case memory_dialect.SHAPE_OF:
                return np.asarray(args[0].shape, np.int64)
            case memory_dialect.RESHAPE:
                x, shape = args
                return x.reshape(-1)[: int(np.prod(shape))].reshape([int(n) for n in shape])
            case memory_dialect.APPEND:
                return np.concatenate(args, axis=int(str(call.attr("axis"))))
            case memory_dialect.DEVICE_COPY:
                return args[0].copy()
            case memory_dialect.KILL:
                args[0][...] = 0x7B
                return ()
        count = len(memory_dialect.outputs_of(call))
        inputs, outputs = args[: len(args) - count], args[len(args) - count :]
        if memory_dialect.name_of(call) == memory_dialect.INVOKE_SHAPE:
            program = ShapeProgram.parse(str(call.attr("program")))
            made: Sequence[AnyType] = program.evaluate(lambda a, i: int(inputs[a].reshape(-1)[i]))
            made = [np.asarray(m).reshape(o.shape) for m, o in zip(made, outputs, strict=True)]
        elif memory_dialect.name_of(call) == memory_dialect.INVOKE_MUT:
            ref = call.args[0]
            assert isinstance(ref, GlobalRef)
            found = evaluate(self.module, inputs[1:], ref.name)
            made = found if isinstance(found, tuple) else (found,)
        else:
            name, attrs = parse_call(str(call.attr("call")))
            _HOST[name](inputs, outputs, **attrs)
            return ()
        for m, output in zip(made, outputs, strict=True):
            assert m.shape == output.shape
            output[...] = m
        return ()


def _fits(pattern: Pattern, value: AnyType, bound: dict[Var, AnyType]) -> bool:
    match pattern:
        case Bind(var):
            bound[var] = value
            return True
        case Construct(ref, patterns):
            if value.constructor != ref:
                return False
            return all(_fits(p, f, bound) for p, f in zip(patterns, value.fields, strict=True))
        case TuplePattern(patterns):
            return all(_fits(p, f, bound) for p, f in zip(patterns, value, strict=True))
        case _:
            return True

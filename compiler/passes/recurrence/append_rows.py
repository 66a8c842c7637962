"""Growing tensors of a recurrence: rows that each step puts behind those of the steps before are written in place.

A function that calls itself gives the next call what it was given, joined with rows of its own: the outputs of a scan,
the keys and values of a decoder. Joined anew each time, n rows cost n squared; appended, they cost n. Nothing needs to
be proved for it: the machine sees, when it appends, whether what lies behind a tensor is free.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Expr, Function, Module, OperatorRef, Var, is_operator_call, tensor_of
from anytile.compiler.ir.traverse import Binding, is_call_of, rewrite, steps
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, integer


def append_rows(module: Module) -> Module:
    functions = {name: f if f.is_primitive else _appending(name, f) for name, f in module.functions.items()}
    return replace(module, functions=functions)


def _appending(name: str, f: Function) -> Function:
    given = {(arg, i) for _, call in steps(f.body) if is_call_of(call, name) for i, arg in enumerate(call.args)}
    if not given:
        return f
    places = {p: i for i, p in enumerate(f.params)}

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value, "concat") or len(value.args) != 2:
            return None
        grown, _ = value.args
        if not isinstance(grown, Var) or grown not in places or (var, places[grown]) not in given:
            return None
        kind = tensor_of(grown)
        axis = axis_of(integer(operator("concat").complete(value.attrs), "axis"), kind.rank)
        if set(kind.shape[:axis]) - {1}:
            return None
        attrs = operator("append").canonical((("axis", axis),))
        return [(var, Call(OperatorRef("append"), value.args, attrs, value.where))]

    return replace(f, body=rewrite(f.body, change))

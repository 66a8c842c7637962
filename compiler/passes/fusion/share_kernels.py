"""Shared kernels: primitive functions that differ in numbers alone become one, which is given the numbers.

A model that was quantised has a scale of its own in each layer, which fusion writes into the kernel's expression:
layers of one shape would be compiled, looked up and tuned one by one. Numbers in which such functions differ become
operands of one function. Those that all have stay where they are, as 0.5 in a gelu.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalRef,
    Module,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, make_block, map_atoms, result_of, rewrite
from anytile.compiler.kernels.kernel_of import kernel_of, literal
from anytile.compiler.kernels.primitive_functions import key_of

_TAKING = ("add", "subtract", "multiply", "divide", "maximum", "minimum")  # what computes alike with any number
_FLOAT = "float32"

Shared = tuple[str, tuple[Constant, ...]]  # the function that one is, and the numbers that it is given


def share_kernels(module: Module) -> Module:
    alike: dict[object, list[str]] = {}
    for name, function in module.functions.items():
        if function.is_primitive:
            alike.setdefault((key_of(function, _but_for_numbers), function.attrs), []).append(name)
    made, shared = dict[str, Function](), dict[str, Shared]()
    for names in alike.values():
        numbers = [_numbers(module.function(name)) for name in names]
        places = [at for at, each in enumerate(zip(*numbers, strict=True)) if len(set(map(constant_key, each))) > 1]
        common = _given(module.function(names[0]), places) if places else None
        if common is not None:
            made[names[0]] = common
            for name, own in zip(names, numbers, strict=True):
                shared[name] = names[0], tuple(own[at] for at in places)

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not isinstance(value, Call) or not isinstance(value.callee, GlobalRef) or value.callee.name not in shared:
            return None
        name, given = shared[value.callee.name]
        return [(var, replace(value, callee=GlobalRef(name), args=(*value.args, *given)))]

    functions = {name: f for name, f in module.functions.items() if name not in shared} | made
    return each_block(replace(module, functions=functions), lambda body: rewrite(body, change))


def _is_number(e: Expr, step: Expr) -> bool:
    """Whether an argument of a step is a number that might be another."""
    return is_operator_call(step, *_TAKING) and literal(e) is not None and tensor_of(e).dtype == _FLOAT


def _but_for_numbers(e: Constant, step: Call) -> object:
    return "number" if _is_number(e, step) else constant_key(e)


def _numbers(function: Function) -> list[Constant]:
    """The numbers of a function that might be others, in their order."""
    return [a for _, step in bindings_of(function.body) if isinstance(step, Call) for a in step.args
            if isinstance(a, Constant) and _is_number(a, step)]  # fmt: skip


def _given(function: Function, places: Sequence[int]) -> Function | None:
    """The function with parameters for its numbers at some places; None where no kernel does that."""
    params: list[Var] = []
    body: list[Binding] = []
    number = itertools.count()
    for var, step in bindings_of(function.body):

        def local(atom: Expr, step: Expr = step) -> Expr:
            if not isinstance(atom, Constant) or not _is_number(atom, step) or next(number) not in places:
                return atom
            params.append(Var(f"number{len(params)}", atom.type))
            return params[-1]

        body.append((var, map_atoms(step, local)))
    made = replace(function, params=(*function.params, *params), body=make_block(body, result_of(function.body)))
    return made if kernel_of(made) is not None else None

"""Exact storage of weights: a dense layer's constant weight lies in 16 bits where these hold every number of it.

So do the weights of a model in 16-bit floats, which was widened, and of one that somebody widened before it came here.
Nothing is lost: rows and sums stay float32, and the kernel reads half of the bytes. Who asked for other weights has
them by now. Small weights stay, since caches hold them either way; and in functions that call themselves all do, since
there the cells of a recurrent network are matched by float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anytile.compiler.ir.memory_dialect import HOST
from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, calls_itself, rewrite
from anytile.compiler.operators import operator
from anytile.core.dtypes import HALVES
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from anytile.schedules.operators.products.dense import DENSE
from anytile.schedules.operators.products.quantised_dense import FLOAT, OUT, QUANTISED_DENSE, W, X

Halves = Callable[[], tuple[str, ...]]
_LEAST_BYTES = 1 << 16  # of a weight in float32
_LOOKED_AT = 1 << 12  # elements of which most weights have one that 16 bits do not hold


def halves_on(target: Target, device: int = HOST) -> tuple[str, ...]:
    """The 16-bit floats that are widened while somebody waits for memory, the quickest first: on a CPU, or by kernels
    that run on a GPU beside it, which widens all."""
    if device != HOST:
        return HALVES
    return ("float16", "bfloat16") if narrow_facts(target).half else ("bfloat16",)


def exact_weights(module: Module, halves: Halves | None = None) -> Module:
    """The module as its target has it; `halves` says what that widens, and is asked where there is such a layer.
    Without it nothing is known of the target, and nothing changes."""
    if halves is None:
        return module
    known: dict[int, tuple[Constant, Constant | None, str]] = {}

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value, DENSE.name) or value.attrs or not isinstance(value.args[0], Var):
            return None
        x, weight = value.args
        if not isinstance(weight, Constant) or weight.array.dtype != FLOAT or weight.array.nbytes < _LEAST_BYTES:
            return None
        if tensor_of(x).dtype != FLOAT:
            return None
        if id(weight.array) not in known:
            known[id(weight.array)] = weight, *_narrowed(weight, halves())
        _, narrow, dtype = known[id(weight.array)]
        if narrow is None:
            return None
        attrs = ((X.name, FLOAT), (W.name, dtype), (OUT.name, FLOAT))
        row = operator(QUANTISED_DENSE.name)
        return [(var, Call(OperatorRef(row.name), (x, narrow), row.canonical(attrs), value.where))]

    functions = {
        name: f if f.is_primitive or calls_itself(name, f) else replace(f, body=rewrite(f.body, change))
        for name, f in module.functions.items()
    }
    return replace(module, functions=functions)


def _narrowed(weight: Constant, dtypes: tuple[str, ...]) -> tuple[Constant | None, str]:
    """The weight in the first of some dtypes that holds it, and which that is."""
    few = weight.array.reshape(-1)[:_LOOKED_AT]
    for dtype in dtypes:
        if _holds(few, dtype) and _holds(weight.array, dtype):
            return Constant(bits_of(weight.array, dtype), weight.name), dtype
    return None, ""


def _holds(array: Array, dtype: str) -> bool:
    """Whether a dtype has every number of an array, and its sign; of NaN it is not said."""
    with np.errstate(over="ignore"):
        back = from_bits(bits_of(array, dtype), dtype).astype(np.float32)
    return bool((back == array).all())

"""Group normalisation matching: channels that are flattened by groups, normalised and shaped back are sums over images.

    u = normalised rows of reshape(x, (n, groups, -1)), perhaps with weights by group;  reshape(u, the sizes of x)

Flattened, neither fusion nor another layout gets through. With the mean m of each channel and the mean square v of
d = x - m, from which those of a group follow, what reads images reads them as they lie:

    mean = mean of m in the group;  variance = mean of v + (m - mean)^2;  s = 1 / sqrt(variance + eps)
    d * s + (m - mean) * s

Variances are of differences, so channels far from 0 lose no digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, rewrite, variables_read
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.sized import dimension
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred
from anytile.compiler.passes.dead_code import live
from anytile.compiler.passes.matching.match_norms import NormSteps

_RESHAPES = ("reshape", "reshape_sized")
_DTYPE = "float32"


def match_group_norms(module: Module) -> Module:
    return each_block_inferred(module, _changed)


def _changed(body: Expr) -> Expr | None:
    reads = Counter(variables_read(body))
    known: dict[Var, Call] = {}
    count = 0

    def change(var: Var, step: Expr) -> list[Binding] | None:
        nonlocal count
        if not is_operator_call(step):
            return None
        known[var] = step
        found = _found(var, step, known, reads) if operator_of(step) in _RESHAPES else None
        if found is None:
            return None
        count += 1
        return _spread(found, step.where).ending_in(var)

    made = rewrite(body, change)
    return live(made) if count else None


@dataclass(frozen=True, slots=True)
class _Groups:
    """Images x whose channels are normalised in groups, with a weight and a shift for each group."""

    x: Var
    rank: int
    groups: int
    channels: int  # of a group
    eps: float
    gamma: Array | None
    beta: Array | None


def _found(var: Var, step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> _Groups | None:
    """The normalisation whose result a reshape brings into the sizes of its images again."""
    steps, (flat, *_) = NormSteps(known, reads), step.args
    gamma = beta = None
    if isinstance(flat, Var) and reads[flat] == 1 and (total := steps.call(flat, "add")) is not None:
        flat, beta = total.args[0], _of_groups(total.args[1])
        if beta is None:
            return None
    unit = steps.unit(flat)
    for other, weight in () if unit is not None else steps.products(flat):
        if (gamma := _of_groups(weight)) is not None and (unit := steps.unit(other)) is not None:
            break
    rows = None if unit is None else steps.centred(unit.x)
    made = None if rows is None else steps.call(rows, *_RESHAPES)
    if unit is None or rows is None or made is None or not isinstance(made.args[0], Var):
        return None
    x, seen, kind = made.args[0], tensor_of(rows).shape, type_of(made.args[0])
    if kind != var.type or not isinstance(kind, TensorType) or kind.dtype != _DTYPE or kind.rank < 3 or len(seen) != 3:
        return None
    channels, groups = kind.shape[1], seen[1]
    if not isinstance(channels, int) or not isinstance(groups, int) or seen[0] != kind.shape[0]:
        return None
    if groups == 0 or channels == 0 or channels % groups:
        return None
    if any(w is not None and w.size not in (1, groups) for w in (gamma, beta)):
        return None
    return _Groups(x, kind.rank, groups, channels // groups, unit.eps, gamma, beta)


def _of_groups(e: Expr) -> Array | None:
    """What a constant has for each group, as one column; one number is for all."""
    if not isinstance(e, Constant) or e.array.ndim > 3 or e.array.size != (1, 1, *e.array.shape)[-2]:
        return None
    return e.array.reshape(-1, 1)


def _spread(g: _Groups, where: str) -> Steps:
    steps, images = Steps(where), tuple(range(2, g.rank))
    ones: list[int | str] = [1] * len(images)
    wide = (dimension(0), g.groups * g.channels, *ones)
    grouped = (dimension(0), g.groups, g.channels)
    mean = steps.put("mean", g.x, axis=images, keepdims=True)
    apart = steps.put("subtract", g.x, mean)
    variance = steps.put("mean", steps.put("square", apart), axis=images, keepdims=True)
    means = steps.reshape(mean, grouped)
    away = steps.put("subtract", means, steps.put("mean", means, axis=(2,), keepdims=True))
    total = steps.put("add", steps.reshape(variance, grouped), steps.put("square", away))
    total = steps.put("add", steps.put("mean", total, axis=(2,), keepdims=True), _constant(np.asarray(g.eps)))
    weights = np.ones((g.groups, g.channels)) * (1 if g.gamma is None else g.gamma)
    scale = steps.put("multiply", steps.put("rsqrt", total), _constant(weights))
    shift = steps.put("multiply", away, scale)
    if g.beta is not None and np.any(g.beta):
        shift = steps.put("add", shift, _constant(g.beta))
    made = steps.put("multiply", apart, steps.reshape(scale, wide))
    steps.put("add", made, steps.reshape(shift, wide))
    return steps


def _constant(array: Array) -> Constant:
    return Constant(array.astype(_DTYPE))

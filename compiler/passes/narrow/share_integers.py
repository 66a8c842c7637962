"""Integer islands: a sum behind a convolution takes the integers that other layers read, and no float is written.

The result of a residual block is read by the next block's convolution, as integers of a known range, and by the sum at
that block's end. Where every reader is one or the other the sum reads the integers, too, which are scaled back in the
tail of the convolution before it; then the integers are all that is left of the result, and fusion makes them the last
of its own tail. What lies beyond the range is cut off for the sum as it is for the layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import Array, Call, Constant, Expr, Module, OperatorRef, Var, is_operator_call
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, every_block, rewrite, variables_read

_LINKS = ("add", "subtract", "multiply")  # what stands between a product and a sum of its tail


def share_integers(module: Module) -> Module:
    return each_block(module, _shared)


@dataclass(frozen=True, slots=True)
class _Island:
    """The step that makes a tensor integers, and what scales them back."""

    codes: Var
    made: Call
    scale: Constant
    plus: Constant


def _shared(body: Expr) -> Expr:
    reads = Counter(variables_read(body))
    islands: dict[Var, _Island] = {}
    for block in every_block(body):
        islands |= _islands(block, reads)
    names: dict[Var, Expr] = {}

    def change(var: Var, value: Expr) -> list[Binding] | None:
        made: list[Binding] | None = None
        if isinstance(value, Call) and (own := next((a for a in value.args if a in islands), None)) is not None:
            assert isinstance(own, Var)
            found = islands[own]
            if is_operator_call(value, "quantise_within"):
                names[var] = found.codes
                return []
            back = Var(own.name, own.type)
            args = tuple(back if a is own else a for a in value.args)
            scaled = Call(OperatorRef("dequantise_within"), (found.codes, found.scale, found.plus), where=value.where)
            made = [(back, scaled), (var, replace(value, args=args))]
        if var in islands:
            return [*(made or [(var, value)]), (islands[var].codes, islands[var].made)]
        return made

    return rewrite(body, change, names)


def _islands(block: Expr, reads: Mapping[Var, int]) -> dict[Var, _Island]:
    """The tensors that a block binds which integers may stand for."""
    values = dict(bindings_of(block))
    readers: dict[Var, list[Call]] = {}
    for value in values.values():
        if is_operator_call(value):
            for a in dict.fromkeys(a for a in value.args if isinstance(a, Var)):
                readers.setdefault(a, []).append(value)
    found: dict[Var, _Island] = {}
    for var, calls in readers.items():
        makers = [c for c in calls if is_operator_call(c, "quantise_within")]
        sums = [c for c in calls if c not in makers]
        if var not in values or not makers or not sums or reads[var] != len(calls):
            continue
        ranges = {tuple(number_of(a) for a in c.args[1:]) for c in makers}
        others = [next((a for a in c.args if a is not var), None) for c in sums if is_operator_call(c, "add")]
        if len(ranges) > 1 or len(others) < len(sums) or not all(_of_convolution(o, values, reads) for o in others):
            continue
        ((by, zero),) = ranges
        scale = np.float32(1) / np.float32(by)
        numbers = (Constant(np.array([n], np.float32)) for n in (scale, -np.float32(zero) * scale))
        codes = next(v for v, value in values.items() if value is makers[0])
        found[var] = _Island(Var(codes.name, codes.type), makers[0], *numbers)
    # a sum of two of them reads one as floats
    return {var: island for var, island in found.items() if not _meets_another(var, readers[var], found)}


def _meets_another(var: Var, calls: list[Call], found: Mapping[Var, _Island]) -> bool:
    return any(a in found for c in calls for a in c.args if a is not var and isinstance(a, Var))


def number_of(e: Expr) -> float:
    """The one number of a constant."""
    assert isinstance(e, Constant)
    array: Array = e.array
    return float(array.reshape(-1)[0])


def _of_convolution(e: Expr | None, values: Mapping[Var, Expr], reads: Mapping[Var, int]) -> bool:
    """Whether it is a convolution of integers, or what its tail makes of one for nobody else."""
    while isinstance(e, Var) and reads[e] == 1 and e in values:
        value = values[e]
        if is_operator_call(value, "quantised_conv2d"):
            return True
        if not is_operator_call(value, *_LINKS):
            return False
        e = value.args[0]
    return False

"""Masked softmax matching: a softmax, and what guards rows that see nothing behind it, are one kernel.

Exporters write attention so that a row whose scores are all -inf becomes 0 where softmax alone makes NaN of it:

    where(isnan(s), 0, s)                   s = softmax(x), as ONNX has it            guard="nan"
    where(max(x) == -inf, 0, s)             torch's safe softmax                      guard="empty"
    where(not(any(not(x == -inf))), 0, s)   the same, as torch.export decomposes it   guard="empty"

A condition may be negated, or a cast of truths, and the branches be the other way round; numbers may be broadcast.
Where somebody else reads the softmax there is nothing to gain.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import replace_calls
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, integer, ints


def guard_softmax(module: Module) -> Module:
    return replace_calls(module, _guarded)


def _guarded(var: Var, step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Call | None:
    """The softmax that a choice is; None where it is none."""
    if operator_of(step) != "where":
        return None
    condition, one, other = step.args
    for is_spared, zero, kept in ((True, one, other), (False, other, one)):
        soft = known.get(kept) if isinstance(kept, Var) else None
        if not isinstance(kept, Var) or soft is None or number_of(zero, known) != 0.0:
            continue
        if not is_operator_call(soft, "softmax") or soft.attr("guard", "none") != "none" or kept.type != var.type:
            continue
        guard, asked = _Asked(kept, soft, known).guard(condition, is_spared)
        if guard and reads[kept] == asked + 1:
            return Call(soft.callee, soft.args, (*soft.attrs, ("guard", guard)), soft.where)
    return None


class _Asked:
    """What a condition asks of a softmax and of its scores."""

    def __init__(self, soft: Var, call: Call, known: Mapping[Var, Call]) -> None:
        self.soft, self.known, self.x = soft, known, call.args[0]
        self.rank = tensor_of(soft).rank
        self.axis = axis_of(integer(operator("softmax").complete(call.attrs), "axis"), self.rank)

    def guard(self, condition: Expr, wanted: bool) -> tuple[str, int]:
        """By which guard rows are 0 where the condition is as wanted, and how often it reads the softmax; an empty text
        where it asks something else."""
        call, wanted = self.step(condition, wanted)
        if call is None:
            return "", 0
        name, args = operator_of(call), call.args
        if name == "isnan" and args[0] is self.soft:
            return ("nan" if wanted else ""), 1
        if name == "equal" and all(a is self.soft for a in args):
            return ("" if wanted else "nan"), 2
        if name == "equal" and number_of(args[1], self.known) == -np.inf:
            most = self.most(args[0])
            return ("empty" if wanted and most is self.x else ""), 0
        if name == "greater" and number_of(args[1], self.known) == 0 and not wanted:  # any, of which there are none
            most = self.most(args[0])
            seen, is_other = (None, True) if most is None else self.step(most, False)
            if seen is not None and is_other and operator_of(seen) == "equal" and seen.args[0] is self.x:
                return ("empty" if number_of(seen.args[1], self.known) == -np.inf else ""), 0
        return "", 0

    def step(self, e: Expr, wanted: bool) -> tuple[Call | None, bool]:
        """The step behind negations and casts of truths, of which the other answer is wanted behind an odd number."""
        while isinstance(e, Var) and (call := self.known.get(e)) is not None:
            name = operator_of(call)
            if name == "not_equal":
                return Call(OperatorRef("equal"), call.args), not wanted
            if name == "logical_not":
                wanted = not wanted
            elif name != "cast" or tensor_of(call.args[0]).dtype != "bool":
                return call, wanted
            e = call.args[0]
        return None, wanted

    def most(self, e: Expr) -> Expr | None:
        """Of what something is the largest along the softmax's axis, which stays."""
        call = self.known.get(e) if isinstance(e, Var) else None
        if call is None or not is_operator_call(call, "max"):
            return None
        attrs = operator("max").complete(call.attrs)
        is_along = tuple(axis_of(a, self.rank) for a in ints(attrs, "axis")) == (self.axis,)
        return call.args[0] if is_along and attrs["keepdims"] and tensor_of(call.args[0]).rank == self.rank else None


def number_of(e: Expr, known: Mapping[Var, Call]) -> float | None:
    """The number that something is everywhere, broadcast or not; None where it is more than one, or nobody knows."""
    while isinstance(e, Var) and (call := known.get(e)) is not None:
        if operator_of(call) not in ("broadcast_sized", "broadcast_to", "broadcast_like", "reshape"):
            return None
        e = call.args[0]
    if not isinstance(e, Constant) or e.array.size == 0 or not bool((e.array == e.array.flat[0]).all()):
        return None
    return float(e.array.flat[0])

"""Operator fusion: operator calls become calls of primitive functions, each of which is one kernel.

A step joins the steps before it where nothing but it reads what they make and `kernel_of` finds a kernel for all of
them: elementwise steps join the product that made their input, or each other, normalisations and reductions take the
elementwise steps before them, products of two tensors and attention what widens their operands, and what joins rows of
16 bits what rounds these. A step stays where it was, so its inputs are there when it runs. Primitive functions are
functions of the module, one for all calls that do the same; constants are arguments unless they are numbers that stand
in an expression. What has no kernel stays an operator call: views, what depends on data, what the host computes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.nodes import Expr, Module, Var, is_operator_call, operator_of, tensor_of
from anytile.compiler.ir.traverse import (
    Binding,
    bindings_of,
    each_block,
    make_block,
    map_blocks,
    result_of,
    variables_read,
)
from anytile.compiler.kernels.kernel_of import WIDENS, kernel_of
from anytile.compiler.kernels.primitive_functions import Primitives, key_of, primitive
from anytile.compiler.operators import operator
from anytile.core.dtypes import STORED_FLOATS

_MOST_STEPS = 64


def fuse(module: Module) -> Module:
    fusion = _Fusion(Primitives(set(module.functions)))
    fused = each_block(module, lambda body: fusion.block(body, Counter(variables_read(body))))
    return replace(fused, functions={**fused.functions, **fusion.made.functions})


@dataclass(frozen=True, slots=True)
class _Group:
    """Steps that are one kernel, in their order; the last makes what others read."""

    steps: tuple[Binding, ...]
    has_anchor: bool

    @property
    def result(self) -> Var:
        return self.steps[-1][0]


class _Fusion:
    """One module's. Layers are alike, so whether there is a kernel for steps that are written alike is asked once."""

    def __init__(self, made: Primitives) -> None:
        self.made = made
        self._known: dict[object, bool] = {}

    def block(self, block: Expr, reads: Counter[Var]) -> Expr:
        """The block with its groups called. `reads` counts how often each variable is read, in the whole function."""
        groups: dict[Var, _Group] = {}
        others: list[Var | _Group] = []
        values = dict(bindings_of(block))
        for var, value in values.items():
            group = self._joined(var, value, groups, reads)
            if group is None:
                others.append(var)
                continue
            for inner, _ in group.steps[:-1]:
                groups.pop(inner, None)
            groups[var] = group
            others.append(group)
        kept: list[Binding] = []
        for entry in others:
            if isinstance(entry, Var):
                kept.append((entry, map_blocks(values[entry], lambda inner: self.block(inner, reads))))
            elif groups.get(entry.result) is entry:
                kept.append((entry.result, self.made.call(entry.steps)))
        return make_block(kept, result_of(block))

    def _joined(self, var: Var, value: Expr, groups: dict[Var, _Group], reads: Counter[Var]) -> _Group | None:
        """The group that ends in a step; None for one without a kernel."""
        if not is_operator_call(value):
            return None
        row = operator(operator_of(value))
        if row.mode != "independent" or (row.schedule is None and row.element is None):
            return None
        best = _Group(((var, value),), row.anchor)
        if not self._has_kernel(best):
            return None
        if best.has_anchor and row.name not in WIDENS:  # nothing is computed while a product reads its operands
            return best
        sources = list(dict.fromkeys(a for a in value.args if isinstance(a, Var) and a in groups))
        sources = [a for a in sources if reads[a] == value.args.count(a)]
        if best.has_anchor:
            sources = [a for a in sources if _widens(groups[a])]
        for source in sorted(sources, key=lambda a: not groups[a].has_anchor):
            joined = _Group(_in_order(groups[source].steps + best.steps), groups[source].has_anchor or best.has_anchor)
            if len(joined.steps) <= _MOST_STEPS and self._has_kernel(joined):
                best = joined
        return best

    def _has_kernel(self, group: _Group) -> bool:
        function, _ = primitive(group.steps)
        key = key_of(function, lambda constant, _: constant_key(constant))
        if key not in self._known:
            self._known[key] = kernel_of(function) is not None
        return self._known[key]


def _widens(group: _Group) -> bool:
    """Whether a group is a cast from 16 bits alone."""
    ((_, value), *others) = group.steps
    return not others and is_operator_call(value, "cast") and tensor_of(value.args[0]).dtype in STORED_FLOATS


def _in_order(steps: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """Products first, behind what widens their operands, then what is made of them; others keep their order, which
    computes each before it is read."""
    read = {a for _, value in steps if _is_anchor(value) for a in variables_read(value)}
    head = tuple(s for s in steps if _is_anchor(s[1]) or s[0] in read)
    return head + tuple(s for s in steps if s not in head)


def _is_anchor(value: Expr) -> bool:
    return operator(operator_of(value)).anchor

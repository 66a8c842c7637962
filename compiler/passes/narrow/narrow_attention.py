"""Attention in 8-bit integers: queries, keys and values of ranges that are known ahead, as one kernel of integers.

Who makes queries, keys and values writes them as integers, so what they come from is to be a dense layer's, with
elementwise steps and views behind it, that nobody else reads. Queries and values have the zero point 128, as the kernel
wants them: their ranges are as far below 0 as above. Scales are numbers of the kernel; a mask stays what it was. What
comes out is floats, or integers where a layer that has a range alone reads it: `write_integers` makes those.

At run time each row would have a range of its own, which the product with the keys cannot take apart from its sums: so
attention without ranges stays float32.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Attrs,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, every_block, rewrite, variables_read
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import number
from anytile.compiler.passes.memory.manifest_alloc import VIEWS
from anytile.compiler.passes.narrow.histograms import Range
from anytile.compiler.passes.narrow.narrow_products import relative
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.quantised_attention import CENTRE, OUT, QUANTISED_ATTENTION
from anytile.schedules.operators.products.quantised_attention import NUMBERS as QUANTISED_NUMBERS
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE
from anytile.schedules.operators.reductions.quantise_rows import STEPS
from anytile.schedules.operators.reductions.quantise_within import QUANTISE_WITHIN

NAMES = ("queries", "keys", "values")
CODES = "uint8"
_CENTRED = ("queries", "values")
_LINKS = ("add", "subtract", "multiply", "divide")
_DENSE = ("dense", QUANTISED_DENSE.name)


def ranges_of(chosen: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges of queries, keys and values: of the first and the last with 0 in the middle."""
    return tuple(_centred(r) if name in _CENTRED else r for name, r in zip(NAMES, chosen, strict=True))


def _centred(given: Range) -> Range:
    """The least range around this one in which 0 is the integer `CENTRE`."""
    above = STEPS - CENTRE
    step = max(-given.low / CENTRE, given.high / above) or 1.0
    return Range(-step * CENTRE, step * above)


@dataclass(frozen=True, slots=True)
class AttentionSteps:
    """An attention as steps of a block; `known` are the calls that bind the block's variables so far, and `reads` says
    how often each variable is read."""

    call: Call
    known: Mapping[Var, Call]
    reads: Mapping[Var, int]

    @property
    def operands(self) -> tuple[Expr, ...]:
        """Queries, keys and values."""
        return self.call.args[:3]

    @property
    def objection(self) -> str:
        """Why it is not to be integers; empty where it may be."""
        for name, operand in zip(NAMES, self.operands, strict=True):
            if not self._is_of_dense(operand):
                return f"its {name} are not what a dense layer makes for it alone, which could write them as integers"
        return ""

    def _is_of_dense(self, e: Expr) -> bool:
        while isinstance(e, Var) and self.reads[e] == 1 and e in self.known:
            call = self.known[e]
            if is_operator_call(call, *_DENSE):
                return True
            if not is_operator_call(call, *VIEWS, *_LINKS):
                return False
            e = next((a for a in call.args if isinstance(a, Var)), call)
        return False

    def cost(self, came: Sequence[Sequence[Array]], ranges: Sequence[Range]) -> float:
        """The relative error in L2 on arguments that came, run by run."""
        attributes = operator(ATTENTION.name).complete(self.call.attrs)
        names = [t.name for t in ATTENTION.form(attributes).tensors if not t.output]
        numbers = dict(zip(QUANTISED_NUMBERS, self._numbers(ranges), strict=True))
        made, wanted = [np.zeros(0)], [np.zeros(0)]
        for arrays in came:
            inputs = dict(zip(names, arrays, strict=True))
            codes = {name: r.codes(inputs[name]) for name, r in zip("qkv", ranges, strict=True)}
            narrow = operator(QUANTISED_ATTENTION.name).complete(self._attributes())
            made += (y.reshape(-1) for y in QUANTISED_ATTENTION.reference({**inputs, **codes, **numbers}, narrow))
            wanted += (y.reshape(-1) for y in ATTENTION.reference(inputs, attributes))
        return relative(np.concatenate(made), np.concatenate(wanted))

    def within(self, var: Var, ranges: Sequence[Range]) -> list[Binding]:
        """The steps that it is, by ranges as `ranges_of` makes them."""
        bindings: list[Binding] = []
        codes = [self._codes(operand, r, bindings) for operand, r in zip(self.operands, ranges, strict=True)]
        args = (*codes, *map(Constant, self._numbers(ranges)), *self.call.args[3:])
        call = Call(OperatorRef(QUANTISED_ATTENTION.name), args, self._attributes(), self.call.where)
        return [*bindings, (var, call)]

    def _codes(self, e: Expr, within: Range, bindings: list[Binding]) -> Expr:
        """An operand as integers, which are made before it is viewed."""
        views: list[Binding] = []
        while isinstance(e, Var) and is_operator_call(self.known[e], *VIEWS):
            views.append((e, self.known[e]))
            e = self.known[e].args[0]
        given = (Constant(np.array([n], np.float32)) for n in (within.by, within.zero))
        made = _like("codes", e)
        bindings.append((made, Call(OperatorRef(QUANTISE_WITHIN.name), (e, *given), where=self.call.where)))
        for seen, view in reversed(views):
            source, made = made, _like(seen.name, seen)
            bindings.append((made, _view_of(view, source)))
        return made

    def _numbers(self, ranges: Sequence[Range]) -> tuple[Array, ...]:
        """What scores are multiplied by, and what makes floats of the mean of the values."""
        q, k, v = (r.scale for r in ranges)
        scale = np.float32(number(operator(ATTENTION.name).complete(self.call.attrs), "scale"))
        return tuple(np.array([n], np.float32) for n in (q * k * scale, v, 0.0))

    def _attributes(self) -> Attrs:
        known = {a.name for a in QUANTISED_ATTENTION.attributes}
        return tuple(given for given in self.call.attrs if given[0] in known)


def _like(name: str, e: Expr) -> Var:
    """A variable for the integers of a tensor."""
    return Var(name, TensorType(tensor_of(e).shape, CODES))


def _view_of(view: Expr, source: Var) -> Call:
    assert isinstance(view, Call)
    return replace(view, args=(source, *view.args[1:]))


def write_integers(module: Module) -> Module:
    """The module in which attention writes integers where nothing else is read of what it makes."""
    return each_block(module, _written)


def _written(body: Expr) -> Expr:
    reads = Counter(variables_read(body))
    values = {var: value for block in every_block(body) for var, value in bindings_of(block)}
    readers: dict[Var, Call] = {}
    viewed: set[Var] = set()
    gone: set[Var] = set()
    for var, value in values.items():
        if not is_operator_call(value, QUANTISE_WITHIN.name):
            continue
        chain = [value.args[0]]
        while is_operator_call(seen := _maker(chain[-1], values), *VIEWS):
            chain.append(seen.args[0])
        if is_operator_call(seen, QUANTISED_ATTENTION.name) and all(
            isinstance(e, Var) and reads[e] == 1 for e in chain
        ):
            *views, made = (e for e in chain if isinstance(e, Var))
            readers[made] = value
            viewed |= {*views}
            gone.add(var)
    names: dict[Var, Expr] = {}

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if var in gone:
            assert isinstance(value, Call)
            names[var] = value.args[0]
            return []
        if var not in readers and var not in viewed:
            return None
        names[var] = made = _like(var.name, var)
        return [(made, _requantised(value, readers[var]) if var in readers else value)]

    return rewrite(body, change, names)


def _maker(e: Expr, values: Mapping[Var, Expr]) -> Expr:
    return values.get(e, e) if isinstance(e, Var) else e


def _requantised(value: Expr, reader: Call) -> Call:
    """An attention with what a step makes of its result as its result."""
    assert isinstance(value, Call)
    (q, k, v, by, *own), (_, *read) = value.args, reader.args
    constants = (a for a in (*own[:2], *read) if isinstance(a, Constant))
    factor, summand, step, zero = (constant.array for constant in constants)
    args = (q, k, v, by, Constant(factor * step), Constant(summand * step + zero), *own[2:])
    return replace(value, args=args, attrs=(*value.attrs, (OUT.name, CODES)))

"""Kernel selection: the workload that a primitive function is, and how its arguments are the workload's operands.

A primitive function becomes exactly one kernel, in one of these ways: an operator alone; a product that widens what it
reads, or what joins rows and rounds them; a product with elementwise steps as its tail, the last of which may quantise
again, or cast to bytes what is whole, where the product is one of integers; a normalisation or a reduction of what
elementwise steps make of its input; elementwise steps alone.
`kernel_of` is None where it is none of these, or where types leave open what would have to be known. Fusion asks it
before it joins, and lowering takes what it says, so what is fused is what can be built. The attribute `weights` of a
function names, by their places, the parameters that are constants for whoever calls it, which the kernel reads packed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Function,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, make_block, result_of, variables_read
from anytile.compiler.ir.types import TensorType, TupleType, Type
from anytile.compiler.kernels.memory_dtypes import FACTORS, in_memory
from anytile.compiler.operators import operator
from anytile.compiler.operators.movement import part_of
from anytile.compiler.operators.reductions import reduced_axes
from anytile.compiler.operators.scheduling import WHOLE, InParts, elementwise_as, reduction_as
from anytile.compiler.operators.spec import Attributes, Operator, Scheduled, number
from anytile.core.dtypes import COMPUTED, HALVES, STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Index
from anytile.schedules.index.expr import const, product
from anytile.schedules.nest.elementwise_text import LONGEST, MOST_EXACT, PART, operations, parse
from anytile.schedules.operators.movement.joining import CONCAT
from anytile.schedules.operators.movement.scatter import SCATTER_ROWS
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import FLOAT, INTEGER_LIMITS, QUANTISED_DENSE
from anytile.schedules.operators.reductions.dequantise_within import DEQUANTISE_WITHIN
from anytile.schedules.operators.reductions.quantise_within import QUANTISE_WITHIN
from anytile.schedules.operators.reductions.reduce import UPDATES
from anytile.schedules.templates.cpu.elementwise_cpu import cost
from anytile.schedules.workloads.workload import MAX_TAIL, Workload
from anytile.vm.program.shape_programs import argument

SLICE = "slice"
WIDENS = (ATTENTION.name, BATCH_MATMUL.name)  # products that read operands in 16 bits and compute in float32
PUT_INSIDE = "put_inside"
ROUNDS = (CONCAT.name, SCATTER_ROWS.name, PUT_INSIDE)  # what moves rows of float32 among such of 16 bits
_NORMS = ("layer_norm", "rms_norm")
_CHEAP = 8  # additions for an element of what is reduced to one, which threads do not share
_BYTES = ("uint8", "int8")
_OF_INTEGERS = (QUANTISED_DENSE.name, QUANTISED_CONV2D.name)  # whose tails may quantise again
# What an output of integers is rounded from.
_REQUANTISED = replace(operator(QUANTISE_WITHIN.name), element=lambda a, attrs: f"{a[0]} * {a[1]} + {a[2]}")
# gelu as the last step before that one, which leaves little of how close it is.
_GELU_BYTE = replace(operator("gelu"), element=lambda a, attrs: f"gelu_byte({a[0]})")
# What leads to one from whole numbers that it holds.
_CAST = operator("cast")
_KEPT = replace(_CAST, element=lambda a, attrs: a[0])
# What an operand of integers is to the tail of a convolution of such.
_DEQUANTISED = replace(operator(DEQUANTISE_WITHIN.name), element=lambda a, attrs: f"{a[0]} * {a[1]} + {a[2]}")


@dataclass(frozen=True, slots=True)
class Kernel:
    """`operands` are the parameters that the workload's inputs are; `dims` its symbols, in the order of their names, as
    products of dimensions of the kernel's arguments."""

    workload: Workload
    operands: tuple[int, ...]
    dims: tuple[Index, ...]


def kernel_of(function: Function) -> Kernel | None:
    """The kernel that a primitive function is."""
    found = _unpacked(function)
    if found is not None:
        workload = in_memory(function, found.workload, found.operands)
        found = None if workload is None else replace(found, workload=workload)
    given = dict(function.attrs).get("weights", ())
    if found is None or not given:
        return found
    assert isinstance(given, tuple)
    names = [t.name for t, place in zip(found.workload.inputs, found.operands, strict=True) if place in given]
    return replace(found, workload=found.workload.with_const(names))


def takes_steps(row: Operator) -> bool:
    """Whether an operator takes elementwise steps before it into its kernel, on its first argument."""
    return row.name in _NORMS or row.name in UPDATES


def _unpacked(function: Function) -> Kernel | None:
    steps = bindings_of(function.body)
    calls = [value for _, value in steps if is_operator_call(value)]
    if not steps or len(calls) != len(steps) or result_of(function.body) is not steps[-1][0]:
        return None
    rows = [operator(operator_of(call)) for call in calls]
    whole = zip(rows, (v for v, _ in steps), calls, strict=True)
    if not all(row.takes_stored or _is_computed(e) for row, var, call in whole for e in (var, *call.args)):
        return None
    if any(t.dtype in row.hosted for row, (v, _) in zip(rows, steps, strict=True) for t in tensor_types(v.type)):
        return None
    made = _Made(function, steps, calls)
    try:
        if len(calls) == 1:
            return made.alone(rows[0])
        if rows[0] is _CAST and (product := next((i for i, row in enumerate(rows) if row.name in WIDENS), 0)):
            return _of_lying(function, steps, product)
        if rows[0] is _CAST and rows[-1].name in ROUNDS:
            return _of_rounded(function, steps)
        if rows[0].name == QUANTISED_CONV2D.name:
            rows = [_DEQUANTISED if row.name == DEQUANTISE_WITHIN.name else row for row in rows]
        if all(row.element is not None for row in rows):
            return made.elementwise(rows)
        if any(row.name == SLICE for row in rows):
            return made.of_parts(rows)
        if rows[0].name in _OF_INTEGERS and rows[-1] is _CAST and (held := _held(steps)):
            return made.with_tail([*rows[:-1], _KEPT], {"out": held})
        if all(row.element is not None for row in rows[1:]):
            return made.with_tail(rows, {})
        between = all(row.element is not None for row in rows[1:-1])
        if rows[0].name in _OF_INTEGERS and rows[-1].name == QUANTISE_WITHIN.name and between:
            last = _GELU_BYTE if rows[-2].name == _GELU_BYTE.name else rows[-2]
            return made.with_tail([*rows[:-2], last, _REQUANTISED], {"out": "uint8"})
        if takes_steps(rows[-1]) and all(row.element is not None for row in rows[:-1]):
            return made.with_pre(rows) if rows[-1].name in _NORMS else made.reduction(rows)
    except SpecError:  # the workload's own limits, as on the length of an expression
        return None
    return None


def _of_lying(function: Function, steps: Sequence[Binding], product: int) -> Kernel | None:
    """A product behind casts of parameters from 16-bit floats, which are how it reads memory."""
    found, wide = _behind_casts(function, steps, product, HALVES, (FLOAT,))
    if found is None:
        return None
    read = list(zip(found.workload.inputs, found.operands, strict=True))
    if any(place in wide and t.name not in FACTORS[found.workload.op] for t, place in read):  # by the tail
        return None
    stored = {t.name: tensor_of(function.params[place]).dtype for t, place in read if place in wide}
    return replace(found, workload=found.workload.storing({**dict(found.workload.stored), **stored}))


def _of_rounded(function: Function, steps: Sequence[Binding]) -> Kernel | None:
    """What joins 16-bit floats, of which some are read in float32 and rounded where they go."""
    found, narrow = _behind_casts(function, steps, len(steps) - 1, (FLOAT,), STORED_FLOATS)
    if found is None:
        return None
    read = zip(found.workload.inputs, found.operands, strict=True)
    wide = {t.name: FLOAT for t, place in read if place in narrow}
    return replace(found, workload=found.workload.storing({**dict(found.workload.stored), **wide}))


def _behind_casts(
    function: Function, steps: Sequence[Binding], count: int, given: Sequence[str], made: Sequence[str]
) -> tuple[Kernel | None, Set[int]]:
    """The kernel of what follows casts of parameters from and to certain dtypes, and the places of those."""
    places, cast = {p: i for i, p in enumerate(function.params)}, dict[int, Var]()
    for var, value in steps[:count]:
        source = value.args[0] if is_operator_call(value, _CAST.name) else None
        if not isinstance(source, Var) or source not in places or tensor_of(var).dtype not in made:
            return None, frozenset()
        if places[source] in cast or tensor_of(source).dtype not in given:
            return None, frozenset()
        cast[places[source]] = var
    if any(a in places and places[a] in cast for _, value in steps[count:] for a in variables_read(value)):
        return None, frozenset()  # as it lies, too
    params = tuple(cast.get(place, p) for place, p in enumerate(function.params))
    body = make_block(steps[count:], result_of(function.body))
    return _unpacked(replace(function, params=params, body=body)), cast.keys()


def _is_computed(e: Expr) -> bool:
    """Whether kernels compute with what it is made of."""
    return all(t.dtype in COMPUTED for t in tensor_types(type_of(e)))


def _held(steps: Sequence[Binding]) -> str:
    """The bytes that the last step casts to, where it is given nothing but whole numbers that they hold."""
    values = dict(steps)
    cast = steps[-1][1]
    assert isinstance(cast, Call)
    dtype, source = str(cast.attr("dtype")), cast.args[0]
    cut = values.get(source) if isinstance(source, Var) else None
    if dtype not in _BYTES or cut is None or not is_operator_call(cut, "clip") or not _is_whole(cut.args[0], values):
        return ""
    attrs, (least, most) = operator("clip").complete(cut.attrs), INTEGER_LIMITS[dtype]
    low, high = number(attrs, "min"), number(attrs, "max")
    return dtype if least <= low <= high <= most and low.is_integer() and high.is_integer() else ""


def _is_whole(e: Expr, values: Mapping[Var, Expr]) -> bool:
    """Whether something is a whole number whatever comes."""
    if isinstance(e, Constant):
        return e.array.ndim == 0 and float(e.array).is_integer()
    step = values.get(e) if isinstance(e, Var) else None
    if step is None or not is_operator_call(step):
        return False
    if is_operator_call(step, "add", "subtract"):
        return all(_is_whole(a, values) for a in step.args)
    return is_operator_call(step, "round", "floor", "ceil", "trunc")


def tensor_types(t: Type | None) -> tuple[TensorType, ...]:
    """The tensors that a kernel's result is made of."""
    if isinstance(t, TensorType):
        return (t,)
    if isinstance(t, TupleType) and all(isinstance(f, TensorType) for f in t.fields):
        return tuple(f for f in t.fields if isinstance(f, TensorType))
    raise SpecError(f"a kernel's result of type {t}; expected tensors")


class _Made:
    """One function while its workload is made."""

    def __init__(self, function: Function, steps: Sequence[Binding], calls: Sequence[Call]) -> None:
        self.function, self.steps, self.calls = function, steps, calls
        self.places = {p: i for i, p in enumerate(function.params)}
        self.types = [tensor_of(p) for p in function.params]

    def alone(self, row: Operator) -> Kernel | None:
        call = self.calls[0]
        if row is _CAST or row.schedule is None or not all(isinstance(a, Var) for a in call.args):
            return None if row.element is None else self.elementwise([row])
        found = row.schedule(self._types(call), tensor_types(self.steps[0][0].type), row.complete(call.attrs))
        return None if found is None else self._kernel(found, found.workload, [self._place(a) for a in call.args])

    def of_parts(self, rows: Sequence[Operator]) -> Kernel | None:
        """Elementwise steps behind slices, each one of a parameter's equal parts, which they read where it lies."""
        cut: dict[Var, tuple[int, int]] = {}
        in_parts: dict[int, InParts] = {}
        for (var, _), call, row in zip(self.steps, self.calls, rows, strict=True):
            if row.name != SLICE:
                continue
            x = call.args[0]
            place = self.places.get(x) if isinstance(x, Var) else None
            part = None if place is None else part_of(self.types[place], row.complete(call.attrs))
            if place is None or part is None:
                return None
            if in_parts.setdefault(place, InParts(part.axis, part.count)) != InParts(part.axis, part.count):
                return None
            cut[var] = place, part.number
        others = [(call, row) for call, row in zip(self.calls, rows, strict=True) if row.name != SLICE]
        whole = {self.function.params[place] for place in in_parts}
        if any(row.element is None or whole.intersection(call.args) for call, row in others):
            return None
        behind = _Made(self.function, [s for s in self.steps if s[0] not in cut], [call for call, _ in others])
        for var, (place, _) in cut.items():
            behind.types[place] = tensor_of(var)
        return behind.elementwise([row for _, row in others], cut, in_parts)

    def elementwise(
        self,
        rows: Sequence[Operator],
        cut: Mapping[Var, tuple[int, int]] = MappingProxyType({}),
        in_parts: Mapping[int, InParts] = WHOLE,
    ) -> Kernel | None:
        """Steps alone, of which those that cast from 16-bit floats, and the last to such, are how memory is read; `cut`
        are variables that are parts, each with the place of the parameter and which of its parts."""
        if any(tensor_of(var).dtype in STORED_FLOATS for var, _ in self.steps[:-1]):
            return None  # rounded on the way
        made = tensor_of(self.steps[-1][0])
        result, types = _widened(made), [_widened(t) for t in self.types]
        rows = [self._kept_wide(row, call) for row, call in zip(rows, self.calls, strict=True)]

        def write(texts: Sequence[str]) -> str:
            parts = {var: texts[place].replace(PART, str(number)) for var, (place, number) in cut.items()}
            return self._text(rows, 0, {**dict(zip(self.function.params, texts, strict=True)), **parts})

        if len(write([f"a{i}" for i in range(len(self.types))])) > LONGEST:
            return None
        found = elementwise_as(write, types, result, in_parts)
        if found is None:
            return None
        stored = {f"a{i}": t.dtype for i, t in enumerate(self.types) if t.dtype in STORED_FLOATS}
        if made.dtype in STORED_FLOATS:
            stored[found.workload.outputs[0].name] = made.dtype
        workload = found.workload.storing(stored) if stored else found.workload
        return self._kernel(found, workload, range(len(self.types)), in_parts=in_parts)

    def with_tail(self, rows: Sequence[Operator], stored: Attributes) -> Kernel | None:
        """The first step is the product, the others its tail; `stored` are attributes that say what it is stored as."""
        call, result = self.calls[0], replace(tensor_of(self.steps[-1][0]), dtype=FLOAT)
        first = self.steps[0][0].type
        if not isinstance(first, TensorType) or rows[0].schedule is None or first != result:
            return None
        if not all(isinstance(a, Var) for a in call.args):
            return None
        found = rows[0].schedule(self._types(call), (first,), {**rows[0].complete(call.attrs), **stored})
        if found is None or not found.workload.spec.takes_tail:
            return None
        (output,) = found.workload.outputs
        params = self._read(self.calls[1:])
        codes = self._codes(rows)
        texts = self._operand_texts(found, result, params, codes)
        if texts is None:
            return None
        tail = self._text(rows, 1, {**texts, self.steps[0][0]: output.name})
        if not tail or len(tail) > LONGEST or operations(parse(tail)) > MAX_TAIL:
            return None
        workload = found.workload
        attrs = dict(workload.attrs)
        if codes:
            attrs["codes"] = "+".join(texts[p].partition("[")[0] for p in params if p in codes)
        workload = Workload.of(workload.op, dict(workload.dims), workload.dtype, workload.const, attrs, tail)
        anchors = [self._place(a) for a in call.args]
        return self._kernel(found, workload, anchors, texts)

    def with_pre(self, rows: Sequence[Operator]) -> Kernel | None:
        """The last step normalises what the others make; the first of its rows that is a parameter is x."""
        call, x = self.calls[-1], self.steps[-2][0]
        row, result = rows[-1], tensor_of(self.steps[-1][0])
        weights = call.args[1:]
        if call.args[0] is not x or x in weights or not all(isinstance(a, Var) and a in self.places for a in weights):
            return None
        if row.schedule is None or tensor_of(x) != result:
            return None
        params = self._read(self.calls[:-1])
        lead = next((p for p in params if p.type == result and p not in weights), None)
        if lead is None or any(tensor_of(p).dtype != "float32" for p in params):
            return None
        found = row.schedule(self._types(call), (result,), row.complete(call.attrs))
        if found is None:
            return None
        texts = self._operand_texts(found, result, [p for p in params if p is not lead])
        if texts is None:
            return None
        pre = self._text(rows[:-1], 0, {**texts, lead: "x"}, upto=len(self.steps) - 1)
        if not pre or len(pre) > LONGEST:
            return None
        attrs = {**found.workload.attributes, "pre": pre}
        workload = Workload.of(found.workload.op, dict(found.workload.dims), found.workload.dtype, attrs=attrs)
        return self._kernel(found, workload, [self.places[lead], *map(self._place, weights)], texts)

    def reduction(self, rows: Sequence[Operator]) -> Kernel | None:
        """The last step reduces what the others make, of which those that cast from 16-bit floats are how memory is
        read."""
        call, (x, _) = self.calls[-1], self.steps[-2]
        whole, row = tensor_of(x), rows[-1]
        gone = reduced_axes(row.name, row.complete(call.attrs), whole.rank)
        if call.args != (x,) or any(tensor_of(var).dtype in STORED_FLOATS for var, _ in self.steps):
            return None
        rows = [self._kept_wide(row, call) for row, call in zip(rows[:-1], self.calls[:-1], strict=True)]

        def write(texts: Sequence[str]) -> str:
            return self._text(rows, 0, dict(zip(self.function.params, texts, strict=True)), upto=len(rows))

        found = reduction_as(row.name, set(gone), write, [_widened(t) for t in self.types], whole)
        if found is None:
            return None
        single = all(axis in gone or dim == 1 for axis, dim in enumerate(whole.shape))
        if single and cost(parse(str(found.workload.attributes["pre"]))) > _CHEAP:
            return None
        own = zip(found.workload.inputs, found.operands, strict=True)
        stored = {t.name: self.types[place].dtype for t, place in own if self.types[place].dtype in STORED_FLOATS}
        return self._kernel(found, found.workload.storing(stored), range(len(self.types)))

    def _kept_wide(self, row: Operator, call: Call) -> Operator:
        """A cast between floats of 16 bits and float32 is none, where values are float32 all along."""
        if row is not _CAST:
            return row
        to, own = str(call.attr("dtype")), tensor_of(call.args[0]).dtype
        if to not in STORED_FLOATS:
            return _KEPT if own in STORED_FLOATS and to == FLOAT else row
        return _KEPT if own in (FLOAT, *STORED_FLOATS) else replace(_CAST, element=lambda a, attrs: f"{FLOAT}({a[0]})")

    # -- parts -----------------------------------------------------------------------------------------------------

    def _types(self, call: Call) -> list[TensorType]:
        return [tensor_of(a) for a in call.args]

    def _read(self, calls: Sequence[Call]) -> list[Var]:
        """The parameters that some calls read, in their order."""
        read = {v for call in calls for v in call.args}
        return [p for p in self.function.params if p in read]

    def _codes(self, rows: Sequence[Operator]) -> set[Var]:
        """The parameters that are integers to the tail."""
        scaled = (call.args[0] for call, row in zip(self.calls, rows, strict=True) if row is _DEQUANTISED)
        return {a for a in scaled if isinstance(a, Var) and a in self.places}

    def _place(self, e: Expr) -> int:
        assert isinstance(e, Var)
        return self.places[e]

    def _text(self, rows: Sequence[Operator], start: int, known: Mapping[Var, str], upto: int | None = None) -> str:
        """The last step as an expression of what is known; empty where it grows too long."""
        texts = dict(known)
        for (var, _), i in zip(self.steps[start:upto], range(start, len(self.steps)), strict=False):
            call, row = self.calls[i], rows[i]
            assert row.element is not None
            args = []
            is_open = all(isinstance(a, Constant) for a in call.args if tensor_of(a).dtype != "bool")
            for a in call.args:
                written = texts.get(a) if isinstance(a, Var) else literal(a)
                if written is None:
                    return ""
                if is_open and isinstance(a, Constant) and tensor_of(a).dtype != FLOAT:
                    written = f"{tensor_of(a).dtype}({written})"  # a number alone is a float32
                args.append(written if isinstance(a, Constant) or a in known else f"({written})")
            texts[var] = row.element(args, row.complete(call.attrs))
            if len(texts[var]) > LONGEST:
                return texts[var]
        return texts[self.steps[start:upto][-1][0]]

    def _operand_texts(
        self, found: Scheduled, result: TensorType, params: Sequence[Var], codes: Set[Var] = frozenset()
    ) -> dict[Var, str] | None:
        """How the tail reads each parameter, as b0[n]; None where one is broadcast as no dimensions can say, or is
        neither a float nor one of the `codes`."""
        texts: dict[Var, str] = {}
        for i, p in enumerate(params):
            over = _walked(tensor_of(p), result, found.axes)
            if over is None or tensor_of(p).dtype != ("uint8" if p in codes else FLOAT):
                return None
            texts[p] = f"b{i}[{', '.join(over)}]" if over else f"b{i}"
        return texts

    def _kernel(
        self,
        found: Scheduled,
        workload: Workload,
        args: Sequence[int],
        texts: Mapping[Var, str] = MappingProxyType({}),
        in_parts: Mapping[int, InParts] = WHOLE,
    ) -> Kernel:
        """`args` are the parameters that the scheduled call's arguments are; `texts` name the operands of its tail."""
        named = {text.partition("[")[0]: self.places[p] for p, text in texts.items()}
        own = iter([args[i] for i in found.operands])
        operands = tuple(named[t.name] if t.name in named else next(own) for t in workload.inputs)
        axes = found.symbols

        def size(a: int, axis: int) -> Index:
            if a in in_parts and in_parts[a].axis == axis:  # of one part, which is known
                part = self.types[args[a]].shape[axis]
                assert isinstance(part, int)
                return const(part)
            return argument(operands.index(args[a]), axis)

        sizes = ([size(a, axis) for a, axis in axes[name]] for name in workload.symbols)
        return Kernel(workload, operands, tuple(map(product, sizes)))


def literal(e: Expr) -> str | None:
    """A scalar constant as a number of an expression; None where it is none, or no number can be written for it, as of
    an integer that no float is."""
    if not isinstance(e, Constant) or e.array.size != 1 or e.array.ndim or e.array.dtype == np.bool_:
        return None
    if e.array.dtype.kind in "iu" and abs(e.array.item()) > MOST_EXACT:
        return None
    value = e.array.item() if e.array.dtype.kind == "i" else float(str(e.array[()]))  # 0.35, not its nearest double
    return f"({value!r})" if value < 0 else repr(value)


def _widened(t: TensorType) -> TensorType:
    """As values of it are computed with."""
    return replace(t, dtype=FLOAT) if t.dtype in STORED_FLOATS else t


def _walked(own: TensorType, result: TensorType, axes: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[str, ...] | None:
    """The dimensions that an operand has of those that the result is walked in."""
    found: list[tuple[int, str]] = []
    missing = result.rank - own.rank
    if missing < 0:
        return None
    for name, over in axes:
        has: set[bool] = set()
        for axis in over:
            dim, mine = result.shape[axis], own.shape[axis - missing] if axis >= missing else 1
            if dim == 1 and mine == 1:
                continue
            if mine == dim:
                has.add(True)
            elif isinstance(mine, int) and mine == 1:
                has.add(False)
            else:
                return None
        if len(has) > 1:
            return None
        if has == {True}:
            found.append((over[0], name))
    return tuple(name for _, name in sorted(found))

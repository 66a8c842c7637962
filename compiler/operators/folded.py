"""Operators of models that are workloads: type relation, meaning in numpy and kernel follow from the workload's row.

A `Call` of a row says which dimensions of the workload stand for several axes of a model's tensors, folded into one. So
a tensor's axes fall to dimensions (`softmax` along axis 1 of (b, t, n) is outer=b, n=t, inner=n), and everything is
read off that: equal dimensions are equal sizes, a result has the axes of its dimensions, and since tensors lie in
memory as they are, numpy and the kernel see the same elements with fewer dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from anytile.compiler.ir.nodes import Array, Attrs
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    Axis,
    Facts,
    Operator,
    Scheduled,
    Shaped,
    axis_of,
    dtype_name,
    integer,
    of_dtype,
)
from anytile.core.dtypes import BY_NAME, COMPUTED, MOVED, STORED, STORED_INTEGERS, kin
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr, const, product
from anytile.schedules.nest.stored_floats import from_bits
from anytile.schedules.operators import OPERATORS as WORKLOADS
from anytile.schedules.operators import Operator as WorkloadRow
from anytile.schedules.operators.spec import ONE, Attributes, AttributeValue, Call, Form, Mismatch, TensorSpec


@dataclass(frozen=True)
class _Folded:
    """One call: the workload's attributes and form, and of each argument the axes of each dimension, in order."""

    given: dict[str, AttributeValue]
    form: Form
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    axes: tuple[tuple[tuple[str, range], ...], ...]


@dataclass(frozen=True, eq=False)
class _Row:
    """A workload's row and one of its calls."""

    spec: WorkloadRow
    call: Call

    def folded(self, ranks: Sequence[int], dtypes: Sequence[str], attrs: Attributes) -> _Folded:
        return _folded(self, tuple(ranks), tuple(dtypes), tuple(attrs.items()))

    def fold(self, ranks: tuple[int, ...], dtypes: tuple[str, ...], attrs: Attributes) -> _Folded:
        given = {a.name: attrs[a.name] for a in self.spec.attributes if a.name in attrs}
        given |= self.call.given(attrs, dtypes)
        form = self.spec.form(self.spec.complete(given))
        inputs = tuple(t for t in form.tensors if not t.output)
        if len(inputs) != len(ranks):
            names = ", ".join(t.name for t in inputs)
            raise Mismatch(f"{counted(len(ranks), 'argument')}; expected {len(inputs)}: {names}")
        axes = (self._axes(t, rank, attrs) for t, rank in zip(inputs, ranks, strict=True))
        return _Folded(given, form, inputs, tuple(t for t in form.tensors if t.output), tuple(axes))

    def _axes(self, tensor: TensorSpec, rank: int, attrs: Attributes) -> tuple[tuple[str, range], ...]:
        spread = [d for d in tensor.dims if d in self.call.spread]
        least = len(tensor.dims) - len(spread)
        counts = dict.fromkeys(tensor.dims, 1)
        if len(spread) == 2:
            before = axis_of(integer(attrs, "axis"), rank)
            counts |= {spread[0]: before, spread[1]: rank - 1 - before}
        elif spread:
            least += self.call.least_axes
            counts[spread[0]] = rank - len(tensor.dims) + 1
        if rank < least or (not spread and rank != least):
            wanted = f"{least} or more{self._advice(attrs)}" if spread else str(least)
            raise Mismatch(f"{tensor.name} has {counted(rank, 'dimension')}; expected {wanted}")
        found, at = [], 0
        for dim in tensor.dims:
            found.append((dim, range(at, at + counts[dim])))
            at += counts[dim]
        return tuple(found)

    def _advice(self, attrs: Attributes) -> str:
        return "" if self.call.advice is None else f"; {self.call.advice(attrs)}"

    def dtype(self, dtypes: Sequence[str], attrs: Attributes, inputs: Sequence[TensorSpec]) -> str:
        """The workload's: the attribute `dtype`, or the first argument's unless each tensor says its own."""
        if "dtype" in attrs:
            return str(attrs["dtype"])
        return self.spec.dtypes[0] if all(tensor.dtype for tensor in inputs) else dtypes[0]

    def relation(self, args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        dtypes = [a.dtype for a in args]
        found = self.folded([a.rank for a in args], dtypes, attrs)
        dtype = self.dtype(dtypes, attrs, found.inputs)
        computed = tuple(d for d in self.spec.dtypes if d in COMPUTED)
        allowed = self.call.dtypes or kin(computed, moved=self.spec.dtypes == MOVED)
        for tensor, arg in zip(found.inputs, args, strict=True):
            usual = allowed if arg is args[0] else (dtype,)
            of_dtype(arg, BY_NAME[tensor.dtype].arrays if tensor.dtype else usual, tensor.name)
        sizes: dict[str, tuple[Expr, ...]] = {ONE: (const(1),)}
        first: dict[str, Shaped] = {}  # the argument that a dimension's size was taken of
        for arg, axes in zip(args, found.axes, strict=True):
            for dim, over in axes:
                if dim in found.form.derived:
                    continue
                own = tuple(arg.dims[i] for i in over)
                try:
                    if len(sizes.setdefault(dim, own)) != len(own):
                        ranks = f"{first[dim].rank} and {arg.rank} dimensions"
                        raise Mismatch(f"tensors of {ranks}; expected one number of them")
                    if dim in first or dim == ONE:
                        sizes[dim] = tuple(facts.equal(a, b) for a, b in zip(sizes[dim], own, strict=True))
                except Mismatch as error:
                    raise Mismatch(f"{error}{self._advice(attrs) if dim in self.call.spread else ''}") from None
                first.setdefault(dim, arg)
        if self.spec.objection is not None or found.form.derived:
            self._derive(found, args, sizes, facts)
        return tuple(Shaped(tuple(s for d in t.dims for s in sizes[d]), t.dtype or dtype) for t in found.outputs)

    def _derive(
        self, found: _Folded, args: tuple[Shaped, ...], sizes: dict[str, tuple[Expr, ...]], facts: Facts
    ) -> None:
        """Sizes that follow from others, and what must hold of them."""
        known = {dim: own[0] if len(own) == 1 else product(own) for dim, own in sizes.items()}
        if self.spec.objection is not None:
            said = self.spec.objection({d: facts.number(known[d]) for d in found.form.dims}, found.given)
            if said is not None:
                raise Mismatch(said)
        for dim, derive in found.form.derived.items():
            known[dim] = derive(known)
            sizes[dim] = (known[dim],)
        for arg, axes in zip(args, found.axes, strict=True):
            for dim, over in axes:
                if dim in found.form.derived:
                    facts.equal(known[dim], arg.dims[over[0]])
        for dim in self.call.windows:
            facts.at_least(known[dim], 1, f"windows along {dim.removeprefix('o')}")

    def meaning(self, arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        if self.call.check is not None:
            self.call.check(arrays, attrs)
        found = self.folded([a.ndim for a in arrays], [dtype_name(a.dtype) for a in arrays], attrs)
        spread: dict[str, list[int]] = {}
        given = {}
        for tensor, array, axes in zip(found.inputs, arrays, found.axes, strict=True):
            spread |= {dim: [array.shape[i] for i in over] for dim, over in axes if dim in self.call.spread}
            values = from_bits(array, tensor.dtype) if tensor.dtype and BY_NAME[tensor.dtype].held else array
            given[tensor.name] = values.reshape([math.prod(array.shape[i] for i in over) for _, over in axes])
        made = self.spec.reference(given, self.spec.complete(found.given))
        return tuple(
            y.reshape([n for d, own in zip(t.dims, y.shape, strict=True) for n in spread.get(d, [own])])
            for t, y in zip(found.outputs, made, strict=True)
        )

    def schedule(
        self, args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes
    ) -> Scheduled | None:
        dtypes = [a.dtype for a in args]
        found = self.folded([a.rank for a in args], dtypes, attrs)
        sizes: dict[str, tuple[Axis, ...]] = {}
        spread: dict[str, int] = {}
        for i, (arg, axes) in enumerate(zip(args, found.axes, strict=True)):
            for dim, over in axes:
                if dim not in found.form.dims:
                    continue
                if dim in self.call.spread:
                    spread.setdefault(dim, len(over))
                    sizes.setdefault(dim, tuple((i, axis) for axis in over))
                elif dim not in sizes or isinstance(arg.shape[over[0]], int):
                    sizes[dim] = ((i, over[0]),)
        walked, at = [], 0
        for dim in found.outputs[0].dims:
            count = spread.get(dim, 1)
            walked.append((dim, range(at, at + count)))
            at += count
        dtype = self.dtype(dtypes, attrs, found.inputs)
        return schedule_as(self.spec.name, args, sizes, walked, found.given, dtype=dtype)

    def row(self) -> Operator:
        call = self.call
        form = self.spec.form(self.spec.complete({}))
        return Operator(
            name=call.name or self.spec.name,
            summary=call.summary or self.spec.summary,
            inputs=call.inputs or tuple(t.name for t in form.tensors if not t.output),
            relation=self.relation,
            numpy=self.meaning,
            anchor=call.anchor,
            takes_stored=any(t.dtype in STORED for t in form.tensors)
            or any(dtype in STORED_INTEGERS for dtype in self.spec.dtypes),
            moves=self.spec.dtypes == MOVED,
            attributes=self.spec.attributes if call.attributes is None else call.attributes,
            variadic=call.variadic,
            optional=call.optional,
            many=call.many,
            by_row=call.by_row,
            schedule=self.schedule,
            examples=call.examples,
        )


@lru_cache(4096)
def _folded(row: _Row, ranks: tuple[int, ...], dtypes: tuple[str, ...], attrs: Attrs) -> _Folded:
    """Models call the same thing again and again, and every pass asks."""
    return row.fold(ranks, dtypes, dict(attrs))


def folded(name: str) -> tuple[Operator, ...]:
    """What models call a workload of this name."""
    spec = WORKLOADS[name]
    return tuple(_Row(spec, call).row() for call in spec.calls)

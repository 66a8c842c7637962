"""Writer of calls: the short words by which importers' rows say what an operator is in the model language.

Whatever is known ahead of time is moved, cut and cast at once; the rest becomes steps of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import AttrValue
from anytile.core.dtypes import BYTES
from anytile.importers.core.graph import MOST_BYTES, MOST_FOLDED, Given, Graph, Refusal, Value
from anytile.importers.core.symbolic import array_of, at_least_zero, is_symbolic, settled
from anytile.schedules.index.expr import Expr, const, maximum, minimum
from anytile.schedules.nest.stored_floats import as_tensor

FAR = 2**31 - 1  # what stands for no end: attributes hold no more


@dataclass
class Writer:
    """Calls in one graph."""

    graph: Graph

    def axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < max(rank, 1):
            raise Refusal(f"axis {axis} of {rank} dimensions")
        return axis % max(rank, 1)

    def small(self, count: int, what: str) -> int:
        """How many elements something has that is written out ahead of time, which it is then."""
        if not 0 <= count <= MOST_FOLDED or not self.graph.spends(8 * count):
            raise Refusal(f"{what} of {count} elements; expected at most {MOST_FOLDED}, and {MOST_BYTES} bytes in all")
        return count

    def do(self, name: str, *given: Given, **attrs: AttrValue) -> Value:
        return self.graph.call(name, *given, **attrs)

    def number(self, value: float | int | bool, like: Value) -> Value:
        """A scalar of a value's dtype."""
        try:
            return self.graph.constant(np.asarray(value, like.dtype))
        except OverflowError as error:
            raise Refusal(f"the number {value} beside {like.dtype}, which does not hold it") from error

    def cast(self, x: Value, dtype: str) -> Value:
        if x.dtype == dtype:
            return x
        if x.known is not None and is_symbolic(x.known) and dtype in ("int64", "int32"):
            return self.graph.known(x.known, dtype)
        if x.number is not None and self.graph.spends(x.number.size * BYTES[dtype]):
            with np.errstate(all="ignore"):
                return self.graph.constant(as_tensor(x.number, dtype), x.name)
        return self.do("cast", x, dtype=dtype)

    def put_rows(self, x: Value, index: Value, rows: Value, axis: int) -> Value:
        """x with other rows at positions along an axis; what lies in 16 bits is written so."""
        if x.lying is None:
            return self.do("put_rows", x, index, rows, axis=axis)
        narrow = self.graph.rounded(rows, x.lying.dtype)
        return self.graph.widened(self.do("put_rows", x.lying, index, narrow, axis=axis))

    def reshape(self, x: Value, sizes: Sequence[Expr | int]) -> Value:
        return self.graph.reshape(x, [const(s) if isinstance(s, int) else s for s in sizes])

    def broadcast(self, x: Value, sizes: Sequence[Expr | int]) -> Value:
        return self.graph.broadcast(x, [const(s) if isinstance(s, int) else s for s in sizes])

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        if tuple(perm) == tuple(range(x.rank)):
            return x
        if x.known is not None:
            return Value(tuple(x.dims[p] for p in perm), x.dtype, np.transpose(x.known, perm), None, x.name)
        return self.do("transpose", x, perm=tuple(perm))

    def filled_up(self, x: Value, axis: int, sides: Sequence[Expr], scalar: Value) -> Value:
        """x with a number before and behind it, as often as sizes say that are not below 0."""
        before, after = (self.broadcast(scalar, (*x.dims[:axis], n, *x.dims[axis + 1 :])) for n in sides)
        parts = [p for p, n in ((before, sides[0]), (x, const(1)), (after, sides[1])) if n.value != 0]
        return x if len(parts) == 1 else self.do("concat", *parts, axis=axis)

    def scalar(self, size: Expr) -> Value:
        """A size as a value."""
        return self.graph.known(settled(array_of([size]).reshape(()), "int64"))

    def positions(self, size: Expr) -> Value:
        """0, 1, ... up to a size."""
        return self.span(const(0), size)

    def span(self, first: Expr, size: Expr) -> Value:
        """So many whole numbers one after the other."""
        if size.value is not None and size.value <= MOST_FOLDED and self.graph.spends(8 * size.value):
            steps = self.graph.constant(np.arange(size.value))
            return self.do("add", self.scalar(first), steps) if first != const(0) else steps
        made = self.do("arange", self.scalar(first), self.scalar(first + size), self.scalar(const(1)))
        return self.reshape(made, (size,))

    def cut(self, x: Value, axis: int, start: int, stop: int | None, step: int = 1) -> Value:
        """x[start:stop:step] along one axis."""
        attrs: dict[str, AttrValue] = {"start": (start,), "step": (step,), "axes": (axis,)}
        if stop is not None:
            attrs["stop"] = (stop,)
        return self.do("slice", x, **attrs)

    def part(self, x: Value, axis: int, start: Expr, stop: Expr, step: int = 1) -> Value:
        """The same, of bounds that are computed from sizes; bounds beyond the tensor are its ends.

        A bound of which nobody knows whether it is below 0 is looked at as the model runs.
        """
        size = x.dims[axis]
        if step == 1 and start.value == 0 and (stop == size or (stop.value or 0) >= FAR):
            return x
        if start.value is not None and stop.value is not None:
            begin, end = (max(min(n, FAR), -FAR) for n in (start.value, stop.value))
            return self.cut(x, axis, begin, None if abs(end) == FAR and (end > 0) == (step > 0) else end, step)
        if step < 0:
            raise Refusal("a slice backwards whose bounds are not numbers")
        first, last = (_inside(e, size) for e in (start, stop))
        if first is None or last is None:
            near = [e if e.value is None else const(max(min(e.value, FAR), -FAR)) for e in (start, stop)]
            return self.part_of_data(x, axis, self.scalar(near[0]), self.scalar(near[1]), step)
        index = self.do("arange", *(self.scalar(e) for e in (first, last, const(step))))
        length = last - first if at_least_zero(last - first) else maximum(last - first, 0)
        count = (length + (step - 1)) // step
        return self.reshape(self.do("take", x, index, axis=axis), (*x.dims[:axis], count, *x.dims[axis + 1 :]))

    def part_of_data(self, x: Value, axis: int, start: Value, stop: Value, step: int = 1) -> Value:
        """x[start:stop:step] along an axis, of bounds that are data: below 0 they count from the end."""
        size = self.scalar(x.dims[axis])

        def inside(at: Value) -> Value:
            at = self.reshape(self.cast(at, "int64"), ())
            at = self.do("where", self.do("less", at, 0), self.do("add", at, size), at)
            return self.do("minimum", self.do("maximum", at, 0), size)

        index = self.do("arange", inside(start), inside(stop), self.graph.constant(np.asarray(step)))
        return self.do("take", x, index, axis=axis)

    def windows(self, x: Value, axis: int, size: int, step: int, count: Expr) -> Value:
        """So many windows along an axis, each of which lies in a last dimension of its own."""
        if size == step:
            flat = self.part(x, axis, const(0), count * size)
        else:
            begins = self.do("multiply", self.positions(count), self.scalar(const(step)))
            at = self.do("add", self.reshape(begins, (count, 1)), self.positions(const(size)))
            flat = self.do("take", x, self.reshape(at, (count * size,)), axis=axis)
        made = self.reshape(flat, (*x.dims[:axis], count, size, *x.dims[axis + 1 :]))
        return self.transpose(made, [*(i for i in range(made.rank) if i != axis + 1), axis + 1])

    def at_least(self, x: Value, least: Sequence[int]) -> Value:
        """The same tensor, whose dimensions must be that large: looked at as the model runs where nobody knows."""
        unsure = [not at_least_zero(size - n) for size, n in zip(x.dims, least, strict=True)]
        for axis, (size, n) in enumerate(zip(x.dims, least, strict=True)):
            if size.value is not None and size.value < n:
                raise Refusal(f"dimension {axis} of {x.shaped}; expected at least {n}")
        wanted = tuple(n if is_unsure else 0 for n, is_unsure in zip(least, unsure, strict=True))
        return self.do("expect", x, sizes=(-1,) * x.rank, least=wanted) if any(unsure) else x

    def as_large(self, x: Value, axis: int, wanted: Expr) -> Value:
        """The same tensor, one size of which is `wanted`: looked at as the model runs, where only that is known."""
        if x.dims[axis].value is not None or wanted.value is None:
            return x
        return self.do("expect", x, sizes=tuple(wanted.value if i == axis else -1 for i in range(x.rank)))

    def size(self, x: Value, axis: int) -> int:
        """A dimension that must be a number."""
        found = x.dims[axis].value
        if found is None:
            raise Refusal(f"dimension {axis} of {x.shaped} is not known before the model runs; pin it with dims=")
        return found


def _inside(at: Expr, size: Expr) -> Expr | None:
    """A bound as a position from 0 to the size, where that can be written."""
    if at.value is not None and at.value >= 0:
        return minimum(at, size)
    if at == -size:
        return const(0)
    if at.value is not None:
        return maximum(size + at, 0)
    if at_least_zero(at):
        return at if at_least_zero(size - at) else minimum(at, size)
    return None

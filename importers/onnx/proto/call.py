"""One node of an ONNX graph as its operator's row sees it: inputs as values, attributes completed by the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anytile.compiler.ir.nodes import AttrValue
from anytile.importers.core.graph import MOST_FOLDED, Given, Graph, Refusal, Unknown, Value
from anytile.importers.core.symbolic import Array, array_of, is_symbolic, settled
from anytile.schedules.index.expr import Expr, const

Sequenced = list[Value]  # a sequence, whose length is known
Held = Value | Sequenced | None  # None is what is left out, and an optional that is empty
Results = Held | tuple[Held, ...]


@dataclass
class Call:
    """A node: `version` is the operator set's, `count` how many results are read, `run` walks a subgraph."""

    graph: Graph
    op: str
    version: int
    inputs: Sequence[Held]
    attributes: Mapping[str, Any]
    count: int
    run: Callable[[Any, Graph, Sequence[Held]], tuple[Held, ...]]
    outputs: Sequence[str] = field(default_factory=tuple)

    # -- inputs ----------------------------------------------------------------------------------------------------

    def __getitem__(self, at: int) -> Value:
        """A tensor that must be there."""
        found = self.maybe(at)
        if found is None:
            raise Refusal(f"input {at} is missing")
        return found

    def maybe(self, at: int) -> Value | None:
        found = self.inputs[at] if at < len(self.inputs) else None
        if isinstance(found, list):
            raise Refusal(f"input {at} is a sequence; expected a tensor")
        return found

    @property
    def x(self) -> Value:
        return self[0]

    @property
    def tensors(self) -> list[Value]:
        """All inputs."""
        return [self[i] for i in range(len(self.inputs))]

    def attr(self, name: str, default: Any = None) -> Any:
        found = self.attributes.get(name)
        return default if found is None else found

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        return tuple(int(n) for n in self.attr(name, default))

    def numbers(self, value: Value, what: str) -> Array:
        """What must be known ahead of time."""
        found = value.number
        if found is None:
            raise Unknown(f"{what} is not known before the model runs", value)
        return found

    def whole(self, value: Value, what: str) -> tuple[int, ...]:
        found = self.numbers(value, what)
        if found.dtype.kind not in "iub":
            raise Refusal(f"{what} is {value.dtype}; expected whole numbers")
        return tuple(int(n) for n in found.reshape(-1))

    def sizes(self, value: Value, what: str) -> tuple[Expr, ...]:
        """What must be numbers, or computed from sizes."""
        found = value.sizes
        if found is None:
            raise Unknown(f"{what} is data that no sizes give", value)
        return found

    def axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < max(rank, 1):
            raise Refusal(f"axis {axis} of {rank} dimensions")
        return axis % max(rank, 1)

    def no(self, *names: str) -> None:
        """Attributes that nothing but their defaults is known for."""
        for name in names:
            if self.attr(name):
                raise Refusal(f"the attribute {name}={self.attr(name)}")

    def small(self, count: int, what: str) -> int:
        """How many elements something has that is written out ahead of time."""
        if not 0 <= count <= MOST_FOLDED:
            raise Refusal(f"{what} of {count} elements; expected at most {MOST_FOLDED}")
        return count

    # -- calls -----------------------------------------------------------------------------------------------------

    def do(self, name: str, *given: Given, **attrs: AttrValue) -> Value:
        return self.graph.call(name, *given, **attrs)

    def number(self, value: float | int | bool, like: Value) -> Value:
        """A scalar of a value's dtype."""
        return self.graph.constant(np.asarray(value, like.dtype))

    def cast(self, x: Value, dtype: str) -> Value:
        if x.dtype == dtype:
            return x
        if x.known is not None and is_symbolic(x.known) and dtype in ("int64", "int32"):
            return self.graph.known(x.known, dtype)
        if x.number is not None:
            with np.errstate(all="ignore"):
                return self.graph.constant(x.number.astype(dtype), x.name)
        return self.do("cast", x, dtype=dtype)

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

    def scalar(self, size: Expr) -> Value:
        """A size as a value."""
        return self.graph.known(settled(array_of([size]).reshape(()), "int64"))

    def positions(self, size: Expr) -> Value:
        """0, 1, ... up to a size."""
        if size.value is not None and size.value <= MOST_FOLDED:
            return self.graph.constant(np.arange(size.value))
        made = self.do("arange", self.scalar(const(0)), self.scalar(size), self.scalar(const(1)))
        return self.reshape(made, (size,))

    def cut(self, x: Value, axis: int, start: int, stop: int | None, step: int = 1) -> Value:
        """x[start:stop:step] along one axis."""
        attrs: dict[str, AttrValue] = {"start": (start,), "step": (step,), "axes": (axis,)}
        if stop is not None:
            attrs["stop"] = (stop,)
        return self.do("slice", x, **attrs)

    def size(self, x: Value, axis: int) -> int:
        """A dimension that must be a number."""
        found = x.dims[axis].value
        if found is None:
            raise Refusal(f"dimension {axis} of {x.shaped} is not known before the model runs; pin it with dims=")
        return found


Meaning = Callable[[Call], Results]
Symbolic = Callable[[Call, Sequence[Array]], Array | None]


@dataclass(frozen=True, slots=True)
class Row:
    """One operator. `sizes` is what it makes of arrays that hold sizes; None where nobody can say. One that is
    `refused` is so whatever it reads."""

    name: str
    means: Meaning
    sizes: Symbolic | None = None
    domain: str = ""
    refused: bool = False

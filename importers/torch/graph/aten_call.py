"""One node of a torch graph as its operator's row sees it: arguments by their schema's names, and what torch makes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.schedules.index.expr import Expr, const

FLOATS = ("float32", "float64", "float16")
Held = Any  # a value, a size, a number, a word, None, or a list of them
Size = Expr | int


@dataclass(frozen=True, slots=True)
class Told:
    """What torch says of a result: its dtype, and dimensions, each None where it is a size that no tensor has yet.

    Floats of 16 bits are float32 here, and `narrow` says which they are to torch.
    """

    dims: tuple[Expr | None, ...]
    dtype: str
    narrow: str = ""


@dataclass
class Call(Writer):
    """A node: `told` has what torch says of each result, `narrow` which floats of 16 bits its first argument is to
    torch, if it is; `run` walks a subgraph on values. `memory_order` is how that argument's dimensions lie in memory,
    from the outermost in, where its elements fill it from the beginning and that is asked for. `read` are those of
    several results that somebody reads."""

    op: str
    args: Mapping[str, Held]
    told: Sequence[Told | None]
    run: Callable[[Any, Graph, Sequence[Held]], tuple[Held, ...]]
    narrow: str = ""
    memory_order: tuple[int, ...] | None = None
    read: Collection[int] = ()

    # -- arguments -------------------------------------------------------------------------------------------------

    def arg(self, name: str, default: Any = None) -> Held:
        found = self.args.get(name)
        return default if found is None else found

    def __getitem__(self, name: str) -> Value:
        """A tensor that must be there; a number or size is one without dimensions."""
        found = self.maybe(name)
        if found is None:
            raise Refusal(f"the argument {name} is missing")
        return found

    def maybe(self, name: str) -> Value | None:
        found = self.args.get(name)
        return None if found is None else self.valued(found)

    @property
    def x(self) -> Value:
        """The first argument."""
        return self[next(iter(self.args))]

    def valued(self, given: Held, dtype: str = "") -> Value:
        """A value, a number or a size as a value; numbers become what torch takes them for."""
        if isinstance(given, Value):
            return self.cast(given, dtype) if dtype else given
        if isinstance(given, Expr):
            made = self.scalar(given)
            return self.cast(made, dtype) if dtype else made
        if isinstance(given, bool | int | float):
            kind = dtype or {bool: "bool", int: "int64", float: "float32"}[type(given)]
            return self.graph.constant(np.asarray(given).astype(kind))
        raise Refusal(f"an argument of {type(given).__name__}; expected a tensor or a number")

    def tensors(self, name: str) -> list[Value]:
        return [self.valued(v) for v in self.arg(name, ())]

    def count(self, name: str, default: int = 0) -> int:
        """A number that must be known ahead of time."""
        return self.whole(self.arg(name, default), name)

    def whole(self, given: Held, what: str) -> int:
        found = given.value if isinstance(given, Expr) else given
        if isinstance(found, bool) or not isinstance(found, int):
            said = "data" if isinstance(given, Value) else given
            raise Refusal(f"{what} is {said}; expected a number that is known before the model runs")
        return found

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        found = self.arg(name, default)
        listed = found if isinstance(found, list | tuple) else [found]
        return tuple(self.whole(n, name) for n in listed)

    def sizes(self, name: str) -> list[Expr]:
        """Numbers, or what is computed from sizes."""
        found = self.arg(name, ())
        listed = found if isinstance(found, list | tuple) else [found]
        return [self.size_of(n, name) for n in listed]

    def size_of(self, given: Held, what: str) -> Expr:
        if isinstance(given, Expr):
            return given
        if isinstance(given, int):
            return const(given)
        raise Refusal(f"{what} is data that no sizes give")

    def dim(self, name: str = "dim", default: int = 0, rank: int | None = None) -> int:
        return self.axis(self.count(name, default), self.x.rank if rank is None else rank)

    def dims(self, name: str = "dim") -> tuple[int, ...]:
        """Axes that go, rising; all of them where none are said."""
        found = self.arg(name)
        rank = self.x.rank
        listed = [found] if isinstance(found, int) else list(found or range(rank))
        return tuple(sorted({self.axis(self.whole(a, name), rank) for a in listed}))

    # -- results ---------------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> str:
        """The dtype of the first result."""
        first = self.told[0]
        if first is None:
            raise Refusal("torch does not say what it makes")
        return first.dtype

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The dimensions of the first result."""
        first = self.told[0]
        if first is None or any(d is None for d in first.dims):
            raise Refusal("a result whose sizes are data, or no expression of the inputs' sizes")
        return tuple(d for d in first.dims if d is not None)


Meaning = Callable[[Call], Value | Expr | tuple[Value | None, ...] | None]


@dataclass(frozen=True, slots=True)
class Row:
    """One operator by the name that all its overloads have."""

    name: str
    means: Meaning

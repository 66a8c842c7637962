"""What an operator of the model language is: its inputs, attributes, shapes, meaning in numpy, and its way to a kernel.

An operator is a row of data. Its `relation` says once what its results are like, over dimensions that may be numbers
or expressions of unknown ones, and states through a `Facts` what must hold. Type inference runs it on symbols, a shape
function is what it makes of the dimensions of the arguments, and run on numbers it is the run-time check: there is no
second place where a shape is computed. `numpy` is the meaning and the last word on values; it computes in float64
where the arguments are floats and is rounded once, by whoever asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any as AnyType
from typing import Literal, Protocol

import numpy as np

from anytile.compiler.ir.nodes import Array, Attrs, AttrValue
from anytile.compiler.ir.types import TensorType
from anytile.core import dtypes
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr
from anytile.schedules.operators.attribute import REQUIRED as REQUIRED
from anytile.schedules.operators.attribute import Attribute as Attribute
from anytile.schedules.operators.attribute import Attributes as Attributes
from anytile.schedules.operators.attribute import Mismatch as Mismatch
from anytile.schedules.operators.spec import Example
from anytile.schedules.workloads.workload import Workload

Mode = Literal["independent", "data", "upper_bound"]
FLOATS, INTEGERS, NUMBERS = dtypes.MODEL_FLOATS, dtypes.MODEL_INTEGERS, dtypes.MODEL_NUMBERS
ALL = dtypes.MODEL


@dataclass(frozen=True, slots=True)
class Shaped:
    """A tensor as relations see it: every dimension an expression of unknown ones."""

    dims: tuple[Expr, ...]
    dtype: str = "float32"

    @property
    def rank(self) -> int:
        return len(self.dims)

    def __str__(self) -> str:
        dims = ", ".join(str(d) if d.value is not None else f"?{d}" for d in self.dims)
        return f"({dims}{',' if self.rank == 1 else ''})"


class Facts(Protocol):
    """What is known about unknown dimensions, and where a relation says what must hold.

    What is certainly false is a Mismatch; what cannot be decided becomes a check at run time.
    """

    def equal(self, a: Expr, b: Expr, of: str = "") -> Expr:
        """The two are the same; the answer is the one to go on with. `of` says what they are, if no sizes."""

    def broadcast(self, a: Expr, b: Expr) -> Expr:
        """What two dimensions that are the same, or of which one is 1, make together."""

    def at_least(self, a: Expr, least: int, of: str = "") -> None:
        """`a >= least`; `of` says what it is."""

    def number(self, a: Expr) -> int | None:
        """The number that a is known to be."""

    def unknown(self, name: str) -> Expr:
        """A dimension that only the data know."""


Relation = Callable[[tuple[Shaped, ...], Attributes, Facts], tuple[Shaped, ...]]
Meaning = Callable[[tuple[Array, ...], Attributes], tuple[Array, ...]]


Axis = tuple[int, int]  # an argument and one of its dimensions


@dataclass(frozen=True, slots=True)
class Scheduled:
    """How one call becomes a workload of `schedules`.

    Tensors are passed as they lie in memory, so a dimension of the workload may be several of an argument side by side:
    `sizes` has for every dimension of the workload the axes of arguments whose product it is (none is 1, or what the
    attributes say), which is also how its symbols are bound at run time. `operands` are the arguments in the order of
    `workload.inputs`. `axes` are the dimensions of the first output, each with the axes of the result that it walks.
    """

    workload: Workload
    operands: tuple[int, ...]
    sizes: Mapping[str, tuple[Axis, ...]]
    axes: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def symbols(self) -> dict[str, tuple[Axis, ...]]:
        """The axes of arguments whose product each symbol of the workload is."""
        found: dict[str, tuple[Axis, ...]] = {}
        for name, dim in self.workload.dims:
            if not isinstance(dim, int):
                found.setdefault(dim.name, self.sizes[name])
        return found


Schedule = Callable[[Sequence[TensorType], Sequence[TensorType], Attributes], Scheduled | None]


@dataclass(frozen=True, slots=True)
class Within:
    """A number that must be so large at least, if there is a least, and at most."""

    what: str
    value: Expr
    least: int | None
    most: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The sizes of results as expressions of elements of int64 arguments; `bounds` are looked at first, in order."""

    sizes: tuple[tuple[Expr, ...], ...]
    bounds: tuple[Within, ...]


Elements = Sequence[tuple[Expr, ...] | None]  # of each argument; None where it is not int64, or has who knows how many


@dataclass(frozen=True)
class Operator:
    """One row of the table.

    `inputs` name the arguments; with `variadic` the last may be given any number of times, and the last `optional` ones
    may be left out. The result is a tuple where `many` says so. `mode` says what a result's shape follows from:
    the arguments' shapes alone, their data, or as an upper bound their shapes, the true shape being known only when the
    result is; in the last two modes `relation` invents unknown dimensions. Of "data" `sizes` computes from arrays the
    shapes of the results; where that is arithmetic, `arithmetic` writes it, to be compiled, and answers None for
    arguments of which it cannot. Of "upper_bound" `bound` writes from shapes those of the memory that results need.
    `anchor` lets elementwise steps be fused behind a call, as its tail. `examples` are calls that every test of all
    operators is run on.
    `element` writes what one element of the result is as an expression over elements of the arguments (see
    `schedules.expression`): with it, elementwise chains are fused. `schedule` gives the workload of one call, or None
    where the virtual machine calls the operator through a packed function that does what `numpy` says.
    `hosted` are dtypes that it takes and no kernel of it does; of one that `takes_stored` kernels have tensors in
    formats of memory. One that `moves` computes nothing: its results are made of elements of its first arguments.
    `by_row` says that a result's rows, its slices along the first dimension, follow each from the same row of the
    arguments that have rows, as those of elementwise operators do anyway.
    """

    name: str
    summary: str
    inputs: tuple[str, ...]
    relation: Relation
    numpy: Meaning
    anchor: bool = False
    attributes: tuple[Attribute, ...] = ()
    variadic: bool = False
    optional: int = 0
    many: bool = False
    mode: Mode = "independent"
    sizes: Callable[[tuple[Array, ...], Attributes], tuple[tuple[int, ...], ...]] | None = None
    bound: Callable[[Sequence[Shaped], Attributes], tuple[tuple[Expr, ...], ...]] | None = None
    arithmetic: Callable[[Elements, Attributes], Arithmetic | None] | None = None
    element: Callable[[Sequence[str], Attributes], str] | None = None
    schedule: Schedule | None = None
    hosted: tuple[str, ...] = ()
    takes_stored: bool = False
    moves: bool = False
    by_row: bool = False
    examples: tuple[Example, ...] = ()

    @property
    def maps_rows(self) -> bool:
        return self.by_row or self.element is not None

    def complete(self, attrs: Attrs) -> dict[str, AttrValue]:
        """Every attribute in its one form, those not given at their defaults."""
        given, known = dict(attrs), {a.name: a for a in self.attributes}
        for name in given:
            if name not in known:
                raise Mismatch(f"no attribute {name!r}; expected {', '.join(known) or 'none'}")
        made: dict[str, AttrValue] = {}
        for name, attribute in known.items():
            value = given.get(name, attribute.default)
            if value == REQUIRED:
                raise Mismatch(f"the attribute {name} is missing ({attribute.doc})")
            made[name] = attribute.check(value) if name in given else value
        return made

    def canonical(self, attrs: Attrs) -> Attrs:
        """Sorted by name, without those that stand at their defaults."""
        made = self.complete(attrs)
        kept = ((a.name, made[a.name]) for a in self.attributes if made[a.name] != a.default)
        return tuple(sorted(kept, key=lambda pair: pair[0]))

    def check_count(self, count: int) -> None:
        """Whether so many arguments may be given."""
        least, most = len(self.inputs) - self.optional, len(self.inputs)
        if count < least or (count > most and not self.variadic):
            expected = (
                f"at least {least}" if self.variadic else f"{least}" if not self.optional else f"{least} to {most}"
            )
            raise Mismatch(f"{counted(count, 'argument')}; expected {expected}: {', '.join(self.inputs)}")


@lru_cache(64)
def dtype_name(dtype: np.dtype[AnyType]) -> str:
    """numpy makes the name anew each time."""
    return dtype.name


def ints(attributes: Attributes, name: str) -> tuple[int, ...]:
    value = attributes[name]
    assert isinstance(value, tuple)
    return tuple(n for n in value if isinstance(n, int))


def integer(attributes: Attributes, name: str) -> int:
    value = attributes[name]
    assert isinstance(value, int)
    return value


def number(attributes: Attributes, name: str) -> float:
    value = attributes[name]
    assert isinstance(value, int | float)
    return float(value)


def axis_of(axis: int, rank: int, what: str = "axis") -> int:
    """The axis counted from the front."""
    if not -rank <= axis < rank:
        raise Mismatch(f"{what}={axis} of a tensor with {counted(rank, 'dimension')}: expected {-rank} to {rank - 1}")
    return axis % rank


def axes_of(axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, rising, each once; none given is all of them."""
    found = tuple(sorted(axis_of(a, rank) for a in axes)) if axes else tuple(range(rank))
    if len(set(found)) != len(found):
        raise Mismatch(f"axis={axes}: the same dimension twice")
    return found


def of_dtype(tensor: Shaped, allowed: tuple[str, ...], what: str) -> None:
    if tensor.dtype not in allowed:
        raise Mismatch(f"{what} is {tensor.dtype}; expected {' or '.join(allowed)}")


def of_rank(tensor: Shaped, rank: int, what: str) -> None:
    if tensor.rank != rank:
        raise Mismatch(f"{what} has the shape {tensor}; expected {counted(rank, 'dimension')}")


def same_dtype(tensors: Sequence[Shaped], allowed: tuple[str, ...]) -> str:
    """The one dtype of all tensors."""
    kinds = tuple(dict.fromkeys(t.dtype for t in tensors))
    if len(kinds) != 1 or kinds[0] not in allowed:
        raise Mismatch(f"dtypes {', '.join(t.dtype for t in tensors)}; expected one dtype of {', '.join(allowed)}")
    return kinds[0]


def broadcast_all(tensors: Sequence[Shaped], facts: Facts) -> tuple[Expr, ...]:
    """The shape that all of them make together, by numpy's rules."""
    rank = max(t.rank for t in tensors)
    made: list[Expr] = []
    for i in range(rank):
        present = [t.dims[i - rank + t.rank] for t in tensors if i - rank + t.rank >= 0]
        dim = present[0]
        for other in present[1:]:
            dim = facts.broadcast(dim, other)
        made.append(dim)
    return tuple(made)

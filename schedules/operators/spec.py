"""What an operator is: its attributes, dimensions and tensors, its cost, its numpy meaning and its naive loop nest.

An operator is a row of data. Which dimensions and tensors it has may depend on its attributes (a layout, a number of
inputs), so they come out of `form`. Dimensions that follow from others, as the height of a convolution's output does,
are index expressions of them. `reference` is the numpy meaning and the last word on correctness: it computes in float64
where its inputs are floats and is rounded once, by whoever asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Stmt
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.operators.attribute import (
    MAX_NUMBER,
    REQUIRED,
    Attribute,
    Attributes,
    AttributeValue,
    Mismatch,
    named,
    numbers,
)

ONE = "1"  # as a dimension of a tensor: always 1
Array = NDArray[AnyType]
PAIRED = 128  # what two integers of 8 bits add up to, up or down, at most: 255 times that fits 16 bits


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor: its name, its shape in dimension names, what it is for, its dtype (the workload's unless given)."""

    name: str
    dims: tuple[str, ...]
    output: bool = False
    may_be_constant: bool = False
    dtype: str | None = None
    indexes: str | None = None  # the dimension that its elements are positions in
    sorts: str | None = None  # the dimension whose rows its elements are sorted keys of
    places: str | None = None  # the dimension that its elements are places in, no two the same, or out of
    pairs: str | None = None  # the dimension along which pairs of its integers add up to `PAIRED` at most


@dataclass(frozen=True)
class Form:
    """What an operator is made of under certain attributes. Tensors stand in the order of the kernel ABI's `data`:
    inputs, then outputs. `derived` maps the dimensions that follow from others to how."""

    dims: tuple[str, ...]
    tensors: tuple[TensorSpec, ...]
    derived: Mapping[str, Callable[[Mapping[str, Expr]], Expr]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """A call of a model's operator: its arguments' types as `(?b, 6) int64`, float32 unless said, and attributes.

    A word before a type says what its elements are: `positive`, `index` (below 6), `one`, `minus` (-1), `zero`,
    `size` (6), `keys` (sorted, of rows below 6).
    """

    types: tuple[str, ...]
    attributes: Mapping[str, AttributeValue]


def example(*types: str, **attributes: AttributeValue) -> Example:
    return Example(types, attributes)


@dataclass(frozen=True)
class Call:
    """An operator of the model language that is a workload: how a call's tensors and attributes are the workload's.

    Without more, the call has the operator's name, attributes and tensors, dimension by dimension. `spread` are
    dimensions that stand for any number of a tensor's axes side by side, at least `least_axes`; where two of them stand
    around a dimension, the attribute `axis` says which axis that one is. `attributes` are the call's where they are not
    the operator's; those of the same names are passed on, and what `given` makes of them and of the arguments' dtypes.
    `inputs` name the arguments; with `variadic` the last may be given any number of times, and the last `optional` ones
    may be left out. The result is a tuple where `many` says so. `anchor` lets elementwise steps be fused behind a call,
    as its tail. `by_row` says that a result's rows, its slices along the first dimension, follow each from the same row
    of the arguments that have rows. `windows` are derived dimensions of which there is at least one. `check` refuses
    elements of arguments, `advice` is said where sizes of spread dimensions do not fit. `dtypes` are those of the first
    argument where it may have more than those of the kinds that kernels take.
    """

    name: str = ""
    summary: str = ""
    spread: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] | None = None
    given: Callable[[Attributes, Sequence[str]], Mapping[str, AttributeValue]] = lambda attributes, dtypes: {}
    inputs: tuple[str, ...] = ()
    variadic: bool = False
    optional: int = 0
    many: bool = False
    anchor: bool = False
    by_row: bool = False
    windows: tuple[str, ...] = ()
    least_axes: int = 0
    dtypes: tuple[str, ...] = ()
    check: Callable[[Sequence[Array], Attributes], None] | None = None
    advice: Callable[[Attributes], str] | None = None
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Operator:
    """One row of the table.

    `flops` is told every dimension's size, `reference` the inputs by name; it answers the outputs in their order.
    `body` is the perfect nest around one update that defines the operator, over `i_<dim>` for each dimension it walks;
    an operator without it is defined by its templates alone. `objection` says in words why sizes cannot be (symbolic
    ones are None), or nothing. `anchor` gives the attributes under which an operator is tuned, where some of them only
    say what becomes of its result. `sums` is the dtype of sums where the output's is chosen apart from it: what is
    stored of them is converted, integers being the nearest there are. `near` is how far off results may be, beside
    their own size, by what attributes allow to be rounded. `examples` are workloads that every test of all operators is
    run on, `calls` what models call it, in that `section` of the page of operators. The constructor in Python follows
    from the row: `about` is its docstring, `required` are attributes that it wants to be told, `last` some that stand
    behind all else, `static` dimensions that are numbers always; `made_by` names one that is written by hand. `over` is
    the input that the output lies over: kernels leave there what they do not change, and only models have them.
    """

    name: str
    summary: str
    form: Callable[[Attributes], Form]
    flops: Callable[[Mapping[str, int], Attributes], int]
    reference: Callable[[Mapping[str, Array], Attributes], tuple[Array, ...]]
    examples: tuple[str, ...]
    section: str = ""
    body: Callable[[Mapping[str, Expr], Attributes], Stmt] | None = None
    attributes: tuple[Attribute, ...] = ()
    dtypes: tuple[str, ...] = ("float32",)
    objection: Callable[[Mapping[str, int | None], Attributes], str | None] | None = None
    takes_tail: bool = False
    anchor: Callable[[Attributes], Mapping[str, AttributeValue]] | None = None
    sums: Callable[[Attributes], str] | None = None
    near: Callable[[Attributes], float] | None = None
    has_weights: bool = True  # operands that may be constant usually are
    calls: tuple[Call, ...] = ()
    about: str = ""
    required: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    made_by: str = ""
    over: str = ""

    def attribute(self, name: str) -> Attribute:
        return named(self.attributes, name, self.name)

    def checked(self, name: str, value: AnyType) -> AttributeValue:
        """An attribute's value in its one canonical form; a text is read as a workload's is."""
        attribute = self.attribute(name)
        with self.named():
            return attribute.parse(value) if isinstance(value, str) else attribute.check(value)

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """What is wrong with attributes is wrong with this operator, and said so."""
        try:
            yield
        except SpecError as error:
            known = str(error).startswith((f"{self.name}:", f"{self.name} "))
            raise SpecError(str(error) if known else f"{self.name}: {error}") from None

    def complete(self, given: Attributes) -> dict[str, AnyType]:
        """Every attribute, those not given at their defaults."""
        return {a.name: given.get(a.name, a.default) for a in self.attributes}

    def form_of(self, given: Attributes) -> Form:
        """The form under attributes that are not checked yet, those not given at their defaults."""
        return self.form(self.complete({name: self.checked(name, value) for name, value in given.items()}))


def fixed(*dims: str, tensors: tuple[TensorSpec, ...]) -> Callable[[Attributes], Form]:
    """The form of an operator that no attribute changes."""
    form = Form(dims, tensors)
    return lambda attributes: form


def wide(array: Array) -> Array:
    """Floats as float64: the reference must be better than anything compared with it."""
    return array.astype(np.float64) if is_float(array.dtype) else array


__all__ = [
    "MAX_NUMBER",
    "ONE",
    "PAIRED",
    "REQUIRED",
    "Array",
    "Attribute",
    "AttributeValue",
    "Attributes",
    "Call",
    "Example",
    "Form",
    "Mismatch",
    "Operator",
    "TensorSpec",
    "example",
    "fixed",
    "numbers",
    "wide",
]

"""Quantisation of models: dense layers with constant weights get them in 16-bit floats, or in integers of 8 or 4 bits.

In 16-bit floats and in 4 bits the weight alone is narrow. With int8 the rows that come are quantised, too. At run time
each is by its own range, so no data are needed: a step `quantise_rows` stands before the product, one for all layers
that read the same tensor, and scales and zero points are elementwise steps behind it, which fusion makes its tail with
what stood there before. Where runs were seen, ranges may be chosen of what came: then the step is `quantise_within`,
with one range for all rows, which fusion makes the last of the tail before where nothing else reads that, and what is
behind the product is one factor and one summand for each channel. Every layer that was looked at is reported, with the
error that it costs where that is asked for; one that is not held within the error allowed stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    TupleGet,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import TensorType, TupleType
from anytile.compiler.passes.narrow.grouped_weights import GIVEN
from anytile.compiler.passes.narrow.histograms import Choose, Histogram, Range
from anytile.compiler.passes.narrow.rounded_weights import FLOAT, INT4, INT8, RoundedWeight, rounded_weight

_DRAWN = 32  # rows of random numbers that a layer is measured on where none are given


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is to become narrow: layers whose place in the model, or whose weight's name, fits a pattern of `only`, each
    within `error`, which is relative and in L2. `is_measured` says whether errors are computed without such. `choose`
    makes the ranges of what comes to layers in int8; without it each row has its own, at run time."""

    dtype: str
    only: tuple[str, ...] = ("*",)
    error: float | None = None
    is_measured: bool = False
    choose: Choose | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """What came to layers through one variable: some rows of it, and how often values stood where."""

    rows: Array
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class Layer:
    """What became of a dense layer: its place in the model, its weight's name and size, its dtype now, what that costs,
    and why it is not as it was asked to be where it is not. The error is NaN where it was not measured; `range` is that
    of what comes to it, where it is known ahead of time, of the values in `histogram`."""

    place: str
    weight: str
    shape: tuple[int, ...]
    dtype: str
    error: float = float("nan")
    kept: str = ""
    range: Range | None = None
    histogram: Histogram | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.place, self.weight))) or "a layer"

    @property
    def beyond(self) -> float:
        """The share of what came that lies outside of the range."""
        return 0.0 if self.range is None or self.histogram is None else self.histogram.beyond(self.range)

    def __str__(self) -> str:
        said = "" if self.range is None else f", {self.range} and {self.beyond:.2%} beyond"
        said += "" if np.isnan(self.error) else f", error {self.error:.2e}"
        return f"{self.name}: {'x'.join(map(str, self.shape))} {self.dtype}{said}{self.kept and f'; {self.kept}'}"


Seen = Mapping[Var, Observed]  # by the variable that layers read
Tell = Callable[[Layer], None]


def is_layer(value: Expr) -> bool:
    """Whether a step is a dense layer in float32 with a constant weight."""
    if not is_operator_call(value, "dense"):
        return False
    x, weight = value.args
    return isinstance(x, Var) and isinstance(weight, Constant) and weight.array.dtype == np.float32


def narrow_layers(module: Module, spec: Narrowing, seen: Seen | None = None, tell: Tell = lambda layer: None) -> Module:
    """The module with narrow layers; `tell` is told of every dense layer with a constant weight."""
    made = _Narrow(spec, seen, tell)
    return each_block(module, lambda body: rewrite(body, made.change))


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """What is to become of a layer: its weight, None where it stays, and the rest as `Layer` says it."""

    weight: RoundedWeight | None = None
    error: float = float("nan")
    kept: str = ""
    range: Range | None = None


class _Narrow:
    def __init__(self, spec: Narrowing, seen: Seen | None, tell: Tell) -> None:
        self.spec, self.seen, self.tell = spec, seen, tell
        self.weights: dict[int, tuple[Constant, RoundedWeight | None]] = {}  # by the identity of their arrays
        self.ranges: dict[Var, Range] = {}

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_layer(value):
            return None
        assert isinstance(value, Call)
        x, weight = value.args
        assert isinstance(x, Var)
        assert isinstance(weight, Constant)
        found = self.narrowed(value.where, x, weight)
        made, within = found.weight, found.range
        dtype = FLOAT if made is None else made.dtype
        seen = None if self.seen is None else self.seen.get(x)
        histogram = None if seen is None else seen.histogram
        self.tell(
            Layer(value.where, weight.name, weight.array.shape, dtype, found.error, found.kept, within, histogram)
        )
        if made is None:
            return None
        if dtype != INT8:
            return [_weight_alone(var, value, made)]
        steps = _Steps(var, value, x, weight.name, made)
        return steps.by_row() if within is None else steps.within(within)

    def narrowed(self, place: str, x: Var, weight: Constant) -> _Narrowed:
        """What is to become of a layer."""
        if not any(fnmatchcase(name, pattern) for name in (place, weight.name) for pattern in self.spec.only):
            return _Narrowed(kept="not asked for")
        made = self.rounded(weight)
        if made is None:
            return _Narrowed(kept=f"its weight has numbers that {self.spec.dtype} does not hold")
        limit = self.spec.error
        if limit is None and not self.spec.is_measured and self.spec.choose is None:
            return _Narrowed(made)
        rows = self.rows(x, weight)
        if rows is None:
            kept = "no row came to it, so its error is not known"
            return _Narrowed(made if limit is None else None, kept=kept)
        seen = None if self.seen is None else self.seen[x].histogram
        if not (np.isfinite(rows).all() if seen is None else seen.is_finite):
            return _Narrowed(kept="NaN or infinity came to it, which has no range")
        within = None if seen is None else self.range(x, seen)
        error = _cost(rows, weight.array, made, within)
        kept = ""
        if limit is not None and within is not None and not error <= limit:
            kept = f"error {error:.2e} with one range for all rows, so each has its own at run time"
            within, error = None, _cost(rows, weight.array, made, None)
        if limit is not None and not error <= limit:
            return _Narrowed(None, error, f"more than {limit:g}, so it stays float32")
        return _Narrowed(made, error, kept, within)

    def range(self, x: Var, seen: Histogram) -> Range | None:
        """The range of what comes to a layer, where such are asked for."""
        if self.spec.choose is None or self.spec.dtype != INT8:
            return None
        if x not in self.ranges:
            self.ranges[x] = self.spec.choose(seen)
        return self.ranges[x]

    def rounded(self, weight: Constant) -> RoundedWeight | None:
        key = id(weight.array)
        if key not in self.weights:
            self.weights[key] = weight, rounded_weight(weight.array, self.spec.dtype)
        return self.weights[key][1]

    def rows(self, x: Var, weight: Constant) -> Array | None:
        if self.seen is not None:
            return self.seen[x].rows if x in self.seen else None
        return np.random.default_rng(0).standard_normal((_DRAWN, weight.array.shape[1]), np.float32)


def _cost(x: Array, weight: Array, made: RoundedWeight, within: Range | None) -> float:
    """The relative error in L2; 0 where what comes out is 0 either way."""
    return relative(made.times(x, within), x.astype(np.float64) @ weight.T.astype(np.float64))


def relative(found: Array, wanted: Array) -> float:
    """How far off something is, in L2, relative to what it should be."""
    off = float(np.linalg.norm(found - wanted))
    return off and off / max(float(np.linalg.norm(wanted)), np.finfo(np.float64).tiny)


def _weight_alone(var: Var, call: Call, made: RoundedWeight) -> Binding:
    x, weight = call.args
    assert isinstance(weight, Constant)
    narrow = Constant(made.array, weight.name and f"{weight.name}_{made.dtype}")
    if made.dtype == INT4:
        scales = Constant(made.by, weight.name and f"{weight.name}_scale")
        return var, Call(OperatorRef("grouped_dense"), (x, narrow, scales), GIVEN, call.where)
    attrs = (("x", "float32"), ("w", made.dtype), ("out", "float32"))
    return var, Call(OperatorRef("quantised_dense"), (x, narrow), attrs, call.where)


class _Steps:
    """The steps that a layer in 8 bits is, the last of which is its result."""

    def __init__(self, var: Var, call: Call, x: Var, name: str, made: RoundedWeight) -> None:
        self.var, self.call, self.x, self.name, self.made = var, call, x, name, made
        self.came, self.result = tensor_of(x), tensor_of(var)
        self.bindings: list[Binding] = []

    def by_row(self) -> list[Binding]:
        """Every row by its own range, at run time."""
        each = TensorType((*self.came.shape[:-1], 1), FLOAT)  # a number for every row
        whole = Var("rows", TupleType((TensorType(self.came.shape, "uint8"), each, each)))
        self.bindings.append((whole, self.called("quantise_rows", self.x)))
        codes = self.step("codes", TensorType(self.came.shape, "uint8"), TupleGet(whole, 0))
        scale, zero = self.step("scale", each, TupleGet(whole, 1)), self.step("zero", each, TupleGet(whole, 2))
        sums = self.product(codes)
        shift = self.step("shift", self.result, self.called("multiply", zero, self.constant(self.made.total, "total")))
        moved = self.step("moved", self.result, self.called("subtract", sums, shift))
        by = self.step("by", self.result, self.called("multiply", scale, self.constant(self.made.by, "scale")))
        return [*self.bindings, (self.var, self.called("multiply", moved, by))]

    def within(self, range: Range) -> list[Binding]:
        """All rows by one range."""
        numbers = (Constant(np.array([number], np.float32)) for number in (range.by, range.zero))
        quantised = self.called("quantise_within", self.x, *numbers)
        sums = self.product(self.step("codes", TensorType(self.came.shape, "uint8"), quantised))
        factor, summand = self.made.scaled(range)
        scaled = self.step("scaled", self.result, self.called("multiply", sums, self.constant(factor, "factor")))
        return [*self.bindings, (self.var, self.called("add", scaled, self.constant(summand, "summand")))]

    def product(self, codes: Var) -> Var:
        weight = self.constant(self.made.array, self.made.dtype)
        attrs = (("out", FLOAT),)
        return self.step(
            "sums", self.result, Call(OperatorRef("quantised_dense"), (codes, weight), attrs, self.call.where)
        )

    def step(self, name: str, kind: TensorType, value: Expr) -> Var:
        self.bindings.append((Var(name, kind), value))
        return self.bindings[-1][0]

    def called(self, op: str, *args: Expr) -> Call:
        return Call(OperatorRef(op), args, (), self.call.where)

    def constant(self, array: Array, what: str) -> Constant:
        return Constant(array, self.name and f"{self.name}_{what}")

"""Quantisation of models: layers with constant weights get them in 16-bit floats, or in integers of 8 or 4 bits.

In 16-bit floats and in 4 bits the weight alone is narrow. In int8, and in 16-bit floats that a target multiplies,
convolutions are layers like dense ones; in such floats products of two tensors, as attention's, may round both, not
where a limit is set, for none could be held. With int8 what comes to a layer is quantised, too. At run time each row of
a dense layer, or each image of a convolution, is by its own range, so no data are needed: a step `quantise_rows` or
`quantise_images` stands before the product, one for all layers that read the same tensor, and scales and zero points
are elementwise steps behind it, which fusion makes its tail with what stood there before. Where runs were seen, ranges
may be chosen of what came: then the step is `quantise_within`, with one range for all, which fusion makes the last of
the tail before where nothing else reads that, and what is behind the product is one factor and one summand for each
channel; and attention between layers is one kernel of integers, a layer like others, by the name `attention`. Every
layer that was looked at is reported, with the error that it costs where that is asked for; one that is not held within
the error allowed stays as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, variables_read
from anytile.compiler.operators import operator
from anytile.compiler.operators.products import OF_TWO
from anytile.compiler.passes.narrow.drop_clips import drop_clips
from anytile.compiler.passes.narrow.grouped_weights import GIVEN
from anytile.compiler.passes.narrow.histograms import Choose, Histogram, Range
from anytile.compiler.passes.narrow.narrow_attention import NAMES, AttentionSteps, ranges_of, write_integers
from anytile.compiler.passes.narrow.narrow_products import MULTIPLIED, Product, product_of
from anytile.compiler.passes.narrow.rounded_weights import FLOAT, INT4, INT8, RoundedWeight, rounded_weight
from anytile.compiler.passes.narrow.share_integers import share_integers
from anytile.compiler.passes.narrow.signs import Signs
from anytile.core.errors import SpecError
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_dense import IN_32_BITS, PRODUCTS, ROUNDED, WEIGHT, W


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is to become narrow: layers whose place in the model, or whose weight's name, fits a pattern of `only`, each
    within `error`, which is relative and in L2. `is_measured` says whether errors are computed without such. `choose`
    makes the ranges of what comes to layers in int8; without it each row has its own, at run time. `multiplies` are the
    16-bit floats that are multiplied by who it is for, and `attends` that it is for those that multiply bytes without a
    sign by signed ones, without which attention in integers takes longer than in floats. `pairs` is what two products
    of a layer in int8 add up in, as `quantised_dense` has it, and `made_for` says of whom these are, for a
    report."""

    dtype: str
    only: tuple[str, ...] = ("*",)
    error: float | None = None
    is_measured: bool = False
    choose: Choose | None = None
    multiplies: tuple[str, ...] = MULTIPLIED
    attends: bool = True
    pairs: str = IN_32_BITS
    made_for: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """What came to layers through one variable: some of it, along its first dimension, and how often values stood
    where. Of what an attention makes it is the arguments of the first runs."""

    kept: Array
    histogram: Histogram
    runs: tuple[Sequence[Array], ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """What became of a layer: its place in the model, its weight's name and size, its dtype now, what that costs,
    and why it is not as it was asked to be where it is not. The error is NaN where it was not measured; `range` is that
    of what comes to it, where it is known ahead of time, of the values in `histogram`. Attention has no weight, and
    three `ranges`, of queries, keys and values."""

    place: str
    weight: str
    shape: tuple[int, ...]
    dtype: str
    error: float = float("nan")
    kept: str = ""
    range: Range | None = None
    histogram: Histogram | None = field(default=None, compare=False, repr=False)
    ranges: tuple[Range, ...] = ()

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.place, self.weight))) or "a layer"

    @property
    def beyond(self) -> float:
        """The share of what came that lies outside of the range."""
        return 0.0 if self.range is None or self.histogram is None else self.histogram.beyond(self.range)

    @property
    def attended(self) -> str:
        """The ranges of an attention's operands; empty where it has none."""
        return ", ".join(f"{name} {within}" for name, within in zip(NAMES, self.ranges, strict=False))

    def __str__(self) -> str:
        said = "" if self.range is None else f", {self.range} and {self.beyond:.2%} beyond"
        said += f", {self.attended}" if self.ranges else ""
        said += "" if np.isnan(self.error) else f", error {self.error:.2e}"
        size = "x".join(map(str, self.shape))
        return f"{self.name}: {size + ' ' if size else ''}{self.dtype}{said}{self.kept and f'; {self.kept}'}"


Seen = Mapping[Var, Observed]  # by the variable that layers read
Tell = Callable[[Layer], None]


def narrow_layers(module: Module, spec: Narrowing, seen: Seen | None = None, tell: Tell = lambda layer: None) -> Module:
    """The module with narrow layers; `tell` is told of every layer with a constant weight. A pattern that fits none of
    what it chooses among is refused."""
    made = _Narrow(spec, seen, tell)
    narrow = each_block(module, made.narrow)
    made.require_fitting()
    return narrow if spec.choose is None else write_integers(drop_clips(share_integers(narrow)))


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
        # By the identity of their arrays, and what two products add up in.
        self.weights: dict[tuple[int, str], tuple[Constant, RoundedWeight | None]] = {}
        self.ranges: dict[Var, Range] = {}
        self.signs = Signs()
        self.fitting = {"*"}  # patterns that fit anything
        self.names: list[str] = []  # of what patterns choose among
        self.reads: Counter[Var] = Counter()
        self.known: dict[Var, Call] = {}

    def narrow(self, body: Expr) -> Expr:
        self.reads = Counter(variables_read(body))
        return rewrite(body, self.change)

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        self.signs.see(var, value)
        if isinstance(value, Call):
            self.known[var] = value
        if is_operator_call(value, ATTENTION.name):
            return None if self.spec.choose is None else self.attention(var, value)
        if is_operator_call(value, BATCH_MATMUL.name) and self.may_round(value):
            return [(var, replace(value, attrs=(*value.attrs, (OF_TWO.name, self.spec.dtype))))]
        product = product_of(value, self.spec.dtype, self.spec.multiplies)
        if product is None:
            return None
        call = product.call
        x, weight = call.args
        assert isinstance(x, Var)
        assert isinstance(weight, Constant)
        found = self.narrowed(product, x, weight)
        made, within = found.weight, found.range
        dtype = FLOAT if made is None else made.dtype
        seen = None if self.seen is None else self.seen.get(x)
        histogram = None if seen is None else seen.histogram
        self.tell(Layer(call.where, weight.name, weight.array.shape, dtype, found.error, found.kept, within, histogram))
        if made is None:
            return None
        if dtype != INT8:
            return [_weight_alone(var, call, made)]
        return product.integers(var, made, within, self.signs.is_positive(x))

    def attention(self, var: Var, call: Call) -> list[Binding] | None:
        """An attention as integers, and what is told of it."""
        steps = AttentionSteps(call, self.known, self.reads)
        ranges, error, kept = self.ranges_of(var, steps)
        if kept:
            self.tell(Layer(call.where, ATTENTION.name, (), FLOAT, error, kept))
            return None
        self.tell(Layer(call.where, ATTENTION.name, (), INT8, error, ranges=ranges))
        return steps.within(var, ranges)

    def ranges_of(self, var: Var, steps: AttentionSteps) -> tuple[tuple[Range, ...], float, str]:
        """The ranges of what comes to an attention, its error, and why it stays where it does."""
        assert self.spec.choose is not None
        nothing, unknown, seen = (), float("nan"), self.seen or {}
        if not self.is_asked_for(steps.call.where, ATTENTION.name):
            return nothing, unknown, "not asked for"
        if not self.spec.attends:
            return nothing, unknown, "products of bytes are no instruction of this CPU, so it stays float32"
        if steps.objection:
            return nothing, unknown, steps.objection
        if var not in seen:
            return nothing, unknown, "nothing came to it, so its ranges are not known"
        found = [seen[operand].histogram for operand in steps.operands if isinstance(operand, Var)]
        if not all(histogram.is_finite for histogram in found):
            return nothing, unknown, "NaN or infinity came to it, which has no range"
        ranges = ranges_of([self.spec.choose(histogram) for histogram in found])
        error, limit = steps.cost(seen[var].runs, ranges), self.spec.error
        if limit is not None and not error <= limit:
            return nothing, error, f"more than {limit:g}, so it stays float32"
        return ranges, error, ""

    def may_round(self, call: Call) -> bool:
        """Whether a product of two tensors of floats may round both."""
        is_offered = self.spec.dtype in self.spec.multiplies and call.attr(OF_TWO.name) is None
        is_of_two = all(isinstance(a, Var) and tensor_of(a).dtype == FLOAT for a in call.args)
        return is_offered and is_of_two and self.spec.error is None and self.is_asked_for(call.where)

    def is_asked_for(self, *names: str) -> bool:
        fitting = {pattern for name in names for pattern in self.spec.only if fnmatchcase(name, pattern)}
        self.fitting |= fitting
        self.names += filter(None, names)
        return bool(fitting)

    def require_fitting(self) -> None:
        for pattern in self.spec.only:
            if pattern not in self.fitting:
                known = ", ".join(get_close_matches(pattern, self.names, 3, 0.0)) or "none"
                raise SpecError(f"quantise: only={pattern!r} names no layer of the model; nearest to it: {known}")

    def narrowed(self, product: Product, x: Var, weight: Constant) -> _Narrowed:
        """What is to become of a layer."""
        if not self.is_asked_for(product.call.where, weight.name):
            return _Narrowed(kept="not asked for")
        objection = product.objection(self.spec.dtype, self.signs.is_positive(x), self.spec.choose is not None)
        at_run_time = product.objection(self.spec.dtype, self.signs.is_positive(x), is_ahead=False)
        if objection:
            return _Narrowed(kept=objection)
        made = self.rounded(weight, self.spec.pairs if product.has_pairs else IN_32_BITS)
        if made is None:
            return _Narrowed(kept=f"its weight has numbers that {self.spec.dtype} does not hold")
        limit = self.spec.error
        if limit is None and not self.spec.is_measured and self.spec.choose is None:
            return _Narrowed(made)
        came = self.came(x, product)
        if came is None:
            kept = f"no {product.each} came to it, so its error is not known"
            return _Narrowed(None if at_run_time or limit is not None else made, kept=kept)
        seen = None if self.seen is None else self.seen[x].histogram
        if not (np.isfinite(came).all() if seen is None else seen.is_finite):
            return _Narrowed(kept="NaN or infinity came to it, which has no range")
        within = None if seen is None else self.range(x, seen)
        error = product.cost(came, made, within)
        kept = ""
        if limit is not None and within is not None and not (error <= limit or at_run_time):
            kept = f"error {error:.2e} with one range for all {product.each}s, so each has its own at run time"
            within, error = None, product.cost(came, made, None)
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

    def rounded(self, weight: Constant, pairs: str) -> RoundedWeight | None:
        key = id(weight.array), pairs
        if key not in self.weights:
            self.weights[key] = weight, rounded_weight(weight.array, self.spec.dtype, pairs)
        return self.weights[key][1]

    def came(self, x: Var, product: Product) -> Array | None:
        if self.seen is not None:
            return self.seen[x].kept if x in self.seen else None
        return product.drawn()


def _weight_alone(var: Var, call: Call, made: RoundedWeight) -> Binding:
    x, weight = call.args
    assert isinstance(weight, Constant)
    narrow = Constant(made.array, weight.name and f"{weight.name}_{made.dtype}")
    if made.dtype == INT4:
        scales = Constant(made.by, weight.name and f"{weight.name}_scale")
        return var, Call(OperatorRef("grouped_dense"), (x, narrow, scales), GIVEN, call.where)
    is_dense = is_operator_call(call, "dense")
    own = () if is_dense else call.attrs
    weight_dtype = (W if is_dense else WEIGHT).name, made.dtype
    attrs = (*own, ("x", FLOAT), weight_dtype, ("out", FLOAT), (PRODUCTS.name, ROUNDED))
    op = operator(f"quantised_{operator_of(call)}")
    return var, Call(OperatorRef(op.name), (x, narrow), op.canonical(attrs), call.where)

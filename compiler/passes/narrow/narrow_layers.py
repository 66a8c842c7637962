"""Quantisation of models: dense layers with constant weights get them in 16-bit floats, or in integers of 8 or 4 bits.

In 16-bit floats and in 4 bits the weight alone is narrow. With int8 the rows that come are quantised, too, at run time
and each by its own range, so no data are needed: a step `quantise_rows` stands before the product, one for all layers
that read the same tensor, and scales and zero points are elementwise steps behind it, which fusion makes its tail with
what stood there before. Every layer that was looked at is reported, with the error that it costs where that is asked
for; one that is not held within the error allowed stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from anytile.compiler.passes.narrow.rounded_weights import INT4, INT8, RoundedWeight, rounded_weight

_DRAWN = 32  # rows of random numbers that a layer is measured on where none are given


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is to become narrow: layers whose place in the model, or whose weight's name, fits a pattern of `only`, each
    within `error`, which is relative and in L2. `is_measured` says whether errors are computed without such."""

    dtype: str
    only: tuple[str, ...] = ("*",)
    error: float | None = None
    is_measured: bool = False


@dataclass(frozen=True, slots=True)
class Layer:
    """What became of a dense layer: its place in the model, its weight's name and size, its dtype now, what that costs,
    and why it stays float32 where it does. The error is NaN where it was not measured."""

    place: str
    weight: str
    shape: tuple[int, ...]
    dtype: str
    error: float = float("nan")
    kept: str = ""

    def __str__(self) -> str:
        said = "" if np.isnan(self.error) else f", error {self.error:.2e}"
        name = " ".join(filter(None, (self.place, self.weight))) or "a layer"
        return f"{name}: {'x'.join(map(str, self.shape))} {self.dtype}{said}{self.kept and f'; {self.kept}'}"


Seen = Mapping[Var, Array]  # rows that went into layers, by the variable that they read
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


class _Narrow:
    def __init__(self, spec: Narrowing, seen: Seen | None, tell: Tell) -> None:
        self.spec, self.seen, self.tell = spec, seen, tell
        self.weights: dict[int, tuple[Constant, RoundedWeight | None]] = {}  # by the identity of their arrays

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_layer(value):
            return None
        assert isinstance(value, Call)
        x, weight = value.args
        assert isinstance(x, Var)
        assert isinstance(weight, Constant)
        made, error, kept = self.narrowed(value.where, x, weight)
        dtype = "float32" if made is None else made.dtype
        self.tell(Layer(value.where, weight.name, weight.array.shape, dtype, error, kept))
        if made is None:
            return None
        return _eight_bits(var, value, x, weight.name, made) if dtype == INT8 else [_weight_alone(var, value, made)]

    def narrowed(self, place: str, x: Var, weight: Constant) -> tuple[RoundedWeight | None, float, str]:
        """The weight of a layer as it is to be, what that costs, and why it stays where it does."""
        nothing = float("nan")
        if not any(fnmatchcase(name, pattern) for name in (place, weight.name) for pattern in self.spec.only):
            return None, nothing, "not asked for"
        made = self.rounded(weight)
        if made is None:
            return None, nothing, f"its weight has numbers that {self.spec.dtype} does not hold"
        limit = self.spec.error
        if limit is None and not self.spec.is_measured:
            return made, nothing, ""
        rows = self.rows(x, weight)
        if rows is None:
            return (made if limit is None else None), nothing, "no row came to it, so its error is not known"
        if not np.isfinite(rows).all():
            return None, nothing, "NaN or infinity came to it, which has no range"
        error = _cost(rows, weight.array, made)
        if limit is not None and not error <= limit:
            return None, error, f"more than {limit:g}, so it stays float32"
        return made, error, ""

    def rounded(self, weight: Constant) -> RoundedWeight | None:
        key = id(weight.array)
        if key not in self.weights:
            self.weights[key] = weight, rounded_weight(weight.array, self.spec.dtype)
        return self.weights[key][1]

    def rows(self, x: Var, weight: Constant) -> Array | None:
        if self.seen is not None:
            return self.seen.get(x)
        return np.random.default_rng(0).standard_normal((_DRAWN, weight.array.shape[1]), np.float32)


def _cost(x: Array, weight: Array, made: RoundedWeight) -> float:
    """The relative error in L2; 0 where what comes out is 0 either way."""
    wanted = x.astype(np.float64) @ weight.T.astype(np.float64)
    off = float(np.linalg.norm(made.times(x) - wanted))
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


def _eight_bits(var: Var, call: Call, x: Var, name: str, made: RoundedWeight) -> list[Binding]:
    came, result = tensor_of(x), tensor_of(var)
    each = TensorType((*came.shape[:-1], 1), "float32")  # a number for every row
    bindings: list[Binding] = []

    def step(name: str, kind: TensorType, value: Expr) -> Var:
        bindings.append((Var(name, kind), value))
        return bindings[-1][0]

    def called(op: str, *args: Expr) -> Call:
        return Call(OperatorRef(op), args, (("out", "float32"),) if op == "quantised_dense" else (), call.where)

    def constant(array: Array, what: str) -> Constant:
        return Constant(array, name and f"{name}_{what}")

    whole = Var("rows", TupleType((TensorType(came.shape, "uint8"), each, each)))
    bindings.append((whole, called("quantise_rows", x)))
    codes = step("codes", TensorType(came.shape, "uint8"), TupleGet(whole, 0))
    scale, zero = step("scale", each, TupleGet(whole, 1)), step("zero", each, TupleGet(whole, 2))
    sums = step("sums", result, called("quantised_dense", codes, constant(made.array, made.dtype)))
    shift = step("shift", result, called("multiply", zero, constant(made.total, "total")))
    moved = step("moved", result, called("subtract", sums, shift))
    by = step("by", result, called("multiply", scale, constant(made.by, "scale")))
    bindings.append((var, called("multiply", moved, by)))
    return bindings

"""Products that may become narrow: dense layers and convolutions with constant weights, and what narrow numbers cost.

Weights of any format have a product of a dense layer, whose few rows wait for bytes. Those of a convolution are 8-bit
integers, or 16-bit floats that the target multiplies. What is measured is compared in float64, on what came to a
product or on random numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from anytile.compiler.ir.nodes import Array, Call, Constant, Expr, Var, is_operator_call, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.operators import operator
from anytile.compiler.passes.narrow.histograms import Range
from anytile.compiler.passes.narrow.layer_steps import ConvolutionSteps, DenseSteps
from anytile.compiler.passes.narrow.rounded_weights import INT8, RoundedWeight
from anytile.schedules.operators.attribute import numbers
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.templates.cpu.narrow.terms import PAIR, QUAD

MULTIPLIED = ("bfloat16",)  # of 16-bit floats by some CPU
_WHO = {"bfloat16": "a CPU or a GPU", "float16": "a GPU"}
_DRAWN = 32  # rows of random numbers that a dense layer is measured on where none are given
_SIDE = 16  # of a random image


class Product(Protocol):
    """A step with a constant weight; `each` is what has a range of its own at run time."""

    each: ClassVar[str]

    @property
    def call(self) -> Call: ...

    @property
    def has_pairs(self) -> bool:
        """Whether the same neighbours of its weight meet in every sum, so that two products may add up in 16 bits."""

    def objection(self, dtype: str, is_positive: bool, is_ahead: bool) -> str:
        """Why it is none of such a dtype; empty where it may be. `is_positive` says that nothing below 0 comes,
        `is_ahead` that the range of what comes is known ahead of time."""

    def drawn(self) -> Array:
        """Random numbers that might come to it."""

    def cost(self, x: Array, made: RoundedWeight, within: Range | None) -> float:
        """The relative error in L2 on what came; 0 where what comes out is 0 either way."""

    def integers(self, var: Var, made: RoundedWeight, within: Range | None, is_positive: bool) -> list[Binding]:
        """The steps that it is in 8 bits."""


def product_of(value: Expr, dtype: str, multiplies: Collection[str] = MULTIPLIED) -> Product | None:
    """What a step is of these, where weights of the dtype have a kernel."""
    if not is_operator_call(value, *narrow_ops(dtype, multiplies)):
        return None
    x, weight = value.args
    if not isinstance(x, Var) or not isinstance(weight, Constant) or weight.array.dtype != np.float32:
        return None
    return _Dense(value) if is_operator_call(value, "dense") else _Convolution(value)


def narrow_ops(dtype: str, multiplies: Collection[str] = MULTIPLIED) -> tuple[str, ...]:
    """The operators whose calls may have narrow weights of a dtype; the target `multiplies` such 16-bit floats."""
    return ("dense", "conv2d") if dtype == INT8 or dtype in multiplies else ("dense",)


def narrow_kinds(dtype: str, multiplies: Collection[str] = MULTIPLIED) -> str:
    """What layers may have narrow weights of a dtype, in words."""
    if "conv2d" in narrow_ops(dtype, multiplies):
        return "dense layers and convolutions"
    return f"dense layers, and for convolutions where {_WHO[dtype]} multiplies it," if dtype in _WHO else "dense layers"


def relative(found: Array, wanted: Array) -> float:
    """How far off something is, in L2, relative to what it should be."""
    off = float(np.linalg.norm(found - wanted))
    return off and off / max(float(np.linalg.norm(wanted)), np.finfo(np.float64).tiny)


def _weight(call: Call) -> Array:
    weight = call.args[1]
    assert isinstance(weight, Constant)
    return weight.array


@dataclass(frozen=True, slots=True)
class _Dense:
    each: ClassVar[str] = "row"
    call: Call

    @property
    def has_pairs(self) -> bool:
        return True

    def objection(self, dtype: str, is_positive: bool, is_ahead: bool) -> str:
        return ""

    def drawn(self) -> Array:
        return np.random.default_rng(0).standard_normal((_DRAWN, _weight(self.call).shape[1]), np.float32)

    def cost(self, x: Array, made: RoundedWeight, within: Range | None) -> float:
        rows = x.reshape(-1, x.shape[-1])
        wanted = rows.astype(np.float64) @ _weight(self.call).T.astype(np.float64)
        return relative(made.times(rows, within), wanted)

    def integers(self, var: Var, made: RoundedWeight, within: Range | None, is_positive: bool) -> list[Binding]:
        steps = DenseSteps(var, self.call, made)
        return steps.at_run_time() if within is None else steps.within(within)


@dataclass(frozen=True, slots=True)
class _Convolution:
    each: ClassVar[str] = "image"
    call: Call

    def objection(self, dtype: str, is_positive: bool, is_ahead: bool) -> str:
        attrs, channels = operator("conv2d").complete(self.call.attrs), _weight(self.call).shape[1]
        (groups,), terms = numbers(attrs, "groups"), QUAD if dtype == INT8 else PAIR
        if not self.has_pairs and dtype != INT8:
            return "depthwise, in which no channel has a neighbour to be paired with"
        if not self.has_pairs and not is_ahead:
            return "depthwise, in which looking for ranges at run time takes longer than the layer"
        if groups > 1 and channels < terms and self.has_pairs:
            return f"its groups have {channels} of the {terms} channels that are one term"
        if dtype != INT8:
            return ""
        shape = tensor_of(self.call.args[0]).shape
        if not is_positive and any(numbers(attrs, "pad")) and not all(isinstance(d, int) for d in shape[1:]):
            return "zeros stand around numbers below 0, in images of no known size"
        return ""

    def drawn(self) -> Array:
        shape, reach = tensor_of(self.call.args[0]).shape, 2 * max(_weight(self.call).shape[2:])
        most = max(_SIDE, reach * max(numbers(operator("conv2d").complete(self.call.attrs), "dilation")))
        channels = 3 if self.is_last else 1
        size = [min(d, most) if isinstance(d, int) and i != channels else most for i, d in enumerate(shape)]
        known = shape[channels]
        assert isinstance(known, int)
        size[0], size[channels] = 1, known
        return np.random.default_rng(0).standard_normal(size, np.float32)

    @property
    def has_pairs(self) -> bool:
        """Of channels; in a depthwise layer neighbours are taps, of which other two meet at the next pixel."""
        (made, channels), attrs = _weight(self.call).shape[:2], operator("conv2d").complete(self.call.attrs)
        (groups,) = numbers(attrs, "groups")
        return not (groups > 1 and groups == made and channels == 1)

    @property
    def is_last(self) -> bool:
        return self.call.attr("layout") == "nhwc"

    def cost(self, x: Array, made: RoundedWeight, within: Range | None) -> float:
        seen = np.stack([made.seen(image.reshape(1, -1), within).reshape(image.shape) for image in x])
        return relative(self._of(seen, made.value), self._of(x.astype(np.float64), _weight(self.call)))

    def _of(self, x: Array, weight: Array) -> Array:
        attrs = operator("conv2d").complete(self.call.attrs)
        return CONV2D.reference({"x": x, "w": weight.astype(np.float64)}, attrs)[0]

    def integers(self, var: Var, made: RoundedWeight, within: Range | None, is_positive: bool) -> list[Binding]:
        steps = ConvolutionSteps(var, self.call, made, is_positive)
        return steps.at_run_time() if within is None else steps.within(within)

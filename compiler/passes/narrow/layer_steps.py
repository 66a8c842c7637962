"""Layers in 8-bit integers as steps of a block: what comes to one is quantised, multiplied exactly, and scaled back.

Scales and zero points are elementwise steps behind the product, which fusion makes its tail. At run time a row of a
dense layer, or an image of a convolution, has a range of its own; with ranges known ahead all have one, and what is
behind the product is one factor and one summand for each channel.

Outside an image a convolution reads zeros. Integers have them where the zero point is 0, as it is of what has no
negative number in it; any other image is padded before it is quantised, so that what stands outside has the integer
that means 0.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.nodes import Array, AttrValue, Call, Constant, Expr, TupleGet, Var, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.ir.types import Dim, TensorType, TupleType
from anytile.compiler.operators import operator
from anytile.compiler.passes.narrow.histograms import Range
from anytile.compiler.passes.narrow.rounded_weights import FLOAT, RoundedWeight
from anytile.compiler.passes.narrow.typed_steps import TypedSteps
from anytile.schedules.operators.attribute import numbers
from anytile.schedules.operators.products.quantised_dense import PAIRS


class _Steps(TypedSteps):
    """The steps that a layer is, the last of which makes what the layer made."""

    def __init__(self, var: Var, call: Call, made: RoundedWeight) -> None:
        super().__init__(call.where)
        x, weight = call.args
        assert isinstance(x, Var)
        assert isinstance(weight, Constant)
        self.var, self.x, self.name, self.made = var, x, weight.name, made
        self.result = tensor_of(var)

    def quantised(self, op: str, x: Var, each: TensorType) -> tuple[Var, Var, Var]:
        """The integers, scales and zero points of a step that finds ranges at run time."""
        codes = TensorType(tensor_of(x).shape, "uint8")
        whole = self.step("whole", TupleType((codes, each, each)), self.called(op, x))
        scale, zero = self.step("scale", each, TupleGet(whole, 1)), self.step("zero", each, TupleGet(whole, 2))
        return self.step("codes", codes, TupleGet(whole, 0)), scale, zero

    def within_range(self, x: Var, range: Range) -> Var:
        """The integers of a range that is known ahead."""
        given = (Constant(np.array([number], np.float32)) for number in (range.by, range.zero))
        return self.step("codes", TensorType(tensor_of(x).shape, "uint8"), self.called("quantise_within", x, *given))

    def multiplied(self, op: str, codes: Var, **attrs: AttrValue) -> Var:
        """The sums of products of the integers and the weight's."""
        weight = self.constant(self.made.array, self.made.dtype)
        given: dict[str, AttrValue] = {**attrs, "out": FLOAT, PAIRS.name: self.made.pairs}
        return self.step("sums", self.result, self.called(op, codes, weight, **given))

    def last(self, op: str, *args: Expr) -> list[Binding]:
        return self.ending_in(self.var, self.called(op, *args))

    def constant(self, array: Array, what: str) -> Constant:
        return Constant(array, self.name and f"{self.name}_{what}")


class DenseSteps(_Steps):
    """A dense layer's."""

    def at_run_time(self) -> list[Binding]:
        """Every row by its own range."""
        each = TensorType((*tensor_of(self.x).shape[:-1], 1), FLOAT)
        codes, scale, zero = self.quantised("quantise_rows", self.x, each)
        sums = self.product(codes)
        shift = self.step("shift", self.result, self.called("multiply", zero, self.constant(self.made.total, "total")))
        moved = self.step("moved", self.result, self.called("subtract", sums, shift))
        by = self.step("by", self.result, self.called("multiply", scale, self.constant(self.made.by, "scale")))
        return self.last("multiply", moved, by)

    def within(self, range: Range) -> list[Binding]:
        """All rows by one range."""
        sums = self.product(self.within_range(self.x, range))
        factor, summand = self.made.scaled(range)
        scaled = self.step("scaled", self.result, self.called("multiply", sums, self.constant(factor, "factor")))
        return self.last("add", scaled, self.constant(summand, "summand"))

    def product(self, codes: Var) -> Var:
        return self.multiplied("quantised_dense", codes)


class ConvolutionSteps(_Steps):
    """A convolution's. `is_positive` says that no number below 0 comes to it."""

    def __init__(self, var: Var, call: Call, made: RoundedWeight, is_positive: bool) -> None:
        super().__init__(var, call, made)
        self.is_positive = is_positive
        self.attrs = operator("conv2d").complete(call.attrs)
        self.is_last = self.attrs["layout"] == "nhwc"

    def at_run_time(self) -> list[Binding]:
        """Every image by its own range."""
        x = self.x if self.is_positive else self.padded()
        images = self.result.shape[0]
        codes, scale, zero = self.quantised("quantise_images", x, TensorType((images, 1), FLOAT))
        each, of_channel = TensorType((images, 1, 1, 1), FLOAT), self.of_channel(images)
        sums = self.product(codes)
        if not self.is_positive:
            zeros = self.step("zeros", each, self.called("reshape", zero, shape=(0, 1, 1, 1)))
            shift = self.step(
                "shift", of_channel, self.called("multiply", zeros, self.spread(self.made.total, "total"))
            )
            sums = self.step("moved", self.result, self.called("subtract", sums, shift))
        scales = self.step("scales", each, self.called("reshape", scale, shape=(0, 1, 1, 1)))
        by = self.step("by", of_channel, self.called("multiply", scales, self.spread(self.made.by, "scale")))
        return self.last("multiply", sums, by)

    def within(self, range: Range) -> list[Binding]:
        """All images by one range."""
        is_moved = range.zero != 0
        sums = self.product(self.within_range(self.padded() if is_moved else self.x, range))
        factor, summand = self.made.scaled(range)
        if not is_moved:
            return self.last("multiply", sums, self.spread(factor, "factor"))
        scaled = self.step("scaled", self.result, self.called("multiply", sums, self.spread(factor, "factor")))
        return self.last("add", scaled, self.spread(summand, "summand"))

    def padded(self) -> Var:
        """The images with the zeros that the convolution sees around them."""
        top, left, bottom, right = numbers(self.attrs, "pad")
        if not any((top, left, bottom, right)):
            return self.x
        self.attrs = {**self.attrs, "pad": (0, 0, 0, 0)}
        return self.around(self.x, (top, left, bottom, right), 1 if self.is_last else 2)

    def product(self, codes: Var) -> Var:
        return self.multiplied("quantised_conv2d", codes, **self.attrs)

    def spread(self, channels: Array, what: str) -> Constant:
        """A number for each channel, as it is broadcast to the result."""
        return self.constant(channels if self.is_last else channels.reshape(-1, 1, 1), what)

    def of_channel(self, images: Dim) -> TensorType:
        count = len(self.made.array)
        return TensorType((images, 1, 1, count) if self.is_last else (images, count, 1, 1), FLOAT)

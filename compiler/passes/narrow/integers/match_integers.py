"""Integer product matching: int32 products of bytes less a zero point become products of 8-bit integers.

ONNX's quantised operators multiply whole numbers, `int32(q) - zero`, and of int32 no kernel has products. Where q is of
8 bits and the weight a constant, kernels multiply the bytes as they are, and what the zero point adds to every sum is
taken away behind them:

    sum_k (q[k] - zero) * w[k] = sum_k q[k] * w[k] - zero * sum_k w[k]

A convolution sees zeros outside the image. Bytes have `zero` there, with which they are padded before; where that, or
the image's size, is not known before the model runs, what the taps inside the image add up to is computed for each
pixel, once for all images. Weights that no int8 holds, as uint8 ones less a zero point of their own, are held less a
number for each row, and what that is multiplied by, rows or windows of images, is added up once; in groups they are
products of floats. A convolution over one dimension is one of images of one row.

The sums are the same integers. Behind a cast to float32, which exporters write there, they are made in float32 where
that has all of them exactly, and then scales, biases and the next layer's rounding are the product's tail.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.passes.narrow.integers.integer_products import FLOAT, WHOLE, IntegerProduct, rewritten
from anytile.compiler.passes.narrow.integers.widen_integers import of_floats
from anytile.compiler.passes.narrow.typed_steps import TypedSteps
from anytile.schedules.operators.attribute import numbers
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import QUANTISED_DENSE, X


def match_integers(module: Module) -> Module:
    """The module with products of bytes in the place of int32 ones."""

    def write(product: IntegerProduct, var: Var, of: str) -> list[Binding] | None:
        if product.is_held:
            return _Steps(product, var, of).made()
        return of_floats(product, var, of) if not product.is_dense and product.fits(FLOAT) else None

    return rewritten(module, write)


class _Steps(TypedSteps):
    """The steps that a product of bytes is, the sums of which are `of` a dtype."""

    def __init__(self, product: IntegerProduct, var: Var, of: str) -> None:
        super().__init__(product.call.where)
        self.product, self.var, self.of, self.call = product, var, of, product.call
        self.codes, self.name = product.codes, product.weight.name
        self.weight, self.kind, self.attrs = product.weight.array, tensor_of(var), dict[str, AttrValue]()
        if is_operator_call(self.call, "conv1d"):
            self.take_for_images()
        elif not product.is_dense:
            self.attrs = operator("conv2d").complete(self.call.attrs)
        self.is_last = self.attrs.get("layout") == "nhwc"

    def take_for_images(self) -> None:
        """Of one row each."""
        given = operator("conv1d").complete(self.call.attrs)
        (before, after), (stride,), (apart,) = (
            numbers(given, name, count) for name, count in (("pad", 2), ("stride", 1), ("dilation", 1))
        )
        self.attrs = operator("conv2d").complete(
            (
                *(("stride", (1, stride)), ("pad", (0, before, 0, after)), ("dilation", (1, apart))),
                *(("groups", given["groups"]), ("layout", "nchw")),
            )
        )
        self.weight, self.kind = np.expand_dims(self.weight, 2), _of_one_row(self.kind)
        rows = _of_one_row(tensor_of(self.codes))
        self.codes = self.step("rows", rows, self.called("expand_dims", self.codes, axis=(2,)))

    def made(self) -> list[Binding]:
        zero = self.product.zero
        if zero is None or (isinstance(zero, Constant) and not zero.array.any()):
            return self.last(self.sums())
        if any(numbers(self.attrs, "pad") if self.attrs else ()):
            if not isinstance(zero, Constant) or Any in map(type, tensor_of(self.codes).shape[1:]):
                return self.last(self.sums(), self.shift(zero, self.inside()))
            self.pad(int(zero.array.reshape(())))
        return self.last(self.sums(), self.shift(zero, self.spread(self.product.weight.totals, "total")))

    def sums(self) -> Var:
        """The sums of the bytes times the weight."""
        weight = self.product.weight
        made = self.multiplied(self.held(), self.kind)
        if not weight.moved.any():
            return made
        if self.product.is_dense:
            ones = Constant(np.ones((1, weight.row_length), np.int8))
            under = self.multiplied(ones, self.typed((*tensor_of(self.codes).shape[:-1], 1)))
        else:
            under = self.under()
        kind = self.typed(self.kind.shape)
        beside = self.step("beside", kind, self.called("multiply", under, self.spread(weight.moved, "moved")))
        return self.step("all", kind, self.called("add", made, beside))

    def under(self) -> Var:
        """For each pixel the sum of the bytes that a window covers there, all channels together."""
        ones, result, channels = np.ones((1, 1, *self.weight.shape[2:]), np.float32), self.kind.shape, self.channels
        kind = TensorType(tuple(1 if i == channels else d for i, d in enumerate(result)), FLOAT)
        made = self.step("under", kind, self.called("conv2d", self.over((channels,)), Constant(ones), **self.attrs))
        return made if self.of == FLOAT else self.step("whole", self.typed(kind.shape), self.cast(made))

    def over(self, axes: tuple[int, ...]) -> Var:
        """The bytes of the image added up along some axes, in float32."""
        image = tensor_of(self.codes).shape
        wide = self.step("wide", TensorType(image, FLOAT), self.called("cast", self.codes, dtype=FLOAT))
        kind = TensorType(tuple(1 if i in axes else d for i, d in enumerate(image)), FLOAT)
        return self.step("over", kind, self.called("sum", wide, axis=axes, keepdims=True))

    @property
    def channels(self) -> int:
        """Which dimension of an image they are."""
        return 3 if self.is_last else 1

    def held(self) -> Constant:
        """The weight that is held, of images where those are."""
        held = self.product.weight.held
        return replace(held, array=np.expand_dims(held.array, 2)) if held.array.ndim != self.weight.ndim else held

    def multiplied(self, weight: Constant, kind: TensorType) -> Var:
        op = (QUANTISED_DENSE if self.product.is_dense else QUANTISED_CONV2D).name
        attrs = {**self.attrs, X.name: tensor_of(self.codes).dtype, "out": self.of}
        return self.step("sums", self.typed(kind.shape), self.called(op, self.codes, weight, **attrs))

    def shift(self, zero: Expr, by: Expr) -> Expr:
        """What a zero point adds to every sum."""
        if isinstance(zero, Constant) and isinstance(by, Constant):
            return Constant(zero.array.astype(by.array.dtype) * by.array, by.name)
        if isinstance(zero, Constant):
            zero = Constant(zero.array.astype(self.of))
        elif self.of != WHOLE:
            zero = self.step("zero", self.typed(tensor_of(zero).shape), self.cast(zero))
        shape = _joined(tensor_of(zero).shape, tensor_of(by).shape)
        return self.step("shift", self.typed(shape), self.called("multiply", zero, by))

    def pad(self, zero: int) -> None:
        """The image with the byte around it that means 0."""
        top, left, bottom, right = numbers(self.attrs, "pad")
        self.codes = self.around(self.codes, (top, left, bottom, right), 1 if self.is_last else 2, zero)
        self.attrs = {**self.attrs, "pad": (0, 0, 0, 0)}

    def inside(self) -> Expr:
        """For each pixel the sum of the weight's taps that are inside the image."""
        result, over = self.kind.shape, self.over((0, self.channels))
        one = tensor_of(over)
        none = self.step("none", one, self.called("multiply", over, _number(0)))
        ones = self.step("ones", one, self.called("add", none, _number(1)))
        taps = Constant(self.weight.sum(axis=1, keepdims=True, dtype=np.int64).astype(np.float32))
        call = self.called("conv2d", ones, taps, **{**self.attrs, "groups": 1})
        kind = TensorType((1, *result[1:]), FLOAT)
        seen = self.step("inside", kind, call)
        return seen if self.of == FLOAT else self.step("whole", self.typed(kind.shape), self.cast(seen))

    # -- parts -----------------------------------------------------------------------------------------------------

    def last(self, sums: Expr, shift: Expr | None = None) -> list[Binding]:
        if self.kind.shape != tensor_of(self.var).shape:
            if shift is not None:
                sums = self.step("images", self.typed(self.kind.shape), self.called("subtract", sums, shift))
            return self.ending_in(self.var, self.called("squeeze", sums, axis=(2,)))
        if shift is not None:
            return self.ending_in(self.var, self.called("subtract", sums, shift))
        var, value = self.bindings.pop()
        assert var is sums
        return self.ending_in(self.var, value)

    def cast(self, e: Expr) -> Call:
        return self.called("cast", e, dtype=self.of)

    def typed(self, shape: tuple[Dim, ...]) -> TensorType:
        return TensorType(shape, self.of)

    def spread(self, each: Array, what: str) -> Constant:
        """A number for each of the weight's rows, as it is broadcast to the sums."""
        is_second = not self.product.is_dense and not self.is_last
        return self.constant(each.astype(self.of).reshape((-1, 1, 1) if is_second else (-1,)), what)

    def constant(self, array: Array, what: str) -> Constant:
        return Constant(array.astype(self.of), self.name and f"{self.name}_{what}")


def _of_one_row(kind: TensorType) -> TensorType:
    return TensorType((*kind.shape[:2], 1, *kind.shape[2:]), kind.dtype)


def _number(number: float) -> Constant:
    return Constant(np.asarray(number, np.float32))


def _joined(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape of two tensors that are broadcast together, one of which has 1 wherever they differ."""
    count = max(len(a), len(b))
    pairs = zip((1,) * (count - len(a)) + a, (1,) * (count - len(b)) + b, strict=True)
    return tuple(y if x == 1 else x for x, y in pairs)

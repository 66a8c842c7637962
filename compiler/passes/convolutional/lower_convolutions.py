"""Convolution lowering: transposed ones, and those of volumes, as convolutions of images, which have kernels.

A transposed convolution (`conv_transpose`) of the stride s makes s elements along each dimension of each of x. One
convolution of stride 1 makes them all, as s times as many channels: the kernel's elements 0, s, 2s, ... are the kernel
of the first, 1, s + 1, ... that of the second. Then the channels move to where their elements are, and what the padding
takes away is cut off. Steps behind it that every element takes alone, as a bias and an activation, are taken before
that, where they are the convolution's tail.

In a convolution of volumes (`conv3d`) the slices that the kernel reaches over along the first dimension lie side by
side as channels of an image, one image for each slice of the result. A kernel of one element there needs no copies, and
one of one element along both others is a convolution of images whose rows are whole slices.

Both are computed with channels last, wherever they stand. Weights that are known at run time alone, and dtypes that no
kernel of `conv2d` computes with, stay the host's.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, rewrite, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import Attributes, integer
from anytile.compiler.passes.convolutional.fold_batch_norm import by_channel
from anytile.compiler.passes.convolutional.sink_transposes import to_last, to_second
from anytile.compiler.passes.convolutional.steps import Steps, each_block_inferred, product_of
from anytile.compiler.passes.dead_code import live
from anytile.schedules.operators.attribute import numbers
from anytile.schedules.operators.products.conv2d import CONV2D

_TRANSPOSED = "conv_transpose"
LOWERED = ("conv3d", _TRANSPOSED)


def lower_convolutions(module: Module) -> Module:
    return each_block_inferred(module, lambda body: _Lowering(Counter(variables_read(body))).lowered(body))


@dataclass(frozen=True, slots=True)
class _Around:
    """How a kernel goes over one dimension."""

    stride: int
    before: int
    after: int
    dilation: int


@dataclass(frozen=True, slots=True)
class _Spread:
    """What a convolution made, with channels last, and how its elements get to their places: along each dimension
    `parts` of them are among the channels, behind the group, and `cut` is taken away before and behind them."""

    made: Var
    channels: int  # of the result
    groups: int
    parts: tuple[int, ...]
    cut: tuple[tuple[int, int], ...]
    is_last: bool

    @property
    def axis(self) -> int:
        return len(self.parts) + 1 if self.is_last else 1

    def of_channels(self, numbers: Array) -> Array:
        """A number for each channel of the result, as one for each channel of what was made."""
        each = numbers.reshape(self.groups, 1, -1)
        return np.ascontiguousarray(np.repeat(each, np.prod(self.parts), axis=1).reshape(-1))

    def moved(self, steps: Steps) -> Var:
        """What was made, its elements at their places."""
        space, made = len(self.parts), self.made
        several = {i: n for i, n in enumerate(self.parts) if n > 1}
        if several:
            groups = (self.groups,) if self.groups > 1 else ()
            inner = (*groups, *several.values(), self.channels // math.prod(groups))
            made = steps.reshape(made, (product_of((0, 1)), *map(dimension, range(2, space + 1)), *inner))
            rank = space + len(inner)  # images and the first dimension are one, since tensors have few dimensions
            places = {i: space + len(groups) + at for at, i in enumerate(several)}
            order = [
                *((i, places[i]) if i in places else (i,) for i in range(space)),
                (*range(space, space + len(groups)), rank - 1),
            ]
            made = steps.transpose(made, [d for dims in order for d in dims])
            ends = itertools.accumulate(map(len, order))
            _, *others = (product_of(range(e - len(d), e)) for d, e in zip(order, ends, strict=True))
            first = f"{dimension(rank + 1)}*{self.parts[0]}"
            made = steps.reshape_like(made, self.made, (dimension(rank), first, *others))
        made = steps.cut(made, {1 + i: cut for i, cut in enumerate(self.cut)})
        return made if self.is_last else steps.transpose(made, to_second(space + 2))


class _Lowering:
    """One function: `reads` counts how often each variable is read in it, `known` what convolutions made so far."""

    def __init__(self, reads: Counter[Var]) -> None:
        self.reads, self.count = reads, 0
        self.known: dict[Var, _Spread] = {}

    def lowered(self, body: Expr) -> Expr | None:
        """The block without what was lowered; None where nothing was."""
        made = rewrite(body, self.change, scope=self.block)
        return live(made) if self.count else None

    @contextmanager
    def block(self) -> Iterator[None]:
        outer, self.known = self.known, {}
        yield
        self.known = outer

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value) or not isinstance(var.type, TensorType):
            return None
        steps = Steps(value.where)
        if is_operator_call(value, *LOWERED):
            spread = _lowered(steps, value) if is_lowered(value) else None
        else:
            spread = self.behind(steps, var, value)
        if spread is None:
            return None
        self.count += 1
        moved = spread.moved(steps)
        if moved is not spread.made:
            self.known[var] = spread
        return steps.ending_in(var)

    def behind(self, steps: Steps, var: Var, value: Call) -> _Spread | None:
        """A step that each element takes by itself, taken before elements move."""
        found = {a: self.known[a] for a in value.args if isinstance(a, Var) and a in self.known}
        if operator(operator_of(value)).element is None or len(found) != 1:
            return None
        ((x, spread),) = found.items()
        kind = tensor_of(x)
        if self.reads[x] != value.args.count(x) or tensor_of(var).shape != kind.shape:
            return None
        args = [spread.made if a is x else _moved(a, spread, kind) for a in value.args]
        kept = [a for a in args if a is not None]
        if len(kept) != len(args):
            return None
        return replace(spread, made=steps.put(operator_of(value), *kept, **dict(value.attrs)))


def _moved(e: Expr, spread: _Spread, like: TensorType) -> Expr | None:
    """A scalar, or a constant for each channel, as it is read before elements move."""
    kind = type_of(e)
    if isinstance(kind, TensorType) and kind.rank == 0:
        return e
    each = by_channel(e, spread.axis, like)
    return None if each is None else Constant(spread.of_channels(each.astype(tensor_of(e).dtype)))


def is_lowered(call: Call) -> bool:
    """Whether kernels of images make a convolution that has none of its own."""
    x, weight = call.args
    if not isinstance(x, Var) or not isinstance(weight, Constant) or not weight.array.size:
        return False
    if tensor_of(x).dtype not in CONV2D.dtypes:
        return False
    return all(way.has_elements_of(n) for way, n in zip(_backwards(call), _image(call), strict=False))


def _image(call: Call) -> tuple[Dim, ...]:
    shape = tensor_of(call.args[0]).shape
    return shape[1:-1] if call.attr("layout") == "nhwc" else shape[2:]


def _backwards(call: Call) -> tuple[_Backwards, ...]:
    """How each dimension of a transposed convolution is convolved; none of other convolutions."""
    weight, attrs = call.args[1], operator(operator_of(call)).complete(call.attrs)
    if operator_of(call) != _TRANSPOSED or not isinstance(weight, Constant):
        return ()
    kernel = weight.array.shape[2:]
    around = _around(attrs, len(kernel))
    return tuple(map(_Backwards.of, around, kernel, numbers(attrs, "more", len(kernel))))


def _lowered(steps: Steps, call: Call) -> _Spread:
    """The convolution of a call that is lowered."""
    x, weight = call.args
    assert isinstance(x, Var)
    assert isinstance(weight, Constant)
    kind, attrs = tensor_of(x), operator(operator_of(call)).complete(call.attrs)
    space, is_last, groups = kind.rank - 2, attrs["layout"] == "nhwc", integer(attrs, "groups")
    lying = x if is_last else steps.transpose(x, to_last(kind.rank))
    around, kernel = _around(attrs, space), weight.array
    parts, cut = (1,) * space, ((0, 0),) * space
    if ways := _backwards(call):
        kernel = _forwards(kernel, groups, ways)
        around = tuple(_Around(1, way.front, way.back, way.dilation) for way in ways)
        parts, cut = tuple(way.parts for way in ways), tuple(way.cut for way in ways)
    made = _convolved(steps, lying, kernel, around, groups)
    channels = weight.array.shape[1] * groups if ways else len(weight.array)
    return _Spread(made, channels, groups, parts, cut, is_last)


def _around(attrs: Attributes, space: int) -> tuple[_Around, ...]:
    stride, dilation, pad = (numbers(attrs, n, c * space) for n, c in (("stride", 1), ("dilation", 1), ("pad", 2)))
    return tuple(map(_Around, stride, pad[:space], pad[space:], dilation))


# -- transposed convolutions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Backwards:
    """One dimension of a transposed convolution as a convolution of stride 1: how many elements it makes of each of x
    (`parts`) by how many of the kernel each, its padding, and what of its result is `cut` off before and behind."""

    parts: int
    taps: int
    spacing: int  # of the kernel's elements among all taps of all parts
    front: int
    back: int
    dilation: int
    cut: tuple[int, int]

    @classmethod
    def of(cls, around: _Around, kernel: int, more: int) -> _Backwards:
        """Of all blocks of `parts` elements, the first and last ones that are not cut off whole."""
        parts = around.stride
        spacing, dilation = (1, around.dilation) if parts == 1 else (around.dilation, 1)
        reach = (kernel - 1) * around.dilation + 1
        taps = -(-((kernel - 1) * spacing + 1) // parts)
        most = (taps - 1) * dilation  # the padding with which every element of x meets every tap
        front = max(most - around.before // parts, 0)
        end = reach + more - around.after  # of the result, counted from the last element of x on
        back = max(-(-end // parts) - 1, 0)
        return cls(
            parts,
            taps,
            spacing,
            front,
            back,
            dilation,
            (around.before - (most - front) * parts, (back + 1) * parts - end),
        )

    def has_elements_of(self, size: Dim) -> bool:
        """Whether something is convolved of so many elements of x, or of however many there are."""
        return self.front + self.back + (size if isinstance(size, int) else 1) > (self.taps - 1) * self.dilation


def _forwards(weight: Array, groups: int, ways: Sequence[_Backwards]) -> Array:
    """The kernels (co, ci per group, ...) of the convolution that w(ci, co per group, ...) is backwards. Its channels
    are of a group, then of the parts along each dimension, then of the result."""
    channels, own, *kernel = weight.shape
    whole = np.zeros((channels, own, *(way.taps * way.parts for way in ways)), weight.dtype)
    reached = tuple(slice(0, (k - 1) * way.spacing + 1, way.spacing) for k, way in zip(kernel, ways, strict=True))
    whole[(slice(None), slice(None), *reached)] = weight
    shape = [n for way in ways for n in (way.taps, way.parts)]
    apart = whole.reshape(groups, channels // groups, own, *shape)
    taps, parts = range(3, 3 + len(shape), 2), range(4, 3 + len(shape), 2)
    turned = np.flip(apart, tuple(taps)).transpose(0, *parts, 2, 1, *taps)
    return np.ascontiguousarray(turned).reshape(-1, channels // groups, *(way.taps for way in ways))


# -- convolutions with channels last -----------------------------------------------------------------------------------


def _convolved(steps: Steps, x: Var, weight: Array, around: Sequence[_Around], groups: int) -> Var:
    """The convolution of images of 1 to 3 dimensions with kernels (co, ci per group, ...)."""
    if len(around) == 1:
        image = steps.reshape(x, ("d0", 1, "d1", "d2"))
        made = _images(steps, image, weight[:, :, None], (_Around(1, 0, 0, 1), *around), groups)
        return steps.reshape(made, ("d0", "d2", "d3"))
    return _images(steps, x, weight, around, groups) if len(around) == 2 else _volumes(steps, x, weight, around, groups)


def _images(steps: Steps, x: Var, weight: Array, around: Sequence[_Around], groups: int) -> Var:
    return steps.put(
        CONV2D.name,
        x,
        Constant(np.ascontiguousarray(weight)),
        stride=tuple(a.stride for a in around),
        pad=(*(a.before for a in around), *(a.after for a in around)),
        dilation=tuple(a.dilation for a in around),
        groups=groups,
        layout="nhwc",
    )


def _volumes(steps: Steps, x: Var, weight: Array, around: Sequence[_Around], groups: int) -> Var:
    deep, *flat = around
    channels, own, slices, *kernel = weight.shape
    if slices > 1 and kernel == [1, 1] and all((a.stride, a.before, a.after) == (1, 0, 0) for a in flat):
        whole = steps.reshape(x, ("d0", "d1", "d2*d3", "d4"))
        made = _images(steps, whole, weight[..., 0], (deep, _Around(1, 0, 0, 1)), groups)
        return steps.reshape_like(made, x, ("d0", "d1", "d6", "d7", "d3"))
    padded = steps.pad(x, 5, 1, deep.before, deep.after)
    starts = [i * deep.dilation for i in range(slices)]
    seen = [steps.cut(padded, {1: (at, starts[-1] - at)}, {1: deep.stride}) for at in starts]
    if groups > 1:
        seen = [steps.reshape(s, ("d0", "d1", "d2", "d3", groups, own)) for s in seen]
    joined = seen[0] if slices == 1 else steps.put("concat", *seen, axis=-1)
    images = steps.reshape(joined, ("d0*d1", "d2", "d3", groups * slices * own))
    kernels = weight.transpose(0, 2, 1, 3, 4).reshape(channels, slices * own, *kernel)
    made = _images(steps, images, kernels, flat, groups)
    return steps.reshape_like(made, joined, ("d4", "d5", "d1", "d2", "d3"))

"""Convolution lowering: transposed ones, and those of volumes, as convolutions of images, which have kernels.

A transposed convolution (`conv_transpose`) of the stride s makes s elements along each dimension of each of x. One
convolution of stride 1 makes them all, as s times as many channels: the kernel's elements 0, s, 2s, ... are the kernel
of the first, 1, s + 1, ... that of the second. Where these are of many different lengths (3 elements of the kernel and
a stride of 2) they have a convolution each, and their channels are put side by side. Then the channels move to where
their elements are, and what the padding takes away is cut off. Steps behind it that every element takes alone, as a
bias and an activation, are taken before that, where they are a convolution's tail.

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
_WASTE = 1.25  # multiplications that are made, for each that is needed, from which on parts are made apart
_MOST_PARTS = 9
_MOST_BETWEEN = 16  # elements that are made, for each that the kernel has


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
    """What convolutions made, with channels last, and how its elements get to their places: along each dimension
    `parts` of them are among the channels, behind the group, and `cut` is taken away before and behind them. Each of
    several convolutions made one of the parts."""

    made: tuple[Var, ...]
    channels: int  # of the result
    groups: int
    parts: tuple[int, ...]
    cut: tuple[tuple[int, int], ...]
    is_last: bool

    @property
    def axis(self) -> int:
        return len(self.parts) + 1 if self.is_last else 1

    def of_channels(self, numbers: Array) -> Array:
        """A number for each channel of the result, as one for each channel of what a convolution made."""
        each = numbers.reshape(self.groups, 1, -1)
        return np.ascontiguousarray(np.repeat(each, math.prod(self.parts) // len(self.made), axis=1).reshape(-1))

    def joined(self, steps: Steps) -> Var:
        """All parts side by side."""
        made, space = self.made, len(self.parts)
        if len(made) == 1:
            return made[0]
        if self.groups > 1:
            images = (dimension(i) for i in range(space + 1))
            each: tuple[int | str, ...] = (*images, self.groups, self.channels // self.groups)
            made = tuple(steps.reshape(one, each) for one in made)
        return steps.put("concat", *made, axis=-1)

    def moved(self, steps: Steps) -> Var:
        """What was made, its elements at their places."""
        space, made = len(self.parts), self.joined(steps)
        several = {i: n for i, n in enumerate(self.parts) if n > 1}
        if several:
            groups = (self.groups,) if self.groups > 1 else ()
            inner = (*groups, *several.values(), self.channels // math.prod(groups))
            whole = made
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
            made = steps.reshape(made, (dimension(rank), first, *others), whole)
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
        if moved not in spread.made:
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
        others = {a: _moved(a, spread, kind) for a in value.args if a is not x}
        if None in others.values():
            return None
        each = ([one if a is x else others[a] or a for a in value.args] for one in spread.made)
        made = tuple(steps.put(operator_of(value), *args, **dict(value.attrs)) for args in each)
        return replace(spread, made=made)


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
    if operator_of(call) == _TRANSPOSED and _is_sparse(call, weight.array):
        return False
    return all(way.has_elements_of(n) for way, n in zip(_backwards(call), _image(call), strict=False))


def _is_sparse(call: Call, weight: Array) -> bool:
    """Whether a transposed convolution leaves so much between the elements of x that most of its result is nothing."""
    kernel = weight.shape[2:]
    strides = numbers(operator(operator_of(call)).complete(call.attrs), "stride", len(kernel))
    return math.prod(strides) > _MOST_BETWEEN * math.prod(kernel)


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
    around = _around(attrs, space)
    ways = _backwards(call)
    if not ways:
        made = _convolved(steps, lying, weight.array, around, groups)
        return _Spread((made,), len(weight.array), groups, (1,) * space, ((0, 0),) * space, is_last)
    whole = [[range(way.parts)] for way in ways]
    apart = [[range(part, part + 1) for part in range(way.parts)] for way in ways]
    pieces = []
    for parts in itertools.product(*(apart if _is_split(ways) else whole)):
        each = [way.convolved(own) for way, own in zip(ways, parts, strict=True)]
        kernel = _forwards(weight.array, groups, [which for _, which in each])
        pieces.append(_convolved(steps, lying, kernel, [one for one, _ in each], groups))
    channels, cut = weight.array.shape[1] * groups, tuple(way.cut for way in ways)
    return _Spread(tuple(pieces), channels, groups, tuple(way.parts for way in ways), cut, is_last)


def _around(attrs: Attributes, space: int) -> tuple[_Around, ...]:
    stride, dilation, pad = (numbers(attrs, n, c * space) for n, c in (("stride", 1), ("dilation", 1), ("pad", 2)))
    return tuple(map(_Around, stride, pad[:space], pad[space:], dilation))


# -- transposed convolutions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Backwards:
    """One dimension of a transposed convolution as convolutions of stride 1, which make blocks of `parts` elements.

    The first element of the first block is the `start`-th of all that there are without padding, and there are `more`
    blocks than elements of x; `cut` is what the padding takes from them. Part p of block i is the sum of the kernel's
    elements k times x[i + (p + start - k * dilation) / parts] where that is whole.
    """

    kernel: int
    parts: int
    dilation: int
    start: int
    more: int
    cut: tuple[int, int]

    @classmethod
    def of(cls, around: _Around, kernel: int, beyond: int) -> _Backwards:
        parts, reach = around.stride, (kernel - 1) * around.dilation + 1

        def beginning(start: int) -> _Backwards:
            made = reach + beyond - start - around.after  # of the last element of x, from the first of its block on
            more = max(-(-made // parts) - 1, -(start // parts))
            return cls(kernel, parts, around.dilation, start, more, (around.before - start, (more + 1) * parts - made))

        first = min(around.before, reach - 1)
        ways = beginning(first), beginning(first // parts * parts)  # the second may need fewer taps, and cuts off more
        return min(ways, key=lambda way: way.taps)

    @property
    def taps(self) -> int:
        """Elements of x that a convolution sees of which all parts are made."""
        return len(self.convolved(range(self.parts))[1])

    def convolved(self, parts: range) -> tuple[_Around, Array]:
        """The convolution that makes some parts, and which of the kernel's elements each of its taps is for each part:
        behind the last where it is none."""
        at = np.subtract.outer(self.start + np.asarray(parts), np.arange(self.kernel) * self.dilation)
        part, element = np.nonzero(at % self.parts == 0)
        seen = at[part, element] // self.parts
        first = int(seen.min(initial=0))
        last = int(seen.max(initial=max(first, -self.more)))
        apart = self.dilation if self.parts == 1 else 1  # every tap is an element then
        which = np.full(((last - first) // apart + 1, len(parts)), self.kernel)
        which[(seen - first) // apart, part] = element
        return _Around(1, -first, self.more + last, apart), which

    def has_elements_of(self, size: Dim) -> bool:
        """Whether there is a block of so many elements of x, or of however many there are."""
        return self.more + (size if isinstance(size, int) else 1) > 0


def _is_split(ways: Sequence[_Backwards]) -> bool:
    """Whether parts are worth a convolution each, since many taps of one for all would be 0."""
    parts = math.prod(way.parts for way in ways)
    return parts <= _MOST_PARTS and _WASTE * math.prod(w.kernel for w in ways) <= parts * math.prod(
        w.taps for w in ways
    )


def _forwards(weight: Array, groups: int, which: Sequence[Array]) -> Array:
    """The kernels (co, ci per group, ...) of a convolution that makes parts of what w(ci, co per group, ...) does
    backwards. Its channels are of a group, then of the parts along each dimension, then of the result."""
    channels, own, *_ = weight.shape
    shape = [n for one in which for n in one.shape]
    for axis, one in enumerate(which, 2):
        nothing = np.zeros_like(np.take(weight, [0], axis))
        weight = np.take(np.concatenate([weight, nothing], axis), one.reshape(-1), axis)
    apart = weight.reshape(groups, channels // groups, own, *shape)
    taps, parts = range(3, 3 + len(shape), 2), range(4, 3 + len(shape), 2)
    turned = apart.transpose(0, *parts, 2, 1, *taps)
    return np.ascontiguousarray(turned).reshape(-1, channels // groups, *(len(one) for one in which))


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
        return steps.reshape(made, ("d0", "d1", "d6", "d7", "d3"), x)
    padded = steps.pad(x, 5, 1, deep.before, deep.after)
    starts = [i * deep.dilation for i in range(slices)]
    seen = [steps.cut(padded, {1: (at, starts[-1] - at)}, {1: deep.stride}) for at in starts]
    if groups > 1:
        seen = [steps.reshape(s, ("d0", "d1", "d2", "d3", groups, own)) for s in seen]
    joined = seen[0] if slices == 1 else steps.put("concat", *seen, axis=-1)
    images = steps.reshape(joined, ("d0*d1", "d2", "d3", groups * slices * own))
    kernels = weight.transpose(0, 2, 1, 3, 4).reshape(channels, slices * own, *kernel)
    made = _images(steps, images, kernels, flat, groups)
    return steps.reshape(made, ("d4", "d5", "d1", "d2", "d3"), joined)

"""Convolutions beside conv2d, and images in other sizes: conv1d, conv3d, conv_transpose, resize, roi_align.

conv1d is the workload conv2d over images of one row. The others have no kernel: passes find other operators for them
(`lower_convolutions`, `lower_resize`), and what those leave the host does, as numpy says.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any as AnyType

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    ALL,
    FLOATS,
    NUMBERS,
    REQUIRED,
    Attribute,
    Attributes,
    Facts,
    Meaning,
    Mismatch,
    Operator,
    Relation,
    Scheduled,
    Shaped,
    axis_of,
    integer,
    ints,
    number,
    of_dtype,
    of_rank,
)
from anytile.schedules.index.expr import const
from anytile.schedules.operators.attribute import numbers
from anytile.schedules.operators.spec import MAX_NUMBER, AttributeValue, example, wide

_STRIDE = Attribute("stride", "ints", (1,), "steps of the kernel along each dimension of the image", least=1)
_PAD = Attribute("pad", "ints", (0,), "zeros before each dimension, then behind each; one number is all", least=0)
_DILATION = Attribute("dilation", "ints", (1,), "distance of the kernel's elements", least=1)
_GROUPS = Attribute("groups", "int", 1, "channels that do not see each other", least=1)
_LAYOUT = Attribute(
    "layout",
    "str",
    "nchw",
    "whether channels are second (nchw) or last (nhwc), however many dimensions images have",
    words=("nchw", "nhwc"),
)


def _in_layout(relation: Relation) -> Relation:
    """The relation of images with their channels second, of such as the attribute `layout` says."""

    def found(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        x, *others = args
        if attrs["layout"] == "nchw" or x.rank < 3:
            return relation(args, attrs, facts)
        n, *image, channels = x.dims
        (y,) = relation((Shaped((n, channels, *image), x.dtype), *others), attrs, facts)
        n, channels, *image = y.dims
        return (Shaped((n, *image, channels), y.dtype),)

    return found


def _meaning_in_layout(meaning: Meaning) -> Meaning:
    def found(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
        x, *others = arrays
        if attrs["layout"] == "nchw":
            return meaning(arrays, attrs)
        (y,) = meaning((np.moveaxis(x, -1, 1), *others), attrs)
        return (np.moveaxis(y, 1, -1),)

    return found


def _at(x: Array, last: Sequence[AnyType]) -> Array:
    """What stands at positions in the last dimensions, or between some."""
    return np.asarray(x[(Ellipsis, *last)])


def _each(attrs: Attributes, name: str, count: int) -> tuple[int, ...]:
    return numbers(attrs, name, count)


def _convolution(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts, space: int) -> tuple[Shaped, ...]:
    x, w = args
    of_dtype(x, NUMBERS, "x")
    of_dtype(w, (x.dtype,), "w")
    of_rank(x, space + 2, "x")
    of_rank(w, space + 2, "w")
    groups, pad = integer(attrs, "groups"), _each(attrs, "pad", 2 * space)
    facts.equal(x.dims[1], w.dims[1] * groups, "channels")
    channels = facts.number(w.dims[0])
    if channels is not None and channels % groups:
        raise Mismatch(f"{channels} kernels are not divisible by groups={groups}")
    dims = []
    for i, (stride, apart) in enumerate(
        zip(_each(attrs, "stride", space), _each(attrs, "dilation", space), strict=True)
    ):
        facts.at_least(w.dims[2 + i], 1, "elements of the kernel")
        room = x.dims[2 + i] + (pad[i] + pad[space + i]) - (w.dims[2 + i] - 1) * apart - 1
        facts.at_least(room, 0, "elements of the padded image less those that the kernel reaches over")
        dims.append(room // stride + 1)
    return (Shaped((x.dims[0], w.dims[0], *dims), x.dtype),)


def _convolved(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    """One product of matrices for each element of the kernel."""
    x, w = map(wide, arrays)
    space = x.ndim - 2
    stride, apart, pad = (_each(attrs, n, c * space) for n, c in (("stride", 1), ("dilation", 1), ("pad", 2)))
    groups, count = integer(attrs, "groups"), x.shape[0]
    x = np.pad(x, [(0, 0), (0, 0), *zip(pad[:space], pad[space:], strict=True)])
    size = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(x.shape[2:], w.shape[2:], apart, stride, strict=True)]
    y = np.zeros((count, groups, w.shape[0] // groups, math.prod(size)), np.result_type(x, w))
    grouped = x.reshape(count, groups, w.shape[1], *x.shape[2:])
    kernels = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    for at in itertools.product(*map(range, w.shape[2:])):
        seen = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, n, s in zip(at, apart, size, stride, strict=True)]
        part = _at(grouped, seen).reshape(count, groups, w.shape[1], math.prod(size))
        y += np.matmul(_at(kernels, at), part)
    return (y.reshape(count, w.shape[0], *size),)


def _conv1d_schedule(args: Sequence[TensorType], results: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    """Images of one row."""
    (before, after), (stride,), (apart,) = (
        _each(attrs, "pad", 2),
        _each(attrs, "stride", 1),
        _each(attrs, "dilation", 1),
    )
    given: dict[str, AttributeValue] = {
        **{"stride": (1, stride), "pad": (0, before, 0, after), "dilation": (1, apart)},
        **{"groups": integer(attrs, "groups"), "layout": str(attrs["layout"])},
    }
    channels, row = (1, 2) if attrs["layout"] == "nchw" else (2, 1)
    sizes = {
        **{"n": ((0, 0),), "ci": ((0, channels),), "h": (), "w": ((0, row),)},
        **{"co": ((1, 0),), "kh": (), "kw": ((1, 2),)},
    }
    static = [args[0].shape[channels], args[1].shape[0], args[1].shape[2]]
    if not all(isinstance(d, int) and d for d in static):
        return None
    walked = [("oh", ()), ("ow", (row,))]
    walked.insert(0 if attrs["layout"] == "nchw" else 2, ("co", (channels,)))
    return schedule_as("conv2d", args, sizes, [("n", (0,)), *walked], given)


def _conv(space: int, image: str) -> Operator:
    def relation(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
        return _convolution(args, attrs, facts, space)

    dims = (9, 7, 6)[:space]
    shape = ", ".join(map(str, dims))
    kernel = ", ".join("323"[:space])
    return Operator(
        name=f"conv{space}d",
        summary=f"the convolution of {image} x(n, channels, ...) with kernels w(co, channels per group, ...)",
        inputs=("x", "w"),
        relation=_in_layout(relation),
        numpy=_meaning_in_layout(_convolved),
        anchor=space == 1,
        attributes=(_STRIDE, _PAD, _DILATION, _GROUPS, _LAYOUT),
        schedule=_conv1d_schedule if space == 1 else None,
        examples=(
            example(f"(?b, 4, {shape})", f"(6, 2, {kernel})", pad=1, stride=2, groups=2),
            example(f"(?b, 2, {shape})", f"(3, 2, {kernel})", dilation=2, pad=(1,) * space + (2,) * space),
            example(f"(?b, {shape}, 4)", f"(6, 4, {kernel})", pad=1, layout="nhwc"),
        ),
    )


def _transposed_sizes(size: Sequence[int], kernel: Sequence[int], attrs: Attributes) -> list[int]:
    """How large the result is before its padding is cut off."""
    space = len(size)
    stride, apart, more = (_each(attrs, name, space) for name in ("stride", "dilation", "more"))
    return [(n - 1) * s + (k - 1) * d + 1 + m for n, s, k, d, m in zip(size, stride, kernel, apart, more, strict=True)]


def _conv_transpose(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, w = args
    of_dtype(x, NUMBERS, "x")
    of_dtype(w, (x.dtype,), "w")
    space = x.rank - 2
    if not 1 <= space <= 3:
        raise Mismatch(f"x has the shape {x}; expected images of 1 to 3 dimensions behind (n, channels)")
    of_rank(w, x.rank, "w")
    facts.equal(x.dims[1], w.dims[0], "channels")
    channels = facts.number(x.dims[1])
    if channels is not None and channels % integer(attrs, "groups"):
        raise Mismatch(f"{channels} channels are not divisible by groups={integer(attrs, 'groups')}")
    pad = _each(attrs, "pad", 2 * space)
    stride, apart, more = (_each(attrs, name, space) for name in ("stride", "dilation", "more"))
    dims = []
    for i in range(space):
        facts.at_least(x.dims[2 + i], 1, "elements of the image")
        facts.at_least(w.dims[2 + i], 1, "elements of the kernel")
        whole = (x.dims[2 + i] - 1) * stride[i] + (w.dims[2 + i] - 1) * apart[i] + 1 + more[i]
        made = whole - pad[i] - pad[space + i]
        facts.at_least(made, 0, "elements of the result")
        dims.append(made)
    return (Shaped((x.dims[0], w.dims[1] * integer(attrs, "groups"), *dims), x.dtype),)


def _conv_transpose_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, w = map(wide, arrays)
    space, groups, count = x.ndim - 2, integer(attrs, "groups"), x.shape[0]
    stride, apart, pad = (_each(attrs, n, c * space) for n, c in (("stride", 1), ("dilation", 1), ("pad", 2)))
    size = _transposed_sizes(x.shape[2:], w.shape[2:], attrs)
    y = np.zeros((count, groups, w.shape[1], *size), np.result_type(x, w))
    grouped = x.reshape(count, groups, x.shape[1] // groups, math.prod(x.shape[2:]))
    kernels = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    for at in itertools.product(*map(range, w.shape[2:])):
        part = np.matmul(_at(kernels, at).swapaxes(1, 2), grouped)
        there = [
            slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, n, s in zip(at, apart, x.shape[2:], stride, strict=True)
        ]
        _at(y, there)[...] += part.reshape(count, groups, w.shape[1], *x.shape[2:])
    kept = [slice(b, n - a) for b, a, n in zip(pad[:space], pad[space:], size, strict=True)]
    return (_at(y.reshape(count, groups * w.shape[1], *size), kept),)


_COORDINATES: dict[str, Callable[[Array, float, int, int], Array]] = {
    "half_pixel": lambda at, scale, n, made: (at + 0.5) / scale - 0.5,
    "half_pixel_symmetric": lambda at, scale, n, made: (
        n / 2 * (1 - made / (n * scale)) + (at + 0.5) / scale - 0.5 if made else at * 0.0
    ),
    "pytorch_half_pixel": lambda at, scale, n, made: (at + 0.5) / scale - 0.5 if made > 1 else at * 0.0,
    "align_corners": lambda at, scale, n, made: at * ((n - 1) / (n * scale - 1)) if made > 1 else at * 0.0,
    "asymmetric": lambda at, scale, n, made: at / scale,
    "tf_half_pixel_for_nn": lambda at, scale, n, made: (at + 0.5) / scale,
}
_NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
_RESIZE = (
    Attribute("axes", "ints", (), "the axes that change; the last ones without"),
    Attribute("mode", "str", "nearest", "how elements are made", words=("nearest", "linear", "cubic")),
    Attribute(
        "coordinates", "str", "half_pixel", "where an element of the result lies in x", words=tuple(_COORDINATES)
    ),
    Attribute("nearest", "str", "round_prefer_floor", "which element mode nearest takes", words=tuple(_NEAREST)),
    Attribute("cubic", "float", -0.75, "the coefficient of mode cubic", least=-MAX_NUMBER),
    Attribute("exclude_outside", "bool", False, "whether what lies outside x has no weight; else the edge is repeated"),
    Attribute("antialias", "bool", False, "whether linear and cubic are stretched where the result is smaller"),
)


def resized_axes(attrs: Attributes, count: int, rank: int) -> tuple[int, ...]:
    axes = tuple(axis_of(a, rank, "axes") for a in ints(attrs, "axes")) or tuple(range(rank - count, rank))
    if len(axes) != count or len(set(axes)) != count or min(axes, default=0) < 0:
        raise Mismatch(f"axes={axes} for {count} sizes of {rank} dimensions: expected each axis once")
    return axes


def _resizable(x: Shaped, axes: Sequence[int], attrs: Attributes, facts: Facts) -> None:
    of_dtype(x, ALL if attrs["mode"] == "nearest" else FLOATS, "x")
    for axis in axes:
        facts.at_least(x.dims[axis], 1, "elements to resize")


def _linear_weight(away: Array, a: float) -> Array:
    return np.asarray(np.maximum(1 - np.abs(away), 0))


def _cubic_weight(away: Array, a: float) -> Array:
    t: Array = np.abs(away)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


def _shrunk(attrs: Attributes, scale: float) -> float:
    """What distances are multiplied by, so that of a smaller result each element, if it has some, sees more of x."""
    return min(scale, 1.0) if attrs["antialias"] and scale else 1.0


def _reach(attrs: Attributes, scale: float) -> int:
    """How many elements have weights on either side of where one of the result lies."""
    return math.ceil((1 if attrs["mode"] == "linear" else 2) / _shrunk(attrs, scale))


def taps_of(attrs: Attributes, scale: float | None) -> int | None:
    """How many elements of x one of the result is a sum of, along one axis; None where that is left to the scale."""
    if attrs["mode"] == "nearest":
        return 1
    if scale is None and attrs["antialias"]:
        return None
    return 2 * _reach(attrs, 1.0 if scale is None else scale)


@dataclass(frozen=True, slots=True)
class Resizing:
    """What becomes of one axis of `n` elements: it has `size`, whose coordinates are those of n times `scale`."""

    axis: int
    n: int
    size: int
    scale: float

    @property
    def changes(self) -> bool:
        return self.size != self.n or self.scale != 1

    def picked(self, attrs: Attributes) -> Array:
        """For mode nearest the place of each element."""
        return np.clip(_NEAREST[str(attrs["nearest"])](self._at(attrs)), 0, self.n - 1).astype(np.int64)

    def taps(self, attrs: Attributes) -> tuple[Array, Array]:
        """Places of x and their weights, a row of each for each element of the result, which is their sum."""
        if attrs["mode"] == "nearest":
            return self.picked(attrs)[:, None], np.ones((self.size, 1))
        at = self._at(attrs)
        half, shrunk = _reach(attrs, self.scale), _shrunk(attrs, self.scale)
        places = np.floor(at).astype(np.int64)[:, None] + np.arange(1 - half, 1 + half)
        weight = _linear_weight if attrs["mode"] == "linear" else _cubic_weight
        found = weight((places - at[:, None]) * shrunk, number(attrs, "cubic"))
        if attrs["exclude_outside"]:
            found = np.where((places >= 0) & (places < self.n), found, 0)
        return np.clip(places, 0, self.n - 1), found / found.sum(axis=1, keepdims=True)

    def weights(self, attrs: Attributes) -> Array:
        """The matrix (size, n) by which elements are sums of others."""
        places, found = self.taps(attrs)
        matrix = np.zeros((self.size, self.n))
        np.add.at(matrix, (np.arange(self.size)[:, None], places), found)
        return matrix

    def _at(self, attrs: Attributes) -> Array:
        """Where elements of the result lie in x."""
        return _COORDINATES[str(attrs["coordinates"])](np.arange(self.size), self.scale, self.n, self.size)


def _resized(x: Array, along: Sequence[Resizing], attrs: Attributes) -> Array:
    """Along one axis after the other: elements that are picked, or sums of neighbours by their distance."""
    made = x if attrs["mode"] == "nearest" else wide(x)
    for one in filter(lambda one: one.changes, along):
        if attrs["mode"] == "nearest":
            made = np.take(made, one.picked(attrs), one.axis)
        else:
            made = np.moveaxis(np.tensordot(one.weights(attrs), made, (1, one.axis)), 0, one.axis)
    return made


def _resize(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    sizes = ints(attrs, "sizes")
    axes = resized_axes(attrs, len(sizes), x.rank)
    _resizable(x, axes, attrs, facts)
    known = dict(zip(axes, sizes, strict=True))
    return (Shaped(tuple(const(known[i]) if i in known else d for i, d in enumerate(x.dims)), x.dtype),)


def resizings(shape: Sequence[int], attrs: Attributes) -> tuple[Resizing, ...]:
    """What `resize` makes of a tensor's axes; those that it leaves alone need no size."""
    sizes = ints(attrs, "sizes")
    axes = resized_axes(attrs, len(sizes), len(shape))
    return tuple(Resizing(a, shape[a], size, size / shape[a]) for size, a in zip(sizes, axes, strict=True))


def _resize_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    return (_resized(x, resizings(x.shape, attrs), attrs),)


def _resize_by(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, by = args
    of_dtype(by, ("float32", "int64"), "by")
    of_rank(by, 1, "by")
    count = facts.number(by.dims[0])
    if count is None:
        raise Mismatch(f"by has the shape {by}; expected to know how many numbers there are")
    axes = resized_axes(attrs, count, x.rank)
    _resizable(x, axes, attrs, facts)
    return (Shaped(tuple(facts.unknown(f"d{i}") if i in axes else d for i, d in enumerate(x.dims)), x.dtype),)


def resizings_by(shape: Sequence[int], by: Array, attrs: Attributes) -> tuple[Resizing, ...]:
    """What `resize_by` makes of them: sizes are given as int64, scales as float32."""
    axes = resized_axes(attrs, len(by), len(shape))
    if not all(shape[axis] for axis in axes):
        raise Mismatch(f"a tensor of the shape {tuple(shape)}: expected elements to resize along axes={axes}")
    if by.dtype.kind == "i":
        sizes = [int(n) for n in by]
        scales = [n / shape[axis] for n, axis in zip(sizes, axes, strict=True)]
    else:
        scales = [float(s) for s in by]
        if not all(0 < s < MAX_NUMBER for s in scales):
            raise Mismatch(f"scales {scales}: expected numbers above 0")
        sizes = [math.floor(shape[axis] * s) for s, axis in zip(scales, axes, strict=True)]
    whole = math.prod(sizes) * math.prod(n for i, n in enumerate(shape) if i not in axes)
    if min(sizes, default=0) < 0 or whole > MAX_NUMBER:
        raise Mismatch(f"sizes {sizes}: expected sizes from 0, {MAX_NUMBER} elements at most")
    return tuple(Resizing(a, shape[a], size, scale) for a, size, scale in zip(axes, sizes, scales, strict=True))


def _resize_by_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[tuple[int, ...], ...]:
    x, by = arrays
    known = {one.axis: one.size for one in resizings_by(x.shape, by, attrs)}
    return (tuple(known.get(i, n) for i, n in enumerate(x.shape)),)


def _resize_by_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    x, by = arrays
    return (_resized(x, resizings_by(x.shape, by, attrs), attrs),)


def _resize_taps(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    n, by = args
    of_dtype(n, ("int64",), "n")
    of_dtype(by, ("float32", "int64"), "by")
    of_rank(n, 1, "n")
    of_rank(by, 1, "by")
    facts.equal(n.dims[0], const(1), "numbers of n")
    facts.at_least(by.dims[0], integer(attrs, "at") + 1, "numbers of by")
    made = (facts.unknown("d"), const(integer(attrs, "taps")))
    return (Shaped(made, "int64"), Shaped(made, "float32"))


@lru_cache(256, typed=True)  # a size of 3 is not a factor of 3.0
def _taps(n: int, by: float | int, items: tuple[tuple[str, AttributeValue], ...]) -> tuple[Array, Array]:
    """Models ask for the same again and again."""
    attrs = dict(items)
    (along,) = resizings_by((n,), np.asarray([by], np.int64 if isinstance(by, int) else np.float32), attrs)
    found = along.taps(attrs)
    if found[0].shape[1] != attrs["taps"]:
        raise Mismatch(f"sums of {found[0].shape[1]} elements; expected taps={attrs['taps']}")
    return found


def _resize_taps_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    n, by = arrays
    return _taps(int(n[0]), by[integer(attrs, "at")].item(), tuple(attrs.items()))


def _resize_taps_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[tuple[int, ...], ...]:
    places, weights = _resize_taps_meaning(arrays, attrs)
    return (places.shape, weights.shape)


def _roi_align(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    x, boxes, images = args
    of_dtype(x, FLOATS, "x")
    of_rank(x, 4, "x")
    of_dtype(boxes, (x.dtype,), "boxes")
    of_rank(boxes, 2, "boxes")
    of_dtype(images, ("int64", "int32"), "images")
    of_rank(images, 1, "images")
    facts.equal(boxes.dims[1], const(4), "corners of a box")
    facts.equal(boxes.dims[0], images.dims[0], "boxes")
    height, width = (const(integer(attrs, name)) for name in ("height", "width"))
    return (Shaped((boxes.dims[0], x.dims[1], height, width), x.dtype),)


def _roi_align_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    """Each cell of a box is the mean or the largest of points in it, each between four elements of the image."""
    x, boxes, images = wide(arrays[0]), wide(arrays[1]), arrays[2]
    cells = integer(attrs, "height"), integer(attrs, "width")
    half = 0.5 if attrs["half_pixel"] else 0.0
    made = np.zeros((len(boxes), x.shape[1], *cells))
    if len(images) and not (images.min() >= 0 and images.max() < len(x)):
        raise Mismatch(f"images {images.min()} to {images.max()}; expected 0 to {len(x) - 1}")
    for r, (box, image) in enumerate(zip(boxes, images, strict=True)):
        corners = box * number(attrs, "scale") - half
        sides = [corners[3] - corners[1], corners[2] - corners[0]]
        if not attrs["half_pixel"]:
            sides = [max(side, 1.0) for side in sides]
        ways = []
        for start, side, count, size in zip((corners[1], corners[0]), sides, cells, x.shape[2:], strict=True):
            points = integer(attrs, "points") or max(math.ceil(side / count), 0)
            step = side / count
            at = start + step * (np.arange(count)[:, None] + (np.arange(points) + 0.5) / max(points, 1))
            inside = (at >= -1) & (at <= size)
            at = np.clip(at, 0, max(size - 1, 0))
            low = np.floor(at).astype(np.int64)
            high = np.minimum(low + 1, size - 1)
            ways.append((low, high, np.where(inside, 1 - (at - low), 0), np.where(inside, at - low, 0)))
        if not all(low.size for low, *_ in ways):
            continue  # a side of no length has no points
        parts = []
        for rows, columns in itertools.product((0, 1), repeat=2):
            (y, u), (z, v) = ((w[i], w[2 + i]) for w, i in zip(ways, (rows, columns), strict=True))
            seen = x[image][:, y[:, :, None, None], z[None, None]]
            parts.append(seen * u[:, :, None, None] * v[None, None])
        if attrs["mode"] == "avg":
            made[r] = sum(parts).mean(axis=(2, 4))
        else:
            made[r] = np.maximum.reduce(parts).max(axis=(2, 4))
    return (made,)


ROWS = (
    _conv(1, "rows"),
    _conv(3, "volumes"),
    Operator(
        name="conv_transpose",
        summary="the convolution backwards: each element of x(n, ci, ...) adds itself times w(ci, co per group, ...)",
        inputs=("x", "w"),
        relation=_in_layout(_conv_transpose),
        numpy=_meaning_in_layout(_conv_transpose_meaning),
        attributes=(
            _STRIDE,
            Attribute("pad", "ints", (0,), "what is cut off before each dimension, then behind each", least=0),
            _DILATION,
            _GROUPS,
            Attribute("more", "ints", (0,), "zeros behind each dimension of the result", least=0),
            _LAYOUT,
        ),
        examples=(
            example("(?b, 4, 5, 6)", "(4, 3, 3, 2)", stride=2, pad=1, groups=2, more=1),
            example("(?b, 2, 7)", "(2, 3, 3)", dilation=2),
            example("(?b, 2, 3, 2, 4)", "(2, 3, 2, 2, 2)", stride=2),
            example("(?b, 5, 6, 4)", "(4, 3, 3, 2)", stride=2, pad=1, layout="nhwc"),
        ),
    ),
    Operator(
        name="resize",
        summary="x with other sizes along some axes",
        inputs=("x",),
        relation=_resize,
        numpy=_resize_meaning,
        attributes=(Attribute("sizes", "ints", REQUIRED, "how large they become", least=0), *_RESIZE),
        examples=(
            example("(?b, 5, 6)", sizes=(7, 3)),
            example("(?b, 5, 6)", sizes=(7, 3), mode="linear", coordinates="align_corners"),
            example("(?b, 5, 6)", sizes=(3, 9), mode="cubic", antialias=True, exclude_outside=True),
            example("(?b, 5, 6) int64", sizes=(2,), axes=(1,), coordinates="asymmetric", nearest="floor"),
        ),
    ),
    Operator(
        name="resize_by",
        summary="x with other sizes along some axes: sizes as int64, or factors as float32, whose results are cut down",
        inputs=("x", "by"),
        relation=_resize_by,
        numpy=_resize_by_meaning,
        attributes=_RESIZE,
        mode="data",
        sizes=_resize_by_sizes,
        examples=(
            example("(?b, 5, 6)", "positive (2)", mode="linear"),
            example("(?b, 5, 6)", "index (1) int64", mode="cubic"),
        ),
    ),
    Operator(
        name="resize_taps",
        summary="which of n elements along an axis those are sums of that resize_by makes of it, and their weights",
        inputs=("n", "by"),
        relation=_resize_taps,
        numpy=_resize_taps_meaning,
        attributes=(
            Attribute("taps", "int", REQUIRED, "how many elements each is a sum of", least=1),
            Attribute("at", "int", 0, "which of the numbers is the axis's", least=0),
            *_RESIZE,
        ),
        many=True,
        mode="data",
        sizes=_resize_taps_sizes,
        examples=(
            example("size (1) int64", "positive (1)", taps=2, mode="linear"),
            example("size (1) int64", "size (2) int64", taps=1, at=1, nearest="floor"),
        ),
    ),
    Operator(
        name="roi_align",
        summary="boxes (x0, y0, x1, y1) of images x(n, c, h, w) as cells, without rounding where they lie",
        inputs=("x", "boxes", "images"),
        relation=_roi_align,
        numpy=_roi_align_meaning,
        attributes=(
            Attribute("height", "int", 1, "cells of a box from top to bottom", least=1),
            Attribute("width", "int", 1, "cells from left to right", least=1),
            Attribute("points", "int", 0, "points along a side of a cell; 0 is as many as elements lie there", least=0),
            Attribute("scale", "float", 1.0, "what boxes are multiplied by", least=0),
            Attribute("half_pixel", "bool", True, "whether elements lie half an element behind whole numbers"),
            Attribute("mode", "str", "avg", "what is made of the points of a cell", words=("avg", "max")),
        ),
        examples=(
            example("(6, 2, 5, 7)", "positive (?b, 4)", "index (?b) int64", height=2, width=3),
            example("(6, 2, 5, 7)", "(?b, 4)", "index (?b) int64", points=2, mode="max", half_pixel=False),
        ),
    ),
)

"""Grid sampling: values of images at points that are data, between elements by polynomials of the distance.

A point's value is a sum of few elements of its image, `interpolate` of rows: the image with its channels last, so that
one position is looked up for all of them. Positions and weights are elementwise, a column for each element of the sum.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from anytile.importers.core.graph import Value
from anytile.importers.core.writer import Writer
from anytile.schedules.index.expr import Expr, const

ZEROS, BORDER, REFLECTION = PADDINGS = ("zeros", "border", "reflection")
NEAREST, LINEAR, CUBIC = MODES = ("nearest", "linear", "cubic")
_A = -0.75  # of cubic convolution


def _cubic() -> tuple[Polynomial, ...]:
    """The weights of the four elements around a point, by how far it is from the second."""
    far, near = Polynomial([-4 * _A, 8 * _A, -5 * _A, _A]), Polynomial([1, 0, -(_A + 3), _A + 2])
    rest = Polynomial([0, 1])
    return far(rest + 1), near(rest), near(1 - rest), far(2 - rest)


# By mode: where the first element is from the one before the point, and the weight of each along a dimension.
_WEIGHTS = {LINEAR: (0, (Polynomial([1, -1]), Polynomial([0, 1]))), CUBIC: (-1, _cubic())}


@dataclass
class Sampler:
    """Elements of images (n, groups, channels, d0, d1, ...) around points. What is outside is as the padding says."""

    w: Writer
    images: Value
    padding: str
    corners: bool  # whether it is the elements' middles that are mirrored at, and not the image's borders

    def at(self, points: Sequence[Value], mode: str) -> Value:
        """Values at points, of which each dimension is [n, groups, points]: [n, groups, channels, points]."""
        w, (n, groups, channels, *size) = self.w, self.images.dims
        held = math.prod(size, start=const(1))
        seen = w.reshape(self.images, (n, groups, channels, held))
        rows = w.reshape(w.transpose(seen, (0, 1, 3, 2)), (n * groups * held, channels))
        columns = [w.reshape(p, (n, groups, p.dims[2], 1)) for p in points]
        if mode == NEAREST:
            index, rows = self._index([w.do("round", c) for c in columns], rows)
            found = w.do("take", rows, w.reshape(index, (math.prod(index.dims, start=const(1)),)), axis=0)
        else:
            first, along = _WEIGHTS[mode]
            taps = list(itertools.product(range(len(along)), repeat=len(points)))
            low = [w.do("floor", c) for c in columns]
            steps = [np.array([t[d] + first for t in taps]) for d in range(len(points))]
            index, rows = self._index([self._plus(*each) for each in zip(low, steps, strict=True)], rows)
            weights = self._weights([w.do("subtract", *each) for each in zip(columns, low, strict=True)], along, taps)
            shape = math.prod(index.dims[:-1], start=const(1)), len(taps)
            found = w.do("interpolate", rows, w.reshape(index, shape), w.reshape(weights, shape), axis=0)
        made = w.reshape(found, (n, groups, points[0].dims[2], channels))
        return w.transpose(made, (0, 1, 3, 2))

    def _plus(self, x: Value, steps: np.ndarray) -> Value:
        return self.w.do("add", x, self.w.graph.constant(steps.astype(x.dtype)))

    def _weights(self, rests: Sequence[Value], along: Sequence[Polynomial], taps: Sequence[tuple[int, ...]]) -> Value:
        """The weight of each element of a sum: a product of polynomials, one for each dimension."""
        w, total = self.w, None
        for d, rest in enumerate(rests):
            by_tap = np.stack([along[t[d]].coef for t in taps], axis=-1).astype(rest.dtype)
            made = w.graph.constant(by_tap[-1])
            for factors in reversed(by_tap[:-1]):
                made = w.do("add", w.do("multiply", made, rest), w.graph.constant(factors))
            total = made if total is None else w.do("multiply", total, made)
        assert total is not None
        return total

    def _index(self, at: Sequence[Value], rows: Value) -> tuple[Value, Value]:
        """Rows of all images by whole numbers in one; and the rows, behind which what is outside is a row of zeros."""
        w, (n, groups, channels, *size) = self.w, self.images.dims
        each = w.do("multiply", w.positions(n * groups), w.scalar(math.prod(size, start=const(1))))
        flat: Value | None = None
        inside: Value | None = None
        for place, length in zip(at, size, strict=True):
            own, within = self._place(place, length)
            flat = own if flat is None else w.do("add", w.do("multiply", flat, w.scalar(length)), own)
            if within is not None:
                inside = within if inside is None else w.do("logical_and", inside, within)
        assert flat is not None
        flat = w.do("add", flat, w.reshape(each, (n, groups, 1, 1)))
        if inside is None:
            return flat, rows
        zeros = w.broadcast(w.reshape(w.number(0, rows), (1, 1)), (1, channels))
        return w.do("where", inside, flat, w.scalar(rows.dims[0])), w.do("concat", rows, zeros, axis=0)

    def _place(self, at: Value, size: Expr) -> tuple[Value, Value | None]:
        """Whole numbers as places in the image, and whether they are inside, where that matters."""
        w = self.w
        zero, last = w.number(0, at), w.do("subtract", self._float(size, at), w.number(1, at))
        inside = None
        if self.padding == REFLECTION:
            at = self._reflected(at, size)
        elif self.padding == ZEROS:
            inside = w.do("logical_and", w.do("greater_equal", at, zero), w.do("less_equal", at, last))
        held = w.do("minimum", w.do("maximum", at, zero), last)
        return w.cast(held, "int64"), inside

    def _float(self, size: Expr, like: Value) -> Value:
        return self.w.cast(self.w.scalar(size), like.dtype)

    def _reflected(self, at: Value, size: Expr) -> Value:
        """Turned back at the borders, as often as need be."""
        w = self.w
        low = w.number(0.0 if self.corners else -0.5, at)
        span = self._float(size - 1 if self.corners else size, at)
        one = w.number(1, at)
        safe = w.do("maximum", span, w.number(1e-30, at))  # of one element with corners, all is that element
        off = w.do("abs", w.do("subtract", at, low))
        turns = w.do("floor", w.do("divide", off, safe))
        rest = w.do("subtract", off, w.do("multiply", turns, safe))
        even = w.do("equal", w.do("fmod", turns, w.number(2, at)), w.number(0, at))
        made = w.do("add", low, w.do("where", even, rest, w.do("subtract", span, rest)))
        last = w.do("subtract", self._float(size, at), one)
        return w.do("minimum", w.do("maximum", made, w.number(0, at)), last)


def sampled_by_grid(
    w: Writer, x: Value, grid: Value, mode: str, padding: str, corners: bool, clips: bool = False
) -> Value:
    """Values of images (n, channels, d0, ...) where a grid (n, ..., dimensions) says, from -1 to 1, the last dimension
    first. One that `clips` moves points beyond the border onto it, and not only elements around them."""
    n, channels, *size = x.dims
    points = math.prod(grid.dims[1:-1], start=const(1))
    sampler = Sampler(w, w.reshape(x, (n, 1, channels, *size)), padding, corners)
    at = []
    for i, length in enumerate(size):
        own = w.cut(grid, grid.rank - 1, len(size) - 1 - i, len(size) - i)
        own = w.cast(w.reshape(own, (n, 1, points)), x.dtype)
        whole = w.cast(w.scalar(length), x.dtype)
        moved = w.do("add", own, w.number(1, own))
        if corners:
            place = w.do("multiply", moved, w.do("subtract", whole, w.number(1, whole)))
        else:
            place = w.do("subtract", w.do("multiply", moved, whole), w.number(1, whole))
        place = w.do("divide", place, w.number(2, place))
        if clips:
            place = _inside(w, place, whole, corners)
        at.append(place)
    return w.reshape(sampler.at(at, mode), (n, channels, *grid.dims[1:-1]))


def _inside(w: Writer, at: Value, size: Value, corners: bool) -> Value:
    """A point beyond the border is its nearest element."""
    zero, last = w.number(0, at), w.do("subtract", size, w.number(1, size))
    half = w.number(0.0 if corners else 0.5, at)
    low, high = w.do("subtract", zero, half), w.do("add", last, half)
    beyond = w.do("logical_or", w.do("less", at, low), w.do("greater", at, high))
    return w.do("where", beyond, w.do("minimum", w.do("maximum", at, zero), last), at)

"""Boxes of images as cells: each cell is the mean of points in it, each between four elements of the image.

Where it is known how many points a cell has, a cell is a sum of so many elements of its image, `interpolate` of rows;
where the size of a box decides, and where the largest point is wanted, it is the operator `roi_align`.
"""

from __future__ import annotations

import numpy as np

from anytile.importers.core.graph import Value
from anytile.importers.core.writer import Writer
from anytile.schedules.index.expr import Expr


def cells_of_boxes(
    w: Writer,
    x: Value,
    boxes: Value,
    images: Value,
    *,
    cells: tuple[int, int],
    points: int,
    scale: float,
    half_pixel: bool,
    mode: str = "avg",
) -> Value:
    """(boxes, channels, *cells) of images x(n, channels, h, w); which image a box lies in is a whole number."""
    if points < 1 or mode != "avg":
        attrs = {"height": cells[0], "width": cells[1], "points": points, "scale": scale, "half_pixel": half_pixel}
        return w.do("roi_align", x, boxes, w.cast(images, "int64"), mode=mode, **attrs)
    n, channels, *size = x.dims
    count, taps = boxes.dims[0], points * points * 4
    w.small(sum(cells) * points, "the points of a box")
    corners = w.do("multiply", boxes, w.number(scale, boxes))
    if half_pixel:
        corners = w.do("subtract", corners, w.number(0.5, corners))
    (y, above), (z, left) = (_along(w, corners, 1 - i, cells[i], points, size[i], half_pixel) for i in range(2))
    y, above = (w.reshape(v, (count, cells[0], 1, points, 2, 1, 1)) for v in (y, above))
    z, left = (w.reshape(v, (count, 1, cells[1], 1, 1, points, 2)) for v in (z, left))
    first = w.do("multiply", w.cast(images, "int64"), w.scalar(size[0] * size[1]))
    row = w.do("add", w.do("multiply", y, w.scalar(size[1])), w.reshape(first, (count, *[1] * 6)))
    weights = w.do("multiply", w.do("multiply", above, left), w.number(1 / (points * points), above))
    rows = w.reshape(w.transpose(x, (0, 2, 3, 1)), (n * size[0] * size[1], channels))
    shape = (count * (cells[0] * cells[1]), taps)
    found = w.do("interpolate", rows, w.reshape(w.do("add", row, z), shape), w.reshape(weights, shape), axis=0)
    return w.transpose(w.reshape(found, (count, *cells, channels)), (0, 3, 1, 2))


def _along(
    w: Writer, corners: Value, axis: int, cells: int, points: int, size: Expr, half_pixel: bool
) -> tuple[Value, Value]:
    """Along one dimension the two elements around each point, as whole numbers, and how much each of them counts."""
    count = corners.dims[0]
    start, end = (w.cut(corners, 1, i, i + 1) for i in (axis, axis + 2))
    side = w.do("subtract", end, start)
    if not half_pixel:
        side = w.do("maximum", side, w.number(1, side))
    parts = (np.arange(cells)[:, None] + (np.arange(points) + 0.5) / points) / cells
    at = w.do("add", start, w.do("multiply", side, w.graph.constant(parts.reshape(1, -1).astype(corners.dtype))))
    whole = w.cast(w.scalar(size), at.dtype)
    inside = w.do("logical_and", w.do("greater_equal", at, w.number(-1, at)), w.do("less_equal", at, whole))
    zero, one = w.number(0, at), w.number(1, at)
    last = w.do("subtract", whole, one)
    at = w.do("minimum", w.do("maximum", at, zero), last)
    low = w.do("floor", at)
    high = w.do("minimum", w.do("add", low, one), last)
    rest = w.do("subtract", at, low)
    shape = (count, cells * points, 1)
    index = w.do("concat", *(w.reshape(w.cast(v, "int64"), shape) for v in (low, high)), axis=2)
    weights = (w.do("where", inside, v, zero) for v in (w.do("subtract", one, rest), rest))
    return index, w.do("concat", *(w.reshape(v, shape) for v in weights), axis=2)

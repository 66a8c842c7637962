"""ATen's patches: windows of images as columns and back, and tensors that are read by steps through memory; and
torchvision's operators: boxes of images, and kernels whose taps are moved."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.box_cells import cells_of_boxes
from anytile.importers.core.deformed import deformed
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import quotient
from anytile.importers.torch.graph.aten_call import Call, Row
from anytile.schedules.index.expr import Expr, const, product


def _two(c: Call, name: str, default: int) -> tuple[int, int]:
    found = c.ints(name, (default,))
    return (found[0], found[-1])


def _windowed(c: Call, size: Sequence[Expr]) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], list[Expr]]:
    """A window's size, its steps, the steps in it, and how many windows an image has in either direction."""
    kernel, stride, dilation = _two(c, "kernel_size", 1), _two(c, "stride", 1), _two(c, "dilation", 1)
    pads = _two(c, "padding", 0)
    counts = []
    for n, k, s, d, p in zip(size, kernel, stride, dilation, pads, strict=True):
        last = n + (2 * p - d * (k - 1) - 1)  # where the last window may begin
        counts.append((last if s == 1 else last // s) + 1)
    return kernel, stride, dilation, counts


def _im2col(c: Call) -> Value:
    """Each window of an image as a column: of each channel all rows of the window."""
    x, pads = c.x, _two(c, "padding", 0)
    kernel, stride, dilation, counts = _windowed(c, x.dims[-2:])
    lead = x.rank - 2
    if any(pads):
        around = (*[0] * lead, *pads)
        x = c.do("pad", x, before=around, after=around, value=0.0)
    for axis, k, s, d, count in zip((lead, lead + 1), kernel, stride, dilation, counts, strict=True):
        x = c.windows(x, axis, (k - 1) * d + 1, s, count)
        x = x if d == 1 else c.do("slice", x, step=(d,), axes=(x.rank - 1,))
    seen = c.transpose(x, [*range(lead), lead + 2, lead + 3, lead, lead + 1])
    channels = seen.dims[lead - 1]
    return c.reshape(seen, (*seen.dims[: lead - 1], channels * math.prod(kernel), counts[0] * counts[1]))


def _col2im(c: Call) -> Value:
    """Columns put back where they were, and added up where they overlap.

    Each is an element of the image of a convolution backwards, whose kernel is one element a channel. Windows that lie
    one beside the other take no sums.
    """
    x, image, pads = c.x, c.sizes("output_size"), _two(c, "padding", 0)
    kernel, stride, dilation, counts = _windowed(c, image)
    taps = math.prod(kernel)
    channels = c.size(x, x.rank - 2) // taps
    batch = product(x.dims[:-2])
    if stride == kernel and dilation == (1, 1) and not any(pads):
        if any(n != count * k for n, count, k in zip(image, counts, kernel, strict=True)):
            raise Refusal(f"windows of {kernel} that leave rests of an image of {image[0]} by {image[1]}")
        tiles = c.reshape(x, (batch, channels, *kernel, *counts))
        return c.reshape(c.transpose(tiles, (0, 1, 4, 2, 5, 3)), (*x.dims[:-2], channels, *image))
    whole = [c.whole(n, "output_size") for n in image]
    number = [c.whole(n, "the number of windows") for n in counts]
    columns = c.reshape(x, (batch, channels * taps, *number))
    one = np.tile(np.eye(taps, dtype=x.dtype), (channels, 1)).reshape(channels * taps, 1, *kernel)
    reached = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(number, stride, kernel, dilation, strict=True)]
    made = c.do(
        "conv_transpose",
        columns,
        c.graph.constant(one),
        stride=stride,
        dilation=dilation,
        pad=(*pads, *pads),
        groups=channels,
        more=tuple(n + 2 * p - r for n, p, r in zip(whole, pads, reached, strict=True)),
    )
    return c.reshape(made, (*x.dims[:-2], channels, *whole))


def _behind_each_other(x: Value, sizes: Sequence[Expr], steps: Sequence[Expr]) -> int:
    """How many of the last dimensions lie as those of x do."""
    step, tail = const(1), 0
    while tail < min(len(sizes), x.rank) and steps[-1 - tail] == step and sizes[-1 - tail] == x.dims[-1 - tail]:
        step, tail = step * sizes[-1 - tail], tail + 1
    return tail


def _exact(a: Expr, b: Expr) -> Expr | None:
    found = quotient(a, b)
    return found if found is not None and found * b == a else None


def _in_blocks(steps: Sequence[Expr], sizes: Sequence[Expr], tail: int) -> tuple[int, list[Expr]]:
    """How many of the last dimensions, of `tail` and fewer, all other steps are multiples of; those in such blocks."""
    block = product(sizes[len(sizes) - tail :])
    found = [_exact(step, block) for step in steps[: len(steps) - tail]]
    whole = [step for step in found if step is not None]
    return (tail, whole) if len(whole) == len(found) else _in_blocks(steps, sizes, tail - 1)


def _steps(c: Call) -> tuple[Value, Value, list[Expr]]:
    """A tensor as blocks, one behind the other, which of them steps through its memory meet, and the sizes of that."""
    if c.memory_order is None:
        raise Refusal("steps through the memory of a tensor whose elements do not lie one behind the other")
    x, sizes, steps = c.transpose(c.x, c.memory_order), c.sizes("size"), c.sizes("stride")
    starts = [c.size_of(c.arg("storage_offset", 0), "storage_offset"), *steps]
    tail, (begin, *rows) = _in_blocks(starts, sizes, _behind_each_other(x, sizes, steps))
    at = c.reshape(c.scalar(begin), ())
    for size, row in zip(sizes, rows, strict=False):
        at = c.do("add", c.reshape(at, (*at.dims, 1)), c.do("multiply", c.positions(size), c.scalar(row)))
    seen = c.reshape(x, (product(x.dims[: x.rank - tail]), *x.dims[x.rank - tail :]))
    return seen, c.reshape(at, (product(at.dims),)), sizes


def _as_strided(c: Call) -> Value:
    """Elements so many steps apart, of what lies one element behind the other; windows that overlap are said so."""
    seen, at, sizes = _steps(c)
    return c.reshape(c.do("take", seen, at, axis=0), sizes)


def _as_strided_scatter(c: Call) -> Value:
    """Others in their places, as of a write to a view of an argument that another argument is a view of, too."""
    seen, at, _ = _steps(c)
    made = c.put_rows(seen, at, c.reshape(c["src"], (*at.dims, *seen.dims[1:])), axis=0)
    assert c.memory_order is not None
    own = c.reshape(made, [c.x.dims[i] for i in c.memory_order])
    return c.transpose(own, np.argsort(c.memory_order).tolist())


# -- torchvision -------------------------------------------------------------------------------------------------------


def _suppressed(c: Call) -> Value:
    """The boxes of one image that are kept, best first."""
    return c.do("non_max_suppression", c["dets"], c["scores"], iou=float(c.arg("iou_threshold")))


def _roi_align(c: Call) -> Value:
    """Of each row of boxes the first number is the image that it lies in."""
    boxes = c["rois"]
    return cells_of_boxes(
        c,
        *(c.x, c.cut(boxes, 1, 1, 5), c.reshape(c.cut(boxes, 1, 0, 1), boxes.dims[:1])),
        cells=(c.count("pooled_height"), c.count("pooled_width")),
        points=max(c.count("sampling_ratio"), 0),
        scale=float(c.arg("spatial_scale")),
        half_pixel=bool(c.arg("aligned")),
    )


def _deform_conv(c: Call) -> Value:
    stride, pad, dilation = ([c.count(f"{name}_{side}") for side in "hw"] for name in ("stride", "pad", "dilation"))
    made = deformed(
        c,
        *(c.x, c["weight"], c["offset"], c["mask"] if c.arg("use_mask") else None),
        stride=stride,
        pad=pad,
        dilation=dilation,
        groups=c.count("groups"),
        moved=c.count("offset_groups"),
    )
    return c.do("add", made, c.reshape(c["bias"], (*c["bias"].dims, 1, 1)))


ROWS = (
    Row("im2col", _im2col),
    Row("col2im", _col2im),
    Row("as_strided", _as_strided),
    Row("as_strided_scatter", _as_strided_scatter),
    Row("torchvision.nms", _suppressed),
    Row("torchvision.roi_align", _roi_align),
    Row("torchvision.deform_conv2d", _deform_conv),
)

"""ONNX's operators on images in other sizes and at other places: Resize, samples at points that are data, boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.box_cells import cells_of_boxes
from anytile.importers.core.deformed import deformed
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.sampling import BORDER, CUBIC, LINEAR, MODES, PADDINGS, ZEROS, sampled_by_grid
from anytile.importers.core.symbolic import array_of
from anytile.importers.onnx.operators.windows import of_channels
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const

# -- other sizes -------------------------------------------------------------------------------------------------------


def _scaled(size: Expr, scale: float) -> Expr:
    """A size times a factor, cut down, exactly."""
    over, under = float(scale).as_integer_ratio()
    return size * over if under == 1 else (size * over) // under


def _resized(
    c: Call, scales: Value | None, sizes: Value | None, axes: Sequence[int], **how: str | float | bool
) -> Value:
    x = c.x
    if sizes is not None:
        if sizes.number is None and str(c.attr("keep_aspect_ratio_policy", "stretch")) == "stretch":
            return _resized_to(c, sizes, axes, **how)
        wanted = c.whole(sizes, "the sizes")
        kept = [(a, n) for a, n in zip(axes, _kept_ratio(c, axes, wanted), strict=True) if x.dims[a].value != n]
        if not kept:
            return x
        return c.do("resize", x, sizes=tuple(n for _, n in kept), axes=tuple(a for a, _ in kept), **how)
    if scales is None:
        raise Refusal("neither scales nor sizes are given")
    by = scales.number
    if by is None:
        return c.do("resize_by", x, scales, axes=tuple(axes), **how)
    changed = [(a, float(s)) for a, s in zip(axes, by.reshape(-1), strict=True) if s != 1]
    if not changed:
        return x
    if any(s <= 0 for _, s in changed):
        raise Refusal(f"scales {by.tolist()}; expected numbers above 0")
    dims = list(x.dims)
    for a, s in changed:
        dims[a] = _scaled(dims[a], s)
    factors = c.graph.constant(np.asarray([s for _, s in changed], np.float32))
    return c.reshape(c.do("resize_by", x, factors, axes=tuple(a for a, _ in changed), **how), dims)


def _resized_to(c: Call, sizes: Value, axes: Sequence[int], **how: str | float | bool) -> Value:
    """To sizes that are computed: axes that surely keep theirs are left alone, and what is an expression stays one."""
    x, found = c.x, sizes.sizes
    if found is None:
        return c.do("resize_by", x, c.cast(sizes, "int64"), axes=tuple(axes), **how)
    changed = {a: n for a, n in zip(axes, found, strict=True) if x.dims[a] != n}
    if not changed:
        return x
    numbers = tuple(n.value for n in changed.values() if n.value is not None)
    if len(numbers) == len(changed):
        return c.do("resize", x, sizes=numbers, axes=tuple(changed), **how)
    by = c.graph.known(array_of(tuple(changed.values())))
    dims = [changed.get(a, dim) for a, dim in enumerate(x.dims)]
    return c.reshape(c.do("resize_by", x, by, axes=tuple(changed), **how), dims)


def _kept_ratio(c: Call, axes: Sequence[int], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes that keep the image's proportions, where these are asked for."""
    policy = str(c.attr("keep_aspect_ratio_policy", "stretch"))
    if policy == "stretch":
        return sizes
    own = [c.size(c.x, a) for a in axes]
    ratios = [n / size for n, size in zip(sizes, own, strict=True)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    made = tuple(math.floor(size * ratio + 0.5) for size in own)
    if any(n / size != ratio for n, size in zip(made, own, strict=True)):
        raise Refusal(f"keep_aspect_ratio_policy={policy}, where {own} to {sizes} is no whole number of elements")
    return made


def _resize(c: Call) -> Value:
    x = c.x
    if c.version < 11:
        return _upsample(c)
    mode, coordinates = str(c.attr("mode", "nearest")), str(c.attr("coordinate_transformation_mode", "half_pixel"))
    axes = [c.axis(a, x.rank) for a in c.ints("axes")] or list(range(x.rank))
    scales, sizes = (v if (v := c.maybe(i)) is not None and v.dims != (const(0),) else None for i in (2, 3))
    if coordinates == "tf_crop_and_resize":
        return _cropped(c, scales, sizes, axes, mode)
    how: dict[str, str | float | bool] = {"mode": mode, "coordinates": coordinates}
    if mode == "nearest":
        how["nearest"] = str(c.attr("nearest_mode", "round_prefer_floor"))
    else:
        how |= {"exclude_outside": bool(c.attr("exclude_outside")), "antialias": bool(c.attr("antialias"))}
    if mode == "cubic":
        how["cubic"] = float(c.attr("cubic_coeff_a", -0.75))
    return _resized(c, scales, sizes, axes, **how)


def _upsample(c: Call) -> Value:
    """Before version 11 the first element of the result is the first one of the tensor."""
    scales = c.maybe(1)
    if scales is None:
        names = ("scales",) if c.version >= 7 else ("height_scale", "width_scale")
        given = [float(n) for name in names for n in np.atleast_1d(c.attr(name))]
        scales = c.graph.constant(np.asarray([1.0] * (c.x.rank - len(given)) + given, np.float32))
    mode = str(c.attr("mode", "nearest"))
    mode = {"bilinear": "linear"}.get(mode, mode)
    return _resized(c, scales, None, range(c.x.rank), mode=mode, coordinates="asymmetric", nearest="floor")


def _cropped(c: Call, scales: Value | None, sizes: Value | None, axes: Sequence[int], mode: str) -> Value:
    """A part of the image in another size: along each axis a product with weights that are known."""
    x, given = c.x, c.maybe(1)
    if given is None or mode != "linear":
        raise Refusal(f"tf_crop_and_resize with mode={mode}; supported is linear, with a roi")
    roi = c.numbers(given, "the roi").reshape(2, -1).astype(np.float64)
    made, beyond = x, np.zeros((1,) * x.rank, np.bool_)
    for at, axis in enumerate(axes):
        size = c.size(x, axis)
        if sizes is not None:
            count = c.whole(sizes, "the sizes")[at]
        else:
            assert scales is not None
            count = math.floor(size * float(c.numbers(scales, "the scales").reshape(-1)[at]))
        c.small(count * size, "weights")
        first, last = roi[:, at] * (size - 1)
        places = first + (last - first) * (np.arange(count) / (count - 1) if count > 1 else np.full(count, 0.5))
        outside = (places < 0) | (places > size - 1)
        beyond = beyond | outside.reshape([-1 if i == axis else 1 for i in range(x.rank)])
        weights = np.maximum(1 - np.abs(places[:, None] - np.arange(size)), 0).astype(x.dtype)
        if count == size and np.array_equal(weights, np.eye(size)):
            continue
        order = [*(i for i in range(x.rank) if i != axis), axis]
        turned = c.do("dense", c.transpose(made, order), c.graph.constant(weights))
        made = c.transpose(turned, np.argsort(order).tolist())
    if not beyond.any():
        return made
    return c.do("where", c.graph.constant(beyond), c.number(c.attr("extrapolation_value", 0.0), x), made)


# -- other places ------------------------------------------------------------------------------------------------------


def _grid_sample(c: Call) -> Value:
    mode = {"bilinear": LINEAR, "bicubic": CUBIC}.get(m := str(c.attr("mode", LINEAR)), m)
    corners, padding = bool(c.attr("align_corners")), str(c.attr("padding_mode", ZEROS))
    if mode not in MODES or padding not in PADDINGS:
        raise Refusal(f"mode={mode}, padding_mode={padding}")
    return sampled_by_grid(c, c.x, c[1], mode, padding, corners, clips=mode == CUBIC and padding == BORDER)


def _affine_grid(c: Call) -> Value:
    """Where the elements of an image of that size lie in another, from -1 to 1 along each dimension."""
    theta, size = c.x, c.whole(c[1], "the size")
    space = size[2:]
    if len(space) not in (2, 3) or min(space) < 1:
        raise Refusal(f"AffineGrid of the size {size}: expected images of 2 or 3 dimensions")
    c.small(math.prod(space) * (len(space) + 1), "a grid")
    along = []
    for n in space:
        at = np.arange(n, dtype=np.float64)
        along.append(at * (2 / max(n - 1, 1)) - 1 if c.attr("align_corners") else (2 * at + 1) / n - 1)
    grid = np.stack([*reversed(np.meshgrid(*along, indexing="ij")), np.ones(space)], axis=-1)
    flat = c.graph.constant(grid.reshape(-1, len(space) + 1).astype(theta.dtype))
    made = c.do("batch_matmul", flat, theta, lhs="mk", rhs="bnk")
    return c.reshape(made, (theta.dims[0], *space, len(space)))


def _deform_conv(c: Call) -> Value:
    x, bias = c.x, c.maybe(3)
    if x.rank != 4:
        raise Refusal(f"DeformConv over {x.rank - 2} dimensions; supported are 2")
    made = deformed(
        c,
        *(x, c[1], c[2], c.maybe(4)),
        stride=c.ints("strides", (1, 1)),
        pad=c.ints("pads", (0, 0, 0, 0)),
        dilation=c.ints("dilations", (1, 1)),
        groups=int(c.attr("group", 1)),
        moved=int(c.attr("offset_group", 1)),
    )
    return made if bias is None else c.do("add", made, of_channels(c, bias, 4))


def _roi_align(c: Call) -> Value:
    half = c.version >= 16 and str(c.attr("coordinate_transformation_mode", "half_pixel")) == "half_pixel"
    return cells_of_boxes(
        c,
        *(c.x, c[1], c[2]),
        cells=(int(c.attr("output_height", 1)), int(c.attr("output_width", 1))),
        points=int(c.attr("sampling_ratio", 0)),
        scale=float(c.attr("spatial_scale", 1.0)),
        half_pixel=half,
        mode=str(c.attr("mode", "avg")),
    )


def _suppressed(c: Call) -> Value:
    most, iou, score = (c.maybe(i) for i in (2, 3, 4))

    def of(value: Value | None, what: str, default: float) -> float:
        return default if value is None else float(c.numbers(value, what).reshape(-1)[0])

    return c.do(
        "non_max_suppression_of_classes",
        *(c.x, c[1]),
        most=int(min(max(of(most, "how many boxes are kept", 0), 0), 2**31)),
        iou=of(iou, "the overlap", 0.0),
        score=of(score, "the least score", -math.inf),
        boxes="center" if c.attr("center_point_box") else "corners",
    )


ROWS = (
    Row("Resize", _resize),
    Row("Upsample", _upsample),
    Row("GridSample", _grid_sample),
    Row("AffineGrid", _affine_grid),
    Row("DeformConv", _deform_conv),
    Row("RoiAlign", _roi_align),
    Row("NonMaxSuppression", _suppressed),
)

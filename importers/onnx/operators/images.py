"""ONNX's operators on images in other sizes and at other places: Resize, samples at points that are data, boxes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
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

_CUBIC = -0.75


class _Sampler:
    """Elements of images (n, groups, channels, d0, d1, ...) at points of [n, groups, points] that are data, between
    which it takes means by their distance. What is outside is 0, or as the padding says."""

    def __init__(self, c: Call, images: Value, padding: str, corners: bool) -> None:
        self.c, self.images, self.padding, self.corners = c, images, padding, corners
        self.size = images.dims[3:]
        self.flat = c.reshape(images, (*images.dims[:3], math.prod(self.size, start=const(1))))

    def _int(self, size: Expr) -> Value:
        return self.c.scalar(size)

    def _float(self, size: Expr, like: Value) -> Value:
        return self.c.cast(self.c.scalar(size), like.dtype)

    def _reflected(self, at: Value, size: Expr) -> Value:
        """Turned back at the borders, as often as need be."""
        c = self.c
        low = c.number(0.0 if self.corners else -0.5, at)
        span = self._float(size - 1 if self.corners else size, at)
        one = c.number(1, at)
        safe = c.do("maximum", span, c.number(1e-30, at))  # of one element with corners, all is that element
        off = c.do("abs", c.do("subtract", at, low))
        turns = c.do("floor", c.do("divide", off, safe))
        rest = c.do("subtract", off, c.do("multiply", turns, safe))
        even = c.do("equal", c.do("fmod", turns, c.number(2, at)), c.number(0, at))
        made = c.do("add", low, c.do("where", even, rest, c.do("subtract", span, rest)))
        last = c.do("subtract", self._float(size, at), one)
        return c.do("minimum", c.do("maximum", made, c.number(0, at)), last)

    def _place(self, at: Value, size: Expr) -> tuple[Value, Value | None]:
        """Whole numbers as places in the image, and whether they are inside, where that matters."""
        c = self.c
        zero, last = c.number(0, at), c.do("subtract", self._float(size, at), c.number(1, at))
        inside = None
        if self.padding == "reflection":
            at = self._reflected(at, size)
        elif self.padding == "zeros":
            inside = c.do("logical_and", c.do("greater_equal", at, zero), c.do("less_equal", at, last))
        held = c.do("minimum", c.do("maximum", at, zero), last)
        return c.cast(held, "int64"), inside

    def element(self, at: Sequence[Value]) -> Value:
        """What stands at whole numbers: [n, groups, channels, points]."""
        c = self.c
        flat: Value | None = None
        inside: Value | None = None
        for place, size in zip(at, self.size, strict=True):
            own, within = self._place(place, size)
            flat = own if flat is None else c.do("add", c.do("multiply", flat, self._int(size)), own)
            if within is not None:
                inside = within if inside is None else c.do("logical_and", inside, within)
        assert flat is not None
        n, groups, points = flat.dims
        channels = self.images.dims[2]
        index = c.broadcast(c.reshape(flat, (n, groups, 1, points)), (n, groups, channels, points))
        made = c.do("take_along", self.flat, index, axis=3)
        if inside is None:
            return made
        return c.do("where", c.reshape(inside, (n, groups, 1, points)), made, c.number(0, made))

    def between(self, at: Sequence[Value], mode: str) -> Value:
        """Means of the elements around points."""
        c = self.c
        if mode == "nearest":
            return self.element([c.do("round", a) for a in at])
        low = [c.do("floor", a) for a in at]
        weights = [self._weights(c.do("subtract", a, b), mode) for a, b in zip(at, low, strict=True)]
        first = 0 if mode == "linear" else -1
        total: Value | None = None
        for tap in itertools.product(range(len(weights[0])), repeat=len(at)):
            places = [c.do("add", b, c.number(t + first, b)) for b, t in zip(low, tap, strict=True)]
            seen = self.element(places)
            for weight, t in zip(weights, tap, strict=True):
                own = weight[t]
                n, groups, points = own.dims
                seen = c.do("multiply", seen, c.reshape(own, (n, groups, 1, points)))
            total = seen if total is None else c.do("add", total, seen)
        assert total is not None
        return total

    def _weights(self, rest: Value, mode: str) -> list[Value]:
        c = self.c
        one = c.number(1, rest)
        if mode == "linear":
            return [c.do("subtract", one, rest), rest]

        def polynomial(x: Value, *factors: float) -> Value:
            made = c.number(factors[0], x)
            for factor in factors[1:]:
                made = c.do("add", c.do("multiply", made, x), c.number(factor, x))
            return made

        a = _CUBIC
        far, near = (a, -5 * a, 8 * a, -4 * a), (a + 2, -(a + 3), 0.0, 1.0)
        left = c.do("subtract", one, rest)
        ends = [c.do("add", v, one) for v in (rest, left)]
        return [polynomial(ends[0], *far), polynomial(rest, *near), polynomial(left, *near), polynomial(ends[1], *far)]


def _inside(c: Call, at: Value, size: Value, corners: bool) -> Value:
    """A point beyond the border is its nearest element."""
    zero, last = c.number(0, at), c.do("subtract", size, c.number(1, size))
    half = c.number(0.0 if corners else 0.5, at)
    low, high = c.do("subtract", zero, half), c.do("add", last, half)
    beyond = c.do("logical_or", c.do("less", at, low), c.do("greater", at, high))
    return c.do("where", beyond, c.do("minimum", c.do("maximum", at, zero), last), at)


def _grid_sample(c: Call) -> Value:
    x, grid = c.x, c[1]
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(m := str(c.attr("mode", "linear")), m)
    corners, padding = bool(c.attr("align_corners")), str(c.attr("padding_mode", "zeros"))
    if mode not in ("nearest", "linear", "cubic") or padding not in ("zeros", "border", "reflection"):
        raise Refusal(f"mode={mode}, padding_mode={padding}")
    n, channels, *size = x.dims
    points = math.prod(grid.dims[1:-1], start=const(1))
    sampler = _Sampler(c, c.reshape(x, (n, 1, channels, *size)), padding, corners)
    at = []
    for i, length in enumerate(size):
        own = c.cut(grid, grid.rank - 1, len(size) - 1 - i, len(size) - i)  # the last dimension of the image first
        own = c.cast(c.reshape(own, (n, 1, points)), x.dtype)
        whole = c.cast(c.scalar(length), x.dtype)
        moved = c.do("add", own, c.number(1, own))
        if corners:
            place = c.do("multiply", moved, c.do("subtract", whole, c.number(1, whole)))
        else:
            place = c.do("subtract", c.do("multiply", moved, whole), c.number(1, whole))
        place = c.do("divide", place, c.number(2, place))
        if mode == "cubic" and padding == "border":
            place = _inside(c, place, whole, corners)
        at.append(place)
    made = sampler.between(at, mode)
    return c.reshape(made, (n, channels, *grid.dims[1:-1]))


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


MOST_GROUPS = 1024  # of a deformable convolution, each of which is a product


def _deform_conv(c: Call) -> Value:
    """A product of the weights with what lies under each tap of the kernel, moved by its offsets."""
    x, w, offset, bias, mask = c.x, c[1], c[2], c.maybe(3), c.maybe(4)
    if x.rank != 4:
        raise Refusal(f"DeformConv over {x.rank - 2} dimensions; supported are 2")
    groups, moved = int(c.attr("group", 1)), int(c.attr("offset_group", 1))
    if not 0 < groups <= MOST_GROUPS:
        raise Refusal(f"DeformConv of {groups} groups; expected 1 to {MOST_GROUPS}")
    kernel = [c.size(w, 2 + i) for i in range(2)]
    strides, dilations = (c.ints(name, (1, 1)) for name in ("strides", "dilations"))
    pads, taps = c.ints("pads", (0, 0, 0, 0)), math.prod(kernel)
    n, channels = x.dims[0], c.size(x, 1)
    high, wide = offset.dims[2:]
    points = high * wide
    sampler = _Sampler(c, c.reshape(x, (n, moved, channels // moved, *x.dims[2:])), "zeros", True)
    offsets = c.reshape(offset, (n, moved, taps, 2, high, wide))
    at = []
    for i in range(2):
        along = c.positions((high, wide)[i])
        start = c.do("subtract", c.do("multiply", along, c.number(strides[i], along)), c.number(pads[i], along))
        start = c.reshape(start, (1, 1, 1, along.dims[0], 1) if i == 0 else (1, 1, 1, 1, along.dims[0]))
        inner = np.indices(kernel)[i].reshape(1, 1, taps, 1, 1) * dilations[i]
        own = c.reshape(c.cut(offsets, 3, i, i + 1), (n, moved, taps, high, wide))
        place = c.do("add", own, c.cast(c.do("add", start, c.graph.constant(inner)), x.dtype))
        at.append(c.reshape(place, (n, moved, points * taps)))
    seen = c.reshape(sampler.between(at, "linear"), (n, moved, channels // moved, taps, points))
    if mask is not None:
        seen = c.do("multiply", seen, c.reshape(mask, (n, moved, 1, taps, points)))
    columns = c.reshape(seen, (n, groups, channels // groups * taps, points))
    kernels = c.size(w, 0)
    weights = c.reshape(w, (groups, kernels // groups, channels // groups * taps))
    each = [
        c.do(
            "batch_matmul",
            c.reshape(c.cut(weights, 0, g, g + 1), (kernels // groups, channels // groups * taps)),
            c.reshape(c.cut(columns, 1, g, g + 1), (n, channels // groups * taps, points)),
            lhs="mk",
        )
        for g in range(groups)
    ]
    made = each[0] if groups == 1 else c.do("concat", *each, axis=1)
    made = c.reshape(made, (n, kernels, high, wide))
    return made if bias is None else c.do("add", made, of_channels(c, bias, 4))


def _roi_align(c: Call) -> Value:
    half = c.version >= 16 and str(c.attr("coordinate_transformation_mode", "half_pixel")) == "half_pixel"
    return c.do(
        "roi_align",
        *(c.x, c[1], c[2]),
        height=int(c.attr("output_height", 1)),
        width=int(c.attr("output_width", 1)),
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

"""max_pool2d and avg_pool2d: the largest element, or the mean, of every window over an image.

Windows are placed as conv2d's, with `ceil=yes` one more where the last elements would be left out, unless it would
start behind them. What lies outside the image never counts for a maximum; a mean counts padding, not what a window
needs beyond it, or with `count=image` neither.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import NUMBERS
from anytile.schedules.index.expr import Expr, ExprLike, ceildiv, const, expr, maximum, minimum
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    numbers,
    wide,
)

_INPUT = {"nchw": ("n", "c", "h", "w"), "nhwc": ("n", "h", "w", "c")}
_OUTPUT = {"nchw": ("n", "c", "oh", "ow"), "nhwc": ("n", "oh", "ow", "c")}
MOST_TAPS = 1024


def geometry(attributes: Attributes) -> tuple[tuple[int, int, int, int, int], ...]:
    """(kernel, stride, dilation, padding before, padding after) of rows and of columns."""
    top, left, bottom, right = numbers(attributes, "pad")
    each = (numbers(attributes, name) for name in ("kernel", "stride", "dilation"))
    return tuple(zip(*each, (top, left), (bottom, right), strict=True))


def windows(size: ExprLike, at: tuple[int, int, int, int, int], ceil: bool) -> Expr:
    """How many windows there are along one dimension."""
    kernel, stride, dilation, before, after = at
    room = expr(size) + (before + after) - dilation * (kernel - 1) - 1
    if not ceil:
        return room // stride + 1
    return minimum(ceildiv(room, stride) + 1, ceildiv(expr(size) + before, stride))


def taps(window: Expr, size: Expr, at: tuple[int, int, int, int, int], padding: bool) -> Expr:
    """How many elements of a window count: those in the image, or with `padding` those in it and the padding."""
    kernel, stride, dilation, before, after = at
    start = window * stride
    low, high = (const(0), size + before + after) if padding else (const(before), size + before)
    return maximum(minimum(ceildiv(high - start, dilation), kernel) - maximum(ceildiv(low - start, dilation), 0), 0)


def _form(attributes: Attributes) -> Form:
    layout, ceil = str(attributes["layout"]), bool(attributes["ceil"])
    rows, columns = geometry(attributes)
    return Form(
        ("n", "c", "h", "w"),
        (TensorSpec("x", _INPUT[layout]), TensorSpec("y", _OUTPUT[layout], output=True)),
        {"oh": lambda s: windows(s["h"], rows, ceil), "ow": lambda s: windows(s["w"], columns, ceil)},
    )


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    kh, kw = numbers(attributes, "kernel")
    if kh * kw > MOST_TAPS:
        return f"a window of {kh}x{kw} elements; expected at most {MOST_TAPS}"
    ceil = bool(attributes["ceil"])
    for name, at in zip(("h", "w"), geometry(attributes), strict=True):
        kernel, _, dilation, before, after = at
        extent, reach = size[name], dilation * (kernel - 1) + 1
        if max(before, after) >= reach:
            return f"padding of {max(before, after)} along {name} leaves windows of {reach} without an element"
        if extent is not None and (windows(extent, at, ceil).value or 0) < 1:
            return f"a window reaches over {reach} elements, but {name} with its padding has {extent + before + after}"
    return None


def _seen(inputs: Mapping[str, Array], attributes: Attributes, outside: float) -> tuple[list[Array], Array]:
    """Each tap of all windows, channels second, with `outside` around the image; and how many taps count."""
    x = wide(inputs["x"])
    x = x if attributes["layout"] == "nchw" else x.transpose(0, 3, 1, 2)
    both, ceil = geometry(attributes), bool(attributes["ceil"])
    sizes = x.shape[2:]
    counts = [max(windows(s, at, ceil).value or 0, 0) for s, at in zip(sizes, both, strict=True)]
    around = [(0, 0), (0, 0)]
    for count, s, (kernel, stride, dilation, before, _) in zip(counts, sizes, both, strict=True):
        around.append((before, max((count - 1) * stride + dilation * (kernel - 1) + 1 - s - before, 0)))
    x = np.pad(x, around, constant_values=outside)
    found = []
    (kh, sh, dh, _, _), (kw, sw, dw, _, _) = both
    for i in range(kh):
        for j in range(kw):
            rows = slice(i * dh, i * dh + max(counts[0] - 1, 0) * sh + 1, sh)
            found.append(
                x[:, :, rows, j * dw : j * dw + max(counts[1] - 1, 0) * sw + 1 : sw][:, :, : counts[0], : counts[1]]
            )
    padding = attributes.get("count") == "padding"
    along = [
        [taps(const(i), const(s), at, padding).value or 0 for i in range(count)]
        for s, at, count in zip(sizes, both, counts, strict=True)
    ]
    return found, np.outer(*(np.asarray(a, np.float64) for a in along))


def _placed(y: Array, attributes: Attributes) -> tuple[Array, ...]:
    return (np.ascontiguousarray(y if attributes["layout"] == "nchw" else y.transpose(0, 2, 3, 1)),)


def _max(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = inputs["x"]
    lowest = -np.inf if is_float(x.dtype) else int(np.iinfo(x.dtype).min)
    found, _ = _seen(inputs, attributes, lowest)
    return _placed(np.maximum.reduce(found), attributes)


def _mean(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    found, count = _seen(inputs, attributes, 0.0)
    with np.errstate(all="ignore"):
        return _placed(sum(found[1:], found[0]) / count, attributes)


_ATTRIBUTES = (
    Attribute("kernel", "ints", (2, 2), "the window: rows, columns", least=1, count=2),
    Attribute("stride", "ints", (2, 2), "steps of the window", least=1, count=2),
    Attribute("pad", "ints", (0, 0, 0, 0), "around the image: top, left, bottom, right", least=0, count=4),
    Attribute("dilation", "ints", (1, 1), "distance of the window's elements", least=1, count=2),
    Attribute("ceil", "bool", False, "whether a last window may reach beyond the padding"),
    Attribute("layout", "str", "nchw", "the order of the images' dimensions", words=("nchw", "nhwc")),
)


def _flops(s: Mapping[str, int], attributes: Attributes) -> int:
    kh, kw = numbers(attributes, "kernel")
    return s["n"] * s["c"] * s["oh"] * s["ow"] * kh * kw


MAX_POOL2D = Operator(
    name="max_pool2d",
    summary="y[n, c, oh, ow] = max_{i, j} x[n, c, oh*stride + i*dilation - pad, ...]",
    form=_form,
    flops=_flops,
    reference=_max,
    attributes=_ATTRIBUTES,
    dtypes=NUMBERS,
    objection=_objection,
    about="The largest element of every window; `pad` as in `conv2d`, `ceil` for a last window that reaches beyond it.",
    section="Reductions",
    examples=("max_pool2d(n=?a, c=?b, h=?c, w=?d, kernel=3x2, stride=2x1, pad=1x0)",),
    calls=(Call(windows=("oh", "ow"), examples=(example("(?b, 2, 8, 9)", kernel=3, pad=1, ceil=True),)),),
)
AVG_POOL2D = Operator(
    name="avg_pool2d",
    summary="y[n, c, oh, ow] = mean_{i, j} x[n, c, oh*stride + i*dilation - pad, ...]",
    form=_form,
    flops=_flops,
    reference=_mean,
    attributes=(*_ATTRIBUTES, Attribute("count", "str", "padding", "what a mean counts", words=("padding", "image"))),
    objection=_objection,
    about='The mean of every window, over its padding too, or with `count="image"` over what lies in the image alone.',
    section="Reductions",
    examples=("avg_pool2d(n=?a, c=?b, h=?c, w=?d, kernel=3x2, stride=2x1, pad=1x0, layout=nhwc)",),
    calls=(Call(windows=("oh", "ow"), examples=(example("(?b, 2, 8, 9)", kernel=(2, 3), count="image"),)),),
)

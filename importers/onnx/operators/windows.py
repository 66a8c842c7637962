"""ONNX's windows: convolutions forwards and backwards, pools, over images of one to three dimensions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.pooled import MOST_TAPS, Windows, largest_of_windows
from anytile.importers.onnx.operators.scaled import product_of_integers
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const, maximum, product


def _auto_pad(c: Call) -> str:
    return str(c.attr("auto_pad", "NOTSET") or "NOTSET")


def _shared(total: int, upper: bool) -> tuple[int, int]:
    """Padding before and behind, the odd one behind with SAME_UPPER."""
    less, more = total // 2, total - total // 2
    return (less, more) if upper else (more, less)


def _pads(c: Call, x: Value, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> list[int]:
    """All begins, then all ends."""
    auto, count = _auto_pad(c), len(kernel)
    if auto == "NOTSET":
        return list(c.ints("pads", (0,) * (2 * count)))
    if auto == "VALID":
        return [0] * (2 * count)
    begins, ends = [], []
    for i in range(count):
        window = (kernel[i] - 1) * dilations[i] + 1
        size = x.dims[2 + i].value
        if size is None and strides[i] > 1:
            known = {_before(const(rest), window, strides[i], auto).value or 0 for rest in range(strides[i])}
            if len(known) > 1:
                c.size(x, 2 + i)
            begin = min(known)
            end = window - 1 - begin  # what is behind the last window that SAME has is in no window
        else:
            rest = 0 if size is None else -size % strides[i]
            begin, end = _shared(max(window - strides[i] + rest, 0), auto == "SAME_UPPER")
        begins.append(begin)
        ends.append(end)
    return begins + ends


def _before(rest: Expr, window: int, stride: int, auto: str) -> Expr:
    """How much SAME puts before an image to whose size a rest is missing up to a multiple of the stride."""
    total = maximum(rest + (window - stride), 0)
    return (total + (auto == "SAME_LOWER")) // 2


def _begins_by_size(
    c: Call, x: Value, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> dict[int, Expr]:
    """Dimensions of windows before which SAME puts what follows from the image's size, which is not known; and what."""
    auto, found = _auto_pad(c), dict[int, Expr]()
    for i, (k, stride, dilation) in enumerate(zip(kernel, strides, dilations, strict=True)):
        window, size = (k - 1) * dilation + 1, x.dims[2 + i]
        rests = range(stride) if size.value is None and auto.startswith("SAME") else ()
        if len({_before(const(rest), window, stride, auto) for rest in rests}) > 1:
            found[i] = _before((size * (stride - 1)) % stride, window, stride, auto)
    return found


def _filled(
    c: Call, x: Value, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], value: float
) -> tuple[Value, list[int]]:
    """Images, and the pads that are still to be put around them: what SAME puts before an image of unknown size, where
    that follows from the size, is there already."""
    begins = _begins_by_size(c, x, kernel, strides, dilations)
    if not begins:
        return x, _pads(c, x, kernel, strides, dilations)
    for i, begin in begins.items():
        around = (kernel[i] - 1) * dilations[i]
        x = c.filled_up(x, 2 + i, (begin, around - begin), c.number(value, x))
    inner = [1 if i in begins else k for i, k in enumerate(kernel)]
    return x, _pads(c, x, inner, [1 if i in begins else n for i, n in enumerate(strides)], dilations)


def _space(c: Call, x: Value) -> int:
    """How many dimensions images have."""
    if x.rank not in (3, 4, 5):
        raise Refusal(f"{c.op} over {x.rank - 2} dimensions; supported are 1 to 3")
    return x.rank - 2


def _steps(c: Call, name: str, count: int) -> tuple[int, ...]:
    found = c.ints(name, (1,) * count)
    if len(found) != count:
        raise Refusal(f"{name}={found} of images of {count} dimensions")
    return found


_FLOATS = ("float32", "float64", "float16")


# -- convolutions ------------------------------------------------------------------------------------------------------


def _kernel(c: Call, w: Value, count: int) -> list[int]:
    """The size of the weights' windows, which the attribute may only repeat."""
    kernel = [c.size(w, 2 + i) for i in range(count)]
    if c.ints("kernel_shape", kernel) != tuple(kernel):
        raise Refusal(f"kernel_shape={c.ints('kernel_shape')} of weights {w.shaped}")
    return kernel


def convolved(c: Call, x: Value, w: Value) -> Value:
    """The convolution that the attributes say, without a bias."""
    count = _space(c, x)
    kernel = _kernel(c, w, count)
    strides, dilations = (_steps(c, name, count) for name in ("strides", "dilations"))
    x, pads = _filled(c, x, kernel, strides, dilations, 0)
    groups = int(c.attr("group", 1))
    x = c.as_large(x, 1, w.dims[1] * groups)
    return c.do(f"conv{count}d", x, w, stride=strides, dilation=dilations, pad=tuple(pads), groups=groups)


def of_channels(c: Call, v: Value, rank: int) -> Value:
    """A vector as what it is to images: a number for each channel."""
    return c.reshape(v, (*v.dims, *[1] * (rank - 2)))


def _biased(c: Call, y: Value, bias: Value | None) -> Value:
    return y if bias is None else c.do("add", y, of_channels(c, bias, y.rank))


def convolution(c: Call) -> Value:
    """The convolution with its bias, of whole numbers times a scale as one of those."""

    def spread(v: Value) -> Value:
        return of_channels(c, v, c.x.rank)

    whole = product_of_integers(c, c.x, c[1], functools.partial(convolved, c), 0, spread)
    return _biased(c, convolved(c, c.x, c[1]) if whole is None else whole, c.maybe(2))


def _conv_transpose(c: Call) -> Value:
    x, w = c.x, c[1]
    count = _space(c, x)
    kernel = _kernel(c, w, count)
    strides, dilations = (_steps(c, name, count) for name in ("strides", "dilations"))
    more = list(c.ints("output_padding", (0,) * count))
    auto, wanted = _auto_pad(c), c.ints("output_shape")[-count:]
    begins, ends = [0] * count, [0] * count
    if auto == "NOTSET" and not wanted:
        pads = c.ints("pads", (0,) * (2 * count))
        begins, ends = list(pads[:count]), list(pads[count:])
    elif auto != "VALID" or wanted:
        for i in range(count):
            beyond = (kernel[i] - 1) * dilations[i] + 1 + more[i] - strides[i]  # of the image times its strides
            total = beyond if not wanted else beyond + strides[i] * c.size(x, 2 + i) - wanted[i]
            begins[i], ends[i] = _shared(max(total, 0), auto == "SAME_UPPER")
            more[i] += max(-total, 0)
    made = c.do(
        "conv_transpose",
        *(c.as_large(x, 1, w.dims[0]), w),
        stride=strides,
        dilation=dilations,
        pad=(*begins, *ends),
        groups=int(c.attr("group", 1)),
        more=tuple(more),
    )
    return _biased(c, made, c.maybe(2))


def _col2im(c: Call) -> Value:
    """Each column is an element of the image of a convolution backwards, whose kernel is one element a channel."""
    x = c.x
    image, block = (c.whole(c[i], what) for i, what in ((1, "the image's shape"), (2, "the block's shape")))
    count, taps = len(image), math.prod(block)
    strides, dilations = (_steps(c, name, count) for name in ("strides", "dilations"))
    pads = c.ints("pads", (0,) * (2 * count))
    size = [
        (n + pads[i] + pads[count + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1
        for i, n in enumerate(image)
    ]
    channels = c.size(x, 1) // taps
    c.small(channels * taps * taps, "a kernel")
    columns = c.reshape(x, (x.dims[0], channels * taps, *size))
    kernel = np.tile(np.eye(taps, dtype=x.dtype), (channels, 1)).reshape(channels * taps, 1, *block)
    reached = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(size, strides, block, dilations, strict=True)]
    more = [n + pads[i] + pads[count + i] - reached[i] for i, n in enumerate(image)]
    return c.do(
        "conv_transpose",
        columns,
        c.graph.constant(kernel),
        stride=strides,
        dilation=dilations,
        pad=pads,
        groups=channels,
        more=tuple(more),
    )


# -- pools -------------------------------------------------------------------------------------------------------------


def _pool(c: Call, name: str, x: Value, **attrs: str) -> Value:
    count = _space(c, x)
    kernel = c.ints("kernel_shape")
    strides, dilations = (_steps(c, n, count) for n in ("strides", "dilations"))
    if name == "max_pool2d" and x.dtype not in _FLOATS:
        pads = _pads(c, x, kernel, strides, dilations)
    else:
        x, pads = _filled(c, x, kernel, strides, dilations, 0 if name == "avg_pool2d" else -math.inf)
    ceil = bool(c.attr("ceil_mode")) and not _auto_pad(c).startswith("SAME")

    def over(image: Value, *axes: int | None) -> Value:
        """Along two dimensions at once, of which one may stay as it is."""

        def of(numbers: Sequence[int], otherwise: int, begin: int = 0) -> tuple[int, ...]:
            return tuple(otherwise if a is None else numbers[begin + a] for a in axes)

        return c.do(
            name,
            image,
            kernel=of(kernel, 1),
            stride=of(strides, 1),
            dilation=of(dilations, 1),
            pad=(*of(pads, 0), *of(pads, 0, count)),
            ceil=ceil,
            **attrs,
        )

    n, channels, *size = x.dims
    if count == 1:
        return c.reshape(made := over(c.reshape(x, (n, channels, 1, *size)), None, 0), (*made.dims[:2], made.dims[3]))
    first = count - 2  # of the last two dimensions
    flat = c.reshape(x, (n, math.prod((channels, *size[:-2]), start=const(1)), *size[-2:]))
    if math.prod(kernel[first:]) <= MOST_TAPS:
        flat = over(flat, first, first + 1)
    else:  # of extremes and of means of windows, one is that of those along one dimension
        flat = over(over(flat, first, None), None, first + 1)
    plane = flat.dims[2:]
    if count == 2:
        return c.reshape(flat, (n, channels, *plane))
    deep = c.reshape(flat, (n, channels, size[0], math.prod(plane, start=const(1))))
    deep = over(deep, 0, None)
    return c.reshape(deep, (n, channels, deep.dims[2], *plane))


def max_pool(c: Call) -> Value | tuple[Value, ...]:
    """The largest of each window, and where they are, if anybody reads that."""
    return _pool(c, "max_pool2d", c.x) if c.count < 2 else _max_pool_indices(c)


def _max_pool_indices(c: Call) -> tuple[Value, ...]:
    """The largest of each window, and where it is in the tensor."""
    x = c.x
    count = _space(c, x)
    if x.dtype not in _FLOATS:
        raise Refusal(f"the second result of MaxPool, indices, of {x.dtype}")
    kernel = c.ints("kernel_shape")
    strides, dilations = (_steps(c, n, count) for n in ("strides", "dilations"))
    pads = _pads(c, x, kernel, strides, dilations)
    windows = Windows(kernel, tuple(strides), tuple(dilations), tuple(pads), bool(c.attr("ceil_mode")))
    best, where = largest_of_windows(c, x, windows, columns_first=bool(c.attr("storage_order")))
    n, channels, *size = x.dims
    starts = c.do("multiply", c.positions(n * channels), c.scalar(product(size)))
    return best, c.do("add", where, c.reshape(starts, (n, channels, *[1] * count)))


def _max_unpool(c: Call) -> Value:
    """Elements go where the indices say; nothing is 0."""
    x, index, given = c.x, c[1], c.maybe(2)
    count = _space(c, x)
    kernel, strides, pads = c.ints("kernel_shape"), _steps(c, "strides", count), c.ints("pads", (0,) * (2 * count))
    size: list[Expr] = [
        (x.dims[2 + i] - 1) * strides[i] + (kernel[i] - pads[i] - pads[count + i]) for i in range(count)
    ]
    whole = [*x.dims[:2], *size]
    total, elements = (math.prod(dims, start=const(1)) for dims in (whole, x.dims))
    zeros = c.broadcast(c.number(0, x), (total,))
    flat = c.do("scatter", zeros, c.reshape(index, (elements,)), c.reshape(x, (elements,)), axis=0)
    made = c.reshape(flat, whole)
    if given is None:
        return made
    wanted = c.whole(given, "the result's shape")
    after = [n - c.size(made, i) for i, n in enumerate(wanted)]
    if min(after) < 0:
        raise Refusal(f"a result of the shape {wanted}; expected at least {made.shaped}")
    return c.do("pad", made, before=(0,) * made.rank, after=tuple(after))


def _average_pool(c: Call) -> Value:
    return average_pooled(c, c.x)


def average_pooled(c: Call, x: Value) -> Value:
    """Means of the windows that the attributes say."""
    if c.attr("count_include_pad"):
        return _pool(c, "avg_pool2d", x, count="padding")
    count = _space(c, x)
    strides, dilations = (_steps(c, n, count) for n in ("strides", "dilations"))
    if not _begins_by_size(c, x, c.ints("kernel_shape"), strides, dilations):
        return _pool(c, "avg_pool2d", x, count="image")
    # what is put around images counts in both, and goes
    ones = c.broadcast(c.number(1, x), (const(1), const(1), *x.dims[2:]))
    return c.do("divide", *(_pool(c, "avg_pool2d", of, count="padding") for of in (x, ones)))


def _to_power(c: Call, x: Value, p: float) -> Value:
    """The absolute value to a power."""
    if p == 1:
        return c.do("abs", x)
    return c.do("square", x) if p == 2 else c.do("pow", c.do("abs", x), c.number(p, x))


def _root(c: Call, x: Value, p: float) -> Value:
    if p == 1:
        return x
    return c.do("sqrt", x) if p == 2 else c.do("pow", x, c.number(1 / p, x))


def _lp_pool(c: Call) -> Value:
    x, p = c.x, float(c.attr("p", 2))
    if c.attr("ceil_mode"):
        raise Refusal("LpPool with ceil_mode=1")
    mean = _pool(c, "avg_pool2d", _to_power(c, x, p), count="padding")
    return _root(c, c.do("multiply", mean, c.number(math.prod(c.ints("kernel_shape")), x)), p)


def _global_lp(c: Call) -> Value:
    x, p = c.x, float(c.attr("p", 2))
    return _root(c, c.do("sum", _to_power(c, x, p), axis=tuple(range(2, x.rank)), keepdims=True), p)


ROWS = (
    Row("Conv", convolution),
    Row("ConvTranspose", _conv_transpose),
    Row("Col2Im", _col2im),
    Row("MaxPool", max_pool),
    Row("MaxUnpool", _max_unpool),
    Row("AveragePool", _average_pool),
    Row("LpPool", _lp_pool),
    Row("GlobalLpPool", _global_lp),
)

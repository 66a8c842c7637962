"""ONNX's operators on signals: Fourier transforms, windows, mel weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.proto.call import Call, Row
from anytile.importers.onnx.proto.dtypes import dtype_name

MOST_BANDS = 2**12  # that mel weights have, of as many waves


def _dft(c: Call) -> Value:
    x, given, axis = c.x, c.maybe(1), c.attr("axis", 1)
    if c.version >= 20:
        axis = -2 if c.maybe(2) is None else c.whole(c[2], "the axis")[0]
    axis = c.axis(axis, x.rank)
    if axis == x.rank - 1:
        raise Refusal("DFT along the dimension of real and imaginary parts")
    order = [*(i for i in range(x.rank - 1) if i != axis), axis, x.rank - 1]
    size = 0 if given is None else _at_least_one(c.whole(given, "the length of the transform")[0])
    made = _transformed(c, c.transpose(x, order), size, bool(c.attr("inverse")), bool(c.attr("onesided")))
    return c.transpose(made, np.argsort(order).tolist())


def _at_least_one(size: int) -> int:
    if size < 1:
        raise Refusal(f"a Fourier transform of {size} elements; expected at least 1")
    return size


def _transformed(c: Call, x: Value, size: int, inverse: bool, half: bool) -> Value:
    """Of the last but one dimension."""
    wide = x.dtype if x.dtype == "float64" else "float32"
    return c.cast(c.do("fourier", c.cast(x, wide), size=size, inverse=inverse, half=half), x.dtype)


def _stft(c: Call) -> Value:
    """Transforms of frames, which are cut out of the signal and weighed by a window."""
    x, window, length = c.x, c.maybe(2), c.maybe(3)
    (step,) = c.whole(c[1], "the step between frames")
    if length is not None:
        (count,) = c.whole(length, "the length of a frame")
    elif window is not None:
        count = c.size(window, 0)
    else:
        raise Refusal("STFT with neither a window nor a length of frames")
    if step < 1 or count < 1:
        raise Refusal(f"frames of {count} every {step}; expected at least 1")
    if x.rank == 2:
        x = c.reshape(x, (*x.dims, 1))
    frames = (c.size(x, 1) - count) // step + 1
    c.small(frames * count, "frames")
    places = (step * np.arange(frames)[:, None] + np.arange(count)).reshape(-1)
    cut = c.do("take", x, c.graph.constant(places), axis=1)
    cut = c.reshape(cut, (x.dims[0], frames, count, x.dims[2]))
    if window is not None:
        cut = c.do("multiply", cut, c.reshape(window, (count, 1)))
    return _transformed(c, cut, 0, False, bool(c.attr("onesided", 1)))


def _mel_weights(c: Call) -> Value:
    """Triangles over the waves of a transform, whose corners are as far apart as an ear hears."""
    bins, length, rate = (c.whole(c[i], f"input {i}")[0] for i in range(3))
    ends = np.asarray([c.numbers(c[i], f"input {i}").reshape(-1)[0] for i in (3, 4)], np.float64)
    low, high = 2595 * np.log10(1 + ends / 700)
    if not 0 < bins <= MOST_BANDS or not 0 < length <= MOST_BANDS or rate < 1:
        raise Refusal(f"{bins} bands of {length} elements at {rate} a second: expected 1 to {MOST_BANDS}")
    corners = np.linspace(low, high, bins + 2, endpoint=False)
    at = np.floor((length + 1) * 700 * (10 ** (corners / 2595) - 1) / rate).astype(np.int64)
    waves = np.arange(length // 2 + 1)[:, None]
    first, middle, last = at[:-2], at[1:-1], at[2:]
    rising = np.where(middle > first, (waves - first) / np.maximum(middle - first, 1), waves == middle)
    falling = np.where(last > middle, (last - waves) / np.maximum(last - middle, 1), 0)
    made = np.where((waves >= first) & (waves <= middle), rising, 0)
    made = np.where((waves >= middle) & (waves < last), falling, made)
    return c.graph.constant(made.astype(dtype_name(c.attr("output_datatype", 1))))


def _window(weights: tuple[float, ...]) -> Callable[[Call], Value]:
    """sum_k weights[k] * cos(2 pi k n / size), of a size that is known."""

    def means(c: Call) -> Value:
        size = c.small(c.whole(c[0], "the size of a window")[0], "a window")
        whole = size if c.attr("periodic", 1) else size - 1
        angle = 2 * np.pi * np.arange(size) / whole
        made = sum(w * np.cos(k * angle) for k, w in enumerate(weights))
        return c.graph.constant(np.asarray(made, dtype_name(c.attr("output_datatype", 1))))

    return means


ROWS = (
    Row("DFT", _dft),
    Row("STFT", _stft),
    Row("MelWeightMatrix", _mel_weights),
    Row("HannWindow", _window((0.5, -0.5))),
    Row("HammingWindow", _window((25 / 46, -21 / 46))),
    Row("BlackmanWindow", _window((0.42, -0.5, 0.08))),
)

"""Deformable convolution: a product of weights with what lies under each tap of the kernel, moved by its offsets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.sampling import LINEAR, ZEROS, Sampler
from anytile.importers.core.writer import Writer

MOST_GROUPS = 1024  # each of which is a product


def deformed(
    w: Writer,
    x: Value,
    weights: Value,
    offset: Value,
    mask: Value | None,
    *,
    stride: Sequence[int],
    pad: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    moved: int,
) -> Value:
    """The convolution of images (n, channels, h, w), of whose channels `moved` groups have offsets of their own."""
    if not 0 < groups <= MOST_GROUPS:
        raise Refusal(f"a deformable convolution of {groups} groups; expected 1 to {MOST_GROUPS}")
    kernel = [w.size(weights, 2 + i) for i in range(2)]
    taps = math.prod(kernel)
    n, channels = x.dims[0], w.size(x, 1)
    high, wide = offset.dims[2:]
    points = high * wide
    sampler = Sampler(w, w.reshape(x, (n, moved, channels // moved, *x.dims[2:])), ZEROS, corners=True)
    offsets = w.reshape(offset, (n, moved, taps, 2, high, wide))
    at = []
    for i in range(2):
        along = w.positions((high, wide)[i])
        start = w.do("subtract", w.do("multiply", along, w.number(stride[i], along)), w.number(pad[i], along))
        start = w.reshape(start, (1, 1, 1, along.dims[0], 1) if i == 0 else (1, 1, 1, 1, along.dims[0]))
        inner = np.indices(kernel)[i].reshape(1, 1, taps, 1, 1) * dilation[i]
        own = w.reshape(w.cut(offsets, 3, i, i + 1), (n, moved, taps, high, wide))
        place = w.do("add", own, w.cast(w.do("add", start, w.graph.constant(inner)), x.dtype))
        at.append(w.reshape(place, (n, moved, points * taps)))
    seen = w.reshape(sampler.at(at, LINEAR), (n, moved, channels // moved, taps, points))
    if mask is not None:
        seen = w.do("multiply", seen, w.reshape(mask, (n, moved, 1, taps, points)))
    columns = w.reshape(seen, (n, groups, channels // groups * taps, points))
    kernels = w.size(weights, 0)
    by_group = w.reshape(weights, (groups, kernels // groups, channels // groups * taps))
    each = [
        w.do(
            "batch_matmul",
            w.reshape(w.cut(by_group, 0, g, g + 1), (kernels // groups, channels // groups * taps)),
            w.reshape(w.cut(columns, 1, g, g + 1), (n, channels // groups * taps, points)),
            lhs="mk",
        )
        for g in range(groups)
    ]
    made = each[0] if groups == 1 else w.do("concat", *each, axis=1)
    return w.reshape(made, (n, kernels, high, wide))

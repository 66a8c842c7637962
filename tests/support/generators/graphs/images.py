"""Steps over images: convolutions, pools, other sizes, blocks of pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.support.generators.graphs.growth import FLOATS, Growth, Step, Value
from tests.support.generators.graphs.operands import fits, need


def conv(g: Growth, x: Value) -> None:
    """One or two dimensions, in groups, with a norm or an activation behind."""
    need(x.dtype in FLOATS and x.rank in (3, 4) and x.dim(1) is not None)
    c, spatial = x.dim(1) or 0, x.rank - 2
    groups = g.rng.choice([k for k in (1, 1, 2, c) if k and c % k == 0] or [1])
    out = groups * g.rng.choice((1, 2, 4, 8))
    kernel = [g.rng.choice((1, 2, 3, 3, 5)) for _ in range(spatial)]
    attributes: dict[str, object] = {"group": groups, "strides": [g.rng.choice((1, 1, 2)) for _ in range(spatial)]}
    if g.chance(0.3):
        attributes["auto_pad"] = g.rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    else:
        attributes["pads"] = [g.rng.randint(0, k // 2) for k in kernel * 2]
        attributes["dilations"] = [g.rng.choice((1, 1, 2)) for _ in range(spatial)]
    scale = 1 / math.sqrt(max(1, c // groups * math.prod(kernel)))
    bias = [g.floats(out, like=x)] if g.chance(0.6) else []
    if g.chance(0.2):
        attributes.pop("auto_pad", None)
        shape = (c, max(1, out // groups), *kernel)
        bias = [g.floats(shape[1] * groups, like=x)] if bias else []
        g.one("ConvTranspose", x, g.floats(*shape, like=x, scale=scale), *bias, **attributes)
        return
    y = g.one("Conv", x, g.floats(out, c // groups, *kernel, like=x, scale=scale), *bias, **attributes)
    if g.chance(0.3):
        scale_, shift, mean = (g.floats(out, like=x) for _ in range(3))
        y = g.one("BatchNormalization", y, scale_, shift, mean, g.const(g.arrays.random(out) + 0.5, x.dtype))
    act = g.rng.choice(("none", "Relu", "HardSwish", "Sigmoid", "clip", "silu", "residual"))
    if act == "clip":
        y = g.one("Clip", y, g.const(0, x.dtype), g.const(6, x.dtype))
    elif act == "silu":
        y = g.one("Mul", y, g.one("Sigmoid", y))
    elif act == "residual":
        alike = [v for v in g.values.values() if v.dtype == y.dtype and not v.is_const and v is not y and fits(v, y)]
        if alike:
            y = g.one("Relu", g.one("Add", g.rng.choice(alike), y))
    elif act != "none":
        y = g.one(act, y)
    if g.chance(0.2):
        pooled = g.one("GlobalAveragePool", y)
        n = y.dim(1) or 0
        gate = g.one("Conv", pooled, g.floats(n, n, *(1,) * spatial, like=x, scale=1 / math.sqrt(n)))
        g.one("Mul", y, g.one("Sigmoid", gate))


def pool(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS and x.rank in (3, 4))
    spatial = x.rank - 2
    kernel = [g.rng.choice((1, 2, 2, 3, 3, 5)) for _ in range(spatial)]
    attributes: dict[str, object] = {"kernel_shape": kernel, "strides": [g.rng.choice((1, 2, 2, 3)) for _ in kernel]}
    if g.chance(0.25):
        attributes["auto_pad"] = g.rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
        # Where windows are shorter than steps there is less than none to pad, and onnxruntime cuts that away.
        attributes["strides"] = [min(k, 2) for k in kernel]
    else:
        attributes["pads"] = [g.rng.randint(0, (k - 1) // 2) for k in kernel * 2]
        attributes["ceil_mode"] = int(g.chance(0.3))
    op = g.rng.choice(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"))
    if op == "LpPool":
        attributes.pop("ceil_mode", None)
    if not attributes.get("ceil_mode"):  # or onnxruntime finds a window where none fits, as it rounds towards zero
        need(all(n >= k for a in x.at for n, k in zip(a.shape[2:], kernel, strict=True)))
    if op.startswith("Global"):
        g.one(op, x)
        return
    if op == "AveragePool":
        attributes["count_include_pad"] = g.rng.randrange(2)
    g.one(op, x, **attributes)


def resize(g: Growth, x: Value) -> None:
    need(x.dtype in FLOATS and x.rank in (3, 4) and x.least(2) > 0)
    spatial = x.rank - 2
    mode = g.rng.choice(("nearest", "linear", "cubic"))
    if mode == "cubic" and spatial != 2:
        mode = "linear"
    how = g.rng.choice(("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
    near = g.rng.choice(("floor", "round_prefer_floor", "ceil", "round_prefer_ceil"))
    words: dict[str, object] = {"mode": mode, "coordinate_transformation_mode": how}
    whole = how == "align_corners"  # of others onnxruntime counts elements of the result, the standard parts of them
    if mode == "nearest":
        words["nearest_mode"] = near
    if g.chance(0.6):
        scales = [
            1.0,
            1.0,
            *(g.rng.choice((2.0, 3.0, 1.0) if whole else (2.0, 2.0, 3.0, 0.5, 1.5, 1.0)) for _ in range(spatial)),
        ]
        g.one("Resize", x, None, g.const(scales, "float32"), **words)
    elif g.chance(0.5):
        need(x.dim(0) is not None and x.dim(1) is not None)
        sizes = [x.dim(0) or 0, x.dim(1) or 0, *(g.rng.choice((1, 4, 7, 9)) for _ in range(spatial))]
        need(mode != "nearest" or not _hangs(x, sizes[2:], how, near))
        g.one("Resize", x, None, None, g.ints(*sizes), **words)
    else:
        shape = g.one("Shape", x)
        kept = g.one("Slice", shape, g.ints(0), g.ints(2), g.ints(0))
        grown = g.one("Mul", g.one("Slice", shape, g.ints(2), g.ints(x.rank), g.ints(0)), g.ints(*(2,) * spatial))
        g.one("Resize", x, None, None, g.one("Concat", kept, grown, axis=0), **words)


def _hangs(x: Value, sizes: Sequence[int], how: str, near: str) -> bool:
    """Whether a place of a nearest element, which onnxruntime finds in float32, is where it rounds either way."""
    shift, tie = (0.5 if how.endswith("half_pixel") else 0.0), (0.5 if near.startswith("round") else 0.0)
    for n, out in ((n, out) for a in x.at for n, out in zip(a.shape[2:], sizes, strict=True)):
        steps = (n - 1) / max(out - 1, 1) if how == "align_corners" else n / out
        off = (np.arange(out) + shift) * steps - shift - tie
        if steps != round(steps) and (np.abs(off - np.round(off)) < 1e-4)[1:].any():
            return True
    return False


def blocks(g: Growth, x: Value) -> None:
    need(x.rank == 4)
    if g.chance(0.5):
        g.one("DepthToSpace", x, blocksize=2, mode=g.rng.choice(("DCR", "CRD")))
    else:
        g.one("SpaceToDepth", x, blocksize=2)


STEPS: dict[Step, int] = {
    conv: 7, pool: 3, resize: 3, blocks: 1,
}  # fmt: skip

"""torchvision's operators of boxes and moved taps against their definitions, element by element.

Where that package is missing, its operators are ones of the same names and of these definitions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

BOXES = "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio"
STEPS = ", ".join(f"SymInt {name}_{side}" for name in ("stride", "pad", "dilation") for side in "hw")
TAPS = f"(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, {STEPS}"


def between(image: Any, y: float, x: float, beyond: str) -> Any:
    """What a float64 image (channels, h, w) has between its elements; outside are zeros, or its borders if near."""
    height, width = image.shape[1:]
    if beyond == "near":
        if not (-1 <= y <= height and -1 <= x <= width):
            return image.new_zeros(len(image))
        y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    made = image.new_zeros(len(image))
    for i, j in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= i < height and 0 <= j < width:
            made += image[:, i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return made


def aligned(x: Any, boxes: Any, scale: float, height: int, width: int, ratio: int, half: bool) -> Any:
    """Cells of boxes, each the mean of points in it."""
    made = torch.zeros(len(boxes), x.shape[1], height, width, dtype=torch.float64)
    for box, cells in zip(boxes.double(), made, strict=True):
        left, top, right, bottom = (box[1:] * scale - half / 2).tolist()
        sides = [bottom - top, right - left] if half else [max(bottom - top, 1), max(right - left, 1)]
        steps = sides[0] / height, sides[1] / width
        counts = [ratio if ratio > 0 else math.ceil(step) for step in steps]
        for i, j in itertools.product(range(height), range(width)):
            for a, b in itertools.product(range(counts[0]), range(counts[1])):
                y, z = top + steps[0] * (i + (a + 0.5) / counts[0]), left + steps[1] * (j + (b + 0.5) / counts[1])
                cells[:, i, j] += between(x[int(box[0])].double(), y, z, "near") / (counts[0] * counts[1])
    return made.to(x.dtype)


def moved(x: Any, weight: Any, offset: Any, mask: Any, bias: Any, *how: Any) -> Any:
    """A convolution whose taps are moved, by offsets of their own for each group of channels."""
    sv, sh, pv, ph, dv, dh, groups, own, is_masked = how
    (kernels, depth, kv, kh), (height, width) = weight.shape, offset.shape[2:]
    made = bias.double()[None, :, None, None].repeat(len(x), 1, height, width)
    channels, per = x.shape[1] // own, kernels // groups
    for n, i, j, tap in itertools.product(*map(range, (len(x), height, width, kv * kh))):
        seen = []
        for g in range(own):
            at = g * kv * kh + tap
            y = i * sv - pv + tap // kh * dv + offset[n, 2 * at, i, j].item()
            z = j * sh - ph + tap % kh * dh + offset[n, 2 * at + 1, i, j].item()
            found = between(x[n, g * channels : (g + 1) * channels].double(), y, z, "zeros")
            seen.append(found * (mask[n, at, i, j].item() if is_masked else 1))
        column = torch.cat(seen)
        for g in range(groups):
            rows = weight[g * per : (g + 1) * per, :, tap // kh, tap % kh].double()
            made[n, g * per : (g + 1) * per, i, j] += rows @ column[g * depth : (g + 1) * depth]
    return made.to(x.dtype)


def operator(name: str, schema: str, definition: Callable[..., Any], shape: Callable[..., tuple[Any, ...]]) -> Any:
    try:
        import torchvision  # noqa: F401
    except ImportError:
        if not hasattr(torch.ops.torchvision, name):
            torch.library.define(f"torchvision::{name}", schema)
            torch.library.impl(f"torchvision::{name}", "cpu", definition)
            torch.library.register_fake(f"torchvision::{name}", lambda x, *rest: x.new_empty(shape(x, *rest)))
    return getattr(torch.ops.torchvision, name)


@pytest.mark.parametrize(("ratio", "half"), [(2, False), (1, True), (-1, False), (0, True)])
def test_cells_of_boxes(ratio: int, half: bool, capfd: pytest.CaptureFixture[str]) -> None:
    def shape(x: Any, boxes: Any, scale: float, height: int, width: int, *rest: Any) -> tuple[Any, ...]:
        return boxes.shape[0], x.shape[1], height, width

    align = operator("roi_align", f"{BOXES}, bool aligned) -> Tensor", aligned, shape)
    fast = torch.compile(lambda x, boxes: align(x, boxes, 0.5, 3, 2, ratio, half), backend="anytile", dynamic=True)
    torch.manual_seed(0)
    for count, batch, size in ((5, 2, 9), (2, 3, 7), (0, 2, 6), (13, 2, 12)):
        x, boxes = torch.randn(batch, 4, size, size + 3), torch.rand(count, 4) * 30 - 4
        boxes[:, 2:] += boxes[:, :2] + 4
        boxes[:1, 2] = boxes[:1, 0]  # a side of no length
        rows = torch.cat([torch.randint(0, batch, (count, 1)).float(), boxes], 1)
        with torch.inference_mode():
            found = fast(x, rows)
        torch.testing.assert_close(found, aligned(x, rows, 0.5, 3, 2, ratio, half), rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("groups", "own", "is_masked"), [(1, 1, True), (2, 2, False), (1, 4, True)])
def test_moved_taps(groups: int, own: int, is_masked: bool, capfd: pytest.CaptureFixture[str]) -> None:
    deform = operator(
        "deform_conv2d",
        f"{TAPS}, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
        moved,
        lambda x, weight, offset, *rest: (x.shape[0], weight.shape[0], *offset.shape[2:]),
    )
    how = (2, 1, 1, 0, 1, 2, groups, own, is_masked)
    torch.manual_seed(0)
    weight, bias = torch.nn.Parameter(torch.randn(6, 4 // groups, 3, 2)), torch.nn.Parameter(torch.randn(6))

    class Moved(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.weight, self.bias, self.how = weight, bias, how

        def forward(self, x: Any, offset: Any, mask: Any) -> Any:
            return deform(x, self.weight, offset, mask, self.bias, *self.how)

    fast = torch.compile(Moved(), backend="anytile", dynamic=True)
    for batch, size in ((2, 5), (3, 6)):
        x, (high, wide) = torch.randn(batch, 4, size, size), ((size - 1) // 2 + 1, size - 2)
        torch._dynamo.mark_static(x, 1)  # as behind a layer
        offset = torch.randn(batch, own * 12, high, wide)
        mask = torch.rand(batch, own * 6, high, wide) if is_masked else torch.zeros(batch, 1)
        with torch.inference_mode():
            found = fast(x, offset, mask)
            wanted = moved(x, weight, offset, mask, bias, *how)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    assert capfd.readouterr().err == ""

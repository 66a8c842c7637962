"""Convolutions of other kinds, images in other sizes and cells of boxes, against loops and what must hold of them."""

from __future__ import annotations

import itertools
import math
from typing import Any as AnyType

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch
from tests.support.cases.operator_calls import typed

Array = NDArray[AnyType]


def _call(name: str, *arrays: Array, **attrs: AnyType) -> Array:
    (found,) = run(operator(name), arrays, tuple(sorted(attrs.items())))
    return found


def _random(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _convolved(x: Array, w: Array, stride: int, pad: tuple[int, ...], apart: int, groups: int) -> Array:
    """Element by element."""
    space = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *zip(pad[:space], pad[space:], strict=True)])
    size = [(n - (k - 1) * apart - 1) // stride + 1 for n, k in zip(x.shape[2:], w.shape[2:], strict=True)]
    y = np.zeros((len(x), len(w), *size))
    for n, co, *at in np.ndindex(*y.shape):
        for ci, *inside in np.ndindex(*w.shape[1:]):
            place = (a * stride + i * apart for a, i in zip(at, inside, strict=True))
            y[n, co, *at] += float(x[n, co // (len(w) // groups) * w.shape[1] + ci, *place]) * float(w[co, ci, *inside])
    return y


@pytest.mark.parametrize(("stride", "apart", "groups"), [(1, 1, 1), (2, 1, 2), (1, 2, 1)])
@pytest.mark.parametrize("space", [1, 3])
def test_convolutions_are_their_sums(space: int, stride: int, apart: int, groups: int) -> None:
    x, w = _random(0, 2, 4, *(6, 5, 5)[:space]), _random(1, 2, 4 // groups, *(3, 2, 2)[:space])
    pad = (1, 0, 2, 0, 1, 1)[: 2 * space]
    found = _call(f"conv{space}d", x, w, stride=stride, dilation=apart, groups=groups, pad=pad)
    np.testing.assert_allclose(found, _convolved(x, w, stride, pad, apart, groups), rtol=1e-5, atol=1e-5)


def test_a_convolution_of_rows_is_the_kernel_of_images() -> None:
    row = operator("conv1d")
    assert row.schedule is not None
    found = row.schedule([t for _, t in typed(["(?b, 4, ?t)", "(6, 2, 3)"])], (), row.complete((("groups", 2),)))
    assert found is not None
    assert str(found.workload).startswith("conv2d(n=?n, ci=4, h=1, w=?w_size, co=6, kh=1, kw=3, groups=2")


@pytest.mark.parametrize(
    ("stride", "apart", "groups", "pad", "more"), [(1, 1, 1, 0, 0), (2, 1, 2, 1, 1), (3, 2, 1, 2, 0)]
)
@pytest.mark.parametrize("space", [1, 2, 3])
def test_the_transposed_convolution_is_the_transposed_matrix(
    space: int, stride: int, apart: int, groups: int, pad: int, more: int
) -> None:
    """<conv(y), x> = <y, conv_transpose(x)> for every y of its size."""
    x, w = _random(0, 2, 4, *(4, 3, 3)[:space]), _random(1, 4, 3, *(3, 3, 2)[:space])
    found = _call("conv_transpose", x, w, stride=stride, dilation=apart, groups=groups, pad=pad, more=more)
    sizes = [
        (n - 1) * stride + (k - 1) * apart + 1 + more - 2 * pad for n, k in zip(x.shape[2:], w.shape[2:], strict=True)
    ]
    assert found.shape == (2, 3 * groups, *sizes)
    y = _random(2, *found.shape)
    there = _convolved(y, w, stride, (pad,) * (2 * space), apart, groups)
    assert there.shape[1] == x.shape[1]
    cut = tuple(slice(n) for n in x.shape)
    np.testing.assert_allclose((there[cut] * x).sum(), (y * found).sum(), rtol=1e-4, atol=1e-3)


def _weight(mode: str, away: float) -> float:
    t = abs(away)
    if mode == "linear":
        return max(1 - t, 0)
    a = -0.75
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0


@pytest.mark.parametrize("sizes", [(7, 3), (2, 11), (1, 1)])
@pytest.mark.parametrize("coordinates", ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resized_elements_are_weighted_neighbours(mode: str, coordinates: str, sizes: tuple[int, int]) -> None:
    x = _random(0, 5, 6)
    found = _call("resize", x, sizes=sizes, mode=mode, coordinates=coordinates)
    for at in np.ndindex(*sizes):
        total = 0.0
        ways = []
        for i, n, made in zip(at, x.shape, sizes, strict=True):
            place = {
                "half_pixel": (i + 0.5) * n / made - 0.5,
                "asymmetric": i * n / made,
                "align_corners": i * (n - 1) / max(made - 1, 1),
                "pytorch_half_pixel": (i + 0.5) * n / made - 0.5 if made > 1 else 0.0,
            }[coordinates]
            near = range(math.floor(place) - 1, math.floor(place) + 3)
            ways.append([(min(max(j, 0), n - 1), _weight(mode, j - place)) for j in near])
        for (row, u), (column, v) in itertools.product(*ways):
            total += u * v * float(x[row, column])
        assert found[at] == pytest.approx(total, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("nearest", "expected"),
    [
        ("round_prefer_floor", [0, 0, 1, 1, 2, 2]),
        ("round_prefer_ceil", [0, 1, 1, 2, 2, 2]),
        ("floor", [0, 0, 1, 1, 2, 2]),
        ("ceil", [0, 1, 1, 2, 2, 2]),
    ],
)
def test_the_nearest_element_is_as_the_mode_says(nearest: str, expected: list[int]) -> None:
    x = np.arange(3)
    by = np.array([2.0], np.float32)
    assert _call("resize_by", x, by, coordinates="asymmetric", nearest=nearest).tolist() == expected
    assert _call("resize", x, sizes=(6,), coordinates="asymmetric", nearest=nearest).tolist() == expected
    assert _call("resize_by", x, np.array([6]), coordinates="asymmetric", nearest=nearest).tolist() == expected


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_a_constant_stays_one_in_every_mode(mode: str) -> None:
    x = np.full((4, 5), 3.0, np.float32)
    for antialias, outside in itertools.product((False, True), repeat=2):
        found = _call("resize", x, sizes=(2, 9), mode=mode, antialias=antialias, exclude_outside=outside)
        np.testing.assert_allclose(found, 3.0, rtol=1e-6)


@pytest.mark.parametrize(
    "coordinates", [word for a in operator("resize_by").attributes for word in a.words if "_pixel" in word]
)
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_of_a_size_of_nothing_nothing_is_made(mode: str, coordinates: str) -> None:
    how = {"mode": mode, "coordinates": coordinates, "antialias": True}
    assert _call("resize_by", _random(0, 2, 3), np.array([0]), **how).shape == (2, 0)
    attrs = tuple(sorted({**how, "taps": 2 if mode == "linear" else 1}.items()))
    assert all(a.size == 0 for a in run(operator("resize_taps"), (np.array([5]), np.array([0])), attrs))


def test_smaller_without_aliases_is_an_average_of_all() -> None:
    x = _random(0, 12)
    found = _call("resize", x, sizes=(3,), mode="linear", antialias=True)
    near = (np.arange(-12, 24)[None] - ((np.arange(3) + 0.5) * 4 - 0.5)[:, None]) / 4
    weights = np.maximum(1 - np.abs(near), 0)
    clipped = x[np.clip(np.arange(-12, 24), 0, 11)]
    np.testing.assert_allclose(found, (weights * clipped).sum(1) / weights.sum(1), rtol=1e-5)


def _at(image: Array, y: float, x: float) -> Array:
    """An image between its elements; 0 more than one element outside it."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    low, left = math.floor(y), math.floor(x)
    high, right = min(low + 1, height - 1), min(left + 1, width - 1)
    v, u = y - low, x - left
    top = image[:, low, left] * (1 - u) + image[:, low, right] * u
    return np.asarray(top * (1 - v) + (image[:, high, left] * (1 - u) + image[:, high, right] * u) * v)


@pytest.mark.parametrize("half_pixel", [True, False])
@pytest.mark.parametrize("points", [0, 2])
def test_cells_of_boxes_are_means_of_points(points: int, half_pixel: bool) -> None:
    x = _random(0, 2, 3, 6, 7)
    boxes = np.array([[0.5, 1.0, 4.2, 5.0], [-3.0, -1.0, 9.0, 8.0], [2.0, 2.0, 2.3, 2.1], [2.0, 1.0, 2.0, 6.0]])
    boxes, images = boxes.astype(np.float32), np.array([1, 0, 1, 0])
    found = _call("roi_align", x, boxes, images, height=2, width=3, points=points, scale=0.9, half_pixel=half_pixel)
    for r, image in enumerate(images):
        left, top, right, bottom = boxes[r].astype(np.float64) * 0.9 - (0.5 if half_pixel else 0)
        sides = (bottom - top, right - left) if half_pixel else (max(bottom - top, 1), max(right - left, 1))
        steps = sides[0] / 2, sides[1] / 3
        counts = [points or math.ceil(s) for s in steps]
        for i, j in np.ndindex(2, 3):
            seen = [
                _at(
                    x[image],
                    top + steps[0] * (i + (a + 0.5) / counts[0]),
                    left + steps[1] * (j + (b + 0.5) / counts[1]),
                )
                for a, b in np.ndindex(*counts)
            ]
            wanted = np.sum(seen, axis=0) / max(len(seen), 1)  # a side of no length has no points
            np.testing.assert_allclose(found[r, :, i, j], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "arrays", "attrs", "said"),
    [
        ("conv1d", (_random(0, 1, 3, 8), _random(0, 4, 2, 3)), {}, "channels: 3 is not 2"),
        ("conv1d", (_random(0, 1, 2, 2), _random(0, 4, 2, 3)), {}, "less those that the kernel reaches over"),
        ("conv3d", (_random(0, 1, 3, 8), _random(0, 4, 3, 3)), {}, "x has the shape .*; expected 5 dimensions"),
        ("conv_transpose", (_random(0, 1, 3), _random(0, 3, 2)), {}, "images of 1 to 3 dimensions"),
        ("resize", (_random(0, 1, 3),), {"sizes": (2,), "axes": (0, 1)}, "expected each axis once"),
        ("resize_by", (_random(0, 3), np.array([0.0], np.float32)), {}, "expected numbers above 0"),
        ("resize_taps", (np.array([0]), np.array([4])), {"taps": 1}, "expected elements to resize"),
        ("resize", (np.arange(3),), {"sizes": (2,), "mode": "cubic"}, "x is int64; expected float32"),
        ("roi_align", (_random(0, 1, 1, 2, 2), _random(0, 1, 4), np.array([1])), {}, "images 1 to 1; expected 0 to 0"),
    ],
)
def test_what_does_not_fit_is_refused(
    name: str, arrays: tuple[Array, ...], attrs: dict[str, AnyType], said: str
) -> None:
    with pytest.raises(Mismatch, match=said):
        _call(name, *arrays, **attrs)

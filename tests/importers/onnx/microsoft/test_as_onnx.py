"""Operators of com.microsoft that ONNX has in other words, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anytile.core.errors import UnsupportedError
from tests.importers.onnx.microsoft.models import agrees, contrib, imported

RNG = np.random.default_rng(17)
Shape = tuple[int | str, ...]


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [None, -1, 2])
def test_triangles(upper: int, k: int | None) -> None:
    node = contrib("Trilu", ["x", *([] if k is None else ["k"])], ["y"], upper=upper)
    weights = None if k is None else {"k": np.asarray(k, np.int64)}
    feeds = [{"x": normal(2, m, 5)} for m in (1, 7)]
    agrees([node], {"x": ("b", "m", 5)}, ["y"], feeds, weights, compiled=False)


@pytest.mark.parametrize("tail", [1, 2])
def test_elements_by_tuples(tail: int) -> None:
    feeds = [{"x": normal(6, 5, 3), "at": RNG.integers(0, 5, (n, 2, tail))} for n in (1, 4)]
    node = contrib("GatherND", ["x", "at"], ["y"])
    agrees([node], {"x": ("m", 5, 3), "at": ("n", 2, tail)}, ["y"], feeds, dtypes={"at": "int64"}, compiled=False)


@pytest.mark.parametrize("attributes", [{}, {"mode": "nearest", "align_corners": 1}, {"padding_mode": "border"}])
def test_images_at_points(attributes: dict[str, Any]) -> None:
    feeds = [{"x": normal(n, 2, 5, 6), "grid": np.clip(normal(n, 3, 4, 2), -1.3, 1.3)} for n in (1, 3)]
    node = contrib("GridSample", ["x", "grid"], ["y"], **attributes)
    agrees([node], {"x": ("n", 2, 5, 6), "grid": ("n", 3, 4, 2)}, ["y"], feeds, compiled=False)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("pads", [[1, 0, 2, 1], [[0, 1, 1, 0]]])
def test_pads(mode: str, pads: Any) -> None:
    weights = {"pads": np.asarray(pads), "value": np.asarray([0.5], np.float32)}
    names = ["x", "pads", *(["value"] if mode == "constant" else [])]
    feeds = [{"x": normal(m, 5)} for m in (3, 7)]
    agrees([contrib("Pad", names, ["y"], mode=mode)], {"x": ("m", 5)}, ["y"], feeds, weights, compiled=False)


@pytest.mark.parametrize("step", [None, 3])
def test_ranges(step: int | None) -> None:
    node = contrib("Range", ["start", "stop", *([] if step is None else ["step"])], ["y"])
    shapes: dict[str, Shape] = {"start": (1,), "stop": ()}
    feeds = [{"start": np.asarray([a]), "stop": np.asarray(b)} for a, b in ((0, 0), (-2, 9))]
    weights = {} if step is None else {"step": np.asarray([step])}
    agrees([node], shapes, ["y"], feeds, weights, dict.fromkeys(("start", "stop"), "int64"), compiled=False)


def test_values_in_the_order_in_which_they_come() -> None:
    feeds = [{"x": np.asarray(x, np.float32)} for x in ([2, 1, 1, 3, 4, 3], [5])]
    agrees(
        [contrib("Unique", ["x"], ["y", "at", "counts"])], {"x": ("n",)}, ["y", "at", "counts"], feeds, compiled=False
    )


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_dimension_more(axis: int) -> None:
    weights = {"axis": np.asarray(axis, np.int32)}
    feeds = [{"x": normal(m, 5)} for m in (1, 7)]
    agrees([contrib("ExpandDims", ["x", "axis"], ["y"])], {"x": ("m", 5)}, ["y"], feeds, weights, compiled=False)


@pytest.mark.parametrize(("dim", "size", "step"), [(1, 2, 1), (-1, 3, 2), (1, 3, 3)])
def test_windows(dim: int, size: int, step: int) -> None:
    feeds = [{"x": normal(2, m, 7)} for m in (3, 8)]
    node = contrib("UnfoldTensor", ["x"], ["y"], dim=dim, size=size, step=step)
    agrees([node], {"x": (2, "m", 7)}, ["y"], feeds, compiled=dim == 1 and step == 1)


@pytest.mark.parametrize(
    ("name", "attributes", "said"),
    [
        ("UnfoldTensor", {"size": 0}, "size=0, step=1; expected at least 1"),
        ("Unique", {}, "expected one dimension"),
        ("GridSample", {"mode": "cubist"}, "mode=cubist"),
    ],
)
def test_what_is_refused(name: str, attributes: dict[str, Any], said: str) -> None:
    inputs = ["x", "x"] if name == "GridSample" else ["x"]
    with pytest.raises(UnsupportedError, match=said):
        imported([contrib(name, inputs, ["y"], **attributes)], {"x": ("n", 2, 5, 2)}, ["y"])

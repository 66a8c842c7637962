"""Windows over images of unknown size that SAME puts padding around, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.importers.onnx.microsoft.models import model, onnx, same

RNG = np.random.default_rng(43)
node = onnx.helper.make_node
SIZES = ((5, 9), (6, 7), (8, 5), (7, 10))


def window(op: str, auto: str, kernel: tuple[int, int], stride: tuple[int, int], **attributes: Any) -> Any:
    said = {"auto_pad": auto, "kernel_shape": kernel, "strides": stride, **attributes}
    weights = {"w": RNG.standard_normal((3, 2, *kernel), np.float32)} if op == "Conv" else {}
    return model([node(op, ["x", *weights], ["y"], **said)], {"x": ("n", 2, "h", "w")}, ["y"], weights)


def images() -> list[dict[str, Any]]:
    return [{"x": RNG.standard_normal((2, 2, *size), np.float32) - 3} for size in SIZES]


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("kernel", [(2, 1), (3, 4), (5, 3), (7, 6)])
@pytest.mark.parametrize("stride", [(2, 2), (3, 1), (3, 2)])
def test_what_is_before_an_image_may_follow_from_its_size(
    auto: str, kernel: tuple[int, int], stride: tuple[int, int]
) -> None:
    feeds = images()
    same(window("Conv", auto, kernel, stride), feeds, compiled=False)
    if all(k >= s for k, s in zip(kernel, stride, strict=True)):  # other pools onnxruntime does not make
        same(window("MaxPool", auto, kernel, stride), feeds, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
def test_one_executable_serves_odd_and_even_sizes(auto: str) -> None:
    for op in ("Conv", "MaxPool"):
        same(window(op, auto, (3, 3), (2, 2)), images())


def test_channels_that_are_not_known_are_those_of_the_kernels() -> None:
    """As where what is padded is data."""
    pads = node("Concat", ["none", "around", "none", "around"], ["pads"], axis=0)
    nodes = [pads, node("Pad", ["x", "pads"], ["p"]), node("Conv", ["p", "w"], ["y"])]
    weights = {"none": np.zeros(2, np.int64), "w": RNG.standard_normal((3, 2, 2, 2), np.float32)}
    inputs = {"x": ("n", 2, "h", "w"), "around": (2,)}
    proto = model(nodes, inputs, ["y"], weights, {"around": "int64"})
    same(proto, [{**images()[0], "around": np.int64([1, 2])}, {**images()[1], "around": np.int64([0, 3])}])


@pytest.mark.parametrize("padded", [0, 1])
@pytest.mark.parametrize(
    ("auto", "kernel", "stride"),
    [("SAME_UPPER", (2, 1), (2, 2)), ("SAME_LOWER", (3, 2), (2, 1)), ("SAME_UPPER", (4, 4), (2, 2))],
)
def test_means_where_what_is_before_is_the_same_for_all_sizes(
    auto: str, kernel: tuple[int, int], stride: tuple[int, int], padded: int
) -> None:
    same(window("AveragePool", auto, kernel, stride, count_include_pad=padded), images(), compiled=False)


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("padded", [0, 1])
@pytest.mark.parametrize(("kernel", "stride"), [((3, 3), (2, 2)), ((5, 2), (3, 2)), ((3, 4), (2, 1))])
def test_means_whose_windows_begin_by_the_size(
    auto: str, padded: int, kernel: tuple[int, int], stride: tuple[int, int]
) -> None:
    same(window("AveragePool", auto, kernel, stride, count_include_pad=padded), images(), compiled=False)


@pytest.mark.slow
def test_one_executable_has_means_and_norms_of_odd_and_even_sizes() -> None:
    for op in ("AveragePool", "LpPool"):
        same(window(op, "SAME_UPPER", (3, 3), (2, 2)), images())


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (0, 1, 1, 0)])
def test_a_last_window_may_reach_beyond_an_image_that_is_smaller(op: str, pads: tuple[int, ...]) -> None:
    said = {"kernel_shape": (3, 4), "strides": (2, 3), "pads": pads, "ceil_mode": 1}
    nodes = [node(op, ["x"], ["y"], **said)]
    sizes = ((2, 2), (3, 4), (2, 7), (5, 3))
    feeds = [{"x": RNG.standard_normal((2, 2, *size), np.float32)} for size in sizes]
    same(model(nodes, {"x": ("n", 2, "h", "w")}, ["y"]), feeds)
    for feed, size in zip(feeds, sizes, strict=True):
        same(model(nodes, {"x": ("n", 2, *size)}, ["y"]), [feed], compiled=False)

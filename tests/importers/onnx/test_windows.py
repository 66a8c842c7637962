"""Windows over images of unknown size that SAME puts padding around, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
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


def test_means_whose_windows_begin_by_the_size_are_refused() -> None:
    with pytest.raises(
        UnsupportedError, match="dimension 2 of .* is not known before the model runs; pin it with dims="
    ):
        import_model(window("AveragePool", "SAME_UPPER", (3, 3), (2, 2)))

"""Steps of quantised files against onnxruntime, which may round to the integer beside, and what it lacks by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(13)
DTYPES = ("uint8", "int8")


def _codes(dtype: str, *shape: int) -> Array:
    ends = np.iinfo(dtype)
    return RNG.integers(ends.min, ends.max, shape, endpoint=True).astype(dtype)


def _scales(dtype: str, **given: tuple[float, int]) -> dict[str, Array]:
    """A scale and a zero point for each name."""
    made: dict[str, Array] = {}
    for name, (scale, zero) in given.items():
        made |= {f"{name}_s": np.array(scale, np.float32), f"{name}_z": np.array(zero, dtype)}
    return made


def _with(*names: str) -> list[str]:
    """Tensors, each with its scale and zero point; of one that begins with a dash these alone."""
    return [n for name in names for n in ([] if name[0] == "-" else [name]) + [f"{name[-1]}_s", f"{name[-1]}_z"]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_products_and_choices(dtype: str) -> None:
    nodes = [
        contrib("QLinearAdd", _with("a", "b", "-y"), ["sum"]),
        contrib("QLinearMul", _with("a", "b", "-y"), ["product"]),
        contrib("QLinearWhere", ["c", *_with("a", "b", "-y")], ["choice"]),
    ]
    shapes = {"a": ("n", 5, 8), "b": ("n", 1, 8), "c": ("n", 5, 8)}
    feeds = [
        {"a": _codes(dtype, n, 5, 8), "b": _codes(dtype, n, 1, 8), "c": RNG.random((n, 5, 8)) < 0.5} for n in (1, 3)
    ]
    weights = _scales(dtype, a=(0.02, 7), b=(0.03, 3), y=(0.04, 11))
    dtypes = {"a": dtype, "b": dtype, "c": "bool"}
    agrees(nodes, shapes, ["sum", "product", "choice"], feeds, weights, dtypes, beside=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_activations_and_softmaxes(dtype: str) -> None:
    nodes = [
        contrib("QLinearSigmoid", _with("x", "-p"), ["sigmoid"]),
        contrib("QLinearLeakyRelu", _with("x", "-y"), ["leaky"], alpha=0.3),
        contrib("QLinearSoftmax", _with("x", "-p"), ["rows"], axis=-1, opset=13),
        contrib("QLinearSoftmax", _with("x", "-p"), ["flat"], axis=1, opset=12),
    ]
    weights = _scales(dtype, x=(0.06, 5), p=(1 / 256, 0), y=(0.02, 3))
    feeds = [{"x": _codes(dtype, n, 3, 4)} for n in (1, 5)]
    results = ["sigmoid", "leaky", "rows", "flat"]
    agrees(nodes, {"x": ("n", 3, 4)}, results, feeds, weights, {"x": dtype}, beside=1)


@pytest.mark.parametrize("channels_last", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pools(dtype: str, channels_last: int) -> None:
    given = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1], "channels_last": channels_last}
    nodes = [
        contrib("QLinearAveragePool", _with("x", "-y"), ["mean"], **given),
        contrib("QLinearGlobalAveragePool", _with("x", "-y"), ["whole"], channels_last=channels_last),
    ]
    weights = _scales(dtype, x=(0.03, 5), y=(0.02, 9))
    feeds = [{"x": _codes(dtype, n, 6, 7, 8)} for n in (1, 3)]
    agrees(nodes, {"x": ("n", 6, 7, 8)}, ["mean", "whole"], feeds, weights, {"x": dtype}, beside=1)


def test_joining() -> None:
    weights = _scales("uint8", a=(0.03, 5), y=(0.04, 9))
    node = contrib("QLinearConcat", ["y_s", "y_z", *_with("a"), "b", "y_s", "y_z"], ["y"], axis=1)
    feeds = [{"a": _codes("uint8", n, 6), "b": _codes("uint8", n, 5)} for n in (1, 3)]
    dtypes = {"a": "uint8", "b": "uint8"}
    agrees([node], {"a": ("n", 6), "b": ("n", 5)}, ["y"], feeds, weights, dtypes, beside=1)


def test_joining_of_what_is_not_complete() -> None:
    with pytest.raises(UnsupportedError, match="4 inputs; expected a scale and a zero point, and three"):
        imported(
            [contrib("QLinearConcat", ["s", "z", "x", "s"], ["y"], axis=0)], {"s": (), "z": (), "x": ("n",)}, ["y"]
        )


@pytest.mark.parametrize("channels_last", [0, 1])
def test_convolutions(channels_last: int) -> None:
    channels = 8 if channels_last else 6
    weights = {
        **_scales("uint8", x=(0.03, 5), y=(0.5, 9)),
        "w": RNG.integers(-64, 64, (4, channels, 3, 3)).astype(np.int8),  # which onnxruntime adds up in 16 bits
        "w_s": (RNG.random(4) * 0.01 + 0.005).astype(np.float32),
        "w_z": np.zeros(4, np.int8),
        "b": RNG.integers(-999, 999, 4).astype(np.int32),
    }
    names = [*_with("x", "w", "-y"), "b"]
    node = contrib("QLinearConv", names, ["y"], kernel_shape=[3, 3], pads=[1] * 4, channels_last=channels_last)
    feeds = [{"x": _codes("uint8", n, 6, 7, 8)} for n in (1, 3)]
    agrees([node], {"x": ("n", 6, 7, 8)}, ["y"], feeds, weights, {"x": "uint8"}, beside=1)


def test_quantising_and_back() -> None:
    nodes = [
        contrib("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        contrib("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1),
    ]
    weights = {"s": (RNG.random(6) + 0.1).astype(np.float32), "z": _codes("int8", 6)}
    feeds = [{"x": 20 * RNG.standard_normal((n, 6), np.float32)} for n in (1, 9)]
    agrees(nodes, {"x": ("n", 6)}, ["q", "y"], feeds, weights, bound=1e-6)


def test_what_onnxruntime_has_no_kernels_of() -> None:
    nodes = [
        contrib("QLinearReduceMean", _with("x", "-y"), ["mean"], axes=[1], keepdims=0),
        contrib("ReduceSumInteger", ["x"], ["sum"], axes=[1], keepdims=1),
        contrib("MulInteger", ["x", "x_z", "x", "y_z"], ["product"]),
    ]
    proto = model(
        nodes, {"x": ("n", 6)}, ["mean", "sum", "product"], _scales("uint8", x=(0.5, 9), y=(0.25, 3)), {"x": "uint8"}
    )
    x = _codes("uint8", 4, 6)
    mean, total, product = anytile.Session(anytile.compile(import_model(proto)))(x)
    wide = x.astype(np.int64)
    wanted = np.clip(np.round((wide - 9).mean(axis=1) * 0.5 / 0.25) + 3, 0, 255)
    assert np.abs(mean.astype(np.int64) - wanted).max() <= 1
    assert (total == wide.sum(axis=1, keepdims=True)).all()
    assert (product == (wide - 9) * (wide - 3)).all()

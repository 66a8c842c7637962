"""Products of integers against onnxruntime. Where it adds up in 16 bits, weights have 7, so that its sums are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(17)
K, N = 32, 8


def _few(*shape: int) -> Array:
    return RNG.integers(-64, 64, shape).astype(np.int8)


def _bytes(*shape: int) -> Array:
    return RNG.integers(0, 256, shape).astype(np.uint8)


def _weights(dtype: str, columns: int) -> dict[str, Array]:
    is_signed = dtype == "int8"
    return {
        "w": _few(K, N) if is_signed else _bytes(K, N),
        "w_s": (RNG.random(columns) * 0.01 + 0.01).astype(np.float32),
        "w_z": np.zeros(columns, np.int8) if is_signed else _bytes(columns),
        "b": RNG.standard_normal(N, np.float32),
    }


@pytest.mark.parametrize(("dtype", "columns"), [("int8", N), ("uint8", 1)])
def test_rows_that_are_quantised_as_the_model_runs(dtype: str, columns: int) -> None:
    node = contrib("DynamicQuantizeMatMul", ["x", "w", "w_s", "w_z", "b"], ["y"])
    feeds = [{"x": RNG.standard_normal((n, m, K), np.float32)} for n, m in ((1, 1), (2, 5))]
    agrees([node], {"x": ("n", "m", K)}, ["y"], feeds, _weights(dtype, columns), bound=1e-4)


@pytest.mark.parametrize(("dtype", "columns"), [("int8", 1), ("uint8", N)])
def test_integers_to_floats(dtype: str, columns: int) -> None:
    weights = {**_weights(dtype, columns), "x_s": np.array([0.02], np.float32), "x_z": np.array([100], np.uint8)}
    node = contrib("MatMulIntegerToFloat", ["x", "w", "x_s", "w_s", "x_z", "w_z", "b"], ["y"])
    feeds = [{"x": _bytes(n, m, K)} for n, m in ((1, 1), (2, 5))]
    agrees([node], {"x": ("n", "m", K)}, ["y"], feeds, weights, {"x": "uint8"})


def test_integers_to_floats_are_a_narrow_kernel() -> None:
    weights = {**_weights("int8", N), "x_s": np.array(0.02, np.float32), "x_z": np.array(100, np.uint8)}
    node = contrib("MatMulIntegerToFloat", ["x", "w", "x_s", "w_s", "x_z", "w_z", "b"], ["y"])
    proto = model([node], {"x": ("m", K)}, ["y"], weights, {"x": "uint8"})
    names = [k.name for k in anytile.compile(import_model(proto)).kernels if k.kind == "kernel"]
    assert [name.partition("_multiply")[0].partition("_subtract")[0] for name in names] == ["quantised_dense"], names


@pytest.mark.parametrize(("left", "right", "is_float"), [(0, 0, False), (0, 1, False), (1, 1, True)])
def test_gemms(left: int, right: int, is_float: bool) -> None:
    weights = {
        "x_s": np.array(0.03, np.float32),
        "x_z": np.array(5, np.uint8),
        "w": _few(N, K) if right else _few(K, N),
        "w_s": (RNG.random(N) * 0.01 + 0.01).astype(np.float32),
        "w_z": np.zeros(N, np.int8),
        "b": RNG.integers(-99, 99, N).astype(np.int32),
        "y_s": np.array(0.3, np.float32),
        "y_z": np.array(3, np.uint8),
    }
    names = ["x", "x_s", "x_z", "w", "w_s", "w_z", "b", *([] if is_float else ["y_s", "y_z"])]
    node = contrib("QGemm", names, ["y"], transA=left, transB=right, alpha=0.5)
    feeds = [{"x": _bytes(K, m) if left else _bytes(m, K)} for m in (1, 7)]
    shape = (K, "m") if left else ("m", K)
    agrees([node], {"x": shape}, ["y"], feeds, weights, {"x": "uint8"}, 1e-5 if is_float else 1e-2)


def _recurrent(directions: int, hidden: int, width: int, dtype: str = "int8") -> dict[str, Array]:
    """The weights of an LSTM: of one direction with a scale for each column, of two with one for all."""
    scale = (directions, 4 * hidden) if directions == 1 else (directions,)
    made, zero = (_few, np.zeros(scale, np.int8)) if dtype == "int8" else (_bytes, np.full(scale, 117, np.uint8))
    return {
        "w": made(directions, width, 4 * hidden),
        "r": made(directions, hidden, 4 * hidden),
        "b": RNG.standard_normal((directions, 8 * hidden), np.float32),
        **{f"{name}_s": (RNG.random(scale) * 0.004 + 0.004).astype(np.float32) for name in "wr"},
        **{f"{name}_z": zero for name in "wr"},
    }


def _lstm(hidden: int, directions: int = 1) -> Any:
    names = ["x", "w", "r", "b", "", "", "", "", "w_s", "w_z", "r_s", "r_z"]
    given = {"hidden_size": hidden, "direction": "bidirectional" if directions == 2 else "forward"}
    return contrib("DynamicQuantizeLSTM", names, ["y", "h", "c"], **given)


@pytest.mark.parametrize(("directions", "dtype"), [(1, "int8"), (2, "int8"), (1, "uint8"), (2, "uint8")])
def test_lstms_but_for_the_rounding_of_rows(directions: int, dtype: str) -> None:
    hidden, width = 8, 6
    weights = _recurrent(directions, hidden, width, dtype)
    feeds = [{"x": RNG.standard_normal((t, n, width), np.float32)} for t, n in ((1, 1), (5, 2))]
    agrees([_lstm(hidden, directions)], {"x": ("t", "n", width)}, ["y", "h", "c"], feeds, weights, bound=3e-2)


@pytest.mark.parametrize("steps", [5, "t"])
def test_steps_of_an_lstm_multiply_bytes_by_one_copy_of_a_weight(steps: int | str) -> None:
    hidden, width = 48, 24
    weights = _recurrent(1, hidden, width)
    exe = anytile.compile(import_model(model([_lstm(hidden)], {"x": (steps, 1, width)}, ["y"], weights)))
    products = [k.name for k in exe.kernels if k.kind == "kernel" and "dense" in k.name]
    assert len(products) == 2, products
    assert all(name.startswith("quantised_dense") for name in products)
    held = [c.shape for c in exe.constants if c.dtype == "int8"]
    assert sorted(held) == [(4 * hidden, width), (4 * hidden, hidden)]


def test_an_lstm_without_scales() -> None:
    node = contrib("DynamicQuantizeLSTM", ["x", "w", "r"], ["y"], hidden_size=8)
    with pytest.raises(UnsupportedError, match="a scale or a zero point of the weights is missing"):
        imported([node], {"x": ("t", 1, 6), "w": (1, 6, 32), "r": (1, 8, 32)}, ["y"], dict.fromkeys("wr", "int8"))


def test_an_lstm_in_bytes_is_one_of_floats_on_a_gpu() -> None:
    weights = _recurrent(1, 16, 8)
    exe = anytile.compile(import_model(model([_lstm(16)], {"x": ("t", 1, 8)}, ["y"], weights)), "cuda -arch=sm_80")
    assert {k.name.split("_")[0] for k in exe.kernels if k.device == 1 and "dense" in k.workload} == {"dense"}

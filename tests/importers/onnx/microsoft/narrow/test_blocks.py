"""Weights in 2, 4 and 8 bits by blocks against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, model, onnx

RNG = np.random.default_rng(11)
ROWS = 24


def _case(bits: int, block: int, k: int, zero: str = "", dtype: str = "float32") -> dict[str, np.ndarray[Any, Any]]:
    blocks = -(-k // block)
    weights: dict[str, np.ndarray[Any, Any]] = {
        "w": RNG.integers(0, 256, (ROWS, blocks, block * bits // 8)).astype(np.uint8),
        "scale": (RNG.random((ROWS, blocks)) + 0.1).astype(dtype),
    }
    if zero == "packed":
        weights["zero"] = RNG.integers(0, 256, (ROWS, -(-blocks * bits // 8))).astype(np.uint8)
    elif zero:
        weights["zero"] = (RNG.random((ROWS, blocks)) * 9).astype(dtype)
    return weights


def _node(bits: int, block: int, k: int, names: list[str], **given: Any) -> Any:
    return contrib("MatMulNBits", names, ["y"], K=k, N=ROWS, bits=bits, block_size=block, **given)


def _feeds(k: int, dtype: str = "float32") -> list[dict[str, np.ndarray[Any, Any]]]:
    return [{"x": RNG.standard_normal((1, m, k)).astype(dtype)} for m in (1, 17)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("bits", "block", "k", "zero"),
    [
        (4, 32, 96, ""),
        (4, 64, 100, "packed"),
        (4, 128, 256, "float"),
        (4, 16, 72, "packed"),
        (8, 32, 96, "packed"),
        (8, 16, 48, ""),
        (2, 32, 100, ""),
        (2, 16, 72, "packed"),
        (2, 64, 64, "float"),
    ],
)
def test_products(bits: int, block: int, k: int, zero: str) -> None:
    names = ["x", "w", "scale", *(["zero"] if zero else [])]
    weights = _case(bits, block, k, zero)
    agrees([_node(bits, block, k, names)], {"x": ("b", "m", k)}, ["y"], _feeds(k), weights, bound=2e-5)


@pytest.mark.parametrize(("bits", "block"), [(4, 16), (8, 16), (4, 32)])
def test_a_number_that_is_infinite_spoils_what_reads_it_alone(bits: int, block: int) -> None:
    """The weight it meets is not zero, so that a result is infinite, and NaN nowhere."""
    weights = _case(bits, block, 96)
    weights["w"][:] |= 1 << (bits - 1) | 1
    x = RNG.standard_normal((1, 3, 96)).astype(np.float32)
    x[0, 1, 40] = np.inf
    node = _node(bits, block, 96, ["x", "w", "scale"])
    session = anytile.Session(anytile.compile(import_model(model([node], {"x": ("b", "m", 96)}, ["y"], weights))))
    made = session(x)
    assert np.isinf(made[0, 1]).all()
    assert np.isfinite(made[0, ::2]).all()


@pytest.mark.parametrize("block", [16, 32])
def test_rows_of_which_a_file_does_not_say_how_wide_they_are(block: int) -> None:
    weights = _case(4, block, 96, "packed")
    node = _node(4, block, 96, ["x", "w", "scale", "zero"])
    agrees([node], {"x": ("b", "m", "k")}, ["y"], _feeds(96), weights, bound=2e-5)


def test_a_product_in_float16_with_a_bias() -> None:
    weights = {**_case(4, 32, 96, dtype="float16"), "bias": RNG.standard_normal(ROWS).astype(np.float16)}
    node = _node(4, 32, 96, ["x", "w", "scale", "", "", "bias"])
    agrees([node], {"x": (1, "m", 96)}, ["y"], _feeds(96, "float16"), weights, {"x": "float16"}, bound=2e-3)


def test_rows_in_8_bits_are_as_close_as_onnxruntimes() -> None:
    node = _node(4, 32, 96, ["x", "w", "scale"], accuracy_level=4)
    agrees([node], {"x": (1, "m", 96)}, ["y"], _feeds(96), _case(4, 32, 96), bound=2e-2)


def test_columns_of_blocks_that_lie_anyhow() -> None:
    weights = _case(4, 32, 96) | {"of": RNG.permutation(np.arange(96) // 32).astype(np.int32)}
    agrees([_node(4, 32, 96, ["x", "w", "scale", "", "of"])], {"x": (1, "m", 96)}, ["y"], _feeds(96), weights)


def test_zero_points_of_blocks_that_lie_anyhow() -> None:
    """onnxruntime leaves these out, so the weight is written down here."""
    weights = _case(4, 32, 64, "packed") | {"of": RNG.permutation(np.arange(64) // 32).astype(np.int32)}
    proto = model([_node(4, 32, 64, ["x", "w", "scale", "zero", "of"])], {"x": ("m", 64)}, ["y"], weights)
    codes = np.stack([weights["w"] & 15, weights["w"] >> 4], -1).reshape(ROWS, 64).astype(np.float64)
    zero = np.concatenate([weights["zero"] & 15, weights["zero"] >> 4], -1)[:, weights["of"]]
    weight = (codes - zero) * weights["scale"][:, weights["of"]]
    found = anytile.Session(anytile.compile(import_model(proto)))(np.eye(64, dtype=np.float32))
    assert np.abs(found - weight.T).max() < 1e-5 * np.abs(weight).max()


def test_the_weight_stays_narrow() -> None:
    k, weights = 256, _case(4, 32, 256)
    proto = model([_node(4, 32, k, ["x", "w", "scale"])], {"x": (1, "m", k)}, ["y"], weights)
    names = [k.name for k in anytile.compile(import_model(proto)).kernels if k.kind == "kernel"]
    assert names == ["grouped_dense_packed"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bits": 3}, "bits=3; supported are 2, 4 and 8"),
        ({"block_size": 48}, "block_size=48; expected one of 16, 32, 64, 128, 256"),
    ],
)
def test_what_is_not_supported(given: dict[str, int], said: str) -> None:
    node = contrib("MatMulNBits", ["x", "w", "scale"], ["y"], **{"K": 96, "N": ROWS, "block_size": 32, **given})
    with pytest.raises(UnsupportedError, match=said):
        import_model(model([node], {"x": (1, "m", 96)}, ["y"], _case(4, 32, 96)))


# -- rows that are looked up -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "block", "width", "has_zero"), [(4, 32, 96, True), (4, 16, 40, False), (8, 32, 80, True)]
)
def test_rows(bits: int, block: int, width: int, has_zero: bool) -> None:
    blocks = -(-width // block)
    weights: dict[str, np.ndarray[Any, Any]] = {
        "table": RNG.integers(0, 256, (30, width * bits // 8)).astype(np.uint8),
        "scale": RNG.random((30, blocks), np.float32),
    }
    if has_zero:
        weights["zero"] = RNG.integers(0, 256, (30, -(-blocks * bits // 8))).astype(np.uint8)
    names = ["table", "at", "scale", *(["zero"] if has_zero else [])]
    node = contrib("GatherBlockQuantized", names, ["y"], bits=bits, block_size=block)
    feeds = [{"at": RNG.integers(0, 30, shape)} for shape in ((1, 1), (2, 5))]
    agrees([node], {"at": ("b", "m")}, ["y"], feeds, weights, {"at": "int64"})


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_rows_of_elements_in_4_bits(dtype: str) -> None:
    first = -8 if dtype == "int4" else 0
    table, zero = (RNG.integers(first, first + 16, shape).astype(np.int8) for shape in ((30, 40), (30, 3)))
    scale = RNG.random((30, 3), np.float32)
    node = contrib("GatherBlockQuantized", ["table", "at", "scale", "zero"], ["y"], block_size=16)
    proto = model([node], {"at": ("b", "m")}, ["y"], {"scale": scale}, {"at": "int64"})
    number = getattr(onnx.TensorProto, dtype.upper())
    for name, array in (("table", table), ("zero", zero)):
        proto.graph.initializer.append(onnx.helper.make_tensor(name, number, array.shape, array.reshape(-1)))
    index = RNG.integers(0, 30, (2, 5))
    wanted = ((table - zero.repeat(16, axis=1)[:, :40].astype(np.float32)) * scale.repeat(16, axis=1)[:, :40])[index]
    found = anytile.Session(anytile.compile(import_model(proto)))(index)
    assert np.abs(found - wanted).max() <= 1e-6 * np.abs(wanted).max()


def test_rows_are_looked_up_by_kernels_and_stay_narrow() -> None:
    weights = {"table": RNG.integers(0, 256, (30, 48)).astype(np.uint8), "scale": RNG.random((30, 3), np.float32)}
    node = contrib("GatherBlockQuantized", ["table", "at", "scale"], ["y"], block_size=32)
    exe = anytile.compile(import_model(model([node], {"at": ("b", "m")}, ["y"], weights, {"at": "int64"})))
    assert "packed" not in {k.kind for k in exe.kernels}

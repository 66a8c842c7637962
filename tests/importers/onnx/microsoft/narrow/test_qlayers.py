"""Attention and embeddings of integers against onnxruntime, with weights in 7 bits, so that its sums are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, model

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(19)
HEADS, HIDDEN = 4, 32
NAMES = ["x", "w", "b", "x_s", "w_s", "mask", "x_z", "w_z"]
SHAPES: dict[str, tuple[int | str, ...]] = {"x": ("n", "m", HIDDEN), "mask": ("n", "m")}
DTYPES = {"x": "uint8", "mask": "int32"}


def _weights() -> dict[str, Array]:
    return {
        "w": RNG.integers(-64, 64, (HIDDEN, 3 * HIDDEN)).astype(np.int8),
        "w_s": (RNG.random(1) * 0.01 + 0.01).astype(np.float32),
        "w_z": np.zeros(1, np.int8),
        "b": RNG.standard_normal(3 * HIDDEN, np.float32),
        "x_s": np.array(0.02, np.float32),
        "x_z": np.array(120, np.uint8),
    }


@pytest.mark.parametrize("causal", [0, 1])
def test_attention(causal: int) -> None:
    feeds = []
    for n, m in ((1, 5), (2, 7)):
        mask = np.ones((n, m), np.int32)
        mask[:, m - m // 3 :] = 0
        feeds.append({"x": RNG.integers(0, 256, (n, m, HIDDEN)).astype(np.uint8), "mask": mask})
    node = contrib("QAttention", NAMES, ["y"], num_heads=HEADS, unidirectional=causal)
    agrees([node], SHAPES, ["y"], feeds, _weights(), DTYPES, 1e-4)


def test_the_product_of_attention_is_one_of_integers() -> None:
    proto = model([contrib("QAttention", NAMES, ["y"], num_heads=HEADS)], SHAPES, ["y"], _weights(), DTYPES)
    names = [k.name for k in anytile.compile(import_model(proto)).kernels if k.kind == "kernel"]
    assert any(name.startswith("quantised_dense") for name in names), names


def test_embeddings() -> None:
    tables = {"word": (30, 16), "place": (12, 16), "segment": (2, 16), "gamma": (16,), "beta": (16,)}
    weights: dict[str, Array] = {}
    for name, shape in tables.items():
        weights[name] = RNG.integers(0, 256, shape).astype(np.uint8)
        weights[f"{name}_s"] = np.array(RNG.random() / 50 + 0.01, np.float32)
        weights[f"{name}_z"] = np.array(RNG.integers(90, 150), np.uint8)
    names = ["ids", "kinds", *tables, "mask", *(f"{n}_s" for n in tables), *(f"{n}_z" for n in tables)]
    shape: tuple[int | str, ...] = ("n", "m")
    feeds = []
    for n, m in ((1, 4), (2, 9)):
        ids, kinds = (RNG.integers(0, most, (n, m)).astype(np.int32) for most in (30, 2))
        feeds.append({"ids": ids, "kinds": kinds, "mask": np.ones((n, m), np.int32)})
    node = contrib("QEmbedLayerNormalization", names, ["y", "lengths"])
    inputs = dict.fromkeys(("ids", "kinds", "mask"), shape)
    agrees([node], inputs, ["y", "lengths"], feeds, weights, dict.fromkeys(inputs, "int32"), 1e-4)

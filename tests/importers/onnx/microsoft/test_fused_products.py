"""Products of com.microsoft against onnxruntime, and those that it has on GPUs alone against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model

RNG = np.random.default_rng(11)
Shape = tuple[int | str, ...]


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


def sized(shape: Shape, **sizes: int) -> tuple[int, ...]:
    return tuple(d if isinstance(d, int) else sizes[d] for d in shape)


@pytest.mark.parametrize(
    ("a", "b", "attributes"),
    [
        (("b", "m", 6), ("b", 6, 5), {"alpha": 0.3}),
        (("b", "m", 6), ("b", 5, 6), {"transB": 1}),
        (("b", 6, "m"), ("b", 6, 5), {"transA": 1}),
        (("m", "b", 6), ("b", 6, 5), {"transBatchA": 1}),
        (("b", "m", 6), (6, "b", 5), {"transBatchB": 1}),
        ((6, "b", "m"), (5, "b", 6), {"transBatchA": 1, "transA": 1, "transBatchB": 1, "transB": 1}),
        (("m", "b", 3, 6), ("b", 3, 5, 6), {"transBatchA": 1, "transB": 1, "alpha": 2.0}),
        (("m", 6), (5, 6), {"transB": 1}),
        ((6,), (6, 5), {"transA": 1}),
    ],
)
@pytest.mark.parametrize("constant", [False, True])
def test_factors_that_are_transposed_and_scaled(a: Shape, b: Shape, attributes: dict[str, Any], constant: bool) -> None:
    if constant and "b" in b:
        b = tuple(2 if d == "b" else d for d in b)
    weights = {"b": normal(*sized(b))} if constant else None
    shapes = {"a": a, **({} if constant else {"b": b})}
    feeds = [{n: normal(*sized(s, b=2, m=m)) for n, s in shapes.items()} for m in (1, 7)]
    node = contrib("FusedMatMul", ["a", "b"], ["y"], **attributes)
    agrees([node], shapes, ["y"], feeds, weights, compiled=constant)


def test_the_older_name() -> None:
    node = contrib("TransposeMatMul", ["a", "b"], ["y"], transA=1, alpha=0.5)
    agrees([node], {"a": (6, "m"), "b": (6, 5)}, ["y"], [{"a": normal(6, m), "b": normal(6, 5)} for m in (1, 7)])


ACTIVATIONS = {
    "Relu": {},
    "Tanh": {},
    "Sigmoid": {},
    "Softplus": {},
    "Softsign": {},
    "LeakyRelu": {"alpha": 0.2},
    "Elu": {"alpha": 0.7},
    "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "Selu": {"alpha": 1.5, "gamma": 1.1},
    "ThresholdedRelu": {"alpha": 0.4},
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_layers_with_an_activation(activation: str) -> None:
    attributes = {f"activation_{name}": value for name, value in ACTIVATIONS[activation].items()}
    said = {"transB": 1, "alpha": 0.5, "beta": 2.0, "activation": activation, **attributes}
    weights = {"w": normal(5, 6), "bias": normal(5)}
    feeds = [{"x": normal(m, 6)} for m in (1, 7)]
    node = contrib("FusedGemm", ["x", "w", "bias"], ["y"], **said)
    agrees([node], {"x": ("m", 6)}, ["y"], feeds, weights, compiled=activation == "Relu")


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
def test_distances(metric: str) -> None:
    node = contrib("CDist", ["a", "b"], ["y"], metric=metric)
    feeds = [{"a": normal(m, 6), "b": normal(n, 6)} for m, n in ((1, 1), (7, 3))]
    agrees([node], {"a": ("m", 6), "b": ("n", 6)}, ["y"], feeds, bound=1e-4)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_inverses(size: int) -> None:
    feeds = [{"x": normal(b, size, size) + 3 * np.eye(size, dtype=np.float32)} for b in (1, 5)]
    node = contrib("Inverse", ["x"], ["y"])
    agrees([node], {"x": ("b", size, size)}, ["y"], feeds, bound=1e-4, compiled=size == 2)


def of_numpy(node: Any, feed: dict[str, Any], wanted: Any) -> None:
    proto = model([node], {name: x.shape for name, x in feed.items()}, ["y"])
    found = anytile.Session(anytile.compile(import_model(proto)))(*feed.values())
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_product_with_an_activation() -> None:
    a, b = normal(3, 6), normal(5, 6)
    node = contrib("FusedMatMulActivation", ["a", "b"], ["y"], transB=1, activation="LeakyRelu", activation_alpha=0.5)
    product = a @ b.T
    of_numpy(node, {"a": a, "b": b}, np.where(product < 0, 0.5 * product, product))


@pytest.mark.parametrize("has_bias", [False, True])
def test_a_layer_with_gelu(has_bias: bool) -> None:
    feed = {"x": normal(2, 3, 6), "w": normal(6, 5), **({"bias": normal(5)} if has_bias else {})}
    y = (feed["x"] @ feed["w"] + feed.get("bias", 0)).astype(np.float64)
    wanted = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    of_numpy(contrib("GemmFastGelu", list(feed), ["y"]), feed, wanted)


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "said"),
    [
        ("FusedMatMul", ["x", "x", "x"], {}, "3 inputs; expected at most 2"),
        ("FusedGemm", ["x", "x"], {"activation": "Mish"}, "activation=Mish; supported are Clip, Elu"),
        ("CDist", ["x", "x"], {"metric": "cosine"}, "metric=cosine"),
        ("Inverse", ["x"], {}, "expected square matrices of 1 to 4 rows"),
    ],
)
def test_what_is_refused(name: str, inputs: list[str], attributes: dict[str, Any], said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        imported([contrib(name, inputs, ["y"], **attributes)], {"x": (6, 6)}, ["y"])

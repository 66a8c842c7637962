"""Biases of com.microsoft that are added in the same node, and biases of positions: GPUs alone have them, so numpy says
what they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import Feed, contrib, model

RNG = np.random.default_rng(19)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


def run(node: Any, feed: Feed, weights: Feed | None = None, outputs: tuple[str, ...] = ("y",)) -> Any:
    """What a node makes where no size is known."""
    shapes = {name: tuple(f"{name}{i}" if d > 1 else d for i, d in enumerate(x.shape)) for name, x in feed.items()}
    return evaluate(import_model(model([node], shapes, outputs, weights)), list(feed.values()))


def softmax(x: Any) -> Any:
    made = np.exp(x - x.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def test_a_bias_and_a_skip() -> None:
    x, bias, skip = normal(2, 5, 6), normal(6), normal(2, 5, 6)
    found = run(contrib("BiasAdd", ["x", "bias", "skip"], ["y"]), {"x": x}, {"bias": bias, "skip": skip})
    np.testing.assert_allclose(found, x + bias + skip, atol=1e-6)


def test_halves_of_rows_by_gelu() -> None:
    x, bias = normal(2, 5, 8), normal(8)
    left, right = np.split((x + bias).astype(np.float64), 2, -1)
    wanted = left * right * 0.5 * (1 + np.vectorize(math.erf)(right / math.sqrt(2)))
    node = contrib("BiasSplitGelu", ["x", "bias"], ["y"])
    proto = model([node], {"x": ("b", "s", 8)}, ["y"], {"bias": bias})
    np.testing.assert_allclose(evaluate(import_model(proto), [x]), wanted, atol=1e-5)


@pytest.mark.parametrize("residual", ["", "more"])
def test_nothing_is_dropped(residual: str) -> None:
    x, bias, more = normal(2, 6), normal(6), normal(2, 6)
    names = ["x", "bias", residual, "ratio", "trains"]
    weights = {"bias": bias, "more": more, "ratio": np.asarray(0.5, np.float32), "trains": np.asarray(False)}
    found, kept = run(contrib("BiasDropout", names, ["y", "mask"]), {"x": x}, weights, ("y", "mask"))
    np.testing.assert_allclose(found, x + bias + (more if residual else 0), atol=1e-6)
    assert kept.all()
    assert kept.shape == x.shape


@pytest.mark.parametrize(("axis", "bias"), [(3, (2, 1, 1, 7)), (-1, (5, 7)), (2, (2, 1, 5, 7))])
def test_softmax_of_a_sum(axis: int, bias: tuple[int, ...]) -> None:
    x, added = normal(2, 3, 5, 7), normal(*bias)
    total = x + added
    rows = softmax(total) if axis in (3, -1) else softmax(total.reshape(2, 3, 35)).reshape(total.shape)
    node = contrib("BiasSoftmax", ["x", "bias"], ["y"], axis=axis, is_inner_broadcast=int(len(bias) == 4))
    np.testing.assert_allclose(run(node, {"x": x}, {"bias": added}), rows, atol=1e-6)


@pytest.mark.parametrize("both", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_biases_by_distance(both: int, dtype: str) -> None:
    """One row for each distance at first, then ever more distances share one."""
    buckets, heads, furthest, size = 8, 3, 20, 40
    table = normal(heads, buckets).astype(dtype)
    node = contrib("RelativePositionBias", ["t", "n", "n"], ["y"], max_distance=furthest, is_bidirectional=both)
    weights = {"t": table.reshape(buckets, heads), "n": np.asarray([size])}
    proto = model([node], {}, ["y"], weights)
    found = np.asarray(evaluate(import_model(proto), []))
    assert found.shape == (1, heads, size, size)
    count = buckets // 2 if both else buckets
    for query in range(size):
        for key in range(size):
            apart = abs(key - query) if both else max(query - key, 0)
            far = count // 2 + int(
                math.log(max(apart, 1) / (count // 2)) / math.log(furthest / (count // 2)) * (count - count // 2)
            )
            row = (apart if apart < count // 2 else min(far, count - 1)) + (count if both and key > query else 0)
            np.testing.assert_array_equal(found[0, :, query, key], table[:, row], f"{query} {key}")


def test_biases_that_queries_let_through() -> None:
    b, s, heads, width, d = 2, 5, 3, 4, 8
    q, own, bias = normal(b, s, heads * width), normal(heads * width), normal(1, heads, s, s)
    w, of_w, factor = normal(width, d), normal(d), normal(1, heads, 1, 1)
    node = contrib("GatedRelativePositionBias", ["q", "own", "bias", "w", "of_w", "factor"], ["y"], num_heads=heads)
    weights = {"own": own, "bias": bias, "w": w, "of_w": of_w, "factor": factor}
    proto = model([node], {"q": ("b", "s", heads * width)}, ["y"], weights)
    found = evaluate(import_model(proto), [q])
    x = (q + own).reshape(b, s, heads, width).transpose(0, 2, 1, 3) @ w + of_w
    gates = 1 / (1 + np.exp(-x.reshape(b, heads, s, 2, d // 2).sum(-1)))
    u, r = gates[..., :1], gates[..., 1:]
    np.testing.assert_allclose(found, (u * (r * factor - 1) + 2) * bias, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "said"),
    [
        ("BiasDropout", ["x", "x", "", "", "yes"], {}, "BiasDropout in training mode"),
        ("BiasSplitGelu", ["odd", "odd"], {}, "two halves of the last dimension"),
        ("RelativePositionBias", ["x", "n", "n"], {"max_distance": 2}, "max_distance=2 of a table"),
        ("RelativePositionBias", ["x", "m", "m"], {"max_distance": 9}, "query_length is data that no sizes give"),
        ("GatedRelativePositionBias", [*["x"] * 6, "k"], {"num_heads": 2}, "token_offset"),
    ],
)
def test_what_is_refused(name: str, inputs: list[str], attributes: dict[str, Any], said: str) -> None:
    shapes = {"x": (4, 8), "odd": (4, 7), "m": (1,), "k": (1,)}
    weights = {"n": np.asarray([5]), "yes": np.asarray(True)}
    read = {n: shapes[n] for n in dict.fromkeys(inputs) if n in shapes}
    proto = model([contrib(name, inputs, ["y"], **attributes)], read, ["y"], weights, {"m": "int64", "k": "int32"})
    with pytest.raises(UnsupportedError, match=said):
        import_model(proto)

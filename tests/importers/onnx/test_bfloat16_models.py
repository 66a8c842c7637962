"""ONNX files in bfloat16: what they make is what the same files make in float32, rounded where it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install 'anytile[onnx]'")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # behind the line that skips

import anytile  # noqa: E402
from anytile.schedules.nest.stored_floats import array_dtype  # noqa: E402
from tests.support.cases.compiled_modules import random  # noqa: E402

BFLOAT16 = array_dtype("bfloat16")
KINDS = {"float32": TensorProto.FLOAT, "bfloat16": TensorProto.BFLOAT16}
MICROSOFT = "com.microsoft"


def rounded(x: Any) -> Any:
    return x.astype(BFLOAT16)


def model(
    nodes: list[Any], dtype: str, inputs: dict[str, list[Any]], outputs: list[str], weights: dict[str, Any]
) -> Any:
    """A file in a dtype, whose numbers are those of bfloat16 in either."""

    def held(array: Any) -> Any:
        return rounded(array).astype(dtype) if array.dtype == np.float32 else array

    kind = KINDS[dtype]
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name in outputs],
        [numpy_helper.from_array(held(array), name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check(
    nodes: list[Any],
    inputs: dict[str, list[Any]],
    outputs: list[str],
    weights: dict[str, Any],
    *given: Any,
    near: float = 2.0**-7,
) -> anytile.Executable:
    exe = anytile.compile(model(nodes, "bfloat16", inputs, outputs, weights))
    wide = anytile.compile(model(nodes, "float32", inputs, outputs, weights))
    made = anytile.Session(exe)(*map(rounded, given))
    wanted = anytile.Session(wide)(*(rounded(x).astype(np.float32) for x in given))
    pairs = zip(made, wanted, strict=True) if isinstance(made, tuple) else [(made, wanted)]
    for one, other in pairs:
        assert one.dtype == BFLOAT16
        scale = np.abs(other).max(initial=1e-6)
        np.testing.assert_allclose(np.float32(one), other, rtol=near, atol=near * scale / 4)
    return exe


@pytest.mark.parametrize("size", [1, 5])
def test_a_layer_of_words(size: int) -> None:
    nodes = [
        helper.make_node("LayerNormalization", ["x", "gamma", "beta"], ["n"], axis=-1),
        helper.make_node("MatMul", ["n", "w"], ["h"]),
        helper.make_node("Add", ["h", "b"], ["hb"]),
        helper.make_node("Gelu", ["hb"], ["g"]),
        helper.make_node("Gemm", ["g", "v"], ["m"], transB=1),
        helper.make_node("Softmax", ["m"], ["s"]),
        helper.make_node("Add", ["s", "x"], ["y"]),
    ]
    weights = {
        **{"gamma": random(0, 24), "beta": random(1, 24), "w": random(2, 24, 40)},
        **{"b": random(3, 40), "v": random(4, 24, 40)},
    }
    exe = check(nodes, {"x": ["n", 24]}, ["y"], weights, random(5, size, 24))
    assert str(exe.inputs[0][1]) == "Tensor[(?n, 24), bfloat16]"


def test_images() -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2]),
        helper.make_node("GlobalAveragePool", ["p"], ["y"]),
    ]
    weights = {"w": random(0, 8, 3, 3, 3), "b": random(1, 8)}
    check(nodes, {"x": ["n", 3, "h", "w"]}, ["p", "y"], weights, random(2, 2, 3, 12, 9))


def test_it_is_cast_to_and_from() -> None:
    """A file in float32 that rounds within: what is cast back at once is rounded, what is computed with is not."""
    nodes = [
        helper.make_node("Cast", ["x"], ["h"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["h"], ["r"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["h", "two"], ["m"]),
        helper.make_node("Cast", ["m"], ["y"], to=TensorProto.FLOAT),
    ]
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "ry"],
        [helper.make_tensor("two", TensorProto.BFLOAT16, [], [2.0])],
    )
    session = anytile.Session(anytile.compile(helper.make_model(graph)))
    x = random(0, 100)
    once, doubled = session(x)
    np.testing.assert_array_equal(once, rounded(x).astype(np.float32))
    np.testing.assert_allclose(doubled, x * 2, rtol=2.0**-8)


@pytest.mark.parametrize("past", [0, 6])
def test_a_decoder_of_onnxruntimes_operators(past: int) -> None:
    """A norm with a residual, weights in 4 bits with scales in bfloat16, and attention over a cache in bfloat16."""
    heads, shared, width = 4, 2, 16
    hidden, packed = heads * width, (heads + 2 * shared) * width
    nodes = [
        helper.make_node(
            "SkipSimplifiedLayerNormalization",
            ["x", "skip", "gamma"],
            ["n", "", "", "sum"],
            domain=MICROSOFT,
            epsilon=1e-6,
        ),
        helper.make_node(
            "MatMulNBits", ["n", "qw", "qs"], ["qkv"], domain=MICROSOFT, K=hidden, N=packed, bits=4, block_size=32
        ),
        helper.make_node(
            "GroupQueryAttention",
            ["qkv", "", "", "k", "v", "last", "total"],
            ["mixed", "k2", "v2"],
            domain=MICROSOFT,
            num_heads=heads,
            kv_num_heads=shared,
        ),
        helper.make_node("Add", ["mixed", "sum"], ["y"]),
    ]
    rng = np.random.default_rng(0)
    rows = 1 if past else 3
    weights = {
        "gamma": random(0, hidden),
        "qw": rng.integers(0, 256, (packed, hidden // 32, 16), np.uint8),
        "qs": random(1, packed, hidden // 32) * np.float32(0.1),
        "last": np.array([past + rows - 1], np.int32),
        "total": np.array(past + rows, np.int32),
    }
    cache = [1, shared, "past", width]
    inputs = {"x": [1, "t", hidden], "skip": [1, "t", hidden], "k": cache, "v": cache}
    old = [random(4, 1, shared, past, width), random(5, 1, shared, past, width)]
    given = random(2, 1, rows, hidden), random(3, 1, rows, hidden), *old
    check(nodes, inputs, ["y", "k2", "v2"], weights, *given, near=2.0**-4)  # keys are rounded

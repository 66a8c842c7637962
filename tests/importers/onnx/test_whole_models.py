"""Whole models from ONNX after the passes: which kernels a residual network and an attention layer become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, numpy_helper

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.importers.onnx.model import import_model

node = helper.make_node
RNG = np.random.default_rng(3)


class _Net:
    """A residual network, node by node; with `last` as exporters write one whose images have their channels last."""

    def __init__(self, last: bool) -> None:
        self.last = last
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}

    def add(self, op: str, *inputs: str, **attrs: Any) -> str:
        made = f"v{len(self.nodes)}"
        self.nodes.append(node(op, list(inputs), [made], **attrs))
        return made

    def weight(self, array: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array, np.float32)
        return name

    def framed(self, op: str, x: str, *more: str, **attrs: Any) -> str:
        """A step on images whose channels come second."""
        if not self.last:
            return self.add(op, x, *more, **attrs)
        turned = self.add("Transpose", x, perm=[0, 3, 1, 2])
        return self.add("Transpose", self.add(op, turned, *more, **attrs), perm=[0, 2, 3, 1])

    def conv(self, x: str, ci: int, co: int, size: int, stride: int = 1) -> str:
        """With its normalisation."""
        w = self.weight(RNG.standard_normal((co, ci, size, size)) / np.sqrt(ci * size * size))
        made = self.framed("Conv", x, w, strides=[stride] * 2, pads=[size // 2] * 4)
        stats = [self.weight(RNG.standard_normal(co)) for _ in range(3)]
        return self.framed("BatchNormalization", made, *stats, self.weight(RNG.random(co) + 0.5))

    def block(self, x: str, ci: int, co: int, stride: int) -> str:
        main = self.add("Relu", self.conv(x, ci, co, 1))
        main = self.add("Relu", self.conv(main, co, co, 3, stride))
        main = self.conv(main, co, 4 * co, 1)
        side = x if ci == 4 * co and stride == 1 else self.conv(x, ci, 4 * co, 1, stride)
        return self.add("Relu", self.add("Add", main, side))

    def model(self) -> Any:
        """The shape of a ResNet-50, with fewer channels and blocks."""
        x = self.add("Relu", self.conv("x", 3, 8, 7, 2))
        x = self.framed("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        ci = 8
        for co, stride in ((4, 1), (4, 1), (8, 2)):
            x, ci = self.block(x, ci, co, stride), 4 * co
        if self.last:
            x = self.add("GlobalAveragePool", self.add("Transpose", x, perm=[0, 3, 1, 2]))
        else:
            x = self.add("GlobalAveragePool", x)
        y = self.add("Gemm", self.add("Flatten", x), self.weight(RNG.standard_normal((5, ci))), transB=1)
        shape = ("batch", "height", "width", 3) if self.last else ("batch", 3, "height", "width")
        return _proto(self.nodes, {"x": shape}, y, self.weights)


def _proto(nodes: list[Any], inputs: dict[str, tuple[Any, ...]], output: str, weights: dict[str, Any]) -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, Proto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_empty_tensor_value_info(output)],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def _workloads(exe: Any) -> list[str]:
    """Of the kernels, and whatever the host would do; not the programs that compute sizes."""
    return [k.workload for k in exe.kernels if k.kind != "shape"]


@pytest.mark.slow
@pytest.mark.parametrize("last", [False, True])
def test_a_residual_network_is_its_convolutions(last: bool) -> None:
    """No transposition, normalisation, sum or activation has a kernel of its own, whichever way images lie outside."""
    module = import_model(_Net(last).model())
    exe = anytile.compile(module)
    found = _workloads(exe)
    assert {w.partition("(")[0] for w in found} == {"conv2d", "max_pool2d", "reduce", "dense"}, found
    assert all(("layout=nhwc" in w) == last for w in found if w.startswith(("conv2d", "max_pool2d")))
    for batch, height, width in ((1, 16, 9), (3, 33, 16)):
        shape = (batch, height, width, 3) if last else (batch, 3, height, width)
        x = RNG.standard_normal(shape, np.float32)
        got = anytile.Session(exe)(x)
        np.testing.assert_allclose(got, evaluate(module, (x,)), rtol=2e-3, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False])
def test_the_guard_of_attention_is_its_softmaxs(guarded: bool) -> None:
    """As exporters write it, with a mask that may hide everything from a row."""
    nodes = [
        node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
        *(node("MatMul", ["q", "kt"], ["s"]), node("Mul", ["s", "scale"], ["scaled"])),
        *(node("Add", ["scaled", "mask"], ["masked"]), node("Softmax", ["masked"], ["p"], axis=-1)),
        *(node("IsNaN", ["p"], ["isnan"]), node("Where", ["isnan", "zero", "p"], ["guarded"])),
        node("MatMul", ["guarded" if guarded else "p", "v"], ["y"]),
    ]
    nodes = nodes if guarded else [n for n in nodes if n.op_type not in ("IsNaN", "Where")]
    shape = ("b", 2, "t", 8)
    inputs = {"q": shape, "k": shape, "v": shape, "mask": ("b", 1, "t", "t")}
    weights = {"scale": np.asarray(8**-0.5, np.float32), "zero": np.asarray(0, np.float32)}
    module = import_model(_proto(nodes, inputs, "y", weights))
    exe = anytile.compile(module)
    found = _workloads(exe)
    assert ["guard=nan" in w for w in found if w.startswith("softmax")] == [guarded]
    assert {w.partition("(")[0] for w in found} <= {"batch_matmul", "transpose", "elementwise", "softmax"}
    assert not [w for w in found if "isnan" in w]
    for b, t in ((1, 1), (2, 7), (1, 33)):
        q, k, v = (RNG.standard_normal((b, 2, t, 8), np.float32) for _ in range(3))
        mask = np.where(RNG.random((b, 1, t, t)) < 0.5, np.float32(0), np.float32(-np.inf))
        mask[:, :, 0] = -np.inf  # sees nothing
        got = anytile.Session(exe)(q, k, v, mask)
        np.testing.assert_allclose(got, evaluate(module, (q, k, v, mask)), rtol=1e-4, atol=1e-5)
        assert np.isnan(got[:, :, 0]).all() != guarded

"""The models of examples/ as ONNX graphs, with the same weights: what a user of onnxruntime would export.

BERT comes in two spellings: standard operators, which the runtime's optimiser fuses as far as it can, and the fused
operators that its transformer optimiser writes. Every graph takes `x`, of any number of tokens, and gives `y`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Layers = Sequence[Mapping[str, Array]]
FUSED = "com.microsoft"
OPSET, IR_VERSION = 20, 9


class Graph:
    """Nodes and initializers in the making; an operator's method answers the name of its result."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def __call__(self, op: str, *inputs: str, outputs: int = 1, named: Sequence[str] = (), **attributes: Any) -> str:
        """Add a node; the name of the last of its results, or of the first where they are given names."""
        from onnx import helper

        number = len(self._nodes)
        names = list(named) or [f"{op}_{number}_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if named else names[-1]

    def constant(self, array: NDArray[Any], name: str) -> str:
        from onnx import numpy_helper

        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def model(self, y: str, x_shape: Sequence[int | str], y_shape: Sequence[int | str]) -> bytes:
        return self.model_of(y, {"x": ("FLOAT", x_shape)}, {"y": y_shape})

    def model_of(
        self, y: str, inputs: Mapping[str, tuple[str, Sequence[int | str]]], outputs: Mapping[str, Sequence[int | str]]
    ) -> bytes:
        """The model of inputs, each with its element type, to `y`, which is one of the outputs, and to other results of
        nodes by their names."""
        from onnx import TensorProto, helper

        self._nodes.append(helper.make_node("Identity", [y], ["y"]))
        graph = helper.make_graph(
            self._nodes,
            "model",
            [helper.make_tensor_value_info(n, getattr(TensorProto, kind), list(s)) for n, (kind, s) in inputs.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(shape)) for n, shape in outputs.items()],
            list(self._constants.values()),
        )
        domains = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        made = helper.make_model(graph, opset_imports=domains, ir_version=IR_VERSION)
        return bytes(made.SerializeToString())


def bert(layers: Layers, heads: int, eps: float, fused: bool) -> bytes:
    """The encoder: x[1, t, hidden] to y[1, t, hidden]."""
    g, y = Graph(), "x"
    hidden = layers[0]["w_q"].shape[1]
    layer = _fused_layer if fused else _layer
    for number, w in enumerate(layers):
        y = layer(g, y, w, f"l{number}_", heads, eps)
    return g.model(y, (1, "t", hidden), (1, "t", hidden))


def _layer(g: Graph, x: str, w: Mapping[str, Array], prefix: str, heads: int, eps: float) -> str:
    hidden = w["w_q"].shape[1]

    def vector(name: str) -> str:
        return g.constant(w[name], prefix + name)

    def dense(x: str, name: str) -> str:
        return g("Add", g("MatMul", x, g.constant(w[f"w_{name}"].T, f"{prefix}w_{name}")), vector(f"b_{name}"))

    def turned(x: str, name: str, order: Sequence[int]) -> str:
        by_heads = g.constant(np.array([1, -1, heads, hidden // heads], np.int64), "by_heads")
        return g("Transpose", g("Reshape", dense(x, name), by_heads), perm=list(order))

    def normalised(x: str, name: str) -> str:
        return g("LayerNormalization", x, vector(f"gamma_{name}"), vector(f"beta_{name}"), epsilon=eps)

    q, v = (turned(x, name, (0, 2, 1, 3)) for name in "qv")
    k = turned(x, "k", (0, 2, 3, 1))
    scale = g.constant(np.array((hidden // heads) ** -0.5, np.float32), "scale")
    scores = g("Softmax", g("Mul", g("MatMul", q, k), scale), axis=-1)
    mixed = g("Transpose", g("MatMul", scores, v), perm=[0, 2, 1, 3])
    joined = g("Reshape", mixed, g.constant(np.array([1, -1, hidden], np.int64), "joined"))
    x = normalised(g("Add", dense(joined, "out"), x), "attended")
    return normalised(g("Add", dense(g("Gelu", dense(x, "inner")), "outer"), x), "final")


def _fused_layer(g: Graph, x: str, w: Mapping[str, Array], prefix: str, heads: int, eps: float) -> str:
    def vector(name: str) -> str:
        return g.constant(w[name], prefix + name)

    def product(x: str, name: str) -> str:
        return g("MatMul", x, g.constant(w[f"w_{name}"].T, f"{prefix}w_{name}"))

    def normalised(y: str, x: str, bias: str, name: str) -> str:
        given = (y, x, vector(f"gamma_{name}"), vector(f"beta_{name}"), vector(bias))
        return g("SkipLayerNormalization", *given, domain=FUSED, epsilon=eps)

    weight = g.constant(np.concatenate([w[f"w_{n}"].T for n in "qkv"], axis=1), f"{prefix}w_qkv")
    bias = g.constant(np.concatenate([w[f"b_{n}"] for n in "qkv"]), f"{prefix}b_qkv")
    mixed = g("Attention", x, weight, bias, domain=FUSED, num_heads=heads)
    x = normalised(product(mixed, "out"), x, "b_out", "attended")
    inner = g("BiasGelu", product(x, "inner"), vector("b_inner"), domain=FUSED)
    return normalised(product(inner, "outer"), x, "b_outer", "final")


def lstm(layers: Layers) -> bytes:
    """x[t, 1, inputs] to the last layer's last hidden state, y[1, 1, units]."""
    g, x = Graph(), "x"
    inputs, units = layers[0]["w_x"].shape[1], layers[0]["w_h"].shape[1]
    last = "x"
    for number, w in enumerate(layers):
        # ONNX orders the gates i, o, f, c, and wants a bias for each of the two products.
        order = [0, 3, 1, 2]
        w_x = w["w_x"].reshape(4, units, -1)[order].reshape(1, 4 * units, -1)
        w_h = w["w_h"][order].reshape(1, 4 * units, units)
        b = np.concatenate([w["b"].reshape(4, units)[order].reshape(1, -1), np.zeros((1, 4 * units), np.float32)], 1)
        operands = [g.constant(a, f"l{number}_{name}") for name, a in (("w_x", w_x), ("w_h", w_h), ("b", b))]
        last = g("LSTM", x, *operands, outputs=2, hidden_size=units)
        if number + 1 < len(layers):
            every = last.removesuffix("_1") + "_0"
            x = g("Squeeze", every, g.constant(np.array([1], np.int64), "directions"))
    return g.model(last, ("t", 1, inputs), (1, 1, units))

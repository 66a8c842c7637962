"""What users have for softmax, layer_norm and gelu over rows, and for dense + bias + gelu: numpy, torch and others.

Each is called as well as we know how: outputs preallocated where the library lets a program do so, weights laid out
ahead of time, graphs optimised by the library. The benchmark tries all ways and reports the quickest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.models_io.rival import onnxruntime_session
from benchmarks.rivals.dense_rivals import Way, bound, compiled_of, inferred, inferring, missing

Array = NDArray[np.float32]
Operands = Mapping[str, Array]  # x, and what else the operation takes
EPS = 1e-5


def ways(op: str, operands: Operands, threads: int) -> dict[str, list[Way]]:
    """Every installed library's ways to do `op`: softmax, layer_norm, gelu, or dense_gelu."""
    absent = missing()
    return {name: make(op, operands, threads) for name, make in _MAKERS.items() if name not in absent}


def _numpy(op: str, operands: Operands, threads: int) -> list[Way]:
    x = operands["x"]
    wt = operands["w"].T if "w" in operands else x
    out = np.empty((x.shape[0], wt.shape[1]), np.float32)

    def softmax() -> None:
        np.subtract(x, x.max(axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(axis=1, keepdims=True), out=out)

    def layer_norm() -> None:
        np.subtract(x, x.mean(axis=1, keepdims=True), out=out)
        scale = np.square(out).mean(axis=1, keepdims=True)
        np.divide(out, np.sqrt(scale + np.float32(EPS)), out=out)
        np.multiply(out, operands["gamma"], out=out)
        np.add(out, operands["beta"], out=out)

    def gelu(y: Array = x) -> None:
        """The tanh formula: numpy has no erf."""
        inner = np.float32(math.sqrt(2 / math.pi)) * (y + np.float32(0.044715) * y * y * y)
        np.tanh(inner, out=inner)
        np.multiply(np.float32(0.5) * y, inner + np.float32(1), out=out)

    def dense_gelu() -> None:
        y = np.matmul(x, wt)
        y += operands["bias"]
        gelu(y)

    calls: dict[str, Callable[[], None]] = {
        "softmax": softmax, "layer_norm": layer_norm, "gelu": gelu, "dense_gelu": dense_gelu
    }  # fmt: skip
    return [Way("in place", calls[op], lambda: out)]


def _torch(op: str, operands: Operands, threads: int) -> list[Way]:
    torch = inferring(threads)
    given = {name: torch.from_numpy(a) for name, a in operands.items()}
    x, aten, functional = given["x"], torch.ops.aten, torch.nn.functional

    def way(label: str, call: Callable[[], Any]) -> Way:
        return Way(label, call, lambda: np.asarray(call().numpy()))

    out = torch.empty_like(x)
    if op == "softmax":
        into = aten._softmax.out
        return [way("softmax", lambda: torch.softmax(x, -1)), way("out", lambda: into(x, -1, False, out=out))]
    if op == "layer_norm":
        size, gamma, beta = (x.shape[1],), given["gamma"], given["beta"]
        mean, scale = torch.empty(x.shape[0], 1), torch.empty(x.shape[0], 1)
        norm = aten.native_layer_norm.out
        return [
            way("layer_norm", lambda: functional.layer_norm(x, size, gamma, beta, EPS)),
            way("out", lambda: norm(x, size, gamma, beta, EPS, out0=out, out1=mean, out2=scale)[0]),
        ]
    if op == "gelu":
        return [way("gelu", lambda: functional.gelu(x)), way("out", lambda: aten.gelu.out(x, out=out))]
    w, bias = given["w"], given["bias"]
    found = [way("linear, gelu", lambda: functional.gelu(functional.linear(x, w, bias)))]
    if torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        packed = torch.ops.mkldnn._reorder_linear_weight(w, x.shape[0])
        run = torch.ops.mkldnn._linear_pointwise.default
        found.append(way("oneDNN fused", lambda: run(x, packed, bias, "gelu", [], "none")))
        found.append(way("oneDNN, gelu", lambda: functional.gelu(run(x, packed, bias, "none", [], ""))))
    return found


def _onnxruntime(op: str, operands: Operands, threads: int) -> list[Way]:
    x = operands["x"]
    shape = (x.shape[0], operands["w"].shape[0] if "w" in operands else x.shape[1])
    return [
        bound(label, onnxruntime_session(model, threads), {"x": x}, shape) for label, model in _models(op, operands)
    ]


def _openvino(op: str, operands: Operands, threads: int) -> list[Way]:
    x = operands["x"]
    shape = (x.shape[0], operands["w"].shape[0] if "w" in operands else x.shape[1])
    return [inferred(label, compiled_of(model, threads), {"x": x}, shape) for label, model in _models(op, operands)]


def _models(op: str, operands: Operands) -> list[tuple[str, bytes]]:
    from onnx import helper

    node = helper.make_node
    if op == "softmax":
        graphs = {"Softmax": [node("Softmax", ["x"], ["y"], axis=-1)]}
    elif op == "layer_norm":
        graphs = {"LayerNormalization": [node("LayerNormalization", ["x", "gamma", "beta"], ["y"], epsilon=EPS)]}
    elif op == "gelu":
        graphs = {"Gelu": [node("Gelu", ["x"], ["y"])]}
    else:
        gelu, add = node("Gelu", ["z"], ["y"]), node("Add", ["p", "bias"], ["z"])
        graphs = {
            "Gemm, Gelu": [node("Gemm", ["x", "w", "bias"], ["z"], transB=1), gelu],
            "MatMul, Add, Gelu": [node("MatMul", ["x", "wt"], ["p"]), add, gelu],
        }
    return [(label, _model(nodes, operands)) for label, nodes in graphs.items()]


def _model(nodes: Sequence[Any], operands: Operands) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    constants = {name: a for name, a in operands.items() if name != "x"}
    if "w" in operands:
        constants["wt"] = np.ascontiguousarray(operands["w"].T)
    read = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        list(nodes),
        "sequence",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["m", operands["x"].shape[1]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m", None])],
        [numpy_helper.from_array(np.ascontiguousarray(a), name) for name, a in constants.items() if name in read],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(made.SerializeToString())


_MAKERS: dict[str, Callable[[str, Operands, int], list[Way]]] = {
    "numpy": _numpy,
    "torch": _torch,
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}

"""What users have today for attention's products in float32: numpy, torch, onnxruntime, OpenVINO, each at its best.

Both operands are run-time data, so nobody may lay one out ahead of time; outputs are preallocated wherever the library
lets a program do so. A rival offers several ways to do the same; the benchmark reports the quickest at every size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from anytile.models_io.rival import onnxruntime_session
from benchmarks.rivals.dense_rivals import Array, Way, bound, compiled_of, inferred, inferring, missing


class Rival(Protocol):
    """A library; `ways` multiplies lhs[b, m, k] by rhs, which is [b, n, k] where `turned`, else [b, k, n]."""

    name: str

    def ways(self, lhs: Array, rhs: Array, turned: bool) -> list[Way]: ...


class Numpy:
    """numpy with whatever BLAS it was built with."""

    name = "numpy"

    def __init__(self, threads: int) -> None:
        pass

    def ways(self, lhs: Array, rhs: Array, turned: bool) -> list[Way]:
        rhs = rhs.transpose(0, 2, 1) if turned else rhs
        out = np.empty((*lhs.shape[:2], rhs.shape[2]), dtype=np.float32)
        return [Way("matmul(out)", lambda: np.matmul(lhs, rhs, out=out), lambda: out)]


class Torch:
    """torch in inference mode: `bmm` and `matmul` into an output."""

    name = "torch"

    def __init__(self, threads: int) -> None:
        self._torch = inferring(threads)

    def ways(self, lhs: Array, rhs: Array, turned: bool) -> list[Way]:
        torch = self._torch
        x, w = torch.from_numpy(lhs), torch.from_numpy(rhs)
        w = w.transpose(1, 2) if turned else w
        out = torch.empty(x.shape[0], x.shape[1], w.shape[2])
        return [
            Way("bmm(out)", lambda: torch.bmm(x, w, out=out), lambda: out.numpy()),
            Way("bmm", lambda: torch.bmm(x, w), lambda: torch.bmm(x, w).numpy()),
            Way("matmul(out)", lambda: torch.matmul(x, w, out=out), lambda: out.numpy()),
        ]


class OnnxRuntime:
    """onnxruntime with input and output bound ahead of time; a transposition before MatMul is fused into it."""

    name = "onnxruntime"

    def __init__(self, threads: int) -> None:
        self._sessions = {turned: onnxruntime_session(_model(turned), threads) for turned in (True, False)}

    def ways(self, lhs: Array, rhs: Array, turned: bool) -> list[Way]:
        shape = (*lhs.shape[:2], rhs.shape[1 if turned else 2])
        return [bound("MatMul", self._sessions[turned], {"lhs": lhs, "rhs": rhs}, shape)]


class OpenVino:
    """OpenVINO with tensors of ours as inputs and output; a transposition before MatMul is fused into it."""

    name = "openvino"

    def __init__(self, threads: int) -> None:
        self._compiled = {turned: compiled_of(_model(turned), threads) for turned in (True, False)}

    def ways(self, lhs: Array, rhs: Array, turned: bool) -> list[Way]:
        shape = (*lhs.shape[:2], rhs.shape[1 if turned else 2])
        return [inferred("MatMul", self._compiled[turned], {"lhs": lhs, "rhs": rhs}, shape)]


def _model(turned: bool) -> bytes:
    from onnx import TensorProto, helper

    nodes = [helper.make_node("MatMul", ["lhs", "r" if turned else "rhs"], ["y"])]
    if turned:
        nodes.insert(0, helper.make_node("Transpose", ["rhs"], ["r"], perm=[0, 2, 1]))
    shapes = {"lhs": "bmk", "rhs": "bnk" if turned else "bkn", "y": "bmn"}
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, list(dims)) for name, dims in shapes.items()}
    graph = helper.make_graph(nodes, "batch_matmul", [values["lhs"], values["rhs"]], [values["y"]])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


_MAKERS: Sequence[Callable[[int], Rival]] = (Numpy, Torch, OnnxRuntime, OpenVino)


def installed(threads: int) -> list[Rival]:
    """Every rival that is there."""
    absent = missing()
    names = ("numpy", "torch", "onnxruntime", "openvino")
    return [make(threads) for name, make in zip(names, _MAKERS, strict=True) if name not in absent]

"""What users have today for `y = x @ w.T` in float32: numpy, torch, onnxruntime, OpenVINO, each at its best.

A rival offers several ways to do the same; the benchmark tries them at every size and reports the quickest. Weights
are laid out ahead of time and outputs preallocated wherever the library lets a program do so.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anytile.core.once import once
from anytile.models_io.rival import onnxruntime_session

Array = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to call a library at one x: `call` is what is timed, `result` what it computed."""

    label: str
    call: Callable[[], object]
    result: Callable[[], Array]


class Rival(Protocol):
    """A library with a weight loaded into it."""

    name: str

    def ways(self, x: Array) -> list[Way]: ...


class Numpy:
    """numpy with whatever BLAS it was built with."""

    name = "numpy"

    def __init__(self, w: Array, threads: int) -> None:
        self._views = (("w.T", w.T), ("w.T copied", np.ascontiguousarray(w.T)))

    def ways(self, x: Array) -> list[Way]:
        out = np.empty((x.shape[0], self._views[0][1].shape[1]), dtype=np.float32)

        def way(label: str, wt: Array) -> Way:
            return Way(f"matmul(x, {label}, out)", lambda: np.matmul(x, wt, out=out), lambda: out)

        return [way(label, wt) for label, wt in self._views]


MODES = contextlib.ExitStack()  # never closed: nothing here trains


def inferring(threads: int) -> Any:
    """torch with so many threads, in inference mode for the rest of the process."""
    import torch

    torch.set_num_threads(threads)
    if not torch.is_inference_mode_enabled():
        MODES.enter_context(torch.inference_mode())
    return torch


class Torch:
    """torch in inference mode: `F.linear`, `mm` into an output, and oneDNN's prepacked linear where there is one."""

    name = "torch"

    def __init__(self, w: Array, threads: int) -> None:
        self._torch = torch = inferring(threads)
        self._w = torch.from_numpy(w)

    def ways(self, x: Array) -> list[Way]:
        torch, w = self._torch, self._w
        tx = torch.from_numpy(x)
        wt = w.t()
        out = torch.empty(x.shape[0], w.shape[0])
        linear = torch.nn.functional.linear
        found = [
            Way("F.linear", lambda: linear(tx, w), lambda: linear(tx, w).numpy()),
            Way("mm(out)", lambda: torch.mm(tx, wt, out=out), lambda: out.numpy()),
        ]
        prepacked = self._prepacked(tx)
        if prepacked is not None:
            found.append(Way("oneDNN prepacked", prepacked, lambda: prepacked().numpy()))
        return found

    def _prepacked(self, tx: Any) -> Callable[[], Any] | None:
        """What freezing a model makes of a linear layer; None where this torch was built without oneDNN."""
        ops = self._torch.ops.mkldnn
        if not self._torch.backends.mkldnn.is_available() or not hasattr(ops, "_linear_pointwise"):
            return None
        packed = ops._reorder_linear_weight(self._w, tx.shape[0])
        run = ops._linear_pointwise.default
        return lambda: run(tx, packed, None, "none", [], "")


class OnnxRuntime:
    """onnxruntime with the weight as an initializer, which it prepacks, and input and output bound ahead of time."""

    name = "onnxruntime"

    def __init__(self, w: Array, threads: int) -> None:
        self._n = w.shape[0]
        self._sessions = [(op, onnxruntime_session(_model(op, w), threads)) for op in ("MatMul", "Gemm")]

    def ways(self, x: Array) -> list[Way]:
        return [bound(op, session, {"x": x}, (x.shape[0], self._n)) for op, session in self._sessions]


def bound(label: str, session: Any, inputs: Arrays, shape: tuple[int, ...], dtype: str = "float32") -> Way:
    """A session called with its inputs and its output `y` bound ahead of time."""
    return bound_to(label, session, inputs, {"y": np.empty(shape, dtype=dtype)})


def bound_to(label: str, session: Any, inputs: Arrays, outputs: Arrays) -> Way:
    """The same with arrays of ours for its results."""
    binding = session.io_binding()
    for bind, arrays in ((binding.bind_input, inputs), (binding.bind_output, outputs)):
        for name, array in arrays.items():
            bind(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
    operands = (inputs, outputs)  # the binding holds bare pointers: whoever holds the call must hold these

    def call() -> object:
        session.run_with_iobinding(binding)
        return operands

    return Way(label, call, lambda: flat(outputs.values()))


def flat(results: Iterable[NDArray[Any]]) -> Array:
    """One result as it is, or the elements of several one after the other."""
    listed = list(results)
    return listed[0] if len(listed) == 1 else np.concatenate([np.ravel(array) for array in listed])


class OpenVino:
    """OpenVINO with the weight as a constant, any m, and tensors of ours as input and output."""

    name = "openvino"

    def __init__(self, w: Array, threads: int) -> None:
        self._n = w.shape[0]
        self._compiled = [(op, compiled_of(_model(op, w), threads)) for op in ("MatMul", "Gemm")]

    def ways(self, x: Array) -> list[Way]:
        return [inferred(op, compiled, {"x": x}, (x.shape[0], self._n)) for op, compiled in self._compiled]


def compiled_of(model: bytes | Path, threads: int) -> Any:
    """An ONNX model compiled by OpenVINO for one stream of calls. Pinned threads would leave the cores that we are held
    to, and without the hint its arithmetic may be that of bfloat16."""
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "ENABLE_CPU_PINNING": False,
    }
    core = _openvino_core()
    return core.compile_model(core.read_model(model), "CPU", settings)


@once
def _openvino_core() -> Any:
    """The process' one Core: each gives the thread a stack for signals, and of two the second leaves it the first's,
    which is gone by then. The next signal that asks for that stack ends the process."""
    import openvino

    return openvino.Core()


def inferred(label: str, compiled: Any, inputs: Mapping[str, Array], shape: tuple[int, ...]) -> Way:
    """A compiled model called with its inputs and its one output set ahead of time; the result is not copied."""
    return inferred_to(label, compiled, inputs, [np.empty(shape, dtype=np.float32)])


def inferred_to(label: str, compiled: Any, inputs: Arrays, outputs: Sequence[NDArray[Any]]) -> Way:
    """The same with arrays of ours for its results, in their order."""
    import openvino

    request = compiled.create_infer_request()
    given = {name: np.ascontiguousarray(array) for name, array in inputs.items()}
    for name, array in given.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
    for place, array in enumerate(outputs):
        request.set_output_tensor(place, openvino.Tensor(array, shared_memory=True))
    operands = (given, outputs)  # its tensors hold bare pointers: whoever holds the call must hold these

    def call() -> object:
        request.infer(share_outputs=True)
        return operands

    return Way(label, call, lambda: flat(outputs))


def _model(op: str, w: Array) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    n, k = w.shape
    weight = numpy_helper.from_array(np.ascontiguousarray(w.T) if op == "MatMul" else w, "w")
    attributes = {"transB": 1} if op == "Gemm" else {}
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w"], ["y"], **attributes)],
        "dense",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["m", k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m", n])],
        [weight],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


NEEDS: dict[str, tuple[str, ...]] = {
    "numpy": ("numpy",),
    "torch": ("torch",),
    "onnxruntime": ("onnxruntime", "onnx"),
    "openvino": ("openvino", "onnx"),
}
_MAKERS: dict[str, Callable[[Array, int], Rival]] = {
    "numpy": Numpy,
    "torch": Torch,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
}


def missing() -> list[str]:
    """The rivals that are not installed."""
    return [name for name, needs in NEEDS.items() if not all(importlib.util.find_spec(n) for n in needs)]


def installed(w: Array, threads: int) -> list[Rival]:
    """Every rival that is there, with the weight `w[n, k]` loaded into it."""
    absent = missing()
    return [make(w, threads) for name, make in _MAKERS.items() if name not in absent]

"""What users have today for conv2d in float32: torch, torch channels_last, onnxruntime, OpenVINO, each at its best.

Weights are laid out ahead of time and outputs preallocated wherever the library lets a program do so; every library
gets the image in the layout that it wants. A rival offers several ways; the benchmark reports the quickest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anytile.models_io.rival import onnxruntime_session
from benchmarks.rivals.dense_rivals import Array, Way, bound, compiled_of, inferred, inferring, missing

TORCH, CHANNELS_LAST, ONNXRUNTIME, OPENVINO = "torch", "torch channels_last", "onnxruntime", "openvino"


@dataclass(frozen=True, slots=True)
class Convolution:
    """The numbers of one convolution; `pad` is the same on opposite sides."""

    stride: tuple[int, int]
    pad: tuple[int, int]
    dilation: tuple[int, int]
    groups: int


def torch_ways(x: Array, w: Array, c: Convolution, threads: int, channels_last: bool) -> list[Way]:
    """`F.conv2d`, and oneDNN with its own layout of the weight, which freezing a model makes of it. x is nchw."""
    torch = inferring(threads)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    tx = torch.from_numpy(x).contiguous(memory_format=layout)
    tw = torch.from_numpy(w).contiguous(memory_format=layout)
    conv = torch.nn.functional.conv2d

    def plain() -> Any:
        return conv(tx, tw, None, c.stride, c.pad, c.dilation, c.groups)

    ways = [Way("F.conv2d", plain, lambda: plain().contiguous().numpy())]
    ops = torch.ops.mkldnn
    if torch.backends.mkldnn.is_available() and hasattr(ops, "_convolution_pointwise"):
        packed = ops._reorder_convolution_weight(tw, c.pad, c.stride, c.dilation, c.groups, tx.shape)
        run = ops._convolution_pointwise.default

        def prepacked() -> Any:
            return run(tx, packed, None, c.pad, c.stride, c.dilation, c.groups, "none", [], "")

        ways.append(Way("oneDNN prepacked", prepacked, lambda: prepacked().contiguous().numpy()))
    return ways


def onnxruntime_ways(x: Array, w: Array, c: Convolution, threads: int, shape: tuple[int, ...]) -> list[Way]:
    """The weight as an initializer, which it lays out ahead of time; input and output bound. x and y are nchw."""
    return [bound("Conv", onnxruntime_session(_model(x.shape, w, c), threads), {"x": x}, shape)]


def openvino_ways(x: Array, w: Array, c: Convolution, threads: int, shape: tuple[int, ...]) -> list[Way]:
    """The weight as a constant, which it lays out ahead of time; tensors of ours as input and output, both nchw."""
    return [inferred("Conv", compiled_of(_model(x.shape, w, c), threads), {"x": x}, shape)]


def _model(shape: tuple[int, ...], w: Array, c: Convolution) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    node = helper.make_node(
        "Conv", ["x", "w"], ["y"], strides=c.stride, pads=(*c.pad, *c.pad), dilations=c.dilation, group=c.groups
    )
    graph = helper.make_graph(
        [node],
        "conv",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(w, "w")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def absent() -> list[str]:
    """The rivals that are not installed."""
    return [name for name in missing() if name != "numpy"]


def ways(
    x: Array, w: Array, c: Convolution, threads: int, shape: tuple[int, ...]
) -> Mapping[str, Callable[[], list[Way]]]:
    """Every rival that is there, and how it would convolve x (nchw) with w into a result of a shape (nchw)."""
    found: dict[str, Callable[[], list[Way]]] = {}
    gone = absent()
    if "torch" not in gone:
        found[TORCH] = lambda: torch_ways(x, w, c, threads, False)
        found[CHANNELS_LAST] = lambda: torch_ways(x, w, c, threads, True)
    if "onnxruntime" not in gone:
        found[ONNXRUNTIME] = lambda: onnxruntime_ways(x, w, c, threads, shape)
    if "openvino" not in gone:
        found[OPENVINO] = lambda: openvino_ways(x, w, c, threads, shape)
    return found

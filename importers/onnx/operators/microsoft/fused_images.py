"""Images of com.microsoft: convolutions with an activation and a sum in the same node, and with the channels last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anytile.core.errors import UnsupportedError
from anytile.importers.core.graph import Value
from anytile.importers.onnx.operators.microsoft.activations import activated
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.windows import convolution
from anytile.importers.onnx.proto.call import Call, Row, Signature

BLOCKED = "com.microsoft.nchwc"


def _conv(c: Call) -> Value:
    """The convolution, what is added to it, and an activation of that."""
    made, z = convolution(c), c.maybe(3)
    if z is not None:
        made = c.do("add", made, z)
    return activated(c, made, str(c.attr("activation")), c.attr("activation_params"))


def channels_last(c: Call, x: Value) -> Value:
    """Images whose channels were second."""
    return c.transpose(x, (0, *range(2, x.rank), 1))


def channels_second(c: Call, x: Value) -> Value:
    """Images whose channels were last."""
    return c.transpose(x, (0, x.rank - 1, *range(1, x.rank - 1)))


def _of_channels_last(means: Callable[[Call], Value], images: tuple[int, ...]) -> Callable[[Call], Value]:
    """An operator on images whose channels are the last dimension, as they are of these inputs and of the result."""

    def made(c: Call) -> Value:
        turned = {i: channels_second(c, c[i]) for i in images}
        inputs = [turned.get(i, x) for i, x in enumerate(c.inputs)]
        return channels_last(c, means(replace(c, inputs=inputs)))

    return made


def _blocked(c: Call) -> Value:
    raise UnsupportedError(
        f"{c.op} of {BLOCKED} reads images in blocks of as many channels as one kind of CPU likes, and the file does "
        "not say how many; have onnxruntime save the model at ORT_ENABLE_EXTENDED, not at ORT_ENABLE_ALL"
    )


_WINDOW = {"auto_pad": "NOTSET", "dilations": tuple, "kernel_shape": tuple, "pads": tuple, "strides": tuple}
_CONV = {**_WINDOW, "group": 1}
_FUSED = {**_CONV, "activation": "", "activation_params": ()}
_POOL = {**_WINDOW, "ceil_mode": 0}
_BLOCKS: dict[str, dict[str, Any]] = {
    "Conv": _FUSED,
    "MaxPool": {**_POOL, "storage_order": 0},
    "AveragePool": {**_POOL, "count_include_pad": 0},
    "GlobalMaxPool": {},
    "GlobalAveragePool": {},
    "ReorderInput": {"channels_last": 0},
    "ReorderOutput": {"channels_last": 0, "channels": 0},
    "Upsample": {"scales": tuple, "mode": "nearest", "coordinate_transformation_mode": "asymmetric"},
}

ROWS = (
    row("FusedConv", _conv, "d d d d", _FUSED),
    row("NhwcConv", _of_channels_last(convolution, (0, 1)), "d d d", _CONV),
    *(
        Row(name, _blocked, domain=BLOCKED, refused=True, signature=Signature(4, attributes))
        for name, attributes in _BLOCKS.items()
    ),
)

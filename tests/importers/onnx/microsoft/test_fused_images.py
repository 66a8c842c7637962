"""Images of com.microsoft against onnxruntime; with the channels last, which GPUs alone have, against ONNX's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model, read_onnx
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model, onnx

RNG = np.random.default_rng(13)
ACTIVATIONS: dict[str, list[float]] = {
    "Relu": [],
    "Tanh": [],
    "Sigmoid": [],
    "LeakyRelu": [0.2],
    "Clip": [-0.5, 0.5],
    "HardSigmoid": [0.3, 0.4],
}


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


@pytest.mark.parametrize("activation", ["", *ACTIVATIONS])
@pytest.mark.parametrize("has_more", [False, True])
def test_convolutions_with_a_sum_and_an_activation(activation: str, has_more: bool) -> None:
    said: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "group": 2}
    if activation:
        said |= {"activation": activation}
    if ACTIVATIONS.get(activation):
        said |= {"activation_params": ACTIVATIONS[activation]}
    node = contrib("FusedConv", ["x", "w", "bias", *(["more"] if has_more else [])], ["y"], **said)
    shapes: dict[str, tuple[int | str, ...]] = {"x": ("n", 4, "h", "w")}
    if has_more:
        shapes["more"] = ("n", 6, "h", "w")
    whole = [{"x": normal(n, 4, h, w), "more": normal(n, 6, h, w)} for n, h, w in ((1, 1, 1), (2, 5, 7))]
    feeds = [{name: feed[name] for name in shapes} for feed in whole]
    agrees([node], shapes, ["y"], feeds, {"w": normal(6, 2, 3, 3), "bias": normal(6)}, compiled=False)


def test_a_convolution_with_its_activation_is_one_kernel() -> None:
    node = contrib("FusedConv", ["x", "w", "bias", "more"], ["y"], activation="Relu", pads=[1, 1, 1, 1])
    shapes: dict[str, tuple[int | str, ...]] = {"x": ("n", 16, "h", "w"), "more": ("n", 16, "h", "w")}
    weights = {"w": normal(16, 16, 3, 3), "bias": normal(16)}
    agrees([node], shapes, ["y"], [{"x": normal(n, 16, 5, 7), "more": normal(n, 16, 5, 7)} for n in (1, 2)], weights)
    proto = model([node], shapes, ["y"], weights)
    found = [k.workload for k in anytile.compile(import_model(proto)).kernels if k.kind != "shape"]
    assert len([w for w in found if w.startswith("conv2d(")]) == 1
    assert all(w.startswith(("conv2d(", "transpose(")) for w in found), found


@pytest.mark.parametrize("has_bias", [False, True])
def test_convolutions_with_the_channels_last(has_bias: bool) -> None:
    """Their weights lie so too."""
    x, w, bias = normal(2, 4, 5, 7), normal(6, 2, 3, 3), normal(6)
    names, weights = ["x", "w", *(["bias"] if has_bias else [])], {"w": w, "bias": bias}
    said = {"strides": [2, 1], "pads": [1, 0, 1, 2], "group": 2}
    plain = model([onnx.helper.make_node("Conv", names, ["y"], **said)], {"x": x.shape}, ["y"], weights)
    weights["w"] = np.ascontiguousarray(w.transpose(0, 2, 3, 1))
    lying = model([contrib("NhwcConv", names, ["y"], **said)], {"x": ("n", "h", "w", 4)}, ["y"], weights)
    wanted = evaluate(import_model(plain), [x])
    found = evaluate(import_model(lying), [np.ascontiguousarray(x.transpose(0, 2, 3, 1))])
    np.testing.assert_allclose(found, np.asarray(wanted).transpose(0, 2, 3, 1), atol=1e-5)


def test_blocks_of_channels_are_refused_with_what_to_do(tmp_path: Path) -> None:
    """As onnxruntime saves a convolution for the CPU that it runs on."""
    runtime = pytest.importorskip("onnxruntime")
    weights = {"w": normal(32, 32, 3, 3)}
    shape = (1, 32, 8, 8)
    proto = model(
        [onnx.helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)], {"x": shape}, ["y"], weights, version=17
    )
    options = runtime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "blocked.onnx")
    options.log_severity_level = 3
    runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    if not any(n.domain == "com.microsoft.nchwc" for n in onnx.load(tmp_path / "blocked.onnx").graph.node):
        pytest.skip("onnxruntime has no blocks of channels on this CPU")
    with pytest.raises(
        UnsupportedError, match=r"blocked\.onnx: .*nchwc .* save the model at ORT_ENABLE_EXTENDED"
    ) as error:
        read_onnx(tmp_path / "blocked.onnx")
    assert str(error.value).count("nchwc") == 1


@pytest.mark.parametrize(
    ("activation", "parameters", "said"),
    [
        ("Mish", [], "activation=Mish; supported are"),
        ("Clip", [1.0], "1 parameters of the activation Clip; expected 2"),
    ],
)
def test_what_is_refused(activation: str, parameters: list[float], said: str) -> None:
    more = {"activation_params": parameters} if parameters else {}
    node = contrib("FusedConv", ["x", "w"], ["y"], activation=activation, **more)
    with pytest.raises(UnsupportedError, match=said):
        imported([node], {"x": ("n", 4, "h", "w"), "w": (6, 4, 3, 3)}, ["y"])

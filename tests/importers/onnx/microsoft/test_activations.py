"""Activations of com.microsoft against onnxruntime, and what a node of that domain may not say."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import UnsupportedError
from tests.importers.onnx.microsoft.models import agrees, contrib, imported

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("name", ["Gelu", "BiasGelu", "FastGelu", "QuickGelu"])
def test_gelus(name: str) -> None:
    nodes = [contrib(name, ["x", "bias"] if name == "BiasGelu" else ["x"], ["y"])]
    weights = {"bias": RNG.standard_normal(24, np.float32)}
    agrees(
        nodes,
        {"x": ("n", "m", 24)},
        ["y"],
        [{"x": RNG.standard_normal((2, m, 24), np.float32)} for m in (1, 5)],
        weights,
    )


def test_fast_gelu_with_a_bias() -> None:
    weights = {"bias": RNG.standard_normal(24, np.float32)}
    feeds = [{"x": RNG.standard_normal((m, 24), np.float32)} for m in (1, 7)]
    agrees([contrib("FastGelu", ["x", "bias"], ["y"])], {"x": ("m", 24)}, ["y"], feeds, weights)


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_quick_gelu_of_another_alpha(alpha: float) -> None:
    feeds = [{"x": RNG.standard_normal((4, 9), np.float32)}]
    node = contrib("QuickGelu", ["x"], ["y"], alpha=alpha)
    agrees([node], {"x": ("m", 9)}, ["y"], feeds, compiled=False)


def test_silu_is_one_operator_that_products_take_behind_them() -> None:
    main = imported([contrib("QuickGelu", ["x"], ["y"], alpha=1.0)], {"x": ("m", 9)}, ["y"])
    assert "silu(" in str(main)
    assert "sigmoid" not in str(main)


@pytest.mark.parametrize(
    ("inputs", "attributes", "said"),
    [
        (["x"], {"beta": 1.0}, "no attribute 'beta'; expected one of alpha"),
        (["x"], {"alpha": 1}, "the attribute alpha, of type int; expected float"),
        (["x", "x"], {}, "2 inputs; expected at most 1"),
    ],
)
def test_what_a_node_may_not_say(inputs: list[str], attributes: dict[str, object], said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        imported([contrib("QuickGelu", inputs, ["y"], **attributes)], {"x": ("m", 9)}, ["y"])

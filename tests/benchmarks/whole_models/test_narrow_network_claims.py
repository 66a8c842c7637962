"""The floors of the benchmark of networks in 8-bit integers, from invented rows, and the graphs that are timed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.measure.harness import Row
from benchmarks.whole_models import narrow_network
from benchmarks.whole_models.narrow_network import AHEAD, FLOAT, ORT, Graph


def rows(
    count: int, products: bool = True, error: float = 0.02, model: str = "resnet50", **seconds: float
) -> Iterator[Row]:
    errors = {f"error of {AHEAD}": error, f"error of {ORT}": 0.02}
    case = {"model": model, "images": count, "products": products, **errors}
    names = {"floats": FLOAT, "ahead": AHEAD, "onnxruntime": ORT}
    for system, s in seconds.items():
        yield Row(case, names[system], s, 0.0, 0.0, 7)


def test_ranges_ahead_are_held_against_float32_and_against_onnxruntime() -> None:
    found = [*rows(1, floats=3.0, ahead=1.0, onnxruntime=1.2), *rows(4, error=0.03, floats=12, ahead=4, onnxruntime=4)]
    floats, rival, error = narrow_network.claims(found)
    assert (floats.value, floats.floor, floats.ok) == (pytest.approx(3.0), 2.0, True)
    assert rival.value == pytest.approx(1.2**0.5)
    assert not rival.ok
    assert error.value == pytest.approx(1.5)
    assert not error.ok


def test_a_cpu_without_the_instruction_has_a_lower_floor() -> None:
    (floats,) = narrow_network.claims(rows(1, products=False, floats=1.5, ahead=1.0))
    assert (floats.floor, floats.ok) == (1.3, True)


def test_each_network_has_floors_of_its_own() -> None:
    (floats,) = narrow_network.claims(rows(1, model="mobilenet-v2", floats=1.3, ahead=1.0))
    assert (floats.claim, floats.ok) == ("MobileNet-v2 with ranges ahead against float32", True)


@pytest.mark.parametrize(("name", "convolutions", "weights"), [("resnet50", 53, 25.5e6), ("mobilenet-v2", 52, 3.5e6)])
def test_the_graph_has_the_layers_of_its_network(name: str, convolutions: int, weights: float) -> None:
    pytest.importorskip("onnx")
    graph = Graph()
    narrow_network.MODELS[name](graph, 224)
    assert [node.op_type for node in graph.nodes].count("Conv") == convolutions
    assert sum(np.prod(w.shape) for w in graph.weights.values()) == pytest.approx(weights, rel=0.01)

"""The page of a quantised model: every layer with what it costs, charts of what came, and nothing that is loaded."""

from __future__ import annotations

import numpy as np

import anytile
from anytile.compiler.quantise import Quantised
from anytile.show.report.quantised import render
from tests.support.cases.compiled_modules import random


def found(ranges: str | None, place: str = "first") -> Quantised:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 8), float32]") as (f, x):
        with f.at(place):
            one, other = f.dense(x, f.constant(random(1, 6, 8), "w1")), f.dense(x, f.constant(random(2, 6, 8), "w2"))
        with f.at("last"):
            f.result(f.dense(one + other, f.constant(random(3, 5, 6), "w3")))
    inputs = None if ranges is None else {"x": random(4, 30, 8)}
    return anytile.quantise(m.build(), only=("w1", "w3"), inputs=inputs, ranges=ranges)


def test_every_layer_is_on_the_page() -> None:
    made = found("extremes")
    page = render(made, "model.onnx")
    for layer in made.layers:
        assert f"<code>{layer.name}</code>" in page
    assert "2 of 3" in page
    assert f"{made.error:.2%}" in page
    assert "not asked for" in page
    first = made.layers[0].range
    assert first is not None
    assert f"{first.low:.4g}</td>" in page
    assert page.count("<svg") == 2  # layers that read the same have one chart
    assert "in range: " in page


def test_without_runs_there_are_no_charts_and_no_errors_of_results() -> None:
    page = render(found(None), "model.onnx")
    assert "<svg" not in page
    assert "What came to the layers" not in page
    assert "relative error of the model" in page


def test_a_tensor_with_what_is_no_number_has_no_chart() -> None:
    made = found("extremes")
    assert made.layers[0].histogram is not None
    made.layers[0].histogram.add(np.float32([np.nan]))
    page = render(made, "model.onnx")
    assert page.count("<svg") == 1
    assert "NaN or infinity came" in page


def test_the_page_loads_nothing_and_escapes_names() -> None:
    page = render(found("percentile", place="<script>alert(1)</script>"), "<b>model</b>")
    assert "<script" not in page
    assert "<b>model" not in page
    for word in ("http://", "https://", "src=", "@import", "url("):
        assert word not in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page


def test_one_value_and_none_make_a_page() -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 1), float32]") as (f, x):
        f.result(f.dense(x, f.constant(random(1, 1, 1), "w")))
    for rows in (np.float32([[3]]), np.float32([[0]]), np.zeros((0, 1), np.float32)):
        made = anytile.quantise(m.build(), inputs={"x": rows}, ranges="divergence")
        assert "<h1>m</h1>" in render(made, "m")

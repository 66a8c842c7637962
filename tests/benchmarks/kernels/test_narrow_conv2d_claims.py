"""The floors of the benchmark of convolutions in 8-bit integers, from invented rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.kernels import narrow_conv2d
from benchmarks.measure.harness import Row


def rows(layer: str, **gflops: float) -> Iterator[Row]:
    case = {"op": "quantised_conv2d", "layer": layer, "n": 1, "flops": 1e8}
    for system, rate in gflops.items():
        yield Row(case, system, 1e8 / rate / 1e9, rate, 0.0, 7)


def test_layers_are_held_against_onnxruntime_together_and_one_by_one() -> None:
    found = [*rows("a", anytile=200, onnxruntime=100), *rows("b", anytile=85, onnxruntime=100)]
    mean, worst = narrow_conv2d.claims(found)
    assert mean.value == pytest.approx((2 * 0.85) ** 0.5)
    assert mean.ok
    assert worst.value == pytest.approx(0.85)
    assert not worst.ok


def test_without_the_rival_nothing_is_claimed() -> None:
    assert narrow_conv2d.claims(rows("a", anytile=200)) == []


def test_bfloat16_is_held_against_float32() -> None:
    rates = [(100.0, 180.0), (100.0, 160.0)]
    found = [
        row
        for floats, narrow in rates
        for row in rows(f"{narrow}", **{"anytile float32": floats, "anytile bfloat16": narrow})
    ]
    (mean,) = narrow_conv2d.claims(found)
    assert mean.value == pytest.approx((1.8 * 1.6) ** 0.5)
    assert mean.ok

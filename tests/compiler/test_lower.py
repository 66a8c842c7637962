"""Whole modules: what an executable computes is what the evaluator says, at sizes with every kind of rest."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.errors import AnytileError
from compile_world import check, compile_text, node, random

LAYER = """
def main(x: Tensor[(?n, 64), float32]) -> Tensor[(?n, 64), float32] {
  let h = gelu(add(dense(x, $w1), $b1));
  let y = add(dense(h, $w2), $b2);
  layer_norm(add(softmax(y), x), $gamma, $beta)
}
"""


def _layer() -> dict[str, object]:
    return {
        "w1": random(0, 256, 64) * 0.1,
        "b1": random(1, 256),
        "w2": random(2, 64, 256) * 0.1,
        "b2": random(3, 64),
        "gamma": random(4, 64),
        "beta": random(5, 64),
    }


@pytest.fixture(scope="module")
def layer() -> object:
    return compile_text(LAYER, **_layer())


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 67])
def test_a_straight_line(layer: object, n: int) -> None:
    check(layer, random(n, n, 64), stages=n == 7)  # type: ignore[arg-type]  # a Compiled

"""Joins of more parts than a kernel takes are kernels, and mean what they meant."""

from __future__ import annotations

import pytest

from anytile.schedules.operators.movement.joining import MOST_PARTS
from tests.support.cases.compiled_modules import check, compile_text, random


@pytest.mark.parametrize(
    ("count", "axis"),
    [(MOST_PARTS, 0), (MOST_PARTS + 1, 0), (MOST_PARTS + 1, 1), (2 * MOST_PARTS + 3, -1)],
)
def test_parts_are_joined_in_groups(count: int, axis: int) -> None:
    parts = ", ".join("x" if i % 3 else "z" for i in range(count))
    params = "x: Tensor[(?t, 2), float32], z: Tensor[(?t, 2), float32]"
    made = compile_text(f"def main({params}) {{ concat({parts}, axis={axis}) }}")
    assert {k.kind for k in made.exe.kernels} <= {"kernel", "shape"}
    for t in (0, 1, 3):
        check(made, random(1, t, 2), random(2, t, 2))

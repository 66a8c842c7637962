"""What an elementwise step repeats by itself is not repeated before it; what gives a result its shape is."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import check, compile_text, random

PARAMS = "x: Tensor[(?t, 6), float32], r: Tensor[(1, 6), float32], s: Tensor[(), float32]"
WIDE = 'broadcast_sized({}, x, sizes="{}, 6")'


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"add(x, {WIDE.format('r', 'd2')})", 0),
        (f"where(less(x, 0.0), {WIDE.format('s', 'd0')}, {WIDE.format('r', 'd2')})", 0),
        ("multiply(broadcast_like(r, x), x)", 0),
        (f"add({WIDE.format('s', 'd0')}, {WIDE.format('r', 'd2')})", 1),  # one gives the result its rows
        (f"tanh({WIDE.format('r', 'd2')})", 1),
        (f"add(r, {WIDE.format('s', 'd0')})", 1),
        (f"concat(x, {WIDE.format('r', 'd2')}, axis=1)", 1),
    ],
)
def test_who_repeats(body: str, left: int) -> None:
    made = compile_text(f"def main({PARAMS}) {{ {body} }}")
    for t in (0, 1, 5):
        check(made, random(1, t, 6), random(2, 1, 6), random(3))
    calls = [operator_of(e) for e in nodes(dict(made.stages)["dead_code"].main.body)]
    assert len([name for name in calls if name.startswith("broadcast")]) == left

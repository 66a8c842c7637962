"""What is looked up at its own positions is there already, turned and repeated; what is not is looked up."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

ROWS = 'reshape_sized(arange(0, squeeze(sizes_of(x, sizes="d0"), axis=(0,)), 1), x, sizes="{}")'
COLUMNS = 'reshape_sized(arange(0, squeeze(sizes_of(x, sizes="d1"), axis=(0,)), 1), x, sizes="{}")'
WIDE = 'broadcast_sized({}, x, sizes="{}")'


def pair(first: str, second: str, axis: int) -> str:
    return f"gather_nd(x, concat({first}, {second}, axis={axis}))"


def in_rows(size: str, after: str) -> str:
    """Positions along x's rows, in a shape with the dimension {size}."""
    return ROWS.format(size) if after == size else WIDE.format(ROWS.format(size), after)


def in_columns(size: str, after: str) -> str:
    return COLUMNS.format(size) if after == size else WIDE.format(COLUMNS.format(size), after)


# Of reshape_sized(arange, x) the dimensions of x are d1 and d2; of a broadcast of four dimensions d4 and d5.
MASK = pair(in_rows("d1, 1, 1, 1", "d4, 1, d5, 1"), in_columns("1, 1, d2, 1", "d4, 1, d5, 1"), 3)
TURNED = pair(in_rows("1, 1, d1, 1", "d5, 2, d4, 1"), in_columns("d2, 1, 1, 1", "d5, 2, d4, 1"), 3)
SWAPPED = pair(in_columns("d2, 1, 1", "d4, d3, 1"), in_rows("1, d1, 1", "d4, d3, 1"), 2)
DIAGONAL = pair(in_rows("d1, 1", "d1, 1"), in_rows("d1, 1", "d1, 1"), 1)


def calls_of(made: Compiled) -> list[str]:
    return [operator_of(e) for e in nodes(dict(made.stages)["dead_code"].main.body)]


@pytest.mark.parametrize(
    ("body", "dims", "left"),
    [
        (MASK, "?b, ?s", []),
        (MASK, "?b, ?s, 3", []),  # rows of three
        (TURNED, "?b, ?s", []),
        (f"gather_nd(x, {ROWS.format('d1, 1')})", "?b, ?s", []),
        (f"gather_nd(x, {in_columns('1, d2, 1', 'd3, d4, 1')}, batches=1)", "?b, ?s", []),
        (f"gather_nd(x, {in_columns('d2, 1, 1', 'd4, d3, 1')}, batches=0)", "?b, ?s", ["gather_nd"]),  # of rows
        (SWAPPED, "?b, ?s", ["gather_nd"]),
        (DIAGONAL, "?b, ?s", ["gather_nd"]),
        (f"gather_nd(x, maximum({ROWS.format('d1, 1')}, 0))", "?b, ?s", ["gather_nd"]),
    ],
)
def test_lookups(body: str, dims: str, left: list[str]) -> None:
    made = compile_text(f"def main(x: Tensor[({dims}), float32]) {{ {body} }}")
    for b, s in ((0, 0), (1, 1), (2, 2), (3, 3), *(() if left else ((0, 2), (1, 5), (5, 1), (4, 3)))):
        check(made, random(b + s, b, s, *([3] * dims.endswith("3"))))
    assert [name for name in calls_of(made) if name == "gather_nd"] == left


def test_constants_count_too() -> None:
    where = [np.ascontiguousarray(i)[..., None] for i in np.indices((2, 3))]
    text = "def main(x: Tensor[(2, 3), float32]) { gather_nd(x, concat($rows, $columns, axis=2)) }"
    made = compile_text(text, rows=where[0], columns=where[1])
    check(made, random(1, 2, 3))
    assert "gather_nd" not in calls_of(made)

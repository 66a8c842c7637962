"""Shapes that are expressions of dimensions: views in executables, conditions where nobody can say, errors."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run, shape_function
from anytile.compiler.operators.spec import Mismatch, Shaped
from anytile.core.errors import ArgumentError
from anytile.schedules.index.expr import const, var

B, T = var("b"), var("t")


def test_a_reshape_by_expressions_is_a_view() -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?b, ?t, 12), float32]") as (f, x):
        heads = f.transpose(f.reshape_sized(x, sizes="d0, d1, 3, 4"), perm=(0, 2, 1, 3))
        back = f.reshape_sized(f.transpose(heads, perm=(0, 2, 1, 3)), x, sizes="d4, d5, 12")
        f.result(back + x)
    exe = anytile.compile(m.build())
    assert "host function" not in exe.why()
    session = anytile.Session(exe)
    for shape in ((2, 5, 12), (1, 1, 12), (0, 7, 12), (3, 0, 12)):
        given = np.random.default_rng(0).standard_normal(shape, np.float32)
        assert np.array_equal(session(given), given + given)


def test_sizes_are_computed_where_shapes_are() -> None:
    exe = anytile.compile(
        anytile.Module.parse(
            """def main(x: Tensor[(?b, ?t), float32], c: Tensor[(), bool]) {
              let s = sizes_of(x, sizes="d0*d1, 7");
              let n = if (c) { sizes_of(x, sizes="d1 + 1, d0") } else { s };
              (s, add(s, n))
            }""",
            {},
        )
    )
    assert "host function" not in exe.why()
    for compiled in (True, False):
        session = anytile.Session(exe, compiled=compiled)
        for b, t in ((2, 5), (0, 3), (1, 1)):
            first, both = session(np.zeros((b, t), np.float32), np.asarray(True))
            assert first.tolist() == [b * t, 7]
            assert both.tolist() == [b * t + t + 1, 7 + b]
            first += 1  # it is the caller's
            assert session(np.zeros((b, t), np.float32), np.asarray(False))[1].tolist() == [2 * b * t, 14]


def test_equal_sizes_have_one_expression() -> None:
    (made,) = shape_function(operator("reshape_sized"), [Shaped((B, T, const(6)))], (("sizes", "d1*d0, 6"),)).results
    assert made.dims == (B * T, const(6))


def test_what_cannot_be_decided_is_checked_at_run_time() -> None:
    function = shape_function(operator("reshape_sized"), [Shaped((B,)), Shaped((T, const(2)))], (("sizes", "d1, 2"),))
    assert [str(c) for c in function.conditions] == ["b == 2*t"]
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?b), float32]", y="Tensor[(?t, 2), float32]") as (f, x, y):
        f.result(f.reshape_sized(x, y, sizes="d1, 2"))
    session = anytile.Session(anytile.compile(m.build()))
    assert session(np.zeros(6, np.float32), np.zeros((3, 2), np.float32)).shape == (3, 2)
    with pytest.raises(ArgumentError):
        session(np.zeros(7, np.float32), np.zeros((3, 2), np.float32))


@pytest.mark.parametrize(
    ("name", "sizes", "said"),
    [
        ("reshape_sized", "d0, 5", "elements"),
        ("reshape_sized", "d7, 6", "d7 is no dimension; expected d0 to d1"),
        ("reshape_sized", "d0 / 2", "d0 / 2 is none of"),
        ("broadcast_sized", "6", "expected at least 2 dimensions"),
        ("broadcast_sized", "d0, 7", "cannot be broadcast"),
    ],
)
def test_what_can_never_be_is_refused(name: str, sizes: str, said: str) -> None:
    with pytest.raises(Mismatch, match=said):
        run(operator(name), [np.zeros((4, 6), np.float32)], (("sizes", sizes),))

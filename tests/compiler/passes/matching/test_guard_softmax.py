"""Guards behind a softmax: what exporters write becomes one kernel, with the same zeros; what asks otherwise stays."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array, operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import check, compile_text, random

PARAM = "x: Tensor[(?b, ?t, 5), float32]"
LEAST = {"least": np.float32(-np.inf)}
MOST = "max(x, axis=(-1,), keepdims=true)"


def rows(b: int, t: int) -> Array:
    """Some see nothing, one has a NaN, one an infinity."""
    x = random(3, b, t, 5)
    x[::2] = -np.inf
    x[:, 1::3, 2] = -np.inf
    x[1:2, :1, 0] = np.nan
    x[1:2, 2:, 0] = np.inf
    return x


def left(body: str) -> list[str]:
    """The operators that main calls in the end, a softmax with its guard; it is checked on the way."""
    made = compile_text(f"def main({PARAM}) {{ {body} }}", **LEAST)
    for b, t in ((0, 2), (1, 1), (2, 4), (3, 7)):
        check(made, rows(b, t))
    calls = [e for e in nodes(dict(made.stages)["dead_code"].main.body) if operator_of(e)]
    return [f"{operator_of(e)}{dict(e.attrs).get('guard', '')}" for e in calls]  # type: ignore[union-attr]  # they are calls


@pytest.mark.parametrize(
    ("body", "guard"),
    [
        ("let s = softmax(x); where(isnan(s), 0.0, s)", "nan"),
        ("let s = softmax(x, axis=1); where(logical_not(isnan(s)), s, 0.0)", "nan"),
        ("let s = softmax(x); where(equal(s, s), s, 0.0)", "nan"),
        (f"where(equal({MOST}, $least), 0.0, softmax(x))", "empty"),
        (f"where(not_equal({MOST}, $least), softmax(x), 0.0)", "empty"),
        ('let any = greater(max(cast(logical_not(equal(x, $least)), dtype="int32"), axis=(2,), keepdims=true), 0i32); '
         "where(logical_not(any), 0.0, softmax(x))", "empty"),
    ],
)  # fmt: skip
def test_a_guard_is_the_softmaxs(body: str, guard: str) -> None:
    assert left(body) == [f"softmax{guard}"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "body",
    [
        "let s = softmax(x); where(isnan(s), 1.0, s)",  # another number
        "let s = softmax(x); where(isnan(s), s, 0.0)",  # the other way round
        "let s = softmax(x); where(isnan(x), 0.0, s)",  # what is asked of is another
        "let s = softmax(x); (where(isnan(s), 0.0, s), s)",  # somebody else reads it
        f"where(equal({MOST}, 0.0), 0.0, softmax(x))",  # another least
        f"where(equal({MOST}, $least), 0.0, softmax(x, axis=1))",  # another axis
        "where(equal(max(x, keepdims=true), $least), 0.0, softmax(x))",  # all rows at once
        "let s = log_softmax(x); where(isnan(s), 0.0, s)",
        'let all = greater(min(cast(logical_not(equal(x, $least)), dtype="int32"), axis=(2,), keepdims=true), 0i32); '
        "where(logical_not(all), 0.0, softmax(x))",  # rows with one that is not seen
    ],
)
def test_what_asks_otherwise_stays(body: str) -> None:
    assert "where" in left(body)

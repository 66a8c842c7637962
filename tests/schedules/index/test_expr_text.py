"""Expressions read back from the text that they write, and what is no expression."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import const, maximum, minimum, var
from anytile.schedules.index.expr_text import parse_exprs


def test_what_an_expression_writes_is_read_back() -> None:
    n, t = var("n"), var("t")
    wanted = (n, 2 * t + 1, const(-7), (n * t - 3) // 4, (n + t) % 5, maximum(n, minimum(t, 3)) * n)
    assert parse_exprs(", ".join(map(str, wanted))) == wanted
    assert parse_exprs("") == ()


@pytest.mark.parametrize(
    "text",
    ["n +", "n / 2", "n // t", "n ** 2", "f(n)", "max(n)", "'n'", "True", "n // 0", "a" * 5000, "(" * 300, "1.5"],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_exprs(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 6000

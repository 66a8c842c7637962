"""Positions and conditions as C++: what stands there is what was meant, whatever the numbers are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.codegen.cuda.expressions import all_text, condition_text, index_text
from anytile.schedules.index.expr import Expr, const, var
from tests.support.generators.random_expressions import NAMES, Env, envs

factors = st.fixed_dictionaries({name: st.integers(-3, 3) for name in NAMES})


def value(text: str, env: Env) -> int:
    """Of C++ as of Python: sums of products alone, which are the same in both."""
    return int(eval(text.replace("&&", "and"), {"true": True, "false": False}, dict(env)))


@given(factors, st.integers(-9, 9), envs)
def test_positions_and_conditions_are_what_they_say(factors: Env, offset: int, env: Env) -> None:
    e = sum((var(name) * by for name, by in factors.items()), const(offset))
    meant = sum(by * env[name] for name, by in factors.items()) + offset
    assert value(index_text(e), env) == meant
    assert value(condition_text(e), env) == (meant >= 0)
    assert value(all_text((e, e - 1)), env) == (meant >= 1)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (var("m") - 1 - var("row"), "row < m"),
        (var("row") - 3, "row >= 3"),
        (3 - var("row"), "row <= 3"),
        (const(0), "true"),
        (const(-3), "false"),
    ],
)
def test_a_condition_reads_as_people_write_it(e: Expr, text: str) -> None:
    assert condition_text(e) == text

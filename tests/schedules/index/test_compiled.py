"""Compiled index expressions are what evaluating them says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.schedules.index.compiled import evaluator
from anytile.schedules.index.expr import const, var
from tests.support.generators.random_expressions import NAMES, Env, Twin, envs, twins


@pytest.mark.sampled(0)
@settings(max_examples=300)
@given(st.lists(twins, max_size=3), st.lists(envs, min_size=1, max_size=3))
def test_arithmetic_is_integer_arithmetic(made: list[Twin], all_of: list[Env]) -> None:
    env = dict.fromkeys(NAMES, 0)
    numbers = evaluator(tuple(twin.expr for twin in made), env)
    for now in all_of:
        env.update(now)
        assert numbers() == tuple(twin.value(now) for twin in made)


def test_any_name_is_a_name() -> None:
    odd = ("in", "a.lane", "it's", "min", "env", "0")
    env = {name: i for i, name in enumerate(odd)}
    assert evaluator(tuple(map(var, odd)), env)() == tuple(range(len(odd)))


def test_an_unknown_name_is_none() -> None:
    assert evaluator((), {})() == ()
    assert evaluator((const(0), const(-3)), {})() == (0, -3)
    with pytest.raises(KeyError, match="gone"):
        evaluator((var("gone"),), {})()

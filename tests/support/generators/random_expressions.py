"""Random index expressions beside their meaning: each is built twice, once from `Expr`s and once from plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from anytile.schedules.index.expr import Expr, const, maximum, minimum, var

NAMES = ("a", "b", "c")
Env = Mapping[str, int]
Meaning = Callable[[Env], int]


@dataclass(frozen=True)
class Twin:
    """An expression and what Python says it is."""

    expr: Expr
    value: Meaning

    def __repr__(self) -> str:
        return f"Twin({self.expr})"


def _leaves() -> st.SearchStrategy[Twin]:
    number = st.integers(-9, 9).map(lambda n: Twin(const(n), lambda env: n))
    variable = st.sampled_from(NAMES).map(lambda name: Twin(var(name), lambda env: env[name]))
    return number | variable


def _grown(inner: st.SearchStrategy[Twin]) -> st.SearchStrategy[Twin]:
    by = st.integers(1, 9)
    return st.one_of(
        st.builds(lambda a, b: Twin(a.expr + b.expr, lambda env: a.value(env) + b.value(env)), inner, inner),
        st.builds(lambda a, b: Twin(a.expr - b.expr, lambda env: a.value(env) - b.value(env)), inner, inner),
        st.builds(lambda a, b: Twin(a.expr * b.expr, lambda env: a.value(env) * b.value(env)), inner, inner),
        st.builds(lambda a, n: Twin(a.expr // n, lambda env: a.value(env) // n), inner, by),
        st.builds(lambda a, n: Twin(a.expr % n, lambda env: a.value(env) % n), inner, by),
        st.builds(
            lambda a, b: Twin(minimum(a.expr, b.expr), lambda env: min(a.value(env), b.value(env))), inner, inner
        ),
        st.builds(
            lambda a, b: Twin(maximum(a.expr, b.expr), lambda env: max(a.value(env), b.value(env))), inner, inner
        ),
    )


twins = st.recursive(_leaves(), _grown, max_leaves=8)
envs = st.fixed_dictionaries({name: st.integers(-40, 40) for name in NAMES})

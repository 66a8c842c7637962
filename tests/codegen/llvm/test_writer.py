"""Index arithmetic as machine code is index arithmetic, rounding of negative values included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_exprs import NAMES, Env, Twin, envs, twins

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module, size_function
from anytile.codegen.llvm.writer import Writer
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var


@settings(max_examples=20)
@given(st.lists(twins, min_size=1, max_size=12), st.lists(envs, min_size=1, max_size=8))
def test_emitted_expressions_mean_what_python_says(found: list[Twin], points: list[Env]) -> None:
    functions = [size_function(f"f{i}", twin.expr, NAMES) for i, twin in enumerate(found)]
    loaded = Loaded(compile_ir(module(functions), Target.host(), "f0", facts_too=False))
    for env in points:
        dims = [env[name] for name in NAMES]
        values = [loaded.size(f"f{i}", dims) for i in range(len(found))]
        assert values == [twin.value(env) for twin in found]


def test_a_value_is_computed_once_where_it_dominates() -> None:
    w = Writer()
    w.bind("a", "%a")
    first = w.index(var("a") * 3)
    assert w.index(var("a") * 3) == first
    with w.scope():
        assert w.index(var("a") * 3) == first
        inner = w.index(var("a") * 5)
    assert w.index(var("a") * 5) != inner  # it was computed where it need not have run
    assert w.always("load float, ptr %p") != w.always("load float, ptr %p")


def test_numbers_need_no_code() -> None:
    w = Writer()
    assert w.index(const(-7)) == "-7"
    assert not w.lines


def test_an_unbound_variable_is_an_error() -> None:
    with pytest.raises(CodegenError, match="index variable a is not bound here"):
        Writer().index(var("a"))

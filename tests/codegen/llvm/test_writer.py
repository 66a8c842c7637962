"""Index arithmetic as machine code is index arithmetic, rounding of negative values included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.module import module, size_function
from anytile.codegen.llvm.writer import Writer
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from tests.support.generators.random_expressions import NAMES, Env, Twin, envs, twins
from tests.support.processor_time import cpu_time


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


def test_an_index_is_that_of_the_variable_that_a_name_means_now() -> None:
    w = Writer()
    w.bind("a", "%a")
    first = w.index(var("a") * 3)
    with w.scope():
        w.bind("a", "%b")
        assert w.index(var("a") * 3) != first
        w.bind("a", "%a")
        assert w.index(var("a") * 3) == first
    assert w.index(var("a") * 3) == first


def test_numbers_need_no_code() -> None:
    w = Writer()
    assert w.index(const(-7)) == "-7"
    assert not w.lines


@pytest.mark.parametrize("n", [2**63, -(2**63) - 1, 2**64, 10**40])
def test_a_number_that_64_bits_do_not_hold_is_never_written(n: int) -> None:
    wide = (const(n), var("a") * n, var("a") + n, (var("a") + 1) // abs(n), var("a") % abs(n))
    texts = (f"store i64 {n}, ptr %p", f"%c = icmp ugt i64 %v, {n}", f"%v.1 = phi i64 [{n}, %start]")
    for write in (
        *(lambda w, e=e: w.put(f"ret i64 {w.index(e)}") for e in wide),
        *(lambda w, text=text: w.put(text) for text in texts),
        lambda w: w.entry.append(f"  %p = alloca [{n} x float]"),
    ):
        with pytest.raises(CodegenError, match="64 bits hold"):
            _text_of(write)


def _text_of(write: Callable[[Writer], object]) -> str:
    w = Writer()
    w.bind("a", "%a")
    write(w)
    return w.text()


def test_every_number_of_64_bits_and_any_name_are_written() -> None:
    w = Writer()
    for word in (str(2**63 - 1), str(-(2**63)), f"%{10**40}", f"%n{10**40}.n", "0x47EFFFFFE0000000", "0000000001"):
        w.put(f"store i64 {word}, ptr %p")
    assert len(w.text().splitlines()) == 6


def test_remainders_of_remainders_are_written_once() -> None:
    e, w = var("a"), Writer()
    w.bind("a", "%a")
    with cpu_time() as took:
        for by in range(60, 20, -1):
            e = (e * 7 + 1) % by
        w.index(e)
    assert took.seconds < 1


def test_an_unbound_variable_is_an_error() -> None:
    with pytest.raises(CodegenError, match="index variable a is not bound here"):
        Writer().index(var("a"))

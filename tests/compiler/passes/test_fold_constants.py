"""Constant folding: small results are made ahead of time, and what a few bytes make large is not even tried, unless
something small is made of it."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Array, operator_of
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.module import Module
from anytile.compiler.passes.fold_constants import fold_constants
from anytile.compiler.passes.to_anf import to_anf
from tests.support.cases.compiled_modules import check, compile_text, random
from tests.support.processor_time import more_memory


def folded(*shape: int) -> str:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 1), float32]") as (f, x):
        f.result(f.add(x, f.full(np.asarray(shape, np.int64), np.float32(7))))
    return str(Module.of(fold_constants(to_anf(infer(m.build()).module))))


def test_a_small_one_is_a_constant() -> None:
    assert "full" not in folded(1, 2).partition("def main")[2]


def test_a_large_one_stays_a_call_and_takes_no_memory() -> None:
    with more_memory(1 << 28):
        assert "full(" in folded(1 << 15, 1 << 14)


ROW, COLUMN = random(0, 1, 1024), random(1, 1024, 1)


def calls(body: str, **constants: Array) -> list[str]:
    """The operators that are left behind folding; it is checked at some sizes."""
    made = compile_text(f"def main(x: Tensor[(?n, 4), float32]) {{ {body} }}", **constants)
    for n in (0, 1, 5):
        check(made, random(2, n, 4), tolerance=1e-4)
    stages = [name for name, _ in made.stages]
    main = made.stages[stages.index("dead_code")][1].main
    return [name for e in nodes(main.body) if (name := operator_of(e))]


@pytest.mark.parametrize(
    "body",
    [
        "add(x, sum(multiply($row, $column)))",
        "let a = multiply($row, $column); let b = add(a, exp(a)); add(x, add(sum(b), max(a)))",
        "if (less(sum(x), 0.0)) { add(x, sum(multiply($row, $column))) } else { negative(x) }",
    ],
)
def test_something_small_of_something_large_is_a_constant(body: str) -> None:
    assert not {"multiply", "exp", "max"} & set(calls(body, row=ROW, column=COLUMN))


def test_what_is_large_in_the_end_stays() -> None:
    left = calls("(x, exp(multiply($row, $column)))", row=ROW, column=COLUMN)
    assert left == ["multiply", "exp"]


def test_what_takes_too_much_on_the_way_stays_and_takes_no_memory() -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 1), float32]") as (f, x):
        f.result(f.add(x, f.sum(f.multiply(np.ones((1, 1 << 14), np.float32), np.ones((1 << 14, 1), np.float32)))))
    with more_memory(1 << 28):
        assert "sum(" in str(Module.of(fold_constants(to_anf(infer(m.build()).module))))

"""Calls that a builder left without a place: errors name them as the text form does."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.module import Module
from anytile.compiler.passes.name_calls import name_calls
from anytile.core.errors import ArgumentError, SpecError
from tests.support.cases.compiled_modules import Compiled


def test_every_call_that_a_variable_stands_for_has_its_name_and_nothing_else_changes() -> None:
    module = Module.parse("""
def main(x: Tensor[(?n,), float32], b: Tensor[(), bool]) -> Tensor[(?n,), float32] {
  let y = exp(x);
  let z = relu(y) @"model.py:3";
  if (b) { let y_2 = f(z); y_2 } else { exp(z) }
}
def f(y: Tensor[(?n,), float32]) { let z = tanh(y); z }
""")
    named = str(name_calls(module))
    for line in (
        'y = exp(x) @"main.y"',
        'relu(y) @"model.py:3"',
        'y_2 = f(z) @"main.y_2"',
        'tanh(y) @"f.z"',
        "exp(z) }",
    ):
        assert line in " ".join(named.split())
    assert named.replace(' @"main.y"', "").replace(' @"main.y_2"', "").replace(' @"f.z"', "") == str(module)
    assert str(name_calls(name_calls(module))) == named


def test_an_error_of_inference_says_which_call_it_was() -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 8), float32]") as (f, x):
        wide, narrow = (f.constant(np.ones((n, 8), np.float32)) for n in (8, 7))
        f.result(f.dense(f.dense(f.dense(x, wide), narrow), wide))
    with pytest.raises(SpecError, match=r"^main: dense at main.dense_3 of \(\?t, 7\) and \(8, 8\): "):
        Compiled(m.build())


@pytest.mark.parametrize("is_native", [False, True])
def test_an_error_of_a_run_says_which_call_it_was(is_native: bool) -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 8), float32]", z="Tensor[(?u, 8), float32]", i="Tensor[(), int64]") as (
        f,
        *p,
    ):
        x, z, i = p
        f.result(f.take(f.relu(f.call_global("two", x + 1.0, z)), i))
    with m.function("two", x="Tensor[(?t, 8), float32]", z="Tensor[(?u, 8), float32]") as (f, x, z):
        f.result(x * x + z)
    run = Compiled(m.build()).session(is_native)
    three, four = (np.ones((n, 8), np.float32) for n in (3, 4))
    with pytest.raises(ArgumentError, match=r"add at two.add_1 of .*: expected sizes that broadcast, got 3 and 4 "):
        run(three, four, np.int64(0))
    with pytest.raises(ArgumentError, match=r"^main.take_1: take: index: expected positions from -3 to 2, got 9"):
        run(three, three, np.int64(9))

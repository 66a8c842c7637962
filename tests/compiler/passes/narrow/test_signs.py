"""What surely has no negative number in it: held against what comes when modules run on random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.traverse import steps
from anytile.compiler.passes.narrow.signs import Signs
from tests.compiler.passes.narrow.test_narrow_layers import module
from tests.support.cases.compiled_modules import stages


def found(body: str) -> bool:
    _, made = stages("fold_constants", module(body, "x: Tensor[(?n, 7, 6, 5), float32]", c=np.float32([1, 0, 2, 3, 4])))
    signs, last = Signs(), None
    for var, value in steps(made.main.body):
        signs.see(var, value)
        last = var
    assert last is not None
    return signs.is_positive(last)


@pytest.mark.parametrize(
    "body",
    [
        "relu(x)",
        "clip(x, min=0.0, max=6.0)",
        "clip(relu(x), max=6.0)",
        "max_pool2d(sigmoid(x), kernel=(3, 3))",
        "add(relu(x), $c)",
        "multiply(square(x), $c)",
        "concat(relu(x), exp(x), axis=1)",
        "pad(abs(x), before=(0, 1, 1, 0), after=(0, 1, 1, 0))",
        "maximum(x, 0.0)",
        "transpose(softmax(x))",
        "mean(relu(x), axis=(1, 2))",
    ],
)
def test_nothing_is_below_0(body: str) -> None:
    assert found(body)


@pytest.mark.parametrize(
    "body",
    [
        "negative(relu(x))",
        "add(relu(x), -1.0)",
        "add(relu(x), x)",
        "clip(x, max=6.0)",
        "clip(relu(x), max=-1.0)",
        "subtract(relu(x), $c)",
        "concat(relu(x), x, axis=1)",
        "pad(relu(x), before=(0, 1, 1, 0), after=(0, 1, 1, 0), value=-2.0)",
        "max_pool2d(x, kernel=(3, 3))",
        "gelu(x)",
    ],
)
def test_something_may_be(body: str) -> None:
    assert not found(body)

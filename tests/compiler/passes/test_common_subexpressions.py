"""What was computed is not computed again, where it is there: not behind the branch that computed it."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import is_operator_call
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import check, compile_text


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("add(exp(x), exp(x))", 1),
        ("let a = exp(x); if (less(sum(x), 0.0)) { exp(x) } else { add(a, exp(x)) }", 1),
        ("let a = if (less(sum(x), 0.0)) { exp(x) } else { negative(exp(x)) }; add(a, exp(x))", 3),
    ],
)
def test_what_is_there_is_taken(body: str, left: int) -> None:
    made = compile_text(f"def main(x: Tensor[(?t,), float32]) {{ {body} }}")
    for x in (np.ones(3, np.float32), -np.ones(3, np.float32)):
        check(made, x)
    stage = dict(made.stages)["common_subexpressions"].main
    assert sum(is_operator_call(e, "exp") for e in nodes(stage)) == left

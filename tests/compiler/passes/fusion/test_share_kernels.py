"""Kernels that differ in numbers alone become one, which computes with each call's own."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Constant
from anytile.compiler.ir.traverse import children, nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random


def compiled(body: str, params: str = "x: Tensor[(?t, 6), float32]") -> Compiled:
    return compile_text(f"def main({params}) {{ {body} }}")


def primitives(made: Compiled) -> list[str]:
    shared = dict(made.stages)["share_kernels"]
    return sorted(name for name, f in shared.functions.items() if f.is_primitive)


def run(made: Compiled) -> None:
    for t in (1, 7):
        check(made, random(t, t, 6))


def test_scales_of_layers_are_operands_of_one_kernel() -> None:
    made = compiled("let a = sum(multiply(x, 0.3), axis=(1,)); let b = sum(multiply(x, -2.5), axis=(1,)); (a, b)")
    assert len(primitives(made)) == 1
    (function,) = (f for f in dict(made.stages)["share_kernels"].functions.values() if f.is_primitive)
    assert [str(p.type) for p in function.params] == ["Tensor[(?t, 6), float32]", "Tensor[(), float32]"]
    run(made)


def test_numbers_that_all_have_stay() -> None:
    body = "tanh(multiply(add(multiply(x, 0.5), {}), 0.5))"
    made = compiled(f"concat({body.format(0.1)}, {body.format(0.2)}, axis=1)")
    functions = [f for f in dict(made.stages)["share_kernels"].functions.values() if f.is_primitive]
    kept = [float(a.array) for f in functions for n in nodes(f.body) for a in children(n) if isinstance(a, Constant)]
    assert kept == [0.5, 0.5]
    run(made)


@pytest.mark.parametrize(
    "body",
    [
        "(tanh(pow(x, 2.5)), tanh(pow(x, 1.5)))",  # a power is code of its own
        "(tanh(multiply(x, 0.5)), tanh(multiply(x, 0.5)))",
        "(tanh(multiply(x, 0.5)), exp(multiply(x, 0.25)))",
        "(clip(add(x, 1.0), min=0.0, max=1.0), clip(add(x, 1.0), min=0.0, max=6.0))",
    ],
)
def test_what_differs_in_more_or_in_nothing_stays(body: str) -> None:
    made = compiled(body)
    stages = dict(made.stages)
    names = [name for name, _ in made.stages]
    before = stages[names[names.index("share_kernels") - 1]]
    assert stages["share_kernels"].functions.keys() == before.functions.keys()
    run(made)


def test_each_call_has_its_own_numbers() -> None:
    scales = (0.25, 1.5, -3.0, 0.7)
    body = "; ".join(f"let v{i} = exp(multiply(x, {s}))" for i, s in enumerate(scales))
    made = compiled(f"{body}; concat(v0, v1, v2, v3, axis=1)")
    x = random(3, 5, 6)
    found = np.asarray(made.session(True)(x))
    np.testing.assert_allclose(found, np.exp(np.concatenate([x * np.float32(s) for s in scales], 1)), rtol=1e-5)

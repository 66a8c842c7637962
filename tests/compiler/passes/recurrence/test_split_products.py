"""Products of joined operands as sums: which are split, and that they stay what they were."""

from __future__ import annotations

import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Call, OperatorRef
from anytile.compiler.ir.traverse import each_block, steps
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence.split_products import split_products
from anytile.compiler.passes.to_anf import to_anf
from tests.support.cases.compiled_modules import for_machine, random, same

ARRAYS = {"w": random(0, 4, 5), "b": random(1, 4), "cells": random(2, 2, 4, 5), "starts": random(3, 2, 4)}
PARAMS = "x: Tensor[(1, 2), float32], h: Tensor[(1, 3), float32], pre: Tensor[(1, 2, 4), float32]"
CELL = 'gates=2, cell="y = tanh(z0) * z1"'


def split(body: str) -> tuple[Module, Module]:
    """Before and after, where x is the row."""
    declared = "".join(f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in ARRAYS.items())
    before = infer(to_anf(infer(Module.parse(f"{declared}def main({PARAMS}) {{ {body} }}", ARRAYS)).module)).module
    row = before.main.params[0]
    return before, infer(each_block(before, lambda block: split_products(block, lambda v, known: v is row))).module


def products(module: Module) -> list[str]:
    found = [v for _, v in steps(module.main.body) if isinstance(v, Call)]
    return [v.callee.name for v in found if v.callee in (OperatorRef("dense"), OperatorRef("gated_dense"))]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("dense(concat(x, h, axis=1), $w)", ["dense", "dense"]),
        ("tanh(add(dense(concat(x, h, axis=-1), $w), $b))", ["dense", "dense"]),
        (f"gated_dense(concat(x, h, axis=1), $cells, {CELL})", ["dense", "gated_dense"]),
        (f'gated_dense(concat(x, h, axis=1), $cells, $starts, {CELL}, start="b[g, u]")', ["dense", "gated_dense"]),
        (f'gated_dense(concat(x, h, axis=1), $cells, pre, {CELL}, start="p[m, g, u]")', ["gated_dense"]),
        ("dense(concat(h, x, axis=1), $w)", ["dense"]),  # the row is not the first
        ("dense(concat(tanh(x), h, axis=1), $w)", ["dense"]),  # no row
        ("let both = concat(x, h, axis=1); if (less(sum(x), 0.0)) { dense(both, $w) } else { $b }", ["dense"] * 2),
    ],
)
def test_which_are_split(body: str, found: list[str]) -> None:
    if "$b }" in body:
        body = body.replace("$b }", "add(dense(both, $w), $b) }")
        found = found * 2
    before, after = split(body)
    assert products(after) == found
    args = random(7, 1, 2), random(8, 1, 3), random(9, 1, 2, 4)
    same(for_machine(evaluate(after, args)), for_machine(evaluate(before, args)))

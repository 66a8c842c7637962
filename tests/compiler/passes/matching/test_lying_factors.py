"""Matrices that are no constants: which are multiplied where they lie, and which are transposed first."""

from __future__ import annotations

import pytest

from anytile.vm.program.executable import KERNEL
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

XW = "x: Tensor[(?m, ?k), float32], w: Tensor[(?k, ?n), float32]"
TURNED = "transpose(w, perm=(1, 0))"


def kernels(made: Compiled) -> list[str]:
    return sorted(entry.workload for entry in made.exe.kernels if entry.kind == KERNEL)


@pytest.mark.parametrize(
    ("body", "workload"),
    [
        (f"dense(x, {TURNED})", "batch_matmul(b=1, m=?m, n=?n, k=?k, rhs=kn, dtype=float32)"),
        (f"dense(x, {TURNED.replace('1, 0', '-1, -2')})", "batch_matmul(b=1, m=?m, n=?n, k=?k, rhs=kn"),
        (f"gelu(add(dense(x, {TURNED}), dense(x, {TURNED})))", "tail="),
    ],
)
def test_a_transposed_factor_is_read_as_it_lies(body: str, workload: str) -> None:
    made = compile_text(f"def main({XW}) {{ {body} }}")
    assert any(workload in found for found in kernels(made))
    assert not any("transpose" in found for found in kernels(made))
    for m, n, k in ((1, 1, 1), (3, 17, 5), (0, 3, 4), (67, 40, 33)):
        check(made, random(0, m, k), random(1, k, n), tolerance=1e-4)


def test_rows_may_be_transposed_too() -> None:
    params = "x: Tensor[(?k, ?m), float32], w: Tensor[(?n, ?k), float32], b: Tensor[(?n), float32]"
    made = compile_text(f"def main({params}) {{ relu(add(dense(transpose(x), w), b)) }}")
    (found,) = kernels(made)
    assert found.startswith("batch_matmul(b=1, m=?m, n=?n, k=?k, lhs=bkm, rhs=nk")
    assert "tail=" in found
    for m, n, k in ((1, 1, 1), (3, 17, 5), (67, 40, 33)):
        check(made, random(0, k, m), random(1, n, k), random(2, n), tolerance=1e-4)


@pytest.mark.parametrize(
    ("body", "transposed"),
    [
        (f"let t = {TURNED}; (dense(x, t), t)", 1),
        (f"let t = {TURNED}; dense(dense(x, t), t)", 1),
        ("dense(x, w)", 0),
        ("dense(reshape(x, shape=(1, 2, 6)), transpose(w))", 1),
        ("dense(x, $c)", 0),
    ],
)
def test_others_are_dense_layers(body: str, transposed: int) -> None:
    params = "x: Tensor[(2, 6), float32], w: Tensor[(6, 6), float32]"
    constants = {"c": random(3, 6, 6)} if "$c" in body else {}
    made = compile_text(f"def main({params}) {{ {body} }}", **constants)
    assert sum("transpose" in found for found in kernels(made)) == transposed
    assert not any(found.startswith("batch_matmul") for found in kernels(made))
    check(made, random(0, 2, 6), random(1, 6, 6))

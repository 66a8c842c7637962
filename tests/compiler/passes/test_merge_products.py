"""Products of one tensor as one kernel: what is merged, what must not be, and that it computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.compiler.builder import ModuleBuilder, Node
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.module import Module
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, for_machine, random, same

X = "x: Tensor[(?t, 6), float32]"
WEIGHTS = {f"w{i}": random(i, 8, 6) for i in range(22)}
OTHERS = {"b": random(8, 8), "wide": random(9, 10, 6), "back": random(10, 6, 8)}


def stages(module: Module) -> tuple[Module, Module]:
    """Before merging and after it."""
    for name, run in passes():
        if name == "merge_products":
            return module, run(module)
        module = run(module)
    raise AssertionError("no pass merges products")


def workloads(module: Module) -> list[str]:
    kernels = [kernel_of(f) for f in module.functions.values() if f.is_primitive]
    return sorted(str(k.workload) for k in kernels if k is not None)


def merged(body: str, params: str = X) -> list[str]:
    """The workloads after merging; what they compute is checked at some sizes."""
    made = compile_text(f"def main({params}) {{ {body} }}", **WEIGHTS, **OTHERS)
    before, after = stages(made.module)
    verify(after)
    for t in (0, 1, 3, 17):
        args = [random(20 + i, t, 6 if i == 0 else 8) for i in range(params.count(":"))]
        same(for_machine(evaluate(after, args)), evaluate(before, args))
    check(made, *(random(i, 5, 6 if i == 0 else 8) for i in range(params.count(":"))), stages=False)
    return workloads(after)


def test_three_products_and_their_tails_are_one_kernel() -> None:
    found = merged("(add(dense(x, $w0), $b), gelu(dense(x, $w1)), multiply(add($b, dense(x, $w2)), 0.5))")
    cell = "cell=y0 = z0 + b0[u]; y1 = gelu(z1); y2 = (b0[u] + z2) * 0.5"
    assert found == [f"gated_dense(m=?m, u=8, k=6, gates=3, {cell}, dtype=float32)"]


def test_more_than_a_cpu_has_registers_for_are_several_kernels() -> None:
    """Scales and shifts of all layers of a diffusion transformer are products of one embedding."""
    products = ", ".join(f"add(dense(x, $w{i}), {i}.0)" for i in range(22))
    assert [f.partition("gates=")[2].partition(",")[0] for f in merged(f"({products})")] == ["6", "8", "8"]


def test_operands_of_rows_go_with_their_product() -> None:
    params = f"{X}, r: Tensor[(?t, 8), float32]"
    (found,) = merged("(add(r, dense(x, $w0)), subtract(add(dense(x, $w1), $b), r))", params)
    assert "cell=y0 = b0[m, u] + z0; y1 = z1 + b1[u] - b0[m, u]" in found


OTHER_ROWS = (
    "y: Tensor[(?a, ?b, 6), float32], r: Tensor[(2, ?a, 6), float32], i: Tensor[(1), int64], j: Tensor[(1), int64]"
)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("(dense(x, $w0), dense(x, $wide))", 2),  # another width
        ("(dense(x, $w0), dense(tanh(x), $w1))", 3),  # other rows
        ("let a = dense(x, $w0); dense(dense(tanh(a), $back), $w1)", 4),  # one after the other
        ("add(dense(x, $w0), dense(x, $w1))", 2),  # the second ends in what the first makes
        (
            "let a = dense(x, $w0); (a, if (less(sum(a), 0.0)) { dense(x, $w1) } else { a })",
            4,
        ),  # made where it is asked
        ("(dense(x, transpose(x)), dense(x, $w0))", 3),  # no constant
        ("(dense(y, $w0), dense(y, $w1))", 2),  # two unknown dimensions are no known number of rows
        ("let z = slice_by(r, i, j, i, axes=(2,)); (dense(z, $w0), dense(z, $w1))", 3),  # only weights know how wide
    ],
)
def test_what_is_not_one(body: str, count: int) -> None:
    params = "x: Tensor[(6, 6), float32]" if "transpose" in body else f"{X}, {OTHER_ROWS}"
    made = compile_text(f"def main({params}) {{ {body} }}", **WEIGHTS, **OTHERS)
    before, after = stages(made.module)
    assert workloads(after) == workloads(before)
    assert len(workloads(after)) <= count
    assert not any("gated" in w for w in workloads(after))


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["1, ?t, 6", "?t, 2, 6", "2, 3, 6", "?t, 1, 1, 6"])
def test_rows_in_more_dimensions(shape: str) -> None:
    wide = shape.replace("6", "8")
    params = f"x: Tensor[({shape}), float32], r: Tensor[({wide}), float32]"
    made = compile_text(
        f"def main({params}) {{ (add(r, dense(x, $w0)), tanh(add(dense(x, $w1), $b))) }}", **WEIGHTS, **OTHERS
    )
    before, after = stages(made.module)
    verify(after)
    assert [w.partition("(")[0] for w in workloads(after)] == ["gated_dense"]
    for t in (0, 1, 5):
        sizes = [t if d == "?t" else int(d) for d in shape.split(", ")]
        args = random(0, *sizes), random(1, *sizes[:-1], 8)
        same(for_machine(evaluate(after, args)), evaluate(before, args))
        check(made, *args, stages=False)


def test_a_product_whose_operand_comes_later_is_left_and_the_others_are_merged() -> None:
    found = merged("let a = dense(x, $w0); let b = add(dense(x, $w1), exp(relu(a))); (a, b, dense(x, $w2))")
    assert [w.partition("(")[0] for w in found] == ["dense", "gated_dense"]


def test_weights_of_a_loop_are_stacked_once() -> None:
    text = "let h = add(dense(x, $w0), dense(tanh(x), $w1)); (dense(x, $w2), dense(x, $w3), dense(h, $back))"
    made = compile_text(f"def main({X}) {{ {text} }}", **WEIGHTS, **OTHERS)
    shapes = [c.array.shape for c in made.exe.constants if c.array.ndim == 3]
    assert shapes == [(3, 8, 6)]


@st.composite
def networks(draw: st.DrawFn) -> tuple[Module, tuple[Array, ...]]:
    """A few layers of one or two tensors, each with elementwise steps of what is there behind it."""
    m = ModuleBuilder()
    t = draw(st.integers(0, 5))
    with m.function("main", x="Tensor[(?t, 4), float32]", y="Tensor[(?t, 4), float32]") as (f, x, y):
        values: list[Node] = [x, y]
        weights = [f.constant(random(i, 4, 4), f"w{i}") for i in range(3)]
        vectors = [f.constant(random(9 + i, 4), f"b{i}") for i in range(2)]
        for _ in range(draw(st.integers(1, 7))):
            made = f.dense(draw(st.sampled_from(values[:3])), draw(st.sampled_from(weights)))
            for _ in range(draw(st.integers(0, 2))):
                kind = draw(st.sampled_from(["tanh", "relu", "add", "multiply", "swapped"]))
                if kind in ("tanh", "relu"):
                    made = f.call(kind, made)
                else:
                    other = draw(st.sampled_from([*values, *vectors]))
                    made = f.add(other, made) if kind == "swapped" else f.call(kind, made, other)
            values.append(made)
        f.result(f.tuple(*values[2:]))
    return m.build(), (random(30, t, 4), random(31, t, 4))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(networks())
def test_random_networks_compute_the_same(made: tuple[Module, tuple[Array, ...]]) -> None:
    module, args = made
    before, after = stages(module)
    verify(after)
    same(for_machine(evaluate(after, args)), evaluate(before, args), tolerance=1e-4)


def test_on_a_device_products_stay_apart() -> None:
    made = compile_text(f"def main({X}) {{ (dense(x, $w0), dense(x, $w1)) }}", **WEIGHTS)
    there = Compiled(made.module, devices=("host", "other"))
    assert not any("gated" in k.workload for k in there.exe.kernels)


@pytest.mark.slow
def test_attention_has_one_kernel_of_its_rows() -> None:
    """The layers of queries, keys and values leave no other kernel that reads the rows."""
    text = """
def main(x: Tensor[(?t, 6), float32]) {
  let q = reshape(add(dense(x, $w0), $b), shape=(-1, 2, 4));
  let k = reshape(add(dense(x, $w1), $b), shape=(-1, 2, 4));
  let v = reshape(add(dense(x, $w2), $b), shape=(-1, 2, 4));
  let p = softmax(batch_matmul(q, k, lhs="mbk", rhs="nbk"));
  reshape(batch_matmul(p, v, rhs="kbn", y="mbn"), shape=(-1, 8))
}"""
    made = compile_text(text, **WEIGHTS, **OTHERS)
    check(made, random(0, 5, 6))
    names = [k.workload.partition("(")[0] for k in made.exe.kernels if k.kind == "kernel"]
    assert sorted(names) == ["attention", "gated_dense"]
    assert np.isfinite(made.session(True)(random(1, 1, 6))).all()

"""Views behind elementwise steps and normalisations: what fuses then, what stays, and that it computes the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.module import Module
from anytile.compiler.passes.sink_views import sink_views
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from tests.support.cases.compiled_modules import check, compile_text, for_machine, random, same

X = "x: Tensor[(?t, 6), float32]"
CONSTANTS = {"w": random(0, 12, 6), "b": random(1, 3, 4), "c": random(2, 4), "gamma": random(3, 12), "g4": random(4, 4)}
CONSTANTS["d"] = random(5, 3, 1)
HEADS = "shape=(-1, 3, 4)"
ROW = "let s = sum(x, axis=(0,)); let r = concat(s, s, axis=0); "


def stages(module: Module) -> tuple[Module, Module]:
    """Before views sink and after it."""
    for name, run in passes():
        if name == "sink_views":
            return module, run(module)
        module = run(module)
    raise AssertionError("no pass sinks views")


def kernels(body: str) -> list[str]:
    """The kernels' workloads of the executable; it is checked on the way, at some sizes."""
    made = compile_text(f"def main({X}) {{ {body} }}", **CONSTANTS)
    verify(stages(made.module)[1])
    for t in (1, 5):
        check(made, random(9, t, 6))
    return [k.workload for k in made.exe.kernels if k.kind == "kernel"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"tanh(reshape(dense(x, $w), {HEADS}))", "tail=tanh(y)"),
        (f"multiply(0.5, reshape(dense(x, $w), {HEADS}))", "tail=0.5 * y"),
        (f"add(reshape(dense(x, $w), {HEADS}), $b)", "tail=y + b0[n]"),
        (f"exp(expand_dims(gelu(reshape(dense(x, $w), {HEADS}))))", "tail=exp(gelu(y))"),
        ("relu(flatten(dense(x, $w)))", "tail=max(y, 0)"),
        (f"layer_norm(reshape(tanh(reshape(dense(x, $w), {HEADS})), shape=(-1, 12)), $gamma, $gamma)", "tail=tanh(y)"),
        (f"{ROW}add(expand_dims(dense(x, $w)), r)", "tail=y + b0[n]"),
        (f"{ROW}multiply(expand_dims(dense(x, $w), axis=(0, 2)), reshape(r, shape=(1, 12)))", "tail=y * b0[n]"),
        ("layer_norm(expand_dims(exp(x)), slice($gamma, stop=(6,)), slice($gamma, stop=(6,)))", "pre=exp(x)"),
    ],
)
def test_what_fuses_through_views(body: str, expected: str) -> None:
    assert any(expected in k for k in kernels(body))


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        f"add(reshape(dense(x, $w), {HEADS}), $c)",  # over the last dimension alone: no dimension of the product
        "add(reshape(exp(reshape(x, shape=(-1, 2, 3))), shape=(-1, 3, 2)), $d)",  # repeated, not walked, along the last
        f"{ROW}add(reshape(dense(x, $w), {HEADS}), slice(r, stop=(4,)))",
        f"{ROW}add(reshape(dense(x, $w), {HEADS}), reshape(r, shape=(3, 4)))",
        f"let v = reshape(dense(x, $w), {HEADS}); (tanh(v), v)",  # somebody else reads the view
        f"let d = dense(x, $w); (tanh(reshape(d, {HEADS})), d)",  # somebody else reads the product
        "tanh(reshape(x, shape=(-1, 3)))",  # no kernel makes what is viewed
        f"add(reshape(dense(x, $w), {HEADS}), reshape(dense(x, $w), shape=(3, -1, 4)))",  # different views
        f"layer_norm(reshape(tanh(dense(x, $w)), {HEADS}), $g4, $g4)",  # other rows
    ],
)
def test_what_stays(body: str) -> None:
    made = compile_text(f"def main({X}) {{ {body} }}", **CONSTANTS)
    before, after = stages(made.module)
    assert str(after) == str(before)
    check(made, random(9, 3, 6))


@st.composite
def chains(draw: st.DrawFn) -> tuple[Module, tuple[Array, ...]]:
    """Products, views and elementwise steps, one after the other."""
    m = ModuleBuilder()
    t = draw(st.integers(1, 4))
    shapes = [(-1, 12), (-1, 3, 4), (-1, 2, 6), (-1,), (1, -1, 12), (-1, 12, 1)]
    with m.function("main", x="Tensor[(?t, 12), float32]") as (f, x):
        flat, made = (-1, 12), x
        kept = []
        for _ in range(draw(st.integers(1, 9))):
            kind = draw(st.sampled_from(["dense", "view", "view", "unary", "number", "vector", "both", "norm", "keep"]))
            if kind == "dense":
                made, flat = f.dense(f.reshape(made, shape=(-1, 12)), random(0, 12, 12)), (-1, 12)
            elif kind == "view":
                flat = draw(st.sampled_from(shapes))
                made = f.reshape(made, shape=flat)
            elif kind == "unary":
                made = f.call(draw(st.sampled_from(["tanh", "relu", "abs"])), made)
            elif kind == "number":
                made = f.multiply(made, 0.5) if draw(st.booleans()) else f.subtract(0.25, made)
            elif kind == "vector":
                static = [d for d in flat if d > 0][-draw(st.integers(1, 3)) :]
                made = f.add(made, random(5, *static)) if static else made
            elif kind == "both":
                made = f.add(f.reshape(f.tanh(made), shape=(-1, 12)), f.reshape(f.abs(made), shape=(-1, 12)))
                flat = (-1, 12)
            elif kind == "norm" and flat[-1] > 1:
                made = f.layer_norm(made, random(6, flat[-1]), random(7, flat[-1]))
            elif kind == "keep":
                kept.append(made)
        f.result(f.tuple(made, *kept))
    return m.build(), (random(8, t, 12),)


@settings(max_examples=40, deadline=None)
@given(chains())
def test_random_chains_compute_the_same(made: tuple[Module, tuple[Array, ...]]) -> None:
    module, args = made
    before, after = stages(module)
    verify(after)
    same(for_machine(evaluate(after, args)), for_machine(evaluate(before, args)), tolerance=1e-4)
    steps = [run for name, run in passes() if name in ("dead_code", "sink_views")]
    again = steps[0](after)
    assert str(steps[0](sink_views(again))) == str(again)  # at rest

"""Transpositions around convolutions: gone where they meet their inverse, moved never where that leaves as many."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random, stages

PARAM = "x: Tensor[(?n, ?h, 6, 4), float32]"
IN, OUT = "perm=(0, 3, 1, 2)", "perm=(0, 2, 3, 1)"
STATS = {name: random(i, 4) for i, name in enumerate(("gamma", "beta", "mean"))}
CONSTANTS = {
    **STATS,
    "variance": np.abs(random(4, 4)),
    "w": random(5, 4, 4, 3, 3),
    "b": random(6, 4, 1, 1),
    "rows": random(7, 6),
    "d": random(8, 3, 4),
}
NORM = "$gamma, $beta, $mean, $variance"
# a network as it comes out of an exporter whose images have channels last: each block turns them, and back
BLOCK = f"transpose(relu(batch_norm(conv2d(transpose({{x}}, {IN}), $w, pad=1), {NORM})), {OUT})"


def made(body: str) -> Compiled:
    """A model, which is checked at some sizes, an image of nothing among them."""
    used = {k: v for k, v in CONSTANTS.items() if f"${k}" in body}
    found = compile_text(f"def main({PARAM}) {{ {body} }}", **used)
    for n, h in ((0, 4), (1, 4), (2, 7)):
        check(found, random(9, n, h, 6, 4), tolerance=2e-4)
    return found


def transposes(found: Compiled) -> int:
    """The kernels that transpose."""
    return sum("transpose" in k.workload for k in found.exe.kernels)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "body",
    [
        BLOCK.format(x="x"),
        BLOCK.format(x=BLOCK.format(x="x")),
        f"let a = {BLOCK.format(x='x')}; relu(add(a, {BLOCK.format(x='a')}))",
        f"transpose(max_pool2d(add(transpose(x, {IN}), $b), kernel=3, stride=2, pad=1), {OUT})",
        f"transpose(avg_pool2d(multiply($rows, transpose(x, {IN})), kernel=2), {OUT})",
        f"let t = transpose(x, {IN}); transpose(concat(t, relu(t), axis=1), {OUT})",
        f"transpose(slice(transpose(x, {IN}), start=(1, 0, 1), step=(1, 2, 1)), {OUT})",
        f"transpose(slice(transpose(x, {IN}), stop=(-1,), axes=(-1,)), {OUT})",
        f"transpose(pad(transpose(x, {IN}), before=(0, 1, 2, 0), after=(0, 0, 1, 3), value=2.0), {OUT})",
        f'transpose(resize(transpose(x, {IN}), sizes=(9, 5), axes=(2, 3), mode="linear"), {OUT})',
        f"transpose(resize(transpose(x, {IN}), sizes=(9, 12), axes=(2, 3)), {OUT})",
        f"""let t = transpose(x, {IN}); let by = sizes_of(t, sizes="2*d2 + 1, d3 + d0");
        let y = reshape_sized(resize_by(t, by, axes=(2, 3), mode="linear"), t, sizes="d4, 4, 2*d6 + 1, d7 + d4");
        transpose(y, {OUT})""",
        f"transpose(mean(exp(transpose(x, {IN})), axis=(2, 3), keepdims=true), {OUT})",
        f"dense(mean(transpose(x, {IN}), axis=(2, 3)), $d)",
        f"dense(squeeze(mean(relu(transpose(x, {IN})), axis=(2, 3), keepdims=true), axis=(2, 3)), $d)",
        f"if (less(sum(x), 0.0)) {{ {BLOCK.format(x='x')} }} else {{ negative(x) }}",
    ],
)
def test_nothing_is_left(body: str) -> None:
    assert transposes(made(body)) == 0


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"transpose(reshape(transpose(exp(reshape(t, shape=(-1, 4, 30))), {{rows}}), shape=(-1, 5, 6, 4)), {IN})", 1),
        ("exp(transpose(reshape(t, shape=(-1, 4, 30)), {rows}))", 0),  # rows for attention
        ("let r = transpose(reshape(t, shape=(-1, 4, 30)), {rows}); "
         f"transpose(reshape(transpose(exp(r), {{rows}}), shape=(-1, 4, 5, 6)), {OUT})", 0),  # and back
        ("transpose(reshape(t, shape=(-1, 2, 2, 5, 6)), perm=(0, 3, 4, 1, 2))", 0),  # channels in groups
        ("transpose(reshape(t, shape=(-1, 4, 1, 5, 2, 3)), perm=(0, 3, 4, 5, 1, 2))", 0),
        ("let g = transpose(reshape(t, shape=(-1, 2, 2, 5, 6)), perm=(0, 2, 1, 3, 4)); "
         f"transpose(reshape(g, shape=(-1, 4, 5, 6)), {OUT})", 1),  # shuffled
        ("reshape(t, shape=(-1, 20, 6))", 1),  # channels and lines in one
        ("reshape(t, shape=(-1, 2, 60))", 1),
        ("reshape(t, shape=(-1, 8, 3, 5))", 1),
        ("reshape(t, shape=(-1, 6))", 1),
    ],
)  # fmt: skip
def test_reshapes_of_what_was_turned(body: str, left: int) -> None:
    given = body.replace("{rows}", "perm=(0, 2, 1)")
    found = compile_text(f"def main(x: Tensor[(?n, 5, 6, 4), float32]) {{ let t = transpose(relu(x), {IN}); {given} }}")
    for n in (0, 1, 3):
        check(found, random(9, n, 5, 6, 4), tolerance=2e-4)
    assert transposes(found) == left


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"relu(transpose(x, {IN}))", 1),  # the result itself is turned
        (f"(transpose(x, {IN}), exp(transpose(x, perm=(0, 3, 2, 1))))", 2),
        (f"transpose(softmax(transpose(x, {IN}), axis=1), {OUT})", 2),  # a step that is not moved behind
        (f"transpose(conv2d(transpose(x, perm=(0, 3, 2, 1)), $w), {OUT})", 2),  # no layout has rows and columns swapped
    ],
)
def test_what_stays(body: str, left: int) -> None:
    found = made(body)
    before, after = stages("sink_transposes", found.module)
    assert str(after) == str(before)
    assert sum(operator_of(e) == "transpose" for e in nodes(after.main.body)) == left

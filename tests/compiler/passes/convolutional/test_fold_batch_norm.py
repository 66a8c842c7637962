"""Normalisations with known statistics: in weights that are theirs alone, a product and a sum elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Constant, Module, operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import check, compile_text, random, stages

IMAGE = "x: Tensor[(?n, 3, ?h, 7), float32]"
ROWS = "x: Tensor[(?t, 6), float32]"
STATS = {name: random(i, 4) for i, name in enumerate(("gamma", "beta", "mean"))}
STATS["variance"] = np.abs(random(4, 4))
NORM = "$gamma, $beta, $mean, $variance"
CONSTANTS = {
    **STATS,
    "w": random(5, 4, 3, 3, 3),
    "wl": random(6, 4, 7, 3, 2),
    "w1": random(7, 4, 3, 7),
    "d": random(8, 4, 6),
    "b": random(9, 4, 1, 1),
    "bl": random(10, 4),
    "each": random(11, 4, 1, 5),
}


def operators(module: Module) -> list[str]:
    """Of what main reaches: passes behind drop the rest."""
    return [name for e in nodes(module.main.body) if (name := operator_of(e))]


def left(body: str, param: str = IMAGE) -> list[str]:
    """The operators that main calls in the end; it is checked on the way, at several sizes."""
    used = {k: v for k, v in CONSTANTS.items() if f"${k}" in body}
    made = compile_text(f"def main({param}) {{ {body} }}", **used)
    for n, h in ((0, 5), (1, 3), (2, 8)):
        shape = (n, 6) if param == ROWS else (n, 3, h, 7)
        check(made, random(9, *shape), tolerance=1e-4)
    return operators(dict(made.stages)["dead_code"])  # the last of that name


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "param", "expected"),
    [
        (f"batch_norm(conv2d(x, $w, pad=1), {NORM})", IMAGE, ["conv2d", "add"]),
        (f"relu(batch_norm(add($b, conv2d(x, $w, stride=2)), {NORM}))", IMAGE, ["conv2d", "add", "relu"]),
        (f'batch_norm(conv2d(x, $wl, layout="nhwc", pad=1), {NORM}, axis=-1)', IMAGE, ["conv2d", "add"]),
        (f"batch_norm(add(dense(x, $d), $bl), {NORM}, eps=0.1)", ROWS, ["dense", "add"]),
        (f"batch_norm(add(add(dense(x, $d), 2.0), $bl), {NORM})", ROWS, ["dense", "add"]),
    ],
)
def test_what_goes_into_weights(body: str, param: str, expected: list[str]) -> None:
    assert left(body, param) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("batch_norm(x, slice($gamma, stop=(3,)), slice($beta, stop=(3,)), slice($mean, stop=(3,)), "
         "slice($variance, stop=(3,)))", ["multiply", "add"]),
        (f"let y = conv2d(x, $w); (batch_norm(y, {NORM}), y)", ["conv2d", "multiply", "add"]),
        (f"add(batch_norm(conv2d(x, $w), {NORM}), batch_norm(conv2d(relu(x), $w), {NORM}))",
         ["conv2d", "multiply", "add", "relu", "conv2d", "multiply", "add", "add"]),
        (f"batch_norm(add(conv2d(x, $w), $each), {NORM})", ["conv2d", "add", "multiply", "add"]),
    ],
)  # fmt: skip
def test_what_becomes_a_product_and_a_sum(body: str, expected: list[str]) -> None:
    assert left(body) == expected


def test_what_is_not_finite_stays() -> None:
    given = {**STATS, "variance": np.full(4, -1, np.float32), "w": CONSTANTS["w"]}
    made = compile_text(f"def main({IMAGE}) {{ batch_norm(conv2d(x, $w), {NORM}) }}", **given)
    assert operators(dict(made.stages)["fold_batch_norm"]) == ["conv2d", "batch_norm"]


def test_weights_are_rounded_once() -> None:
    made = compile_text(f"def main({ROWS}) {{ batch_norm(dense(x, $d), {NORM}) }}", **STATS, d=CONSTANTS["d"])
    _, after = stages("fold_batch_norm", made.module)
    factor = STATS["gamma"].astype(np.float64) / np.sqrt(STATS["variance"].astype(np.float64) + 1e-5)
    wanted = (CONSTANTS["d"] * factor[:, None]).astype(np.float32)
    arrays = [e.array for e in nodes(after.main.body) if isinstance(e, Constant)]
    assert any(a.shape == wanted.shape and np.array_equal(a, wanted) for a in arrays)

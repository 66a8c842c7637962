"""Weights that 16 bits hold: which ones are stored so, on which targets, and that layers compute the same with them."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array, Module
from anytile.compiler.module import Module as Public
from anytile.compiler.passes.narrow.halves.exact_weights import Halves, halves_on
from anytile.compiler.pipeline import optimise
from anytile.schedules.hardware.target import Target
from tests.support.cases.compiled_modules import Compiled, check, random
from tests.support.cases.narrow_modules import module, workloads

HALVES = ("float16", "bfloat16")
LARGE = np.float16(random(1, 128, 128)).astype(np.float32)  # just large enough
X = "x: Tensor[(?n, 128), float32]"


def settled(given: Module, halves: Halves | None = lambda: HALVES) -> str:
    return str(optimise(given, halves=halves, upto="exact_weights"))


def layer(weight: Array, body: str = "dense(x, $w)") -> str:
    return settled(module(body, X, w=weight))


def changed(at: int, value: float) -> Array:
    made = LARGE.copy()
    made.reshape(-1)[at] = value
    return made


@pytest.mark.parametrize(
    ("weight", "wanted"),
    [
        (LARGE, 'w="float16"'),
        (np.trunc(LARGE * 4), 'w="float16"'),
        (np.trunc(LARGE * 4) * 2.0**-30, 'w="bfloat16"'),
        (changed(7, 2.0**-24), 'w="float16"'),
        (changed(7, 2.0**-25), "dense(x, $w)"),
        (changed(-1, 65520.0), "dense(x, $w)"),
        (changed(-1, np.inf), 'w="float16"'),
        (changed(-1, np.nan), "dense(x, $w)"),
        (changed(-1, 1.0001), "dense(x, $w)"),
        (random(1, 128, 128), "dense(x, $w)"),
        (LARGE[:127], "dense(x, $w)"),
    ],
)
def test_a_weight_lies_in_16_bits_where_these_hold_it(weight: Array, wanted: str) -> None:
    assert wanted in layer(weight)


def test_a_target_is_asked_where_there_is_such_a_layer() -> None:
    def asked() -> tuple[str, ...]:
        raise AssertionError("asked")

    for given in (module("dense(x, $w)", X, w=LARGE[:9]), module("dense(x, y)", f"{X}, y: Tensor[(3, 128), float32]")):
        assert settled(given, asked) == settled(given, None)
    with pytest.raises(AssertionError, match="asked"):
        settled(module("dense(x, $w)", X, w=LARGE), asked)
    assert "quantised" not in settled(module("dense(x, $w)", X, w=LARGE), None)


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("llvm -mcpu=haswell", HALVES),
        ("llvm -mcpu=znver4", HALVES),
        ("llvm -mcpu=x86-64", ("bfloat16",)),
    ],
)
def test_a_cpu_has_those_that_it_widens_in_an_instruction_and_a_gpu_beside_it_all(
    target: str, wanted: tuple[str, ...]
) -> None:
    assert halves_on(Target.parse(target)) == wanted
    assert halves_on(Target.parse(target), 1) == ("bfloat16", "float16")


@pytest.mark.parametrize(("dtype", "whole"), [("float16", LARGE), ("bfloat16", np.trunc(LARGE * 4) / 16)])
def test_layers_compute_what_they_did(dtype: str, whole: Array) -> None:
    weight = whole.copy()
    weight[0, :3] = -0.0, 0.0, 1.0 if dtype == "float16" else 2.0**-40
    given = module("gelu(add(dense(relu(dense(x, $w)), $w), $b))", X, w=weight, b=random(2, 128))
    made = Compiled(given)
    is_narrow = dtype in halves_on(Target.parse(made.exe.target))
    assert [f"w={dtype}" in text for text in workloads(made)] == [is_narrow, is_narrow]
    for n in (0, 1, 5, 67):
        check(made, random(3, n, 128), stages=False, tolerance=2e-4)


def test_cells_of_a_recurrent_network_stay() -> None:
    declared = "const $w: Tensor[(128, 128), float32]; "
    text = """def main(n: Tensor[(), int64], h: Tensor[(?b, 128), float32]) -> Tensor[(?b, 128), float32] {
      if (less(n, 1)) { h } else { main(subtract(n, 1), tanh(dense(h, $w))) }
    }"""
    assert "quantised" not in settled(Public.parse(declared + text, {"w": LARGE}))

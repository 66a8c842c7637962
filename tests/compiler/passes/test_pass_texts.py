"""What the passes make of one small model each, as texts to read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.pipeline import passes
from tests.support.cases.compiled_modules import random

Golden = Callable[[str, str], None]


def after(text: str, name: str, device: int = 0, **constants: object) -> str:
    """The module after the last pass of a name."""
    declared = "".join(f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in constants.items())  # type: ignore[attr-defined]  # arrays
    module = Module.parse(declared + text, constants)  # type: ignore[arg-type]  # arrays
    seen = ""
    for at, run in passes(device):
        module = run(module)
        if at == name:
            seen = str(module)
    assert seen
    return seen


LAYER = """
def main(x: Tensor[(?n, 8), float32], y: Tensor[(?n, 8), float32]) -> Tensor[(?n, 8), float32] {
  let h = gelu(add(dense(x, $w) @"layer.0", $b));
  layer_norm(add(softmax(h), y), $gamma, $gamma)
}
"""
WEIGHTS = {"w": random(0, 8, 8), "b": random(1, 8), "gamma": random(2, 8)}


@pytest.mark.parametrize("name", ["to_anf", "fuse", "pack_weights", "manifest_alloc", "plan_memory"])
def test_a_layer(golden: Golden, name: str) -> None:
    golden(f"layer.{name}", after(LAYER, name, **WEIGHTS))


def test_a_layer_on_a_device(golden: Golden) -> None:
    golden("layer.place_devices", after(LAYER, "place_devices", device=1, **WEIGHTS))


def test_what_is_folded(golden: Golden) -> None:
    text = """
def main(x: Tensor[(4, ?n), float32], z: Tensor[(2, 3), float32]) -> Tensor[(?, ?), float32] {
  let size = take(shape_of(z), 1, axis=0);
  let flag = equal(size, 3);
  let y = if (flag) { let t = transpose($w); add(x, dense($w, $w)) } else { multiply(x, 2.0) };
  let same = add(exp(y), exp(y));
  let unused = tanh(y);
  reshape(same, shape=(-1, 2))
}
"""
    golden("folded", after(text, "common_subexpressions", w=np.ones((4, 1), np.float32)))


def test_a_recurrence_is_hoisted(golden: Golden) -> None:
    text = """
def main(xs: Tensor[(?t, 1, 2), float32]) -> Tensor[(1, 3), float32] { step(xs, 0, $zero) }
def step(xs: Tensor[(?t, 1, 2), float32], i: Tensor[(), int64], h: Tensor[(1, 3), float32]) -> Tensor[(1, 3), float32] {
  if (less(i, take(shape_of(xs), 0, axis=0))) {
    let x = take(xs, i, axis=0);
    step(xs, add(i, 1), tanh(add(dense(concat(x, h, axis=1), $w), $b)))
  } else { h }
}
"""
    arrays = {"w": np.ones((3, 5), np.float32), "b": np.ones(3, np.float32), "zero": np.zeros((1, 3), np.float32)}
    golden("recurrence", after(text, "hoist_recurrence", **arrays))


def test_sizes_that_are_computed_twice(golden: Golden) -> None:
    """What one length decides is computed once; what depends on data when that is there."""
    text = """
def main(x: Tensor[(?n,), float32], y: Tensor[(?m,), float32]) -> Tensor[(?,), float32] {
  let both = relu(concat(exp(x), exp(y)));
  let found = cast(flatten(nonzero(both)), dtype="float32");
  concat(exp(both), tanh(found))
}
"""
    golden("sizes", after(text, "manifest_alloc"))
    golden("sizes.planned", after(text, "plan_memory"))

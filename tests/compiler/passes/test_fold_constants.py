"""Constant folding: small results are made ahead of time, and what a few bytes make large is not even tried."""

from __future__ import annotations

import numpy as np

import anytile
from anytile.compiler.infer import infer
from anytile.compiler.module import Module
from anytile.compiler.passes.fold_constants import fold_constants
from anytile.compiler.passes.to_anf import to_anf
from tests.support.processor_time import more_memory


def folded(*shape: int) -> str:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 1), float32]") as (f, x):
        f.result(f.add(x, f.full(np.asarray(shape, np.int64), np.float32(7))))
    return str(Module.of(fold_constants(to_anf(infer(m.build()).module))))


def test_a_small_one_is_a_constant() -> None:
    assert "full" not in folded(1, 2).partition("def main")[2]


def test_a_large_one_stays_a_call_and_takes_no_memory() -> None:
    with more_memory(1 << 28):
        assert "full(" in folded(1 << 15, 1 << 14)

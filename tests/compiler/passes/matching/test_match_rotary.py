"""Rotary embeddings are one kernel at any sizes, however products and sums stand; what only looks like one stays."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.compiler.module import Module
from anytile.vm.program.executable import KERNEL
from tests.support.cases.compiled_modules import random

TYPES = {"x": "(?b, ?t, 5, 32)", "c": "(?b, ?t, 1, 32)", "s": "(?t, 1, 32)"}
LOW = "slice(x, axes=(3,), start=(0,), stop=(16,))"
HIGH = "slice(x, axes=(-1,), start=(16,), stop=(2147483647,))"
JOINED = f"concat(negative({HIGH}), {LOW}, axis=-1)"
DONE = f"add(multiply(x, c), multiply({JOINED}, s))"


def kernels(body: str, **types: str) -> list[str]:
    """The kernels that work on data of a model, which means what numpy says."""
    kinds = {**TYPES, **types}
    params = ", ".join(f"{name}: Tensor[{kind}, float32]" for name, kind in kinds.items())
    exe = anytile.compile(Module.parse(f"def main({params}) {{ {body} }}", {}))
    session = anytile.Session(exe)
    for b, t in ((1, 1), (2, 3), (1, 40), (3, 0)):
        sizes = {"?b": b, "?t": t}
        given = [
            random(
                seed, *(sizes.get(d.strip(), 0) or (0 if d.strip() in sizes else int(d)) for d in kind[1:-1].split(","))
            )
            for seed, kind in enumerate(kinds.values())
        ]
        x, c, s = given
        half = x.shape[-1] // 2
        turned = np.concatenate([-x[..., half:], x[..., :half]], -1)
        np.testing.assert_allclose(session(*given), x * c + turned * s, rtol=1e-6, atol=1e-6)
    return [k.workload for k in exe.kernels if k.kind == KERNEL]


@pytest.mark.parametrize(
    "body",
    [
        DONE,
        f"add(multiply(c, x), multiply({JOINED}, s))",
        f"add(multiply({JOINED}, s), multiply(x, c))",
        f"add(multiply(s, {JOINED}), multiply(c, x))",
    ],
)
def test_it_is_one_kernel(body: str) -> None:
    (workload,) = kernels(body)
    assert "parts=2" in workload
    assert "select(" in workload


def test_rows_without_heads_are_turned_too() -> None:
    body = DONE.replace("16", "64").replace("axes=(3,)", "axes=(2,)")
    assert len(kernels(body, x="(?b, ?t, 128)", c="(?b, ?t, 128)", s="(?t, 128)")) == 1


@pytest.mark.parametrize(
    "body",
    [
        f"add(multiply(x, c), multiply(concat({LOW}, negative({HIGH}), axis=-1), s))",
        f"add(multiply(x, c), multiply(concat(negative({LOW}), {HIGH}, axis=-1), s))",
        f"subtract(multiply(x, c), multiply({JOINED}, s))",
        f"add(multiply(x, c), add({JOINED}, s))",
        f"let j = {JOINED}; add(add(multiply(x, c), multiply(j, s)), j)",
        f"add(multiply(s, c), multiply({JOINED}, s))",
        DONE.replace("16", "20"),
    ],
)
def test_what_is_something_else_stays(body: str) -> None:
    params = ", ".join(f"{name}: Tensor[{kind}, float32]" for name, kind in TYPES.items())
    exe = anytile.compile(Module.parse(f"def main({params}) {{ {body} }}", {}))
    assert not any("select(" in k.workload for k in exe.kernels)


def test_short_halves_are_joined() -> None:
    """Vectors would be mostly empty."""
    assert len(kernels(DONE.replace("16", "4"), **{name: kind.replace("32", "8") for name, kind in TYPES.items()})) > 1

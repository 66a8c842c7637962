"""Random programs that put rows into what they may write give what they would give if each step made a copy."""

from __future__ import annotations

import random

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.module import Module
from anytile.importers.torch.graph.in_place import writing

CACHE = "Tensor[(2, ?n, 3), float32]"
ROWS = "Tensor[(2, ?t, 3), float32]"
PLACES = "Tensor[(?t,), int64]"


def program(seed: int) -> str:
    """Chains of rows put into two caches, of which other steps and the results read some, before and behind."""
    rng = random.Random(seed)
    made, steps = ["x0", "x1"], list[str]()
    for i in range(rng.randint(2, 9)):
        a = rng.choice(made[-3:] if rng.random() < 0.7 else made)
        kind = rng.random()
        if kind < 0.55:
            rows = rng.choice(["rows", "add(rows, 1.0)"])
            step = f"put_rows({a}, {rng.choice(['at', 'other'])}, {rows}, axis=1)"
        elif kind < 0.7:
            step = f"add({a}, {rng.choice(made)})"
        elif kind < 0.85:
            step = f"relu({a})"
        else:
            step = f'reshape_sized(reshape_sized({a}, sizes="2*d1*3"), {a}, sizes="2, d2, 3")'
        made.append(f"v{i}")
        steps.append(f"let v{i} = {step};")
    results = [f"sum({v})" if rng.random() < 0.4 else v for v in rng.sample(made, rng.randint(1, min(4, len(made))))]
    params = f"x0: {CACHE}, x1: {CACHE}, at: {PLACES}, other: {PLACES}, rows: {ROWS}"
    return f"def main({params}) {{ {' '.join(steps)} ({', '.join(results)}, at) }}"


@pytest.mark.parametrize("first", range(0, 60, 12))
def test_nobody_misses_what_was_there(first: int) -> None:
    put = 0
    for seed in range(first, first + 12):
        module = writing(Module.parse(text := program(seed)), {"x0", "x1"})
        rng = np.random.default_rng(seed)
        t = int(rng.integers(0, 4))
        caches = [rng.standard_normal((2, 5, 3), dtype=np.float32) for _ in range(2)]
        places = [rng.integers(-5, 5, t) for _ in range(2)]
        rows = rng.standard_normal((2, t, 3), dtype=np.float32)
        wanted = evaluate(module, [*(c.copy() for c in caches), *places, rows])
        exe = anytile.compile(module)
        put += any(k.workload.startswith("put_rows") for k in exe.kernels)
        for is_native in (False, True):
            given = [c.copy() for c in caches]  # which some results lie in
            for found, one in zip(anytile.Session(exe, compiled=is_native)(*given, *places, rows), wanted, strict=True):
                np.testing.assert_allclose(found, one, rtol=1e-4, atol=1e-4, err_msg=text)
    assert put

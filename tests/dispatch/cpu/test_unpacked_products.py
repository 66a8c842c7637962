"""Untuned products of tensors that nobody packed: few rows read them as they lie, for many a panel is copied."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.few_and_many import few_and_many
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload

DENSE = "dense(m=?m, n=52, k=70)"
PLAIN = "batch_matmul(b=1, m=?m, n=52, k=70, rhs=kn)"
BATCHES = "batch_matmul(b=2, m=?m, n=52, k=70)"
SCORES = "batch_matmul(b=2, m=?m, n=52, k=70, rhs=bnk)"
TURNED = "batch_matmul(b=1, m=?m, n=52, k=70, lhs=bkm, rhs=nk)"


def ways(text: str, cpu: str) -> list[tuple[int, object]]:
    """From how many rows on the matrix is read how."""
    plan = few_and_many(Workload.parse(text), Target.parse(f"llvm -mcpu={cpu} -threads=1"))
    if plan is None:
        return []
    configs = [dict(plan.variants[r.runs].config.values) for r in plan.ranges if isinstance(r.runs, int)]
    return [(r.low, c.get("w", c.get("rhs_by"))) for r, c in zip(plan.ranges, configs, strict=True)]


@pytest.mark.parametrize(
    ("text", "cpu", "wanted"),
    [
        (DENSE, "haswell", [(0, "rows"), (64, "staged")]),
        (DENSE, "znver4", [(0, "rows"), (64, "staged")]),
        (DENSE.replace(")", ", const=w)"), "haswell", []),
        (DENSE.replace(")", ", dtype=bfloat16)"), "haswell", []),
        (PLAIN, "haswell", [(0, "stream"), (32, "pack")]),
        (PLAIN, "znver4", [(0, "stream"), (32, "pack")]),
        (BATCHES, "haswell", [(0, "stream"), (96, "pack")]),
        (BATCHES, "znver4", []),
        (SCORES, "haswell", [(0, "turn"), (32, "pack")]),
        (SCORES, "znver4", []),
    ],
)
def test_which_rows_are_many(text: str, cpu: str, wanted: list[tuple[int, object]]) -> None:
    assert ways(text, cpu) == wanted


@pytest.mark.parametrize("cpu", ["nehalem", "haswell", "znver4"])
@pytest.mark.parametrize("text", [DENSE, PLAIN, BATCHES, SCORES, TURNED])
def test_a_known_number_of_rows_has_the_config_of_its_range(text: str, cpu: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=2")
    workload = Workload.parse(text)
    (chosen, *_) = templates_for(workload, target)
    plan = few_and_many(workload, target)
    assert plan is not None or text in (BATCHES, SCORES)
    for m in (1, 31, 32, 63, 64, 95, 96, 1000):
        bound = workload.bind(m=m)
        config = chosen.default(bound, target)
        chosen.space(bound, target).check(config)
        if plan is not None:
            runs = plan.range_at(m).runs
            assert isinstance(runs, int)
            assert config == plan.variants[runs].config


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", [DENSE, PLAIN, BATCHES, SCORES, TURNED])
def test_products_are_numpys_on_both_sides_of_many(text: str, threads: int) -> None:
    workload = Workload.parse(text)
    kernel = anytile.build(workload, target=f"llvm -threads={threads}")
    for m in (1, 31, 32, 33, 63, 64, 65, 97):
        rng = np.random.default_rng(m)
        sizes = {"m": m}
        given = [rng.integers(-4, 5, workload.shape(t.name, sizes)).astype(np.float32) for t in workload.inputs]
        inputs = {t.name: array for t, array in zip(workload.inputs, given, strict=True)}
        (wanted,) = workload.spec.reference(inputs, workload.attributes)
        np.testing.assert_array_equal(kernel(*given), wanted)

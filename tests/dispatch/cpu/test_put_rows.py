"""put_rows writes rows over its input and nothing else; who has no model is refused it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.movement.put import places_of
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.requests.request import TuneRequest
from tests.support.cases.small_operators import check, compiled, inputs_of, walled

TEXTS = (
    "put_rows(outer=?a, n=?b, m=?c, inner=?d)",
    "put_rows(outer=3, n=?b, m=1, inner=64)",
    "put_rows(outer=1, n=?b, m=?c, inner=1, dtype=int64)",
    "put_rows(outer=?a, n=9, m=?c, inner=3, dtype=bool)",
    "put_rows(outer=?a, n=?b, m=?c, inner=24, stored=updates:bfloat16+x:bfloat16+y:bfloat16)",
    "put_rows(outer=?a, n=?b, m=?c, inner=8, stored=x:float16+y:float16)",
)


@pytest.mark.parametrize("target", ["llvm -threads=1", "llvm -threads=2"])
@pytest.mark.parametrize("text", TEXTS)
def test_rows_are_put_where_the_input_lies(text: str, target: str) -> None:
    """The input is full of NaN here, and read-only: only what lies there as the output is left as it was."""
    workload = Workload.parse(text)
    loaded = compiled(workload, Target.parse(target).resolved())
    for seed, sizes in enumerate(
        ({"a": 2, "b": 5, "c": 3, "d": 7}, {"a": 1, "b": 1, "c": 4, "d": 33}, {"b": 300, "c": 200})
    ):
        symbols = {name: sizes.get(name, 9) for name in workload.symbols}
        inputs = inputs_of(workload, symbols, seed)
        check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols)


def test_a_position_is_the_last_ones_that_is_put_there() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        positions = rng.integers(0, 6, rng.integers(0, 9))
        alone = [p if p not in positions[i + 1 :] else -1 for i, p in enumerate(positions.tolist())]
        np.testing.assert_array_equal(places_of(positions), np.array(alone, np.int64))


def test_only_models_have_it(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"put_rows writes over x, as models alone have it done"):
        anytile.build(TEXTS[1], "llvm")
    with pytest.raises(SpecError, match=r"tune: put_rows.* writes over x, and has its default; leave it out"):
        TuneRequest((Workload.parse(TEXTS[1]),), Target.parse("llvm").resolved())

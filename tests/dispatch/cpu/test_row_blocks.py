"""Machine code of dense layers with more rows than a block of them has, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.dispatch.service import build
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

COLUMNS, DEPTH = 100, 4096


@pytest.mark.parametrize("streamed", [(), ("w",)], ids=["kept", "streamed"])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_block_and_what_is_left(threads: int, streamed: tuple[str, ...]) -> None:
    target = Target.host(threads=threads)
    workload = dense(Any("m"), COLUMNS, DEPTH, const=("w",)).streaming(streamed)
    tpl = template("dense.cpu")
    made = tpl.schedule(workload, target, tpl.default(workload, target))
    assert made.walk is not None
    assert made.walk.blocks is not None
    rows = made.walk.blocks.rounds * made.walk.tile
    rng = np.random.default_rng(rows)
    w = rng.integers(-3, 4, (COLUMNS, DEPTH)).astype(np.float32)  # sums of integers are exact
    kernel = build(workload, target, constants={"w": w})
    for m in (1, rows - 1, rows, rows + 1, rows + made.walk.tile - 1, 2 * rows, 2 * rows + 3):
        x = rng.integers(-3, 4, (m, DEPTH)).astype(np.float32)
        np.testing.assert_array_equal(kernel(x), x @ w.T)

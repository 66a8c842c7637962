"""What guarding every row costs: nothing while the vector registers suffice."""

from __future__ import annotations

import pytest

from anytile.dispatch.plans.guard_cost import crowding, vectors_held
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

W = dense(Any("m"), 768, 768, const=("w",))


def config(rows: int, vectors: int, unroll: int, w: str = "panels") -> Config:
    return Config.of(
        w=w, tile_m=rows, tile_n=vectors, unroll_k=unroll, block_k=0, block_n=1, prefetch=0, locality="near"
    )


@pytest.mark.parametrize(("chosen", "held"), [((12, 2, 2), 30), ((14, 2, 1), 31), ((8, 3, 2), 32), ((4, 6, 4), 52)])
def test_sums_shared_weights_and_a_broadcast_per_step_are_held(chosen: tuple[int, int, int], held: int) -> None:
    target = Target.parse("llvm -mcpu=znver4")
    assert vectors_held(template("dense.cpu").schedule(W, target, config(*chosen)).nest) == held
    assert (crowding(W, target, "dense.cpu", config(*chosen)) > 0) == (held >= 32)


@pytest.mark.sampled(0)
def test_fewer_registers_are_crowded_sooner() -> None:
    wide, narrow = Target.parse("llvm -mcpu=znver4"), Target.parse("llvm -mcpu=znver2")
    assert crowding(W, wide, "dense.cpu", config(6, 2, 2)) == 0.0
    assert crowding(W, narrow, "dense.cpu", config(6, 2, 2)) > crowding(W, narrow, "dense.cpu", config(6, 2, 1)) == 0.0


def test_a_weight_read_row_by_row_shares_its_vectors_too() -> None:
    workload, target = dense(Any("m"), 768, 768), Target.parse("llvm -mcpu=znver4")
    nest = template("dense.cpu").schedule(workload, target, config(4, 3, 2, w="rows")).nest
    assert vectors_held(nest) == 4 * 3 + 2 * 3 + 2


def test_a_nest_without_guarded_sums_holds_nothing_across_branches() -> None:
    nest = template("dense.cpu").schedule(W.bind(m=24), Target.parse("llvm -mcpu=znver4"), config(8, 3, 2)).nest
    assert vectors_held(nest) == 0

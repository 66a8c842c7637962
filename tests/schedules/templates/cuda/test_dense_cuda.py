"""The CUDA templates of dense as loop nests: verified, and interpreted against numpy.

What they print is run by the tests of codegen; here the interpreter says what a nest means, at sizes that it can bear.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.codegen.cuda.build import scheduled_nest
from anytile.core.errors import ScheduleError, SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import var
from anytile.schedules.nest.nodes import Barrier, BulkCopy, Copy, Deliver, Guard, Relay, Store, Wait
from anytile.schedules.nest.traverse import map_exprs, walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.interpreted_nests import check

HOPPER = Target.parse("cuda -arch=sm_90a")
TURING = Target.parse("cuda -arch=sm_75")
SMALL_HOPPER = Target.parse("cuda -arch=sm_90a -sm=2")
SIMT, NARROW, MMA, TF32 = (template(f"dense.cuda.{name}") for name in ("simt", "narrow", "mma", "tf32"))
RELAY = template("dense.cuda.relay")
SMALL = {  # configs that the interpreter can bear; the space leaves out what cannot be fast
    SIMT.name: Config.of(tile_m=2, tile_n=1, warps_m=1, warps_n=1, lanes="4x8", block_k=16, unroll_k=1, stages=3,
                         split_k=1, group_n=1),
    NARROW.name: Config.of(tile_m=2, tile_n=2, warps_n=1, warps_k=2, unroll_k=1),
    MMA.name: Config.of(tile_m=1, tile_n=1, warps_m=1, warps_n=1, block_k=32, stages=2, split_k=1, group_n=1),
    TF32.name: Config.of(tile_m=1, tile_n=1, warps_m=1, warps_n=1, block_k=16, stages=2, split_k=1, group_n=1),
}  # fmt: skip
Floats = NDArray[np.float32]


def _dtype(t: Template) -> str:
    return "bfloat16" if t in (MMA, RELAY) else "float32"


@pytest.mark.parametrize("t", [SIMT, NARROW, MMA, TF32], ids=lambda t: str(t.name))
@pytest.mark.parametrize("m", [0, 1, 7])
def test_any_number_of_rows(t: Template, m: int) -> None:
    workload = dense(Any("m"), 9, 24, _dtype(t), tail="y + bias[n]")
    nest = scheduled_nest(workload, SMALL[t.name], HOPPER, t)
    verify(nest)
    check(workload, nest, {"m": m})


@pytest.mark.parametrize("t", [SIMT, NARROW, MMA, TF32], ids=lambda t: str(t.name))
def test_rests_that_are_known(t: Template) -> None:
    workload = dense(Any("m"), 5, 8, _dtype(t))
    tile = t.tile(SMALL[t.name])
    for low, high in ((0, 0), (1, 1), (0, tile - 1), (tile - 1, tile - 1), (1, tile // 2)):
        nest = scheduled_nest(workload, SMALL[t.name], HOPPER, t, (low, high))
        verify(nest)
        check(workload, nest, {"m": tile + high})


@pytest.mark.parametrize("t", [SIMT, NARROW, MMA, TF32], ids=lambda t: str(t.name))
@pytest.mark.parametrize(("n", "k"), [(1, 1), (9, 0), (17, 33)])
def test_every_dimension_symbolic(t: Template, n: int, k: int) -> None:
    workload = dense(Any("m"), Any("n"), Any("k"), _dtype(t))
    config = SMALL[t.name] if t is NARROW else SMALL[t.name].with_(stages=1 if t is MMA else 3)
    nest = scheduled_nest(workload, config, HOPPER, t)
    verify(nest)
    check(workload, nest, {"m": 3, "n": n, "k": k})


@pytest.mark.parametrize("t", [SIMT, MMA, TF32], ids=lambda t: str(t.name))
@pytest.mark.parametrize("group_n", [1, 4])
def test_sums_that_blocks_share(t: Template, group_n: int) -> None:
    workload = dense(Any("m"), 20, 40, _dtype(t), tail="y + bias[n]")
    nest = scheduled_nest(workload, SMALL[t.name].with_(split_k=2, group_n=group_n), HOPPER, t)
    verify(nest)
    check(workload, nest, {"m": 3})


HANDED_OVER = Config.of(
    groups=1, columns=32, stages=3, behind=0, split_k=1, group_m=1, resident=0, cluster=1, stores=0, meeting="memory"
)


@pytest.mark.slow
@pytest.mark.parametrize("resident", [0, 1])
@pytest.mark.parametrize("group_m", [1, 4])
def test_tiles_that_are_handed_over(group_m: int, resident: int) -> None:
    """Blocks that stay count their rounds on, and a group of rows of tiles may end before it is full."""
    config = HANDED_OVER.with_(group_m=group_m, resident=resident)
    workload = dense(Any("m"), 40, 136, "bfloat16", tail="y + bias[n]")
    nest = scheduled_nest(workload, config, SMALL_HOPPER, RELAY)
    verify(nest)
    assert sum(isinstance(s, Relay) for s in walk(nest.body)) == 1
    for m in (0, 1, 64, 65, 321):
        check(workload, nest, {"m": m})
    known = dense(128, 40, 136, "bfloat16")  # whole tiles, and half of a group of four
    nest = scheduled_nest(known, config, SMALL_HOPPER, RELAY)
    verify(nest)
    check(known, nest, {})


def test_rounds_of_a_relay_come_one_after_the_other() -> None:
    workload = dense(1, 8, 200, "bfloat16")
    nest = scheduled_nest(workload, HANDED_OVER, HOPPER, RELAY)
    skipped = map_exprs(nest.body, lambda e: e.substitute({"ko": 2 * var("ko")}))
    with pytest.raises(ScheduleError, match=r"relay round 2\*ko is 2 after 0"):
        check(workload, nest.with_body(skipped), {})


@pytest.mark.slow
@pytest.mark.parametrize("resident", [0, 1])
@pytest.mark.parametrize("group_m", [1, 2, 4])
def test_tiles_of_the_weight_that_two_blocks_share(group_m: int, resident: int) -> None:
    """Each has rows of its own, and where there are none it goes through all rounds for the other's sake."""
    config = HANDED_OVER.with_(group_m=group_m, resident=resident, cluster=2)
    for workload in (dense(Any("m"), 40, 136, "bfloat16", tail="y + bias[n]"), dense(129, 40, 136, "bfloat16")):
        nest = scheduled_nest(workload, config, SMALL_HOPPER, RELAY)
        verify(nest)
        (relay,) = (s for s in walk(nest.body) if isinstance(s, Relay))
        copies = {s.source.buffer: s.shared for s in walk(relay.fill) if isinstance(s, BulkCopy)}
        assert (relay.cluster, copies) == (2, {"x": False, "w": True})
        for m in (0, 1, 64, 65, 321) if workload.symbols else (129,):
            check(workload, nest, {"m": m} if workload.symbols else {})


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "stores", "dtype"), [(1, 1, "bfloat16"), (2, 2, "bfloat16"), (1, 2, "float32")])
def test_results_that_are_stored_in_boxes(groups: int, stores: int, dtype: str) -> None:
    """Of which the last ones stick out of the output; 128 bytes are 64 columns, or 32 of float32."""
    workload = dense(Any("m"), 104, 136, "bfloat16", tail="y + bias[n]").storing({"y": dtype})
    config = HANDED_OVER.with_(groups=groups, columns=64, resident=1, stores=stores)
    nest = scheduled_nest(workload, config, SMALL_HOPPER, RELAY)
    verify(nest)
    (store,) = (s for s in walk(nest.body) if isinstance(s, Deliver))
    assert (store.buffer, store.stages) == ("y", stores)
    for m in (0, 1, 64, 65, 321):
        check(workload, nest, {"m": m})
    known = dense(320, 104, 136, "bfloat16")  # whole tiles, and a group of four with one of them
    nest = scheduled_nest(known, config.with_(group_m=4), SMALL_HOPPER, RELAY)
    verify(nest)
    assert [len(s.where) for s in walk(nest.body) if isinstance(s, Deliver)] == [1]
    check(known, nest, {})
    nest = scheduled_nest(workload, config, SMALL_HOPPER, RELAY)
    skipped = map_exprs(nest.body, lambda e: e.substitute({"turn": 2 * var("turn")}))
    with pytest.raises(ScheduleError, match=r"(deliver|relay) round .* is \d+ after \d+"):
        check(workload, nest.with_body(skipped), {"m": 321})


@pytest.mark.parametrize(
    ("n", "dtype", "choice"),
    [(45, "bfloat16", {}), (104, "bfloat16", {"columns": 32}), (104, "bfloat16", {"split_k": 2}), (102, "float32", {})],
)
def test_what_no_boxes_hold_is_stored_by_threads(n: int, dtype: str, choice: dict[str, int]) -> None:
    space = RELAY.space(dense(Any("m"), n, 136, "bfloat16").storing({"y": dtype}), HOPPER)
    config = HANDED_OVER.with_(**{"columns": 64, **choice})
    space.check(config)
    with pytest.raises(SpecError, match="boxes are of whole sums"):
        space.check(config.with_(stores=1))


def test_copies_at_once_where_there_are_no_others() -> None:
    workload = dense(Any("m"), 9, 24)
    nest = scheduled_nest(workload, SMALL[SIMT.name].with_(stages=1), TURING, SIMT)
    verify(nest)
    assert not any(isinstance(s, Wait) or (isinstance(s, Copy) and s.later) for s in walk(nest.body))
    check(workload, nest, {"m": 9})


def test_a_number_of_rows_leaves_no_check_that_can_be_known() -> None:
    nest = scheduled_nest(dense(8, 8, 16), SMALL[SIMT.name], HOPPER, SIMT)
    assert " where " not in str(nest)
    assert not any(isinstance(c, Store) for s in walk(nest.body) if isinstance(s, Guard) for c in walk(s.body))
    check(dense(8, 8, 16), nest, {})


def test_one_barrier_for_each_round() -> None:
    nest = scheduled_nest(dense(8, 8, 64), SMALL[SIMT.name], HOPPER, SIMT)
    assert sum(isinstance(s, Barrier) for s in walk(nest.body)) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("t", [SIMT, NARROW, MMA, TF32, RELAY], ids=lambda t: str(t.name))
def test_all_of_a_space_can_be_verified(t: Template) -> None:
    """A sample: every config gives a nest that is provably in bounds, and the default is one of them."""
    workload = dense(Any("m"), 768, 768, _dtype(t), tail="y + bias[n]")
    space = t.space(workload, HOPPER)
    assert t.default(workload, HOPPER) in space
    for config in space.sample(random.Random(1), 4):
        verify(scheduled_nest(workload, config, HOPPER, t))


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_86", "sm_120"])
def test_spaces_follow_what_an_architecture_has(arch: str) -> None:
    target = Target.parse(f"cuda -arch={arch}")
    for t, dtype in ((SIMT, "float32"), (NARROW, "float32"), (MMA, "float16")):
        workload = dense(Any("m"), 768, 768, dtype)
        space = t.space(workload, target)
        assert (len(space) > 0) == (t is not MMA or arch != "sm_75")
        assert arch == "sm_75" or t.default(workload, target) in space


def test_templates_are_chosen_by_dtype_and_rows() -> None:
    def names(workload: Workload) -> list[str]:
        return [t.name for t in templates_for(workload, HOPPER)]

    assert names(dense(4, 768, 768)) == [NARROW.name, SIMT.name]
    assert names(dense(Any("m"), 768, 768)) == [SIMT.name, NARROW.name]
    skinny, groups = "dense.cuda.skinny", "dense.cuda.wgmma"
    assert names(dense(Any("m"), 768, 768, "bfloat16")) == [MMA.name, NARROW.name, RELAY.name, skinny, groups]
    assert names(dense(4, 768, 768, "float16")) == [skinny, NARROW.name, MMA.name, RELAY.name, groups]
    assert names(dense(Any("m"), 768, 764, "float16")) == [MMA.name, NARROW.name, skinny, groups]
    assert RELAY.name not in names(dense(Any("m"), Any("n"), 768, "float16"))
    assert names(dense(Any("m"), 768, 767, "float16")) == [MMA.name, NARROW.name, skinny]
    stacks = "batch_matmul(b=3, m={m}, n=768, k={k}, lhs=mk, rhs=bnk, dtype={dtype})"
    of_stacks = [
        ("4", 768, "float32", ["narrow", "simt"]),
        ("?m", 768, "float32", ["simt", "narrow"]),
        ("4", 768, "bfloat16", ["skinny", "narrow", "simt", "mma", "relay"]),
        ("?m", 768, "bfloat16", ["mma", "simt", "narrow", "relay", "skinny"]),
        ("4", 767, "float16", ["narrow", "simt", "mma", "skinny"]),
    ]
    for m, k, dtype, wanted in of_stacks:
        sizes = {"m": m, "k": k, "dtype": dtype}
        found = [name.removeprefix("batch_matmul.cuda.") for name in names(Workload.parse(stacks.format(**sizes)))]
        assert [name for name in found if name != "nest"] == wanted
    allowed = dense(Any("m"), 768, 768, products="tf32x3")
    assert names(allowed) == [TF32.name, SIMT.name, NARROW.name]
    assert TF32.default(allowed, HOPPER) in TF32.space(allowed, HOPPER)
    assert not len(TF32.space(allowed, TURING))


def test_what_a_space_leaves_out_says_why() -> None:
    workload = dense(Any("m"), 768, 768)
    config = SIMT.default(workload, HOPPER).with_(tile_m=8, tile_n=8, warps_m=4, warps_n=4)
    with pytest.raises(SpecError, match="violates"):
        SIMT.space(workload, HOPPER).check(config)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "rests": (
        lambda: scheduled_nest(dense(4, 8, 16), SMALL[SIMT.name], HOPPER, SIMT, (1, 1)),
        "rests 1..1 of a dimension that is a number",
    ),
    "residues": (
        lambda: scheduled_nest(dense(Any("m"), 8, 16), SMALL[SIMT.name], HOPPER, SIMT, (3, 8)),
        "residues 3..8 of a tile of 8",
    ),
}


@pytest.mark.parametrize("name", ["rests", "residues"])
def test_refused_in_one_line(name: str) -> None:
    make, reason = REFUSED[name]
    with pytest.raises(ScheduleError, match=reason) as caught:
        make()
    assert "\n" not in str(caught.value)

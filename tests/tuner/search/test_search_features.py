"""The loop nest's features: right where they can be counted by hand, for every config of a template, and cheap."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.schedules.hardware.cpu import CpuFacts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import (
    Alloc,
    Buffer,
    Cast,
    Guard,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Op,
    Scope,
    Stmt,
    Store,
    Symbol,
    Update,
    block,
)
from anytile.schedules.nest.nodes import Literal as Number
from anytile.schedules.operators import OPERATORS
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.search.features import NAMES, features_of, nest_features
from anytile.tuner.search.tally import Tally, count
from tests.support.generators.random_workloads import workloads
from tests.support.processor_time import cpu_time

CPU = CpuFacts("x86_64", 512, 32, True, 32 << 10, 1 << 20, 16 << 20)


def product(order: tuple[str, ...], m: int = 64, n: int = 128, k: int = 256) -> LoopNest:
    """A plain y[i, j] += x[i, p] * w[p, j], j in vectors of 16."""
    i, j, p = var("i"), var("jo") * 16 + var("jv"), var("p")
    value = Op("mul", (Load("x", (i, p)), Load("w", (p, j))))
    body: Stmt = Loop("jv", const(16), LoopKind.VECTOR, Update("y", (i, j), value))
    extents = {"i": var("m"), "jo": const(n // 16), "p": const(k)}
    for name in reversed(order):
        body = Loop(name, extents[name], LoopKind.SERIAL, body)
    params = (
        Buffer("x", (var("m"), const(k))),
        Buffer("w", (const(k), const(n))),
        Buffer("y", (var("m"), const(n)), output=True),
    )
    return LoopNest("plain", params, (Symbol("m"),), body)


def named(nest: LoopNest, m: int = 64, flops: int = 2 * 64 * 128 * 256) -> dict[str, float]:
    return dict(zip(NAMES, nest_features(nest, {"m": m}, CPU, flops), strict=True))


def test_work_is_counted_at_the_point() -> None:
    row = named(product(("i", "jo", "p")))
    assert row["work"] == pytest.approx(math.log2(64 * 128 * 256 + 1))
    assert row["waste"] == 1.0
    assert named(product(("i", "jo", "p")), m=32)["waste"] == 0.5
    assert row["loads_per_update"] == 2.0
    assert row["stores_per_update"] == 1.0


def test_trips_and_footprints_go_outwards() -> None:
    row = named(product(("i", "jo", "p")))
    assert [round(2 ** row[f"trips_{d}"] - 1) for d in range(4)] == [16, 256, 8, 64]
    inner = 2 ** row["footprint_0"] - 1
    assert inner == pytest.approx(4 * (16 + 16 + 16))  # a line of each
    whole = 2 ** row["footprint_3"] - 1
    assert whole == pytest.approx(4 * (64 * 256 + 256 * 128 + 64 * 128))
    assert row["trips_5"] == row["footprint_5"] == 0.0


def test_a_loop_order_that_reuses_a_cache_has_less_traffic() -> None:
    good, bad = named(product(("jo", "i", "p"))), named(product(("i", "p", "jo"), k=256))
    assert good["l1_traffic"] < bad["l1_traffic"]
    assert good["l3_traffic"] == bad["l3_traffic"]


def test_unrolling_costs_code_and_registers_are_counted() -> None:
    acc = Buffer("acc", (const(8), const(3), const(16)), Scope.REGISTER)
    here = (var("a"), var("b"), var("v"))

    def tile(s: Stmt) -> Stmt:
        inner = Loop("b", const(3), LoopKind.UNROLLED, Loop("v", const(16), LoopKind.VECTOR, s))
        return Loop("a", const(8), LoopKind.UNROLLED, inner)

    update = Update(
        "acc", here, Op("mul", (Load("x", (var("a"), var("p"))), Load("w", (var("p"), var("b"), var("v")))))
    )
    body = block(tile(Store("acc", here, Number(0.0))), Loop("p", const(64), LoopKind.SERIAL, tile(update)))
    params = (Buffer("x", (const(8), const(64))), Buffer("w", (const(64), const(3), const(16))))
    row = dict(
        zip(NAMES, nest_features(LoopNest("tile", params, (), Alloc(acc, body)), {}, CPU, 2 * 8 * 48 * 64), strict=True)
    )
    assert row["registers"] == 24
    assert row["register_share"] == 0.75
    assert row["code"] == pytest.approx(math.log2(48 + 1))
    assert row["inner_code"] == pytest.approx(math.log2(24 + 1))
    # x is loaded once per row and kept for three columns, w once per column for eight rows.
    assert row["loads_per_update"] == pytest.approx(1 / 3 + 1 / 8)
    assert row["rounds_per_update"] == pytest.approx(1 / 24)


def test_the_terms_of_a_word_are_one_instruction_and_words_are_several() -> None:
    """acc[v] += x[p, s, r] * w[p, s, v, r], of 8 rounds of three words of four terms each."""
    product = Op("mul", tuple(Cast("int32", load) for load in (
        Load("x", (var("p"), var("s"), var("r"))), Load("w", (var("p"), var("s"), var("v"), var("r"))))))  # fmt: skip
    body: Stmt = Update("acc", (var("v"),), product)
    for name, extent, kind in (
        ("r", 4, LoopKind.DOT), ("s", 3, LoopKind.DOT), ("v", 16, LoopKind.VECTOR), ("p", 8, LoopKind.SERIAL),
    ):  # fmt: skip
        body = Loop(name, const(extent), kind, body)
    params = (
        Buffer("x", (const(8), const(3), const(4)), dtype="int8"),
        Buffer("w", (const(8), const(3), const(16), const(4)), dtype="uint8"),
    )
    acc = Buffer("acc", (const(16),), Scope.REGISTER, "int32")
    nest = LoopNest("words", params, (), Alloc(acc, body))
    row = dict(zip(NAMES, nest_features(nest, {}, CPU, 2 * 8 * 3 * 16 * 4), strict=True))
    assert row["work"] == pytest.approx(math.log2(8 * 3 * 16 * 4 + 1))
    assert row["waste"] == 1.0
    assert row["rounds_per_update"] == pytest.approx(1 / 3)
    assert row["inner_code"] == pytest.approx(math.log2(3 + 1))
    inner = 2 ** row["footprint_0"] - 1
    assert inner == pytest.approx(64 + 64)  # a line of each: a byte is a byte


@pytest.mark.slow
def test_every_config_of_the_dense_template_has_features() -> None:
    workload, target = dense(Any("m"), 301, 77), Target.host(1)
    dense_cpu = template("dense.cpu")
    features = features_of(dense_cpu, workload, target, {"m": 17})
    rows = {features(c) for c in dense_cpu.space(workload, target).sample(random.Random(0), 40)}
    assert all(len(row) == len(NAMES) and all(map(math.isfinite, row)) for row in rows)
    assert len(rows) > 30
    assert all(row[NAMES.index("waste")] >= 0.99 for row in rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("op", OPERATORS)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_configs_of_every_template_have_features_at_any_size(op: str, data: st.DataObject) -> None:
    workload, sizes = data.draw(workloads(op))
    target = Target.host(1)
    chosen = data.draw(st.sampled_from(templates_for(workload, target)))
    features = features_of(chosen, workload, target, sizes)
    for config in chosen.space(workload, target).sample(random.Random(data.draw(st.integers(0, 99))), 3):
        assert all(map(math.isfinite, features(config)))


def test_a_guard_in_a_loop_without_rounds_holds_never() -> None:
    y = Buffer("y", (var("m"),), output=True)
    late = Guard((var("i") - 1,), Store("y", (var("i"),), Number(0.0)))
    body = block(Loop("i", var("m") // 128, LoopKind.SERIAL, late), Loop("i", var("m"), LoopKind.SERIAL, late))
    nest = LoopNest("rests", (y,), (Symbol("m"),), body)
    tally = Tally()
    count(nest.body, (), 1.0, {"m": 64}, {"y": y}, tally, CPU.lanes)
    assert [(a.loops[-1].trips, a.times) for a in tally.stores] == [(0, 0.0), (64, 63.0)]


def test_the_last_tile_is_known() -> None:
    workload, target = dense(Any("m"), 768, 768, const=("w",)), Target.host(1)
    dense_cpu = template("dense.cpu")
    config = dense_cpu.default(workload, target)
    tile = dense_cpu.tile(config)
    row = dict(zip(NAMES, features_of(dense_cpu, workload, target, {"m": 2 * tile + 1})(config), strict=True))
    assert (row["tile"], row["full_tiles"], row["residue_share"]) == (tile, 2, 1 / tile)


def test_features_are_cheap_and_remembered() -> None:
    workload, target = dense(Any("m"), 768, 768, const=("w",)), Target.host(1)
    dense_cpu = template("dense.cpu")
    configs = dense_cpu.space(workload, target).sample(random.Random(1), 20)
    features = features_of(dense_cpu, workload, target, {"m": 64})

    def seconds_each() -> float:
        taken = []
        for config in configs:
            with cpu_time() as took:
                features(config)
            taken.append(took.seconds)
        return statistics.median(taken)

    assert seconds_each() < 0.02  # 2 to 4 ms; ten times that is a defect
    assert seconds_each() < 0.00025

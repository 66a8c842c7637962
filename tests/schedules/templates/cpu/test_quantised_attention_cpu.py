"""Attention of integers: at rests of every tile, in every order, by its nest and its code, and its integers again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.build import compile_plan, source
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.verify import verify
from anytile.schedules.operators.spec import Array
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import SSE, TEAM, check, inputs_of, interpreted, walled

KERNEL = template("quantised_attention.cpu")
HOST = Target.host(1)
PLAIN = "b=?b, h=2, m=?m, n=?n, d=8, e=12"
ODD = "b=?b, h=2, m=?m, n=?n, d=9, e=7, shared=2"
SHAPES = (
    PLAIN,
    f"{PLAIN}, causal=yes",
    f"{ODD}, q=bmhd, k=bngd, v=bnge, y=bmhe, mask=mn",
    f"{ODD}, q=hbdm, k=dgbn, v=negb, y=hemb, mask=hmbn, keeps=yes, causal=yes, lengths=yes",
)


def given(workload: Workload, symbols: dict[str, int]) -> dict[str, Array]:
    """Operands whose scores are of the size of numbers that a softmax sees."""
    return inputs_of(workload, symbols) | {
        "by": np.array([2e-4], np.float32),
        "factor": np.array([0.6], np.float32),
        "summand": np.array([130.0], np.float32),
    }


def nest_is_right(workload: Workload, target: Target, config: Config, symbols: dict[str, int]) -> None:
    nest, inputs = KERNEL.schedule(workload, target, config).nest, given(workload, symbols)
    verify(nest)
    check(workload, interpreted(nest, inputs, symbols), inputs, f"{config}, {symbols}")


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_nest_means_the_reference_at_every_rest(shape: str) -> None:
    workload = Workload.parse(f"quantised_attention({shape})")
    config = KERNEL.default(workload, SSE).with_(rows=4, keys=2, columns=2)
    for m, n in ((0, 3), (3, 0), (1, 1), (4, 5), (7, 8), (11, 9)):
        nest_is_right(workload, SSE, config, {"b": 2, "m": m, "n": n})


@pytest.mark.slow
def test_every_config_is_right() -> None:
    workload = Workload.parse(f"quantised_attention({PLAIN}, causal=yes)")
    space = KERNEL.space(workload, TEAM)
    assert KERNEL.default(workload, TEAM) in space
    for config in list(space)[::9]:
        nest_is_right(workload, TEAM, config, {"b": 1, "m": 7, "n": 9})


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_code_stays_within_what_it_is_given(shape: str) -> None:
    workload = Workload.parse(f"quantised_attention({shape})")
    loaded = Loaded(compile_plan(single_plan(workload, HOST, KERNEL.name, KERNEL.default(workload, HOST))))
    for m, n in itertools.product((0, 1, 2, 5, 12, 13, 31), (0, 1, 7, 16, 33, 101)):
        symbols = {"b": 2, "m": m, "n": n}
        inputs = given(workload, symbols)
        check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols)


def test_weights_are_nearest_and_products_one_instruction() -> None:
    """Beside a weight at a half there is nothing that may be off."""
    workload = Workload.parse("quantised_attention(b=1, h=1, m=?m, n=?n, d=8, e=16, out=uint8)")
    plan = single_plan(workload, HOST, KERNEL.name, KERNEL.default(workload, HOST))
    loaded, symbols = Loaded(compile_plan(plan)), {"m": 13, "n": 37}
    inputs = given(workload, symbols)
    got, wanted = walled(loaded, workload, inputs, symbols)["y"], evaluate(workload, inputs)["y"]
    off = np.abs(got.astype(np.int64) - wanted)
    assert off.max() <= 1
    assert (off > 0).mean() < 0.02
    assert wanted.std() > 5
    assert workload.anchor.attributes["out"] == "float32"  # what was tuned of one is for both
    if narrow_facts(HOST).bytes and facts(HOST).triple.startswith("x86"):
        assert "vpdpbusd" in source(plan, form="asm")


def test_a_query_that_sees_nothing_gets_the_zero_point() -> None:
    workload = Workload.parse("quantised_attention(b=1, h=1, m=3, n=?n, d=4, e=4, mask=mn, keeps=yes, out=uint8)")
    loaded = Loaded(compile_plan(single_plan(workload, HOST, KERNEL.name, KERNEL.default(workload, HOST))))
    symbols = {"n": 5}
    inputs = given(workload, symbols) | {"mask": np.arange(15).reshape(3, 5) >= 5}
    got = walled(loaded, workload, inputs, symbols)["y"]
    assert (got[0, 0, 0] == 130).all()
    assert (got[0, 0, 1:] != 130).any()

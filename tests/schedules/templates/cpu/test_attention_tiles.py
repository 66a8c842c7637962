"""Attention in blocks of queries: at every rest of a block, in every order, config by config, by its nest and its code.

The nest of a CPU of 4 lanes is interpreted, and the machine code of this one runs between walls.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import SSE, TEAM, check, inputs_of, interpreted, walled

TILES = template("attention_tiles.cpu")
PLAIN = "b=?b, h=2, m=?m, n=?n, d=8, e=12, scale=0.25"
ODD = "b=?b, h=2, m=?m, n=?n, d=9, e=7, scale=0.3, shared=2"
HEADS = f"{ODD}, q=bmhd, k=bngd, v=bnge, y=bmhe"
SHAPES = (
    PLAIN,
    f"{PLAIN}, causal=yes",
    f"{HEADS}, mask=mn, guard=none",
    f"{HEADS}, mask=hmbn, keeps=yes, causal=yes, lengths=yes, guard=nan",
    f"{ODD}, lengths=yes, q=hbdm, k=dgbn, v=negb, y=hemb, dtype=bfloat16",
    f"{HEADS}, mask=mn, stored=k:bfloat16+v:bfloat16",
    f"{ODD}, lengths=yes, q=hbdm, k=dgbn, v=negb, y=hemb, stored=k:float16+q:float16+v:float16",
)
SMALL = {"vectors": 2, "keys": 2, "rows": 3, "columns": 2, "steps": 2}


def nest_is_right(workload: Workload, target: Target, config: Config, symbols: dict[str, int]) -> None:
    nest = TILES.schedule(workload, target, config).nest
    inputs = inputs_of(workload, symbols)
    check(workload, interpreted(nest, inputs, symbols), inputs, f"{config}, {symbols}", 4e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_nest_means_the_reference_at_every_rest(shape: str) -> None:
    workload = Workload.parse(f"attention({shape})")
    config = TILES.default(workload, SSE).with_(**SMALL)
    for m, n in ((0, 3), (3, 0), (1, 1), (4, 5), (5, 3), (7, 7), (8, 9), (11, 20)):
        nest_is_right(workload, SSE, config, {"b": 2, "m": m, "n": n})


@pytest.mark.slow
def test_every_config_is_right() -> None:
    workload = Workload.parse(f"attention({PLAIN}, causal=yes)")
    space = TILES.space(workload, TEAM)
    assert TILES.default(workload, TEAM) in space
    grains = sorted({config.int("grain") for config in space})[:2]  # none and one: another is another number
    for config in [c for c in space if c.int("grain") in grains][::40]:
        nest_is_right(workload, TEAM, config, {"b": 1, "m": 9, "n": 11})


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_code_stays_within_what_it_is_given(shape: str) -> None:
    target = Target.host(1)
    workload = Workload.parse(f"attention({shape})")
    loaded = Loaded(compile_plan(single_plan(workload, target, TILES.name, TILES.default(workload, target))))
    for m, n in itertools.product((0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 48, 49, 101), (0, 1, 7, 8, 9, 48, 101)):
        symbols = {"b": 2, "m": m, "n": n}
        inputs = inputs_of(workload, symbols)
        check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols, 4e-6)


def test_what_a_query_does_not_see_is_never_read() -> None:
    """Keys and values behind the last query's place may be no numbers."""
    workload = Workload.parse("attention(b=1, h=1, m=?m, n=?n, d=4, e=4, lengths=yes)")
    config = TILES.default(workload, SSE).with_(**SMALL)
    symbols = {"m": 5, "n": 9}
    inputs = inputs_of(workload, symbols) | {"length": np.array([6])}
    inputs["k"][:, :, 6:] = inputs["v"][:, :, 6:] = np.nan
    got = interpreted(TILES.schedule(workload, SSE, config).nest, inputs, symbols)
    check(workload, got, inputs, symbols, 4e-6)
    assert np.isfinite(got["y"]).all()


@pytest.mark.parametrize("name", ["attention.cpu", TILES.name])
@pytest.mark.parametrize(("guard", "wanted"), [("empty", np.nan), ("nan", 0.0)])
def test_a_query_that_is_no_number(name: str, guard: str, wanted: float) -> None:
    workload = Workload.parse(f"attention(b=1, h=1, m=?m, n=?n, d=4, e=4, guard={guard})")
    used, symbols = template(name), {"m": 3, "n": 5}
    inputs = inputs_of(workload, symbols)
    inputs["q"][0, 0, 1] = np.nan
    got = interpreted(used.schedule(workload, SSE, used.default(workload, SSE)).nest, inputs, symbols)
    check(workload, got, inputs, symbols, 4e-6)
    np.testing.assert_array_equal(got["y"][0, 0, 1], np.full(4, wanted, np.float32))


@pytest.mark.parametrize("name", ["attention.cpu", TILES.name])
@pytest.mark.parametrize(("guard", "wanted"), [("empty", 0.0), ("nan", 0.0), ("none", np.nan)])
def test_a_query_whose_keys_a_mask_hides(name: str, guard: str, wanted: float) -> None:
    """As a softmax has it, if nothing is spared; where there is no key at all a product of weights is 0."""
    workload = Workload.parse(f"attention(b=1, h=1, m=?m, n=?n, d=4, e=4, mask=mn, guard={guard})")
    used = template(name)
    nest = used.schedule(workload, SSE, used.default(workload, SSE)).nest
    for m, n, row in ((3, 5, wanted), (9, 2, wanted), (3, 0, 0.0)):
        symbols = {"m": m, "n": n}
        inputs = inputs_of(workload, symbols)
        inputs["mask"][1] = -np.inf
        got = interpreted(nest, inputs, symbols)
        check(workload, got, inputs, symbols, 4e-6)
        np.testing.assert_array_equal(got["y"][0, 0, 1], np.full(4, row, np.float32))
        assert np.isfinite(got["y"][0, 0, 2]).all()


def test_one_query_alone_is_the_other_templates() -> None:
    def first(m: str) -> str:
        workload = Workload.parse(f"attention(b=1, h=2, m={m}, n=?n, d=8, e=8)")
        return templates_for(workload, SSE)[0].name

    assert [first(m) for m in ("1", "2", "?m")] == ["attention.cpu", TILES.name, TILES.name]


@pytest.mark.parametrize(("cpu", "causal", "usual"), [("znver4", 1, 3), ("haswell", 2, 3), ("nehalem", 3, 3)])
def test_a_causal_block_has_few_queries(cpu: str, causal: int, usual: int) -> None:
    """Keys that the last of them alone sees are in vain for all others."""
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    found = []
    for attrs in (", causal=yes", ""):
        workload = Workload.parse(f"attention(b=1, h=2, m=?m, n=?m, d=64, e=64{attrs})")
        config = TILES.default(workload, target)
        TILES.space(workload, target).check(config)
        found.append((config["vectors"], config["steps"]))
    assert found == [(causal, 4), (usual, 1)]

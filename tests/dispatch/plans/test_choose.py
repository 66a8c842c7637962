"""Choosing: the best portfolio, found exactly, said in words, inside the code budget, the same every time."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.dispatch.plans import portfolio as portfolio_module
from anytile.dispatch.plans.choose import choose_plan, choose_portfolio
from anytile.dispatch.plans.matrix import Matrix, Row
from anytile.dispatch.plans.profile import Profile
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
T = Target.parse("llvm -mcpu=znver4")
W = dense(Any("m"), 768, 768, const=("w",))


def of(
    medians: list[list[float]], sizes: tuple[int, ...] | None = None, code: float = 10_000.0, tile: int = 8
) -> Matrix:
    sizes = SIZES[: len(medians[0])] if sizes is None else sizes
    rows = tuple(Row("dense.cpu", Config.of(tile_m=tile, n=i), tile, code) for i in range(len(medians)))
    samples = tuple(tuple(() if math.isnan(s) else (s, s, s) for s in row) for row in medians)
    return Matrix(sizes, rows, samples)


def price(matrix: Matrix, rows: tuple[int, ...]) -> float:
    return float((1 + portfolio_module.LAYOUT_GAIN) ** (len({matrix.rows[i].layouts for i in rows}) - 1))


def best_by_trying(matrix: Matrix, count: int, objective: str) -> float:
    """What the best set loses, and pays for its layouts."""
    logs = np.log(np.where(np.isnan(matrix.medians), np.inf, matrix.medians) / matrix.best)
    share = matrix.weight_vector() / matrix.weight_vector().sum()
    found = []
    for size in range(1, count + 1):
        for rows in itertools.combinations(range(len(matrix.rows)), min(size, len(matrix.rows))):
            least = logs[list(rows)].min(axis=0)
            lost = float(least @ share) if objective == "geomean" else float(least.max())
            found.append(math.exp(lost) * price(matrix, rows))
    return min(found)


def laid(matrix: Matrix, layouts: str) -> Matrix:
    """The matrix with a layout of constants, a letter, for each row."""
    return replace(matrix, rows=tuple(replace(r, layouts=x) for r, x in zip(matrix.rows, layouts, strict=False)))


matrices = st.integers(2, 6).flatmap(
    lambda sizes: st.builds(
        lambda medians, layouts: laid(of(medians), layouts),
        st.lists(st.lists(st.floats(1e-6, 4e-6), min_size=sizes, max_size=sizes), min_size=1, max_size=7),
        st.one_of(st.just("a" * 7), st.text("abc", min_size=7, max_size=7)),
    )
)


@pytest.mark.sampled(0)
@given(matrix=matrices, count=st.integers(1, 4), objective=st.sampled_from(["geomean", "regret"]))
def test_no_other_portfolio_is_better_by_more_than_a_member_must_gain(
    matrix: Matrix, count: int, objective: str
) -> None:
    choice = choose_portfolio(matrix, count, objective)
    best = best_by_trying(matrix, count, objective)
    reached = (choice.geomean if objective == "geomean" else choice.worst) * price(matrix, choice.rows)
    assert reached >= best - 1e-9
    if len(choice.rows) == count:
        tie = math.exp(portfolio_module.TIE) if objective == "geomean" else 1.0
        assert reached <= best * tie * (1 + 1e-9)
    assert choice == choose_portfolio(matrix, count, objective)


@pytest.mark.sampled(0)
@given(matrix=matrices)
def test_extending_and_swapping_stays_between_one_row_and_the_best(matrix: Matrix) -> None:
    single = choose_portfolio(matrix, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portfolio_module, "EXACT_SETS", 0)
        greedy = choose_portfolio(matrix, 3)
    reached = greedy.geomean * price(matrix, greedy.rows)
    assert best_by_trying(matrix, 3, "geomean") - 1e-9 <= reached <= single.geomean + 1e-9
    assert len(greedy.rows) <= 3


def test_ties_fall_to_the_first_row() -> None:
    same = [1e-6, 2e-6, 3e-6]
    assert choose_portfolio(of([same, same, same]), 3).rows == (0,)


def test_of_what_is_as_good_on_average_the_one_without_a_slow_size_is_taken() -> None:
    uneven = [1.0, 1.0, 1.0, 1.04]
    even = [1.0101, 1.0101, 1.0101, 1.0101]
    clearly_better = [1.0, 1.0, 1.0, 1.02]
    assert choose_portfolio(of([uneven, even]), 1).rows == (1,)
    assert choose_portfolio(of([clearly_better, even]), 1).rows == (0,)


def test_one_more_variant_must_gain_something() -> None:
    matrix = of([[1.0, 1.0, 1.0, 1.001], [2.0, 2.0, 2.0, 1.0]])
    choice = choose_portfolio(matrix, 2)
    assert choice.rows == (0,)
    assert "would gain only 0.02%" in choice.decisions[-1]


def test_a_member_that_reads_constants_in_another_layout_must_gain_more() -> None:
    two = of([[1.0, 1.0, 1.0, 1.1], [2.0, 2.0, 2.0, 1.0], [2.0, 2.0, 2.0, 1.02]])
    assert choose_portfolio(laid(two, "aaa"), 2).rows == (0, 1)
    assert choose_portfolio(laid(two, "aba"), 2).rows == (0, 2)
    alone = choose_portfolio(laid(two, "abb"), 2)
    assert alone.rows == (0,)
    assert alone.decisions[-1] == (
        "2 variants would gain only 2.41% over 1, and read constants in one more layout, so 1 it is"
    )
    much = of([[1.0, 1.0, 1.0, 1.3], [2.0, 2.0, 2.0, 1.0]])
    assert choose_portfolio(laid(much, "ab"), 2).rows == (0, 1)


def test_weights_move_the_choice() -> None:
    matrix = of([[1.0, 4.0], [2.0, 1.0]])
    assert choose_portfolio(matrix, 1).rows == (1,)
    assert choose_portfolio(replace(matrix, weights={1: 9.0, 2: 1.0}), 1).rows == (0,)


def test_regret_minds_the_worst_size() -> None:
    matrix = of([[1.0, 1.0, 1.0, 3.0], [1.5, 1.5, 1.5, 1.0]])
    assert choose_portfolio(matrix, 1, "geomean").rows == (0,)
    regretful = choose_portfolio(matrix, 1, "regret")
    assert (regretful.rows, regretful.worst_at) == ((1,), 1)


def test_a_config_with_a_hole_is_not_chosen_alone() -> None:
    matrix = of([[1.0, 1.0, math.nan], [2.0, 2.0, 2.0]])
    assert choose_portfolio(matrix, 1).rows == (1,)
    assert choose_portfolio(matrix, 2).rows == (0, 1)


def test_an_empty_matrix_and_senseless_wishes_are_refused() -> None:
    with pytest.raises(SpecError, match="nothing was measured"):
        choose_portfolio(of([[math.nan, math.nan]]))
    with pytest.raises(SpecError, match="at least 1"):
        choose_portfolio(of([[1.0]]), 0)
    with pytest.raises(SpecError, match="objective"):
        choose_portfolio(of([[1.0]]), 1, "hope")


def kernel_time(m: int, tile: int, per_row: float) -> float:
    return 1e-6 + math.ceil(m / tile) * tile * per_row


def tiled(rows: int, vectors: int, unroll: int) -> Config:
    """A config that the template can schedule."""
    return Config.of(
        w="panels", tile_m=rows, tile_n=vectors, unroll_k=unroll, block_k=0, block_n=1, prefetch=0, locality="near"
    )


def two_tiles() -> Matrix:
    """A small tile that wins at small sizes, a large one that wins at large ones."""
    sizes = SIZES
    small = [kernel_time(m, 2, 1.3e-7) for m in sizes]
    large = [kernel_time(m, 8, 1.0e-7) for m in sizes]
    rows = (Row("dense.cpu", tiled(2, 4, 2), 2, 4000.0), Row("dense.cpu", tiled(8, 2, 2), 8, 20_000.0))
    return Matrix(sizes, rows, tuple(tuple((s,) * 3 for s in row) for row in (small, large)))


def dense_profile(library: float | None = None) -> Profile:
    sizes = range(1, 257)
    variants = [{m: [kernel_time(m, t, c)] for m in sizes} for t, c in ((2, 1.3e-7), (8, 1.0e-7))]
    libraries = {"blas": {m: [library * kernel_time(m, 8, 1e-7)] for m in sizes}} if library else {}
    return Profile.of(variants, [2, 8], libraries, noise=0.02)


def test_a_plan_has_ranges_classes_regret_and_reasons() -> None:
    plan = choose_plan(W, T, two_tiles(), dense_profile())
    assert plan.symbol == "m"
    assert [v.config.int("tile_m") for v in plan.variants] == [2, 8]
    assert plan.variants[1].classes == tuple((r, r) for r in range(8))
    assert plan.range_at(1).runs == 0
    assert plan.range_at(256).runs == 1
    assert plan.notes["regret"]["geomean"] < 1.02
    assert plan.notes["decisions"]
    assert plan == DispatchPlan.from_json(plan.to_json())
    assert plan.to_json() == choose_plan(W, T, two_tiles(), dense_profile()).to_json()


def test_without_a_profile_the_matrix_must_do() -> None:
    plan = choose_plan(W, T, two_tiles())
    assert plan.range_at(256).runs == plan.range_at(128).runs
    assert any("no dense profile" in d for d in plan.notes["decisions"])


def test_a_library_gets_the_ranges_it_wins_and_variants_that_run_nowhere_go() -> None:
    plan = choose_plan(W, T, two_tiles(), dense_profile(library=0.5))
    assert [r.runs for r in plan.ranges] == ["blas"]
    assert len(plan.variants) == 1  # for machines without the library
    assert any("wins nowhere" in d for d in plan.notes["decisions"])


def test_a_code_budget_merges_classes_then_gives_variants_up() -> None:
    roomy = choose_plan(W, T, two_tiles(), dense_profile(), code_budget=24_000)
    assert [len(v.classes) for v in roomy.variants] == [2, 8]
    merged = choose_plan(W, T, two_tiles(), dense_profile(), code_budget=18_000)
    assert len(merged.variants) == 2
    assert sum(len(v.classes) for v in merged.variants) < 10
    assert merged.notes["code_bytes"] <= 18_000
    single = choose_plan(W, T, two_tiles(), dense_profile(), code_budget=5_000)
    assert len(single.variants) == 1
    assert single.notes["code_bytes"] <= 5_000
    assert any("gave up" in d for d in single.notes["decisions"])


def rowwise(config: Config) -> tuple[Matrix, Profile]:
    """One variant of tile 8 that pays for every row it computes, for two rows at least."""
    seconds = {m: 1e-7 * (m + (m % 8 == 1)) for m in range(1, 257)}
    matrix = Matrix(SIZES, (Row("dense.cpu", config, 8, 20_000.0),), (tuple((seconds[m],) * 3 for m in SIZES),))
    return matrix, Profile.of([{m: [s] for m, s in seconds.items()}], [8], noise=0.02)


def test_under_a_tight_budget_every_row_is_guarded_where_classes_lose_more() -> None:
    plan = choose_plan(W, T, *rowwise(tiled(8, 2, 2)), code_budget=4_000)
    assert plan.variants[0].mode == "none"
    assert plan.notes["code_bytes"] <= 4_000
    assert any("dispatch/8 to none" in d for d in plan.notes["decisions"])
    assert any("guarding every row should lose at most 0%" in d for d in plan.notes["decisions"])
    assert plan == choose_plan(W, T, *rowwise(tiled(8, 2, 2)), code_budget=4_000)
    assert choose_plan(W, T, *rowwise(tiled(8, 2, 2))).variants[0].mode == "dispatch/8"


def test_classes_are_merged_where_guarding_every_row_loses_more() -> None:
    # Eight steps of k hold 16 vectors across the branches: 16 + 16 + 8 registers, and `none` loses 60 %.
    plan = choose_plan(W, T, *rowwise(tiled(8, 2, 8)), code_budget=12_000)
    assert 1 < len(plan.variants[0].classes) < 8
    roomy = choose_plan(W, T, *rowwise(tiled(8, 2, 2)), code_budget=12_000)
    assert roomy.variants[0].mode == "none"


def test_a_guarded_variant_is_weighed_with_what_it_loses() -> None:
    def seconds(config: Config, budget: int | None) -> dict[int, float]:
        plan = choose_plan(W, T, *rowwise(config), code_budget=budget)
        recorded = plan.notes["profile"]
        return dict(zip(recorded["sizes"], recorded["us"]["0"], strict=True))

    exact, guarded = seconds(tiled(8, 3, 4), None), seconds(tiled(8, 3, 4), 4_000)
    assert all(guarded[m] > 1.5 * exact[m] for m in exact)


def test_a_budget_that_cannot_be_met_is_said() -> None:
    plan = choose_plan(W, T, two_tiles(), dense_profile(), code_budget=10)
    assert any("cannot be met" in d for d in plan.notes["decisions"])
    assert plan.range_at(7).runs == 0


def test_a_budget_without_known_sizes_is_said() -> None:
    matrix = two_tiles()
    matrix = replace(matrix, rows=tuple(replace(r, code_bytes=0.0) for r in matrix.rows))
    plan = choose_plan(W, T, matrix, dense_profile(), code_budget=10)
    assert any("not known" in d for d in plan.notes["decisions"])


def test_a_profile_of_other_variants_is_refused() -> None:
    lonely = Profile.of([{1: [1.0]}], [8])
    with pytest.raises(SpecError, match="2 chosen variants"):
        choose_plan(W, T, two_tiles(), lonely)


def test_a_concrete_workload_runs_the_fastest_thing() -> None:
    matrix = of([[3.0], [1.0]], sizes=(1,))
    plan = choose_plan(dense(64, 768, 768), T, matrix)
    assert plan.symbol is None
    assert plan.variants[0].config.int("n") == 1
    assert (plan.variants[0].tile, plan.variants[0].classes) == (1, ())
    with_library = Profile.of([{1: [1.0]}], [1], {"blas": {1: [0.5]}})
    plan = choose_plan(dense(64, 768, 768), T, matrix, with_library)
    assert plan.ranges[0].runs == "blas"
    assert "took 2.00x as long" in plan.ranges[0].because
    hardly = Profile.of([{1: [1.0]}], [1], {"blas": {1: [0.97]}}, noise=0.05)
    assert choose_plan(dense(64, 768, 768), T, matrix, hardly).ranges[0].runs == 0


def test_notes_are_plain_json() -> None:
    plan = choose_plan(W, T, two_tiles(), dense_profile(library=0.9))
    assert json.loads(json.dumps(plan.notes)) == plan.notes

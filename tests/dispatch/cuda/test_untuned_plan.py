"""Plans that nobody tuned: by rows, from an estimate, right at every size, and with a workspace that has an end."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.codegen.cuda.launch import Launch
from anytile.core.errors import UnsupportedError
from anytile.db.lookup.ladder import Rung
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda.beyond import UNSPLIT, along_x_beyond, is_split, unsplit_beyond
from anytile.dispatch.cuda.build import Compiler, compile_plan
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.untuned import VARIANTS, untuned_plan
from anytile.dispatch.service import look_up, plan_of
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, default_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.cuda.untuned import estimated, estimates
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.handwritten_cuda import no_compiler
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

HOPPER = Target.parse("cuda -arch=sm_90a")
LAYERS = [(n, k, dtype) for n, k in ((768, 768), (3072, 768), (768, 3072)) for dtype in ("float32", "bfloat16")]


def serving(plan: DispatchPlan, size: int) -> Variant:
    runs = plan.range_at(size).runs
    assert isinstance(runs, int)
    return plan.variants[runs]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "dtype"), [(768, 768, "float32"), (4096, 4096, "bfloat16")])
def test_its_kernels_are_registers(n: int, k: int, dtype: str) -> None:
    try:
        facts = compile_plan(untuned_plan(dense(Any("m"), n, k, dtype), HOPPER), compiler=Compiler()).facts
    except UnsupportedError as error:
        pytest.skip(f"nvrtc: {error}")
    assert facts["in_memory"] == facts["serialised"] == 0
    assert CudaBackend().hopeless(facts) is None


@pytest.mark.parametrize(("n", "k", "dtype"), LAYERS)
def test_few_rows_stream_the_weight_and_many_fill_tiles(n: int, k: int, dtype: str) -> None:
    plan = untuned_plan(dense(Any("m"), n, k, dtype), HOPPER)
    assert 2 <= len(plan.variants) <= VARIANTS
    few, more, large = ({"narrow"}, "simt", "simt") if dtype == "float32" else ({"narrow", "skinny"}, "skinny", "mma")
    assert {serving(plan, m).template for m in range(1, 17)} <= {f"dense.cuda.{name}" for name in few}
    assert {serving(plan, m).template for m in (17, 32)} == {f"dense.cuda.{more}"}
    assert {serving(plan, m).template for m in (33, 64, 256, 5000)} == {f"dense.cuda.{large}"}
    assert serving(plan, 64).tile <= serving(plan, 5000).tile
    for variant in plan.variants:
        template(variant.template).space(plan.workload, HOPPER).check(variant.config)
    assert "by an estimate" in plan.ranges[0].because


def estimate(plan: DispatchPlan, rows: int) -> float:
    """Clocks of what serves so many rows."""
    variant = serving(plan, rows)
    found = template(variant.template)
    assert estimated(found)
    return estimates(found, plan.workload, plan.target, rows)[variant.config]


def stack(layers: int, n: int, k: int, dtype: str) -> Workload:
    return Workload.parse(f"batch_matmul(b={layers}, m=?m, n={n}, k={k}, lhs=mk, rhs=bnk, dtype={dtype})")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(("layers", "n", "k"), [(3, 768, 768), (2, 256, 2048), (3, 1024, 1024), (2, 2048, 2048)])
def test_layers_side_by_side_take_no_longer_than_one_after_the_other(layers: int, n: int, k: int, dtype: str) -> None:
    """By the estimate, which counts no launches, so they gain that on top of it. Few rows stream the weights."""
    for arch in ("sm_80", "sm_89", "sm_90a"):
        target = Target.parse(f"cuda -arch={arch}")
        together, apart = (untuned_plan(w, target) for w in (stack(layers, n, k, dtype), dense(Any("m"), n, k, dtype)))
        for m in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
            assert estimate(together, m) < 1.01 * layers * estimate(apart, m), f"{arch}, {m} rows"
        assert estimate(together, 4096) < 1.2 * layers * estimate(apart, 4096), arch  # no plan is best everywhere
        if layers == 3:
            few = {f"batch_matmul.cuda.{name}" for name in ("narrow", "skinny")}
            assert {serving(together, m).template for m in (1, 4, 16)} <= few
        many = "batch_matmul.cuda.simt" if dtype == "float32" else "batch_matmul.cuda.mma"
        assert serving(together, 4096).template == many


def test_templates_of_few_rows_are_for_layers_that_read_the_same_rows() -> None:
    for text in ("b=12, m=4, rhs=bnk", "b=?b, m=4, lhs=mk, rhs=bnk", "b=3, m=4, lhs=mk"):
        plan = untuned_plan(Workload.parse(f"batch_matmul({text}, n=64, k=64, dtype=bfloat16)"), HOPPER)
        assert {v.template for v in plan.variants} <= {"batch_matmul.cuda.mma", "batch_matmul.cuda.simt"}
        assert not any(is_split(v.config) for v in plan.variants)


def test_float32_is_on_matrix_units_where_that_is_allowed_and_there_are_any() -> None:
    allowed = dense(Any("m"), 768, 768, products="tf32x3")
    plan = untuned_plan(allowed, HOPPER)
    assert serving(plan, 4096).template == "dense.cuda.tf32"
    assert serving(plan, 1).template == "dense.cuda.narrow"
    old = untuned_plan(allowed, Target.parse("cuda -arch=sm_75"))
    assert {v.template for v in old.variants} == {"dense.cuda.narrow", "dense.cuda.simt"}


def test_a_number_of_rows_has_one_config() -> None:
    for m in (1, 64, 3000):
        plan = untuned_plan(dense(m, 768, 768), HOPPER)
        assert (len(plan.variants), plan.symbol, plan.variants[0].classes) == (1, None, ())
        assert (plan.variants[0].template == "dense.cuda.narrow") == (m == 1)


def test_what_an_architecture_cannot_do_at_all_sizes_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"no template serves 32 rows on this architecture"):
        untuned_plan(dense(Any("m"), 768, 768, "bfloat16"), Target.parse("cuda -arch=sm_75"))


def test_it_is_what_lookup_answers_without_a_record() -> None:
    workload = dense(Any("m"), 768, 768)
    answer = look_up(workload, HOPPER, None)
    assert (answer.rung, plan_of(answer)) == (Rung.DEFAULT, untuned_plan(workload, HOPPER))
    variants = len(plan_of(answer).variants)
    assert answer.reason == (
        f"There is no tuning database. An untuned plan of {variants} configs by m, from an estimate, is used."
    )


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
def test_it_is_right_at_every_size() -> None:
    workload = dense(Any("m"), 24, 128)
    device = SimulatedGpu(order="random:2")
    plan = untuned_plan(workload, HOPPER)
    run = CudaKernel(compile_plan(plan, compiler=no_compiler()), device)
    rng = np.random.default_rng(0)
    w = rng.integers(-4, 5, (24, 128)).astype(np.float32)
    sizes = sorted({1, 3, 16, *(r.low for r in plan.ranges if 0 < r.low < 300)})
    for m in sizes:
        x = rng.integers(-4, 5, (m, 128)).astype(np.float32)
        np.testing.assert_array_equal(run(device.array(x), device.array(w)).values, x @ w.T)
    assert device.launches == len(sizes)


def launch(plan: DispatchPlan, m: int) -> Launch:
    placed = CudaCode.of(compile_plan(plan, (m,), compiler=no_compiler()).code).at(m)
    assert not isinstance(placed, str)
    return placed.kernel.launch


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "dtype"), LAYERS)
def test_its_workspace_has_an_end(n: int, k: int, dtype: str) -> None:
    """A plan's last range goes on for ever; sums of a hundred thousand rows, kept eight times, would be gigabytes."""
    plan = untuned_plan(dense(Any("m"), n, k, dtype), HOPPER)
    beyond = launch(plan, 100_000)
    assert beyond.workspace.value == 0
    assert beyond.objection({"m": 100_000}) is None


def tuned(workload: Workload, *configs: str) -> DispatchPlan:
    t = template("dense.cuda.simt")
    base = t.default(workload, HOPPER)
    made = [base.with_(split_k=int(c)) for c in configs]
    variants = tuple(Variant(t.name, c, t.tile(c), default_classes("cuda", t.tile(c))) for c in made)
    lows = [0, 100, 3000][: len(made)]
    ends = [*(low - 1 for low in lows[1:]), None]
    ranges = tuple(
        Range(low, high, i, 1e-6, 64, "measured") for i, (low, high) in enumerate(zip(lows, ends, strict=True))
    )
    return DispatchPlan(workload, HOPPER, "m", variants, ranges, {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("splits", "lows"),
    [(("4",), [0, UNSPLIT]), (("1", "4"), [0, 100, UNSPLIT]), (("1", "2", "4"), [0, 100, 3000]), (("4", "1"), None)],
)
def test_a_plan_that_shares_sums_at_its_end_goes_on_without(splits: tuple[str, ...], lows: list[int] | None) -> None:
    before = tuned(dense(Any("m"), 768, 768), *splits)
    after = unsplit_beyond(before)
    if lows is None:
        assert after is before
        return
    assert [r.low for r in after.ranges] == lows
    assert serving(after, 64) == serving(before, 64)
    assert launch(before, 300_000).objection({"m": 300_000}) is not None  # what would be said of it
    assert launch(after, 300_000).objection({"m": 300_000}) is None
    assert launch(after, 300_000).workspace.value == 0
    assert unsplit_beyond(after) == after


def test_the_backend_sees_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.dispatch.backends.require_runnable", lambda target: None)
    plan = tuned(dense(Any("m"), 768, 768), "4")
    assert not is_split(serving(CudaBackend().adapted(plan), 10**6).config)


@pytest.mark.parametrize(
    ("name", "layer", "knobs"),
    [
        ("dense.cuda.simt", "dense(m=?m, n=64, k=32)", {"group_n": 4}),
        ("dense.cuda.mma", "dense(m=?m, n=64, k=32, dtype=bfloat16)", {"group_n": 4}),
        ("dense.cuda.wgmma", "dense(m=?m, n=128, k=64, dtype=bfloat16)", {"group_n": 0, "columns": 64}),
        (
            "quantised_dense.cuda.simt",
            "quantised_dense(m=?m, n=64, k=32, x=float32, w=bfloat16, out=float32)",
            {"group_n": 4},
        ),
        ("gated_dense.cuda.simt", "gated_dense(m=?m, u=40, k=72, gates=2, cell=h2 = z0 * sigmoid(z1))", {"group_n": 4}),
    ],
)
def test_a_plan_whose_rows_lie_along_y_serves_more_of_them_than_a_grid_takes_there(
    name: str, layer: str, knobs: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anytile.dispatch.backends.require_runnable", lambda target: None)
    workload, t = Workload.parse(layer), template(name)
    plan = single_plan(workload, HOPPER, name, t.default(workload, HOPPER).with_(**knobs))
    most = 65535 * plan.variants[0].tile
    assert launch(plan, most).objection({"m": most}) is None
    assert "blocks along y of the grid" in (launch(plan, most + 1).objection({"m": most + 1}) or "")
    after = CudaBackend().adapted(plan)
    assert serving(after, most) == plan.variants[0]
    assert launch(after, most + 1).objection({"m": most + 1}) is None
    t.space(workload, HOPPER).check(serving(after, most + 1).config)
    assert along_x_beyond(after) == after


@pytest.mark.parametrize(
    ("arch", "layout", "template"),
    [
        ("sm_80", "rhs=bnk", "mma"),
        ("sm_90a", "lhs=mbk, rhs=nbk, y=mbn", "mma"),
        ("sm_80", "rhs=bkn", "mma"),
        ("sm_90a", "lhs=mbk, rhs=knb", "simt"),  # neither k nor n is last
        ("sm_80", "lhs=bkm", "simt"),  # k is not last
        ("sm_80", "rhs=bnk, y=nbm", "simt"),  # columns of the result are not side by side
        ("sm_75", "rhs=bnk", "simt"),
    ],
)
def test_batches_in_16_bits_are_multiplied_on_matrix_units(arch: str, layout: str, template: str) -> None:
    workload = Workload.parse(f"batch_matmul(b=12, m=?m, n=?n, k=64, {layout}, dtype=bfloat16)")
    plan = untuned_plan(workload, Target.parse(f"cuda -arch={arch}"))
    assert plan is not None
    assert {v.template for v in plan.variants} == {f"batch_matmul.cuda.{template}"}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_attention_has_small_tiles_where_queries_are_few_and_large_ones_where_they_fill_the_gpu(dtype: str) -> None:
    workload = Workload.parse(f"attention(b=1, h=12, m=?m, n=?m, d=64, e=64, dtype={dtype})")
    plan = untuned_plan(workload, HOPPER)
    assert 2 <= len(plan.variants) <= VARIANTS

    def rows(m: int) -> int:
        config = serving(plan, m).config
        return config.int("tile_m") * config.int("warps_m")

    assert rows(1) == 1 < rows(1024)
    assert [rows(m) for m in (1, 64, 256, 1024)] == sorted(rows(m) for m in (1, 64, 256, 1024))
    assert all(v.tile == 1 and not is_split(v.config) for v in plan.variants)  # tiles of all heads are enough
    many = untuned_plan(Workload.parse(f"attention(b=64, h=12, m=?m, n=?m, d=64, e=64, dtype={dtype})"), HOPPER)
    assert len(many.variants) < len(plan.variants) or serving(many, 64) != serving(plan, 64)


def test_of_one_query_blocks_share_the_keys() -> None:
    heads = "b=1, h=8, n=?n, d=128, e=128, causal=yes, shared=4, dtype=bfloat16"
    (only,) = untuned_plan(Workload.parse(f"attention({heads}, m=1)"), HOPPER).variants
    assert is_split(only.config)
    plan = untuned_plan(Workload.parse(f"attention({heads}, m=?m)"), HOPPER)
    assert is_split(serving(plan, 1).config)
    assert not is_split(serving(plan, UNSPLIT).config)


def test_keys_are_not_shared_beyond_what_was_measured() -> None:
    workload = Workload.parse("attention(b=1, h=8, m=?m, n=?n, d=64, e=64)")
    config = template("attention.cuda").default(workload, HOPPER).with_(split=4)
    bounded = unsplit_beyond(single_plan(workload, HOPPER, "attention.cuda", config))
    assert serving(bounded, UNSPLIT - 1).config == config
    assert serving(bounded, UNSPLIT).config == config.with_(split=1)


@pytest.mark.parametrize("sizes", ["m=0, n=4", "m=3, n=0", "m=?m, n=0", "m=0, n=?n"])
@pytest.mark.parametrize("arch", ["sm_75", "sm_90a"])
def test_attention_of_nothing_has_a_plan(sizes: str, arch: str) -> None:
    workload, target = Workload.parse(f"attention(b=0, h=2, {sizes}, d=8, e=8)"), Target.parse(f"cuda -arch={arch}")
    for variant in untuned_plan(workload, target).variants:
        template(variant.template).space(workload, target).check(variant.config)


def test_beyond_what_was_measured_no_blocks_of_a_cluster_meet() -> None:
    workload, t = dense(Any("m"), 768, 768), template("dense.cuda.simt")
    near = t.default(workload, HOPPER).with_(split_k=4, tile_m=4, tile_n=4, unroll_k=2, meeting="cluster")
    alone = unsplit_beyond(single_plan(workload, HOPPER, t.name, near)).variants[-1].config
    assert (alone["split_k"], alone["meeting"]) == (1, "memory")
    t.space(workload, HOPPER).check(alone)

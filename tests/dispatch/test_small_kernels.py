"""The small operators as machine code: between walls where vectors end, at special values, with threads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.cuda.build import build
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.primitives.vector_rows import SUM_ULPS
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import (
    batch_norm,
    cumsum,
    elementwise,
    layer_norm,
    reduce,
    rms_norm,
    softmax,
)
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import Array, check, compiled, inputs_of, only_template, walled
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated

HOST = Target.host(1)
LANES = facts(HOST).lanes
SIZES = (0, 1, LANES - 1, LANES, LANES + 1)
PRIME = 1009
A, B = Any("a"), Any("b")
CASES = (
    elementwise("gelu(x[d0, d1] + bias[d1])", A, B),
    elementwise("where(m[d0, d1], float32(i[d1] + 1), tanh(x[d0, d1]))", A, B, types={"m": "bool", "i": "int64"}),
    elementwise("x[d0, d1] >= z[d1, d0]", A, B),
    elementwise("floordiv(i[d0], 3) + mod(j, 5)", A, dtype="int32"),
    softmax(A, outer=B),
    softmax(A, outer=2, inner=B),
    softmax(A, outer=B, log=True),
    layer_norm(A, B),
    layer_norm(A, B, pre="x + r[rows, n]"),
    rms_norm(A, B),
    batch_norm(A, outer=B),
    batch_norm(A, outer=2, inner=B),
    cumsum(A, outer=B),
    cumsum(A, inner=B, exclusive=True, reverse=True),
    cumsum(A, outer=B, dtype="int32"),
    *(reduce(kind, A, B, axes=axis) for kind in ("sum", "mean", "max", "min", "prod", "argmax") for axis in (0, 1)),
    reduce("sum", A, B, axes=(0, 1), dtype="int64"),
    reduce("argmax", 3, A, B, axes=(1, 2), dtype="int32"),
    reduce("max", 2, A, 3, B, axes=(0, 2)),
    reduce("mean", A, B, axes=1, pre="(x - m[d0]) * (x - m[d0])"),
    reduce("sum", A, B, axes=0, pre="abs(x) * s[d0] + c[d1]"),
    reduce("mean", 3, A, B, axes=(1, 2), pre="x * r[d1]"),
    reduce("sum", A, 3, B, axes=(0, 1), pre="exp(-x) * r[d1]"),
    reduce("sum", A, B, axes=1, pre="x * float32(m[d0, d1])", types={"m": "bool"}),
)


def _sizes(workload: Workload) -> list[tuple[int, ...]]:
    """Every pair of the small sizes, and a large prime in each place."""
    count = len(workload.symbols)
    large = [tuple(PRIME if i == j else 3 for j in range(count)) for i in range(count)]
    return [*itertools.product(SIZES, repeat=count), *large]


@pytest.mark.slow
@pytest.mark.parametrize("workload", CASES, ids=str)
def test_machine_code_is_the_reference_and_stays_inside(workload: Workload) -> None:
    loaded = compiled(workload, HOST)
    for values in _sizes(workload):
        symbols = dict(zip(workload.symbols, values, strict=True))
        inputs = inputs_of(workload, symbols)
        check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols, 4e-6)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.data())
def test_any_config(data: st.DataObject) -> None:
    workload = data.draw(st.sampled_from(CASES))
    space = only_template(workload, HOST).space(workload, HOST)
    config = space[data.draw(st.integers(0, len(space) - 1))]
    symbols = {s: data.draw(st.sampled_from((*SIZES, 2 * LANES + 3, 70))) for s in workload.symbols}
    inputs = inputs_of(workload, symbols)
    check(workload, walled(compiled(workload, HOST, config), workload, inputs, symbols), inputs, config, 4e-6)


def _kernel(workload: Workload, threads: int = 1, template: Template | None = None) -> DispatchKernel:
    target = Target.host(threads)
    template = template or only_template(workload, target)
    plan = single_plan(workload, target, template.name, template.default(workload, target))
    return DispatchKernel(plan, compile_plan(plan))


# Through the callable


def test_what_users_pass_may_lie_anyhow() -> None:
    x = np.random.default_rng(0).standard_normal((5, 1, 40)).astype(np.float32)[..., ::2].transpose(0, 2, 1)
    workload = softmax(A, outer=B)
    np.testing.assert_allclose(_kernel(workload)(x), evaluate(workload, {"x": x})["y"], rtol=2e-6)


def test_shapes_are_those_of_the_attributes() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert _kernel(reduce("sum", A, 3, B, axes=(0, 2)))(x).shape == (3,)
    whole = _kernel(reduce("argmax", A, 3, B, axes=(0, 1, 2)))(x)
    assert (whole.shape, whole.dtype, int(whole)) == ((), np.int64, 23)
    assert _kernel(elementwise("x[d0, d1, d2] > 3", A, 3, 4))(x).dtype == np.bool_
    assert _kernel(softmax(A, outer=2))(np.empty((2, 0, 1), np.float32)).shape == (2, 0, 1)


# Special values

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-45, 3.4e38, -3.4e38, 1.0, -2.5, 88.8, -104.0)


@pytest.mark.parametrize(("log", "guard"), [(False, "none"), (True, "none"), (False, "empty"), (False, "nan")])
@pytest.mark.parametrize("inner", [1, 3])
def test_softmax_of_masked_and_infinite_rows(log: bool, guard: str, inner: int) -> None:
    n = 2 * LANES + 3
    rows = np.random.default_rng(2).standard_normal((8, n, inner)).astype(np.float32)
    rows[0] = -np.inf
    rows[1, 5:] = -np.inf
    rows[2, 3] = np.nan
    rows[3, n - 1] = np.inf
    rows[4] = 3e38
    rows[5] *= 1e-42
    rows[6, :, 0] = 100 * rows[6, :, 0]
    rows[7, : n - 1] = -np.inf
    workload = softmax(A, outer=B, inner=inner, log=log, guard=guard)
    wanted = evaluate(workload, {"x": rows})["y"]
    assert np.isnan(wanted[0]).any() == (guard == "none")
    assert [np.isnan(wanted[i]).any() for i in (2, 3)] == [guard != "nan"] * 2
    # The logarithm of a sum that is near 1 is near 0, and as wrong as the sum is: by that much of 1, not of itself.
    least = SUM_ULPS * 2.0**-24 if log else 1e-44
    np.testing.assert_allclose(_kernel(workload)(rows), wanted, rtol=3e-6, atol=least)


@pytest.mark.parametrize("name", ["attention.cpu", "attention_tiles.cpu"])
@pytest.mark.parametrize("guard", ["empty", "nan", "none"])
def test_attention_of_queries_whose_keys_a_mask_hides(guard: str, name: str) -> None:
    workload = Workload.parse(f"attention(b=1, h=2, m=?m, n=?n, d=16, e=8, scale=0.25, mask=mn, guard={guard})")
    kernel, rng = _kernel(workload, template=template(name)), np.random.default_rng(4)
    for m, n in ((1, 1), (3, 5), (LANES + 1, 2 * LANES + 3), (67, 4), (3, 0), (40, 0)):
        q, k, v = (rng.standard_normal((1, 2, *shape)).astype(np.float32) for shape in ((m, 16), (n, 16), (n, 8)))
        mask = np.where(np.arange(m)[:, None] % 4 == 0, np.float32(-np.inf), rng.standard_normal((m, n), np.float32))
        wanted = evaluate(workload, {"q": q, "k": k, "v": v, "mask": mask})["y"]
        assert np.isnan(wanted).any() == (guard == "none" and n > 0)
        np.testing.assert_allclose(kernel(q, k, v, mask), wanted, rtol=2e-5, atol=2e-6)


def test_reductions_of_special_values_are_numpys() -> None:
    rng = np.random.default_rng(3)
    x = rng.choice(np.array(SPECIAL, np.float32), (60, 3 * LANES + 5))
    x[:20] = rng.choice(np.array([0.0, -np.inf, 1.0, 5.0], np.float32), x[:20].shape)
    x[20:30] = -np.inf
    for axis in (0, 1):
        for kind, numpys in (("max", np.max), ("min", np.min), ("argmax", np.argmax)):
            np.testing.assert_array_equal(_kernel(reduce(kind, A, B, axes=axis))(x), numpys(x, axis=axis))
        got = _kernel(reduce("sum", A, B, axes=axis))(x)
        with np.errstate(all="ignore"):
            wanted = x.astype(np.float64).sum(axis=axis).astype(np.float32)
        # In some order of additions a part of a sum may overflow, and meet one that overflows the other way.
        most = np.abs(np.where(np.isfinite(x), x, 0), dtype=np.float64).sum(axis=axis)
        told = np.isnan(wanted) | (most < np.finfo(np.float32).max)
        assert axis == 0 or (told & ~np.isnan(wanted)).any()
        np.testing.assert_array_equal(np.isnan(got[told]), np.isnan(wanted[told]))
        np.testing.assert_array_equal(got[told & np.isinf(wanted)], wanted[told & np.isinf(wanted)])


def test_the_first_of_equals() -> None:
    kernel = _kernel(reduce("argmax", A, B, axes=1))
    for n in (1, 2, LANES, 5 * LANES + 3):
        for first in {0, n // 2, n - 1}:
            x = np.zeros((3, n), np.float32)
            x[:, first:] = 7
            assert (kernel(x) == first).all()
            x[:, first:] = np.nan
            assert (kernel(x) == first).all()
    ints = np.full((2, 50), np.iinfo(np.int32).min, np.int32)
    assert (_kernel(reduce("argmax", A, B, axes=1, dtype="int32"))(ints) == 0).all()


def test_elementwise_of_special_values() -> None:
    x = np.array(SPECIAL * 3, np.float32)
    with np.errstate(all="ignore"):
        for f, wanted in (
            ("relu(x[d0])", np.maximum(x, np.float32(0))),
            ("x[d0] != x[d0]", x != x),
            ("abs(x[d0]) < inf", np.abs(x) < np.inf),
            ("x[d0] * 2", x * np.float32(2)),
            ("where(x[d0] > 0, x[d0], -inf)", np.where(x > 0, x, np.float32(-np.inf))),
        ):
            np.testing.assert_array_equal(_kernel(elementwise(f, A))(x), wanted)


@pytest.mark.parametrize(("name", "units"), [("sqrt", 0), ("rsqrt", 1)])
def test_roots_are_vector_code_and_nearly_as_rounded(name: str, units: int) -> None:
    """Over bit patterns from everywhere, special values among them, held against float64 that is rounded once."""
    kernel = _kernel(elementwise(f"{name}(x[d0])", A))
    x = np.arange(0, 1 << 32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.0])])
    with np.errstate(all="ignore"):
        root = np.sqrt(x.astype(np.float64))
        wanted = (root if name == "sqrt" else 1 / root).astype(np.float32)
    found = kernel(x)
    known = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~known], wanted[~known])
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(wanted[known]))
    steps = np.abs(found[known].view(np.int32).astype(np.int64) - wanted[known].view(np.int32))
    assert steps.max() == units
    assert re.search(r"v?sqrtps", kernel.source(9 * LANES, form="asm"))


def test_norms_spoil_only_the_row_that_is_spoilt() -> None:
    x = np.random.default_rng(4).standard_normal((4, 100)).astype(np.float32)
    x[1, 7], x[2, 99] = np.nan, np.inf
    ones, zeros = np.ones(100, np.float32), np.zeros(100, np.float32)
    y = _kernel(layer_norm(A, B))(x, ones, zeros)
    assert np.isnan(y[1:3]).all()
    assert np.isfinite(y[[0, 3]]).all()


def test_layer_norm_far_from_zero() -> None:
    """Where the mean is large against the deviation one pass over squares would lose everything."""
    x = (np.random.default_rng(5).standard_normal((3, 768)) + 1e4).astype(np.float32)
    ones, zeros = np.ones(768, np.float32), np.zeros(768, np.float32)
    workload = layer_norm(A, B)
    wanted = evaluate(workload, {"x": x, "gamma": ones, "beta": zeros})["y"]
    np.testing.assert_allclose(_kernel(workload)(x, ones, zeros), wanted, atol=2e-3)


# Accuracy of long sums


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 100_003, 3_000_017])
@pytest.mark.parametrize("make", [lambda x: x, np.abs], ids=["mixed", "positive"])
def test_long_sums_are_within_the_bound(n: int, make: Callable[[Array], Array]) -> None:
    x = make(np.random.default_rng(n).standard_normal(n).astype(np.float32))
    bound = SUM_ULPS * 2.0**-24 * np.abs(x, dtype=np.float64).sum()
    exact = x.astype(np.float64).sum()
    assert abs(float(_kernel(reduce("sum", A, axes=0))(x)) - exact) <= bound
    columns = np.ascontiguousarray(np.broadcast_to(x[:, None], (n, 3)))
    for got in _kernel(reduce("sum", A, B, axes=0))(columns):
        assert abs(float(got) - exact) <= bound
    running = _kernel(cumsum(A, outer=B))(x[None, :, None])[0, :, 0]
    bounds = SUM_ULPS * 2.0**-24 * np.abs(x).cumsum(dtype=np.float64)
    assert (np.abs(running - x.cumsum(dtype=np.float64)) <= bounds).all()


@pytest.mark.parametrize("workload", [cumsum(A, outer=B), cumsum(A, inner=B, exclusive=True, reverse=True)], ids=str)
def test_a_running_sum_past_an_infinity_is_that_infinity(workload: Workload) -> None:
    _infinities(workload, lambda x: {"y": np.asarray(_kernel(workload)(x))})


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("workload", [cumsum(A, outer=B), cumsum(A, inner=B, exclusive=True, reverse=True)], ids=str)
def test_so_it_is_on_a_gpu(workload: Workload) -> None:
    target = Target.parse("cuda -arch=sm_90a")
    (template,) = templates_for(workload, target)
    kernel = Simulated(build(workload, template.default(workload, target), target, template))

    def run(x: Array) -> dict[str, Array]:
        held = {"x": x, "y": np.full_like(x, 7.0)}
        kernel.run(held, {"a": 200, "b": 3})
        return held

    _infinities(workload, run)


def _infinities(workload: Workload, run: Callable[[Array], dict[str, Array]]) -> None:
    rows = np.ones((3, 200), np.float32)
    rows[0, 3], rows[1, 40], rows[2, [70, 150]] = np.inf, -np.inf, (np.inf, -np.inf)
    x = np.ascontiguousarray(rows[:, :, None] if workload.sizes({"a": 200, "b": 3})["outer"] == 3 else rows.T[None])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(run(x)["y"], evaluate(workload, {"x": x})["y"])


@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("text", ["reduce(d0=?n, d1=3, rank=2, axes=0)", "reduce(d0=3, d1=?n, rank=2, axes=1)"])
def test_long_sums_on_a_gpu_are_as_exact(text: str) -> None:
    """Equal terms: each addition beyond a block's would round the same way."""
    workload, target, n = Workload.parse(text), Target.parse("cuda -arch=sm_90a"), 200_017
    (template,) = templates_for(workload, target)
    kernel = Simulated(build(workload, template.default(workload, target), target, template))
    for value in (0.1, np.inf):
        held = {"x": np.full(workload.shape("x", {"n": n}), 0.1, np.float32), "y": np.zeros(3, np.float32)}
        held["x"].flat[1] = value
        kernel.run(held, {"n": n})
        exact = evaluate(workload, {"x": held["x"]})["y"]
        near = np.isclose(held["y"], exact, rtol=SUM_ULPS * 2.0**-24, atol=0)
        assert near.all(), (held["y"], exact)


def test_a_plain_running_sum_would_not_be() -> None:
    """The bound can fail: numpy's own running sum in float32 does."""
    x = np.abs(np.random.default_rng(9).standard_normal(3_000_017).astype(np.float32))
    bounds = SUM_ULPS * 2.0**-24 * x.cumsum(dtype=np.float64)
    assert (np.abs(x.cumsum(dtype=np.float32) - x.cumsum(dtype=np.float64)) > bounds).any()


# Threads


@pytest.mark.slow
@pytest.mark.parametrize(
    "workload",
    [
        elementwise("exp(x[d0, d1] + z[d1])", A, B),
        elementwise("exp(x[d0, d1])", A, B),
        softmax(A, outer=B),
        softmax(A, inner=B),
        layer_norm(A, B),
        batch_norm(A, outer=B),
        batch_norm(A, inner=B),
        reduce("sum", A, B, axes=1),
        reduce("sum", A, B, axes=0),
        cumsum(A, outer=B),
    ],
    ids=str,
)
def test_threads_change_nothing(workload: Workload) -> None:
    symbols = {"a": 517, "b": 301}
    inputs = inputs_of(workload, symbols)
    given = [inputs[t.name] for t in workload.inputs]
    alone, team = _kernel(workload, 1)(*given), _kernel(workload, 2)(*given)
    np.testing.assert_array_equal(alone, team)

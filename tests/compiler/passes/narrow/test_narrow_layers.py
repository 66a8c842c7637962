"""Narrow layers: which steps become narrow, as which kernels, and that executables compute what the modules say."""

from __future__ import annotations

import re
from functools import cache, partial

import numpy as np
import pytest

from anytile.compiler.compile import lock
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array, Module
from anytile.compiler.passes.narrow.histograms import chooser
from anytile.compiler.passes.narrow.narrow_layers import Layer, Narrowing, narrow_layers
from anytile.compiler.passes.narrow.rounded_weights import NARROW, rounded_weight
from anytile.compiler.quantise import observed
from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS
from anytile.schedules.operators.spec import PAIRED
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.compiled_modules import Compiled, for_machine, random, same
from tests.support.cases.narrow_modules import X, after, check_integers, module, workloads


def narrowed(body: str, dtype: str, params: str = X, **arrays: Array) -> Compiled:
    return Compiled(module(body, params, **arrays), narrow=partial(narrow_layers, spec=Narrowing(dtype)))


def told(spec: Narrowing, body: str, **arrays: Array) -> list[Layer]:
    layers: list[Layer] = []
    Compiled(module(body, **arrays), narrow=partial(narrow_layers, spec=spec, tell=layers.append))
    return layers


@cache
def layer(dtype: str) -> Compiled:
    return narrowed("gelu(add(dense(x, $w), $b))", dtype)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 101])
def test_executables_compute_what_the_narrow_module_says(dtype: str, rows: int) -> None:
    made = layer(dtype)
    x = random(rows, 1, rows, 50)
    wanted = evaluate(after(made), [x])
    near = 3e-4 if dtype == "int4" else 3e-5  # whose rows have 16 bits
    for is_native in (False, True):
        same(for_machine(made.session(is_native)(x)), wanted, near)
    exact = evaluate(made.module, [x])
    assert isinstance(exact, np.ndarray)
    assert isinstance(wanted, np.ndarray)
    limit = {"bfloat16": 4e-3, "float16": 5e-4, "int8": 2e-2, "int4": 0.12}[dtype]
    assert np.linalg.norm(wanted - exact) <= limit * np.linalg.norm(exact)
    if rows:
        assert np.linalg.norm(wanted - exact) > limit / 20 * np.linalg.norm(exact)  # or nothing became narrow


def test_a_layer_is_one_kernel_with_its_tail() -> None:
    (found,) = workloads(layer("bfloat16"))
    assert "quantised_dense(m=?m, n=37, k=50, x=float32, w=bfloat16, out=float32" in found
    assert found.endswith("const=w, tail=gelu(y + b0[n]))")
    (found,) = workloads(layer("int4"))
    assert found.startswith("grouped_dense(m=?m, n=37, k=50, scales=float16, accuracy=float16, dtype=float32, const=")
    assert found.endswith("tail=gelu(y + b0[n]))")
    rows, product = sorted(workloads(layer("int8")), key=len)
    assert rows == "quantise_rows(m=?m, k=50, dtype=float32)"
    assert product.startswith("quantised_dense(m=?m, n=37, k=50, out=float32, dtype=float32, const=w")
    assert product.endswith("tail=gelu((y - b2[m] * b3[n]) * (b0[m] * b1[n]) + b4[n]))")


CHAIN = "add(dense(relu(add(dense(x, $w), $b)), $u), x)"


def with_ranges(body: str, method: str = "extremes", params: str = X, **arrays: Array) -> Compiled:
    """Narrow layers whose ranges are of one run."""
    came = {"x": random(11, 2, 40, 50)}

    def narrow(module: Module) -> Module:
        seen, _ = observed(module, [(came, "a run")])
        return narrow_layers(module, Narrowing("int8", choose=chooser(method)), seen)

    return Compiled(module(body, params, **arrays), narrow=narrow)


@cache
def chain() -> Compiled:
    return with_ranges(CHAIN)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 101])
def test_layers_with_ranges_compute_what_the_module_says(rows: int) -> None:
    made, x = chain(), random(100 + rows, 2, rows, 50) * np.float32(0.7)  # within the range
    check_integers(made, x)


def test_what_a_layer_makes_for_another_is_written_as_integers() -> None:
    rows, first, second = sorted(
        workloads(chain()), key=lambda w: ("quantised" in w, w.startswith("quantised_dense(m=?m, n=50"))
    )
    assert rows == "quantise_within(n=?n, dtype=float32)"
    assert first.startswith("quantised_dense(m=?m, n=37, k=50, out=uint8, dtype=float32, const=w")
    assert first.endswith("tail=(y * b0[n] + b1[n] + b2[n]) * b3 + b4)")  # integers end at 0 by themselves
    assert second.startswith("quantised_dense(m=?m, n=50, k=37, out=float32, dtype=float32, const=w")
    assert second.endswith("tail=y * b0[n] + b1[n] + b2[m, n])")
    tuned = [Workload.parse(w).anchor for w in (first, second)]
    assert all(dict(w.attrs)["out"] == "float32" for w in tuned)  # what was tuned of one is for both


@pytest.mark.slow
def test_gelu_that_is_rounded_to_8_bits_at_once_is_the_near_one() -> None:
    """Whatever else reads it, or stands between, has gelu as it is."""
    made = with_ranges("dense(gelu(dense(x, $w)), $u)")
    (first,) = [w for w in workloads(made) if "out=uint8" in w]
    assert first.endswith("tail=gelu_byte(y * b0[n] + b1[n]) * b2 + b3)")
    x = random(103, 2, 41, 50) * np.float32(0.7)
    check_integers(made, x)
    made = with_ranges("dense(multiply(gelu(dense(x, $w)), 0.5), $u)")
    (first,) = [w for w in workloads(made) if "out=uint8" in w]
    assert first.endswith("tail=gelu(y * b0[n] + b1[n]) * 0.5 * b2 + b3)")


def test_kernels_are_one_for_layers_that_differ_in_ranges_alone() -> None:
    made = with_ranges("dense(relu(dense(relu(dense(x, $s)), $s)), $s)", s=random(5, 50, 50))
    kinds = [w.split(", ")[3] for w in workloads(made) if w.startswith("quantised_dense")]
    assert sorted(kinds) == ["out=float32", "out=uint8"]


def test_what_others_read_too_stays_float32_beside_its_integers() -> None:
    made = with_ranges("let h = relu(dense(x, $w)); (dense(h, $u), h)")
    assert sum(w.startswith("quantise_within(") for w in workloads(made)) == 2  # of x and of h
    assert not [w for w in workloads(made) if "out=uint8" in w]
    x = random(3, 2, 9, 50)
    same(made.session(True)(x), for_machine(evaluate(after(made), [x])), 3e-5)


def test_layers_of_one_tensor_with_a_range_share_its_integers() -> None:
    made = with_ranges("(dense(x, $w), dense(x, $v))")
    assert str(dict(made.stages)["dead_code"]).count("quantise_within(") == 1


def test_values_beyond_a_range_are_cut_off() -> None:
    made = with_ranges("dense(x, $e)", e=np.eye(50, dtype=np.float32))
    x = random(1, 1, 3, 50)
    x[0, 0, 0], x[0, 1, 1] = 1e6, -np.inf
    found = np.asarray(made.session(True)(x))
    came = random(11, 2, 40, 50)
    assert abs(found[0, 0, 0] - came.max()) < 0.05
    assert abs(found[0, 1, 1] - came.min()) < 0.05


@pytest.mark.slow
def test_layers_of_one_tensor_share_its_integers() -> None:
    made = narrowed("(dense(x, $w), dense(x, $v), dense(dense(x, $w), $u))", "int8")
    assert str(dict(made.stages)["dead_code"]).count("quantise_rows(") == 2
    x = random(5, 2, 9, 50)
    same(made.session(True)(x)[1], for_machine(evaluate(after(made), [x]))[1], 3e-5)


@pytest.mark.slow
def test_layers_in_branches_and_behind_views_are_narrow() -> None:
    body = "let r = reshape(x, shape=(-1, 50)); if (less(sum(r), 0.0)) { dense(r, $w) } else { add(dense(r, $v), $b) }"
    made = narrowed(body, "int8")
    for seed in (1, 2, 3):
        x = random(seed, 1, 9, 50)
        same(made.session(True)(x), for_machine(evaluate(after(made), [x])), 3e-5)
    assert str(after(made)).count("quantised_dense(") == 2


@pytest.mark.parametrize("body", ['batch_matmul(x, x, rhs="bnk")', "dense(x, y)", "conv2d(x4, $c)"])
def test_other_products_stay(body: str) -> None:
    params = f"{X}, y: Tensor[(37, 50), float32], x4: Tensor[(?n, 3, 9, 9), float32]"
    made = narrowed(body, "int8", params, c=random(7, 4, 3, 3, 3))
    assert not [w for w in workloads(made) if w.startswith("quantise_within")]


def test_patterns_choose_layers_by_place_or_weight() -> None:
    body = 'let a = dense(x, $w) @"block.first"; let c = dense(x, $v) @"block.second"; add(a, c)'
    for only, dtypes in (
        ("block.*", ["int8", "int8"]),
        ("*first", ["int8", "float32"]),
        ("v", ["float32", "int8"]),
    ):
        layers = told(Narrowing("int8", (only,)), body)
        assert [layer.dtype for layer in layers] == dtypes
        assert [layer.kept == "not asked for" for layer in layers] == [d == "float32" for d in dtypes]


def test_a_pattern_that_fits_no_layer_is_refused() -> None:
    body = 'let a = dense(x, $w) @"block.first"; let c = dense(x, $v) @"block.second"; add(a, c)'
    expected = re.escape("only='block.third' names no layer of the model; nearest to it: block.first, block.second, ")
    with pytest.raises(SpecError, match=expected):
        told(Narrowing("int8", ("v", "block.third")), body)
    with pytest.raises(SpecError, match=re.escape("only='w?' names no layer of the model; nearest to it: none")):
        told(Narrowing("int8", ("w?",)), "exp(x)")


def test_layers_beyond_the_error_stay_and_say_so() -> None:
    flat = np.ones((37, 50), np.float32)
    body = 'let a = dense(x, $w) @"smooth"; let c = dense(exp(x), $flat) @"flat"; add(a, c)'
    layers = told(Narrowing("int8", error=0.02), body, flat=flat)
    assert [(layer.dtype, layer.error < 0.02, layer.kept) for layer in layers] == [("int8", True, "")] * 2
    (tight,) = told(Narrowing("int8", error=1e-4), 'let a = dense(x, $w) @"tight"; a')
    assert str(tight).startswith("tight w: 37x50 float32, error ")
    assert str(tight).endswith("; more than 0.0001, so it stays float32")


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        ("int8", np.nan),
        ("int8", np.inf),
        ("float16", 1e5),
        ("bfloat16", 3.4e38),
        ("float16", np.nan),
        ("int4", np.nan),
        ("int4", 1e6),
    ],
)
def test_weights_that_a_format_does_not_hold_stay(dtype: str, number: float) -> None:
    w = random(1, 37, 50)
    w[3, 4] = number
    (kept,) = told(Narrowing(dtype), "let a = dense(x, $w); a", w=w)
    assert kept.dtype == "float32"
    assert kept.kept == f"its weight has numbers that {dtype} does not hold"


@pytest.mark.parametrize("k", [1, 2, 49, 50])
def test_pairs_of_a_rounded_weight_stay_within_16_bits(k: int) -> None:
    weight = random(1, 37, k)
    weight[:3] = [[1], [-1], [0]]  # rounded up both, and nothing
    made, wide = (rounded_weight(weight, "int8", pairs) for pairs in (IN_16_BITS, IN_32_BITS))
    assert made is not None
    assert wide is not None
    even = made.array[:, : k // 2 * 2].reshape(37, k // 2, 2).sum(2, dtype=int)
    assert np.abs(even).max(initial=0) <= PAIRED
    if k > 1:
        assert (np.abs(even).max(1)[3:] >= PAIRED - 2).any()  # no smaller than it must be
        assert np.abs(wide.array[:3, :2].sum(1, dtype=int)).max() > PAIRED
    off = np.abs(made.value - weight)
    assert (off <= made.by[:, None] * 0.5001).all()


@pytest.mark.parametrize(("cpu", "wanted"), [("haswell", True), ("znver4", False), ("x86-64", False)])
def test_a_cpu_that_adds_up_pairs_gets_weights_for_it(cpu: str, wanted: bool) -> None:
    made = lock(module("dense(x, $w)"), Target.parse(f"llvm -mcpu={cpu} -threads=1"), precision="int8")
    (found,) = (str(locked.workload) for locked in made.plans if locked.workload.op == "quantised_dense")
    assert ("pairs=int16" in found) == wanted


@pytest.mark.parametrize("rows", [1, 8, 101])
def test_executables_of_pairs_in_16_bits_compute_what_the_module_says(rows: int) -> None:
    spec = Narrowing("int8", pairs=IN_16_BITS)
    made = Compiled(module("gelu(add(dense(x, $w), $b))"), narrow=partial(narrow_layers, spec=spec))
    x = random(rows, 1, rows, 50)
    wanted, exact = evaluate(after(made), [x]), evaluate(made.module, [x])
    for is_native in (False, True):
        same(for_machine(made.session(is_native)(x)), wanted, 3e-5)
    assert isinstance(exact, np.ndarray)
    assert isinstance(wanted, np.ndarray)
    assert np.linalg.norm(wanted - exact) <= 2e-2 * np.linalg.norm(exact)


def test_a_row_that_is_no_number_spoils_itself_alone() -> None:
    made = narrowed("dense(x, $w)", "int8")
    x = random(1, 1, 9, 50)
    clean = np.array(made.session(True)(x))
    x[0, 3, 7] = np.inf
    found = made.session(True)(x)
    assert not np.isfinite(found[0, 3]).any()
    np.testing.assert_array_equal(np.delete(found[0], 3, 0), np.delete(clean[0], 3, 0))

"""Kernels of narrow numbers as people call them: 16-bit floats as numpy has them, and products of 8-bit integers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from anytile.core.errors import ArgumentError, SpecError
from anytile.dispatch.cpu.build import source
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense, quantised_dense
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any as AnyDim
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.narrow_kernels import compare, kernel_of
from tests.support.cases.small_operators import inputs_of

ROWS = (0, 1, 2, 7, 8, 9, 17)


def _compare(workload: Workload, **knobs: int | str) -> None:
    compare(workload, ROWS, 1e-6, **knobs)


LAYOUTS = [("bfloat16", "pairs"), *((dtype, way) for dtype in ("bfloat16", "float16") for way in ("panels", "rows"))]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("k", [3, 4, 19, 64])
@pytest.mark.parametrize(("dtype", "layout"), LAYOUTS)
def test_16_bit_floats_in_every_layout(dtype: str, layout: str, k: int) -> None:
    const = () if layout == "rows" else ("w",)
    workload = dense(AnyDim("m"), 37, k, dtype=dtype, const=const, tail="max(y + b[n], 0)" if k == 64 else "")
    _compare(workload, w=layout)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("k", [0, 3, 4, 19, 64])
@pytest.mark.parametrize("const", [(), ("w",)])
@pytest.mark.parametrize("x", ["uint8", "int8"])
def test_sums_of_8_bit_integers_are_exact(x: str, const: tuple[str, ...], k: int) -> None:
    _compare(quantised_dense(AnyDim("m"), 37, k, x=x, const=const))
    _compare(quantised_dense(AnyDim("m"), 37, k, x=x, const=const, out="float32", tail="(y - z[m]) * s[n] + b[n]"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("k", [0, 3, 4, 19, 64])
def test_sums_are_exact_where_16_bits_hold_pairs(k: int) -> None:
    workload = quantised_dense(AnyDim("m"), 37, k, const=("w",), pairs="int16")
    _compare(workload)
    rng = np.random.default_rng(k)
    w = rng.choice(np.array([64, -64], np.int8), (37, k))
    w[:7, : k // 2 * 2] = np.resize(np.array([127, 1, -128, 0, 127, -128], np.int8), k // 2 * 2)
    x = rng.choice(np.array([255, 255, 255, 0], np.uint8), (9, k))
    np.testing.assert_array_equal(kernel_of(workload, {"w": w})(x), x.astype(np.int32) @ w.T.astype(np.int32))


def test_pairs_that_16_bits_do_not_hold_are_exact_where_w_is_not_constant_and_refused_where_it_is() -> None:
    w, x = np.full((5, 6), 127, np.int8), np.full((2, 6), 255, np.uint8)
    given = kernel_of(quantised_dense(AnyDim("m"), 5, 6, pairs="int16"), {})
    np.testing.assert_array_equal(given(x, w), np.full((2, 5), 6 * 127 * 255))
    with pytest.raises(ArgumentError, match=r"^quantised_dense: w: expected pairs along k that add up to -128 to 128, "
                       r"got 254; leave pairs=int16 out$"):  # fmt: skip
        kernel_of(quantised_dense(AnyDim("m"), 5, 6, const=("w",), pairs="int16"), {"w": w})


@pytest.mark.parametrize(("cpu", "instruction"), [
    ("haswell", "vpmaddubsw"), ("skylake-avx512", "vpmaddubsw"), ("znver4", "vpdpbusd"), ("x86-64", "pmaddwd"),
])  # fmt: skip
def test_what_a_cpu_multiplies_pairs_with(cpu: str, instruction: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for pairs in ("int16", "int32"):
        workload = quantised_dense(8, 32, 64, const=("w",), pairs=pairs)
        (template,) = templates_for(workload, target)
        plan = single_plan(workload, target, template.name, template.default(workload, target))
        asm = source(plan, None, "asm")
        assert (instruction in asm) == (pairs == "int16" or instruction != "vpmaddubsw")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layout", ["panels", "rows"])
@pytest.mark.parametrize("w", ["int8", "bfloat16", "float16"])
def test_a_weight_alone_is_narrow(w: str, layout: str) -> None:
    const = () if layout == "rows" else ("w",)
    for k in (0, 3, 19, 64):
        workload = quantised_dense(AnyDim("m"), 37, k, x="float32", w=w, out="float32", const=const, tail="y * s[n]")
        _compare(workload, w=layout)


@pytest.mark.parametrize("n", [16, 70, 128])
def test_blocks_of_panels_and_what_is_left_of_them(n: int) -> None:
    """One panel and more, of which four are a block, on every kind of vectors."""
    workload = quantised_dense(AnyDim("m"), n, 19, x="float32", out="float32", const=("w",), tail="y * s[n]")
    _compare(workload, tile_n=1, block_n=4)


@pytest.mark.parametrize("w", ["bfloat16", "float16"])
def test_rows_are_rounded_as_a_weight_is(w: str) -> None:
    workload = quantised_dense(AnyDim("m"), 37, 19, x="float32", w=w, out="float32", const=("w",), products="rounded")
    _compare(workload)


def test_combinations_that_mean_nothing_are_refused() -> None:
    with pytest.raises(SpecError, match="w=bfloat16 with x=uint8; expected w=int8, or x=float32"):
        quantised_dense(1, 2, 3, w="bfloat16")
    with pytest.raises(SpecError, match="out=int32 with x=float32; expected out=float32"):
        quantised_dense(1, 2, 3, x="float32")
    what = "products=rounded with x=float32 and w=int8; expected x=float32, and w of narrow floats"
    with pytest.raises(SpecError, match=what):
        quantised_dense(1, 2, 3, x="float32", out="float32", products="rounded")
    with pytest.raises(SpecError, match="pairs=int16 with x=int8; expected x=uint8"):
        quantised_dense(1, 2, 3, x="int8", pairs="int16")


@pytest.mark.parametrize("out", ["uint8", "int8", "int32"])
def test_requantised_results_are_the_nearest_integers(out: str) -> None:
    workload = quantised_dense(AnyDim("m"), 20, 24, out=out, const=("w",), tail="y * s[n] + b[n]")
    inputs = inputs_of(workload, {"m": 50})
    inputs["s"] = np.full(20, 0.01, np.float32)
    inputs["s"][:3] = 1e9, -1e9, 0  # what no integer holds is the outermost one
    got = kernel_of(workload, {"w": inputs["w"]})(*(a for n, a in inputs.items() if n != "w"))
    wanted = evaluate(workload, inputs)["y"]
    assert got.dtype == wanted.dtype == np.dtype(out)
    off = np.abs(got.astype(np.int64) - wanted)
    assert off[:, 2:].max() <= 1  # a tie, decided the other way in float32
    assert (off[:, 2:] > 0).mean() < 0.01
    np.testing.assert_array_equal(got[:, :2].astype(np.float32), wanted[:, :2].astype(np.float32))


def test_bfloat16_comes_as_bits_and_what_else_comes_is_told_how() -> None:
    w = np.random.default_rng(0).standard_normal((5, 6), np.float32)
    kernel = kernel_of(dense(AnyDim("m"), 5, 6, dtype="bfloat16", const=("w",)), {"w": bits_of(w, "bfloat16")})
    x = np.ones((2, 6), np.float32)
    with pytest.raises(ArgumentError, match=r"expected the bits of bfloat16 as uint16 .* pass anytile.bits_of\(x, 'bf"):
        kernel(x)
    y = kernel(bits_of(x, "bfloat16"))
    assert y.dtype == np.uint16
    np.testing.assert_allclose(from_bits(y, "bfloat16"), x @ w.T, rtol=2**-6, atol=2**-6)


def test_arrays_of_the_bfloat16_that_other_packages_add_to_numpy_are_taken() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    w = np.ones((5, 6), ml_dtypes.bfloat16)
    kernel = kernel_of(dense(AnyDim("m"), 5, 6, dtype="bfloat16", const=("w",)), {"w": w})
    assert (from_bits(kernel(w[:2]), "bfloat16") == 6).all()


@pytest.mark.slow
def test_kernels_of_narrow_numbers_are_saved_and_loaded(tmp_path: Path) -> None:
    import anytile

    for workload in (
        dense(AnyDim("m"), 33, 19, dtype="bfloat16", const=("w",)),
        quantised_dense(AnyDim("m"), 33, 19, const=("w",)),
    ):
        inputs = inputs_of(workload, {"m": 3})
        kernel = kernel_of(workload, {"w": inputs["w"]})
        kernel.save(tmp_path / "kernel")
        loaded = anytile.load_kernel(tmp_path / "kernel")
        np.testing.assert_array_equal(loaded(inputs["x"]), kernel(inputs["x"]))


ON = {
    ("znver4", "bfloat16"): "vdpbf16ps",
    ("znver4", "uint8"): "vpdpbusd",
    ("alderlake", "uint8"): "vpdpbusd",
    ("haswell", "uint8"): "vpmaddwd",
    ("x86-64", "uint8"): "pmaddwd",
    ("haswell", "bfloat16"): "vfmadd",
    ("haswell", "float16"): "vcvtph2ps",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("cpu", "dtype"), ON)
def test_each_cpu_runs_its_own_instruction(cpu: str, dtype: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    if dtype == "uint8":
        workload = quantised_dense(8, 64, 64, const=("w",))
    else:
        workload = dense(8, 64, 64, dtype=dtype, const=("w",))
    (template,) = templates_for(workload, target)
    plan = single_plan(workload, target, template.name, template.default(workload, target))
    asm = source(plan, form="asm")
    assert f"\t{ON[cpu, dtype]}" in asm
    assert not re.findall(r"anytile\.dot|__\w+", asm)  # inlined, and no library is called


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(SpecError, match="x=int16: expected uint8, int8, float32"):
        quantised_dense(1, 2, 3, x="int16")
    with pytest.raises(SpecError, match="operand 'x' cannot be constant"):
        quantised_dense(1, 2, 3, const=("x",))

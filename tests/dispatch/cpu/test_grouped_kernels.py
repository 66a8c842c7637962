"""Kernels of weights in 4 and 8 bits by groups: against the reference at every residue, and by each CPU in its way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import anytile
from anytile.core.errors import SpecError
from anytile.dispatch.backends import backend
from anytile.dispatch.cpu.build import source
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Guard, Prefetch
from anytile.schedules.nest.traverse import walk
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.cpu.narrow.grouped_dense_cpu import Digits
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import grouped_dense
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any as AnyDim
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.narrow_kernels import compare, kernel_of
from tests.support.cases.small_operators import check, inputs_of

ROWS = (0, 1, 2, 3, 4, 5, 7, 17)
Array = NDArray[Any]


def _compare(workload: Workload, **knobs: int | str) -> None:
    compare(workload, ROWS, 4e-6, **knobs)


def _constants(zeros: bool) -> tuple[str, ...]:
    return ("w", "scale", "zero") if zeros else ("w", "scale")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("k", "group", "zeros", "scales"), [
    (64, 32, False, "float32"), (67, 32, True, "float16"), (1, 32, False, "bfloat16"), (130, 128, True, "float32"),
])  # fmt: skip
def test_groups_of_every_kind_mean_what_the_reference_says(
    bits: int, k: int, group: int, zeros: bool, scales: str
) -> None:
    workload = grouped_dense(
        AnyDim("m"), 37, k, bits=bits, group=group, zeros=zeros, scales=scales, const=_constants(zeros)
    )
    _compare(workload)


@pytest.mark.slow
@pytest.mark.parametrize("const", [(), ("w",), ("scale",), ("scale", "w")])
@pytest.mark.parametrize("k", [0, 31, 32, 33, 211])
def test_constants_or_not_at_every_rest_of_k(const: tuple[str, ...], k: int) -> None:
    _compare(grouped_dense(AnyDim("m"), 37, k, const=const, tail="max(y * s[n] + b[m], 0)" if k == 33 else ""))


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (3, 1)])
def test_every_shape_of_tile(rows: int, columns: int) -> None:
    _compare(grouped_dense(AnyDim("m"), 70, 96, zeros=True, const=("w", "scale")), tile_m=rows, tile_n=columns)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("const", [(), ("w", "scale")])
def test_a_weight_that_is_widened_for_many_rows_means_the_same(const: tuple[str, ...], bits: int) -> None:
    tail = "max(y * s[n] + b[m], 0)"
    workload = grouped_dense(AnyDim("m"), 37, 67, bits=bits, zeros=True, scales="float16", const=const, tail=tail)
    _compare(workload, x="floats", tile_m=6, tile_n=2)


@pytest.mark.parametrize("x", ["digits", "floats"])
@pytest.mark.parametrize("rows", [0, 1, 3, 4, 6, 11])
def test_a_number_of_rows_that_tiles_do_not_divide_is_no_row_one_by_one(rows: int, x: str) -> None:
    workload = grouped_dense(rows, 37, 67, const=("w", "scale"))
    inputs = inputs_of(workload, {})
    got = kernel_of(workload, {n: inputs[n] for n in workload.const}, tile_m=4, tile_n=1, x=x)(inputs["x"])
    check(workload, {"y": got}, inputs, (rows, x), 4e-6)


def test_untuned_many_rows_have_the_weight_widened_where_their_digits_take_longer() -> None:
    workload = grouped_dense(AnyDim("m"), 64, 96, const=("w", "scale"))
    vnni, avx2 = (Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("znver4", "haswell"))
    assert backend(vnni).untuned(workload, vnni) is None
    rough = grouped_dense(AnyDim("m"), 64, 96, accuracy="float16")
    assert backend(avx2).untuned(rough, avx2) is None
    plan = backend(avx2).untuned(workload, avx2)
    assert plan is not None
    assert [plan.variants[0].config["x"], plan.variants[1].config["x"]] == ["digits", "floats"]
    assert [plan.range_at(m).runs for m in (0, 1, 15, 16, 1000)] == [0, 0, 0, 1, 1]
    (template,) = templates_for(workload, avx2)
    layouts = [{p.operand: p.key for p in template.schedule(workload, avx2, v.config).packs} for v in plan.variants]
    assert layouts[0] == layouts[1]  # the weight is packed once
    for rows, x in ((15, "digits"), (16, "floats")):
        assert template.default(grouped_dense(rows, 64, 96), avx2)["x"] == x


def test_bytes_hold_the_weight_of_the_lower_k_in_their_lower_half() -> None:
    rng = np.random.default_rng(0)
    q, scale = rng.integers(0, 16, (5, 41)), rng.random((5, 2), np.float32)
    w = np.zeros((5, 21), np.uint8)
    for (n, k), one in np.ndenumerate(q):
        w[n, k // 2] |= one << 4 * (k % 2)
    x = rng.standard_normal((3, 41), np.float32)
    kernel = anytile.build(grouped_dense(3, 5, 41, const=("w", "scale")), constants={"w": w, "scale": scale})
    wanted = x.astype(np.float64) @ ((q - 8) * scale[:, np.arange(41) // 32]).T
    np.testing.assert_allclose(kernel(x), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20])
def test_rows_are_as_close_as_float32_is_whatever_their_size(size: float) -> None:
    workload = grouped_dense(4, 33, 256, const=("w", "scale"))
    inputs = inputs_of(workload, {})
    inputs["x"] *= np.float32(size) * np.float32(10) ** -np.arange(4, dtype=np.float32)[:, None]
    inputs["x"][2] = 0
    got = kernel_of(workload, {n: inputs[n] for n in workload.const})(inputs["x"])
    wanted = evaluate(workload, inputs)["y"]
    largest = np.abs(inputs["x"]).max(axis=1, keepdims=True)
    assert (np.abs(got - wanted) <= 4e-6 * np.abs(wanted).max() * (largest / largest.max())).all()


@pytest.mark.slow
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("k", "group"), [(67, 32), (256, 256)])
def test_in_16_bits_rows_are_closer_than_in_float16(bits: int, k: int, group: int) -> None:
    constants = ("w", "scale")
    exact = grouped_dense(AnyDim("m"), 70, k, bits=bits, group=group, const=constants)
    rough = grouped_dense(AnyDim("m"), 70, k, bits=bits, group=group, const=constants, accuracy="float16")
    _compare(rough)
    inputs = inputs_of(rough, {"m": 17})
    got = kernel_of(rough, {n: inputs[n] for n in constants})(inputs["x"])
    halves = evaluate(exact, {**inputs, "x": inputs["x"].astype(np.float16).astype(np.float32)})["y"]
    wanted = evaluate(exact, inputs)["y"]
    assert np.linalg.norm(got - wanted) < np.linalg.norm(halves - wanted) / 2
    close = kernel_of(exact, {n: inputs[n] for n in constants})(inputs["x"])
    assert np.linalg.norm(close - wanted) < np.linalg.norm(got - wanted) / 10


@pytest.mark.slow
def test_in_8_bits_rows_have_one_digit() -> None:
    workload = grouped_dense(AnyDim("m"), 70, 96, const=("w", "scale"), accuracy="int8")
    _compare(workload)
    inputs = inputs_of(workload, {"m": 17})
    got = kernel_of(workload, {n: inputs[n] for n in workload.const})(inputs["x"])
    wanted = evaluate(workload, inputs)["y"]
    assert np.linalg.norm(got - wanted) < 1e-2 * np.linalg.norm(wanted)


@pytest.mark.parametrize(("cpu", "bits", "digits"), [("znver4", 4, 1), ("haswell", 4, 1), ("haswell", 8, 1)])
@pytest.mark.parametrize("accuracy", ["float16", "int8"])
def test_digits_of_8_bits_are_as_many_as_are_asked_for(cpu: str, bits: int, digits: int, accuracy: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    found = Digits.of(grouped_dense(AnyDim("m"), 70, 96, bits=bits, accuracy=accuracy), target)
    wanted = digits if accuracy == "int8" or found.dtype == "int16" else 2
    assert (found.count, found.bits * found.count) == (
        wanted,
        8 if accuracy == "int8" and found.dtype == "int8" else 16,
    )


def test_a_row_with_a_number_that_is_not_finite_is_what_numpy_makes_of_it_and_no_other_is_spoilt() -> None:
    workload = grouped_dense(5, 33, 64, const=("w", "scale"))
    inputs = inputs_of(workload, {})
    kernel = kernel_of(workload, {n: inputs[n] for n in workload.const})
    x = inputs["x"].copy()
    for row, what in ((1, np.nan), (2, np.inf), (3, -np.inf)):
        x[row, 40] = what
    got = kernel(x)
    wanted = evaluate(workload, {**inputs, "x": x})["y"]
    assert np.isinf(wanted[2:4]).any()
    np.testing.assert_array_equal(got[1:4], wanted[1:4])
    np.testing.assert_array_equal(got[[0, 4]], kernel(inputs["x"])[[0, 4]])


@pytest.mark.slow
def test_kernels_are_saved_and_loaded(tmp_path: Path) -> None:
    workload = grouped_dense(AnyDim("m"), 33, 70, zeros=True, scales="bfloat16", const=("w", "scale", "zero"))
    inputs = inputs_of(workload, {"m": 3})
    kernel = kernel_of(workload, {n: inputs[n] for n in workload.const})
    kernel.save(tmp_path / "kernel")
    np.testing.assert_array_equal(anytile.load_kernel(tmp_path / "kernel")(inputs["x"]), kernel(inputs["x"]))


ON = {
    ("znver4", 4): "vpdpbusd",
    ("znver4", 8): "vpdpbusd",
    ("skylake-avx512", 4): "vpmaddubsw",
    ("haswell", 4): "vpmaddubsw",
    ("haswell", 8): "vpmaddwd",
    ("x86-64", 4): "pmaddwd",
}


@pytest.mark.parametrize(("cpu", "bits"), ON)
def test_each_cpu_runs_its_own_instruction(cpu: str, bits: int) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = grouped_dense(4, 64, 64, bits=bits, const=("w", "scale"))
    (template,) = templates_for(workload, target)
    asm = source(single_plan(workload, target, template.name, template.default(workload, target)), form="asm")
    assert f"\t{ON[cpu, bits]}" in asm
    assert not re.findall(r"anytile\.dot|__\w+", asm)  # inlined, and no library is called


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(SpecError, match="bits=3; expected 4 or 8"):
        grouped_dense(1, 2, 3, bits=3)
    with pytest.raises(SpecError, match="group=48; expected a multiple of 32, 256 at most"):
        grouped_dense(1, 2, 3, group=48)
    with pytest.raises(SpecError, match="accuracy=int4: expected float32, float16"):
        grouped_dense(1, 2, 3, accuracy="int4")
    with pytest.raises(SpecError, match="scales=int8: expected float32, bfloat16, float16"):
        grouped_dense(1, 2, 3, scales="int8")


@pytest.mark.slow
@pytest.mark.parametrize("cpu", ["haswell", "x86-64"])
def test_a_streamed_weight_is_asked_for_ahead_by_tiles_of_few_rows_too(cpu: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = grouped_dense(AnyDim("m"), 64, 128, const=("w", "scale"))
    (template,) = templates_for(workload, target)
    hints = []
    for one in (workload, workload.streaming(("w", "scale"))):
        plan = single_plan(one, target, template.name, template.default(one, target), classes=4)
        hints.append(source(plan, form="asm").count("\tprefetcht1\t"))
    assert hints[0] == 0
    config, vector = template.default(workload, target), {"haswell": 32, "x86-64": 16}[cpu]
    lines = -(-4 * config.int("tile_n") * vector // 64)  # of the weight: four vectors of words make a group
    assert hints[1] >= template.tile(config) * (lines + 1)  # in full tiles, and in those of each smaller number of rows


@pytest.mark.parametrize(("cpu", "bits", "accuracy", "ahead"), [
    ("znver4", 4, "float32", 0), ("haswell", 4, "float16", 16), ("haswell", 8, "float32", 16),
    ("haswell", 8, "float16", 0),
])  # fmt: skip
def test_a_weight_that_takes_no_longer_than_its_bytes_is_not_asked_for(
    cpu: str, bits: int, accuracy: str, ahead: int
) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = grouped_dense(AnyDim("m"), 64, 128, bits=bits, const=("w", "scale"), accuracy=accuracy)
    (template,) = templates_for(workload, target)
    assert template.default(workload.streaming(("w", "scale")), target).int("prefetch") == ahead


@pytest.mark.parametrize(
    ("scales", "zeros", "lines"), [("float16", False, 4), ("float32", False, 8), ("float16", True, 6)]
)
def test_what_belongs_to_several_groups_is_asked_for_together(scales: str, zeros: bool, lines: int) -> None:
    target = Target.parse("llvm -mcpu=znver4 -threads=1")
    workload = grouped_dense(1, 64, 1024, scales=scales, zeros=zeros, const=_constants(zeros))
    (template,) = templates_for(workload, target)
    for streamed, wanted in (((), 0), (workload.const, lines)):
        one = workload.streaming(streamed)
        nest = template.schedule(one, target, template.default(one, target)).nest
        hints = [s for s in walk(nest.body) if isinstance(s, Prefetch)]
        assert len(set(hints)) == len(hints) == wanted
        assert all(h.buffer != "w_packed" for h in hints)
        asking = [s for s in walk(nest.body) if isinstance(s, Guard) and any(h in walk(s.body) for h in hints)]
        assert [str(s.condition[0]) for s in asking] == (["-(kg % 4)"] if wanted else [])


def test_only_a_weight_that_a_cache_may_keep_is_walked_to_and_fro() -> None:
    target = Target.parse("llvm -mcpu=haswell -threads=1")
    workload = grouped_dense(1, 4096, 4096, const=("w", "scale"))
    (template,) = templates_for(workload, target)
    for one, turns in ((workload, True), (workload.streaming(("w", "scale")), False)):
        plan = single_plan(one, target, template.name, template.default(one, target))
        assert ("@anytile_turn" in source(plan, form="llvm")) is turns


@pytest.mark.parametrize("ahead", [0, 8, 32])
def test_asking_ahead_changes_nothing(ahead: int) -> None:
    _compare(grouped_dense(AnyDim("m"), 37, 96, const=("w", "scale")).streaming(("w", "scale")), prefetch=ahead)

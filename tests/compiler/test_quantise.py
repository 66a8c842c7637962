"""Quantising a model: the report, the inputs it is measured on, what is refused, and what executables say of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.compiler.compile import lock
from anytile.core.errors import AnytileError
from anytile.schedules.hardware.target import Target
from examples.bert import bert
from tests.support.cases.compiled_modules import random

TARGET = "llvm -threads=1"
X = {"x": np.ones((3, 64), np.float32)}


def model() -> anytile.Module:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?t, 64), float32]") as (f, x):
        with f.at("first"):
            h = f.gelu(f.dense(x, f.constant(random(1, 96, 64), "w1")))
        with f.at("second"):
            f.result(f.dense(h, f.constant(random(2, 40, 96), "w2")))
    return m.build()


@pytest.mark.slow
def test_what_is_quantised_compiles_and_is_near() -> None:
    x = random(3, 17, 64)
    wanted = anytile.Session(anytile.compile(model(), TARGET))(x)
    for dtype, limit in (("int8", 2e-2), ("int4", 0.15), ("bfloat16", 4e-3), ("float16", 5e-4)):
        found = anytile.quantise(model(), dtype)
        by_hand = anytile.Session(anytile.compile(found.module, TARGET))(x)
        at_once = anytile.Session(anytile.compile(model(), TARGET, precision=dtype))(x)
        np.testing.assert_array_equal(by_hand, at_once)
        assert 0 < np.linalg.norm(by_hand - wanted) < limit * np.linalg.norm(wanted)
        assert [(layer.place, layer.weight, layer.dtype) for layer in found.layers] == [
            ("first", "w1", dtype),
            ("second", "w2", dtype),
        ]


@pytest.mark.slow
def test_a_quantised_module_is_a_file(tmp_path: Path) -> None:
    x = random(3, 5, 64)
    for dtype in ("int8", "int4", "bfloat16"):
        found = anytile.quantise(model(), dtype)
        found.module.save(tmp_path / "model.txt")
        exe = anytile.compile(tmp_path / "model.txt", TARGET)
        np.testing.assert_array_equal(
            anytile.Session(exe)(x), anytile.Session(anytile.compile(found.module, TARGET))(x)
        )
        exe.save(tmp_path / "model.exe")
        np.testing.assert_array_equal(anytile.Session(tmp_path / "model.exe")(x), anytile.Session(exe)(x))


def test_errors_are_those_of_the_inputs() -> None:
    x = random(3, 17, 64)
    x[:, 0] *= 1e4  # beside which the others are hardly seen
    drawn, given = anytile.quantise(model()), anytile.quantise(model(), inputs={"x": x})
    assert all(0 < layer.error < 0.02 for layer in drawn.layers)
    assert given.layers[0].error != drawn.layers[0].error
    several = anytile.quantise(model(), inputs=[{"x": x}, {"x": random(4, 3, 64)}])
    assert several.layers[0].error != given.layers[0].error


def test_what_no_run_comes_to_is_not_held_within_an_error() -> None:
    text = (
        "def main(x: Tensor[(?t, 4), float32]) "
        '{ if (less(sum(x), 0.0)) { let a = dense(exp(x), $w) @"below"; a } else { let b = dense(x, $w) @"above"; b } }'
    )
    module = anytile.Module.parse("const $w: Tensor[(4, 4), float32];" + text, {"w": random(1, 4, 4)})
    x = np.ones((3, 4), np.float32)
    below, above = anytile.quantise(module, error=0.5, inputs={"x": x}).layers
    assert (below.dtype, above.dtype) == ("float32", "int8")
    assert below.kept == "no row came to it, so its error is not known"
    below, above = anytile.quantise(module, inputs={"x": x}).layers
    assert (below.dtype, above.dtype) == ("int8", "int8")


def test_infinity_inside_a_model_keeps_its_layer() -> None:
    text = 'def main(x: Tensor[(?t, 4), float32]) { let y = dense(divide(x, 0.0), $w) @"behind"; y }'
    module = anytile.Module.parse("const $w: Tensor[(4, 4), float32];" + text, {"w": random(1, 4, 4)})
    (layer,) = anytile.quantise(module, inputs={"x": np.ones((3, 4), np.float32)}).layers
    assert (layer.dtype, layer.kept) == ("float32", "NaN or infinity came to it, which has no range")


def test_ranges_are_of_what_came_and_results_are_compared() -> None:
    runs = [{"x": random(seed, 17, 64)} for seed in (3, 4)]
    found = anytile.quantise(model(), inputs=runs, ranges="extremes")
    first, second = found.layers
    assert first.range is not None
    assert (first.range.low, first.range.high) == (min(r["x"].min() for r in runs), max(r["x"].max() for r in runs))
    assert second.range is not None
    assert -0.2 < second.range.low < 0 < second.range.high
    assert first.beyond == second.beyond == 0
    assert str(first).startswith(f"first w1: 96x64 int8, {first.range} and 0.00% beyond, error ")
    assert max(first.error, second.error) / 2 < found.error < 0.02
    narrower = anytile.quantise(model(), inputs=runs, ranges="percentile:90").layers[0]
    assert narrower.beyond > 0.05
    assert narrower.error > 2 * first.error
    assert np.isnan(anytile.quantise(model()).error)


@pytest.mark.slow
def test_the_error_of_results_is_that_of_what_is_compiled() -> None:
    x = random(3, 17, 64)
    found = anytile.quantise(model(), inputs={"x": x}, ranges="divergence")
    wanted = anytile.Session(anytile.compile(model(), TARGET))(x)
    off = np.linalg.norm(anytile.Session(anytile.compile(found.module, TARGET))(x) - wanted) / np.linalg.norm(wanted)
    np.testing.assert_allclose(off, found.error, rtol=0.02)


def test_a_layer_that_one_range_is_too_coarse_for_has_one_for_each_row() -> None:
    x = random(3, 17, 64)
    x[5] *= 100  # beside which other rows have few integers
    coarse, _ = anytile.quantise(model(), inputs={"x": x}, ranges="extremes").layers
    row, _ = anytile.quantise(model(), inputs={"x": x}).layers
    assert row.error < coarse.error
    limit = (row.error + coarse.error) / 2
    found, _ = anytile.quantise(model(), inputs={"x": x}, ranges="extremes", error=limit).layers
    assert (found.dtype, found.range, found.error) == ("int8", None, row.error)
    assert found.kept == f"error {coarse.error:.2e} with one range for all rows, so each has its own at run time"
    tight, _ = anytile.quantise(model(), inputs={"x": x}, ranges="extremes", error=1e-5).layers
    assert (tight.dtype, tight.kept) == ("float32", "more than 1e-05, so it stays float32")


def test_a_layer_that_infinity_came_to_once_has_no_range() -> None:
    text = 'def main(x: Tensor[(?t, 4), float32]) { let y = dense(divide(x, x), $w) @"behind"; y }'
    module = anytile.Module.parse("const $w: Tensor[(4, 4), float32];" + text, {"w": random(1, 4, 4)})
    x = np.ones((1030, 4), np.float32)
    x[-1] = 0  # behind the rows that are kept
    (layer,) = anytile.quantise(module, inputs={"x": x}, ranges="extremes").layers
    assert (layer.dtype, layer.kept) == ("float32", "NaN or infinity came to it, which has no range")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"dtype": "int3"}, "precision 'int3': expected one of bfloat16, float16, int8, int4"),
        ({"dtype": "float32"}, "precision 'float32': expected one of bfloat16, float16, int8"),
        ({"error": -0.1}, "quantise: error=-0.1: expected the largest relative error of a layer, 0 or more"),
        ({"error": float("nan")}, "quantise: error=nan: expected the largest relative error of a layer, 0 or more"),
        ({"inputs": []}, "quantise: inputs is empty; expected a model's arguments by name, or leave it out"),
        ({"inputs": {"y": np.ones((3, 64), np.float32)}}, "main: got y; expected x"),
        ({"inputs": {"x": np.ones((3, 63), np.float32)}}, "63"),
        ({"inputs": {"x": np.ones((3, 64))}}, "float64"),
        ({"inputs": {"x": np.full((3, 64), np.nan, np.float32)}}, "inputs 0: x has NaN or infinity in it"),
        ({"inputs": [X, {"x": np.ones((3, 63), np.float32)}]}, "quantise: inputs 1: "),
        ({"ranges": "extremes"}, "quantise: ranges are chosen of what comes to layers; expected inputs"),
        ({"ranges": "extremes", "inputs": X, "dtype": "float16"}, "with float16; expected int8, whose layers alone"),
        (
            {"ranges": "most", "inputs": X},
            "ranges 'most': expected extremes, percentile, percentile:99.9 or divergence",
        ),
        ({"dims": {"t": 3}}, "quantise: dims= pins dimensions of an ONNX model"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(asked: dict[str, object], said: str) -> None:
    with pytest.raises(AnytileError) as error:
        anytile.quantise(model(), **asked)  # type: ignore[arg-type]  # on purpose
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_precision_is_said_before_anything_is_compiled() -> None:
    with pytest.raises(
        AnytileError, match=r"^precision 'int3': expected one of float32, bfloat16, float16, int8, int4, exact$"
    ):
        anytile.compile(model(), precision="int3")


@pytest.mark.slow
def test_why_says_what_stays_float32() -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?b, ?t, 64), float32]") as (f, x):
        y = f.dense(x, random(1, 64, 64))
        f.result(f.batch_matmul(y, x, rhs="bnk"))
    exe = anytile.compile(m.build(), TARGET, precision="bfloat16")
    said = [line for line in exe.why().splitlines() if "float32, since" in line]
    assert len(said) == 1
    assert "batch_matmul(" in said[0]
    assert "float32, since bfloat16 is for dense layers" in said[0]
    assert "float32, since" not in anytile.compile(m.build(), TARGET).why()


@pytest.mark.parametrize(("cpu", "dtype"), [("znver4", "bfloat16"), ("haswell", "float32")])
def test_convolutions_are_in_16_bits_where_the_cpu_multiplies_such(cpu: str, dtype: str) -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(1, 5, 5, 8), float32]") as (f, x):
        f.result(f.conv2d(f.tanh(x), random(1, 8, 8, 3, 3), layout="nhwc"))
    plans = lock(m.build(), Target.parse(f"llvm -mcpu={cpu} -threads=1"), precision="bfloat16").plans
    (found,) = (locked.workload for locked in plans if "conv2d" in locked.workload.op)
    assert (found.op, found.dtype) == ("conv2d", dtype)


@pytest.mark.slow
def test_why_says_where_the_reason_is_of_a_convolution_that_stays() -> None:
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(1, 8, 5, 5), float32]") as (f, x):
        f.result(f.conv2d(x, random(1, 8, 1, 3, 3), groups=8))
    (line,) = (
        line for line in anytile.compile(m.build(), TARGET, precision="int8").why().splitlines() if "conv2d(" in line
    )
    assert (
        "float32, since int8 is for dense layers and convolutions with constant weights; `anytile quantise` says"
        in line
    )
    (layer,) = anytile.quantise(m.build()).layers
    assert layer.kept == "depthwise, in which looking for ranges at run time takes longer than the layer"


@pytest.mark.slow
def test_bert_in_every_precision() -> None:
    module, x = bert(layers=1), random(5, 17, 768)
    wanted = anytile.Session(anytile.compile(module, TARGET))(x)
    for dtype, limit in (("bfloat16", 4e-3), ("float16", 5e-4), ("int8", 2e-2)):
        exe = anytile.compile(module, TARGET, precision=dtype)
        found = anytile.Session(exe)(x)
        assert 0 < np.linalg.norm(found - wanted) < limit * np.linalg.norm(wanted)
        assert sum(c.array.dtype.itemsize < 4 for c in exe.constants) == 6


@pytest.mark.slow
def test_bert_with_ranges_of_other_tokens() -> None:
    module, x = bert(layers=1), random(5, 17, 768)
    wanted = anytile.Session(anytile.compile(module, TARGET))(x)
    for ranges in ("extremes", "percentile", "divergence"):
        found = anytile.quantise(module, inputs=[{"x": random(6, 30, 768)}, {"x": random(7, 9, 768)}], ranges=ranges)
        assert all(layer.range is not None for layer in found.layers if layer.weight != "attention")
        attends = any(layer.ranges for layer in found.layers)  # where bytes have products
        exe = anytile.compile(found.module, TARGET)
        off = np.linalg.norm(anytile.Session(exe)(x) - wanted) / np.linalg.norm(wanted)
        assert 0 < off < 2e-2
        assert 0.5 < off / found.error < 2
        called = [kernel.workload for kernel in exe.kernels if "quantise" in kernel.workload]
        assert sum(w.startswith("quantise_within(") for w in called) == 1  # one kernel for all that is not a tail
        assert not [w for w in called if w.startswith("quantise_rows(")]
        assert sum("out=uint8" in w for w in called) == (3 if attends else 1)

"""Models for a GPU by the public names: compiled without one, saved, loaded, explained, run on a simulated one."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import anytile
from anytile.compiler.compile import lock, needed_by
from anytile.compiler.evaluate import evaluate
from anytile.compiler.lock import lock_text
from anytile.compiler.module import Module
from anytile.core.dtypes import FLOAT8
from anytile.core.errors import SpecError, UnsupportedError
from anytile.dispatch import backends
from anytile.dispatch.backends import CudaBackend
from anytile.model_api import read_model
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import as_tensor, rounded
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import PACKED
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cuda_cpu.compiler import lacking
from tests.support.stand_ins.queued_gpu import QueuedGpu

TARGET = "cuda -arch=sm_90a"
LAYER = """
const $w: Tensor[(40, 24), float32];
def main(x: Tensor[(?n, 24), float32]) -> Tensor[(?n, 40), float32] { softmax(dense(x, $w)) }
"""
W = np.random.default_rng(0).standard_normal((40, 24), dtype=np.float32)


def layer() -> Module:
    return Module.parse(LAYER, {"w": W})


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize("trust", [False, True])
def test_a_model_is_compiled_without_a_gpu_and_runs_where_one_is(
    trust: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anytile.compile(layer(), TARGET).save(tmp_path / "model")
    exe = anytile.load(tmp_path / "model", trust)
    assert repr(exe).endswith(f"on {Target.host()} and cuda, with 0.0 MB of constants)")
    assert f"anytile tune --model FILE --target '{TARGET}'" in exe.why()
    assert {k.device for k in exe.kernels if k.kind == "kernel"} == {1}
    x = np.random.default_rng(1).standard_normal((5, 24), dtype=np.float32)
    found = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})(x)
    np.testing.assert_allclose(found, anytile.Session(anytile.compile(layer()))(x), rtol=2e-5)
    own = QueuedGpu()
    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(lambda: own, lambda: False))
    np.testing.assert_array_equal(anytile.Session(exe)(x), found)
    assert own.launches


@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_without_a_gpu_a_session_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> QueuedGpu:
        raise UnsupportedError("no NVIDIA driver was found on this machine")

    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(find))
    exe = anytile.compile(Module.parse("def main(x: Tensor[(?n), float32]) { relu(x) }", {}), TARGET)
    with pytest.raises(UnsupportedError, match="^no NVIDIA driver was found on this machine$"):
        anytile.Session(exe)


def test_what_a_gpu_needs_tuned_is_what_runs_there(tmp_path: Path) -> None:
    text = """def main(x: Tensor[(?n, 64), float32], w: Tensor[(64, 64), float32], i: Tensor[(?m), int64]) {
  dense(take(x, i, axis=0), w)
}"""
    (tmp_path / "model.txt").write_text(text)
    found = needed_by(tmp_path / "model.txt", Target.parse(TARGET), read_model)
    assert [w.op for w in found] == ["dense"]
    assert {w.op for w in needed_by(tmp_path / "model.txt", Target.host(1), read_model)} == {"dense", "gather"}


@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_a_locked_model_has_the_plans_of_both_devices(tmp_path: Path) -> None:
    text = """const $w: Tensor[(40, 24), float32];
def main(x: Tensor[(?v, 24), float32], i: Tensor[(?n), int64]) { softmax(dense(take(x, i, axis=0), $w)) }"""
    module, target = Module.parse(text, {"w": W}), Target.parse(TARGET)
    path = tmp_path / "plans"
    made = lock(module, target)
    path.write_text(lock_text(made))
    assert sorted(DispatchPlan.from_json(p.plan).target.kind for p in made.plans) == ["cuda", "cuda", "llvm"]
    exe = anytile.compile(module, target, locked=path)
    assert [k.plan for k in exe.kernels] == [k.plan for k in anytile.compile(module, target).kernels]

    (of_cpu,) = [p for p in made.plans if p.workload.op == "gather"]
    elsewhere = json.dumps({**json.loads(of_cpu.plan), "target": "llvm -mcpu=haswell -threads=1"})
    rest = [p for p in made.plans if p is not of_cpu]
    for plans, match in (
        (rest, r"plans: has no plan for gather.* on llvm .*; the model has changed"),
        ([*rest, replace(of_cpu, plan=elsewhere)], r"the plan for gather.*: is for gather.* on llvm -mcpu=haswell"),
    ):
        path.write_text(lock_text(replace(made, plans=tuple(plans))))
        with pytest.raises(SpecError, match=match):
            anytile.compile(module, target, locked=path)
    with pytest.raises(SpecError, match="plans: is for cuda -arch=sm_90a, this compile is for cuda -arch=sm_80"):
        anytile.compile(module, "cuda -arch=sm_80", locked=path)


def _gelu(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))))


@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize("dtype", FLOAT8)
def test_rows_and_weights_in_8_bits_are_multiplied_as_float16(dtype: str) -> None:
    """Which has all of their numbers: what comes out is that of float32."""
    pytest.importorskip("ml_dtypes")
    w = as_tensor(np.random.default_rng(0).standard_normal((40, 32), dtype=np.float32), dtype)
    m = anytile.ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 32), float32]") as (f, x):
        small = f.cast(f.multiply(x, 3.0), dtype=dtype)
        rows = f.cast(f.transpose(f.transpose(small, perm=(1, 0)), perm=(1, 0)), dtype="float32")
        made = f.quantised_dense(rows, f.constant(w, "w"), x="float32", w=dtype, out="float32")
        f.result(f.tuple(f.relu(made), f.transpose(small, perm=(1, 0))))
    module = m.build()
    exe = anytile.compile(module, TARGET)
    (product,) = [k for k in exe.kernels if k.workload.startswith("quantised_dense")]
    assert "products=rounded" in product.workload
    assert "quantised_dense.cuda.mma8" in product.plan
    (on_host,) = [k for k in anytile.compile(module).kernels if k.workload.startswith("quantised_dense")]
    assert "products" not in on_host.workload
    session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})
    for rows in (1, 5, 37):
        x = np.random.default_rng(rows).standard_normal((rows, 32), dtype=np.float32)
        held = as_tensor(3 * x, dtype)
        for _ in range(3):
            y, lying = session(x)
            wanted = np.maximum(held.astype(np.float64) @ w.astype(np.float64).T, 0)
            np.testing.assert_allclose(y, wanted, rtol=2e-6, atol=2e-5)
            np.testing.assert_array_equal(np.from_dlpack(lying.view(np.uint8)), held.view(np.uint8).T)


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_weights_in_16_bits_are_half_as_many_bytes_and_multiplied_with_rows_in_16_bits(precision: str) -> None:
    text = LAYER.replace("softmax(dense(x, $w))", "gelu(add(dense(x, $w), 1.0))")
    module = Module.parse(text, {"w": W})
    exe = anytile.compile(module, TARGET, precision=precision)
    (kernel,) = [k for k in exe.kernels if k.kind == "kernel"]
    assert kernel.workload.startswith(
        f"quantised_dense(m=?m, n=40, k=24, x=float32, w={precision}, out=float32, products=rounded"
    )
    assert "quantised_dense.cuda.mma" in kernel.plan
    assert [c.array.nbytes for c in exe.constants if c.array.size > 1] == [W.size * 2]
    session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})
    on_cpu = anytile.Session(anytile.compile(module, precision=precision))
    rows_too = rounded(W, precision).astype(np.float64).T
    for rows in (1, 5, 37):
        x = np.random.default_rng(rows).standard_normal((rows, 24), dtype=np.float32)
        for _ in range(3):
            np.testing.assert_allclose(session(x), _gelu(rounded(x, precision) @ rows_too + 1.0), rtol=2e-5, atol=2e-5)
            np.testing.assert_allclose(session(x), on_cpu(x), rtol=0.05, atol=0.05)


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_what_kernels_leave_for_each_other_is_16_bits_in_memory(tmp_path: Path) -> None:
    """Saved and loaded, too; and nobody says of a layer in 16 bits that it stayed float32."""
    text = LAYER.replace("softmax(dense(x, $w))", "softmax(dense(relu(dense(x, $w)), $v))")
    v = np.random.default_rng(3).standard_normal((40, 40), dtype=np.float32)
    module = Module.parse(f"const $v: Tensor[(40, 40), float32];{text}", {"w": W, "v": v})
    anytile.compile(module, TARGET, precision="float16").save(tmp_path / "model")
    exe = anytile.load(tmp_path / "model", trust=True)
    assert [k.workload.partition("stored=")[2].partition(",")[0] for k in exe.kernels if k.kind == "kernel"] == [
        "y:float16",
        "",
        "x:float16)",
    ]
    assert "float32, since" not in exe.why()
    session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})
    on_cpu = anytile.Session(anytile.compile(module, precision="float16"))
    for rows in (1, 37):
        x = np.random.default_rng(rows).standard_normal((rows, 24), dtype=np.float32)
        for _ in range(3):
            np.testing.assert_allclose(session(x), on_cpu(x), rtol=0.05, atol=0.01)


def test_without_matrix_units_weights_alone_are_in_16_bits() -> None:
    made = lock(layer(), Target.parse("cuda -arch=sm_75"), precision="bfloat16")
    assert [str(p.workload) for p in made.plans] == [
        "quantised_dense(m=?m, n=40, k=24, x=float32, w=bfloat16, out=float32, dtype=float32)",
        "softmax(outer=?outer, n=40, inner=1, dtype=float32)",
    ]


IMAGES = """
const $stem: Tensor[(16, 3, 3, 3), float32];
const $wide: Tensor[(24, 16, 3, 3), float32];
const $back: Tensor[(16, 24, 1, 1), float32];
def main(x: Tensor[(?n, 12, 10, 3), float32]) -> Tensor[(?n, 16), float32] {
  let h = relu(conv2d(x, $stem, pad=(1, 1, 1, 1), layout="nhwc"));
  let y = relu(conv2d(h, $wide, pad=(1, 1, 1, 1), stride=(2, 2), layout="nhwc"));
  let p = max_pool2d(h, kernel=(2, 2), stride=(2, 2), layout="nhwc");
  mean(relu(add(conv2d(y, $back, layout="nhwc"), p)), axis=(1, 2))
}
"""


def images() -> Module:
    sizes = {"stem": (16, 3, 3, 3), "wide": (24, 16, 3, 3), "back": (16, 24, 1, 1)}
    drawn = {
        name: np.random.default_rng(i).standard_normal(size, np.float32) for i, (name, size) in enumerate(sizes.items())
    }
    return Module.parse(IMAGES, {name: w / np.float32(math.sqrt(w[0].size)) for name, w in drawn.items()})


@pytest.mark.parametrize(
    ("arch", "lies", "first", "others"),
    [
        ("sm_90a", "conv2d filters=ohwi dtype=bfloat16", "conv2d.cuda.mma", "conv2d.cuda.relay"),
        ("sm_80", "conv2d filters=ohwi dtype=bfloat16", "conv2d.cuda.mma", "conv2d.cuda.mma"),
        ("sm_89", "conv2d filters=ohwi dtype=bfloat16", "conv2d.cuda.mma", "conv2d.cuda.mma"),
        ("sm_75", "conv2d dtype=float32", "conv2d.cuda.simt", "conv2d.cuda.simt"),
    ],
)
def test_convolutions_in_16_bits_are_on_matrix_units(arch: str, lies: str, first: str, others: str) -> None:
    """Of groups of warps where there are such; the first one's images, of three channels, are what the model is given,
    rounded before."""
    plans = lock(images(), Target.parse(f"cuda -arch={arch}"), precision="bfloat16").plans
    found = [p for p in plans if p.workload.op.endswith("conv2d")]
    stem, *rest = sorted(found, key=lambda p: str(dict(p.workload.dims)["ci"]), reverse=True)
    assert {_lies(p.workload) for p in (stem, *rest)} == {lies}
    assert DispatchPlan.from_json(stem.plan).variants[0].template == first
    assert {DispatchPlan.from_json(p.plan).variants[0].template for p in rest} == {others}


def _lies(workload: Workload) -> str:
    """What is multiplied, and how the weight lies."""
    words = str(workload)[:-1].split(", ")
    kept = (w for w in words if w.startswith(("filters=", "x=", "weight=", "products=", "dtype=")))
    return " ".join([workload.op, *kept])


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize(
    ("arch", "template", "count"), [("sm_90a", "conv2d.cuda.relay", 2), ("sm_90", "conv2d.cuda.mma", 3)]
)
def test_a_convolutional_network_in_16_bits_is_near_the_cpus(arch: str, template: str, count: int) -> None:
    exe = anytile.compile(images(), f"cuda -arch={arch}", precision="float16")
    assert sum(template in k.plan for k in exe.kernels) == count
    session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})
    exact = anytile.Session(anytile.compile(images()))
    for count in (1, 3):
        x = np.random.default_rng(count).standard_normal((count, 12, 10, 3), dtype=np.float32)
        wanted = exact(x)
        assert 1e-5 < np.linalg.norm(session(x) - wanted) / np.linalg.norm(wanted) < 1e-3


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("relu(add(conv_transpose(x, $w, stride=2, pad=1), $b))", (4, 3, 5)),
        ("conv3d(x, $deep, pad=1)", (4, 3, 2, 5)),
        ('resize_by(x, $by, axes=(2, 3), mode="linear")', (4, 3, 5)),
        ('resize(x, axes=(3,), sizes=(7,), coordinates="asymmetric")', (4, 3, 5)),
    ],
)
def test_images_in_other_sizes_are_made_on_the_gpu(body: str, shape: tuple[int, ...]) -> None:
    """All but tables of run time, of as many rows as an axis has elements."""
    rng = np.random.default_rng(0)
    constants = {
        **{name: rng.standard_normal(s, dtype=np.float32) for name, s in (("w", (4, 3, 4, 4)), ("b", (3, 1, 1)))},
        **{"deep": rng.standard_normal((2, 4, 3, 3, 3), dtype=np.float32), "by": np.asarray([2.0, 1.5], np.float32)},
    }
    used = {name: array for name, array in constants.items() if f"${name}" in body}
    declared = "".join(f"const ${name}: Tensor[{array.shape}, float32];\n" for name, array in used.items())
    dims = ", ".join(["?n", str(shape[0]), *(f"?d{i}" for i in range(len(shape) - 1))])
    module = Module.parse(f"{declared}def main(x: Tensor[({dims}), float32]) {{ {body} }}", used)
    exe = anytile.compile(module, TARGET)
    assert all("resize_taps" in k.workload for k in exe.kernels if k.kind == PACKED)
    session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})
    exact = anytile.Session(anytile.compile(module))
    for count in (1, 2):
        x = rng.standard_normal((count, *shape), dtype=np.float32)
        np.testing.assert_allclose(session(x), exact(x), rtol=1e-5, atol=1e-5)


def test_models_in_8_bits_are_for_cpus() -> None:
    with pytest.raises(UnsupportedError, match="precision int8 is for CPUs so far; expected one of float32, b"):
        anytile.compile(layer(), TARGET, precision="int8")


CACHED = """
def main(q: Tensor[(?b, ?t, 4, 8), float32], k: Tensor[(?b, 2, ?c, 8), float32], v: Tensor[(?b, 2, ?c, 8), float32],
         length: Tensor[(?b), int64]) {
  attention(q, k, v, length, q="bmhd", y="bmhe", scale=0.35, causal=true, lengths=true, shared=2)
}
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_attention_looks_at_as_much_of_a_cache_as_there_is() -> None:
    """What is behind a length is NaN: neither device reads it, and both give what the operator means."""
    module = Module.parse(CACHED, {})
    on_gpu = anytile.Session(anytile.compile(module, TARGET), devices={"cuda": StreamDevice(QueuedGpu())})
    on_cpu = anytile.Session(anytile.compile(module))
    rng = np.random.default_rng(2)
    for batch, tokens, room in ((1, 1, 40), (2, 5, 37)):
        q, k, v = (
            rng.standard_normal(shape, dtype=np.float32)
            for shape in ((batch, tokens, 4, 8), (batch, 2, room, 8), (batch, 2, room, 8))
        )
        length = np.array([room - 3, 7][:batch])
        meant = evaluate(module, (q, k, v, length))
        for b, there in enumerate(length):
            k[b, :, there:] = v[b, :, there:] = np.nan
        for session in (on_gpu, on_cpu):
            np.testing.assert_allclose(session(q, k, v, length), meant, rtol=1e-5, atol=1e-5)

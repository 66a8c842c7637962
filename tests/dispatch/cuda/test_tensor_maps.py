"""Kernels that copy by tensor maps, on the simulated device: at other addresses, in graphs and batches, as bytes."""

from __future__ import annotations

import json
import random
import struct

import numpy as np
import pytest

from anytile.codegen.artifact import Artifact
from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.launch import TensorMap
from anytile.core.dtypes import BYTES
from anytile.core.errors import ArgumentError
from anytile.dispatch.cuda.batches.batch import Batch, Given
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.loaded import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.handwritten_cuda import artifact as by_hand
from tests.support.cases.handwritten_cuda import no_compiler
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import encoded
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

N, K = 40, 136
CONFIG = Config.of(groups=1, columns=32, stages=2, behind=0, split_k=1, group_m=1, resident=1, cluster=1, stores=0)
W = np.random.default_rng(0).integers(-4, 5, (N, K)).astype(np.float16)

on_cpu = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


def artifact(config: Config = CONFIG) -> Artifact:
    workload, target = dense(Any("m"), N, K, "float16"), Target.parse("cuda -arch=sm_90a -sm=2")
    return compile_plan(single_plan(workload, target, "dense.cuda.relay", config), compiler=no_compiler())


def rows(m: int) -> np.ndarray:
    return np.random.default_rng(m).integers(-4, 5, (m, K)).astype(np.float16)


def product(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) @ W.astype(np.float32).T


def test_maps_come_back_from_bytes_which_older_readers_refuse() -> None:
    code = CudaCode.of(artifact().code)
    (placed,) = code.kernels
    x, w = placed.kernel.launch.maps
    assert x == TensorMap(0, "float16", (var("m"), const(K)), (64, 64), (1, 1))
    assert w == TensorMap(1, "float16", (const(N), const(K)), (32, 64), (1, 1))
    data = code.to_bytes()
    assert CudaCode.of(data) == code
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    assert header["format"] == 2
    wrongs = [-1, "float16", [], [], 64, 64], [0, "float4", [], [], 64, 64], [0, "float16", [], [], 64, 257]
    steps = [0, "float16", [], [], 64], [0, "float16", [], [], 64, 64, 1], [0, "float16", [], [], 64, 64, 5, 1]
    for wrong in (*wrongs, *steps, [0, "float16"], [3, "float16", [], [], 64, 64]):
        header["kernels"][0]["launch"]["maps"] = [wrong]
        text = json.dumps(header).encode()
        with pytest.raises(ValueError, match=r"no tensor map|of no tensor of dense"):
            CudaCode.of(struct.pack("<I", len(text)) + text + data[4 + length :])


IMAGES = Workload.parse("conv2d(n=?m, ci=8, h=9, w=9, co=40, kh=3, kw=3, stride=2x2, layout=nhwc, filters=ohwi, "
                        "dtype=float16)")  # fmt: skip


def of_images() -> Artifact:
    target = Target.parse("cuda -arch=sm_90a -sm=2")
    config = CONFIG.with_(across=8)
    return compile_plan(single_plan(IMAGES, target, "conv2d.cuda.relay", config), compiler=no_compiler())


def test_maps_of_more_than_matrices_come_back_too() -> None:
    """And readers of maps of matrices refuse them."""
    data = of_images().code
    code = CudaCode.of(data)
    assert code.to_bytes() == data
    x, w = code.kernels[0].kernel.launch.maps
    assert (x.box, x.steps, w.box, w.steps) == ((1, 8, 8, 64), (1, 2, 2, 1), (32, 1, 1, 64), (1, 1, 1, 1))
    (length,) = struct.unpack_from("<I", data)
    assert json.loads(data[4 : 4 + length])["format"] == 3


FINE = (0x1000, 2, (5, 9, 9, 8), (1, 8, 8, 64), (1, 2, 2, 1))


@pytest.mark.parametrize(
    ("number", "wrong", "says"),
    [
        (0, 0x1008, "a multiple of 16"),
        (1, 4, "at most what is swizzled"),
        (2, (5, 0, 9, 8), r"1 to 2\^32"),
        (2, (5, 9, 9, 12), "multiples of 16 bytes"),
        (2, (9, 9, 8), "as many in all"),
        (3, (1, 8, 129, 64), "1 to 256"),
        (4, (1, 2, 9, 1), "1 to 8"),
        (4, (1, 2, 2, 2), "that of the last dimension"),
    ],
)
def test_the_simulated_driver_refuses_maps_as_the_real_one_does(number: int, wrong: object, says: str) -> None:
    gpu = SimulatedGpu()
    address, _, sizes, box, steps = FINE
    assert gpu.tensor_map(address, "float16", sizes, box, steps)
    given = [*FINE]
    given[number] = wrong  # type: ignore[call-overload]
    with pytest.raises(AssertionError, match=says):
        encoded(*given)  # type: ignore[arg-type]


BOXED = (
    "dense(m=?m, n=776, k=136, dtype=bfloat16)",
    "dense(m=300, n=776, k=8, dtype=float16, stored=y:float32)",
    "batch_matmul(b=3, m=?m, n=328, k=72, rhs=bnk, dtype=bfloat16)",
    "batch_matmul(b=?b, m=65, n=200, k=136, lhs=mbk, rhs=kbn, y=mbn, dtype=float16)",
    "conv2d(n=?n, ci=8, h=70, w=67, co=40, kh=3, kw=3, stride=2x1, pad=1, layout=nhwc, filters=ohwi, dtype=float16)",
    "conv2d(n=?n, ci=72, h=40, w=300, co=136, kh=5, kw=1, stride=3x8, dilation=2x3, layout=nhwc, filters=ohwi, "
    "dtype=bfloat16)",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", BOXED)
def test_the_maps_of_all_kinds_of_configs_are_taken(text: str) -> None:
    """One of each kind of box that a search could propose, at one row, image or batch and at many."""
    workload, target = Workload.parse(text), Target.parse("cuda -arch=sm_90a")
    found = template(f"{workload.op}.cuda.relay")
    kinds = {}
    for config in found.space(workload, target).sample(random.Random(text), 400):
        of = dict(config.values)
        kinds.setdefault(tuple(of.get(name) for name in ("groups", "columns", "cluster", "stores", "across")), config)
    assert len(kinds) >= 8
    for config in kinds.values():
        (launch,) = build(workload, config, target, found).launches
        assert len(launch.maps) == 2 + (config.int("stores") > 0)
        for size in (1, 1000):
            symbols = dict.fromkeys(workload.symbols, size)
            for one in launch.maps:
                item = BYTES[one.dtype]
                assert encoded(1 << 20, item, tuple(e.evaluate(symbols) for e in one.sizes), one.box, one.steps)


@on_cpu
@pytest.mark.slow
def test_maps_of_images_are_of_the_arrays_of_their_call() -> None:
    gpu, rng = SimulatedGpu(), np.random.default_rng(0)
    kernel, weight = CudaKernel(of_images(), gpu), rng.integers(-4, 5, (40, 3, 3, 8)).astype(np.float16)
    for count in (0, 3, 1, 3):
        x = rng.integers(-4, 5, (count, 9, 9, 8)).astype(np.float16)
        wanted = evaluate(IMAGES, {"x": x, "w": weight})["y"]
        np.testing.assert_array_equal(kernel(gpu.array(x), gpu.array(weight)).values, wanted)
    assert gpu.broken is None


def test_kernels_without_maps_are_the_bytes_that_they_were() -> None:
    data = by_hand().code
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    assert header["format"] == 1
    assert "maps" not in header["kernels"][0]["launch"]


@on_cpu
@pytest.mark.slow
def test_a_map_is_of_the_arrays_of_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is made again only where the address is another."""
    gpu = SimulatedGpu()
    made: list[int] = []
    monkeypatch.setattr(
        gpu, "tensor_map", lambda at, *more: (made.append(at), SimulatedGpu.tensor_map(gpu, at, *more))[1]
    )
    kernel, w = CudaKernel(artifact(), gpu), gpu.array(W)
    for m in (0, 3, 100, 3, 100):
        x = gpu.array(rows(m))
        for _ in range(3):
            np.testing.assert_array_equal(kernel(x, w).values, product(x.values))
    assert gpu.broken is None
    assert len(made) == 10  # two for each new frame, and x where a frame meets another one


@on_cpu
@pytest.mark.slow
def test_a_result_that_is_stored_in_bulk_has_a_map_too() -> None:
    """In memory of its own at each call, and in the caller's."""
    gpu = SimulatedGpu()
    made = artifact(CONFIG.with_(columns=64, stores=1))
    assert [m.tensor for m in CudaCode.of(made.code).kernels[0].kernel.launch.maps] == [0, 1, 2]
    kernel, w = CudaKernel(made, gpu), gpu.array(W)
    for m in (1, 100, 0, 100):
        x, out = gpu.array(rows(m)), gpu.array(np.full((m, N), np.nan, np.float16))
        first, second = kernel(x, w), kernel(x, w)
        kernel(x, w, out=out)
        for found in (first, second, out):
            np.testing.assert_array_equal(found.values, product(x.values))
    assert gpu.broken is None


@on_cpu
@pytest.mark.slow
def test_blocks_of_a_cluster_have_maps_of_the_parts_that_they_copy() -> None:
    gpu = SimulatedGpu()
    made = artifact(CONFIG.with_(cluster=2))
    assert [m.box for m in CudaCode.of(made.code).kernels[0].kernel.launch.maps] == [(64, 64), (16, 64)]
    kernel, w = CudaKernel(made, gpu), gpu.array(W)
    for m in (0, 1, 100, 300):
        x = gpu.array(rows(m))
        np.testing.assert_array_equal(kernel(x, w).values, product(x.values))
    assert gpu.broken is None


@on_cpu
@pytest.mark.slow
def test_graphs_keep_the_maps_that_they_were_recorded_with() -> None:
    gpu = SimulatedGpu()
    kernel, w = CudaKernel(artifact(), gpu), gpu.array(W)
    x, out, other = gpu.array(rows(70)), gpu.array(np.zeros((70, N), np.float16)), gpu.array(rows(70) + np.float16(1))
    kernel(x, w, out=out)
    graph = gpu.record(gpu.stream, lambda: kernel(x, w, out=out))
    kernel(other, w)
    out.values[...] = np.nan
    graph.launch(gpu.stream)
    np.testing.assert_array_equal(out.values, product(x.values))


@on_cpu
@pytest.mark.slow
def test_in_a_batch_they_come_in_their_turn() -> None:
    gpu = SimulatedGpu()
    loaded, size = Loaded(CudaCode.of(artifact().code), gpu), 70 * K * 2
    inputs, weights, results = (gpu.allocate(n) for n in (2 * size, W.nbytes, 2 * 70 * N * 2))
    gpu.write(weights.address, W)
    gpu.write(inputs.address, np.concatenate([rows(70), rows(71)[:70]]))
    bases = [0, inputs.address, results.address]

    def given(m: int, behind: int, to: int) -> Given:
        return Given(loaded, loaded.at({"m": m}), ((1, behind), (0, weights.address), (2, to)))

    batch = Batch([given(70, 0, 0), given(0, 0, 0), given(65, size, 70 * N * 2)], gpu)
    assert batch.count == 2
    batch.launch(bases, 0, 5)
    found = gpu.read(results.address, results.nbytes).view(np.float16).reshape(2, 70, N)
    np.testing.assert_array_equal(found[0], product(rows(70)))
    np.testing.assert_array_equal(found[1, :65], product(rows(71)[:65]))
    with pytest.raises(ArgumentError, match="x begins 2 bytes after a multiple of 16"):
        Batch([given(3, 2, 0)], gpu).launch(bases, 0, 5)

"""On a real GPU, where there is one: CuPy's and torch's arrays, streams, graphs, cuBLAS, and a candidate gone wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.core.errors import ArgumentError
from anytile.db.records.records import Status
from anytile.dispatch.backends import CudaBackend, backend_of, cuda_device
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.emit import Emitted
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.untuned import untuned_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import ceildiv, const, var
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.protocol.candidate import Candidate, TimingPolicy, point_of
from anytile.tuner.protocol.messages import Built
from anytile.tuner.runners.timing_setups import timing_setup

pytestmark = pytest.mark.cuda
SIZES = (1, 3, 16, 17, 64, 65, 200)
W = dense(Sym("m"), 96, 64)


@pytest.fixture(scope="module")
def device() -> Any:
    pytest.importorskip("cupy")
    return cuda_device()


def default(workload: Workload, template: str | None = None) -> DispatchPlan:
    target = Target.parse("cuda")
    found = next(t for t in templates_for(workload, target) if template in (None, t.name))
    return single_plan(workload, target, found.name, found.default(workload, target))


@pytest.mark.parametrize("template", ["dense.cuda.simt", "dense.cuda.narrow"])
def test_cupy_arrays(device: Any, template: str) -> None:
    import cupy

    kernel = CudaKernel(compile_plan(default(W, template)), device)
    w = cupy.random.standard_normal((96, 64), dtype=np.float32)
    for m in SIZES:
        x = cupy.random.standard_normal((m, 64), dtype=np.float32)
        for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
            with stream:
                got = kernel(x, w)
                stream.synchronize()
            np.testing.assert_allclose(got.get(), x.get() @ w.get().T, rtol=1e-4, atol=1e-4)
    with pytest.raises(ArgumentError, match="not contiguous"):
        kernel(cupy.zeros((8, 128), np.float32)[:, ::2], w)
    with pytest.raises(ArgumentError, match="got one on the CPU"):
        kernel(np.zeros((8, 64), np.float32), w)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("template", ["dense.cuda.narrow", None, "untuned"])
def test_torch_tensors_and_a_graph(device: Any, dtype: str, template: str | None) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    kind = getattr(torch, dtype)
    workload = dense(Sym("m"), 96, 64, dtype=dtype)
    untuned = template == "untuned"  # of several templates, some of which share sums in a workspace
    plan = untuned_plan(workload, Target.parse("cuda")) if untuned else default(workload, template)
    kernel = CudaKernel(compile_plan(plan), device)
    w = torch.randn(96, 64, device="cuda").to(kind)
    for m in SIZES:
        x = torch.randn(m, 64, device="cuda").to(kind)
        wanted = (x.double() @ w.double().t()).float()
        close = {"rtol": 2e-2, "atol": 2e-1} if dtype != "float32" else {"rtol": 1e-4, "atol": 1e-4}
        torch.testing.assert_close(kernel(x, w).float(), wanted, **close)
        out = torch.empty(m, 96, device="cuda", dtype=kind)
        assert kernel(x, w, out=out) is out
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kernel(x, w, out=out)
        out.zero_()
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(out.float(), wanted, **close)


WGMMA, RELAY = "dense.cuda.wgmma", "dense.cuda.relay"
OF_GROUPS: tuple[tuple[str, dict[str, int]], ...] = (
    (WGMMA, {}),
    (WGMMA, {"split_k": 2}),
    (RELAY, {"groups": 1, "columns": 32, "stages": 2, "resident": 0}),  # each thing by itself, then together
    (RELAY, {"groups": 1, "columns": 32, "stages": 2, "resident": 1}),
    (RELAY, {"groups": 1, "columns": 32, "stages": 2, "resident": 0, "behind": 1}),
    (RELAY, {"groups": 1, "columns": 64, "resident": 0, "split_k": 4}),
    (RELAY, {"groups": 2, "columns": 128, "group_m": 4, "resident": 1}),
    (RELAY, {"groups": 2, "columns": 256, "group_m": 16, "resident": 1, "behind": 1}),  # registers are moved
    (RELAY, {"groups": 1, "columns": 64, "resident": 0, "stores": 1}),
    (RELAY, {"groups": 1, "columns": 64, "resident": 0, "cluster": 2}),
    (RELAY, {"groups": 2, "columns": 256, "group_m": 16, "resident": 1, "behind": 1, "cluster": 2, "stores": 1}),
)


@pytest.mark.parametrize(("name", "changes"), OF_GROUPS, ids=str)
def test_products_of_groups_of_warps(device: Any, name: str, changes: dict[str, int]) -> None:
    """Rows, columns and steps of k that are no whole tiles; by tensor maps of arrays that come and go."""
    import cupy

    if device.facts.arch != "sm_90a":
        pytest.skip(f"{device.facts.arch} has none")
    workload, target = dense(Sym("m"), 328, 712, dtype="float16"), Target.parse("cuda")
    template = next(t for t in templates_for(workload, target) if t.name == name)
    config = template.default(workload, target).with_(**changes)
    template.space(workload, target).check(config)
    kernel = CudaKernel(compile_plan(single_plan(workload, target, name, config)), device)
    w = (cupy.random.standard_normal((328, 712), dtype=np.float32) / 16).astype(np.float16)
    for m in (1, 63, 64, 129, 1000, 20000):
        for _ in range(2):
            x = cupy.random.standard_normal((m, 712), dtype=np.float32).astype(np.float16)
            wanted = cupy.matmul(x.astype(np.float32), w.astype(np.float32).T)
            np.testing.assert_allclose(kernel(x, w).get(), wanted.get(), rtol=2e-3, atol=2e-3)


def test_the_library_is_right(device: Any) -> None:
    if device.library() is None:
        pytest.skip("no cuBLAS")
    import cupy

    plan = default(W)
    plan = DispatchPlan(W, plan.target, "m", plan.variants, (Range(0, None, "cublas"),), {})
    kernel = CudaKernel(compile_plan(plan), device)
    x, w = (cupy.random.standard_normal((rows, 64), dtype=np.float32) for rows in (17, 96))
    np.testing.assert_allclose(kernel(x, w).get(), x.get() @ w.get().T, rtol=1e-4, atol=1e-4)


def _of_cublas(dtype: str) -> tuple[Any, CudaKernel]:
    torch = pytest.importorskip("torch")
    made = backend_of("cuda")
    assert isinstance(made, CudaBackend)
    if not torch.cuda.is_available() or made.device.library() is None:
        pytest.skip("torch sees no GPU, or no cuBLAS")
    plan = default(dense(Sym("m"), 96, 64, dtype=dtype))
    plan = DispatchPlan(plan.workload, plan.target, "m", plan.variants, (Range(0, None, "cublas"),), {})
    return torch, CudaKernel(compile_plan(plan), made.device)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_library_runs_on_torchs_side_stream(device: Any, dtype: str) -> None:
    """What comes before it on the stream is slow: on any other stream it would read what is not there yet."""
    torch, kernel = _of_cublas(dtype)
    kind = getattr(torch, dtype)
    w = torch.randn(96, 64, device="cuda").to(kind)
    big = torch.randn(4096, 4096, device="cuda")
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    for m in SIZES:
        wanted = torch.ones(m, 64, device="cuda").to(kind) @ w.t()
        x, out = torch.zeros(m, 64, device="cuda", dtype=kind), torch.zeros(m, 96, device="cuda", dtype=kind)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            for _ in range(8):
                torch.mm(big, big)
            x.fill_(1)
            kernel(x, w, out=out)
        side.synchronize()
        torch.testing.assert_close(out.float(), wanted.float(), rtol=2e-2, atol=1e-1)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_library_runs_in_a_graph_of_torchs(device: Any, dtype: str) -> None:
    torch, kernel = _of_cublas(dtype)
    kind = getattr(torch, dtype)
    w = torch.randn(96, 64, device="cuda").to(kind)
    for m in SIZES:
        x = torch.randn(m, 64, device="cuda").to(kind)
        wanted = kernel(x, w).float()
        out = torch.empty(m, 96, device="cuda", dtype=kind)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kernel(x, w, out=out)
        out.zero_()
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(out.float(), wanted, rtol=2e-2, atol=1e-1)


def test_the_stopwatch_times_the_library(device: Any, tmp_path: Path) -> None:
    if device.library() is None:
        pytest.skip("no cuBLAS")
    plan = default(W)
    plan = DispatchPlan(W, plan.target, "m", (), (Range(0, None, "cublas"),), {})
    candidate = Candidate(W, plan.target, LIBRARY, Config.of(name="cublas"), (point_of({"m": 64}),))
    supervisor = timing_setup(plan.target).supervisor(tmp_path)
    try:
        (timing,) = supervisor.measure(Built(candidate, compile_plan(plan)), TimingPolicy()).timings
    finally:
        supervisor.close()
    assert timing.status is Status.OK, timing.reason


def _straying(workload: Any, target: Any, variant: Any, residues: Any) -> Emitted:
    text = """
extern "C" __global__ void kernel(const float* x, const float* w, float* y, long long m) {
  y[(long long)threadIdx.x + (1LL << 40)] = 1.0f;
}
"""
    launch = Launch("kernel", (ceildiv(var("m"), 4), const(1), const(1)), (4, 1, 1))
    return Emitted(f"{PRELUDE_DEVICE}\n{text}", text, launch, 4)


def test_an_illegal_access_costs_one_trial_and_a_process(device: Any, tmp_path: Path) -> None:
    plan = default(W)
    supervisor = timing_setup(plan.target).supervisor(tmp_path)
    variant = plan.variants[0]
    candidate = Candidate(W, plan.target, variant.template, variant.config, (point_of({"m": 64}),))
    good, bad = compile_plan(plan), compile_plan(plan, emitter=_straying)
    try:
        statuses = []
        for artifact in (good, bad, good):
            (timing,) = supervisor.measure(Built(candidate, artifact), TimingPolicy()).timings
            statuses.append(timing.status)
    finally:
        supervisor.close()
    assert statuses == [Status.OK, Status.CRASHED, Status.OK]

"""Streams, threads, graphs and foreign arrays on a real GPU: what shares a workspace must never meet in it.

The kernels share their sums (`split_k`), so two launches in one workspace at once would be wrong sums.
"""

from __future__ import annotations

import functools
import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from anytile.codegen.artifact import Artifact
from anytile.core.errors import ArgumentError
from anytile.dispatch.backends import cuda_device
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym

pytestmark = pytest.mark.cuda
N, K, M = 96, 1024, 48
TEMPLATES = {"float32": "dense.cuda.simt", "bfloat16": "dense.cuda.mma"}
TIMES = 40


@functools.cache
def _compiled(dtype: str, const: tuple[str, ...]) -> Artifact:
    workload, found = dense(Sym("m"), N, K, dtype=dtype).with_const(const), template(TEMPLATES[dtype])
    target = Target.parse(f"cuda -arch={cuda_device().facts.arch}")
    config = found.default(workload, target).with_(split_k=8)
    found.space(workload, target).check(config)
    return compile_plan(single_plan(workload, target, found.name, config))


def split(dtype: str = "float32", **constants: Any) -> CudaKernel:
    """A dense layer whose blocks share the sums of a tile."""
    return CudaKernel(_compiled(dtype, tuple(constants)), cuda_device(), constants)


def near(got: Any, wanted: Any, tolerance: float = 2e-3) -> None:
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * float(np.abs(wanted).max()))


def operands(seed: int, rows: int = M) -> tuple[Any, Any, Any]:
    import cupy

    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((rows, K), np.float32), rng.standard_normal((N, K), np.float32)
    cupy.cuda.Device().synchronize()
    return cupy.asarray(x), cupy.asarray(w), x @ w.T


def test_two_streams_at_once() -> None:
    import cupy

    kernel, given = split(), [operands(seed) for seed in range(2)]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in given]
    outs = [[cupy.zeros((M, N), np.float32) for _ in range(TIMES)] for _ in given]
    cupy.cuda.Device().synchronize()
    for turn in range(TIMES):
        for stream, (x, w, _), out in zip(streams, given, outs, strict=True):
            with stream:
                assert kernel(x, w, out=out[turn]) is out[turn]
    cupy.cuda.Device().synchronize()
    for (_, _, wanted), out in zip(given, outs, strict=True):
        for one in out:
            near(one.get(), wanted)


def test_two_threads_each_on_its_own_default_stream() -> None:
    import cupy

    kernel, given = split(), [operands(seed) for seed in range(2)]
    cupy.cuda.Device().synchronize()

    def work(one: tuple[Any, Any, Any]) -> None:
        x, w, wanted = one
        with cupy.cuda.Stream.ptds:
            found = [kernel(x, w) for _ in range(TIMES)]
            cupy.cuda.Stream.ptds.synchronize()
        for y in found:
            near(y.get(), wanted)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, given))


def the_torch() -> Any:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch


def test_two_graphs_of_one_capture_stream_replayed_on_two() -> None:
    torch = the_torch()
    kernel, made = split(), []
    for seed in range(2):
        torch.manual_seed(seed)
        x, w = torch.randn(M, K, device="cuda"), torch.randn(N, K, device="cuda")
        wanted, out = kernel(x, w).clone(), torch.empty(M, N, device="cuda")
        near(wanted.cpu().numpy(), (x.double() @ w.double().t()).float().cpu().numpy())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(4):
                kernel(x, w, out=out)
        made.append((graph, torch.cuda.Stream(), x, w, out, wanted))
    torch.cuda.synchronize()
    for _ in range(TIMES):
        for graph, stream, *_ in made:
            with torch.cuda.stream(stream):
                graph.replay()
    torch.cuda.synchronize()
    for _, _, _, _, out, wanted in made:
        near(out.cpu().numpy(), wanted.cpu().numpy())


def test_a_capture_at_a_shape_that_was_not_met_says_so_and_leaves_the_device_well() -> None:
    torch = the_torch()
    kernel, x, w = split(), torch.randn(M, K, device="cuda"), torch.randn(N, K, device="cuda")
    out = torch.empty(M, N, device="cuda")
    with pytest.raises(ArgumentError, match="no workspace is ready"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        kernel(x, w, out=out)
    torch.cuda.synchronize()
    near(kernel(x, w).cpu().numpy(), (x.double() @ w.double().t()).float().cpu().numpy())


def test_bfloat16_of_cupy() -> None:
    import cupy

    ml_dtypes = pytest.importorskip("ml_dtypes")
    kernel = split("bfloat16")
    x, w, wanted = operands(3)
    got = kernel(*(cupy.asarray(one.get().astype(ml_dtypes.bfloat16)) for one in (x, w)))
    assert isinstance(got, cupy.ndarray)
    assert got.dtype == ml_dtypes.bfloat16
    near(got.get().astype(np.float32), wanted, 3e-2)


def test_arrays_of_two_libraries_in_one_call() -> None:
    """torch's first, so its stream: what CuPy has under way is waited for on it."""
    import cupy

    torch = the_torch()
    kernel = split()
    x, w = torch.randn(M, K, device="cuda", requires_grad=True), cupy.random.standard_normal((N, K), dtype=np.float32)
    got = kernel(x, w)
    assert isinstance(got, torch.Tensor)
    assert not got.requires_grad
    near(got.cpu().numpy(), x.detach().cpu().numpy() @ w.get().T)
    first = kernel(cupy.asarray(x.detach()), torch.as_tensor(w, device="cuda"))
    assert isinstance(first, cupy.ndarray)
    near(first.get(), x.detach().cpu().numpy() @ w.get().T)


def test_a_constant_that_is_still_being_made_when_the_kernel_is_built() -> None:
    torch = the_torch()
    big, x = torch.randn(4096, 4096, device="cuda"), torch.randn(M, K, device="cuda")
    w, values = torch.zeros(N, K, device="cuda"), torch.randn(N, K, device="cuda")
    _compiled("float32", ("w",))  # before, so that the work is still under way
    torch.cuda.synchronize()
    making, calling = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(making):
        for _ in range(20):
            torch.mm(big, big)
        w.copy_(values)
        kernel = split(w=w)
    with torch.cuda.stream(calling):
        got = kernel(x)
    torch.cuda.synchronize()
    near(got.cpu().numpy(), (x.double() @ values.double().t()).float().cpu().numpy())


def test_a_kernel_that_goes_while_it_runs_leaves_its_memory_till_it_is_done() -> None:
    """The pool hands out at once what is given back; torch's stream is one that it knows nothing of."""
    import cupy

    torch = the_torch()
    big, x = torch.randn(4096, 4096, device="cuda"), torch.randn(M, K, device="cuda")
    w = np.random.default_rng(5).standard_normal((N, K), np.float32)
    kernel = split(w=w)
    kernel(x)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(20):
            torch.mm(big, big)
        got = kernel(x)
    del kernel
    gc.collect()
    over = [cupy.full((N, K), np.nan, np.float32) for _ in range(4)]
    torch.cuda.synchronize()
    near(got.cpu().numpy(), x.cpu().numpy() @ w.T)
    assert len(over) == 4


def test_a_tensor_that_begins_in_the_middle_of_a_vector_is_refused() -> None:
    torch = the_torch()
    kernel, w = split(), torch.randn(N, K, device="cuda")
    with pytest.raises(ArgumentError, match="begins 4 bytes after a multiple of 16"):
        kernel(torch.randn(M * K + 1, device="cuda")[1:].view(M, K), w)

"""dense on a GPU beside cuBLAS and torch: the layers of BERT-base and of a large language model, and a large product.

float32 and bfloat16 alternate, so that a run which ends early has some of both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

from anytile.dispatch.backends import backend
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.loaded import Loaded, clear
from anytile.schedules.plans.plan import Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.schedules.workloads.workload import Workload
from benchmarks.gpu import kernels
from benchmarks.gpu.plans import UNTUNED, tune_lacking, tuned, untuned
from benchmarks.gpu.run import Part, Run, Unit
from benchmarks.measure.harness import Claim, Row, geomean
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, STATIC, SYMBOLIC
from benchmarks.rivals.torch_gpu import BY_LT, TORCH

BERT = ((768, 768), (3072, 768), (768, 3072))  # (n, k)
DECODER = ((4096, 4096), (14336, 4096))
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 17, 24, 32, 33, 48, 64, 65, 96, 100, 128, 129, 160, 192, 200, 255, 256)
CHECKED = (1, 3, 16, 17, 64, 100, 129, 256)
STATICS = (1, 8, 17, 64, 100, 256)
QUICK = (1, 16, 100, 256)
LARGE = 8192
GAIN, WORST, FIXED, OF_CUBLAS, HOST_US = 1.1, 0.85, 0.97, 0.9, 8.0
DTYPES = ("float32", "bfloat16")


def layers(quick: bool) -> list[Workload]:
    """In turns of dtypes; the decoder's in bfloat16 alone."""
    found = {"float32": BERT, "bfloat16": (*BERT, *DECODER)}
    if quick:
        found = dict.fromkeys(found, BERT[:1])
    turns = zip_longest(*([dense(Sym("m"), n, k, dtype=dtype) for n, k in found[dtype]] for dtype in DTYPES))
    return [workload for turn in turns for workload in turn if workload is not None]


def units(quick: bool) -> list[Unit]:
    sizes = QUICK if quick else SIZES
    checked, static = ([m for m in some if m in sizes] for some in (CHECKED, STATICS))

    def unit(workload: Workload) -> Unit:
        work = partial(kernels.measure, workload=workload, part="dense", sizes=sizes, checked=checked, static=static)
        return Unit(f"{workload}", 13.0, work)

    all_layers = layers(quick)
    tuning = Unit("tuning of dense", 20.0 if quick else 90.0, partial(tune_lacking, workloads=all_layers))
    return [tuning, *map(unit, all_layers), Unit("host time of a call", 4.0, host_cost)]


def claims(rows: Sequence[Row]) -> list[Claim]:
    found = []
    those = kernels.cells(rows, "dense")
    for dtype in DTYPES:
        of = [(case, at) for case, at in those if case["dtype"] == dtype]
        if not of:
            continue
        what = f"{dtype} dense ({kernels.said(of)})"
        rivals = "/".join(name for name in (CUBLAS, TORCH, BY_LT) if any(name in at for _, at in of))
        if own := kernels.gains(of, OWN):
            found.append(Claim(f"{what}: own kernels against the best of {rivals}", geomean(own), GAIN))
            found.append(Claim(f"{what}: own kernels against the best of {rivals}, worst", min(own), WORST))
        if plan := kernels.gains(of, SYMBOLIC):
            found.append(Claim(f"{what}: the plan, which may call cuBLAS, against the same", geomean(plan), GAIN))
        calls = sum(case["runs"] == kernels.LIBRARY for case, _ in of) / len(of)
        found.append(Claim(f"{what}: share of the sizes at which the plan calls cuBLAS", calls, 1.0, True))
    fixed = [at[STATIC] / at[SYMBOLIC] for _, at in those if STATIC in at]
    if fixed:
        count = f"{len(fixed)} points"
        found.append(Claim(f"symbolic plan against a kernel compiled for that m ({count})", geomean(fixed), FIXED))
    return found


PART = Part("dense", units, claims, lambda report: kernels.show(report, "dense"))


def large(size: int = LARGE) -> Workload:
    return dense(size, size, size, dtype="bfloat16")


def large_product(run: Run, size: int = LARGE) -> None:
    """Beside the plan each template's default config: what a search begins with must not be far off, either."""
    workload = large(size)
    plans = []
    for template in templates_for(workload, run.target):
        with run.noted(f"{template.name} of {workload}"):
            plans.append(single_plan(workload, run.target, template.name, template.default(workload, run.target)))
    kernels.measure(run, workload, "big", (size,), (size,), others=plans)


def large_claims(rows: Sequence[Row]) -> list[Claim]:
    found = []
    for case, at in kernels.cells(rows, "big"):
        if CUBLAS in at and OWN in at:
            how = ", untuned" if case["plan"] == UNTUNED else ""
            what = f"{case['dtype']} {case['m']} cubed{how}: own kernels against cuBLAS"
            found.append(Claim(what, at[CUBLAS] / at[OWN], OF_CUBLAS))
    return found


BIG = Part(
    "big",
    lambda quick: [Unit("a large product", 45.0, large_product)],
    large_claims,
    lambda report: kernels.show(report, "big"),
)


def host_cost(run: Run, rounds: int = 15, calls: int = 200) -> None:
    """What a call from Python takes beyond the driver's own launch, both without waiting for the device."""
    workload, m = dense(Sym("m"), *BERT[0]), 8
    plan = tuned(run, workload) or untuned(workload, run.target)
    if not plan.variants:
        plan = untuned(workload, run.target)
    plan = replace(plan, ranges=(Range(0, None, 0),))  # ours, also where the library is faster
    native = run.device.native
    dtype, sizes = native.dtype(plan.workload.dtype), workload.sizes({"m": m})
    shapes = ((m, sizes["k"]), (sizes["n"], sizes["k"]), (m, sizes["n"]))
    x, w, y = (native.empty(shape, dtype) for shape in shapes)
    artifact = backend(run.target).compile(plan, cache=run.cache)
    kernel, loaded = CudaKernel(artifact, run.device), Loaded(CudaCode.of(artifact.code), run.device)
    ready = loaded.at({"m": m})
    function = ready.function
    assert function is not None
    workspace = run.device.allocate(ready.workspace)
    clear(run.device, workspace.address, ready.workspace, 0)
    frame = loaded.frame(ready, [native.address(a, dtype) for a in (x, w, y)], workspace.address)
    frame.map_tensors(run.device)

    def best(call: Callable[[], Any]) -> float:
        times = []
        for _ in range(rounds):
            run.device.synchronise()
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            times.append((time.perf_counter() - begin) / calls)
        return min(times)

    kernel(x, w, out=y)
    with run.timing():
        bare = best(lambda: run.device.launch(function, ready.grid, 0, frame.address))
        ours = best(lambda: kernel(x, w, out=y))
        run.device.synchronise()
    run.report.claims.append(Claim("us of host time that a call adds to a launch", (ours - bare) * 1e6, HOST_US, True))

"""dense on the NVIDIA GPU of this machine: tuned briefly, checked, and timed beside cuBLAS and torch in one run.

    scripts/gpu_bench --json gpu.json

Takes under nine minutes: whatever is not done by then is left out, and said. So is whatever goes wrong: it costs its
own layer or size, and the rest is shown and written. Trials go to a journal beside the results, else here,
which `anytile db import` reads.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import platform
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from anytile.codegen.cache import CodeCache
from anytile.core.errors import AnytileError
from anytile.db.journal import Journal
from anytile.dispatch.backends import backend
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import BrokenContext, CudaDevice, DeviceLost
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.loaded import Loaded, clear
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.builders.compile_only import compile_only
from anytile.tuner.campaign import run_campaign
from anytile.tuner.ledger.budget import default_seconds
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.runners.inline import InlineRunner
from anytile.tuner.runners.timing_setups import timing_setup
from benchmarks.measure.harness import Claim, Report, Row, geomean, require_outputs
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, STATIC, SYMBOLIC, TORCH, Layer, empty_kernel, of_own, race

LAYERS = ((768, 768), (3072, 768), (768, 3072))  # (n, k) of BERT-base
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 17, 24, 32, 33, 48, 64, 65, 96, 100, 128, 129, 160, 192, 200, 255, 256)
CHECKED = (1, 3, 16, 17, 64, 100, 129, 256)
FLOORS = {"float32": 1.0, "bfloat16": 0.9}
BUDGET = 510.0  # seconds for everything
TUNING = 0.62  # of it
LEAST = 15.0  # seconds that tuning one workload takes at least
STRETCH = 0.75  # of the default budget for `tune`: with so much for each workload, the first one may have all of it
ROUNDS = 7
BUILT = 40  # configs, to see how fast builders are


@dataclass
class Run:
    """One run: what it is made on and for, and when it has to be over."""

    device: CudaDevice
    target: Target
    report: Report
    budget: float
    lock: DeviceLock
    torch: Any = None
    layers: Sequence[tuple[int, int]] = LAYERS
    sizes: Sequence[int] = SIZES

    def left(self) -> float:
        return self.budget - self.report.elapsed

    def late(self, what: object) -> bool:
        """Whether no time is left, which is noted."""
        if self.left() > 0:
            return False
        self.report.unmeasured.append(f"{what}: no time was left")
        return True

    @contextmanager
    def noted(self, what: object, unless: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """What goes wrong costs only what is done here, and is said."""
        try:
            yield
        except (Failed, AnytileError, RuntimeError, MemoryError, OSError) as error:
            if isinstance(error, unless) or (unless and getattr(error, "corrupt", False)):
                raise
            line = " ".join(str(error).split())[:300] or type(error).__name__
            self.report.unmeasured.append(f"{what}: {line}")
            self.report.say(f"{what} failed: {line}")

    def workloads(self) -> list[Workload]:
        found = []
        for dtype in FLOORS:
            for n, k in self.layers:
                workload = dense(Sym("m"), n, k, dtype=dtype)
                try:
                    templates_for(workload, self.target)
                except AnytileError as error:
                    self.report.unmeasured.append(f"{workload}: {error}")
                    continue
                found.append(workload)
        return found


def tune(run: Run, workloads: Sequence[Workload], journal: Path, strategy: str) -> dict[Workload, DispatchPlan]:
    """One campaign for each, so that one that fails leaves the others."""
    plans: dict[Workload, DispatchPlan] = {}
    with closing(Journal(journal)) as store, closing(InlineRunner()) as runner:
        for i, workload in enumerate(workloads):
            if run.late(f"tuning {workload}"):
                continue
            seconds = max(LEAST, (run.budget * TUNING - run.report.elapsed) / (len(workloads) - i))
            default = i == 0 and seconds >= STRETCH * default_seconds(1)
            seconds = default_seconds(1) if default else seconds
            run.report.say(f"tuning {workload} for {seconds:.0f} s")
            request = TuneRequest((workload,), run.target, strategy=strategy, seconds=None if default else seconds)
            began = time.monotonic()
            with run.noted(workload):
                result = run_campaign(store, runner, request)
                plans.update(result.plans)
                if result.state == "interrupted":  # by a signal, and a campaign returns then
                    raise KeyboardInterrupt
                took = time.monotonic() - began
                if default:
                    claim = f"seconds for `tune` of {workload} with its default budget"
                    run.report.claims.append(Claim(claim, took, 180.0, at_most=True))
                elif i == 0:
                    run.report.unmeasured.append(f"seconds for `tune` with its default budget: had {seconds:.0f} s")
    return plans


def check(run: Run, layer: Layer) -> bool:
    """Every kind of size against the oracle; a plan that is wrong is not timed."""
    for m in (m for m in CHECKED if m <= max(run.sizes)):
        try:
            layer.check(m)
        except Failed as error:
            run.report.unmeasured.append(f"{layer.workload}: {error}")
            return False
    return True


def measure(run: Run, layer: Layer) -> None:
    sizes = layer.workload.sizes({"m": 1})
    for m in run.sizes:
        if run.late(f"{layer.workload} from m={m} on"):
            return
        flops = layer.workload.flops({"m": m})
        case = {"op": "dense", "dtype": layer.workload.dtype, "m": m, "n": sizes["n"], "k": sizes["k"]}
        with run.noted(f"{layer.workload} at m={m}", unless=(BrokenContext, DeviceLost)):
            with run.lock.timing(timeout=max(run.left(), 1.0)):
                samples = race(layer.contenders(m, static=True), ROUNDS)
            for name, times in of_own(samples).items():
                seconds = statistics.median(times)
                spread = (max(times) - min(times)) / seconds
                run.report.rows.append(Row(case, name, seconds, flops / seconds / 1e9, spread, len(times)))


def host_cost(run: Run, plan: DispatchPlan, rounds: int = 15, calls: int = 200) -> None:
    """What a call from Python takes beyond the driver's own launch, both without waiting for the device."""
    if not plan.variants:
        return
    plan = replace(plan, ranges=(Range(0, None, 0),))  # ours, also where the library is faster
    native, m = run.device.native, 8
    dtype = native.dtype(plan.workload.dtype)
    sizes = plan.workload.sizes({"m": m})
    if dtype is None or plan.workload.const:
        return
    shapes = ((m, sizes["k"]), (sizes["n"], sizes["k"]), (m, sizes["n"]))
    x, w, y = (native.empty(shape, dtype) for shape in shapes)
    artifact = backend(run.target).compile(plan)
    kernel, loaded = CudaKernel(artifact, run.device), Loaded(CudaCode.of(artifact.code), run.device)
    ready = loaded.at({"m": m})
    function = ready.function
    assert function is not None
    workspace = run.device.allocate(ready.workspace)
    clear(run.device, workspace.address, ready.workspace, 0)
    frame = loaded.frame(ready, [native.address(a, dtype) for a in (x, w, y)], workspace.address)
    frame.map_tensors(run.device)

    def best(call: Any) -> float:
        times = []
        for _ in range(rounds):
            run.device.synchronise()
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            times.append((time.perf_counter() - begin) / calls)
        return min(times)

    kernel(x, w, out=y)
    with run.lock.timing(timeout=max(run.left(), 1.0)):
        bare = best(lambda: run.device.launch(function, ready.grid, 0, frame.address))
        ours = best(lambda: kernel(x, w, out=y))
        run.device.synchronise()
    run.report.claims.append(Claim("us of host time that a call adds to a launch", (ours - bare) * 1e6, 8.0, True))


def builders(run: Run) -> None:
    request = TuneRequest((dense(Sym("m"), 768, 768),), run.target, strategy="random", trials=BUILT, seed=1)
    farm = BuilderPool(2)
    farm.build((), 1.0)
    found = list(compile_only(request, farm))
    total = sum(f.built + sum(f.failed.values()) for f in found)
    rate = total / sum(f.seconds for f in found)
    run.report.claims.append(Claim("candidates compiled per second by 2 builders", rate, 10.0))


def claims(rows: Sequence[Row]) -> list[Claim]:
    """The table of what must be reached, as far as rows answer for it."""
    found = []
    by_case: dict[str, dict[str, float]] = {}
    sizes: dict[str, set[int]] = {}
    for row in rows:
        sizes.setdefault(row.case["dtype"], set()).add(row.case["m"])
        by_case.setdefault(f"{row.case['dtype']} {dict(row.case)}", {})[row.system] = row.seconds
    for dtype, floor in FLOORS.items():
        cells = [systems for case, systems in by_case.items() if case.startswith(dtype) and SYMBOLIC in systems]
        rivals = [{s for s in (CUBLAS, TORCH) if s in systems} for systems in cells]
        if cells and all(rivals):
            ratios = [min(c[s] for s in names) / c[SYMBOLIC] for c, names in zip(cells, rivals, strict=True)]
            names = "/".join(sorted(set().union(*rivals)))
            claim = f"{dtype} dense, {len(sizes[dtype])} sizes that stand for m in 1..256, against the best of {names}"
            found.append(Claim(claim, geomean(ratios), floor))
            own = [min(c[s] for s in names) / c[OWN] for c, names in zip(cells, rivals, strict=True) if OWN in c]
            if own:
                found.append(Claim(f"{claim}: own kernels alone", geomean(own), floor))
                found.append(Claim(f"{claim}: own kernels alone, worst", min(own), 0.85))
            library = sum(STATIC not in c for c in cells) / len(cells)
            found.append(Claim(f"{dtype} dense: share of the sizes at which the plan calls cuBLAS", library, 1.0, True))
    fixed = [s[STATIC] / s[SYMBOLIC] for s in by_case.values() if STATIC in s and SYMBOLIC in s]
    if fixed:
        found.append(Claim("symbolic with dispatch against a kernel compiled for that m", geomean(fixed), 0.95))
    return found


def show(report: Report) -> None:
    cells: dict[tuple[str, int, int], dict[int, dict[str, float]]] = {}
    for row in report.rows:
        key = (str(row.case["dtype"]), row.case["n"], row.case["k"])
        cells.setdefault(key, {}).setdefault(row.case["m"], {})[row.system] = row.seconds
    for (dtype, n, k), sizes in cells.items():
        systems = list(dict.fromkeys(s for at in sizes.values() for s in at))
        lines = [
            (str(m), *(f"{at[s] * 1e6:.2f}" if s in at else "" for s in systems),
             f"{min((at[s] for s in (CUBLAS, TORCH) if s in at), default=float('nan')) / at[SYMBOLIC]:.2f}x")
            for m, at in sorted(sizes.items())
        ]  # fmt: skip
        report.table(f"{dtype} ({n}, {k}), us per call", ("m", *systems, "over best"), lines)


def describe(device: CudaDevice) -> dict[str, Any]:
    """What a reader needs to judge the figures; nothing that names the host."""
    facts = device.facts
    versions = {}
    for name in ("numpy", "torch", "cupy-cuda13x", "cupy-cuda12x"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "gpu": facts.name,
        "arch": facts.arch,
        "multiprocessors": facts.sms,
        "l2": facts.l2,
        "memory": facts.memory,
        "driver": ".".join(map(str, facts.driver)),
        "compiler": backend(Target.parse(f"cuda -arch={facts.arch}")).compiler(),
        "library": device.library(),
        "python": platform.python_version(),
        "versions": versions,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="F", help="write the results there")
    parser.add_argument("--journal", type=Path, metavar="F", help="keep the trials there, not beside the results")
    parser.add_argument("--seconds", type=float, default=BUDGET, help="for everything (%(default)g)")
    model = importlib.util.find_spec("xgboost") is not None
    search = "evolve" if model else "random"
    parser.add_argument("--search", default=search, choices=("random", "grid", "evolve"), help="here %(default)s")
    parser.add_argument("--quick", action="store_true", help="one layer, a few sizes: to see that it works")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a floor is missed")
    options = parser.parse_args(arguments)
    options.plot = None
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: {options.json.parent} is no folder")
    began = time.monotonic()
    try:
        require_outputs(options)
        target = Target.parse("cuda")
        device: CudaDevice = backend(target).device  # type: ignore[attr-defined]  # a CUDA target's backend has one
        report = Report(describe(device), started=began)
        run = Run(device, target, report, options.seconds, DeviceLock(timing_setup(target).lock), _torch())
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if options.quick:
        run.layers, run.sizes = LAYERS[:1], (1, 16, 100, 256)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with run.noted("the rest"):
                _work(run, options, Path(folder))
        except KeyboardInterrupt:
            report.unmeasured.append("the rest: it was stopped")
    show(report)
    report.claims += claims(report.rows)
    return report.finish(options)


def _work(run: Run, options: argparse.Namespace, folder: Path) -> None:
    report = run.report
    report.say(f"{run.device.facts}; " + ("torch beside it" if run.torch is not None else "no torch"))
    if run.device.library() is None:
        report.unmeasured.append(f"against {CUBLAS}, which was not found")
    if run.torch is None:
        report.unmeasured.append(f"against {TORCH}, which is not installed or sees no GPU")
    with run.noted("an empty kernel"), run.lock.timing(timeout=max(run.left(), 1.0)):
        report.machine = {**report.machine, "empty_kernel_us": round(empty_kernel(run.device) * 1e6, 3)}
    with run.noted("candidates compiled per second"):
        builders(run)
    plans = tune(run, run.workloads(), _journal(options), options.search)
    cache = CodeCache(folder / "code")
    for workload, plan in plans.items():
        if run.late(workload):
            continue
        report.say(f"checking and timing {workload}")
        with run.noted(workload):
            layer = Layer(run.device, plan, run.torch, cache)
            if check(run, layer):
                measure(run, layer)
    floats = [p for w, p in plans.items() if w.dtype == "float32"]
    if floats and not run.late("host time of a call"):
        with run.noted("host time of a call"):
            host_cost(run, floats[0])


def _journal(options: argparse.Namespace) -> Path:
    if options.journal is not None:
        return Path(options.journal)
    return Path("gpu.trials.jsonl") if options.json is None else Path(options.json).with_suffix(".trials.jsonl")


def _torch() -> Any:
    """torch, if it is installed and sees the GPU."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch


if __name__ == "__main__":
    np.seterr(all="ignore")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # who ends it for its time gets what there is
    sys.exit(main())

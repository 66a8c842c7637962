"""The process that measures on a GPU: it opens the device, and does the units that it is given, one after another.

Another process started it, is told all it finds, and starts a new one for the units that are left where this one ends
before: a kernel that does what a GPU does not forgive ends the process's use of the GPU for good.
"""

from __future__ import annotations

import gc
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anytile.codegen.cache import CodeCache
from anytile.core.errors import AnytileError
from anytile.dispatch.backends import backend
from anytile.dispatch.cuda.device import CudaDevice
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.runners.timing_setups import timing_setup
from benchmarks.gpu.clocks import Clocks
from benchmarks.gpu.events import Teller
from benchmarks.gpu.run import ENDED, Run, Unit, describe, share
from benchmarks.measure.harness import Report
from benchmarks.rivals import torch_gpu
from benchmarks.rivals.gpu_rivals import CUBLAS, empty_kernel
from benchmarks.rivals.torch_gpu import TORCH

BROKEN = 75  # exit status of a process that ended with its GPU
SLACK = 0.5  # of a unit's share
GRACE = 30.0  # seconds beyond its time after which a unit hangs


def opened(options: Namespace, report: Report) -> Run:
    """A run on this machine's GPU; an `AnytileError` says what is missing."""
    target = Target.parse("cuda")
    device: CudaDevice = backend(target).device  # type: ignore[attr-defined]  # a CUDA target's backend has one
    report.machine = describe(device)
    lock = DeviceLock(timing_setup(target).lock)
    run = Run(device, target, report, options.seconds, lock, CodeCache(options.code), options.journal, options.search)
    run.torch, run.quick = torch_gpu.installed(device.facts.l2), options.quick
    run.clocks = Clocks.of(device.facts.id)
    return run


def measure(run: Run, units: Sequence[Unit], teller: Teller) -> int:
    """All units, each in its share of the time; the exit status."""
    run.told = teller.news
    teller.news()
    with np.errstate(all="ignore"):
        for i, unit in enumerate(units):
            begun = run.report.elapsed
            own = share(run.budget - begun, [u.seconds for u in units[i:]])
            run.slack = max(0.0, min(SLACK * own, run.budget - begun - own))
            run.budget, whole = begun + own, run.budget
            teller.begin(unit.name, max(own, 0.0) + run.slack + GRACE)
            try:
                with run.noted(unit.name):
                    if not run.late(unit.name):
                        unit.measure(run)
            except ENDED as error:
                run.report.unmeasured.append(f"{unit.name}: {error}")
                run.report.say(f"{unit.name} ended this process: {error}")
                teller.end(unit.name)
                return BROKEN
            run.budget = whole
            teller.end(unit.name)
    return 0


def first_look(run: Run) -> None:
    """What is said of the machine once: who is there, and what a launch costs that does nothing."""
    report = run.report
    report.say(f"{run.device.facts}; " + ("torch beside it" if run.torch is not None else "no torch"))
    if run.device.library() is None:
        report.unmeasured.append(f"against {CUBLAS}, which was not found")
    if run.torch is None:
        report.unmeasured.append(f"against {TORCH}, which is not installed or sees no GPU")
    with run.noted("an empty kernel"), run.timing():
        report.machine = {**report.machine, "empty_kernel_us": round(empty_kernel(run.device) * 1e6, 3)}


def main(options: Namespace, units: Sequence[Unit], events: Path, is_first: bool) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # who ends it for its time gets what there is
    report = Report({})
    teller = Teller(events, report)
    try:
        run = opened(options, report)
        gc.freeze()  # torch collects garbage before each graph that it records: what was imported is none
        if is_first:
            first_look(run)
        return measure(run, units, teller)
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        report.unmeasured.append("the rest: it was stopped")
        teller.news()
        return 130

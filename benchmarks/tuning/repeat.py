"""Plans of campaigns that somebody disturbed, against each other and the machine's BLAS: does tuning repeat itself?

Campaigns of the same workload run one after the other, each on a new database, while another process streams memory in
bursts. Then, with nobody beside them, their plans and numpy are timed in alternation at many sizes:

    scripts/bench repeat --check
    scripts/bench repeat --undisturbed            # the same without the other process
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

import anytile
from anytile.core.errors import SpecError
from anytile.dispatch.backends import AnyKernel
from anytile.schedules.workloads.workload import Workload, parse_shape
from anytile.tuner.measure.cpu.drift import Reference
from benchmarks.measure import campaigns
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, interleave
from benchmarks.measure.native import Array, Native
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import Numpy

SHAPE = "m=?,n=768,k=3072"  # of BERT-base: its weight is in the last cache, which neighbours share
SIZES = (*range(1, 17), 18, 20, 23, 28, 31, 37, 48, 61, 64, 77, 97, 128, 200, 256)
CAMPAIGNS = 3
SECONDS = 60
BURST_S = 2.0
BLAS = "numpy"
APART, BEHIND = 1.05, 0.97
# Copies between two arrays that no cache holds, for so long, and then rests as long: while who started it lives.
_NEIGHBOUR = f"""
import os
import time
import numpy as np
a, b = np.ones(1 << 25), np.empty(1 << 25)
parent = os.getppid()
while os.getppid() == parent:
    end = time.monotonic() + {BURST_S}
    while time.monotonic() < end:
        np.copyto(b, a)
    time.sleep({BURST_S})
"""


def measure(report: Report, options: argparse.Namespace) -> None:
    shape = options.shape or SHAPE
    workload = parse_shape("dense", shape, const=("w",))
    target = anytile.Target.host(options.threads)
    seconds = SECONDS // 6 if options.quick else options.seconds
    with tempfile.TemporaryDirectory() as folder:
        databases = [str(Path(folder) / f"{i}.db") for i in range(options.campaigns)]
        with neighbour(options):
            for db in databases:
                words = [*campaigns.tune_words(shape), "--time", f"{seconds}s"]
                words[words.index("--target") + 1] = f"llvm -threads={options.threads}"
                report.say(f"anytile {' '.join(words)}")
                campaigns.run(words, db)
        kernels = [
            anytile.build(workload, target=target, db=db, constants={"w": _weight(workload)}) for db in databases
        ]
    compare(report, options, workload, kernels)
    by_m = seconds_of(report.rows)
    lines = [[str(m), f"{apart(at):.3f}", f"{behind(at):.3f}"] for m, at in by_m.items()]
    report.table("Plans of campaigns in bursts", ["m", "slowest over fastest", "slowest over BLAS, in speed"], lines)


@contextmanager
def neighbour(options: argparse.Namespace) -> Iterator[None]:
    """A process that streams memory in bursts, on a core that the campaigns leave free."""
    if options.undisturbed:
        yield
        return
    free = sorted(set(range(os.cpu_count() or 1)) - os.sched_getaffinity(0))
    if not free:
        raise SpecError(f"--threads {options.threads}: takes every core; the neighbour needs one, or --undisturbed")
    other = subprocess.Popen([sys.executable, "-c", _NEIGHBOUR])
    try:
        os.sched_setaffinity(other.pid, free[:1])
        yield
    finally:
        other.kill()
        other.wait()


def _weight(workload: Workload) -> Array:
    sizes = workload.sizes({"m": 1})
    return np.random.default_rng(0).standard_normal((sizes["n"], sizes["k"]), dtype=np.float32)


def compare(report: Report, options: argparse.Namespace, workload: Workload, kernels: Sequence[AnyKernel]) -> None:
    """Every plan and numpy in alternation, while the machine is whole."""
    w = _weight(workload)
    n, k = w.shape
    x = np.random.default_rng(1).standard_normal((max(SIZES), k), dtype=np.float32)
    natives = {f"campaign {i + 1}": Native(kernel.artifact, workload, {"w": w}) for i, kernel in enumerate(kernels)}
    blas = Numpy(w, options.threads)
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(rounds=15)
    steady = Reference(options.threads).steady() if options.threads == 1 else None
    for m in SIZES[::5] if options.quick else SIZES:
        flops = 2.0 * m * n * k
        outs = [np.full((m, n), np.nan, dtype=np.float32) for _ in natives]
        systems = [
            native.at(name, {"x": x[:m]}, out, {"m": m}, flops)
            for (name, native), out in zip(natives.items(), outs, strict=True)
        ]
        ways = [System.of(way.label, way.call, flops) for way in blas.ways(x[:m])]
        fastest = min(interleave({}, ways, Timing(rounds=3, most_rounds=3)), key=lambda row: row.seconds).system
        systems.append(replace(next(way for way in ways if way.name == fastest), name=BLAS))
        rows = interleave({"op": "dense", "m": m, "n": n, "k": k}, systems, timing, steady)
        wanted = x[:m].astype(np.float64) @ w.T.astype(np.float64)
        for name, out in zip(natives, outs, strict=True):
            np.testing.assert_allclose(out, wanted, atol=1e-2, rtol=1e-3, err_msg=f"{name} at m={m}")
        report.rows += rows


def seconds_of(rows: Iterable[Row]) -> dict[int, dict[str, float]]:
    """m -> system -> seconds."""
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.case["m"], {})[row.system] = row.seconds
    return found


def apart(at: dict[str, float]) -> float:
    """How many times as long as the fastest plan the slowest one takes."""
    plans = [seconds for name, seconds in at.items() if name != BLAS]
    return max(plans) / min(plans)


def behind(at: dict[str, float]) -> float:
    """The speed of the slowest plan over that of BLAS."""
    return at[BLAS] / max(seconds for name, seconds in at.items() if name != BLAS)


def claims(rows: Iterable[Row]) -> list[Claim]:
    by_m = seconds_of(rows)
    if not by_m:
        return []
    return [
        Claim("slowest plan over the fastest: worst size", max(map(apart, by_m.values())), APART, at_most=True),
        Claim("slowest plan against the machine's BLAS, in speed: worst size", min(map(behind, by_m.values())), BEHIND),
    ]


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", help=f"dense dimensions ({SHAPE})")
    parser.add_argument("--campaigns", type=int, default=CAMPAIGNS, metavar="N", help=f"how many ({CAMPAIGNS})")
    parser.add_argument("--seconds", type=int, default=SECONDS, metavar="S", help=f"of each campaign ({SECONDS})")
    parser.add_argument("--undisturbed", action="store_true", help="without a process that streams memory beside them")


main = program(__doc__, measure, claims, extra=own_options)


if __name__ == "__main__":
    sys.exit(main())

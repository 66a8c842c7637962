"""Small networks of many kinds beside onnxruntime, interleaved in one run: one ONNX file each, which both read.

Each has something that no other has: channels that are shuffled, windows that roll, bags of rows, boxes that suppress
others. Weights are random, and most have a size that nobody knows until run time. Both get numpy's arrays; onnxruntime
may also have its operands and results bound ahead of time, and the faster of its ways counts. Results are compared
before they are timed: where ours are others the run ends. Nothing is tuned, unless the database has it. On one thread
the time is that of the process on its core, in which neighbours who get turns there have no part: most calls take less
than such a turn. The table begins with what is slowest beside the rival: it is where to look next.

    scripts/bench networks --check --json networks.json
    scripts/bench networks --only shuffled --only windows
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import anytile
from anytile.core.errors import SpecError
from anytile.importers.torch.exported import flat_results
from anytile.models_io.rival import onnxruntime_session
from benchmarks.measure.beside_onnxruntime import OURS, RIVAL, claims_of, difference, gains, show_slowest
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import bound_to
from benchmarks.rivals.model_rivals import fresh
from benchmarks.whole_models.imported import WRITERS, arrays, written

if TYPE_CHECKING:
    from benchmarks.subjects.imported_models import Network

MEAN, WORST = 1.5, 0.8


def measure(report: Report, options: argparse.Namespace) -> None:
    if lacking := [name for name in (*WRITERS, RIVAL) if find_spec(name) is None]:
        raise SpecError(f"{', '.join(lacking)} not installed, which this is about; scripts/bench installs that")
    from benchmarks.subjects.small_networks import small_networks

    known = small_networks()
    wanted = [one for one in known if not options.only or any(word in one.name for word in options.only)]
    if not wanted:
        raise SpecError(f"--only: no network has such a name; there are: {', '.join(one.name for one in known)}")
    for network in wanted:
        with tempfile.TemporaryDirectory() as folder:
            report.rows += _timed(report, options, network, Path(folder))
        gc.collect()
    show_slowest(report, "network", "ms")


def _timed(report: Report, options: argparse.Namespace, network: Network, folder: Path) -> list[Row]:
    torch, target = fresh(options.threads), anytile.Target.host(options.threads)
    path = written(torch, network, network.module(), folder)
    began = time.monotonic()
    session = anytile.Session(anytile.compile(path, target, db=options.db))
    took, rival, rows = time.monotonic() - began, onnxruntime_session(path, options.threads), []
    clock = time.process_time if options.threads == 1 else time.perf_counter
    timing = Timing(rounds=3, slot_ms=1.0, most_rounds=3) if options.quick else Timing(slot_ms=4.0)
    for size in network.sizes[:1] if options.quick else network.sizes:
        given = arrays(torch, network.arguments(size))
        named = {port.name: array for port, array in zip(rival.get_inputs(), given, strict=True)}
        theirs = rival.run(None, named)
        if apart := difference(flat_results(session(*given)), theirs):
            raise SystemExit(f"error: {network.name}, {size} {network.what}: {apart}")
        results = {port.name: np.empty_like(a) for port, a in zip(rival.get_outputs(), theirs, strict=True)}
        bound = bound_to("bound", rival, named, results).call
        ways = [System.of(RIVAL, call, clock=clock) for call in (lambda: rival.run(None, named), bound)]  # noqa: B023
        systems = [System.of(OURS, lambda: session(*given), clock=clock), fastest(ways)]  # noqa: B023
        rows += interleave({"network": network.name, "size": f"{size} {network.what}"}, systems, timing)
    gained = ", ".join(f"{gain:.2f}x" for _, gain in gains("network", rows).values())
    report.say(f"{network.name}: {gained}, compiled in {took:.1f} s")
    return rows


def claims(rows: Iterable[Row]) -> list[Claim]:
    return claims_of("small networks", "network", rows, MEAN, WORST)


def _extra(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", metavar="WORD", help="networks whose name has it (all)")


main = program(__doc__, measure, claims, extra=_extra, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())

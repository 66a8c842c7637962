"""Single operators of ONNX beside onnxruntime, interleaved in one run: one node, all sizes unknown until run time.

Both get numpy's arrays and give numpy's arrays; onnxruntime may also have its operands and results bound ahead of time,
and the faster of its ways counts. A third is the same node compiled for the very size: what not knowing it costs.
Results are compared before they are timed. Nothing is tuned, unless the database has it. The tables begin with what is
slowest beside the rival, and beside what is compiled for the size: they are where to look next.

    scripts/bench operators --check --json operators.json
    scripts/bench operators --only Resize --only Conv --threads 2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.core.errors import AnytileError, SpecError
from anytile.importers.torch.exported import flat_results
from anytile.models_io.rival import onnxruntime_session
from benchmarks.measure.beside_onnxruntime import OURS, RIVAL, claims_of, difference, show_slowest
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import bound_to
from benchmarks.subjects.onnx_operators import Case, cases

Array = NDArray[Any]
KNOWN = "compiled for the size"
MEAN, WORST = 1.5, 0.4
KNOWN_MEAN, KNOWN_WORST = 0.95, 0.5


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    asked = [case for case in cases() if not options.only or any(word in case.name for word in options.only)]
    if not asked:
        names = ", ".join(case.name for case in cases())
        raise SpecError(f"--only: no operator has such a name; there are: {names}")
    target = anytile.Target.host(options.threads)
    for case in asked:
        model = case.model()
        try:
            session = anytile.Session(anytile.compile(model, target, db=options.db))
            known = {
                size: anytile.Session(anytile.compile(case.model(sizes), target, db=options.db))
                for size, sizes in case.sizes.items()
            }
        except AnytileError as error:
            report.unmeasured.append(f"{case.name}: {error}")
            continue
        rival = onnxruntime_session(model.SerializeToString(), options.threads)
        report.rows += _timed(case, session, known, rival, timing)
        report.say(case.name)
    show_slowest(report, "operator", "us")
    show_slowest(report, "operator", "us", KNOWN)


def _timed(
    case: Case, session: anytile.Session, known: Mapping[str, anytile.Session], rival: Any, timing: Timing
) -> list[Row]:
    rows: list[Row] = []
    for size, sizes in case.sizes.items():
        operands = case.drawn(sizes)
        theirs = rival.run(None, operands)
        given = tuple(operands.values())
        if apart := difference(flat_results(session(*given)), theirs):
            raise SystemExit(f"error: {case.name}, {size}: {apart}")
        results = {f"y{i}": np.empty_like(array) for i, array in enumerate(theirs)}
        bound = bound_to("bound", rival, operands, results)
        quickest = fastest([System.of(RIVAL, lambda: rival.run(None, operands)), System.of(RIVAL, bound.call)])  # noqa: B023
        one_size = known[size]
        systems = [
            System.of(OURS, lambda: session(*given)),  # noqa: B023
            System.of(KNOWN, lambda: one_size(*given)),  # noqa: B023
            quickest,
        ]
        rows += interleave({"operator": case.name, "size": size}, systems, timing)
    return rows


def claims(rows: Iterable[Row]) -> list[Claim]:
    found = list(rows)
    return [
        *claims_of("operators", "operator", found, MEAN, WORST),
        *claims_of("operators of any size", "operator", found, KNOWN_MEAN, KNOWN_WORST, KNOWN),
    ]


def _extra(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", metavar="WORD", help="operators whose name has it (all)")


main = program(__doc__, measure, claims, extra=_extra, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())

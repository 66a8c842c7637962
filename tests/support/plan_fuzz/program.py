"""Differential fuzzer of CPU kernels: random dispatch plans run between guard pages, beside what they mean.

A program of its own: `scripts/plan_fuzz --seconds 600` draws workloads of every operator, for each a plan of one to
three configs in ranges and residue classes of any borders, compiles it and calls it in a child process at sizes about
those borders. A crash, a write beside a buffer, a result that is not the reference's and an error that is no refusal
are findings: each comes out as a line that runs it again, with less in it than was drawn where that shows the same.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from anytile.core.errors import AnytileError
from anytile.core.plurals import counted
from anytile.schedules.hardware.host import HOST_SETTING, host
from tests.support.fuzzing import Outcome, again, ended, outcome, parser_of, smallest, without_numbers
from tests.support.generators.random_plans import NATIVE, any_case
from tests.support.nest_sweep import APART, listed
from tests.support.plan_fuzz.case import Case
from tests.support.plan_fuzz.smaller import smaller

SCRIPT = "scripts/plan_fuzz"
THREADS = (1, 2)
TOLD_S = 15.0  # between lines of progress
REASONS = 12  # of refusals that are told; of the others how many there were


@dataclass
class Tally:
    """What became of the cases: how many of each operator ran, why others did not, and what was found."""

    ran: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    late: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    found: int = 0

    def line(self) -> str:
        late = f", {self.late} too long to compile" if self.late else ""
        refusals = counted(self.refused.total(), "refusal")
        return (
            f"{counted(self.ran.total(), 'case')} at {counted(self.calls, 'size')}{late}, {refusals}, "
            f"{counted(self.found, 'finding')}"
        )

    def summary(self) -> str:
        lines = [self.line(), "ran: " + ", ".join(f"{op} {n}" for op, n in self.ran.most_common())]
        lines += [f"refused {n} times: {why}" for why, n in self.refused.most_common(REASONS)]
        others = self.refused.total() - sum(n for _, n in self.refused.most_common(REASONS))
        return "\n".join([*lines, *([f"refused {others} times: for other reasons"] if others else [])])


def fuzz(asked: argparse.Namespace) -> Tally:
    """Cases of one operator after the other, until the time is over or so many were run; findings are printed as they
    come."""
    tally, number, told = Tally(), 0, time.monotonic()
    end = told + asked.seconds
    while True:
        for op in asked.ops:
            if time.monotonic() > end or tally.ran.total() == asked.cases or tally.found == asked.findings:
                return tally
            refused = Counter[str]()
            case = any_case(random.Random(f"{asked.seed} {op} {number}"), op, asked.mcpu, asked.threads, refused)
            for why, times in refused.items():
                tally.refused[without_numbers(why)] += times
            if case is None:
                continue
            _count(tally, op, case, asked.whole)
            if time.monotonic() - told > TOLD_S:
                told = time.monotonic()
                print(tally.line(), file=sys.stderr, flush=True)
        number += 1


def _count(tally: Tally, op: str, case: Case, whole: bool) -> None:
    became = outcome(case)
    for why in became.refused:
        tally.refused[without_numbers(why)] += 1
    tally.late += became.kind == "late"
    tally.ran[op] += became.kind not in ("late", "refused")
    tally.calls += len(case.sizes) - len(became.refused) if became.kind == "right" else 0
    if became.is_wrong:
        tally.found += 1
        print(_finding(case, became, whole), flush=True)


def _finding(case: Case, became: Outcome, whole: bool) -> str:
    """The line that runs it again, and what is wrong."""
    if not whole:
        case = smallest(case, smaller, lambda one: outcome(one).kind == became.kind)
        became = outcome(case)
    return f"{SCRIPT} --case {shlex.quote(case.to_json())}  # {case.plan.workload}: {became.what}"


def main(words: Sequence[str]) -> int:
    asked = _parser().parse_args(words)
    if asked.case is not None:
        return again(lambda: Case.from_json(asked.case))
    tally = fuzz(asked)
    return ended(tally.summary(), tally.found, tally.ran.total())


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(SCRIPT, __doc__)
    parser.add_argument("--ops", type=listed(APART), default=list(APART), help="operators, all without it")
    parser.add_argument(
        "--mcpu", type=_cpu, default=NATIVE, help="the CPU that code is made for, as haswell; this one without it"
    )
    parser.add_argument(
        "--threads", type=_counts, default=list(THREADS), help="of which a plan has one; 1,2 without it"
    )
    parser.add_argument("--case", metavar="JSON", help="one case again, as a line of a run says it")
    return parser


def _cpu(text: str) -> str:
    """A CPU whose code this machine runs, taken for it from here on."""
    try:
        if text != NATIVE:
            os.environ[HOST_SETTING] = f"-mcpu={text}"
        host()
    except AnytileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _counts(text: str) -> list[int]:
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected numbers of threads from 1 up")
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

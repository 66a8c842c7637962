"""Differential fuzzer of models: random ONNX graphs, compiled whole and run at several sizes, beside onnxruntime.

A program of its own: `scripts/model_fuzz --seconds 600` grows graphs of operators and of what exporters write for
norms, activations, heads of attention and computed shapes, each node of which onnxruntime has computed alone. Each is
compiled and run in a child process. A crash, a result that is not what the nodes make one by one, and an error that is
no refusal are findings: each is made as small as it can be, kept as a file, and comes out as a line that runs it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anytile.core.plurals import counted
from tests.support.fuzzing import Outcome, again, apart, ended, outcome, parser_of, smallest, without_numbers
from tests.support.generators.graphs.growth import ROUNDS
from tests.support.generators.random_graphs import STEPS, any_graph
from tests.support.model_fuzz.case import CPU, CUDA, Case
from tests.support.model_fuzz.smaller import smaller
from tests.support.nest_sweep import listed

SCRIPT = "scripts/model_fuzz"
FOLDER = Path("build/model_fuzz")
TOLD_S = 15.0  # between lines of progress
WITHIN_S = 240  # a case
REASONS = 20  # of refusals that are told
SHRINKS = 200  # tries


@dataclass(frozen=True)
class Drawing:
    """A case to be drawn, in a child, as onnxruntime has threads of its own; it is kept as a file."""

    seed: str
    steps: int
    names: tuple[str, ...]
    device: str
    precision: str
    grows: bool
    path: Path
    sizes: range = range(1)

    def run(self, told: Callable[[str, str], None]) -> None:
        first = "cache" if self.grows else None
        grown = any_graph(random.Random(self.seed), self.steps, self.names, self.precision, first)
        caches = grown.caches().values() if self.grows else ()
        results = tuple(dict.fromkeys((*caches, *grown.ends())))
        if caches if self.grows else results:
            Case(grown, results, self.device, self.precision, self.grows).save(self.path)


@dataclass
class Tally:
    """What became of the cases: how many ran, of which operators, why others did not, and what was found."""

    cases: int = 0
    late: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: int = 0

    def line(self) -> str:
        late = f", {self.late} too long to compile" if self.late else ""
        refusals = counted(self.refused.total(), "refusal")
        return f"{counted(self.cases, 'case')}{late}, {refusals}, {counted(self.found, 'finding')}"

    def summary(self) -> str:
        lines = [self.line(), "ran: " + ", ".join(f"{op} {n}" for op, n in self.ran.most_common())]
        return "\n".join([*lines, *(f"refused {n} times: {why}" for why, n in self.refused.most_common(REASONS))])


def fuzz(asked: argparse.Namespace, path: Path) -> Tally:
    """Case after case, drawn into that file, until the time is over or so many ran; findings come as they are found."""
    tally, number, told = Tally(), asked.first, time.monotonic()
    end = told + asked.seconds
    while time.monotonic() < end and tally.cases != asked.cases and tally.found != asked.findings:
        path.unlink(missing_ok=True)
        seed, names = f"{asked.seed} {number}", tuple(asked.having)
        drawn = Drawing(seed, asked.steps, names, asked.target, asked.precision, asked.growing, path)
        became = outcome(drawn, WITHIN_S)
        if became.is_wrong:
            raise RuntimeError(f"case {number} of seed {asked.seed} was not drawn: {became.what}")
        if path.exists():
            _count(tally, Case.load(path), f"{asked.seed}-{number}", asked)
        if time.monotonic() - told > TOLD_S:
            told = time.monotonic()
            print(tally.line(), file=sys.stderr, flush=True)
        number += 1
    return tally


def _count(tally: Tally, case: Case, name: str, asked: argparse.Namespace) -> None:
    became = outcome(case, WITHIN_S)
    tally.cases += 1
    tally.late += became.kind == "late"
    for why in became.refused:
        tally.refused[without_numbers(why.partition(": ")[2] or why)] += 1
    if became.kind == "right":
        tally.ran.update({node.op_type for node in case.grown.nodes})
    if became.is_wrong:
        tally.found += 1
        print(_finding(case, became, asked.out / f"{name}.onnx", asked.whole), flush=True)


def _finding(case: Case, became: Outcome, path: Path, whole: bool) -> str:
    """The line that runs it again, and what is wrong."""
    if not whole:
        case = smallest(case, smaller, lambda one: outcome(one, WITHIN_S).kind == became.kind, SHRINKS)
        became = outcome(case, WITHIN_S)
    path.parent.mkdir(parents=True, exist_ok=True)
    case.save(path)
    nodes = " ".join(node.op_type for node in case.grown.nodes)
    return f"{SCRIPT} --case {path}  # {nodes}: {became.what}"


def main(words: Sequence[str]) -> int:
    asked = _parser().parse_args(words)
    with apart() as folder:
        if asked.case is not None:
            return again(lambda: Case.load(asked.case), WITHIN_S)
        tally = fuzz(asked, folder / "case.onnx")
    return ended(tally.summary(), tally.found, tally.ran.total())


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(SCRIPT, __doc__)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first case of that seed")
    parser.add_argument("--steps", type=int, default=10, help="of a graph, about; %(default)d without it")
    parser.add_argument("--having", type=listed(STEPS), default=(), help=f"of which kinds: {', '.join(STEPS)}")
    parser.add_argument(
        "--target", choices=(CPU, CUDA), default=CPU, help="what it runs on; a GPU is simulated, which takes long"
    )
    parser.add_argument(
        "--precision", choices=tuple(ROUNDS), default="float32", help="what it is compiled in; %(default)s without it"
    )
    parser.add_argument(
        "--growing", action="store_true", help="with inputs that come out longer, appended to in place, call by call"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for findings; %(default)s without it")
    parser.add_argument("--case", type=Path, metavar="FILE", help="one case again, as a line of a run says it")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

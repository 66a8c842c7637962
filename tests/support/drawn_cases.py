"""Fuzzers whose cases are grown in child processes and kept as files: what draws, runs, counts and shrinks them.

A case comes to this process as the file that its child has written, so what grew it may have had threads, or crashed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from anytile.core.plurals import counted
from tests.support.fuzzing import Fuzzed, Outcome, again, apart, ended, outcome, parser_of, smallest, without_numbers
from tests.support.nest_sweep import listed

TOLD_S = 15.0  # between lines of progress
REASONS = 30  # of refusals that are told


class Kept(Fuzzed, Protocol):
    """A case that is kept as a file."""

    @property
    def kinds(self) -> set[str]:
        """Of what it is made."""

    @property
    def words(self) -> str:
        """What it does, in a line."""

    def save(self, path: Path) -> None: ...


K = TypeVar("K", bound=Kept)


@dataclass
class Tally:
    """What became of the cases: how many ran, how many of these with no refusal, of which kinds, and what was found."""

    cases: int = 0
    late: int = 0
    whole: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: int = 0

    def line(self) -> str:
        late = f", {self.late} too long to compile" if self.late else ""
        refusals = counted(self.refused.total(), "refusal")
        return f"{counted(self.cases, 'case')}{late}, {self.whole} whole, {refusals}, {counted(self.found, 'finding')}"

    def summary(self) -> str:
        lines = [self.line(), "ran: " + ", ".join(f"{kind} {n}" for kind, n in self.ran.most_common())]
        return "\n".join([*lines, *(f"refused {n} times: {why}" for why, n in self.refused.most_common(REASONS))])


@dataclass(frozen=True)
class Fuzzer(Generic[K]):
    """A program: `draw` is a case that, run in a child, leaves one of a seed in a file, or none; `load` reads it."""

    script: str
    ending: str  # of files
    draw: Callable[[argparse.Namespace, str, Path], Fuzzed]
    load: Callable[[Path], K]
    smaller: Callable[[K], Iterable[K]]
    within: int  # seconds, a case
    shrinks: int  # tries

    def parser(self, doc: str | None, steps: Mapping[str, object], folder: Path) -> argparse.ArgumentParser:
        """The words that all such programs know."""
        parser = parser_of(self.script, doc)
        parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the seed's first case")
        parser.add_argument("--steps", type=int, default=10, help="of a case, about; %(default)d without it")
        parser.add_argument("--having", type=listed(steps), default=(), help=f"of which kinds: {', '.join(steps)}")
        parser.add_argument("--out", type=Path, default=folder, help="the folder for findings; %(default)s without it")
        parser.add_argument("--case", type=Path, metavar="FILE", help="one case again, as a line of a run says it")
        return parser

    def run(self, asked: argparse.Namespace) -> int:
        """All cases, or the one that is asked for; the exit status."""
        with apart() as folder:
            if asked.case is not None:
                return again(lambda: self.load(asked.case), self.within)
            tally = self._all(asked, (folder / "case").with_suffix(self.ending))
        return ended(tally.summary(), tally.found, tally.ran.total())

    def _all(self, asked: argparse.Namespace, path: Path) -> Tally:
        """Case after case until the time is over, or so many ran; findings are printed as they come."""
        tally, number, told = Tally(), asked.first, time.monotonic()
        end = told + asked.seconds
        while time.monotonic() < end and tally.cases != asked.cases and tally.found != asked.findings:
            path.unlink(missing_ok=True)
            became = outcome(self.draw(asked, f"{asked.seed} {number}", path), self.within)
            if became.is_wrong:
                raise RuntimeError(f"case {number} of seed {asked.seed} was not drawn: {became.what}")
            if path.exists():
                self._count(tally, self.load(path), f"{asked.seed}-{number}", asked)
            if time.monotonic() - told > TOLD_S:
                told = time.monotonic()
                print(tally.line(), file=sys.stderr, flush=True)
            number += 1
        return tally

    def _count(self, tally: Tally, case: K, name: str, asked: argparse.Namespace) -> None:
        became = outcome(case, self.within)
        tally.cases += 1
        tally.late += became.kind == "late"
        tally.refused.update({without_numbers(why) for why in became.refused})  # at several sizes the same
        if became.kind == "right":
            tally.whole += not became.refused
            tally.ran.update(case.kinds)
        if became.is_wrong:
            tally.found += 1
            print(self._finding(case, became, asked.out / f"{name}{self.ending}", asked.whole), flush=True)

    def _finding(self, case: K, became: Outcome, path: Path, whole: bool) -> str:
        """The line that runs it again, and what is wrong."""
        if not whole:
            same = became.kind
            case = smallest(case, self.smaller, lambda one: outcome(one, self.within).kind == same, self.shrinks)
            became = outcome(case, self.within)
        path.parent.mkdir(parents=True, exist_ok=True)
        case.save(path)
        return f"{self.script} --case {path}  # {case.words}: {became.what}"


__all__ = ["Fuzzer"]

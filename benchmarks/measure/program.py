"""A benchmark as a program: its options, the cores it is held to, its results, its exit status.

A benchmark module gives `program` what it measures and which floors its rows answer for; all of them run alike.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from anytile.core.errors import AnytileError
from benchmarks.measure.harness import Claim, Report, Row, require_outputs
from benchmarks.measure.machine import confine, describe

Measure = Callable[[Report, argparse.Namespace], None]


class Main(Protocol):
    """A main function: it reads the command line where it gets no arguments."""

    def __call__(self, arguments: Sequence[str] | None = None) -> int: ...


def program(
    doc: str | None,
    measure: Measure,
    claims: Callable[[Iterable[Row]], list[Claim]] = lambda rows: [],
    absent: Callable[[], Sequence[str]] = tuple,
    draw: Callable[[Sequence[Row], Path], None] | None = None,
    extra: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    on_one_thread: bool = False,
    settings: Callable[[argparse.Namespace], Mapping[str, str]] = lambda options: {},
) -> Main:
    """The main function: `absent` names the rivals that are not installed, `extra` adds options of its own, `settings`
    are what they want of the environment. Floors that are promised of a full run `on_one_thread` are held against
    nothing else: any other run has its rows."""

    def main(arguments: Sequence[str] | None = None) -> int:
        parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
        add_options(parser)
        extra(parser)
        options = parser.parse_args(arguments)
        try:
            require_outputs(options, draws=draw is not None)
            confine(options.threads, settings(options))
            report = Report(describe(options.threads))
            measure(report, options)
        except AnytileError as error:  # one line, as on the command line of anytile itself
            print(f"error: {error}", file=sys.stderr)
            return error.exit_code
        if on_one_thread and (options.threads != 1 or options.quick):
            report.unmeasured.append("the floors, which are those of one thread and of a run without --quick")
        else:
            report.claims += claims(report.rows)
        report.unmeasured += [f"against {who}, which is not installed (scripts/bench installs it)" for who in absent()]
        return report.finish(options, None if draw is None else lambda path: draw(report.rows, path))

    return main


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that all benchmarks have."""
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="cores and threads for everyone (1)")
    parser.add_argument("--json", type=Path, metavar="F", help="write the results there")
    parser.add_argument("--plot", type=Path, metavar="F.png", help="draw them there (needs matplotlib)")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a floor is missed, and say which")
    parser.add_argument("--quick", action="store_true", help="fewer points and rounds: a look, not a measurement")
    parser.add_argument("--db", metavar="URL", help="the tuning database ($ANYTILE_DB, else your own)")

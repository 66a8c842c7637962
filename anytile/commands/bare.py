"""`tune` with nothing but the standard library around it, for a machine that lends its device and not its packages.

numpy, llvmlite and (for a GPU) CuPy are enough: no typer, no rich, no Ray, no XGBoost, no SQLAlchemy. Trials then go to
a journal that `anytile db import` reads elsewhere. Errors are one line and an exit code, as on the whole command line.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from anytile.commands.endings import interrupted, reader_left
from anytile.commands.tune_options import Row, TuneOptions, rows
from anytile.commands.tune_run import Place
from anytile.commands.tune_run import run as tune
from anytile.core.errors import AnytileError
from anytile.core.printable import say

RUNNERS = ("inline", "replay")  # Ray is a package that is not there
_HELP = {"db": "A database, or a journal FILE.jsonl; without it anytile-trials.jsonl where there is no SQLAlchemy."}


def run(arguments: Sequence[str]) -> int:
    """One command line; its exit code."""
    given = vars(_parser().parse_args(arguments))
    del given["command"]
    options = TuneOptions(**{"runner": RUNNERS[0], **given})
    try:
        return tune(options, given.keys(), Place(options.runner, None, options.db, RUNNERS[0], _spelled))
    except KeyboardInterrupt:
        return interrupted()
    except BrokenPipeError:
        return reader_left()
    except AnytileError as error:
        if os.environ.get("ANYTILE_DEBUG", "") not in ("", "0"):
            raise
        say(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _spelled(*words: str) -> str:
    """`anytile` itself needs typer."""
    return shlex.join(["python", "-m", "anytile", *words])


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}; see `{_spelled('tune', '--help')}`\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="anytile", description="Kernels tuned once, fast at every shape. Without typer there is only `tune`."
    )
    tune = parser.add_subparsers(dest="command", required=True).add_parser("tune", help="search, measure, remember")
    for row in rows():
        if row.name != "ray":
            tune.add_argument(*_flags(row), dest=row.name, default=argparse.SUPPRESS, **_kind(row))
    return parser


def _flags(row: Row) -> list[str]:
    return [flag.partition("/")[0] for flag in row.flags]


def _kind(row: Row) -> dict[str, Any]:
    said = row.option
    usual = said.usual if said.usual is not None else row.default or None
    usual = RUNNERS[0] if row.name == "runner" else usual
    text = _HELP.get(row.name, said.help) + (f" [{usual}]" if usual is not None else "")
    shown = {"help": text.replace("%", "%%")}
    if row.kind in (bool, bool | None):
        return {**shown, "action": "store_true" if row.kind is bool else argparse.BooleanOptionalAction}
    if row.name == "runner":
        return {**shown, "choices": RUNNERS}
    if row.kind == list[str] | None:
        return {**shown, "metavar": said.metavar, "action": "append"}
    read = next((kind for kind in (int, Path) if row.kind in (kind, kind | None)), str)
    return {**shown, "metavar": said.metavar or "N", "type": read}

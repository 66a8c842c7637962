"""The table of commands: what `anytile` and `tune` are made of. Importing it imports every command's options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from anytile.commands import compile as compiling
from anytile.commands import database, doctor, inspect, models, report, tune
from anytile.commands.standing.coverage import coverage
from anytile.commands.standing.regressions import regressions
from anytile.commands.standing.serve import serve
from anytile.core.version import __version__


def umbrella() -> typer.Typer:
    """`anytile COMMAND`."""
    app = _typer()
    app.callback(invoke_without_command=True)(_umbrella)
    app.command("tune")(tune.tune)
    app.command("report")(report.report)
    app.command("compile")(compiling.compile)
    app.command("quantise")(compiling.quantise)
    for name, command in {**models.COMMANDS, **inspect.COMMANDS}.items():
        app.command(name)(command)
    app.add_typer(_db(), name="db")
    app.command("doctor")(doctor.doctor)
    return app


def _db() -> typer.Typer:
    """`anytile db COMMAND`."""
    app = typer.Typer(no_args_is_help=False, help=database.app.info.help)
    app.add_typer(database.app)
    for command in (regressions, coverage, serve):
        app.command(command.__name__)(command)
    return app


def tune_alone() -> typer.Typer:
    """`tune`, the same as `anytile tune`."""
    app = _typer()
    app.command("tune", cls=_minding(TyperCommand))(tune.tune)
    return app


@contextmanager
def _aborting() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Abort from None


def _minding(kind: Any) -> Any:
    """Commands of this kind of which Ctrl-C is an abortion, as older versions of typer have it; newer ones end without
    a word."""

    class Minding(kind):  # type: ignore[misc]  # typer's classes differ from version to version
        def make_context(self, *words: Any, **more: Any) -> Any:
            with _aborting():
                return super().make_context(*words, **more)

        def invoke(self, *words: Any, **more: Any) -> Any:
            with _aborting():
                return super().invoke(*words, **more)

    return Minding


def _typer() -> typer.Typer:
    return typer.Typer(
        cls=_minding(TyperGroup),
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _umbrella(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and leave.")
) -> None:
    """Kernels tuned once, fast at every shape."""
    if version:
        print(f"anytile {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())

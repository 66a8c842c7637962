"""`anytile tune`, which is also `tune`: its options as typer takes them, of which `tune_run` makes a campaign."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from anytile.commands.tune_options import Row, TuneOptions, rows
from anytile.commands.tune_run import Place, run


def tune(context: typer.Context, **values: Any) -> int:
    """Search for fast configs, measure them, choose a plan, remember everything."""
    options = TuneOptions(**values)
    sources = {name: context.get_parameter_source(name) for name in values}
    given = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    return run(options, given, Place(options.runner, options.ray, options.db))


def _declared(row: Row) -> Any:
    said = row.option
    shown: bool | str = said.usual if said.usual is not None else True
    declared = typer.Option(
        *row.flags, help=said.help, metavar=said.metavar, rich_help_panel=said.panel, show_default=shown
    )
    return Annotated[row.kind, declared]


def _signature() -> inspect.Signature:
    """What typer reads: a parameter for each row of the table."""
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    words = [
        inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=_declared(row))
        for row in rows()
    ]
    return inspect.Signature([context, *words], return_annotation=int)


tune.__signature__ = _signature()  # type: ignore[attr-defined]  # functions have it where somebody gives it to them
tune.__annotations__ = {name: one.annotation for name, one in _signature().parameters.items()}

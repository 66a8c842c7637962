"""`anytile db serve`: the database as web pages."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from anytile.commands.options import DbOption, TargetOption, open_store
from anytile.commands.reading import read_target
from anytile.commands.standing.coverage import models_named
from anytile.core.errors import UnsupportedError
from anytile.core.printable import say

_NEEDED = ("starlette", "uvicorn")


def serve(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Listen here.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="And on this port; 0 is any that is free.")] = 8700,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="A name that this server goes by elsewhere; may be repeated."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="MODEL", help="Show this model's coverage: a file, or a preset; may be repeated."
        ),
    ] = None,
    target: TargetOption = "llvm",
    db: DbOption = None,
) -> None:
    """Show the database as web pages: campaigns, bests, regressions, coverage of models, what is missed most.

    The pages are read-only, and for this machine alone unless --host says otherwise; then they ask for a token, which
    is printed once, or is $ANYTILE_PAGES_TOKEN.
    """
    missing = [package for package in _NEEDED if importlib.util.find_spec(package) is None]
    if missing:
        raise UnsupportedError(f"db serve: {missing[0]} is not installed; pip install 'anytile[serve]'")
    from anytile.pages.data import Shown
    from anytile.pages.server import bind, chosen_token
    from anytile.pages.server import serve as run
    from anytile.pages.shown_models import presets

    wanted, asked = read_target(target), models_named(model or [])
    for one in asked:
        one.on(wanted)  # what is wrong with it is said now, and no page waits for it
    address = bind(host, port, name or ())
    with address.listening:
        token = chosen_token(address)
        with open_store(db) as store:
            shown = Shown(store, [*asked, *presets(asked)], wanted)
            shown.overview()  # what is wrong with the database is said now, and the first visitor waits for no imports
            run(shown, address, token, lambda text: say(text, flush=True))

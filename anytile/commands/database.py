"""Commands."""

import typer

app = typer.Typer()

"""`anytile report`: a campaign as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anytile.commands.options import DbOption, JsonOption, open_store, write_file
from anytile.core.plurals import counted
from anytile.core.printable import say


def report(
    campaign: Annotated[
        str, typer.Argument(metavar="CAMPAIGN", help="Its id, the beginning of it, or `last`.")
    ] = "last",
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Write the page to this file.")] = Path(
        "report.html"
    ),
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Write what a campaign found as one self-contained page."""
    from anytile.db.overview.campaigns import holding
    from anytile.show.findings import gather
    from anytile.show.jsonable import dump
    from anytile.show.report.page import render
    from anytile.show.summary import findings_json

    with open_store(db) as store:
        layer, found = holding(store, campaign)
        findings = gather(layer, found.id)
    if json:
        say(dump(findings_json(findings)))
        return
    write_file(out, render(findings))
    say(f"{out}: campaign {findings.campaign.id[:8]}, {counted(findings.trials, 'trial')}; open it in a browser")

"""`anytile db regressions`: where newer versions are slower than older ones were."""

from __future__ import annotations

from typing import Annotated

import typer

from anytile.commands.options import DbOption, JsonOption, open_store
from anytile.core.errors import SpecError
from anytile.core.printable import say


def regressions(
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="PERCENT", help="Differences up to this are none.")
    ] = 5.0,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """List workloads whose newest versions are slower than older ones were, on the same machine."""
    from anytile.db.overview.standings import regressions as found_in
    from anytile.show.figures import rate_text, ratio_text
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    if not 0 <= tolerance < 1000:
        raise SpecError(f"--tolerance {tolerance:g}: expected a percentage of 0 or more")
    with open_store(db) as store:
        lines = found_in(store, tolerance / 100)
        name = store.name
    if json:
        say(dump(lines))
        return
    table = Table(["workload", "target", ">slower", ">GFLOP/s before", ">now", ">trials before", ">now", "campaign"])
    for line in lines:
        rates = rate_text(line.before.gflops), rate_text(line.now.gflops)
        counts = line.before.trials, line.now.trials
        campaign = line.now.campaign_id[:8]
        table.add(line.workload, line.target, ratio_text(line.slower), *rates, *counts, campaign)
    if lines:
        table.show()
    else:
        say(f"{name}: nothing is slower than older versions were")

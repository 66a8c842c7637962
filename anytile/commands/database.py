"""`anytile db ...`: what the tuning database holds, and how it travels between machines and colleagues."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from anytile.commands.compile import DimsOption, ModelArgument, PrecisionOption
from anytile.commands.options import (
    DbOption,
    JsonOption,
    TargetOption,
    existing,
    open_store,
    open_to_change,
    require_spare,
    require_writable,
    write_file,
)
from anytile.commands.reading import at_least, read_bounds, read_target
from anytile.commands.upkeep import COMMANDS as UPKEEP
from anytile.core.command_hint import command_line
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.show.tables import Table

_CAMPAIGNS, _SUGGESTIONS = 50, 20  # that a table shows

app = typer.Typer(no_args_is_help=False, help="Look into the tuning database; move records between databases.")


@app.command("list")
def list_campaigns(
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", help="At most this many, the newest.", show_default="50, with --json all"),
    ] = None,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """List campaigns, newest first."""
    from anytile.db.overview.campaigns import campaigns
    from anytile.show.figures import age_text
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    at_least("--limit", limit, 1)
    with open_store(db) as store:
        lines = campaigns(store)
        name = store.name
    if json:
        say(dump(lines[:limit]))
        _say_left(len(lines[limit:]) if limit else 0, "older", sys.stderr)
        return
    limit = limit or _CAMPAIGNS
    table = Table(["campaign", "state", "started", ">trials", ">failed", "target", "workloads"])
    for line in lines[:limit]:
        workloads = "; ".join(map(str, line.workloads))
        age = age_text(line.created, time.time())
        table.add(line.id[:8], line.state, age, line.trials, line.failed, line.target, workloads)
    _show(table, f"{name} holds no campaign yet; `tune` makes one")
    _say_left(len(lines[limit:]), "older", sys.stdout)


@app.command("show")
def show(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Its id, its beginning, or `last`.")] = "last",
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Show one campaign: workloads, bests, plans, and why trials failed."""
    from anytile.db.overview.campaigns import holding
    from anytile.db.sql.url_words import hinted
    from anytile.db.summary import campaign_detail
    from anytile.show.findings import gather
    from anytile.show.jsonable import dump
    from anytile.show.summary import print_findings
    from anytile.show.tables import Table

    with open_store(db) as store:
        layer, found = holding(store, campaign)
        detail = campaign_detail(found, layer.trials(campaign_id=found.id), layer.selections(campaign_id=found.id))
        findings = gather(layer, found.id)
    if json:
        say(dump(detail))
        return
    say(f"campaign {found.id} on {found.target}, {found.state}")
    for name, values in (("device", detail.devices), ("made with", detail.versions)):
        for value in values:
            say(f"  {name}: {value}")
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(detail.kinds.items()))
    say(f"  trials: {detail.trials}" + (f" ({kinds})" if kinds else ""))
    say(f"  drift of the machine: {detail.drift[0]:.2f} to {detail.drift[1]:.2f}")
    if detail.failures:
        table = Table([">trials", "failed as", "reason"])
        for failure in detail.failures:
            table.add(failure.count, failure.status, failure.reason)
        say()
        table.show()
    took = (found.finished - found.created) if found.finished and found.created else None
    where = hinted(db)
    again = command_line("tune", "--resume", found.id[:8], *(["--db", where] if where else []))
    hint = "" if found.state == "finished" else again
    print_findings(findings, sys.stdout, took, hint, db=where)


@app.command("best")
def best(
    top: Annotated[int, typer.Option("--top", metavar="N", help="This many configs per workload and target.")] = 1,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """List the fastest configs of every workload and target."""
    from anytile.db.overview.standings import best as fastest
    from anytile.show.figures import rate_text, time_text
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    at_least("--top", top, 1)
    with open_store(db) as store:
        lines = fastest(store, top).lines
        name = store.name
    if json:
        say(dump(lines))
        return
    table = Table(["workload", "target", ">GFLOP/s", ">time", "at", "config", "campaign"])
    for line in lines:
        at = ", ".join(f"{k}={v}" for k, v in line.point.items()) or "-"
        rate, took = rate_text(line.gflops), time_text(line.seconds)
        table.add(line.workload, line.target, rate, took, at, line.config, line.campaign_id[:8])
    _show(table, f"{name} holds no successful trial yet; `tune` makes some")


@app.command("stats")
def stats(db: DbOption = None, json: JsonOption = False) -> None:
    """Count what the database holds, and what was asked of it in vain."""
    from anytile.db.summary import stat_facts
    from anytile.show.jsonable import dump, jsonable

    with open_store(db) as store:
        counted, misses = store.stats(), store.misses()
    if json:
        say(dump({**jsonable(counted), "wanted": misses}))
        return
    for fact in stat_facts(counted, misses):
        say(f"{fact.what:<12} {fact.value}")


@app.command("export")
def export(
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write here, not to stdout.")] = None,
    db: DbOption = None,
) -> None:
    """Write everything as JSON lines; of several databases that of the first."""
    from anytile.core.atomic_write import written_whole
    from anytile.db.exchange import export_lines

    with open_store(db) as store:
        others = ", ".join(layer.name for layer in store.layers if layer is not store)
        if others:
            say(f"{store.name} alone is exported; give each other one by itself with --db: {others}", file=sys.stderr)
        if out is None:
            export_lines(store, sys.stdout)
            return
        require_spare(out)
        try:
            with written_whole(out) as file:  # an export that fails must not have cost the one before it
                text = io.TextIOWrapper(file, encoding="utf-8")
                moved = export_lines(store, text)
                text.detach()
        except OSError as error:
            raise SpecError(f"{out}: cannot be written: {error.strerror}; give another -o FILE") from None
    say(f"{out}: {moved}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `anytile db export` wrote.")],
    db: DbOption = None,
) -> None:
    """Read exported records in; what is there already stays as it is."""
    from anytile.db.exchange import import_lines, read_lines

    lines = read_lines(file)  # of a file that is none, no database is made
    with open_to_change(db) if lines.elsewhere else open_store(db, readonly=False) as store:
        say(f"{store.name}: {import_lines(store, lines)}")


@app.command("merge")
def merge(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The other database: a path or URL.")],
    db: DbOption = None,
) -> None:
    """Take over everything from another database; what is there already stays as it is."""
    from anytile.db.exchange import merge as take_over
    from anytile.db.sql.url_words import is_path

    if is_path(source) and not os.path.isfile(source):
        raise SpecError(f"{source}: there is no such database to merge from; expected a path or a URL of one")
    with open_store(source) as other, open_store(db, readonly=False) as store:
        if other.name == store.name:
            raise SpecError(f"{other.name}: is the database itself; name another one to merge from")
        say(f"{store.name}: {take_over(store, other)}")


@app.command("lock")
def lock(
    model: ModelArgument,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write the lock file.")],
    target: TargetOption = "llvm",
    db: DbOption = None,
    dims: DimsOption = None,
    precision: PrecisionOption = "float32",
) -> None:
    """Write down the exact plans that compiling a model takes from the database, for `compile --locked`.

    Sizes and precision are to be those of that compile.
    """
    from anytile.api import ranker, reading
    from anytile.compiler.compile import lock as lock_plans
    from anytile.compiler.lock import lock_text
    from anytile.model_api import read_model

    require_spare(out, (model, model.with_suffix(".npz")))
    read = read_model(model, None if dims is None else read_bounds("--dims", dims))
    with reading(existing(db)) as store:
        made = lock_plans(read, read_target(target), store, ranker(store), precision)
    write_file(out, lock_text(made))
    tuned = sum(one.rung in ("exact", "compatible") for one in made.plans)
    say(f"{out}: {counted(len(made.plans), 'plan')} for {made.target}, {tuned} of them tuned")


@app.command("suggest")
def suggest(
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", help="At most this many.", show_default="20, with --json all"),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", metavar="TARGET", help="For this target alone; llvm is this machine.")
    ] = None,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Rank what to tune next: what compiles asked for in vain, by what tuning is likely to save."""
    from anytile.api import suggested
    from anytile.db.sql.url_words import hinted
    from anytile.show.figures import age_text, time_text
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    at_least("--limit", limit, 1)
    with open_store(db) as store:
        lines = suggested(store, None if target is None else read_target(target))
        name = store.name
    if json:
        say(dump(lines[:limit]))
        _say_left(len(lines[limit:]) if limit else 0, "less worth", sys.stderr)
        return
    limit = limit or _SUGGESTIONS
    table = Table(["workload", "target", ">asked", "last", "answered by", ">may save"])
    for line in lines[:limit]:
        last = age_text(line.last, time.time())
        table.add(line.workload, line.target, line.asked, last, line.rung, time_text(line.saves))
    _show(table, f"{name} was asked for nothing that it does not know")
    _say_left(len(lines[limit:]), "less worth", sys.stdout)
    if lines:
        shown = hinted(db)
        again = command_line("tune", "--from-misses", str(min(len(lines), limit)), *(["--db", shown] if shown else []))
        say(f"{again} tunes those of this machine")


@app.command("train")
def train(
    target: Annotated[
        str, typer.Option("--target", metavar="KIND", help="For targets of this kind: llvm or cuda.")
    ] = "llvm",
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Train the cost model that answers for what nobody tuned, from every trial; test it on workloads held out."""
    from anytile.db.records.records import StoredModel
    from anytile.schedules.hardware.target import KINDS
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table
    from anytile.tuner.estimate.document import to_text
    from anytile.tuner.estimate.rank import said, train

    if target not in KINDS:
        raise SpecError(f"--target {target}: expected a kind of target, one of {', '.join(KINDS)}")
    with open_to_change(db) as store:
        require_writable(store, "give another --db")
        made = train(store, target)
        store.keep_model(StoredModel(target, to_text(made), made.created))
        name = store.name
    trained_on, holdout = made.learned.trained_on, made.holdout
    if json:
        say(dump({"target": target, "trained_on": trained_on, "geomean": holdout.mean,
                  "worst": holdout.worst, "held_out": holdout.shares}))  # fmt: skip
        return
    say(f"{name}: a cost model for {target}, trained on {counted(trained_on, 'trial')}")
    if not holdout.shares:
        say("too few workloads to hold some out: how good it is nobody knows")
        return
    say(said(holdout))
    table = Table(["operator", ">held out", ">geometric mean", ">worst"])
    for op, of in holdout.by_op().items():
        table.add(op, len(of.shares), f"{of.mean:.0%}", f"{of.worst:.0%}")
    table.show()


for name, command in UPKEEP.items():
    app.command(name)(command)


def _say_left(count: int, what: str, stream: TextIO) -> None:
    """What a limit kept back; beside JSON, which holds records alone, that is for stderr."""
    if count:
        say(f"and {count} {what}; --limit shows more", file=stream)


def _show(table: Table, empty: str) -> None:
    if table.rows:
        table.show()
    else:
        say(empty)

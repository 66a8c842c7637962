"""`anytile db verify | prune | compact | recover`: whether records hold, and keeping a database small and whole."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.options import (
    DbOption,
    JsonOption,
    TargetOption,
    open_store,
    open_to_change,
    require_spare,
    require_writable,
)
from anytile.commands.reading import at_least, read_target
from anytile.core.command_hint import command_line
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.tuner.second_look import Finding

_DAYS, _FASTEST = 90.0, 16


def verify(
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="So many, those that were looked at longest ago; else all."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Measure nothing: list what lookups pass over, and why.")
    ] = False,
    believe: Annotated[
        str | None,
        typer.Option("--believe", metavar="RECORD", help="Measure nothing: have lookups use this record again."),
    ] = None,
    runner: Annotated[str, typer.Option("--runner", metavar="RUNNER", help="inline, ray or replay.")] = "inline",
    target: TargetOption = "llvm",
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Measure the stored winners of this target again, here; what no longer holds is passed over by lookups."""
    from anytile import api
    from anytile.show.jsonable import dump
    from anytile.tuner.second_look import believe as believe_again
    from anytile.tuner.second_look import set_aside

    if sample is not None:
        at_least("--sample", sample, 1)
    if believe is not None and (listing or sample is not None):
        raise SpecError(f"--believe {believe}: measures nothing; leave --list and --sample out")
    if believe is not None:
        with open_to_change(db) as store:
            verdict = believe_again(store, believe, "a person said so")
        say(dump(verdict) if json else f"record {verdict.about}: is used again by lookups, whatever speaks against it")
        return
    wanted = read_target(target)
    if listing:
        with open_store(db) as store:
            found, name = set_aside(store, wanted), store.name
        if json:
            say(dump(found))
        elif not found:
            say(f"{name} holds nothing for {wanted} that lookups pass over")
        else:
            _show(found)
            _say_way_back(found)
        return
    with open_to_change(db) as store:
        require_writable(store, "--list measures nothing")
        told = (lambda finding: None) if json else _tell
        found, name = api.verify(store, wanted, runner, sample, told), store.name
    if json:
        say(dump(found))
        return
    if not found:
        say(f"{name} holds no winner for {wanted}; `{command_line('tune')}` makes some")
        return
    _show(found)
    _say_way_back([f for f in found if f.ruling is not None and f.ruling.sets_aside])


def _tell(finding: Finding) -> None:
    say(f"{finding.workload}: {finding.said}", file=sys.stderr, flush=True)


def _show(found: Sequence[Finding]) -> None:
    from anytile.show.figures import time_text
    from anytile.show.tables import Table

    table = Table(["record", "workload", "target", ">recorded", ">now", ">ratio", "ruling", "why"])
    for f in found:
        ratio = "-" if f.ratio is None else f"{f.ratio:.2f}"
        times = ("-" if seconds is None else time_text(seconds) for seconds in (f.recorded, f.measured))
        table.add(f.record[:8], f.workload, f.target, *times, ratio, f.ruling or "none", f.said)
    table.show()


def _say_way_back(aside: Sequence[Finding]) -> None:
    if aside:
        again = command_line("db", "verify", "--believe", aside[0].record[:8])
        say(f"{counted(len(aside), 'record')} passed over, not deleted; `{again}` has one used again")


def prune(
    apply: Annotated[bool, typer.Option("--apply", help="Delete; without it only counts.")] = False,
    days: Annotated[float, typer.Option("--days", metavar="N", min=0, help="What is younger stays.")] = _DAYS,
    fastest: Annotated[
        int, typer.Option("--fastest", metavar="N", help="This many trials of each workload, target and size stay.")
    ] = _FASTEST,
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Say what nobody needs any more, and with --apply delete it: never what lookups answer with."""
    from anytile.db.records.codecs import now
    from anytile.db.upkeep.prune import plan_pruning
    from anytile.db.upkeep.prune import prune as delete
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    at_least("--fastest", fastest, 1)
    with open_to_change(db) if apply else open_store(db) as store:
        pruning, name = plan_pruning(store, now(), days, fastest), store.name
        if apply:
            delete(store, pruning)
    if json:
        say(dump({"applied": apply, "goes": pruning.count, "shares": pruning.shares}))
        return
    table = Table([">count", "what", "", "because it"])
    for share in pruning.shares:
        what = share.what if share.count == 1 else f"{share.what}s"
        table.add(share.count, what, "stays" if share.stays else "goes", share.because)
    if table.rows:
        table.show()
    if not pruning.count:
        say(f"{name}: there is nothing to prune")
    elif apply:
        say(f"{name}: {counted(pruning.count, 'row')} deleted; `{command_line('db', 'compact')}` gives the space back")
    else:
        say(f"{name}: nothing was changed; --apply deletes {counted(pruning.count, 'row')}")


def compact(db: DbOption = None, json: JsonOption = False) -> None:
    """Give the space of deleted rows back; others wait meanwhile."""
    from anytile.db.upkeep.compact import compact as make_small
    from anytile.show.jsonable import dump

    with open_to_change(db) as store:
        done = make_small(store)
    say(dump(done) if json else f"{done.name}: {done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB now")


def recover(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A SQLite database that is damaged.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="NEW", help="The new database; it must not be there yet.")
    ],
    json: JsonOption = False,
) -> None:
    """Save every row that can still be read of a damaged SQLite file, and count what was lost."""
    from anytile.db.upkeep.recover import recover as save
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    require_spare(out, (file,))
    began = time.monotonic()
    found = save(file, out)
    if json:
        say(dump({"database": out, "tables": found}))
        return
    table = Table(["table", ">saved", ">lost", ">loosened"])
    for one in found:
        table.add(one.table.replace("_", " "), one.saved, one.lost, one.loosened)
    table.show()
    lost = sum(one.lost for one in found)
    took = f"in {time.monotonic() - began:.1f} s"
    say(f"{out}: {counted(sum(one.saved for one in found), 'row')} saved {took}, {lost} lost; {file} stays as it is")


COMMANDS: dict[str, Callable[..., None]] = {
    "verify": verify, "prune": prune, "compact": compact, "recover": recover,
}  # fmt: skip

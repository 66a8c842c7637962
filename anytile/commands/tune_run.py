"""One `tune` from its options to its exit code: the campaign is run or resumed, shown as it goes, and summed up.

What differs between front ends is a `Front`: how the user called it and which runners it can have.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anytile.commands.endings import INTERRUPTED
from anytile.commands.tune_options import TuneOptions
from anytile.commands.tune_request import read_request
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError, MeasureError
from anytile.core.plurals import counted
from anytile.core.printable import say
from anytile.db.sql.url_words import hinted

if TYPE_CHECKING:
    from anytile.db.record_keeper import Keeping
    from anytile.schedules.workloads.workload import Workload
    from anytile.show.progress import Display
    from anytile.tuner.requests.request import TuneRequest


@dataclass(frozen=True)
class Place:
    """Where a campaign runs and is stored, as the command line said it; `spell` makes a command of words."""

    runner: str
    ray: str | None
    db: str | None
    usual_runner: str = "ray"
    spell: Callable[..., str] = command_line

    def resume(self, campaign_id: str, others: bool = False) -> str:
        """The command that goes on with it, in the same place, with the `others` who are at it; without a password of
        the database."""
        words = ["tune", "--join" if others else "--resume", campaign_id[:8]]
        words += ["--runner", self.runner] if self.runner != self.usual_runner else []
        words += ["--ray", self.ray] if self.ray else []
        db = hinted(self.db)
        words += ["--db", db] if db else []
        return self.spell(*words)


def run(options: TuneOptions, given: Collection[str], place: Place) -> int:
    """`given` names the options that are no defaults."""
    what = read_request(options, given)
    if options.compile_only and not isinstance(what, str):
        return _compile(what, options.json, what.seconds if "time" in given else None)
    from anytile.db.open import open_keeping

    with closing(open_keeping(options.db)) as store:
        return _run(store, what, place, options)


def _compile(request: TuneRequest, json: bool, seconds: float | None) -> int:
    """Compile only, a line for each template; or all of them as one JSON object. `seconds` are those of --time."""
    from anytile.tuner.builders.compile_only import compile_only

    made = []
    for found in compile_only(request, seconds=seconds):
        if not json:
            say(found, flush=True)
        made.append(found)
    if json:
        from anytile.show.jsonable import dump

        say(dump({"target": request.target, "compiled": made}))
    broken, built = sum(m.broken for m in made), sum(m.built for m in made)
    if broken:
        raise MeasureError(f"{broken} configs do not compile for {request.target}; that is a defect, please report it")
    if not built:
        raise MeasureError(f"no config compiles for {request.target}; the lines above say why")
    return 0


def _display(options: TuneOptions) -> Display:
    """Progress goes to stdout, unless stdout is for JSON; then people see it on stderr."""
    from anytile.show.progress import JsonLines, Lines, Live, Quiet

    if options.json_events:
        return JsonLines(sys.stdout)
    if options.quiet:
        return Quiet()
    stream = sys.stderr if options.json else sys.stdout
    if not stream.isatty() or importlib.util.find_spec("rich") is None:
        return Lines(stream)
    from rich.console import Console

    return Live(Console(file=stream))


def _run(store: Keeping, what: TuneRequest | str, place: Place, options: TuneOptions) -> int:
    from anytile.api import campaign
    from anytile.db.journal import Journal
    from anytile.show.findings import gather
    from anytile.show.jsonable import dump
    from anytile.show.summary import findings_json, models_json, print_findings
    from anytile.tuner.ledger.events import CampaignEnded, CampaignStarted, Event, ModelTrained

    began: list[CampaignStarted] = []
    ended: list[CampaignEnded] = []
    models: dict[Workload, ModelTrained] = {}

    def listen(event: Event) -> None:
        if isinstance(event, CampaignStarted):
            began.append(event)
        if isinstance(event, CampaignEnded):
            ended.append(event)
        if isinstance(event, ModelTrained):
            models[event.workload] = event
        show(event)

    try:
        with _display(
            options
        ) as show:  # the campaign itself minds Ctrl-C: the first ends it in order, the second at once
            result = campaign(store, what, place.runner, place.ray, listen, join=options.join is not None)
    except AnytileError:
        if ended and ended[-1].trials and not options.json_events:
            last = ended[-1]
            again = place.resume(last.campaign_id, bool(last.others))
            say(f"{counted(last.trials, 'trial')} stored; to go on: {again}", file=sys.stderr)
        raise
    except BrokenPipeError:  # the campaign ended in order, and stderr may have a reader yet
        if began:
            with suppress(BrokenPipeError):
                again = place.resume(began[-1].campaign_id)
                say(f"nobody reads on: the campaign stops here; to go on: {again}", file=sys.stderr, flush=True)
        raise
    findings = gather(store, result.campaign_id)
    unfinished = result.state != "finished"
    others = bool(ended and ended[-1].others)
    hint = place.resume(result.campaign_id, others) if unfinished else ""
    if options.json:
        ending = {"reason": result.reason, "resume": hint or None, "database": store.name}
        say(dump({**findings_json(findings, result.elapsed), **ending, "cost_models": models_json(models)}))
    elif not options.json_events:
        journal = store.name if isinstance(store, Journal) else None
        print_findings(findings, sys.stdout, result.elapsed, hint, models, hinted(place.db), journal)
        if journal:
            say(f"trials are in {journal}; `anytile db import` takes a journal into a database")
    if unfinished:
        return INTERRUPTED
    if result.reason:  # it ran to its end and yet lacks a plan: what it says is why
        raise MeasureError(result.reason)
    return 0

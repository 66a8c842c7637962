"""`anytile tune`, which is also `tune`: run a campaign, show it as it goes, print what it found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from typing import Any as AnyValue

import typer

from anytile.commands.options import ConstOption, DbOption, DtypeOption, JsonOption, TargetOption, read_sizes
from anytile.commands.reading import at_least, read_bytes, read_duration, read_target, read_workloads
from anytile.core.errors import AnytileError, MeasureError, SpecError
from anytile.core.plurals import counted

if TYPE_CHECKING:
    from anytile.db.record_keeper import Keeping
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.workloads.workload import Workload
    from anytile.show.progress import Display
    from anytile.tuner.requests.request import TuneRequest

INTERRUPTED = 130
SEARCHES = ("grid", "random", "evolve")
RUNNERS = ("ray", "inline", "replay")
_ANEW = ("resume", "runner", "ray", "db", "json", "json_events", "quiet")  # what `--resume` is told each time
MODELS = ("bert-base", "bert-large", "resnet50", "mobilenet-v2", "lstm")  # tuner.presets has their workloads

_WHAT, _EFFORT, _PLAN, _WHERE, _SHOW = "What to tune", "How hard to try", "Choosing the plan", "Where", "Output"


def tune(
    context: typer.Context,
    op: Annotated[str, typer.Option("--op", metavar="OP", help="The operator.", rich_help_panel=_WHAT)] = "dense",
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="DIMS",
            rich_help_panel=_WHAT,
            show_default="the three dense layers of BERT-base",
            help="Dimensions as in m=?,n=768,k=768; ? is one unknown until run time. May be repeated.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="MODEL",
            rich_help_panel=_WHAT,
            help=f"All distinct workloads of a model: {', '.join(MODELS)}.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FILE",
            rich_help_panel=_WHAT,
            help="All distinct workloads of a model of yours: its text form, or the executable it became.",
        ),
    ] = None,
    target: TargetOption = "llvm",
    dtype: DtypeOption = "float32",
    const: ConstOption = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="TIME",
            rich_help_panel=_EFFORT,
            help="Budget for everything, as in 90s or 3m. Without any budget a minute per workload, three at most; "
            "for a preset four and a half, or half a minute per workload.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            metavar="N",
            rich_help_panel=_EFFORT,
            help="Budget of configs searched; at each of three other sizes at most as many challenge the best of "
            "them. What is then measured, to choose between these, is bounded by --top-k and --time.",
        ),
    ] = None,
    early_stop: Annotated[
        int,
        typer.Option(
            "--early-stop",
            metavar="N",
            rich_help_panel=_EFFORT,
            help="End a search after so many configs without a gain; 0 never does.",
        ),
    ] = 160,
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            metavar="|".join(SEARCHES),
            rich_help_panel=_EFFORT,
            show_default="evolve where xgboost is installed, else random",
            help="How to search.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", rich_help_panel=_EFFORT, help="Same seed, same proposals.")] = 0,
    top_k: Annotated[
        int, typer.Option("--top-k", metavar="N", rich_help_panel=_EFFORT, help="How many configs to cross-evaluate.")
    ] = 100,
    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            metavar="NAME",
            rich_help_panel=_EFFORT,
            help="Search this template only; without it all that serve a workload compete.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="SIZES",
            rich_help_panel=_EFFORT,
            help="What symbols stand for during the search, as in n=1,h=56; others are 64, or 1 for a conv2d's batch.",
        ),
    ] = None,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold", rich_help_panel=_EFFORT, help="Learn nothing from what the database knows of related workloads."
        ),
    ] = False,
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            rich_help_panel=_PLAN,
            help="How much each size counts: a CSV with the columns m,weight.",
        ),
    ] = None,
    weights_from: Annotated[
        Path | None,
        typer.Option(
            "--weights-from",
            metavar="FILE",
            rich_help_panel=_PLAN,
            help="Weigh sizes and workloads as they were met: what `anytile run --record-shapes FILE` recorded.",
        ),
    ] = None,
    portfolio: Annotated[
        int,
        typer.Option("--portfolio", metavar="N", rich_help_panel=_PLAN, help="At most this many configs in a plan."),
    ] = 3,
    code_budget: Annotated[
        str | None,
        typer.Option(
            "--code-budget",
            metavar="SIZE",
            rich_help_panel=_PLAN,
            help="At most this much code in a kernel, as in 256k or 4M.",
        ),
    ] = None,
    compile_only: Annotated[
        bool,
        typer.Option(
            "--compile-only",
            rich_help_panel=_WHERE,
            help="Compile what a search would propose and measure nothing; needs no device.",
        ),
    ] = False,
    runner: Annotated[
        str, typer.Option("--runner", metavar="|".join(RUNNERS), rich_help_panel=_WHERE, help="Who measures.")
    ] = "ray",
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray", metavar="ADDRESS", rich_help_panel=_WHERE, help="A Ray cluster; without it Ray on this machine."
        ),
    ] = None,
    db: DbOption = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="CAMPAIGN",
            rich_help_panel=_WHERE,
            help="Go on with an interrupted campaign; `last` is the newest.",
        ),
    ] = None,
    json: JsonOption = False,
    json_events: Annotated[
        bool, typer.Option("--json-events", rich_help_panel=_SHOW, help="Print every event as a JSON line.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=_SHOW, help="No progress display.")] = False,
) -> int:
    """Search for fast configs, measure them, choose a plan, remember everything."""
    for option, value in (("--trials", trials), ("--top-k", top_k), ("--portfolio", portfolio)):
        at_least(option, value, 1)
    at_least("--early-stop", early_stop, 0)
    if runner not in RUNNERS:
        raise SpecError(f"--runner {runner!r}: expected one of {', '.join(RUNNERS)}")
    if search is not None and search not in SEARCHES:
        raise SpecError(f"--search {search!r}: expected one of {', '.join(SEARCHES)}")
    if ray is not None and runner != "ray":
        raise SpecError(f"--ray {ray}: the runner is {runner!r}; leave --runner out, or --ray")
    seconds = None if time is None else read_duration(time)
    request: TuneRequest | None = None
    if resume is not None:
        for option in _settled(context):
            raise SpecError(f"--resume {resume}: goes on as it was started; leave {option} out, or begin anew")
    elif weights is not None and weights_from is not None:
        raise SpecError(f"--weights {weights}: given together with --weights-from {weights_from}; give one of them")
    else:
        from anytile.commands.bare import require_usable, searched_by
        from anytile.tuner.requests.request import TuneRequest
        from anytile.tuner.requests.size_weights import load_weights

        wanted = read_target(target)
        if runner != "replay" or compile_only:
            require_usable(wanted, compile_only, timed_here=ray is None and runner != "replay")
        code_bytes = TuneRequest.code_budget if code_budget is None else read_bytes(code_budget)
        what, usual = _workloads(op, shape, preset, wanted, dtype, const), None
        if model is not None:
            what, usual = _of_model(model, wanted, op, shape, preset)
        elif preset is not None:
            usual = _budget(preset)
        if at is not None:
            what["at"] = _sizes(at, what)
        request = TuneRequest(
            **what,
            target=wanted,
            strategy=searched_by(search),
            trials=trials,
            seconds=usual if seconds is None and trials is None else seconds,
            seed=seed,
            top_k=top_k,
            portfolio=portfolio,
            template=template,
            weights=None if weights is None else load_weights(weights),
            code_budget=code_bytes,
            early_stop=early_stop or None,
            cold=cold,
        )
        request.require_served()  # a wrong --template is said before anything is stored
        if weights_from is not None:
            from anytile.api import weighed

            request = weighed(request, weights_from, "--weights-from ")
        if compile_only:
            from anytile.commands.bare import compile_and_say

            return compile_and_say(request, json)
    from anytile.db.open import open_keeping

    with closing(open_keeping(db)) as store:
        display = _display(json, json_events, quiet)
        return _run(store, request or str(resume), Place(runner, ray, db), display, json, json_events)


def _settled(context: typer.Context) -> Iterator[str]:
    """The options given that were settled when the campaign began."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in _ANEW and source is not None and source.name == "COMMANDLINE":
            yield f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class Place:
    """Where a campaign runs and is stored, as the command line said it."""

    runner: str
    ray: str | None
    db: str | None

    def resume(self, campaign_id: str) -> str:
        """The command that goes on with it, in the same place."""
        from anytile.core.command_hint import command_line

        words = ["tune", "--resume", campaign_id[:8]]
        words += ["--runner", self.runner] if self.runner != "ray" else []
        words += ["--ray", self.ray] if self.ray else []
        words += ["--db", self.db] if self.db else []
        return command_line(*words)


def _workloads(
    op: str, shapes: list[str] | None, preset: str | None, target: Target, dtype: str, const: bool | None
) -> dict[str, AnyValue]:
    """What the request is about: its workloads, and what a preset says of them besides."""
    if preset is not None:
        from anytile.tuner.presets.requests import model

        if shapes or op != "dense":
            given = f"--shape {shapes[0]}" if shapes else f"--op {op}"
            raise SpecError(f"--preset {preset}: given together with {given}; give one of them")
        if dtype != "float32":
            raise SpecError(f"--preset {preset}: has float32 workloads, got --dtype {dtype}")
        return model(preset).options(target, const is not False)
    from anytile.commands.bare import without_tails

    return {"workloads": without_tails(read_workloads(op, shapes, dtype, const))}


def _of_model(
    path: Path, target: Target, op: str, shapes: list[str] | None, preset: str | None
) -> tuple[dict[str, AnyValue], float]:
    """What the request is about where a file says it, and how long that takes unless told otherwise."""
    from anytile.compiler.compile import needed_by
    from anytile.tuner.presets.requests import Model

    if shapes or preset or op != "dense":
        given = f"--shape {shapes[0]}" if shapes else f"--preset {preset}" if preset else f"--op {op}"
        raise SpecError(f"--model {path}: given together with {given}; give one of them")
    found = needed_by(path, target)
    if not found:
        raise SpecError(f"--model {path}: it has no kernel that tuning could make faster")
    counts = tuple(map(float, found.values()))
    return {"workloads": tuple(found), "counts": counts}, Model(tuple(found), counts).seconds


def _sizes(text: str, what: dict[str, AnyValue]) -> dict[str, int]:
    """What `--at` says, before what a preset says of the same symbols."""
    given = read_sizes("--at", text)
    known = sorted({symbol for workload in what["workloads"] for symbol in workload.symbols})
    for symbol, size in given.items():
        if symbol not in known:
            expected = f"expected some of {', '.join(known)}" if known else "every size is known"
            raise SpecError(f"--at {text}: no workload has a symbol {symbol!r}; {expected}")
        at_least(f"--at {symbol}", size, 1)
    return {**what.get("at", {}), **given}


def _budget(preset: str) -> float:
    from anytile.tuner.presets.requests import model

    return model(preset).seconds


def _display(json: bool, json_events: bool, quiet: bool) -> Display:
    """Progress goes to stdout, unless stdout is for JSON; then people see it on stderr."""
    from anytile.show.progress import JsonLines, Lines, Live, Quiet

    if json_events:
        return JsonLines(sys.stdout)
    if quiet:
        return Quiet()
    stream = sys.stderr if json else sys.stdout
    if not stream.isatty():
        return Lines(stream)
    from rich.console import Console

    return Live(Console(file=stream))


def _run(store: Keeping, what: TuneRequest | str, place: Place, display: Display, json: bool, json_events: bool) -> int:
    from anytile.api import campaign
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
        with display as show:  # the campaign itself minds Ctrl-C: the first ends it in order, the second at once
            result = campaign(store, what, place.runner, place.ray, listen)
    except AnytileError:
        if ended and ended[-1].trials and not json_events:
            last = ended[-1]
            print(
                f"{counted(last.trials, 'trial')} stored; to go on: {place.resume(last.campaign_id)}", file=sys.stderr
            )
        raise
    except BrokenPipeError:  # the campaign ended in order, and stderr may have a reader yet
        if began:
            with suppress(BrokenPipeError):
                again = place.resume(began[-1].campaign_id)
                print(f"nobody reads on: the campaign stops here; to go on: {again}", file=sys.stderr, flush=True)
        raise
    findings = gather(store, result.campaign_id)
    unfinished = result.state != "finished"
    hint = place.resume(result.campaign_id) if unfinished else ""
    if json:
        ending = {"reason": result.reason, "resume": hint or None, "database": store.name}
        print(dump({**findings_json(findings, result.elapsed), **ending, "cost_models": models_json(models)}))
    elif not json_events:
        print_findings(findings, sys.stdout, result.elapsed, hint, models, place.db)
    if unfinished:
        return INTERRUPTED
    if result.reason:  # it ran to its end and yet lacks a plan: what it says is why
        raise MeasureError(result.reason)
    return 0

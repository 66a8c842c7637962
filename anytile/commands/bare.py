"""`tune` with nothing but the standard library around it, for a machine that lends its device and not its packages.

numpy, llvmlite and (for a GPU) CuPy are enough: no typer, no rich, no Ray, no XGBoost, no SQLAlchemy. Trials then go to
a journal that `anytile db import` reads elsewhere. Errors are one line and an exit code, as on the whole command line.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from anytile.commands.pipe import reader_left
from anytile.commands.reading import at_least, read_duration, read_target, read_workloads
from anytile.core.errors import AnytileError, SpecError
from anytile.tuner.requests.request import CampaignResult, TuneRequest

if TYPE_CHECKING:
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.workloads.workload import Workload

INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:
    """One command line; its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _tune(options)
    except BrokenPipeError:
        return reader_left()
    except AnytileError as error:
        if os.environ.get("ANYTILE_DEBUG", "") not in ("", "0"):
            raise
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="anytile", description="Kernels tuned once, fast at every shape. Without typer there is only `tune`."
    )
    tune = parser.add_subparsers(dest="command", required=True).add_parser("tune", help="search, measure, remember")
    tune.add_argument("--op", default="dense")
    tune.add_argument(
        "--shape",
        action="append",
        metavar="DIMS",
        help="as in m=?,n=768,k=768; may be repeated [the three dense layers of BERT-base]",
    )
    tune.add_argument("--target", default="llvm")
    tune.add_argument("--dtype", default="float32")
    tune.add_argument("--const", action=argparse.BooleanOptionalAction, default=None)
    tune.add_argument("--time", metavar="TIME", help="budget for everything, as in 90s or 3m")
    tune.add_argument("--trials", type=int, metavar="N")
    tune.add_argument("--early-stop", type=int, default=160, metavar="N")
    tune.add_argument("--search", choices=("evolve", "random", "grid"), help="evolve where xgboost is installed")
    tune.add_argument("--seed", type=int, default=0)
    tune.add_argument("--top-k", type=int, default=100, metavar="N")
    tune.add_argument("--portfolio", type=int, default=3, metavar="N")
    tune.add_argument("--template", metavar="NAME")
    tune.add_argument("--runner", choices=("inline",), default="inline")
    tune.add_argument("--db", metavar="FILE", help="a database, or a journal FILE.jsonl [anytile-trials.jsonl]")
    tune.add_argument("--resume", metavar="CAMPAIGN", help="go on with this one; `last` is the newest")
    tune.add_argument("--compile-only", action="store_true", help="compile what a search would propose")
    tune.add_argument("--quiet", "-q", action="store_true")
    return parser


def _tune(options: argparse.Namespace) -> int:
    from anytile.db.open import open_keeping

    what: TuneRequest | str = options.resume or _request(options)
    if options.compile_only and isinstance(what, TuneRequest):
        return compile_and_say(what)
    with closing(open_keeping(options.db)) as store:
        from anytile.api import campaign
        from anytile.show.findings import gather
        from anytile.show.progress import Lines, Quiet
        from anytile.show.summary import print_findings

        display = Quiet() if options.quiet else Lines(sys.stdout)
        with display as show:
            result: CampaignResult = campaign(store, what, "inline", None, show)
        where = f" --db {shlex.quote(options.db)}" if options.db else ""
        again = f"python -m anytile tune --resume {result.campaign_id[:8]}{where}"
        hint = "" if result.state == "finished" else again
        print_findings(gather(store, result.campaign_id), sys.stdout, result.elapsed, hint)
        print(f"trials are in {store.name}; `anytile db import` takes a journal into a database")
    return 0 if result.state == "finished" else INTERRUPTED


def compile_and_say(request: TuneRequest, json: bool = False) -> int:
    """Compile only, a line for each template; or all of them as one JSON object."""
    from anytile.core.errors import MeasureError
    from anytile.tuner.builders.compile_only import compile_only

    made = []
    for found in compile_only(request):
        if not json:
            print(found, flush=True)
        made.append(found)
    if json:
        from anytile.show.jsonable import dump

        print(dump({"target": request.target, "compiled": made}))
    broken, built = sum(m.broken for m in made), sum(m.built for m in made)
    if broken:
        raise MeasureError(f"{broken} configs do not compile for {request.target}; that is a defect, please report it")
    if not built:
        raise MeasureError(f"no config compiles for {request.target}; the lines above say why")
    return 0


def require_usable(target: Target, compile_only: bool, timed_here: bool = True) -> None:
    """Before anything is stored: that code for a target can be made here and, unless it is only compiled, can run; and
    that its threads have cores, unless other machines are to time it."""
    from anytile.dispatch.backends import backend
    from anytile.schedules.hardware.target import require_cores, require_runnable

    if not compile_only:
        require_runnable(target)
        if timed_here:
            require_cores(target)
    backend(target).require_compiler(target)


def searched_by(wanted: str | None) -> str:
    """The search that was asked for; without one it is `evolve`, and `random` where its model cannot be made."""
    has_model = importlib.util.find_spec("xgboost") is not None
    if wanted == "evolve" and not has_model:
        raise SpecError("--search evolve: xgboost is not installed; use --search random, or install it")
    if wanted is None and not has_model:
        print("xgboost is not installed: searching at random", file=sys.stderr)
    return wanted or ("evolve" if has_model else "random")


def without_tails(workloads: Iterable[Workload]) -> tuple[Workload, ...]:
    """What is tuned of the workloads that were asked for; a tail goes with any plan of what it follows."""
    asked = tuple(workloads)
    for workload in asked:
        if workload.tail:
            print(
                f"tuned without the tail {workload.tail}, which goes with the plan: {workload.anchor}", file=sys.stderr
            )
    return tuple(dict.fromkeys(workload.anchor for workload in asked))


def _request(options: argparse.Namespace) -> TuneRequest:
    for option, value in (("--trials", options.trials), ("--top-k", options.top_k)):
        at_least(option, value, 1)
    workloads = without_tails(read_workloads(options.op, options.shape, options.dtype, options.const))
    wanted = read_target(options.target)
    require_usable(wanted, options.compile_only)
    request = TuneRequest(
        workloads,
        wanted,
        strategy=searched_by(options.search),
        trials=options.trials,
        seconds=None if options.time is None else read_duration(options.time),
        seed=options.seed,
        top_k=options.top_k,
        portfolio=options.portfolio,
        template=options.template,
        early_stop=options.early_stop or None,
    )
    request.require_served()  # a wrong --template is said before anything is stored
    return request

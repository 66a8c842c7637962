"""A `tune` command line as a request: the one parse and the one set of checks, whichever front end took the words."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any as AnyValue

from anytile.commands.reading import at_least, read_bytes, read_duration, read_sizes, read_target, read_workloads
from anytile.commands.tune_options import TuneOptions, check_values, flag_of, rows
from anytile.core.errors import SpecError
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.workloads.workload import Workload
    from anytile.tuner.requests.request import TuneRequest

# What `--resume` and `--join` are told each time; everything else was settled when the campaign began.
_ANEW = ("resume", "join", "runner", "ray", "db", "json", "json_events", "quiet")


def read_request(options: TuneOptions, given: Collection[str]) -> TuneRequest | str:
    """The request, or the campaign to go on with; `given` names the options that are no defaults."""
    check_values(options)
    if options.ray is not None and not options.ray.strip():
        raise SpecError("--ray '': expected the address of a Ray cluster; leave --ray out for Ray on this machine")
    if options.ray is not None and options.runner != "ray":
        raise SpecError(f"--ray {options.ray}: the runner is {options.runner!r}; leave --runner out, or --ray")
    seconds = None if options.time is None else read_duration(options.time)
    if options.resume is not None and options.join is not None:
        raise SpecError(f"--resume {options.resume}: given together with --join {options.join}; give one of them")
    for flag, campaign in (("--resume", options.resume), ("--join", options.join)):
        if campaign is not None:
            for name in (row.name for row in rows() if row.name in given and row.name not in _ANEW):
                raise SpecError(
                    f"{flag} {campaign}: goes on as it was started; leave {flag_of(name)} out, or begin anew"
                )
            return campaign
    if options.weights is not None and options.weights_from is not None:
        raise SpecError(
            f"--weights {options.weights}: given together with --weights-from {options.weights_from}; give one of them"
        )
    from anytile.tuner.requests.make_request import make_request
    from anytile.tuner.requests.request import TuneRequest
    from anytile.tuner.requests.size_weights import load_weights

    target = read_target(options.target)
    if options.runner != "replay" or options.compile_only:
        timed_here = options.ray is None and options.runner != "replay"
        _require_usable(target, options.compile_only, timed_here)
    code_bytes = TuneRequest.code_budget if options.code_budget is None else read_bytes(options.code_budget)
    what, usual = _what(options, target)
    if options.at is not None:
        what["at"] = {**what.get("at", {}), **_at(options.at, what["workloads"])}
    return make_request(
        target,
        what,
        _say,
        usual_seconds=usual,
        search=options.search,
        trials=options.trials,
        seconds=seconds,
        weights_from=options.weights_from,
        weights_option="--weights-from ",
        weights=None if options.weights is None else load_weights(options.weights),
        objective=options.objective,
        seed=options.seed,
        top_k=options.top_k,
        portfolio=options.portfolio,
        template=options.template,
        code_budget=code_bytes,
        early_stop=options.early_stop or None,
        cold=options.cold,
    )


def _what(options: TuneOptions, target: Target) -> tuple[dict[str, AnyValue], float | None]:
    """What the request is about, and the seconds that it usually takes where that is known."""
    from anytile.tuner.presets.requests import model as preset_of

    op, shapes = options.op, options.shape
    if options.model is None and options.precision != "float32":
        raise SpecError(f"--precision {options.precision}: is that of a --model; workloads have a --dtype of their own")
    other = f"--shape {shapes[0]}" if shapes else f"--op {op}" if op != "dense" else ""
    if options.from_misses is not None:
        named = {"--model": options.model, "--preset": options.preset}
        other = next((f"{flag} {value}" for flag, value in named.items() if value is not None), other)
        if other:
            raise SpecError(f"--from-misses {options.from_misses}: given together with {other}; give one of them")
        return _of_misses(options.from_misses, target, options.db)
    if options.model is not None:
        other = f"--shape {shapes[0]}" if shapes else f"--preset {options.preset}" if options.preset else other
        if other:
            raise SpecError(f"--model {options.model}: given together with {other}; give one of them")
        return _of_model(options.model, target, options.precision)
    if options.preset is None:
        return {"workloads": _anchors(read_workloads(op, shapes, options.dtype, options.const))}, None
    if other:
        raise SpecError(f"--preset {options.preset}: given together with {other}; give one of them")
    if options.dtype != "float32":
        raise SpecError(f"--preset {options.preset}: has float32 workloads, got --dtype {options.dtype}")
    found = preset_of(options.preset)
    return found.options(target, options.const is not False), found.seconds


def _of_model(path: Path, target: Target, precision: str) -> tuple[dict[str, AnyValue], float]:
    from anytile.compiler.compile import needed_by
    from anytile.model_api import read_model
    from anytile.tuner.presets.requests import Model

    found = needed_by(path, target, read_model, precision)
    if not found:
        raise SpecError(f"--model {path}: it has no kernel that tuning could make faster")
    model = Model(tuple(found), tuple(map(float, found.values())))
    return {"workloads": model.workloads, "counts": model.counts}, model.seconds


def _of_misses(most: int, target: Target, db: str | None) -> tuple[dict[str, AnyValue], float]:
    from anytile.api import suggested
    from anytile.db.store import Store
    from anytile.tuner.presets.requests import Model

    with Store.open(db, readonly=True) as store:
        found = suggested(store, target)[:most]
        name = store.name
    if not found:
        raise SpecError(f"--from-misses {most}: {name} was asked for nothing on {target} that it does not know")
    model = Model(tuple(s.workload for s in found), tuple(float(s.asked) for s in found))
    return {"workloads": model.workloads, "counts": model.counts}, model.seconds


def _at(text: str, workloads: Iterable[Workload]) -> dict[str, int]:
    given = read_sizes("--at", text)
    known = sorted({symbol for workload in workloads for symbol in workload.symbols})
    for symbol, size in given.items():
        if symbol not in known:
            expected = f"expected some of {', '.join(known)}" if known else "every size is known"
            raise SpecError(f"--at {text}: no workload has a symbol {symbol!r}; {expected}")
        at_least(f"--at {symbol}", size, 1)
    return given


def _anchors(asked: Collection[Workload]) -> tuple[Workload, ...]:
    """What is tuned of the workloads that were asked for; a tail goes with any plan of what it follows."""
    for workload in asked:
        if workload.tail:
            _say(f"tuned without the tail {workload.tail}, which goes with the plan: {workload.anchor}")
    return tuple(dict.fromkeys(workload.anchor for workload in asked))


def _require_usable(target: Target, compile_only: bool, timed_here: bool) -> None:
    """Before anything is stored: that code for a target can be made here and, unless it is only compiled, can run; and
    that its threads have cores, unless other machines are to time it."""
    from anytile.dispatch.backends import backend
    from anytile.schedules.hardware.target import require_cores, require_runnable

    if not compile_only:
        require_runnable(target)
        if timed_here:
            require_cores(target)
    backend(target).require_compiler(target)


def _say(line: str) -> None:
    say(line, file=sys.stderr)

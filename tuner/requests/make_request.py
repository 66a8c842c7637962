"""A tuning request from what a caller wants: the one way there for the command line's front ends and for Python.

What is decided here needs more than the request itself: whether a strategy can run, how long a preset takes, which
templates there are, what a recording of runs weighs. `say` is told what the caller should know and need not mind.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from anytile.core.errors import SpecError
from anytile.schedules.hardware.gpu import fuller_variant
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.requests.recorded_sizes import recorded
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.search.strategies import STRATEGIES
from anytile.vm.profile import ShapeHistogram
from anytile.vm.size_histogram_file import read_shapes

Recording = str | Path | ShapeHistogram


def make_request(
    target: Target,
    what: Mapping[str, Any],
    say: Callable[[str], None],
    *,
    usual_seconds: float | None = None,
    search: str | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    weights_from: Recording | None = None,
    weights_option: str = "weights_from=",
    **options: Any,
) -> TuneRequest:
    """`what` are fields that say what is tuned, its workloads at least; `options` go before them.

    With neither trials nor seconds it takes the usual seconds. `weights_option` is what the caller calls a recording.
    """
    if seconds is None and trials is None:
        seconds = usual_seconds
    strategy = strategy_of(search, say)
    request = TuneRequest(**{**what, **options}, target=target, strategy=strategy, trials=trials, seconds=seconds)
    request.require_served()  # a wrong template is said before anything is stored
    if target.kind == "cuda" and (lacking := _lacking(request)):
        say(lacking)
    return request if weights_from is None else _weighed(request, weights_from, weights_option, say)


def strategy_of(wanted: str | None, say: Callable[[str], None]) -> str:
    """The search that was asked for; without one it is `evolve`, and `random` where its model cannot be made."""
    has_model = importlib.util.find_spec("xgboost") is not None
    if wanted is None:
        if not has_model:
            say("xgboost is not installed: searching at random")
        return "evolve" if has_model else "random"
    if wanted in STRATEGIES and STRATEGIES[wanted].learns and not has_model:
        raise SpecError(f"--search {wanted}: xgboost is not installed; use --search random, or install it")
    return wanted


def _lacking(request: TuneRequest) -> str:
    """Which templates the target's architecture rules out, where the variant of it that its GPUs have does not."""
    target, fuller = request.target, fuller_variant(request.target)
    if fuller is None:
        return ""
    asked = {t.name: (w, t) for w in request.workloads for t in request.templates(w)}
    names = [n for n, (w, t) in sorted(asked.items()) if not _has_default(t, w, target) and _has_default(t, w, fuller)]
    has = "has" if len(names) == 1 else "have"
    arch = f"-arch={fuller.get('arch')}"
    return f"{', '.join(names)} {has} no config for {target}; name {arch} to search them, too" if names else ""


def _has_default(template: Template, workload: Workload, target: Target) -> bool:
    try:
        template.space(workload, target).check(template.default(workload, target))
    except SpecError:
        return False
    return True


def _weighed(request: TuneRequest, source: Recording, option: str, say: Callable[[str], None]) -> TuneRequest:
    """With the weights of a recording, or of its file; says what the recording lacks."""
    if request.weights is not None:
        raise SpecError(f"{option}...: given together with weights; give one of them")
    if isinstance(source, ShapeHistogram):
        name, given, histogram = "the recording", option + "...", source
    else:
        name, given, histogram = str(source), f"{option}{source}", read_shapes(source)
    try:
        found = recorded(request, histogram)
    except SpecError as error:
        raise SpecError(f"{given}: {error}") from None
    for workload in found.lacking:
        say(f"{name} has no run of {workload}, which is tuned without weights")
    return found.request

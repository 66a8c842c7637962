"""Compiling without measuring: what a search would build for a target, built by the same builders, with no device.

For machines that lack the device: it shows that every template's code compiles for an architecture, how fast, and what
the compiler says of it. Nothing is stored, for nothing was measured.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from anytile.core.plurals import counted
from anytile.db.records.records import Status
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.messages import Built
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.search.state import SearchState
from anytile.tuner.search.strategies import STRATEGIES

CONFIGS = 32  # of each template, unless told otherwise
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of one template's configs for one workload; `facts` are the least and the most of each figure."""

    workload: Workload
    template: str
    built: int
    failed: Mapping[Status, int]
    reasons: tuple[str, ...]
    seconds: float
    facts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    untried: int = 0  # configs that the time did not suffice for

    @property
    def broken(self) -> int:
        """Configs that should compile and do not; a constraint is none."""
        return sum(count for status, count in self.failed.items() if status is not Status.CONSTRAINT)

    def __str__(self) -> str:
        total = self.built + sum(self.failed.values())
        text = f"{self.workload} {self.template}: {self.built} of {counted(total, 'config')} compile"
        if self.built:
            text += f", {total / max(self.seconds, 1e-9):.1f} a second"
        for name, (low, high) in self.facts.items():
            text += f", {name} {low:g}" + (f" to {high:g}" if high > low else "")
        for reason in self.reasons:
            text += f"; {reason}"
        if self.untried:
            text += f"; the time was up before {counted(self.untried, 'more config')}"
        return text


def compile_only(
    request: TuneRequest, farm: BuilderPool | None = None, seconds: float | None = None
) -> Iterator[Compiled]:
    """One after the other, each template of each workload. The strategy picks, `random` for one that learns.

    `seconds` are for all of them together, and each has an equal share of what is left; what is being built when they
    are over is finished. Without them every template has its configs, whatever the request's own budget of time is.
    """
    todo = [(workload, template) for workload in request.workloads for template in request.templates(workload)]
    until = math.inf if seconds is None else time.monotonic() + seconds
    with closing(BuilderPool() if farm is None else farm) as builders:
        for i, (workload, template) in enumerate(todo):
            share = (until - time.monotonic()) / (len(todo) - i)
            yield _compiled(request, workload, template, builders, share)


def _compiled(
    request: TuneRequest, workload: Workload, template: Template, farm: BuilderPool, share: float
) -> Compiled:
    began = time.monotonic()
    space = template.space(workload, request.target)
    asked = STRATEGIES[request.strategy]
    strategy = STRATEGIES["random"] if asked.learns else asked
    default = template.default(workload, request.target)
    count = request.trials or CONFIGS
    chosen = [default, *(c for c in strategy(SearchState(space, seed=request.seed), count) if c != default)][:count]
    point = (request.representative_point(workload),)
    todo = [Candidate(workload, request.target, template.name, c, point) for c in chosen]
    some = len(todo) if math.isinf(share) else farm.count
    made: list[Built] = []
    seconds = 0.0
    while len(made) < len(todo) and time.monotonic() - began < share:
        start = time.perf_counter()
        made += farm.build(todo[len(made) : len(made) + some], _TIMEOUT)
        seconds += time.perf_counter() - start
    return replace(_summary(workload, template.name, made, seconds), untried=len(todo) - len(made))


def _summary(workload: Workload, template: str, made: list[Built], seconds: float) -> Compiled:
    good = [b.facts for b in made if b.facts is not None]
    bad = [b for b in made if b.artifact is None]
    reasons = Counter(b.reason for b in bad)
    names = [name for name in ("registers", "spills", "shared", "blocks_per_sm") if all(name in f for f in good)]
    spans = {name: (min(f[name] for f in good), max(f[name] for f in good)) for name in names if good}
    return Compiled(
        workload,
        template,
        len(good),
        dict(Counter(b.status for b in bad)),
        tuple(f"{count} not: {reason}" for reason, count in reasons.most_common(3)),
        seconds,
        spans,
    )

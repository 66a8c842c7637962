"""Library rivals as candidates: the runner times a BLAS like any config, so its rows are comparable and replayable.

The template `library` is no template of ours; its knobs are the library's name, as a plan's range names it, and which
build of it that is: what one measured says nothing of another. Such a candidate is built from a plan that runs the
library at every size, so what is timed is the call that is shipped.
"""

from __future__ import annotations

from anytile.core.errors import UnsupportedError
from anytile.dispatch.backends import backend
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import ranged_symbol
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Candidate

LIBRARY = "library"
NAME, BUILD = "name", "build"


def library_candidates(workload: Workload, target: Target) -> list[Candidate]:
    """A candidate for each library that could serve the workload on this machine; its points are still open."""
    made = backend(target)
    served = workload.op == "dense" and not workload.stored and (workload.dtype == "float32" or target.kind != "llvm")
    if not served or not target.is_host or not made.has_library(made.library):
        return []
    build = made.library_build()
    config = Config.of(name=made.library, **({BUILD: build} if build else {}))
    return [Candidate(workload, target, LIBRARY, config, ())]


def library_plan(candidate: Candidate) -> DispatchPlan:
    """The plan that runs the candidate's library at every size; refused where the library is another one."""
    wanted, here = build_of(candidate.config), backend(candidate.target).library_build()
    if wanted not in ("", here):
        raise UnsupportedError(f"{candidate.config[NAME]} is {here or 'not there'} here; expected {wanted}")
    symbol = ranged_symbol(templates_for(candidate.workload, candidate.target)[0], candidate.workload)
    everywhere = Range(0, None, str(candidate.config[NAME]))
    return DispatchPlan(candidate.workload, candidate.target, symbol, (), (everywhere,), {})


def build_of(config: Config) -> str:
    """Which build of its library a candidate's config names; nothing where it names none."""
    return str(dict(config.values).get(BUILD, ""))

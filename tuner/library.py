"""Library rivals as candidates: the runner times a BLAS like any config, so its rows are comparable and replayable.

The template `library` is no template of ours; its only knob is the library's name, as a plan's range names it.
"""

from __future__ import annotations

from anytile.dispatch.rivals import LIBRARY as BLAS
from anytile.dispatch.rivals import pick
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.workload import Workload
from anytile.tuner.candidate import Candidate

LIBRARY = "library"


def library_candidates(workload: Workload, target: Target) -> list[Candidate]:
    """A candidate for each library that could serve the workload on this machine; its points are still open."""
    if workload.op != "dense" or not target.is_host or pick(BLAS) is None:
        return []
    return [Candidate(workload, target, LIBRARY, Config.of(name=BLAS), ())]

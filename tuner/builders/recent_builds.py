"""LRU cache of recent builds, by candidate: what was built to be looked at, and every winner, is built again otherwise.

Only what follows from the candidate is kept: its code, or why it has none. A builder that was lost says nothing of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from anytile.db.records.records import Status
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.messages import Built

LIMIT_BYTES = 128 << 20
LIMIT_BUILDS = 4096


@dataclass(eq=False)
class RecentBuilds:
    """LRU cache: the builds asked for last, up to so many bytes of code."""

    limit_bytes: int = LIMIT_BYTES
    _builds: OrderedDict[Candidate, Built] = field(default_factory=OrderedDict, repr=False)
    _bytes: int = 0

    def fill(
        self, candidates: Sequence[Candidate], build: Callable[[Sequence[Candidate]], Sequence[Built]]
    ) -> list[Built]:
        """One build per candidate, in their order; `build` makes those that are not here."""
        keys = [replace(c, number=0) for c in candidates]  # its place in a campaign does not change the code
        found = {key: self._builds[key] for key in keys if key in self._builds}
        lacking = [i for i, key in enumerate(keys) if key not in found]
        made = dict(zip(lacking, build([candidates[i] for i in lacking]) if lacking else (), strict=True))
        builds = [made[i] if i in made else replace(found[key], candidate=candidates[i]) for i, key in enumerate(keys)]
        for key, built in zip(keys, builds, strict=True):
            self._keep(key, built)
        return builds

    def _keep(self, key: Candidate, built: Built) -> None:
        if built.artifact is None and built.status not in (Status.COMPILE_ERROR, Status.CONSTRAINT):
            return
        self._bytes += _size(built) - _size(self._builds.get(key))
        self._builds[key] = built
        self._builds.move_to_end(key)
        while self._bytes > self.limit_bytes or len(self._builds) > LIMIT_BUILDS:
            self._bytes -= _size(self._builds.popitem(last=False)[1])


def _size(built: Built | None) -> int:
    return len(built.artifact.code) if built is not None and built.artifact is not None else 0

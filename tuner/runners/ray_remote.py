"""Remote task and actor on the nodes of a Ray cluster: the building task and the measuring station.

Both are thin: the task owns a builder child, the station a supervisor, exactly as on a single machine. Only text and
bytes cross the network, so nothing here depends on how Ray packs objects, and foreign code never runs in a Ray process.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from anytile.core.errors import MeasureError
from anytile.schedules.hardware.target import Target
from anytile.tuner.builders.builder_pool import BuilderPool
from anytile.tuner.ledger.owner import worker_name
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.messages import CANDIDATE, DUEL, POLICY, Built, built_json, outcome_json, read_built
from anytile.tuner.runners.timing_setups import Supervisors, timing_setup


def build(candidate: str, timeout: float, lock_folder: str | None) -> tuple[str, bytes]:
    """Build one candidate in this process's own builder child, while nothing is being timed on this node."""
    lock = DeviceLock("cpu", _path(lock_folder))
    with lock.building():
        (built,) = _builder().build([CANDIDATE.load(json.loads(candidate))], timeout)
    header, code = built_json(built)
    return json.dumps(header), code


@functools.cache
def _builder() -> BuilderPool:
    """One per Ray worker process, which Ray keeps for further tasks; the child dies with the process."""
    return BuilderPool(1)


class Station:
    """The one place of a node where kernels are timed, for every kind of device it has."""

    def __init__(self, lock_folder: str | None) -> None:
        self._supervisors = Supervisors(_path(lock_folder))

    def serves(self, target: str) -> bool:
        """Whether this node runs code for the target; raises where it does and yet cannot time it."""
        wanted = Target.parse(target)
        if not wanted.is_host:
            return False
        timing_setup(wanted).require(wanted)
        return True

    def measure(self, built: tuple[str, str, bytes], policy: str) -> str:
        given = unpack(built)
        outcome = self._supervisors.of([given.candidate.target]).measure(given, POLICY.load(json.loads(policy)))
        return json.dumps(outcome_json(replace(outcome, worker=worker_name())))

    def duel(self, builts: list[tuple[str, str, bytes]], rounds: int, policy: str) -> str:
        given = [unpack(b) for b in builts]
        duels = self._supervisors.of([given[0].candidate.target]).duel(given, rounds, POLICY.load(json.loads(policy)))
        return json.dumps([DUEL.dump(replace(d, worker=worker_name())) for d in duels])


def unpack(packed: tuple[str, str, bytes]) -> Built:
    """The candidate, the build's header and the code, as they travel to a station."""
    candidate, header, code = packed
    return read_built(CANDIDATE.load(json.loads(candidate)), json.loads(header), code)


def read_answer(candidate: Candidate, answer: Any) -> Built:
    """What `build` returned, checked."""
    header, code = answer
    if not isinstance(code, bytes):
        raise MeasureError(f"a build answered with {type(code).__name__} for code")
    return read_built(candidate, json.loads(header), code)


def _path(folder: str | None) -> Path | None:
    return None if folder is None else Path(folder)

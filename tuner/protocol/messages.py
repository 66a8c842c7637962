"""What parents and children tell each other, as JSON-able data, and how it is read back.

Both directions of every message stand here, so that a child, a Ray task and a Ray actor understand the same words.
What comes back from a child that ran foreign code is checked field by field: a reader raises one of `UNREADABLE`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anytile.codegen.artifact import Artifact
from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Candidate, Duel, Outcome, Point, Timing, TimingPolicy

Json = dict[str, Any]
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, SpecError)


@dataclass(frozen=True, slots=True)
class Built:
    """A candidate after its build: an artifact and the points to check it at, or a status and a reason."""

    candidate: Candidate
    artifact: Artifact | None
    checks: tuple[Point, ...] = ()
    status: Status = Status.OK
    reason: str = ""
    seconds: float = 0.0

    def failed(self, status: Status, reason: str) -> Outcome:
        """The outcome when the candidate as a whole came to nothing."""
        timings = tuple(Timing(p, status, reason=reason) for p in self.candidate.points)
        return self.outcome(timings)

    @property
    def facts(self) -> Mapping[str, float] | None:
        """What its code is like; None without code."""
        return None if self.artifact is None else self.artifact.facts

    def outcome(self, timings: Sequence[Timing], drift: float = 1.0, device: str = "") -> Outcome:
        return Outcome(self.candidate, tuple(timings), self.seconds, drift, device, dict(self.facts or {}))


def candidate_json(c: Candidate) -> Json:
    return {
        "workload": str(c.workload),
        "target": str(c.target),
        "template": c.template,
        "config": str(c.config),
        "points": [list(p) for p in c.points],
        "number": c.number,
    }


def read_candidate(d: Mapping[str, Any]) -> Candidate:
    return Candidate(
        workload=Workload.parse(d["workload"]),
        target=Target.parse(d["target"]),
        template=str(d["template"]),
        config=Config.parse(d["config"]),
        points=read_points(d["points"]),
        number=int(d["number"]),
    )


def read_points(points: Sequence[Any]) -> tuple[Point, ...]:
    return tuple(tuple((str(name), int(value)) for name, value in p) for p in points)


def policy_json(policy: TimingPolicy) -> Json:
    return dataclasses.asdict(policy)


def read_policy(d: Mapping[str, Any]) -> TimingPolicy:
    return TimingPolicy(**d)


def built_json(b: Built) -> tuple[Json, bytes]:
    """The header and the code; a failed build has no code."""
    header: Json = {
        "artifact": None if b.artifact is None else b.artifact.header(),
        "checks": [list(p) for p in b.checks],
        "status": b.status.value,
        "reason": b.reason,
        "seconds": b.seconds,
    }
    return header, b"" if b.artifact is None else b.artifact.code


def read_built(candidate: Candidate, d: Mapping[str, Any], code: bytes) -> Built:
    artifact = None if d["artifact"] is None else Artifact.of(d["artifact"], code)
    return Built(
        candidate, artifact, read_points(d["checks"]), Status(d["status"]), str(d["reason"]), float(d["seconds"])
    )


def timing_json(t: Timing) -> Json:
    return {"point": list(t.point), "status": t.status.value, "samples": list(t.samples), "reason": t.reason}


def read_timing(d: Mapping[str, Any]) -> Timing:
    (point,) = read_points([d["point"]])
    timing = Timing(point, Status(d["status"]), read_samples(d["samples"]), str(d["reason"]))
    if (timing.status is Status.OK) != bool(timing.samples):
        raise ValueError(f"status {timing.status.value} with {len(timing.samples)} samples")
    return timing


def read_samples(values: Sequence[Any]) -> tuple[float, ...]:
    samples = tuple(float(s) for s in values)
    if not all(math.isfinite(s) and s > 0 for s in samples):
        raise ValueError(f"{samples} are no durations")
    return samples


def outcome_json(o: Outcome) -> Json:
    """An outcome without its candidate, which the one who asked still has."""
    return {"timings": [timing_json(t) for t in o.timings], "drift": o.drift, "device": o.device}


def read_outcome(built: Built, d: Mapping[str, Any]) -> Outcome:
    return built.outcome([read_timing(t) for t in d["timings"]], float(d["drift"]), str(d["device"]))


def duel_json(duel: Duel) -> Json:
    return {"point": list(duel.point), "samples": [list(s) for s in duel.samples]}


def read_duel(d: Mapping[str, Any]) -> Duel:
    (point,) = read_points([d["point"]])
    return Duel(point, tuple(read_samples(s) for s in d["samples"]))

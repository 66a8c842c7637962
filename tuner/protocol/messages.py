"""The messages between the processes of a campaign: serialisation of each to JSON-able data and back, by its codec.

A child, a Ray task and a Ray actor understand the same words. What comes back from a child that ran foreign code is
checked field by field: a reader raises one of `UNREADABLE`. Code travels beside a message, as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anytile.codegen.artifact import Artifact
from anytile.core.errors import SpecError
from anytile.core.record_codec import OBJECT, Form, Misfit, number, optional, tuple_of
from anytile.db.records.records import Status
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Candidate, Duel, Facts, Outcome, Point, Timing, TimingPolicy
from anytile.tuner.protocol.codecs import codec_of

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
    def facts(self) -> Facts:
        """What its code is like; None without code."""
        return None if self.artifact is None else self.artifact.facts

    def outcome(self, timings: Sequence[Timing], drift: float = 1.0, device: str = "") -> Outcome:
        return Outcome(self.candidate, tuple(timings), self.seconds, drift, device, dict(self.facts or {}))


@dataclass(frozen=True, slots=True)
class TimingRequest:
    """What a worker is asked to time; of each candidate the header of its artifact and the points to check it at."""

    op: str
    workload: Workload
    points: tuple[Point, ...]
    checks: tuple[tuple[Point, ...], ...]
    artifacts: tuple[Mapping[str, Any], ...]
    policy: TimingPolicy
    rounds: int = 0


def _has_times(timing: Timing) -> None:
    if (timing.status is Status.OK) != bool(timing.samples):
        raise Misfit(f"are {len(timing.samples)}, of one that is {timing.status.value}", "samples")


SECONDS = number(sys.float_info.min, expected="seconds above 0")
CANDIDATE = codec_of(Candidate)
POLICY = codec_of(TimingPolicy)
TIMING_REQUEST = codec_of(TimingRequest)
TIMING = codec_of(Timing, _has_times, samples=tuple_of(SECONDS))
DUEL = codec_of(Duel, samples=tuple_of(tuple_of(SECONDS)))
_BUILT = codec_of(Built, artifact=optional(Form(OBJECT.load, Artifact.header)))
_OUTCOME = codec_of(Outcome, timings=tuple_of(TIMING.as_object))


def built_json(built: Built) -> tuple[Json, bytes]:
    """Without its candidate, which the one who asked still has; the code, if there is any, stands beside it."""
    data = _BUILT.dump(built)
    del data["candidate"]
    return data, b"" if built.artifact is None else built.artifact.code


def read_built(candidate: Candidate, data: Mapping[str, Any], code: bytes) -> Built:
    header, rest = data["artifact"], {name: value for name, value in data.items() if name != "artifact"}
    artifact = None if header is None else Artifact.of(header, code)
    return _BUILT.load(rest, candidate=candidate, artifact=artifact)


def outcome_json(outcome: Outcome) -> Json:
    """Without its candidate."""
    data = _OUTCOME.dump(outcome)
    del data["candidate"]
    return data


def read_outcome(candidate: Candidate, data: Mapping[str, Any]) -> Outcome:
    return _OUTCOME.load(data, candidate=candidate)

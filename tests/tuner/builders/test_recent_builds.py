"""Recent builds: nothing is built twice, nothing but what the candidate is to blame for, and not more than fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.codegen.artifact import Artifact
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.tuner.builders.recent_builds import RecentBuilds
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.protocol.messages import Built

ONE, TWO, THREE = (Candidate(dense(4, 4, 4), Target("llvm"), "t", Config.of(knob=i), ((),), i) for i in range(3))


class Builder:
    """Remembers what it was asked for."""

    def __init__(self, status: Status = Status.OK) -> None:
        self.status = status
        self.made: list[Candidate] = []

    def __call__(self, candidates: Sequence[Candidate]) -> list[Built]:
        self.made += candidates
        code = Artifact(b"x" * 100, "entry") if self.status is Status.OK else None
        return [Built(c, code, status=self.status) for c in candidates]


def test_only_what_is_missing_is_built_and_answers_keep_the_order() -> None:
    kept, builder = RecentBuilds(), Builder()
    kept.fill([TWO], builder)
    again = replace(TWO, number=77)
    assert [b.candidate for b in kept.fill([ONE, again, THREE], builder)] == [ONE, again, THREE]
    assert builder.made == [TWO, ONE, THREE]
    assert kept.fill([], builder) == []


def test_a_candidates_own_failure_is_kept_and_a_lost_builder_is_not() -> None:
    for status, builds in ((Status.COMPILE_ERROR, 1), (Status.CONSTRAINT, 1), (Status.CRASHED, 2)):
        kept, builder = RecentBuilds(), Builder(status)
        assert [kept.fill([ONE], builder)[0].status for _ in range(2)] == [status, status]
        assert len(builder.made) == builds


def test_the_one_not_asked_for_longest_goes_first() -> None:
    kept, builder = RecentBuilds(limit_bytes=250), Builder()
    for asked in (ONE, TWO, ONE, THREE, ONE, TWO):
        kept.fill([asked], builder)
    assert builder.made == [ONE, TWO, THREE, TWO]

"""The timing child of a GPU, on the simulated device: what a candidate does wrong, and what a device does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.supervisor import Supervisor
from anytile.tuner.protocol.candidate import Candidate, TimingPolicy, point_of
from anytile.tuner.protocol.messages import Built
from tests.support.cases.handwritten_cuda import TARGET, W, artifact, plan
from tests.support.duel_rounds import rounds_of

QUICK = TimingPolicy(repeats=2, min_repeat_ms=0.05, warmup_ms=0.05)


@pytest.fixture
def supervisor(folder: Path) -> Iterator[Supervisor]:
    made = Supervisor(
        DeviceLock("cuda-simulated", folder / "locks"), "Simulated", "tests.support.stand_ins.simulated_worker", True
    )
    yield made
    made.close()


def built(does: str, *sizes: int, checks: tuple[int, ...] = ()) -> Built:
    points = tuple(point_of({"m": m}) for m in sizes or (9,))
    candidate = Candidate(W, TARGET, "by hand", Config.of(tile=4), points)
    return Built(candidate, artifact(does), tuple(point_of({"m": m}) for m in checks))


@pytest.mark.slow
def test_what_is_right_is_timed_and_what_is_wrong_is_not(supervisor: Supervisor) -> None:
    outcome = supervisor.measure(built("right", 1, 9, 40, checks=(3,)), QUICK)
    assert [t.status for t in outcome.timings] == [Status.OK] * 3
    assert all(len(t.samples) in (1, 2) and min(t.samples) > 0 for t in outcome.timings)
    assert outcome.device == "Simulated"
    worker = supervisor.worker_pid
    wrong = {
        "wrong": (Status.WRONG, r"y\[8, 0\] is .*, expected .*; 1 of 54 elements are wrong, at m=9"),
        "leaving": (Status.WRONG, "left its counters other than zero, at m=9"),
        "counting": (Status.OK, ""),
    }
    for does, (status, reason) in wrong.items():
        (timing,) = supervisor.measure(built(does), QUICK).timings
        assert timing.status is status
        assert re.search(reason, timing.reason), timing.reason
    assert supervisor.worker_pid == worker


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "status", "reason"),
    [
        ("straying", Status.WRONG, "wrote out of bounds of y, 5 bytes after it, at m=9"),
        ("scribbling", Status.WRONG, "wrote into the input x, at m=9"),
        ("illegal", Status.CRASHED, "the GPU takes no more work from this process"),
        ("hanging", Status.TIMEOUT, "no answer within 2 s while checking m=9"),
    ],
)
def test_who_cannot_be_trusted_costs_one_trial_and_a_process(
    supervisor: Supervisor, does: str, status: Status, reason: str
) -> None:
    supervisor.measure(built("right"), QUICK)
    before = supervisor.worker_pid
    policy = replace(QUICK, timeout_s=2.0)
    (timing,) = supervisor.measure(built(does), policy).timings
    assert timing.status is status
    assert reason in timing.reason
    assert "\n" not in timing.reason
    (timing,) = supervisor.measure(built("right"), QUICK).timings
    assert timing.status is Status.OK
    assert supervisor.worker_pid != before


@pytest.mark.slow
def test_blocks_that_do_not_fit_together_are_a_constraint(supervisor: Supervisor, folder: Path) -> None:
    """As those of a large cluster on a slice of a GPU: the device is well, and goes on."""
    supervisor.measure(built("right"), QUICK)
    (folder / "crowded").touch()
    (timing,) = supervisor.measure(built("right"), QUICK).timings
    assert (timing.status, "\n" in timing.reason) == (Status.CONSTRAINT, False)
    assert "no room for the kernel's blocks" in timing.reason
    worker = supervisor.worker_pid
    (folder / "crowded").unlink()
    (timing,) = supervisor.measure(built("right"), QUICK).timings
    assert (timing.status, supervisor.worker_pid) == (Status.OK, worker)


def test_memory_that_the_device_lacks_is_a_constraint(supervisor: Supervisor, folder: Path) -> None:
    (folder / "memory").write_text("300000")
    outcome = supervisor.measure(built("right", 9, 10_000), QUICK)
    assert [t.status for t in outcome.timings] == [Status.CONSTRAINT] * 2
    assert "MiB on the GPU, which has" in outcome.timings[0].reason
    (timing,) = supervisor.measure(built("right", 9), QUICK).timings
    assert timing.status is Status.OK


@pytest.mark.slow
@pytest.mark.parametrize("when", ["vanish", "lost"])
def test_a_device_that_is_lost_is_nobodys_failure(supervisor: Supervisor, folder: Path, when: str) -> None:
    if when == "vanish":
        supervisor.measure(built("right"), QUICK)
    (folder / when).touch()
    for _ in range(2):
        with pytest.raises(MeasureError, match="the GPU is gone or does not answer") as error:
            supervisor.measure(built("right"), QUICK)
        assert "\n" not in str(error.value)
    (folder / "lost").unlink()
    (timing,) = supervisor.measure(built("right"), QUICK).timings
    assert timing.status is Status.OK


@pytest.mark.slow
def test_who_takes_the_device_along_is_not_blamed(supervisor: Supervisor, folder: Path) -> None:
    """What breaks the context may have broken the device, or have been broken by it: the trial is made again later."""
    supervisor.measure(built("right"), QUICK)
    (folder / "lost").touch()  # which the running worker does not notice
    with pytest.raises(MeasureError, match="the GPU is gone"):
        supervisor.measure(built("illegal"), QUICK)


@pytest.mark.slow
def test_a_duel_with_the_library(supervisor: Supervisor) -> None:
    ours = built("right", 1, 9)
    theirs = Candidate(W, TARGET, LIBRARY, Config.of(name="cublas"), ours.candidate.points)
    library = Built(theirs, artifact(given=plan(runs="cublas", low=1)), ())
    bad = built("illegal", 1, 9)
    duels = supervisor.duel([ours, bad, library], 3, QUICK)
    assert [d.point for d in duels] == list(ours.candidate.points)
    for duel in duels:
        assert rounds_of(duel, rivals=(0, 2)) in range(1, 4)

"""The Ray runner: on a local Ray, on a cluster of two nodes of which one is killed, and without any cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anytile.core.errors import MeasureError, UnsupportedError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.candidate import Candidate, TimingPolicy, point_of
from anytile.tuner.runners.ray_runner import RayRunner
from tests.support.duel_rounds import rounds_of
from tests.tuner.runners.conftest import TwoNodes

WORKLOAD = dense(Any("m"), 32, 24, const=("w",))
HOST = Target.host()
POLICY = TimingPolicy(repeats=2, min_repeat_ms=0.2, warmup_ms=0.1)
SLOW = replace(POLICY, repeats=20, min_repeat_ms=5.0)  # 0.1 s each, so that something is under way at any time
POINTS = (point_of({"m": 17}),)


def candidates(count: int) -> list[Candidate]:
    space = template("dense.cpu").space(WORKLOAD, HOST)
    return [Candidate(WORKLOAD, HOST, "dense.cpu", space[i], POINTS, i) for i in range(count)]


@pytest.fixture
def quiet(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Ray must not talk over a progress display."""
    yield
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_local_ray_builds_times_and_goes_away(tmp_path: Path, quiet: None) -> None:
    import ray

    said: list[str] = []
    runner = RayRunner(lock_folder=tmp_path, log=said.append)
    try:
        assert not ray.is_initialized()
        asked = candidates(4)
        asked[1] = replace(asked[1], config=Config.of(tile_m=-1))
        outcomes = list(runner.run(asked, POLICY))
        assert {n["NodeManagerAddress"] for n in ray.nodes()} == {"127.0.0.1"}
        assert [o.candidate for o in outcomes] == asked
        assert [o.timings[0].status for o in outcomes] == [Status.OK, Status.CONSTRAINT, Status.OK, Status.OK]
        assert outcomes[0].facts["instructions"] > 0
        assert outcomes[0].device

        facts = runner.inspect([*asked[:3], *candidates(5)[4:]], POLICY)
        assert facts[:3] == [outcomes[0].facts, None, outcomes[2].facts]
        assert facts[3] is not None
        assert facts[3]["instructions"] > 0

        (duel,) = runner.duel([asked[0], asked[1], asked[2]], 3, POLICY)
        assert rounds_of(duel, rivals=(0, 2)) in range(1, 4)

        half = runner.run(candidates(6), POLICY)  # a consumer that stops listening, as Ctrl-C makes it
        next(half)
        half.close()
        assert len(list(runner.run(candidates(2), POLICY))) == 2

        outcomes = []
        for outcome in runner.run(candidates(6), SLOW):
            outcomes.append(outcome)
            if len(outcomes) == 2:
                (post,) = runner._posts.values()
                ray.kill(post.station)  # a station that dies costs no trial
        assert [o.timings[0].status for o in outcomes] == [Status.OK] * 6

        with pytest.raises(UnsupportedError, match="timing 9999 threads takes as many cores"):
            runner.prepare(Target.host(9999))
        arm = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
        far = [replace(asked[0], target=arm, config=template("dense.cpu").default(WORKLOAD, arm))]
        with pytest.raises(MeasureError, match="no node of the cluster can time code for llvm .*another kind of CPU"):
            list(runner.run(far, POLICY))
    finally:
        runner.close()
    assert not ray.is_initialized()
    assert len(said) == 1
    assert said[0].startswith("lost a measuring station")


@pytest.mark.slow
def test_every_node_measures_and_one_that_is_killed_costs_what_it_had_in_flight(
    tmp_path: Path, two_nodes: TwoNodes
) -> None:
    import ray

    said: list[str] = []
    runner = RayRunner(two_nodes.address, tmp_path, said.append)
    try:
        with pytest.raises(MeasureError, match="no node of the cluster can time code for .*: .* 9999 threads takes as"):
            runner.prepare(Target.host(9999))
        runner.prepare(HOST)
        assert any(post.work is None for post in runner._posts.values())
        asked, deadline = candidates(12), time.monotonic() + 60
        workers: set[str] = set()
        while len(workers) < 2 and time.monotonic() < deadline:  # one of them may still be starting
            workers |= {outcome.worker for outcome in runner.run(asked, POLICY)}
        assert len(workers) == len(runner._posts) == 2  # one on each node, which is where it measures
        outcomes = []
        for outcome in runner.run(asked, SLOW):
            outcomes.append(outcome)
            if len(outcomes) == 3:
                assert any(p.index >= 0 for p in runner._posts.values())  # one has just answered, the other works
                two_nodes.kill()
        assert [o.candidate for o in outcomes] == asked
        assert [o.timings[0].status for o in outcomes] == [Status.OK] * 12
        assert {o.worker for o in outcomes} == workers
        assert len({o.worker for o in outcomes[6:]}) == 1  # who is left does the rest
        assert said
        assert all("lost a measuring station" in line for line in said)
        assert len(list(runner.run(candidates(14)[12:], POLICY))) == 2  # builders, too, do without it
    finally:
        runner.close()
        assert not ray.is_initialized()


@pytest.mark.slow
def test_no_cluster_at_the_address_is_one_line(tmp_path: Path) -> None:
    runner = RayRunner("127.0.0.1:1", tmp_path)
    began = time.monotonic()
    with pytest.raises(MeasureError, match="Ray at 127.0.0.1:1 cannot be reached: .*; check --ray") as caught:
        list(runner.run(candidates(1), POLICY))
    assert "\n" not in str(caught.value)
    assert time.monotonic() - began < 20
    runner.close()


def test_a_ray_that_does_not_start_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def init(**_: object) -> None:
        raise Exception("The current node timed out during startup.\nThis could happen because ...")  # as Ray does

    left: list[bool] = []
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: left.append(True))
    runner = RayRunner(lock_folder=tmp_path)
    expected = "a local Ray cannot be started: The current node timed out during startup; .*--runner inline$"
    with pytest.raises(MeasureError, match=expected):
        list(runner.run(candidates(1), POLICY))
    assert left  # what did start of it ends with it
    runner.close()

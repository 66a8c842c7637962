"""The Ray runner on a node of two GPUs, simulated ones: each station has one of its own, and does without the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.candidate import Candidate, TimingPolicy, point_of
from anytile.tuner.runners.ray_runner import RayRunner, _Post
from tests.support.cuda_cpu.compiler import lacking
from tests.support.duel_rounds import rounds_of
from tests.support.stand_ins.simulated_station import SimulatedStation

TARGET = Target.parse("cuda -arch=sm_90a")
WORKLOAD = dense(Any("m"), 20, 16)
POLICY = TimingPolicy(repeats=2, min_repeat_ms=0.2, warmup_ms=0.1)
BOTH = {"simulated GPU 0", "simulated GPU 1"}


pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Ray of this process on a node that says that it has two; of those that are here none is asked for."""
    ray = pytest.importorskip("ray")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    try:
        ray.init(
            address="local",
            num_cpus=2,
            num_gpus=2,
            include_dashboard=False,
            object_store_memory=80 << 20,
            _node_ip_address="127.0.0.1",
            log_to_driver=False,
            logging_level="ERROR",
        )
    except Exception as error:  # noqa: BLE001  (just that is raised for a node that does not start)
        ray.shutdown()
        pytest.skip(f"no Ray starts on this machine: {error}")
    yield
    ray.shutdown()


def candidates(count: int) -> list[Candidate]:
    space = template("dense.cuda.narrow").space(WORKLOAD, TARGET)
    return [Candidate(WORKLOAD, TARGET, "dense.cuda.narrow", space[i], (point_of({"m": 3}),), i) for i in range(count)]


@pytest.mark.slow
def test_each_gpu_of_a_node_times_and_one_that_goes_away_costs_no_trial(two_gpus: None, tmp_path: Path) -> None:
    said: list[str] = []
    runner = RayRunner(None, tmp_path, said.append, SimulatedStation)
    asked = candidates(6)
    try:
        devices: set[str] = set()
        for _ in range(20):  # one of them may still be starting
            outcomes = list(runner.run(asked, POLICY))
            assert [o.candidate for o in outcomes] == asked
            assert [o.timings[0].status for o in outcomes] == [Status.OK] * len(asked)
            devices |= {o.device for o in outcomes}
            if devices == BOTH:
                break
        assert devices == BOTH
        (duel,) = runner.duel(asked[:2], 2, POLICY)
        assert rounds_of(duel, rivals=(0, 1)) in range(1, 3)

        (tmp_path / "gpu1" / "vanish").touch()
        outcomes = list(runner.run(asked, POLICY))
        assert [o.timings[0].status for o in outcomes] == [Status.OK] * len(asked)
        after = list(runner.run(asked, POLICY))
        assert {o.device for o in after} == {"simulated GPU 0"}
    finally:
        runner.close()
    (line,) = said
    assert line.startswith("a measuring station gives up: ")
    assert "the GPU is gone or does not answer: simulated" in line


class Waiting:
    """Ray, as far as it answers that nothing is done, `times` times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def wait(self, refs: Sequence[int], num_returns: int, timeout: float) -> tuple[list[int], list[int]]:
        self.times -= 1
        return ([], list(refs)) if self.times >= 0 else (list(refs)[:num_returns], list(refs)[num_returns:])


@pytest.mark.parametrize(("index", "lent", "lines"), [(-1, True, 1), (3, True, 0), (-1, False, 0)])
def test_gpus_that_others_hold_are_waited_for_and_that_is_said_once(index: int, lent: bool, lines: int) -> None:
    said: list[str] = []
    runner = RayRunner(log=said.append)
    runner._ray = Waiting(3)
    assert runner._first_of({7: _Post(("node", 0), None, 7, index, lent)}) == [7]
    assert said == ["waiting for a GPU of the cluster that nobody else holds"] * lines

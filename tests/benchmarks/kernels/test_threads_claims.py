"""The floors of the benchmark of threads, from invented rows: each goes red just below it, and on its own."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

import anytile
from anytile.schedules.operators import OPERATORS
from anytile.tuner.measure.quiet_machine import Steady
from benchmarks.kernels import threads
from benchmarks.measure.harness import Case, Claim, Report, Row, System, Timing

MEAN, WORST = "dense of m >= 64: geometric mean", "products of any size: worst"
SMALL = "small operators and depthwise layers of any size: worst"
PAUSED = "20 calls after a pause: worst"


def rows(m: int, one: float, several: float, op: str = "dense 768x768", again: float = 0.97) -> Iterator[Row]:
    """With a kernel of one thread that is `again` times as fast, built again."""
    for system, seconds in ((threads.ONE, one), (threads.AGAIN, one / again), (threads.SEVERAL, several)):
        yield Row({"op": op, "m": m}, system, seconds, 0.0, 0.0, 7)


def made(found: list[Row]) -> dict[str, Claim]:
    return {claim.claim.removeprefix("several threads over one, "): claim for claim in threads.claims(found)}


@pytest.mark.parametrize(
    ("m", "gain", "op", "red"),
    [
        (64, 1.8, "dense 768x768", set()),
        (64, 1.6, "dense 768x768", {MEAN}),  # with the other at 1.9
        (63, 1.0, "dense 768x768", set()),  # a small layer need not gain
        (63, 0.98, "dense 768x768", set()),
        (63, 0.96, "dense 768x768", {WORST}),
        (512, 1.0, "q k^T", set()),  # nor need a product of attention
        (512, 0.96, "p v", {WORST}),
        (1, 0.98, "softmax", set()),  # a small operator need not gain either
        (1, 0.96, "softmax", {SMALL}),  # and never loses
        (8, 0.96, "max_pool2d", {SMALL}),
        (8, 0.98, threads.PAUSED, set()),
        (8, 0.96, threads.PAUSED, {PAUSED}),
        (64, 0.9, "dense 768x768", {MEAN, WORST}),
    ],
)
def test_below_its_floor_a_claim_is_red(m: int, gain: float, op: str, red: set[str]) -> None:
    found = made([*rows(128, 1.9, 1.0), *rows(m, gain, 1.0, op)])
    group = WORST if op.startswith(threads.PRODUCTS) else PAUSED if op == threads.PAUSED else SMALL
    wanted = {MEAN: 1.8, WORST: 0.97, group: 0.97}
    assert {name: claim.floor for name, claim in found.items()} == pytest.approx(wanted)
    assert {name for name, claim in found.items() if not claim.ok} == red


def test_no_more_may_be_lost_than_one_thread_loses_to_itself() -> None:
    for again, floor in (
        (1.0, 1.0),
        (0.95, 0.95),
        (1 / 0.95, 0.95),
        (0.5, threads.MOST_NOISE),
        (2.0, threads.MOST_NOISE),
    ):
        found = [*rows(1, 1.0, 1.0, again=1.0), *rows(2, 1.0, 1.0, again=again), *rows(1, 1.0, 1.0, "softmax", 1.0)]
        claims = made(found)
        assert claims[WORST].floor == pytest.approx(floor)
        assert claims[SMALL].floor == 1.0, "each group has its own noise"


@pytest.mark.slow
def test_what_seems_to_lose_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second measurement counts, with more rounds, whatever it says."""
    options = argparse.Namespace(threads=2, quick=True, db=None)
    task = threads.Task("p v", anytile.batch_matmul(b=2, m=anytile.Any("t"), n=4, k=4), (1, 8))
    monkeypatch.setattr(threads, "tasks", lambda: [task])
    asked: list[tuple[int, int]] = []

    def timed(case: Case, systems: Sequence[System], timing: Timing, steady: Steady) -> list[Row]:
        asked.append((case["m"], timing.rounds))
        several = {(1, 5): 2.0, (1, 15): 3.0, (8, 5): 1.0}[asked[-1]]
        return list(rows(case["m"], 1.0, several, "p v", again=1.0))

    monkeypatch.setattr(threads, "interleave", timed)
    report = Report({})
    threads.measure(report, options)
    assert asked == [(1, 5), (1, 15), (8, 5)]
    assert threads.gains(report.rows) == {("p v", 1): pytest.approx(1 / 3), ("p v", 8): 1.0}


def test_a_burst_is_timed_without_the_pause_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    naps, calls = [], []
    monkeypatch.setattr("benchmarks.kernels.threads.time.sleep", naps.append)
    monkeypatch.setattr("benchmarks.kernels.threads.time.perf_counter", lambda: float(len(calls)))
    system = threads.bursts("s", lambda: calls.append(len(naps)), 2.0)
    assert system.run(3) == 3 * threads.BURST
    assert naps == [threads.PAUSE] * 3
    assert calls == [n for n in (1, 2, 3) for _ in range(threads.BURST)]
    assert system.flops == 2.0 * threads.BURST


def test_a_gain_is_of_one_task_at_one_size() -> None:
    found = [*rows(64, 4.0, 2.0), *rows(128, 9.0, 3.0), *rows(64, 1.0, 1.0, "p v")]
    assert threads.gains(reversed(found)) == {
        ("dense 768x768", 64): 2.0,
        ("dense 768x768", 128): 3.0,
        ("p v", 64): 1.0,
    }
    claims = made(found)
    assert claims[MEAN].value == pytest.approx(6**0.5)
    assert claims[WORST].value == 1.0


def test_every_task_can_be_claimed() -> None:
    """The names by which floors are looked up are those of the tasks."""
    names = [task.name for task in threads.tasks()]
    assert len(set(names)) == len(names)
    assert [task.name for task in threads.tasks() if task.paused] == [threads.PAUSED]
    assert sum(name.startswith("dense") for name in names) == len(threads.LAYERS)
    assert sum(name.startswith(threads.PRODUCTS) for name in names) == len(threads.LAYERS) + 2
    assert all(len(task.workload.symbols) == 1 for task in threads.tasks())
    assert {task.workload.op for task in threads.tasks()} == {name for name, row in OPERATORS.items() if not row.over}


@pytest.mark.slow
def test_it_runs_what_gives_several_results_and_what_takes_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    several = ("split", "gather along the last axis", "lstm_cell", "batch_norm", "one_hot")
    found = [replace(task, sizes=(1,)) for task in threads.tasks() if task.name in several]
    assert len(found) == len(several)
    monkeypatch.setattr(threads, "tasks", lambda: found)
    asked: list[str] = []

    def timed(case: Case, systems: Sequence[System], timing: Timing, steady: Steady) -> list[Row]:
        asked.append(case["op"])
        return list(rows(1, 1.0, 1.0, case["op"], again=1.0))

    monkeypatch.setattr(threads, "interleave", timed)
    threads.measure(Report({}), argparse.Namespace(threads=2, quick=True, db=None))
    assert asked == [task.name for task in found]
    assert max(threads.QUICK) >= threads.LARGE

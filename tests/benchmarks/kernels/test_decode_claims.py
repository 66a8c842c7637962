"""The floors of the benchmark of few rows, from invented rows, and how much its reading loop reads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.cpu.streams import STREAMS
from benchmarks.kernels import decode
from benchmarks.kernels.decode import OURS, PEAK, PLAIN
from benchmarks.measure.harness import Claim, Row


def rows(m: int, weight: str, ours: float, reads: float = 10e-6, peak: float = 1e6) -> Iterator[Row]:
    """A weight of 250,000 numbers: 100 GB/s is 10 us."""
    case = {"op": "dense", "m": m, "n": 500, "k": 500, "weight": weight}
    for system, seconds, gflops in ((PLAIN, reads, 0.0), (PEAK, 1.0, peak), (OURS, ours, 0.0)):
        yield Row(case, system, seconds, gflops, 0.0, 7)


def worst(*found: Iterator[Row]) -> dict[str, Claim]:
    made = decode.claims([row for some in found for row in some])
    return {claim.claim.split(",")[0]: claim for claim in made if claim.claim.endswith("worst")}


@pytest.mark.parametrize(("ours", "ok"), [(10e-6, True), (10.7e-6, True), (10.8e-6, False)])
def test_the_bound_is_a_loop_that_only_reads(ours: float, ok: bool) -> None:
    assert worst(rows(1, "memory", ours))["weights from memory"].ok is ok


def test_where_arithmetic_is_the_bound_it_is_what_counts() -> None:
    """Four rows of 50 GB/s are 100 GFLOP/s."""
    assert worst(rows(4, "caches", 20e-6, peak=100.0))["weights from caches"].value == pytest.approx(1.0)
    assert not worst(rows(4, "caches", 22e-6, peak=100.0))["weights from caches"].ok


def test_places_are_claimed_apart() -> None:
    found = worst(rows(1, "memory", 20e-6), rows(1, "caches", 10e-6))
    assert {name: claim.ok for name, claim in found.items()} == {
        "weights from memory": False, "weights from caches": True}  # fmt: skip


def test_the_loop_reads_the_whole_weight() -> None:
    """In whole rounds: what it reads is no less than a weight of any size, and no more than one round beyond it."""
    target = Target.host(1)
    step = STREAMS * facts(target).lanes
    for count in (1, step, step + 1, 768 * 768):
        assert count <= decode.Reader(count, target, streamed=False).rounds * step < count + step

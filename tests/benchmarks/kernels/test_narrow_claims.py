"""The floors of the benchmark of narrow numbers, from invented rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.kernels import narrow
from benchmarks.kernels.decode import PLAIN
from benchmarks.measure.harness import Claim, Row


def many(m: int, **gflops: float) -> Iterator[Row]:
    """A system's name has no blanks here: `uint8_peak` is the peak of uint8."""
    case = {"op": "dense", "m": m, "n": 768, "k": 768, "weight": "caches"}
    for system, rate in gflops.items():
        yield Row(case, system.replace("_", " "), 2e-9 * m * 768 * 768 / rate, rate, 0.0, 7)


def one(name: str, ours: float | None, reads: float, n: int = 4096) -> Iterator[Row]:
    case = {"op": "dense", "m": 1, "n": n, "k": 4096, "weight": "memory", "format": name}
    for system, seconds in ((PLAIN, reads), (name, ours)):
        if seconds is not None:
            yield Row(case, system, seconds, 0.0, 0.0, 7)


def claimed(*found: Iterator[Row]) -> dict[str, Claim]:
    return {claim.claim: claim for claim in narrow.claims([row for some in found for row in some])}


@pytest.mark.parametrize(("ours", "ok"), [(81.0, True), (79.0, False)])
def test_the_bound_of_many_rows_is_the_peak_of_the_same_instruction(ours: float, ok: bool) -> None:
    found = claimed(many(64, uint8=ours, uint8_peak=100.0, bfloat16_peak=1.0), many(128, uint8=ours, uint8_peak=100.0))
    (claim,) = found.values()
    assert claim.claim.startswith("uint8, m >= 64")
    assert claim.value == pytest.approx(ours / 100)
    assert claim.ok is ok


def test_bfloat16_is_held_against_float32() -> None:
    found = claimed(many(64, float32=100.0, bfloat16=180.0, bfloat16_peak=200.0))
    assert found["bfloat16 against float32, m >= 64"].value == pytest.approx(1.8)
    assert found["bfloat16, m >= 64, share of the peak of its instruction"].value == pytest.approx(0.9)


def test_the_bound_of_one_row_is_a_loop_that_only_reads() -> None:
    (claim,) = claimed(one("uint8", 11e-6, 10e-6), one("float32", 90e-6, 10e-6), one("bfloat16", None, 10e-6)).values()
    assert claim.claim.startswith("uint8, one row from memory")
    assert claim.value == pytest.approx(10 / 11)


def test_of_several_layers_the_worst_is_held_against_the_bound() -> None:
    (claim,) = claimed(one("4 bits by 32", 10e-6, 9e-6), one("4 bits by 32", 30e-6, 24e-6, n=11008)).values()
    assert claim.claim.startswith("4 bits by 32, one row from memory")
    assert claim.value == pytest.approx(0.8)
    assert not claim.ok


def test_a_weight_by_groups_has_the_bytes_of_its_scales() -> None:
    assert narrow.WEIGHT_BYTES["4 bits by 32"] == pytest.approx(0.5 + 2 / 32)
    assert narrow.WEIGHT_BYTES["8 bits by 128"] == pytest.approx(1 + 2 / 128)

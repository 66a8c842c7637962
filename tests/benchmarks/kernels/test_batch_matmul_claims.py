"""The floors of the batch_matmul benchmark, from invented rows; and one honest, small measurement."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.kernels import batch_matmul
from benchmarks.measure.harness import Row, Timing
from benchmarks.rivals import matmul_rivals


def rows(t: int, product: str = "p v", **gflops: float) -> Iterator[Row]:
    for name, value in gflops.items():
        yield Row({"op": "batch_matmul", "product": product, "t": t}, name, 1.0 / value, value, 0.0, 7)


def test_both_products_count_and_the_rival_is_the_best_there() -> None:
    found = [*rows(8, anytile=8, numpy=4, torch=2), *rows(64, "q k^T", anytile=8, numpy=2, torch=8)]
    made = {c.claim: c.value for c in batch_matmul.claims(found)}
    assert made["against the best rival, T in 8..64: geometric mean"] == pytest.approx(2**0.5)
    assert made["against the best rival, T in 8..64: worst"] == 1.0


def test_short_and_long_have_floors_of_their_own_and_the_shortest_none() -> None:
    found = [row for t in (7, 8, 64, 65, 256) for row in rows(t, anytile=1.1, numpy=1)]
    made = batch_matmul.claims(found)
    assert [c.ok for c in made] == [False, True, True, True]
    assert [c.floor for c in made] == [1.3, 1.0, 1.05, 0.97]
    assert batch_matmul.claims([*rows(7, anytile=1, numpy=9)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("product", batch_matmul.products(), ids=lambda p: p.name)
def test_a_small_measurement(product: batch_matmul.Product, tmp_path: Path) -> None:
    options = argparse.Namespace(threads=1, db=str(tmp_path / "none.db"))
    contest = batch_matmul.Contest(product, matmul_rivals.installed(1), options)
    found = contest.at(5, Timing(rounds=1, slot_ms=0.1, most_rounds=1))
    assert found[0].system == "anytile"
    assert all(row.gflops > 0 for row in found)
    assert {row.system for row in found} >= {"anytile", "numpy"}

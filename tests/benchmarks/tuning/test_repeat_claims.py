"""Which figures the floors of repeated campaigns are held against, from invented rows; and the neighbour's life."""

from __future__ import annotations

import argparse
import os

import pytest

from anytile.core.errors import SpecError
from benchmarks.measure.harness import Row
from benchmarks.tuning import repeat


def rows(m: int, *plans: float, blas: float = 1.0) -> list[Row]:
    named = {**{f"campaign {i}": seconds for i, seconds in enumerate(plans)}, repeat.BLAS: blas}
    return [Row({"m": m}, name, seconds, 0.0, 0.0, 1) for name, seconds in named.items()]


def test_the_worst_size_counts() -> None:
    apart, behind = repeat.claims([*rows(1, 0.5, 0.52, 0.51), *rows(2, 0.8, 0.9, 0.8)])
    assert apart.value == pytest.approx(0.9 / 0.8)
    assert not apart.ok
    assert behind.value == pytest.approx(1 / 0.9)
    assert behind.ok
    apart, behind = repeat.claims(rows(1, 1.04, 1.04, 1.0))
    assert apart.ok
    assert not behind.ok
    assert repeat.claims([]) == []


def test_the_neighbour_has_a_core_of_its_own_or_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    every = set(range(os.cpu_count() or 1))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: every)
    with (
        pytest.raises(SpecError, match="--undisturbed"),
        repeat.neighbour(argparse.Namespace(undisturbed=False, threads=len(every))),
    ):
        pass
    with repeat.neighbour(argparse.Namespace(undisturbed=True, threads=1)):
        pass

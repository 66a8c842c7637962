"""Untuned kernels for CPUs with code for two classes of residues: a fixture for tests of what is done with models.

A kernel that walks rows in tiles has code of its own for each number of rows that may be left over, up to ten times the
same. That each of those is right, tests of kernels try in `dispatch/` and `schedules/`; a pass changes none of them.
"""

from __future__ import annotations

import pytest

from anytile.schedules.plans import plan

_CLASSES = 2


@pytest.fixture(autouse=True)
def few_residues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.schedules.plans.single_plan.default_classes", _classes)


def _classes(kind: str, tile: int) -> tuple[tuple[int, int], ...]:
    if kind == "cuda":
        return plan.default_classes(kind, tile)
    return plan.residue_classes(tile, min(tile, _CLASSES))

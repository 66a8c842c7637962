"""Residue specialisation: which residues there are, and what is known in the kernel of one."""

from __future__ import annotations

import pytest

from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.target import Target
from anytile.schedules.primitives.residue import Walk, specialise
from anytile.schedules.primitives.schedule import Jam
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

TARGET = Target.parse("llvm -mcpu=nehalem")


def _scheduled(tile: int = 4) -> Scheduled:
    workload = dense(m=Any("m"), n=8, k=6, const=("w",))
    tpl = template("dense.cpu")
    return tpl.schedule(workload, TARGET, tpl.default(workload, TARGET).with_(tile_m=tile))


@pytest.mark.parametrize(("low", "high"), [(-1, 0), (0, 4), (4, 4), (3, 2)])
def test_residues_of_a_tile(low: int, high: int) -> None:
    s = _scheduled()
    assert s.walk == Walk("m", "mo", "mi", 4, jam=Jam(16, 4))
    with pytest.raises(ScheduleError, match=f"residues {low}..{high} of a tile of 4"):
        specialise(s.nest, s.walk, low, high)


def test_one_residue_is_a_number() -> None:
    s = _scheduled()
    assert s.walk is not None
    nest = specialise(s.nest, s.walk, 3, 3)
    assert nest.name == "dense_r3"
    assert nest.given == ("m",)
    assert [(x.name, str(x.derived)) for x in nest.symbols] == [("m", "None"), ("m_q", "(m // 4)")]
    assert str(nest.param("y").shape[0]) == "4*m_q + 3"
    assert "unroll mi in 0..3" in str(nest)


def test_a_class_knows_its_range_and_guards_only_stores() -> None:
    s = _scheduled()
    assert s.walk is not None
    nest = specialise(s.nest, s.walk, 1, 2)
    assert nest.name == "dense_r1_2"
    assert [(x.name, x.low, x.high) for x in nest.symbols][2:] == [("m_r", 1, 2)]
    text = str(nest)
    assert text.count(" if ") == 1
    assert "y[" in text.split(" if ")[1]
    assert "+=" not in text.split(" if ")[1]


def test_a_class_with_zero_may_have_no_tail() -> None:
    s = _scheduled()
    assert s.walk is not None
    assert "if m_r - 1 >= 0:" in str(specialise(s.nest, s.walk, 0, 2))


def test_a_tile_of_one_has_one_residue() -> None:
    s = _scheduled(tile=4)
    assert s.walk is not None
    one = template("dense.cpu").schedule(
        dense(m=Any("m"), n=64, k=6, const=("w",)),
        TARGET,
        template("dense.cpu").default(dense(m=Any("m"), n=64, k=6, const=("w",)), TARGET).with_(tile_m=1, tile_n=4),
    )
    assert one.walk is not None
    assert "for mo in 0..m_q" in str(specialise(one.nest, one.walk, 0, 0))

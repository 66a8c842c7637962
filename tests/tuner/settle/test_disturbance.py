"""Disturbed rows: what is compared with what, and when a library is believed."""

from __future__ import annotations

import pytest

from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.machine_state import MachineState, to_facts
from anytile.tuner.settle.disturbance import Disturbance, believed, comparable, disturbed, ranked, side_by_side

W = dense(Any("m"), 768, 768)
SLOW = MachineState(memory=2.0)


def trial(seconds: float, number: int = 0, m: int = 8, kind: str = "profile", slow: bool = False) -> Trial:
    facts = {"object_bytes": 1.0, **(to_facts(SLOW) if slow else {})}
    config = Config.of(knob=number)
    return Trial(W, Target("llvm"), "t", config, {"m": m}, Status.OK, (seconds,) * 3, kind=kind, facts=facts)


def test_a_row_of_before_states_were_kept_is_undisturbed() -> None:
    assert not disturbed(trial(1.0))
    assert disturbed(trial(1.0, slow=True))


def test_disturbed_rows_are_ranked_among_each_other() -> None:
    """Of the second half of a search nobody would be among the first, however good."""
    quiet = [trial(1.0 + i, i) for i in range(4)]
    slow = [trial(10.0 + i, 10 + i, slow=True) for i in range(4)]
    assert [t.config.int("knob") for t in ranked([*slow, *quiet])] == [0, 10, 1, 11, 2, 12, 3, 13]


def test_disturbed_times_leave_where_others_are_not() -> None:
    rows = [trial(1.0, 0), trial(2.0, 1), trial(1.5, 2, slow=True), trial(3.0, 0, m=9, slow=True)]
    assert comparable(rows) == [rows[0], rows[1], rows[3]], "at 9 there is nothing else"


def test_variants_are_compared_at_one_moment() -> None:
    """Not the fastest of each, which would be one's quiet moment against the other's."""
    first = {8: [trial(2.0), trial(1.0, kind="confirm")]}
    second = {8: [trial(1.1, 1), trial(1.2, 1, kind="confirm")]}
    assert [s[8][0] for s in side_by_side([first, second])] == [1.0, 1.2]
    calm = {8: [trial(2.0), trial(1.0, kind="confirm", slow=True)]}
    assert [s[8][0] for s in side_by_side([calm, second])] == [2.0, 1.1]


@pytest.mark.parametrize(
    ("theirs", "counts"),
    [
        ([trial(0.5)], 1.0),  # one moment alone: a draw
        ([trial(3.0)], 3.0),
        ([trial(0.5), trial(0.8, kind="confirm")], 0.8),
        ([trial(0.5), trial(1.5, kind="confirm")], 1.5),
        ([trial(0.5), trial(0.8, kind="confirm", slow=True)], 1.0),
        ([trial(0.5, slow=True), trial(0.8, kind="confirm", slow=True)], 0.8),  # a state that stays is the machine
    ],
)
def test_a_library_is_faster_where_it_was_so_at_two_moments(theirs: list[Trial], counts: float) -> None:
    ours = {8: [trial(1.0), trial(1.0, kind="confirm")]}
    assert believed({8: theirs}, [ours])[8][0] == pytest.approx(counts)


def test_how_disturbed_it_was_in_words() -> None:
    assert Disturbance.of([trial(1.0), trial(1.0)]).in_words() == ""
    some = Disturbance.of([trial(1.0), trial(1.0), trial(1.0), trial(1.0, slow=True)])
    assert some.in_words() == "25.0% of the times, memory 2x as slow at most"
    assert some.note() == {"share": 0.25, "slow": {"arithmetic": 1.0, "cache": 1.0, "memory": 2.0}}

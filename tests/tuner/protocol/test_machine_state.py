"""Machine states as values: which are alike, which parts matter, what is kept of rounds."""

from __future__ import annotations

from anytile.tuner.protocol.machine_state import (
    UNDISTURBED,
    MachineState,
    Part,
    Sample,
    kept,
    of_facts,
    parts_of,
    to_facts,
    without_state,
)

SLOW = MachineState(memory=2.0)
SLOWER = MachineState(memory=4.0)
MIB = 1 << 20


def test_only_what_a_working_set_reaches_matters() -> None:
    assert parts_of(MIB, MIB, 32 * MIB) == {Part.ARITHMETIC}
    assert parts_of(9 * MIB, MIB, 32 * MIB) == {*Part}
    assert parts_of(64 * MIB, MIB, 32 * MIB) == {Part.ARITHMETIC, Part.MEMORY}
    assert parts_of(9 * MIB, MIB, 0) == {Part.ARITHMETIC, Part.MEMORY}


def test_states_are_alike_within_the_slack() -> None:
    assert MachineState(memory=1.2).alike(UNDISTURBED)
    assert not SLOW.alike(UNDISTURBED)
    assert not SLOW.alike(SLOWER)
    assert SLOW.worse(MachineState(arithmetic=1.5)) == MachineState(1.5, 1.0, 2.0)
    assert SLOW.worse(MachineState(arithmetic=1.5)).in_words() == "memory 2x, arithmetic 1.5x as slow"
    assert MachineState(arithmetic=334.0).in_words() == "arithmetic 330x as slow"


def test_it_goes_into_facts_and_comes_back() -> None:
    assert to_facts(UNDISTURBED) == {}
    facts = {"spills": 3.0, **to_facts(SLOW)}
    assert of_facts(facts) == SLOW
    assert of_facts({"spills": 3.0}) == UNDISTURBED
    assert without_state(facts) == {"spills": 3.0}


def test_rounds_that_are_kept_are_of_one_state() -> None:
    def rounds(*states: MachineState) -> list[list[Sample]]:
        return [[Sample(float(i), state), Sample(float(i))] for i, state in enumerate(states)]

    def numbers(found: list[list[Sample]]) -> list[float]:
        return [r[0].seconds for r in kept(found)]

    assert numbers(rounds(UNDISTURBED, SLOW, UNDISTURBED, SLOW, SLOW)) == [0.0, 2.0]
    assert numbers(rounds(SLOW, SLOW, SLOWER, UNDISTURBED)) == [0.0, 1.0], "one quiet round alone is a chance"
    assert numbers(rounds(SLOW)) == [0.0]
    assert kept([]) == []

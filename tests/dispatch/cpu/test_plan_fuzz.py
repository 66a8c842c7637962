"""The fuzzer of plans: what it finds comes with a line that runs it again, and a few dozen cases find nothing.

It forks, so it runs in a process of its own, which has no threads yet.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anytile.core.errors import ArgumentError, SpecError
from anytile.schedules.hardware.host import HOST_SETTING
from tests.support.fuzzing import alone, outcome, smallest
from tests.support.generators.random_plans import NATIVE, any_case, any_classes
from tests.support.nest_sweep import APART
from tests.support.plan_fuzz.case import Case
from tests.support.plan_fuzz.program import main
from tests.support.plan_fuzz.smaller import smaller

Told = Callable[[str, str], None]
RUN = "import sys; from tests.support.plan_fuzz.program import main; sys.exit(main(sys.argv[1:]))"
# A code generator that runs one lane too many of every vector whose first or last lanes are left out.
FAULTY = f"""
from anytile.codegen.llvm import values
real = values._limit
values._limit = lambda e, lane, slope: real(e, lane, slope) + (1 if slope < 0 else -1)
{RUN}
"""


@pytest.mark.slow
def test_a_case_of_every_operator_finds_nothing() -> None:
    status, said = alone(RUN, "--cases", str(len(APART)), "--seconds", "240", "--seed", "3")
    assert status == 0, said
    ran = re.search(r"^ran: (.*)$", said, re.MULTILINE)
    assert ran is not None
    assert {part.split()[0] for part in ran[1].split(", ")} == {*APART}


@pytest.mark.slow
def test_a_faulty_code_generator_is_found_and_the_line_runs_it_again() -> None:
    words = ("--ops", "softmax", "--findings", "1", "--seconds", "240", "--seed", "1", "--threads", "1")
    status, said = alone(FAULTY, *words)
    assert status == 1, said
    command, _, wrong = said.splitlines()[0].partition("  # ")
    assert wrong
    again = shlex.split(command)[1:]
    assert alone(FAULTY, *again)[0] == 1
    assert alone(RUN, *again) == (0, "right\n")


def some_case(op: str = "transpose") -> Case:
    found = any_case(random.Random(f"some {op}"), op, NATIVE, (1,), Counter())
    assert found is not None
    return found


def ends(deed: Callable[[], object], begun: str = "at n=1") -> Callable[[Case, Told], None]:
    """A case's run that begins a size, and then comes to such an end."""

    def run(case: Case, told: Told) -> None:
        told("begun", begun)
        deed()

    return run


def fails(error: Exception) -> Callable[[], None]:
    def deed() -> None:
        raise error

    return deed


@pytest.mark.parametrize(
    ("run", "kind", "what", "is_wrong"),
    [
        (ends(lambda: os.kill(os.getpid(), signal.SIGSEGV)), "SIGSEGV", "SIGSEGV at n=1", True),
        (ends(lambda: time.sleep(30)), "no end", "no end of it at n=1", True),
        (ends(lambda: time.sleep(30), "compiling"), "late", "no end of it compiling", False),
        (ends(fails(AssertionError("1 is\n not 2"))), "AssertionError", "AssertionError at n=1: 1 is not 2", True),
        (ends(fails(ArgumentError("no such array"))), "refused", "", False),
        (ends(lambda: None), "right", "", False),
    ],
)
def test_every_end_of_a_child_is_an_outcome(
    run: Callable[[Case, Told], None], kind: str, what: str, is_wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Case, "run", run)
    became = outcome(replace(some_case(), sizes=({},)), within=1)
    assert (became.kind, became.what, became.is_wrong) == (kind, what, is_wrong)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("op", APART)
def test_the_same_seed_draws_the_same_cases_which_come_back_from_their_lines(op: str) -> None:
    for number in range(3):
        one, other = (any_case(random.Random(f"0 {op} {number}"), op, "haswell", (1, 2), Counter()) for _ in range(2))
        assert one is not None
        assert one == other
        assert Case.from_json(one.to_json()) == one


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"sizes": 1, "plan": {}}'])
def test_what_is_no_case_is_told(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SpecError):
        Case.from_json(text)
    assert main(["--case", text]) == SpecError.exit_code
    assert capsys.readouterr().err.startswith("error: ")


def test_classes_partition_their_tile() -> None:
    rng = random.Random(0)
    for tile in [*range(1, 40)] * 5:
        classes = any_classes(rng, tile)
        assert not classes or [r for low, high in classes for r in range(low, high + 1)] == [*range(tile)]


def test_a_finding_becomes_as_small_as_it_can() -> None:
    """Of what is wrong from 5 rows on, whatever else is drawn, these are left at one size, by one variant."""
    for number in range(40):
        case = any_case(random.Random(f"small {number}"), "dense", "haswell", (2,), Counter())
        assert case is not None
        if case.plan.symbol is not None and len(case.plan.variants) > 1 and len(case.sizes) > 2:
            break

    def is_wrong(one: Case) -> bool:
        return any(one.plan.workload.sizes(at)["m"] >= 5 for at in one.sizes)

    assert is_wrong(case)
    small = smallest(case, smaller, is_wrong, tries=500)
    assert is_wrong(small)
    (at,) = small.sizes
    sizes = small.plan.workload.sizes(at)
    assert (sizes["m"], sizes["k"]) == (5, 1)
    assert len(small.plan.variants) == len(small.plan.ranges) == small.plan.target.threads == 1
    assert small.plan.workload.tail == ""
    assert small.plan.workload.const == small.plan.workload.stored == ()
    assert (small.loose, small.unusual) == (False, False)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ops", "dens"], "'dens': expected some of dense, "),
        (["--mcpu", "z80"], "z80"),
        (["--threads", "0"], "expected numbers of threads from 1 up"),
    ],
)
def test_wrong_words_are_told(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOST_SETTING, "")
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_operands_are_the_same_for_the_same_case() -> None:
    case = some_case()
    one, other = (case._inputs(case.sizes[0]) for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)

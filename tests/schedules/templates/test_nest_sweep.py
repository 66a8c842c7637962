"""The sweep of nests: it finds a fault that is planted, says how to run it again, and is the same for the same seed."""

from __future__ import annotations

import random
import shlex

import pytest

from anytile.codegen.cuda import build
from anytile.schedules.operators import OPERATORS
from anytile.schedules.primitives.loops import fuse
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.templates.cuda import conv2d_simt
from tests.support.generators.random_workloads import rolled
from tests.support.nest_sweep import APART, TARGETS, Tally, cases, main, sweep


@pytest.fixture
def single_taps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that stood for weeks: loops over taps fused before their sum, which hides a single one in padding."""
    real = conv2d_simt.accumulate

    def late(s: Schedule, inside: str) -> None:
        fused = fuse(s, "i_kw", "kc", "ko")
        fuse(s, "i_kh", fused, "ko")
        real(s, inside=inside)

    monkeypatch.setattr(conv2d_simt, "accumulate", late)
    monkeypatch.setattr(conv2d_simt, "fuse_rounds", lambda s, *names: None)


@pytest.mark.usefixtures("single_taps")
def test_a_planted_fault_is_found_and_comes_with_a_line_that_runs_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--ops", "conv2d", "--targets", "sm_80", "--seconds", "240", "--seed", "33", "--failures", "1"]
    assert main(words) == 1
    said = capsys.readouterr().out
    (line,) = [line for line in said.splitlines() if line.startswith("scripts/nest_sweep --case ")]
    command, _, wrong = line.partition("  # ")
    assert "conv2d.cuda.simt" in command
    assert wrong
    assert "conv2d.cuda.simt" in said.partition("template")[2]
    again = shlex.split(command)[1:]
    assert main(again) == 1
    monkeypatch.undo()
    build._whole.cache_clear()
    assert main(again) == 0
    assert capsys.readouterr().out.splitlines() == [wrong, "right"]


def test_a_few_seconds_of_small_operators_find_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Not of convolutions: some with a symbol for a height are right, and nobody can prove yet that they are."""
    tally = sweep([op for op in APART if "attention" not in op and "conv2d" not in op], TARGETS, 4.0, 7)
    assert capsys.readouterr().out == ""
    assert not tally.wrong.total()
    assert tally.right.total()  # one at least, on a machine that does much beside


@pytest.mark.parametrize("op", OPERATORS)
def test_the_same_seed_draws_the_same_cases(op: str) -> None:
    for number in range(3):
        one, other = (list(cases(random.Random(f"0 {op} {number}"), op, TARGETS, Tally())) for _ in range(2))
        assert list(map(str, one)) == list(map(str, other))
        for case in one:
            assert case.residues is None or case.residues[0] <= case.residues[1] < case.template.tile(case.config)


@pytest.mark.parametrize("op", OPERATORS)
def test_dice_draw_what_hypothesis_may(op: str) -> None:
    """Each a workload of its operator, with a size for each symbol; few are alike."""
    found = [rolled(random.Random(f"{op} {number}"), op) for number in range(40)]
    assert all(set(workload.symbols) == set(symbols) for workload, symbols in found)
    assert len({str(workload) for workload, _ in found}) > 5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ops", "dens"], "'dens': expected some of dense, "),
        (["--targets", "sm_42"], "sm_42"),
        (["--seconds", "soon"], "invalid float value"),
    ],
)
def test_wrong_words_are_told(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err

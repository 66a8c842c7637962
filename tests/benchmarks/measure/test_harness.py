"""The harness with invented clocks: medians, alternation, extra rounds, floors, the JSON format, exit codes."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from benchmarks.measure.harness import (
    Claim,
    Report,
    Row,
    System,
    Timing,
    fastest,
    geomean,
    interleave,
    one_row_a_line,
    require_outputs,
)
from benchmarks.measure.program import add_options, program

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks" / "results"


class Clock:
    """A system whose calls take what `cost` says of the round, and which writes down who was called when."""

    def __init__(self, name: str, cost: Callable[[int], float], log: list[str] | None = None) -> None:
        self.cost, self.runs = cost, 0
        self.log = log if log is not None else []
        self.system = System(name, self.run, flops=1e6)

    def run(self, calls: int) -> float:
        self.runs += 1
        self.log.append(self.system.name)
        return calls * self.cost(self.runs)


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(words)


def test_a_row_is_the_median_per_call() -> None:
    rows = interleave({"m": 3}, [Clock("a", lambda _: 2e-4).system, Clock("b", lambda _: 1e-4).system], Timing())
    assert [(r.system, r.rounds) for r in rows] == [("a", 7), ("b", 7)]
    assert [r.seconds for r in rows] == pytest.approx([2e-4, 1e-4])
    assert [r.gflops for r in rows] == pytest.approx([5.0, 10.0])
    assert [r.spread for r in rows] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert rows[0].case == {"m": 3}


def test_systems_alternate_and_take_turns_at_being_first() -> None:
    log: list[str] = []
    slow = [Clock(name, lambda _: 1.0, log).system for name in "abc"]  # one call fills a slot, so there is no warm-up
    interleave({}, slow, Timing(rounds=3))
    assert "".join(log[-9:]) == "abcbcacab"


def test_a_slot_is_filled_with_calls() -> None:
    counts: list[int] = []

    def run(calls: int) -> float:
        counts.append(calls)
        return calls * 1e-6

    interleave({}, [System("a", run)], Timing(slot_ms=2.0))
    assert counts[-1] == pytest.approx(2000, rel=0.01)


def test_a_slow_call_is_not_repeated_to_fill_a_slot() -> None:
    clock = Clock("a", lambda _: 0.5)
    interleave({}, [clock.system], Timing(rounds=4, more_rounds=1, most_rounds=4))
    assert clock.runs <= 4 + 3


def test_a_point_that_does_not_settle_gets_more_rounds_up_to_a_limit() -> None:
    noisy = Clock("noisy", lambda i: 1.0 + (i % 3))
    calm = Clock("calm", lambda _: 1.0)
    rows = interleave({}, [noisy.system, calm.system], Timing(rounds=7, more_rounds=7, most_rounds=21))
    assert [r.rounds for r in rows] == [21, 21]
    assert rows[0].spread > 0.06


def test_one_outlier_does_not_move_the_figure() -> None:
    rows = interleave({}, [Clock("a", lambda i: 100.0 if i == 5 else 1.0).system], Timing())
    assert rows[0].seconds == pytest.approx(1.0)


def test_the_fastest_way_is_found() -> None:
    ways = [Clock(name, lambda _, s=s: s).system for name, s in (("a", 3e-4), ("b", 1e-4), ("c", 2e-4))]  # type: ignore[misc]
    assert fastest(ways).name == "b"
    assert fastest(ways[:1]).name == "a"


@given(st.lists(st.floats(1e-3, 1e3), min_size=1))
def test_geomean_lies_between_the_extremes(values: list[float]) -> None:
    assert min(values) * (1 - 1e-9) <= geomean(values) <= max(values) * (1 + 1e-9)
    assert geomean([2.0, 8.0]) == pytest.approx(4.0)


def test_nothing_measured_holds_no_claim() -> None:
    assert math.isnan(geomean([]))
    assert not Claim("c", geomean([]), 1.0).ok
    assert not Claim("c", math.nan, 1.0, at_most=True).ok


@pytest.mark.parametrize(
    ("value", "at_most", "ok"), [(1.0, False, True), (0.99, False, False), (1.0, True, True), (1.01, True, False)]
)
def test_a_floor_is_reached_from_its_own_side(value: float, at_most: bool, ok: bool) -> None:
    assert Claim("c", value, 1.0, at_most).ok is ok


def test_check_names_every_missed_floor_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    claims = [Claim("good", 2.0, 1.0), Claim("slow", 0.5, 1.0), Claim("late", 9.0, 3.0, at_most=True)]
    report = Report({}, claims=claims)
    assert report.finish(options()) == 0
    assert report.finish(options("--check")) == 1
    missed = [line for line in capsys.readouterr().err.splitlines() if line.startswith("missed floor")]
    assert missed == [
        "missed floor: slow: 0.5, at least 1 was promised",
        "missed floor: late: 9, at most 3 was promised",
    ]


def test_check_does_not_pass_on_what_was_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report({}, claims=[Claim("good", 2.0, 1.0)], unmeasured=["against torch, which is not installed"])
    assert report.finish(options("--check")) == 1
    assert "torch" in capsys.readouterr().err
    assert Report({}, claims=[Claim("good", 2.0, 1.0)]).finish(options("--check")) == 0


def test_the_json_has_the_one_format(tmp_path: Path) -> None:
    rows = [Row({"m": 1}, "anytile", 1e-3, 5.0, 0.01, 7)]
    report = Report({"cpu": "x"}, rows, [Claim("c", math.nan, 1.0), Claim("d", 2.0, 1.0)])
    report.finish(options("--json", str(tmp_path / "out.json")))
    made = json.loads((tmp_path / "out.json").read_text())
    assert made["machine"] == {"cpu": "x"}
    assert made["rows"][0] == {
        "case": {"m": 1}, "system": "anytile", "seconds": 1e-3, "gflops": 5.0, "spread": 0.01, "rounds": 7,
    }  # fmt: skip
    assert [(c["claim"], c["value"], c["floor"], c["ok"]) for c in made["summary"]] == [
        ("c", None, 1.0, False),
        ("d", 2.0, 1.0, True),
    ]


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.one_of(
            st.lists(
                st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False) | st.text(max_size=3), max_size=3)
            ),
            st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.lists(st.booleans()), max_size=3),
            st.floats(allow_nan=False),
        ),
        max_size=4,
    )
)
def test_every_row_is_a_line_and_nothing_is_lost(results: dict[str, Any]) -> None:
    text = one_row_a_line(results)
    assert json.loads(text) == results
    assert list(json.loads(text)) == list(results)
    inside = sum(len(part) + (len(part) > 0) for part in results.values() if isinstance(part, dict | list))
    assert len(text.splitlines()) == 2 + max(len(results), 1) + inside
    rows = [row for part in results.values() if isinstance(part, list) for row in part]
    assert [json.loads(line.rstrip(",")) for line in text.splitlines() if line.startswith("  {")] == rows


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_the_results_that_are_kept_are_as_they_are_written(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert one_row_a_line(json.loads(text)) == text


def test_what_cannot_be_written_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.measure.program.confine", lambda threads, settings: None)
    monkeypatch.setattr("benchmarks.measure.program.describe", lambda threads: {})
    ran: list[bool] = []

    def main(*words: str, draws: bool = False) -> tuple[int, str]:
        draw = (lambda rows, path: None) if draws else None
        code = program("A benchmark.", lambda report, options: ran.append(True), draw=draw)(words)
        return code, capsys.readouterr().err

    (tmp_path / "file").write_text("kept")
    for option in ("--json", "--plot"):
        for path in (tmp_path / "none" / "x.json", tmp_path / "file" / "x.json", tmp_path):
            code, err = main(option, str(path), draws=True)
            assert code == 2
            assert err.startswith(f"error: {option} {path}: ")
            assert err.count("\n") == 1
    code, err = main("--plot", str(tmp_path / "x.png"))
    assert (code, err) == (2, f"error: --plot {tmp_path / 'x.png'}: this benchmark draws nothing; leave it out\n")
    assert ran == []
    assert main("--json", str(tmp_path / "file"))[0] == 0
    assert ran == [True]
    with pytest.raises(SpecError):
        require_outputs(options("--plot", str(tmp_path / "x.png")), draws=False)
    require_outputs(options("--json", str(tmp_path / "new.json")))
    assert not (tmp_path / "new.json").exists()  # a run that fails leaves nothing behind


def test_a_piped_table_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    Report({}).table("t", ["m", *"abcdefgh"], [["1", *(["123456.7"] * 8)]])
    assert any(line.count("123456.7") == 8 for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(("words", "held"), [((), True), (("--quick",), False), (("--threads", "2"), False)])
def test_floors_of_one_thread_are_held_against_nothing_else(
    words: tuple[str, ...], held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.measure.program.confine", lambda threads, settings: None)

    def measure(report: Report, options: argparse.Namespace) -> None:
        report.rows.append(Row({}, "a", 1.0, 0.0, 0.0, 1))

    main = program("doc", measure, lambda rows: [Claim("speed", 2.0, 1.0)], on_one_thread=True)
    found = tmp_path / "found.json"
    assert main(["--check", "--json", str(found), *words]) == (0 if held else 1)
    written = json.loads(found.read_text())
    assert [len(written[name]) for name in ("rows", "summary", "unmeasured")] == [1, int(held), int(not held)]


def test_a_system_is_timed_by_the_clock_that_it_is_given() -> None:
    moments, calls = iter((2.0, 5.0)), []
    system = System.of("a", lambda: calls.append(1), clock=lambda: next(moments))
    assert system.run(4) == 3.0
    assert len(calls) == 4

"""The parts of a campaign that are pure: weights files, the budget, which sizes and configs, who is close to whom."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.db.records.records import Status, Trial
from anytile.dispatch.backends import CpuBackend
from anytile.dispatch.plans.matrix import Matrix, Row
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.ledger.budget import CONCRETE_SHARES, SHARES, Budget, default_seconds, parts
from anytile.tuner.ledger.interrupts import Stop, stopping
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.ledger.owner import still_working, this_process
from anytile.tuner.protocol.candidate import Way
from anytile.tuner.requests.size_weights import check_weights, load_weights, parse_weights
from anytile.tuner.settle import crosseval
from anytile.tuner.settle import duels as winners
from anytile.tuner.settle import profile_sizes as profile_plan
from anytile.tuner.settle.evidence import Evidence
from anytile.tuner.tasks.search_task import stalled

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def way(number: int) -> Way:
    return Way("t", config(number))


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def matrix(*rows: tuple[float, ...], noise: float = 0.0, sizes: tuple[int, ...] = (1, 16, 256)) -> Matrix:
    """Rows of seconds; nan leaves a cell empty. Three samples each, `noise` apart."""
    cells = tuple(tuple(() if math.isnan(s) else (s, s * (1 + noise), s * (1 - noise)) for s in row) for row in rows)
    return Matrix(sizes, tuple(Row("t", config(i), 8) for i in range(len(rows))), cells)


# Weights


def test_a_weights_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("\ufeffM, weight\n# a comment\n1,0.5\n\n 64 , 2e1\n128,0\n")
    assert load_weights(path) == {1: 0.5, 64: 20.0, 128: 0.0}
    path.write_text("weight,m\n3,7\n")
    assert load_weights(path) == {7: 3.0}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ("m,weight\n", 1, "no weight under the header"),
        ("m\n64\n", 1, "the column weight is missing"),
        ("64,0.5\n", 1, "the columns m and weight are missing"),
        ("m,weight,m\n1,2,3\n", 1, "named twice"),
        ("m,weight\n64\n", 2, "1 value under 2 columns"),
        ("m,weight\n64,1,2\n", 2, "3 values under 2 columns"),
        ("m,weight\n1,1\n64,-0.5\n", 3, "weight -0.5 is negative"),
        ("m,weight\n64,nan\n", 2, "weight nan is not finite"),
        ("m,weight\n64,inf\n", 2, "weight inf is not finite"),
        ("m,weight\n64,much\n", 2, "weight much is not a number"),
        ("m,weight\n64,\n", 2, r"weight \(empty\) is not a number"),
        ("m,weight\n6.5,1\n", 2, "m=6.5 is not a whole number"),
        ("m,weight\n,1\n", 2, r"m=\(empty\) is not a whole number"),
        ("m,weight\n-1,1\n", 2, "m=-1 is out of range"),
        ("m,weight\n64,1\n\n64,2\n", 4, "m=64 was given before, on line 2"),
        ("m,weight\n1,0\n64,0.0\n", 3, "add up to 0"),
    ],
)
def test_a_bad_weights_file_is_one_line_with_its_place(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(SpecError, match=f"bad.csv:{line}: .*{message}") as caught:
        load_weights(path)
    assert "\n" not in str(caught.value)


def test_a_weights_file_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_weights(tmp_path / "missing.csv")
    with pytest.raises(SpecError, match="Is a directory"):
        load_weights(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00m")
    with pytest.raises(SpecError, match="not text"):
        load_weights(tmp_path / "binary")


@given(st.dictionaries(st.integers(0, 2**31 - 1), st.floats(0, 1e300), min_size=1))
def test_what_is_written_is_read(weights: dict[int, float]) -> None:
    lines = ["m,weight", *(f"{m},{weight!r}" for m, weight in weights.items())]
    if 0 < sum(weights.values()) < math.inf:
        assert parse_weights(lines, "w") == weights
        check_weights(weights)
    elif sum(weights.values()) == 0:
        with pytest.raises(SpecError):
            parse_weights(lines, "w")
        with pytest.raises(SpecError):
            check_weights(weights)


# The budget


def test_the_default_budget_fits_three_workloads_into_three_minutes() -> None:
    assert default_seconds(1) == 60
    assert default_seconds(3) == default_seconds(9) == 174


@pytest.mark.parametrize("shares", [SHARES, CONCRETE_SHARES])
def test_shares_are_whole(shares: dict[str, float]) -> None:
    assert sum(shares.values()) == pytest.approx(1.0)


def test_what_one_phase_leaves_the_next_ones_have() -> None:
    now = 0.0
    budget = Budget(100.0, clock=lambda: now)
    share = budget.share()
    first = share.phase("search", SHARES)
    assert first.left == pytest.approx(98.5 * SHARES["search"])
    assert first.extended().left == pytest.approx(98.5 * (SHARES["search"] + 0.5 * (1 - SHARES["search"])))
    now = 10.0  # it ended early
    rest = 1 - SHARES["search"]
    assert share.phase("cross", SHARES).left == pytest.approx(88.5 * SHARES["cross"] / rest)
    now = 98.0  # and cross ran over
    assert share.phase("profile", SHARES).left == pytest.approx(0.5 * SHARES["profile"] / (1 - 0.82))
    last = share.phase("confirm", SHARES)
    assert last.left == pytest.approx(0.5)
    assert not last.passed()
    now = 99.0
    assert last.passed()
    assert budget.left == pytest.approx(1.0)


def test_workloads_share_what_is_left() -> None:
    now = 0.0
    budget = Budget(180.0, spent_before=30.0, clock=lambda: now)
    assert budget.left == 150.0
    first = budget.share(1 / 3)
    assert first.until == pytest.approx(30.0 + 148.5 / 3)
    now = 20.0  # it took only this
    assert budget.share(1 / 2).until == pytest.approx(50.0 + 128.5 / 2)


def test_what_takes_longer_in_the_model_has_more_time_for_its_plan() -> None:
    assert parts([3.0, 1.0]) == pytest.approx([0.25 + 0.375, 0.25 + 0.125])
    assert parts([5.0]) == [1.0]
    assert parts([0.0, 0.0]) == [0.5, 0.5]
    assert min(parts([0.0, 1e9, 0.0])) >= 1 / 6


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=9))
def test_the_parts_are_the_whole(values: list[float]) -> None:
    assert sum(parts(values)) == pytest.approx(1.0)


def test_without_a_time_limit_nothing_ever_passes() -> None:
    deadline = Budget(None, clock=lambda: 1e9).share(1 / 2).phase("search", SHARES)
    assert deadline.left is None
    assert not deadline.passed()


# Cross-evaluation


def test_finalists_are_the_fastest_and_break_ties_by_name() -> None:
    rows = [trial(3, 2.0), trial(1, 1.0), trial(2, 2.0), trial(4, 0.1, status=Status.WRONG), trial(5, 3.0, drift=4.0)]
    assert crosseval.finalists(rows, 3) == [way(1), way(2), way(3)]
    assert crosseval.finalists(rows, 9) == [way(1), way(2), way(3), way(5)]


def test_the_opening_and_what_follows_are_the_whole_matrix_once() -> None:
    sizes = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    ways = [way(i) for i in range(7)]
    jobs = crosseval.opening(ways, sizes)
    cells = {(j.way, size): 1.0 + j.way.config.int("knob") for j in jobs for size in j.sizes}
    jobs += crosseval.following(ways, sizes, cells, {})
    done = [(j.way, size) for j in jobs for size in j.sizes]
    assert sorted(done, key=str) == sorted(((c, size) for c in ways for size in sizes), key=str)
    assert {j.sizes for j in jobs[:7]} == {(1, 16, 128)}


def test_the_promising_follow_first_on_average_and_at_each_size() -> None:
    sizes, ways = (1, 2, 4), [way(i) for i in range(4)]
    cells = {(way(0), 1): 1.0, (way(0), 2): 9.0, (way(1), 1): 3.0, (way(1), 2): 2.0}
    cells |= {(way(2), 1): 4.0, (way(2), 2): 1.0, (way(3), 1): 9.0}
    order = [j.way for j in crosseval.following(ways, sizes, cells, {})]
    assert order == [way(2), way(0), way(1)]  # 3 failed at 2, and is out
    weighted = [j.way for j in crosseval.following(ways, sizes, cells, {1: 1.0})]
    assert weighted[0] == way(0)
    assert [j.way for j in crosseval.following(ways, sizes, cells, {}, first=[way(1), way(3)])][:2] == [way(1), way(2)]


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=12))
def test_opening_sizes_are_some_of_the_sizes(sizes: set[int]) -> None:
    first = crosseval.opening_sizes(tuple(sizes))
    assert set(first) <= sizes
    assert min(sizes) in first
    assert len(first) <= 3


def test_a_failure_anywhere_spoils_and_what_could_not_be_measured_does_not() -> None:
    rows = [trial(1, 1.0), trial(1, 0.0, 4, Status.WRONG), trial(2, 1.0), trial(2, 0.0, 4, Status.CONSTRAINT)]
    assert crosseval.spoiled(rows) == {way(1)}


# Winners


def test_a_clear_winner_needs_no_duel() -> None:
    assert winners.contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0))) == []
    assert winners.contestants(matrix()) == []
    assert winners.contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)), also=[1]) == [0, 1]
    assert winners.contestants(matrix((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)), also=[0]) == []


def test_near_ties_and_specialists_meet() -> None:
    close = matrix((1.0, 1.0, 1.0), (1.004, 1.003, 1.0), (2.0, 2.0, 2.0), (0.5, 4.0, 4.0))
    assert set(winners.contestants(close)) == {0, 1, 3}
    noisy = matrix((1.0, 1.0, 1.0), (1.04, 1.04, 1.04), noise=0.05)
    assert winners.contestants(noisy) == [0, 1]


def test_no_more_than_a_few_meet() -> None:
    assert len(winners.contestants(matrix(*[(1.0, 1.0, 1.0)] * 40))) == winners.MOST_CONTESTANTS


def test_a_duel_settles_the_contestants_and_scales_the_rest() -> None:
    before = matrix((1.0, 1.0, 1.0), (1.01, 1.01, 1.01), (1.5, 1.5, math.nan))
    duels = [Trial(W, TARGET, "t", config(i), {"m": 16}, Status.OK, (s,), kind="pair") for i, s in ((0, 2.2), (1, 2.0))]
    after = winners.settled(before, duels, "m")
    assert after.medians[:, 0].tolist() == before.medians[:, 0].tolist()
    assert after.medians[:2, 1].tolist() == [2.2, 2.0]
    ratio = (2.2 + 2.0 / 1.01) / 2  # everything was about that much slower by then
    assert after.medians[2, 1] == pytest.approx(1.5 * ratio)
    assert math.isnan(after.medians[2, 2])


def test_normalising_takes_the_drift_out_of_every_sample() -> None:
    row = trial(1, 3.0, drift=1.5)
    assert winners.normalised_row(row).samples == (3.0,)
    assert row.samples == (4.5,)


# The dense profile


@given(st.lists(st.integers(1, 32), min_size=1, max_size=3))
def test_profiles_visit_every_residue_of_every_tile(tiles: list[int]) -> None:
    sizes = profile_plan.profile_sizes(tiles, (384,))
    assert set(range(1, 65)) <= set(sizes)
    assert {384, 256, 512, 1024, 4096} <= set(sizes)
    stepped = [m for m in sizes if 64 < m <= 256]
    for tile in tiles:
        if tile < len(stepped):  # 256 is there in any case, and may be no step
            assert {m % tile for m in stepped} == set(range(tile))


@given(st.sets(st.integers(1, 5000), max_size=60))
def test_refining_is_a_permutation_that_starts_with_the_ends(sizes: set[int]) -> None:
    order = profile_plan.refining(sorted(sizes))
    assert sorted(order) == sorted(sizes)
    if len(sizes) > 1:
        assert set(order[:2]) == {min(sizes), max(sizes)}


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=60), st.sets(st.integers(1, 4096), max_size=20))
def test_refining_begins_with_what_counts_most(sizes: set[int], first: set[int]) -> None:
    order = profile_plan.refining(sizes, first)
    assert sorted(order) == sorted(sizes)
    there = sizes & first
    assert order[: len(there)] == profile_plan.refining(there)
    assert {min(sizes), max(sizes)} <= set(order[: len(there) + 2])


def test_wherever_a_profile_is_cut_off_it_covers_the_line() -> None:
    first = next(profile_plan.chunks(profile_plan.refining(profile_plan.profile_sizes((8,)))))
    assert len(first) == 12
    assert first[0] == 1
    assert first[-1] == 4096
    assert max(b / a for a, b in pairwise(first)) <= 4


@given(st.lists(st.integers(1, 4096), max_size=80, unique=True), st.integers(1, 12), st.integers(1, 9000))
def test_chunks_are_the_sizes_in_order_and_neither_long_nor_heavy(sizes: list[int], most: int, heavy: int) -> None:
    found = list(profile_plan.chunks(sizes, most, heavy))
    assert [m for chunk in found for m in sorted(chunk, key=sizes.index)] == sizes
    assert all(len(chunk) <= most and (len(chunk) == 1 or sum(chunk) <= heavy) for chunk in found)


def test_sizes_that_cost_too_much_are_left_out() -> None:
    sizes = profile_plan.profile_sizes((8,))
    assert profile_plan.affordable(W, "m", {}, sizes) == sizes
    huge = dense(Any("m"), 30522, 768)
    kept = profile_plan.affordable(huge, "m", {}, sizes)
    assert 64 in kept
    assert 4096 not in kept
    assert profile_plan.affordable(dense(Any("m"), 2**20, 2**16), "m", {}, sizes) == (1,)


# Early stop, interruption


def test_a_search_stalls_only_after_its_patience() -> None:
    falling = [trial(i, 1.0 / (i + 1)) for i in range(40)]
    flat = [*falling, *(trial(100 + i, 1.0) for i in range(10))]
    assert not stalled(falling, 10)
    assert stalled(flat, 10)
    assert not stalled(flat, 11)
    assert not stalled(flat, None)
    failed = [trial(i, 0.0, status=Status.CRASHED) for i in range(40)]
    assert not stalled(failed, 10)


def test_an_owner_is_known_while_it_lives_and_not_by_its_number_alone() -> None:
    assert still_working(this_process()) is None  # we may take up our own
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    fields = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()
    owner = {**this_process(), "process": other.pid, "since": fields[19]}
    assert still_working(owner) == other.pid
    assert still_working({**owner, "since": "1"}) is None  # its number was given to another process
    assert still_working({**owner, "machine": "elsewhere"}) is None
    other.kill()
    other.wait()
    assert still_working(owner) is None
    assert still_working({}) is None


def test_the_first_signal_asks_and_the_second_insists() -> None:
    stop, before = Stop(), signal.getsignal(signal.SIGTERM)
    with stopping(stop):
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.reason == "asked to stop"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is before


def test_duels_at_other_sizes_become_columns_in_their_order() -> None:
    rows = tuple(Row("dense.cpu", Config.of(tile_m=t), t) for t in (4, 8))
    matrix = Matrix((1, 4), rows, (((2.0,), (4.0,)), ((2.0,), (4.0,))))
    duels = [
        replace(trial(i, float(m), m), template=row.template, config=row.config)
        for i, row in enumerate(rows)
        for m in (1, 4, 3, 9)
    ]
    found = winners.settled(matrix, duels, "m")
    assert found.sizes == (1, 3, 4, 9)
    assert found.medians.tolist() == [[1.0, 3.0, 4.0, 9.0]] * 2


def test_trials_rank_by_what_they_would_have_taken_at_the_start() -> None:
    assert normalised(trial(0, 2.0, drift=1.25)) == pytest.approx(2.0)
    assert normalised(trial(0, 2.0, status=Status.CRASHED)) == math.inf


def test_of_what_was_profiled_twice_the_faster_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of a library what the build that is here took."""
    first, again = trial(0, 3.0, m=5), replace(trial(0, 2.0, m=5), kind="confirm")
    slower = replace(trial(0, 9.0, m=6), kind="confirm")
    here, gone = (Config.of(name="blas", build=build) for build in ("OpenBLAS 2 b.so", "OpenBLAS 1 a.so"))
    library = replace(trial(0, 7.0, m=5), template=LIBRARY, config=here)
    other = replace(library, config=gone, samples=(1.0,))
    rows = {"profile": [first, trial(0, 4.0, m=6), other, library], "confirm": [again, slower]}
    monkeypatch.setattr(CpuBackend, "library_build", lambda self: "OpenBLAS 2 b.so")
    monkeypatch.setattr(CpuBackend, "has_library", lambda self, name: name == "blas")
    best = SimpleNamespace(template="dense.cpu")
    ledger = SimpleNamespace(of=lambda workload, kind: rows.get(kind, []), best=lambda workload: best)
    evidence = Evidence(W, SimpleNamespace(target=Target.host()), ledger)  # type: ignore[arg-type]
    found = evidence.profile_of([Row("t", config(0), 8)])
    assert found is not None
    assert dict(found.series[0].seconds) == {5: 2.0, 6: 4.0}
    assert [(s.runner, dict(s.seconds)) for s in found.series[1:]] == [("blas", {5: 7.0})]

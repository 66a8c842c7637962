"""What is shown while a campaign runs: the board, the lines, the live table, the JSON lines."""

from __future__ import annotations

import io
import json

import pytest

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.show.board import Board
from anytile.show.progress import HEARTBEAT, MODEL_EVERY, JsonLines, Lines, Live, Quiet, draw
from anytile.tuner.ledger.events import (
    Best,
    CampaignEnded,
    CampaignStarted,
    Event,
    ModelTrained,
    PhaseStarted,
    PlanChosen,
    TrialDone,
)

W = dense(Any("m"), 768, 768, const=("w",))
V = dense(Any("m"), 3072, 768, const=("w",))
T = Target("llvm", (("mcpu", "generic"), ("threads", "1")))
C = Config.of(tile_m=8)
POINT = (("m", 64),)


def started() -> CampaignStarted:
    return CampaignStarted("0123456789abcdef", (W, V), T, "evolve", "inline", 7, 90.0, None)


def trial(number: int, seconds: float | None, best: float | None, elapsed: float = 1.0) -> TrialDone:
    flops = W.flops({"m": 64})
    top = None if best is None else Best(W, C, POINT, best, flops / best / 1e9)
    ok = seconds is not None
    return TrialDone(
        W, "search", number, C, POINT, Status.OK if ok else Status.CRASHED, seconds if ok else float("inf"),
        flops / seconds / 1e9 if ok else 0.0, "" if ok else "exit by signal 11", top, elapsed, 90.0 - elapsed,
    )  # fmt: skip


def story() -> list[Event]:
    plan = DispatchPlan(W, T, "m", (Variant("dense.cpu", C, 8, ((0, 7),)),), (Range(0, None, 0),), {})
    return [
        started(),
        PhaseStarted(W, "search", 400, 40.0, 15795),
        trial(0, 4e-4, 4e-4, 0.5),
        trial(1, None, 4e-4, 1.0),
        ModelTrained(W, 2, 0.71),
        trial(2, 3e-4, 3e-4, 1.5),
        PhaseStarted(W, "cross", 900, 20.0),
        PlanChosen(W, plan, ("variant 0 everywhere",)),
        CampaignEnded(
            "0123456789abcdef", "interrupted", "interrupted", (), 3, {}, 2.0, "anytile tune --resume 01234567"
        ),
    ]


def test_the_board_counts() -> None:
    board = Board()
    for event in story():
        board.see(event)
    assert (board.trials, board.failed) == (3, 1)
    assert board.rate == pytest.approx(2.0)
    assert board.failures_text() == "crashed 1"
    lane = board.lanes[W]
    assert lane.planned
    assert lane.best is not None
    assert lane.best.seconds == 3e-4
    assert (lane.phase, lane.in_phase) == ("cross", 0)
    assert board.lanes[V].trials == 0


def test_lines_say_what_is_new() -> None:
    out = io.StringIO()
    with Lines(out) as listen:
        for event in story():
            listen(event)
    text = out.getvalue()
    assert "campaign 01234567 starts: 2 workloads on llvm -mcpu=generic -threads=1" in text
    assert "evolve search, inline runner, seed 7, budget 1m 30s" in text
    assert "search of 15795 configs, at most 400 trials" in text
    assert "trial 1: 189 GFLOP/s, 400 us at m=64 with tile_m=8" in text
    assert "trial 3: 252 GFLOP/s" in text
    assert "trial 2" not in text  # a failure alone is no news
    assert "plan of 1 config over 1 range" in text
    assert "interrupted after 2s, 3 trials" in text
    assert "\x1b" not in text


def test_lines_say_now_and_then_that_they_are_alive() -> None:
    now = [0.0]
    out = io.StringIO()
    with Lines(out, clock=lambda: now[0]) as listen:
        listen(started())
        listen(trial(0, 4e-4, 4e-4, 0.5))
        for i in range(1, 31):
            now[0] += HEARTBEAT / 10
            listen(trial(i, None, 4e-4, 0.5 + i))
    beats = [line for line in out.getvalue().splitlines() if "trials/s" in line]
    assert len(beats) == 3
    assert "1.0 trials/s" in beats[0]
    assert "crashed" in beats[0]


def test_the_model_is_told_of_now_and_then() -> None:
    now = [0.0]
    out = io.StringIO()
    with Lines(out, lambda: now[0]) as listen:
        listen(started())
        for i in range(10):
            listen(ModelTrained(W, 32 * (i + 1), None if i == 0 else 0.05 * i))
            now[0] += MODEL_EVERY / 3
    told = [line for line in out.getvalue().splitlines() if "cost model" in line]
    assert told == [
        f"{W}: cost model of {n} trials ranks those held out with {quality} (1 is perfect)"
        for n, quality in ((64, "0.05"), (160, "0.20"), (256, "0.35"))
    ]


def test_json_lines_are_json() -> None:
    out = io.StringIO()
    with JsonLines(out) as listen:
        for event in story():
            listen(event)
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [f["event"] for f in found][:3] == ["CampaignStarted", "PhaseStarted", "TrialDone"]
    assert found[3]["seconds"] is None
    assert found[3]["status"] == "crashed"
    assert found[2]["point"] == {"m": 64}
    assert found[7]["plan"]["symbol"] == "m"


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_live_view_draws_at_every_moment(width: int) -> None:
    from rich.console import Console

    board = Board()
    for event in [None, *story()]:
        if event is not None:
            board.see(event)
        out = io.StringIO()
        Console(file=out, width=width).print(draw(board, idle=0.3))
        assert max(len(line) for line in out.getvalue().splitlines()) <= width
    if width >= 80:
        text = out.getvalue()
        for shown in ("252", "300 us at m=64", "done", "waiting", "crashed 1", "3 trials", "model 0.71"):
            assert shown in text
        assert "3 trials   2.0/s   1m 28s left   ok 2   crashed 1" in text


def test_the_live_display_cleans_up_after_an_error() -> None:
    from rich.console import Console

    out = io.StringIO()

    def fail() -> None:
        with Live(Console(file=out, force_terminal=True, width=80)) as listen:
            listen(started())
            raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        fail()
    assert out.getvalue().rfind("\x1b[?25h") > out.getvalue().rfind("\x1b[?25l")  # the cursor is shown again


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with Quiet() as listen:
        for event in story():
            listen(event)
    assert capsys.readouterr() == ("", "")

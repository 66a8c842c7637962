"""Progress displays of a campaign: a live table in a terminal, plain lines in a pipe, JSON lines for programs.

All of them are listeners of `tuner.events`; what has happened so far is kept in one `Board`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from anytile.core.plurals import counted
from anytile.core.printable import printable, say
from anytile.db.records.records import Status
from anytile.show.board import PHASE_WORDS, Board, heading, model_text, short_name, workers_text
from anytile.show.figures import duration_text, point_text, rate_text, time_text
from anytile.tuner.ledger.events import (
    CampaignEnded,
    CampaignStarted,
    Event,
    ModelTrained,
    PhaseStarted,
    PlanChosen,
    TrialDone,
)

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

HEARTBEAT = 10.0  # seconds between plain lines when nothing new is found
MODEL_EVERY = 30.0  # and between those about the cost model


Display = AbstractContextManager[Callable[[Event], None]]


class Quiet:
    """Shows nothing."""

    def __enter__(self) -> Callable[[Event], None]:
        return lambda event: None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        return None


class JsonLines(Quiet):
    """One JSON object per event."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __enter__(self) -> Callable[[Event], None]:
        return self._see

    def _see(self, event: Event) -> None:
        say(json.dumps(event_json(event)), file=self._stream, flush=True)


class Lines(Quiet):
    """A line for whatever is new, and one now and then to say that it is alive."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.board = Board()
        self._stream = stream
        self._clock = clock
        self._spoke = clock()
        self._model_due = clock()

    def __enter__(self) -> Callable[[Event], None]:
        return self._see

    def _see(self, event: Event) -> None:
        before = self.board.lanes.get(event.workload) if isinstance(event, TrialDone) else None
        known = before.best.seconds if before and before.best else float("inf")
        self.board.see(event)
        match event:
            case CampaignStarted():
                for line in heading(event):
                    self._say(line)
            case PhaseStarted():
                upto = f", at most {counted(event.total, 'trial')}" if event.total is not None else ""
                space = f" of {counted(event.space, 'config')}" if event.space else ""
                self._say(f"{event.workload}: {PHASE_WORDS.get(event.phase, event.phase)}{space}{upto}")
            case TrialDone():
                if event.best and event.best.seconds < known:
                    self._say(
                        f"{self._trial(event)}: {rate_text(event.best.gflops)} GFLOP/s, {time_text(event.best.seconds)}"
                        f" at {point_text(event.best.point)} with {event.best.config}"
                    )
                elif self._clock() - self._spoke >= HEARTBEAT:
                    failures = self.board.failures_text()
                    self._say(
                        f"{self._trial(event)}: {self.board.rate:.1f} trials/s, {duration_text(event.left)} left"
                        + (f"; {failures}" if failures else "")
                    )
            case PlanChosen():
                variants, ranges = len(event.plan.variants), len(event.plan.ranges)
                kind = "provisional plan" if event.provisional else "plan"
                self._say(f"{event.workload}: {kind} of {counted(variants, 'config')} over {counted(ranges, 'range')}")
            case CampaignEnded():
                why = f": {event.reason}" if event.reason and event.reason != event.state else ""
                self._say(f"{event.state} after {duration_text(event.elapsed)}, {counted(event.trials, 'trial')}{why}")
            case ModelTrained():
                if event.quality is not None and self._clock() >= self._model_due:
                    self._model_due = self._clock() + MODEL_EVERY
                    self._say(f"{event.workload}: {model_text(event.quality, event.trained_on)}")

    def _trial(self, event: TrialDone) -> str:
        by = f" by {event.worker}" if len(self.board.workers) > 1 else ""
        return f"[{duration_text(event.elapsed)}] trial {event.number + 1}{by}"

    def _say(self, line: str) -> None:
        self._spoke = self._clock()
        say(line, file=self._stream, flush=True)


class Live(Quiet):
    """A table that is drawn anew a few times a second."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live as RichLive

        self.board = Board()
        self._seen = time.monotonic()
        self._live = RichLive(
            console=console,
            get_renderable=lambda: draw(self.board, time.monotonic() - self._seen),
            refresh_per_second=5,
            transient=True,
        )

    def __enter__(self) -> Callable[[Event], None]:
        self._live.start()
        return self._see

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._live.stop()

    def _see(self, event: Event) -> None:
        self._seen = time.monotonic()
        self.board.see(event)


def draw(board: Board, idle: float = 0.0) -> Group:
    """The live view of a board; `idle` seconds have passed since its last event."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    parts: list[Text | Table | ProgressBar] = []
    if board.start:
        parts.extend(
            Text(printable(line), style="bold" if i == 0 else "dim", overflow="ellipsis", no_wrap=True)
            for i, line in enumerate(heading(board.start))
        )
        budget = board.start.seconds
        if budget:
            done = min(budget, board.elapsed + idle)
            parts.append(ProgressBar(total=budget, completed=done, width=60, complete_style="cyan"))
    parts += [_lanes(board), _config(board)]
    line = Text()
    line.append(counted(board.trials, "trial"), style="bold")
    line.append(f"   {board.rate:.1f}/s")
    if board.left is not None:
        line.append(f"   {duration_text(max(0.0, board.left - idle))} left")
    line.append(f"   ok {board.statuses[Status.OK]}", style="green")
    if board.failed:
        line.append(f"   {board.failures_text()}", style="yellow")
    parts.append(line)
    together = workers_text(board.workers)
    if together:
        parts.append(Text(printable(f"measured by {together}"), style="dim", overflow="ellipsis", no_wrap=True))
    parts.append(Text("Ctrl-C ends after the current trial; nothing measured is lost", style="dim"))
    return Group(*parts)


def _lanes(board: Board) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("workload", no_wrap=True, overflow="ellipsis")
    table.add_column("phase", no_wrap=True)
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("GFLOP/s", justify="right", style="bold cyan", no_wrap=True)
    table.add_column("best", justify="right", no_wrap=True)
    for lane in board.lanes.values():
        best = lane.best
        table.add_row(
            printable(short_name(lane.workload)),
            "done" if lane.planned else PHASE_WORDS.get(lane.phase, lane.phase) or "waiting",
            f"{lane.in_phase}/{lane.total}" if lane.total and not lane.planned else str(lane.trials),
            rate_text(best.gflops) if best else "-",
            f"{time_text(best.seconds)} at {point_text(best.point)}" if best else "-",
        )
    return table


def _config(board: Board) -> Text:
    """The model's quality and the best config of the workload that is being tuned, cut to the line."""
    from rich.text import Text

    lane = board.latest
    words = [f"model {board.model:.2f}"] if board.model is not None else []
    words += [f"best {lane.best.config}"] if lane and lane.best and not lane.planned else []
    text = ", ".join(words)
    return Text(printable(text), style="dim", overflow="ellipsis", no_wrap=True)


def event_json(event: Event) -> dict[str, object]:
    """An event as JSON-able data; times that are not finite become null."""
    from anytile.show.jsonable import jsonable

    return {"event": type(event).__name__, **jsonable(event)}
